#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "common/segment/properties_file.h"
#include "common/segment/segment.h"
#include "common/verify/fault.h"

namespace trellis::verify {

// An open segment as the checks see it: its parts, the metadata as written, and where each buffer
// lies in which file. Borrows all it is made of. Safe for many threads but for the list.
class SegmentView {
 public:
  // `folder` is the segment's own; file names are given relative to it.
  SegmentView(const segment::Segment& segment, const segment::PropertiesFile& properties,
              const std::filesystem::path& folder, FaultList& faults);

  const segment::Segment& segment() const { return segment_; }
  const segment::PropertiesFile& properties() const { return properties_; }
  uint32_t document_count() const { return segment_.document_count(); }
  FaultList& faults() const { return faults_; }
  const std::string& metadata_file() const { return metadata_file_; }
  // The file that holds a buffer, relative to the folder, and how many files of that column and
  // index there are (layout V1). Empty and 0 when there is none.
  struct Place {
    std::string file;
    uint64_t offset = 0;  // of the payload
    uint32_t count = 0;
  };
  Place PlaceOf(const std::string& column, const std::string& index) const;
  // Where faults of one buffer go; offsets count from its payload's start.
  FaultLog Log(const std::string& column, const std::string& index) const;

 private:
  const segment::Segment& segment_;
  const segment::PropertiesFile& properties_;
  FaultList& faults_;
  std::string prefix_;  // "v3/" or empty
  std::string metadata_file_;
  std::map<std::pair<std::string, std::string>, Place> places_;
};

// One column of it.
class ColumnView {
 public:
  ColumnView(const SegmentView& segment, const segment::ColumnMetadata& metadata)
      : segment_(segment), metadata_(metadata) {}

  const SegmentView& segment() const { return segment_; }
  const segment::ColumnMetadata& metadata() const { return metadata_; }
  const std::string& name() const { return metadata_.field.name; }
  uint32_t document_count() const { return segment_.document_count(); }
  bool Has(std::string_view index) const;
  // The payload; nullopt, and a fault, when it cannot be had. REQUIRES: Has(index).
  std::optional<ByteView> Buffer(const std::string& index) const;
  FaultLog Log(const std::string& index) const { return segment_.Log(name(), index); }
  FaultLog MetadataLog() const {
    return {segment_.faults(), name(), "metadata", segment_.metadata_file()};
  }
  // `column.NAME.<key>` as written, lists joined; nullopt when the key is not there.
  std::optional<std::string> Key(std::string_view key) const;
  std::optional<int64_t> Number(std::string_view key) const;
  bool IsTrue(std::string_view key) const { return Key(key) == "true"; }

 private:
  const SegmentView& segment_;
  const segment::ColumnMetadata& metadata_;
};

}  // namespace trellis::verify
