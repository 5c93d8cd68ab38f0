#include "common/segment/rebuilt_forward.h"

#include <limits>

namespace trellis::segment {
namespace {

constexpr uint32_t kNoId = std::numeric_limits<uint32_t>::max();

Status TooMany(uint64_t count, uint64_t ids_max) {
  return Status::ResourceExhausted(
      "rebuilding the forward index takes {} dictIds in memory, at most {} are held", count,
      ids_max);
}

Status Changed(uint32_t doc) {
  return Status::Corrupt("inverted index changed while it was read, at document {}", doc);
}

// Calls visit(id, doc) for every document of every bitmap.
template <class F>
Status ForEachPair(const index::InvertedIndex& inverted, uint32_t document_count, F&& visit) {
  for (uint32_t id = 0; id < inverted.cardinality(); ++id) {
    TRELLIS_ASSIGN_OR_RETURN(const Roaring documents, inverted.Documents(id));
    if (!documents.isEmpty() && documents.maximum() >= document_count) {
      return Status::Corrupt("inverted index lists document {} of {} under dictId {}",
                             documents.maximum(), document_count, id);
    }
    for (const uint32_t doc : documents) TRELLIS_RETURN_IF_ERROR(visit(id, doc));
  }
  return {};
}

Result<column::HeldIds> RebuildSingle(const index::InvertedIndex& inverted,
                                      uint32_t document_count) {
  column::HeldIds held;
  held.ids.assign(document_count, kNoId);
  TRELLIS_RETURN_IF_ERROR(
      ForEachPair(inverted, document_count, [&](uint32_t id, uint32_t doc) -> Status {
        if (held.ids[doc] != kNoId) {
          return Status::Corrupt("inverted index lists document {} under dictIds {} and {}", doc,
                                 held.ids[doc], id);
        }
        held.ids[doc] = id;
        return {};
      }));
  for (uint32_t doc = 0; doc < document_count; ++doc) {
    if (held.ids[doc] == kNoId)
      return Status::Corrupt("inverted index lists document {} under no dictId", doc);
  }
  return held;
}

Result<column::HeldIds> RebuildMulti(const index::InvertedIndex& inverted, uint32_t document_count,
                                     uint64_t ids_max) {
  column::HeldIds held;
  held.offsets.assign(size_t{document_count} + 1, 0);
  uint64_t total = 0;
  TRELLIS_RETURN_IF_ERROR(ForEachPair(inverted, document_count, [&](uint32_t, uint32_t doc) {
    ++held.offsets[doc + 1];
    return ++total <= ids_max ? Status() : TooMany(total, ids_max);
  }));
  for (uint32_t doc = 0; doc < document_count; ++doc) held.offsets[doc + 1] += held.offsets[doc];
  held.ids.resize(total);
  std::vector<uint32_t> next(held.offsets.begin(), held.offsets.end() - 1);
  TRELLIS_RETURN_IF_ERROR(ForEachPair(inverted, document_count, [&](uint32_t id, uint32_t doc) {
    // The bitmaps are read anew, from a file that may have been written over since.
    if (next[doc] == held.offsets[doc + 1]) return Changed(doc);
    held.ids[next[doc]++] = id;
    return Status();
  }));
  for (uint32_t doc = 0; doc < document_count; ++doc) {
    if (next[doc] != held.offsets[doc + 1]) return Changed(doc);
  }
  return held;
}

}  // namespace

Result<column::HeldIds> RebuildForward(const index::InvertedIndex& inverted,
                                       uint32_t document_count, bool multi_value,
                                       uint64_t ids_max) {
  if (document_count > ids_max) return TooMany(document_count, ids_max);
  return multi_value ? RebuildMulti(inverted, document_count, ids_max)
                     : RebuildSingle(inverted, document_count);
}

}  // namespace trellis::segment
