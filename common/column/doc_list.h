#pragma once

#include <algorithm>
#include <cstdint>
#include <span>

#include "common/base/status.h"
#include "common/column/list_scan.h"

namespace trellis::column {

// Errors: InvalidArgument unless `docs` is strictly ascending and below `document_count`.
inline Status CheckDocs(std::span<const uint32_t> docs, uint32_t document_count) {
  if (docs.empty() || (docs.back() < document_count && IsStrictlyAscending(docs))) return {};
  return Status::InvalidArgument("docIds are not strictly ascending below {}", document_count);
}
// Whether checked documents are one range without gaps.
inline bool IsRange(std::span<const uint32_t> docs) {
  return !docs.empty() && docs.back() - docs.front() == docs.size() - 1;
}

// A list of documents is read in pieces, each in the way that is cheapest for it.
inline constexpr size_t kPieceDocs = 128;
// The piece of checked documents that starts at docs[from]: a range as long as doubling finds it,
// or kPieceDocs documents with gaps (the rest of the list if that is less).
inline std::span<const uint32_t> PieceAt(std::span<const uint32_t> docs, size_t from) {
  const std::span<const uint32_t> rest = docs.subspan(from);
  size_t size = std::min(kPieceDocs, rest.size());
  while (size < rest.size() && IsRange(rest.first(size))) {
    const size_t longer = std::min(size * 2, rest.size());
    if (!IsRange(rest.first(longer))) break;
    size = longer;
  }
  return rest.first(size);
}

// The checked documents at the front of `docs` that are below `end`.
inline std::span<const uint32_t> DocsBelow(std::span<const uint32_t> docs, uint64_t end) {
  if (docs.empty() || docs.front() >= end) return {};
  const std::span<const uint32_t> most = docs.first(std::min(docs.size(), end - docs.front()));
  if (most.back() < end) return most;
  return most.first(
      static_cast<size_t>(std::lower_bound(most.begin(), most.end(), end) - most.begin()));
}

}  // namespace trellis::column
