#pragma once

#include <memory>
#include <string>

#include "common/block/block.h"
#include "common/wire/shared_bytes.h"

namespace trellis::wire {

// A block as trellis.v1.BlockHeader plus a body in Arrow's columnar layout: validity bits (least
// significant first, 1 = valid), offsets, values, little-endian, each buffer at a multiple of 64
// bytes from the body's start (arrow.apache.org/docs/format/Columnar.html).
struct EncodedBlock {
  std::string header;
  Slices body;  // fixed-width values and multi-value offsets share the block's memory; text is
                // gathered once
  uint64_t body_bytes = 0;
};

// Errors: ResourceExhausted over kMessageLimits; Internal when a column's parts disagree with each
// other.
Result<EncodedBlock> EncodeBlock(std::shared_ptr<const Block> block);

// Reads untrusted bytes. Text is views into `body`, whose owner the columns keep; fixed-width
// values are copied out (column vectors own theirs). Errors: DataLoss naming column and buffer.
Result<Block> DecodeBlock(ByteView header, const SharedBytes& body);

}  // namespace trellis::wire
