#include <algorithm>
#include <array>
#include <memory>

#include "common/segment_names/column_group.h"
#include "common/segment_names/front_coding.h"
#include "common/segment_names/packed_names.h"

namespace trellis::segment_names {

namespace {

// Where a name stands in the natural order. Names rise strictly through all groups: that is also
// why none occurs twice.
struct Place {
  bool templated = true;
  std::string_view key;            // templated
  const int64_t* lanes = nullptr;  // templated
  size_t lane_count = 0;
  std::string_view name;  // not templated
};
bool operator<(const Place& a, const Place& b) {
  if (a.templated != b.templated) return a.templated;
  if (!a.templated) return a.name < b.name;
  if (a.key != b.key) return a.key < b.key;
  return std::lexicographical_compare(a.lanes, a.lanes + a.lane_count, b.lanes,
                                      b.lanes + b.lane_count);
}

class Unpacker {
 public:
  Unpacker(ByteView bytes, const UnpackLimits& limits)
      : reader_(bytes), limits_(limits), texts_(limits.text_bytes_max) {}

  Result<NameList> Run() {
    uint64_t total;
    if (!reader_.ReadVarint(total)) {
      return Status::InvalidArgument("packed names: no count at offset 0");
    }
    // Names differ: each takes a bit of some column at least.
    if (total / 8 > reader_.remaining()) {
      return Status::InvalidArgument("packed names: {} names in {} bytes at offset {}", total,
                                     reader_.remaining(), reader_.offset());
    }
    if (total > limits_.names_max) {
      return Status::ResourceExhausted("packed names: {} names, at most {}", total,
                                       limits_.names_max);
    }
    NameList list;
    list.names.reserve(total);
    while (list.names.size() < total) {
      TRELLIS_RETURN_IF_ERROR(ReadGroup(total - list.names.size(), list.names));
    }
    if (!reader_.at_end()) {
      return Status::InvalidArgument("packed names: {} bytes too many at offset {}",
                                     reader_.remaining(), reader_.offset());
    }
    list.owner = texts_.owner();
    return list;
  }

 private:
  Status ReadGroup(size_t names_left, std::vector<std::string_view>& names) {
    const size_t offset = reader_.offset();
    uint64_t head;
    if (!reader_.ReadVarint(head)) {
      return Status::InvalidArgument("packed names: no group at offset {}, {} names missing",
                                     offset, names_left);
    }
    const uint64_t rows = head >> 1;
    if (rows == 0 || rows > names_left) {
      return Status::InvalidArgument("packed names: group of {} names at offset {}, {} expected",
                                     rows, offset, names_left);
    }
    if (head & 1) return ReadText(rows, names_left, names);
    TRELLIS_RETURN_IF_ERROR(columns_.Read(reader_, rows, names_left, texts_, names));
    const NameTemplate& read = columns_.name_template();
    TRELLIS_RETURN_IF_ERROR(
        Step({true, read.key, columns_.first_row().data(), read.lane_count, {}}, offset));
    KeepLastRow();
    return {};
  }
  Status ReadText(size_t rows, size_t names_left, std::vector<std::string_view>& names) {
    std::string_view name;
    for (size_t row = 0; row < rows; ++row) {
      const size_t offset = reader_.offset();
      TRELLIS_RETURN_IF_ERROR(ReadFrontCodedName(reader_, name, names_left - row, texts_, name));
      TokenizedName& cut = cut_[next_cut_];
      next_cut_ = 1 - next_cut_;
      if (Tokenize(name, cut)) {
        TRELLIS_RETURN_IF_ERROR(
            Step({true, cut.key(), cut.lanes.data(), cut.lane_count, {}}, offset));
      } else {
        TRELLIS_RETURN_IF_ERROR(Step({.templated = false, .name = name}, offset));
      }
      names.push_back(name);
    }
    return {};
  }
  Status Step(const Place& place, size_t offset) {
    if (started_ && !(last_ < place)) {
      return Status::InvalidArgument("packed names: a name twice or out of order at offset {}",
                                     offset);
    }
    started_ = true;
    last_ = place;
    return {};
  }
  // The columns' memory is for the next group of columns.
  void KeepLastRow() {
    last_key_ = columns_.name_template().key;
    last_row_ = columns_.last_row();
    last_.key = last_key_;
    last_.lanes = last_row_.data();
  }

  NameReader reader_;
  const UnpackLimits& limits_;
  TextArena texts_;
  ColumnGroup columns_;
  bool started_ = false;
  Place last_;
  std::string last_key_;
  std::array<int64_t, kLanesMax> last_row_;
  std::array<TokenizedName, 2> cut_;  // of the last name and of the one before
  size_t next_cut_ = 0;
};

}  // namespace

Result<NameList> Unpack(ByteView bytes, const UnpackLimits& limits) {
  return Unpacker(bytes, limits).Run();
}

}  // namespace trellis::segment_names
