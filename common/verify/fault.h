#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace trellis::verify {

// One thing that is not as the format has it (or, for a note, as a freshly sealed segment has it:
// nothing reads wrong because of it).
struct Fault {
  std::string segment;
  std::string column;              // empty: of the segment as a whole
  std::string index;               // "dictionary", "forward_index", "metadata", "data_crc", ...
  std::string file;                // within the segment's folder; what `offset` counts in
  std::optional<uint64_t> offset;  // bytes from the start of `file`; absent: no one place
  std::string expected;
  std::string found;
  bool is_note = false;
  uint64_t count = 1;  // more: the line stands for so many that were only counted
};

// One line without a line's end: `fault: segment S, column C, dictionary, offset 12 of
// v3/columns.psf: expected ..., found ...`. What is absent is left out; control characters of names
// and values are written as \xNN.
std::string FaultText(const Fault& fault);

// Gathers faults; after `per_index_max` of one column's index only counts them. Not thread-safe.
class FaultList {
 public:
  FaultList(std::string segment, size_t per_index_max)
      : segment_(std::move(segment)), per_index_max_(per_index_max) {}
  void Name(std::string segment) { segment_ = std::move(segment); }
  void Add(Fault fault);
  // Faults that are not notes, those that were only counted included.
  uint64_t fault_count() const { return fault_count_; }
  // All of them, and for each index that had more one that says how many. Leaves the list empty.
  std::vector<Fault> Take();

 private:
  struct Key {
    std::string column, index;
    bool is_note;
    auto operator<=>(const Key&) const = default;
  };
  struct Seen {
    uint64_t count = 0;
    std::string file;
  };
  std::string segment_;
  size_t per_index_max_;
  uint64_t fault_count_ = 0;
  std::vector<Fault> faults_;
  std::map<Key, Seen> seen_;  // notes cannot crowd out faults
};

// Where the checks of one index put what they find: fills in whose it is. Offsets given here count
// from the start of the index's buffer. Borrows the list.
class FaultLog {
 public:
  FaultLog(FaultList& list, std::string column, std::string index, std::string file,
           uint64_t start = 0)
      : list_(&list),
        column_(std::move(column)),
        index_(std::move(index)),
        file_(std::move(file)),
        start_(start) {}

  void Fault(std::optional<uint64_t> offset, std::string expected, std::string found) {
    Put(offset, std::move(expected), std::move(found), false);
    ++count_;
  }
  void Note(std::optional<uint64_t> offset, std::string expected, std::string found) {
    Put(offset, std::move(expected), std::move(found), true);
  }
  // The same index, for a part of its buffer that begins at `offset`.
  FaultLog At(uint64_t offset) const { return {*list_, column_, index_, file_, start_ + offset}; }
  // Faults (no notes) put here; those of parts not counted.
  uint64_t fault_count() const { return count_; }

 private:
  void Put(std::optional<uint64_t> offset, std::string expected, std::string found, bool is_note);

  FaultList* list_;
  std::string column_;
  std::string index_;
  std::string file_;
  uint64_t start_;
  uint64_t count_ = 0;
};

}  // namespace trellis::verify
