#include "common/verify/column_view.h"

#include "common/types/java_text.h"

namespace trellis::verify {

SegmentView::SegmentView(const segment::Segment& segment, const segment::PropertiesFile& properties,
                         const std::filesystem::path& folder, FaultList& faults)
    : segment_(segment), properties_(properties), faults_(faults) {
  std::error_code ignored;
  if (std::filesystem::exists(folder / "v3" / "metadata.properties", ignored)) prefix_ = "v3/";
  metadata_file_ = prefix_ + "metadata.properties";
  const segment::SegmentDirectory& directory = segment.directory();
  for (const auto& entry : directory.entries()) {
    Place& place = places_[{entry.column, entry.index}];
    if (place.count++ > 0) continue;
    const std::string file =
        directory.is_v3() ? "columns.psf" : directory.FileOf(entry.column, entry.index);
    place.file = prefix_ + file;
    place.offset = entry.offset;
  }
}

SegmentView::Place SegmentView::PlaceOf(const std::string& column, const std::string& index) const {
  const auto place = places_.find({column, index});
  return place == places_.end() ? Place() : place->second;
}

FaultLog SegmentView::Log(const std::string& column, const std::string& index) const {
  const Place place = PlaceOf(column, index);
  return {faults_, column, index, place.file, place.offset};
}

bool ColumnView::Has(std::string_view index) const {
  return segment_.segment().directory().Has(name(), index);
}

std::optional<ByteView> ColumnView::Buffer(const std::string& index) const {
  const auto bytes = segment_.segment().directory().Buffer(name(), index);
  if (bytes.ok()) return *bytes;
  if (bytes.status().code() != StatusCode::kUnimplemented)
    Log(index).Fault(0, "bytes that can be read", bytes.status().message());
  return std::nullopt;
}

std::optional<std::string> ColumnView::Key(std::string_view key) const {
  return segment_.properties().Joined(fmt::format("column.{}.{}", name(), key));
}

std::optional<int64_t> ColumnView::Number(std::string_view key) const {
  const auto text = Key(key);
  return text ? ParseJavaLong(*text) : std::nullopt;
}

}  // namespace trellis::verify
