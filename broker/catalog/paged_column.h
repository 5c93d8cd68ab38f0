#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace trellis::broker {

// A column of values that are written once each and never change after. Copies share pages, so that
// a copy is cheap and keeps what it saw while the original grows: one writer may set places that no
// copy reads yet while other threads read copies.
template <class T>
class PagedColumn {
 public:
  static constexpr size_t kPageSize = 256;  // small tables are many

  explicit PagedColumn(T absent) : absent_(absent) {}

  T Get(uint32_t index) const {
    const size_t page = index / kPageSize;
    return page < pages_.size() && pages_[page] ? pages_[page][index % kPageSize] : absent_;
  }
  void Set(uint32_t index, T value) {
    const size_t page = index / kPageSize;
    if (page >= pages_.size()) pages_.resize(page + 1);
    if (!pages_[page]) pages_[page] = std::make_shared<T[]>(kPageSize, absent_);
    pages_[page][index % kPageSize] = value;
  }
  size_t memory_bytes() const {
    size_t bytes = pages_.capacity() * sizeof(pages_[0]);
    for (const auto& page : pages_) bytes += page ? kPageSize * sizeof(T) : 0;
    return bytes;
  }

 private:
  T absent_;
  std::vector<std::shared_ptr<T[]>> pages_;  // null: all absent
};

}  // namespace trellis::broker
