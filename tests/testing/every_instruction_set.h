#pragma once

#include <hwy/highway.h>
#include <hwy/targets.h>
#include <sys/mman.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <cstring>
#include <vector>

#include "common/base/bytes.h"

namespace trellis {

// Runs `test` once with each instruction set that this processor has and kernels are compiled for.
template <class F>
void WithEveryInstructionSet(F&& test) {
  for (const int64_t target : hwy::SupportedAndGeneratedTargets()) {
    hwy::SetSupportedTargetsForTest(target);
    hwy::GetChosenTarget().DeInit();
    CAPTURE(hwy::TargetName(target));
    test();
  }
  hwy::SetSupportedTargetsForTest(0);
  hwy::GetChosenTarget().DeInit();
}

// Bytes that end where a page ends, before one that must not be touched: a load past their end ends
// the process.
class GuardedBytes {
 public:
  explicit GuardedBytes(size_t size_max)
      : page_(static_cast<size_t>(::sysconf(_SC_PAGESIZE))), size_((size_max / page_ + 1) * page_) {
    void* memory =
        ::mmap(nullptr, size_ + page_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    REQUIRE(memory != MAP_FAILED);
    memory_ = static_cast<uint8_t*>(memory);
    REQUIRE(::mprotect(memory_ + size_, page_, PROT_NONE) == 0);
  }
  GuardedBytes(const GuardedBytes&) = delete;
  GuardedBytes& operator=(const GuardedBytes&) = delete;
  ~GuardedBytes() { ::munmap(memory_, size_ + page_); }

  // A copy of `bytes` right before the end.
  ByteView Place(ByteView bytes) {
    uint8_t* to = memory_ + size_ - bytes.size();
    if (!bytes.empty()) std::memcpy(to, bytes.data(), bytes.size());
    return {to, bytes.size()};
  }

 private:
  size_t page_;
  size_t size_;
  uint8_t* memory_ = nullptr;
};

}  // namespace trellis
