#pragma once

#include "common/verify/column_view.h"
#include "tests/unit/common/segment/tiny_segment.h"
#include "tests/unit/common/verify/planted.h"

namespace trellis::verify {

// A TinySegment written in layout V3 and opened, as the checks of columns see it.
class OpenedTiny {
 public:
  explicit OpenedTiny(const segment::TinySegment& tiny) {
    tiny.WriteV3(folder_.path());
    segment_ = segment::Segment::Open(folder_.path()).value();
    properties_ =
        segment::PropertiesFile::Parse(segment_->directory().ReadMetadata().value()).value();
    view_.emplace(*segment_, properties_, folder_.path(), faults);
  }
  const SegmentView& view() const { return *view_; }
  ColumnView Column(const std::string& name) const {
    return ColumnView(*view_, *segment_->metadata().Find(name));
  }
  const std::filesystem::path& folder() const { return folder_.path(); }

  FaultList faults{"tiny", 20};

  // Exactly one fault or note, of this column and index, whose text holds `text`.
  Fault One(const std::string& column, const std::string& index, const std::string& text,
            bool note = false) {
    const std::vector<Fault> all = faults.Take();
    for (const Fault& fault : all) UNSCOPED_INFO(FaultText(fault));
    REQUIRE(all.size() == 1);
    CHECK(all[0].column == column);
    CHECK(all[0].index == index);
    CHECK(all[0].is_note == note);
    CHECK_THAT(FaultText(all[0]), Catch::Contains(text));
    return all[0];
  }
  void None() {
    for (const Fault& fault : faults.Take()) FAIL_CHECK(FaultText(fault));
  }

 private:
  segment::ScratchFolder folder_;
  std::shared_ptr<segment::Segment> segment_;
  segment::PropertiesFile properties_;
  std::optional<SegmentView> view_;
};

inline std::string RoaringOf(std::initializer_list<uint32_t> docs) {
  Roaring bitmap;
  for (const uint32_t doc : docs) bitmap.add(doc);
  std::string bytes(bitmap.getSizeInBytes(), '\0');
  bitmap.write(bytes.data());
  return bytes;
}

// An inverted index of these rows a value.
inline std::string InvertedOf(const std::vector<std::initializer_list<uint32_t>>& values) {
  std::string offsets, bitmaps;
  const auto start = static_cast<int32_t>(4 * (values.size() + 1));
  for (const auto& docs : values) {
    offsets += Be(static_cast<int32_t>(start + bitmaps.size()));
    bitmaps += RoaringOf(docs);
  }
  return offsets + Be(static_cast<int32_t>(start + bitmaps.size())) + bitmaps;
}

}  // namespace trellis::verify
