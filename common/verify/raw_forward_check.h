#pragma once

#include "common/verify/row_payload_check.h"

namespace trellis::verify {

// A raw forward index (format notes section 5), by its own bytes: the header, offsets that ascend
// and tile the file, each chunk inflated to what it must be, row offsets that ascend and end with
// the chunk, each row's payload. Containers are told apart as readers do: CLP by its magic, else by
// the version. Memory: one inflated chunk. Faults within a chunk that is compressed are given at
// the chunk's offset.
RowFacts CheckRawForward(ByteView bytes, DataType type, bool multi_value, uint32_t document_count,
                         FaultLog& log);

// The same but for CLP.
RowFacts CheckRawContainer(ByteView bytes, DataType type, bool multi_value, uint32_t document_count,
                           FaultLog& log);

// The containers behind it. The one with a fixed number of documents a chunk (5.3); `fixed`: values
// of a fixed width lie one after the other.
void CheckChunkFile(ByteView bytes, const RowShape& shape, bool fixed, uint32_t document_count,
                    RowFacts& facts, FaultLog& log);
// Versions 4 to 6 of rows of variable length (5.4 and 5.6).
void CheckV4File(ByteView bytes, const RowShape& shape, uint32_t document_count, RowFacts& facts,
                 FaultLog& log);
// CLP.v1 and CLP.v2 (5.7): the parts tile the file and are whole.
void CheckClp(ByteView bytes, uint32_t document_count, FaultLog& log);

}  // namespace trellis::verify
