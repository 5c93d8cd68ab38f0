#pragma once

#include "common/column/doc_list.h"
#include "common/column/forward_index.h"
#include "common/memory/scan_advice.h"

// The readers behind OpenForwardIndex, one function a kind of container. Each checks what its
// container promises and answers Corrupt otherwise; views are as forward_index.h says.

namespace trellis::column {

// Dictionary-encoded: bit-packed ids, document ranges, multi-value ids (format notes 4.2 to 4.4).
Result<std::unique_ptr<ForwardIndexReader>> OpenBitPacked(ByteView payload,
                                                          const ForwardIndexShape& shape);
Result<std::unique_ptr<ForwardIndexReader>> OpenSorted(ByteView payload,
                                                       const ForwardIndexShape& shape);
Result<std::unique_ptr<ForwardIndexReader>> OpenMultiValueIds(ByteView payload,
                                                              const ForwardIndexShape& shape);
// Multi-value ids with each different row stored once (format notes 4.5), which the first bytes
// tell.
bool IsEntryDictionary(ByteView payload);
Result<std::unique_ptr<ForwardIndexReader>> OpenEntryDictionary(ByteView payload,
                                                                const ForwardIndexShape& shape);

// Raw single-value columns of fixed width: format notes 5.3.
Result<std::unique_ptr<ForwardIndexReader>> OpenRawFixed(ByteView payload,
                                                         const ForwardIndexShape& shape);
// Every other raw column: rows of bytes in the containers of 5.3 (versions 1 to 3) and 5.4.
Result<std::unique_ptr<ForwardIndexReader>> OpenRawRows(ByteView payload,
                                                        const ForwardIndexShape& shape);
// Log messages in the two CLP containers (format notes 5.7).
Result<std::unique_ptr<ForwardIndexReader>> OpenClp(ByteView payload,
                                                    const ForwardIndexShape& shape);

// A range of this many documents is taken as part of a scan.
inline constexpr size_t kScanDocsMin = 4096;
// Announces a scan of `bytes`, which hold the values of `docs` and of all later documents from
// their start on, the first time that a scratch is used for a long range.
inline void AdviseIfScan(std::span<const uint32_t> docs, ByteView bytes, ReadScratch& scratch) {
  if (scratch.scan_advised || docs.size() < kScanDocsMin || !IsRange(docs)) return;
  scratch.scan_advised = true;
  memory::AdviseScan(bytes);
}

}  // namespace trellis::column
