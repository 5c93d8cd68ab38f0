#include "common/segment/column.h"

namespace trellis::segment {
namespace {

// Gives the flat values that `out` holds the rows that `offsets` describe.
void MakeMultiValue(std::vector<uint32_t> offsets, ColumnVector& out) {
  ColumnVector flat = std::move(out);
  out = ColumnVector(ValueType{flat.type(), true});
  WithPhysical(flat.physical(), [&](auto tag) {
    using T = decltype(tag);
    out.values<T>() = std::move(flat.values<T>());
  });
  const size_t rows = offsets.size() - 1;
  out.offsets() = std::move(offsets);
  out.SetSize(rows);
  out.KeepAllOf(flat);
}

}  // namespace

Status Column::Read(std::span<const uint32_t> docs, column::ReadScratch& scratch,
                    ColumnVector& out) const {
  if (!forward_->is_dictionary_encoded()) {
    TRELLIS_RETURN_IF_ERROR(forward_->ReadValues(docs, scratch, out));
    MarkNulls(docs, out);
    return {};
  }
  thread_local std::vector<uint32_t> ids;  // capacity kept between batches
  if (!forward_->is_multi_value()) {
    TRELLIS_RETURN_IF_ERROR(forward_->ReadDictIds(docs, scratch, ids, nullptr));
    TRELLIS_RETURN_IF_ERROR(dictionary_->Gather(ids, out));
  } else {
    std::vector<uint32_t> offsets;
    TRELLIS_RETURN_IF_ERROR(forward_->ReadDictIds(docs, scratch, ids, &offsets));
    TRELLIS_CHECK(offsets.size() == docs.size() + 1 && offsets.back() == ids.size());
    TRELLIS_RETURN_IF_ERROR(dictionary_->Gather(ids, out));
    MakeMultiValue(std::move(offsets), out);
  }
  MarkNulls(docs, out);
  return {};
}

void Column::MarkNulls(std::span<const uint32_t> docs, ColumnVector& out) const {
  if (!nulls_ || docs.empty()) return;
  auto null = nulls_->begin();
  const auto end = nulls_->end();
  for (size_t row = 0; row < docs.size() && null != end; ++row) {
    if (*null < docs[row]) null.equalorlarger(docs[row]);
    if (null != end && *null == docs[row]) out.SetNull(row);
  }
}

}  // namespace trellis::segment
