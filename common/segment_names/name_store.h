#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

namespace trellis::segment_names {

// The longest name that a store takes and that packed bytes may stand for.
inline constexpr size_t kNameBytesMax = 65'535;

// Names that were appended to a NameStore before the view was taken. Shares the store's memory, and
// so outlives it. Immutable; copies are cheap (one pointer a few thousand names); safe to read from
// many threads, also while the store grows.
class NameView {
 public:
  NameView();
  ~NameView();
  NameView(const NameView&);
  NameView& operator=(const NameView&);

  size_t size() const;
  // REQUIRES: index < size(). The view's memory keeps the text alive.
  std::string_view name(uint32_t index) const;
  // Orders two names naturally: by template (literal text and kinds of values), then by their
  // values as numbers, dates and times: day 9 before day 10. Names without a template worth having
  // come last, in byte order. <0, 0 or >0; 0 only for equal names.
  int Compare(uint32_t a, uint32_t b) const;
  // Bytes of memory that the names and their values take.
  size_t memory_bytes() const;

  struct Rep;
  const Rep& rep() const { return *rep_; }

 private:
  friend class NameStore;
  std::shared_ptr<const Rep> rep_;
};

// Segment names of one table, each cut into literal text and values once, when it arrives: numbers,
// zero-padded numbers, dates (yyyy-MM-dd), minutes (yyyyMMddTHHmmZ), UUIDs. Append-only. One
// writer; views are read by anyone.
class NameStore {
 public:
  NameStore();
  ~NameStore();
  NameStore(const NameStore&) = delete;
  NameStore& operator=(const NameStore&) = delete;

  // Any bytes, up to wire::kMessageLimits. REQUIRES: name.size() <= kNameBytesMax. Returns the
  // name's index: 0, 1, 2, ... Equal names get two.
  uint32_t Append(std::string_view name);
  size_t size() const;
  NameView View() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// Sorts indexes naturally (NameView::Compare).
void SortNaturally(const NameView& names, std::vector<uint32_t>& indexes);

}  // namespace trellis::segment_names
