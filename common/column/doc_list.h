#pragma once

#include <algorithm>
#include <cstdint>
#include <span>

#include "common/base/status.h"
#include "common/column/list_scan.h"

namespace trellis::column {

// Whether checked documents are one range without gaps.
inline bool IsRange(std::span<const uint32_t> docs) {
  return !docs.empty() && docs.front() <= docs.back() &&
         docs.back() - docs.front() == docs.size() - 1;
}
// What a list of documents that is not strictly ascending below `document_count` is answered.
inline Status NotAscending(uint32_t document_count) {
  return Status::InvalidArgument("docIds are not strictly ascending below {}", document_count);
}
// Errors: InvalidArgument unless `docs` is strictly ascending and below `document_count`.
inline Status CheckDocs(std::span<const uint32_t> docs, uint32_t document_count) {
  if (docs.empty()) return {};
  // With the ends of a range, only a range ascends.
  const bool ascending = IsRange(docs) ? IsConsecutive(docs) : IsStrictlyAscending(docs);
  if (ascending && docs.back() < document_count) return {};
  return NotAscending(document_count);
}

// The same for readers that go by PieceAt from the front and by nothing else: what has the ends of
// a range is read as that range, so that its ends are all there is to check. Reading a list again
// costs what a fifth of copying 4-byte values does.
inline Status CheckPieces(std::span<const uint32_t> docs, uint32_t document_count) {
  if (IsRange(docs) && docs.back() < document_count) return {};
  return CheckDocs(docs, document_count);
}

// A list of documents is read in pieces, each in the way that is cheapest for it: runs of at least
// kRunDocsMin documents without a gap, and lists of at most kPieceDocs.
inline constexpr size_t kRunDocsMin = 32;
inline constexpr size_t kPieceDocs = 4 * kRunDocsMin;

// Whether a list, which need not be checked, is best read document by document: where it is looked
// at, in every fourth place, no kRunDocsMin of it lie within `gap` times as many documents. Looking
// everywhere would cost a twentieth of reading such a list.
inline bool IsSparse(std::span<const uint32_t> docs, uint32_t gap) {
  uint32_t narrowest = UINT32_MAX;
  for (size_t i = 0; i + kRunDocsMin <= docs.size(); i += kPieceDocs) {
    narrowest = std::min(narrowest, docs[i + kRunDocsMin - 1] - docs[i]);
  }
  return narrowest > kRunDocsMin * gap;
}

// The piece of checked documents that starts at docs[from].
inline std::span<const uint32_t> PieceAt(std::span<const uint32_t> docs, size_t from) {
  const std::span<const uint32_t> rest = docs.subspan(from);
  if (IsRange(rest)) return rest;
  if (rest.size() > kRunDocsMin && IsRange(rest.first(kRunDocsMin))) {
    // Documents ascend, so the run ends where the first one is further than its place.
    size_t in = kRunDocsMin, out = rest.size();
    while (out - in > 1) {
      const size_t middle = in + (out - in) / 2;
      (IsRange(rest.first(middle)) ? in : out) = middle;
    }
    return rest.first(in);
  }
  size_t size = std::min(kRunDocsMin, rest.size());
  while (size < std::min(kPieceDocs, rest.size()) &&
         !IsRange(rest.subspan(size, std::min(kRunDocsMin, rest.size() - size)))) {
    size = std::min(size + kRunDocsMin, rest.size());
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
