#include "common/memory/mapping_guard.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <fstream>
#include <functional>
#include <thread>
#include <vector>

#include "common/memory/mapped_file.h"

namespace trellis::memory {
namespace {

constexpr size_t kPage = 4096;

// A file of `size_bytes` times 'x', removed at the end of the test.
class XFile {
 public:
  explicit XFile(size_t size_bytes) {
    static int count = 0;
    path_ = std::filesystem::temp_directory_path() /
            fmt::format("mapping_guard_test_{}_{}", ::getpid(), count++);
    std::ofstream(path_, std::ios::binary) << std::string(size_bytes, 'x');
  }
  ~XFile() { std::filesystem::remove(path_); }
  const std::filesystem::path& path() const { return path_; }
  void Cut(size_t size_bytes) const { std::filesystem::resize_file(path_, size_bytes); }

 private:
  std::filesystem::path path_;
};

size_t CountX(ByteView bytes) {
  return static_cast<size_t>(std::count(bytes.begin(), bytes.end(), 'x'));
}

// How a child that runs `act` ends; 0 = well.
int StatusOfChild(const std::function<void()>& act) {
  const pid_t child = ::fork();
  if (child == 0) {
    ::close(STDERR_FILENO);  // a sanitizer's report of what is meant to happen
    act();
    ::_exit(0);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  return status;
}

bool EndedByBus(int status) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  return status != 0;  // a sanitizer's own handler was there before and ends the process its way
#else
#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
  return status != 0;
#endif
#endif
  return WIFSIGNALED(status) && WTERMSIG(status) == SIGBUS;
#endif
}

TEST_CASE("a file cut short while mapped reads as zeros from there on and is marked") {
  const XFile file(8 * kPage);
  const XFile other(2 * kPage);
  const auto mapped = MappedFile::Open(file.path());
  const auto whole = MappedFile::Open(other.path());
  REQUIRE(mapped.ok());
  REQUIRE(whole.ok());
  CHECK(mapped->CheckIntact().ok());
  const uint64_t torn_before = TornMappingsTotal();
  file.Cut(3 * kPage);
  CHECK_FALSE(mapped->torn());  // nobody has read there
  CHECK(CountX(mapped->bytes()) == 3 * kPage);
  CHECK(mapped->torn());
  CHECK(AnyTorn());
  CHECK(TornMappingsTotal() == torn_before + 1);
  const Status status = mapped->CheckIntact();
  CHECK(status.IsCorrupt());
  CHECK_THAT(status.message(), Catch::Contains(file.path().string()));
  CHECK_FALSE(whole->torn());
  CHECK(CountX(whole->bytes()) == 2 * kPage);
  // What came back does not make the answers of a torn mapping right.
  file.Cut(8 * kPage);
  CHECK(mapped->CheckIntact().IsCorrupt());
}

TEST_CASE("several threads read past the new end of a file") {
  constexpr size_t kPages = 256;
  const XFile file(kPages * kPage);
  auto mapped = MappedFile::Open(file.path());
  REQUIRE(mapped.ok());
  std::vector<size_t> counts(8);
  std::vector<std::thread> threads;
  file.Cut(16 * kPage);
  for (size_t t = 0; t < counts.size(); ++t) {
    threads.emplace_back([&, t] {
      // From the end, so that every page faults.
      for (size_t page = kPages; page-- > 0;)
        counts[t] += CountX(mapped->bytes().subspan(page * kPage, kPage));
    });
  }
  for (std::thread& thread : threads) thread.join();
  CHECK(counts == std::vector<size_t>(counts.size(), 16 * kPage));
  CHECK(mapped->torn());
}

TEST_CASE("a file cut within its last page has no fault, but is not intact") {
  const XFile file(kPage + 100);
  const auto mapped = MappedFile::Open(file.path());
  REQUIRE(mapped.ok());
  file.Cut(kPage + 50);
  CHECK(CountX(mapped->bytes()) == kPage + 50);
  CHECK_FALSE(mapped->torn());
  CHECK(mapped->CheckIntact().IsCorrupt());
  CHECK(mapped->torn());
}

TEST_CASE("a file that another one has replaced, or that is unlinked, is intact") {
  const XFile file(kPage);
  const XFile shorter(10);
  const auto mapped = MappedFile::Open(file.path());
  REQUIRE(mapped.ok());
  std::filesystem::rename(shorter.path(), file.path());
  CHECK(mapped->CheckIntact().ok());
  std::filesystem::remove(file.path());
  CHECK(mapped->CheckIntact().ok());
  CHECK(CountX(mapped->bytes()) == kPage);
}

TEST_CASE("an address that is mapped again does not inherit the mark of the one before") {
  const XFile file(4 * kPage);
  const uint8_t* before = nullptr;
  {
    const auto mapped = MappedFile::Open(file.path());
    REQUIRE(mapped.ok());
    before = mapped->bytes().data();
    file.Cut(0);
    CHECK(CountX(mapped->bytes()) == 0);
    CHECK(mapped->torn());
  }
  const XFile fresh(4 * kPage);
  const auto again = MappedFile::Open(fresh.path());
  REQUIRE(again.ok());
  CHECK(again->bytes().data() == before);  // as Linux does when nothing else maps meanwhile
  CHECK_FALSE(again->torn());
  CHECK(again->CheckIntact().ok());
  CHECK(CountX(again->bytes()) == 4 * kPage);
}

TEST_CASE("the register counts what is mapped, moved mappings once") {
  const XFile file(kPage);
  const uint64_t before = RegisteredMappings();
  {
    auto mapped = MappedFile::Open(file.path());
    REQUIRE(mapped.ok());
    CHECK(RegisteredMappings() == before + 1);
    const MappedFile moved = std::move(*mapped);
    CHECK(RegisteredMappings() == before + 1);
    *mapped = MappedFile();
    CHECK(RegisteredMappings() == before + 1);
  }
  CHECK(RegisteredMappings() == before);
  CHECK(SystemMappingsMax() >= 1024);
}

TEST_CASE("a fault outside the registered mappings still ends the process") {
  InstallBusGuard();
  const XFile file(2 * kPage);
  CHECK(EndedByBus(StatusOfChild([&] {
    const int fd = ::open(file.path().c_str(), O_RDONLY | O_CLOEXEC);
    const auto* bytes =
        static_cast<const volatile char*>(::mmap(nullptr, 2 * kPage, PROT_READ, MAP_SHARED, fd, 0));
    file.Cut(0);
    (void)bytes[kPage];
  })));
  CHECK(EndedByBus(StatusOfChild([] { ::kill(::getpid(), SIGBUS); })));
}

TEST_CASE("the guard works in a child of the process too") {
  InstallBusGuard();
  const XFile file(2 * kPage);
  CHECK(StatusOfChild([&] {
          const auto mapped = MappedFile::Open(file.path());
          file.Cut(0);
          if (!mapped.ok() || CountX(mapped->bytes()) != 0 || !mapped->torn()) ::_exit(1);
        }) == 0);
}

}  // namespace
}  // namespace trellis::memory
