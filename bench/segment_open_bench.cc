// What it costs to open a segment: CPU and resident memory each, before anything is read from it.
//
//   Open/small/<count>    segments of 10 columns, metadata of about 6 KB; counters us_each,
//                         resident_bytes_each, metadata_bytes
//   Open/metadata/<KB>    parsing a metadata.properties of about so many KB; counter us_per_kb
//   Bound/small/<count>   reading the same files plainly and mapping columns.psf
#include <benchmark/benchmark.h>
#include <fcntl.h>
#include <malloc.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include "common/base/bytes.h"
#include "common/memory/heap.h"
#include "common/segment/segment.h"

namespace trellis {
namespace {

namespace fs = std::filesystem;
constexpr int kColumns = 10;

void WriteFile(const fs::path& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary).write(bytes.data(), static_cast<ptrdiff_t>(bytes.size()));
}

// The keys that Pinot writes of one INT column in a dictionary of two values.
std::string ColumnLines(const std::string& name) {
  const std::pair<const char*, const char*> keys[] = {{"columnType", "DIMENSION"},
                                                      {"dataType", "INT"},
                                                      {"isSingleValues", "true"},
                                                      {"defaultNullValue", "-2147483648"},
                                                      {"totalDocs", "8"},
                                                      {"cardinality", "2"},
                                                      {"hasDictionary", "true"},
                                                      {"forwardIndexEncoding", "DICTIONARY"},
                                                      {"isSorted", "false"},
                                                      {"lengthOfShortestElement", "4"},
                                                      {"lengthOfLongestElement", "-1"},
                                                      {"lengthOfEachEntry", "0"},
                                                      {"bitsPerElement", "1"},
                                                      {"maxNumberOfMultiValues", "0"},
                                                      {"totalNumberOfEntries", "8"},
                                                      {"minValue", "7"},
                                                      {"maxValue", "9"},
                                                      {"isNonNull", "true"}};
  std::string lines;
  for (const auto& [key, value] : keys)
    lines += fmt::format("column.{}.{} = {}\n", name, key, value);
  return lines;
}

std::string MetadataText(const std::string& segment, int columns) {
  std::string names;
  std::string lines;
  for (int c = 0; c < columns; ++c) {
    const std::string name = fmt::format("dimension_{}", c);
    names += (c > 0 ? "," : "") + name;
    lines += ColumnLines(name);
  }
  return fmt::format(
             "segment.padding.character = \\u0000\nsegment.name = {}\nsegment.table.name = "
             "events_OFFLINE\nsegment.dimension.column.names = {}\nsegment.total.docs = 8\n",
             segment, names) +
         lines + "segment.index.version = v3\n";
}

template <class T>
std::string BigEndian(T value) {
  std::string bytes(sizeof(T), '\0');
  StoreBigEndian(value, reinterpret_cast<uint8_t*>(bytes.data()));
  return bytes;
}

void WriteSegment(const fs::path& folder, const std::string& name) {
  fs::create_directories(folder / "v3");
  std::string columns;
  std::string map;
  const auto add = [&](const std::string& key, const std::string& payload) {
    map += fmt::format("{0}.startOffset = {1}\n{0}.size = {2}\n", key, columns.size(),
                       payload.size() + 8);
    columns += BigEndian<uint64_t>(0xDEADBEEFDEAFBEAD) + payload;
  };
  for (int c = 0; c < kColumns; ++c) {
    const std::string column = fmt::format("dimension_{}", c);
    add(column + ".dictionary", BigEndian<int32_t>(7) + BigEndian<int32_t>(9));
    add(column + ".forward_index", "\x55");
  }
  WriteFile(folder / "v3" / "columns.psf", columns);
  WriteFile(folder / "v3" / "index_map", map);
  WriteFile(folder / "v3" / "metadata.properties", MetadataText(name, kColumns));
  WriteFile(folder / "v3" / "creation.meta", BigEndian<int64_t>(1) + BigEndian<int64_t>(1000));
}

// Segments in the folder for temporary files, written once a count and removed at the end.
class SegmentFolder {
 public:
  explicit SegmentFolder(int64_t count) {
    path_ = fs::temp_directory_path() / fmt::format("segment_open_bench_{}_{}", ::getpid(), count);
    for (int64_t i = 0; i < count; ++i) {
      const std::string name = fmt::format("events_OFFLINE_2024-01-01_2024-01-02_{}", i);
      paths_.push_back(path_ / name);
      WriteSegment(paths_.back(), name);
    }
  }
  ~SegmentFolder() { fs::remove_all(path_); }
  const std::vector<fs::path>& paths() const { return paths_; }

 private:
  fs::path path_;
  std::vector<fs::path> paths_;
};

double CpuMicroseconds() {
  rusage usage;
  ::getrusage(RUSAGE_SELF, &usage);
  return 1e6 * static_cast<double>(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
         static_cast<double>(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
}

double ResidentBytes() {
  ::malloc_trim(0);
  std::ifstream statm("/proc/self/statm");
  double total = 0;
  double resident = 0;
  statm >> total >> resident;
  return resident * static_cast<double>(::sysconf(_SC_PAGESIZE));
}

void OpenSmall(benchmark::State& state) {
  const SegmentFolder folder(state.range(0));
  const auto count = static_cast<double>(state.range(0));
  double cpu = 0;
  double resident = 0;
  std::vector<std::shared_ptr<segment::Segment>> segments;
  segments.reserve(folder.paths().size());
  for (auto _ : state) {
    segments.clear();
    const double resident_before = ResidentBytes();
    const double cpu_before = CpuMicroseconds();
    for (const fs::path& path : folder.paths()) {
      auto opened = segment::Segment::Open(path);
      if (!opened.ok() || (*opened)->metadata().columns.size() != kColumns) {
        state.SkipWithError(opened.status().message().c_str());
        return;
      }
      segments.push_back(std::move(*opened));
    }
    cpu += CpuMicroseconds() - cpu_before;
    resident += ResidentBytes() - resident_before;
  }
  // They are what they are meant to be.
  const auto column = segments.back()->OpenColumn("dimension_9");
  if (!column.ok()) state.SkipWithError(column.status().message().c_str());
  const auto rounds = static_cast<double>(state.iterations());
  state.counters["us_each"] = cpu / rounds / count;
  state.counters["resident_bytes_each"] = resident / rounds / count;
  const auto metadata_bytes =
      static_cast<double>(fs::file_size(folder.paths()[0] / "v3" / "metadata.properties"));
  state.counters["metadata_bytes"] = metadata_bytes;
  // As Open/metadata has it: --benchmark_format=csv refuses counters that the first one lacks.
  state.counters["us_per_kb"] = cpu / rounds / count / (metadata_bytes / 1024);
}

size_t ReadPlainly(const fs::path& path, std::string& buffer) {
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  struct stat status;
  if (fd < 0 || ::fstat(fd, &status) != 0) return 0;
  buffer.resize(static_cast<size_t>(status.st_size));
  const ssize_t got = ::read(fd, buffer.data(), buffer.size());
  ::close(fd);
  return got < 0 ? 0 : static_cast<size_t>(got);
}

void BoundSmall(benchmark::State& state) {
  const SegmentFolder folder(state.range(0));
  std::string buffer;
  double cpu = 0;
  for (auto _ : state) {
    std::vector<std::pair<void*, size_t>> mappings;
    const double before = CpuMicroseconds();
    for (const fs::path& path : folder.paths()) {
      for (const char* name : {"metadata.properties", "index_map", "creation.meta"})
        benchmark::DoNotOptimize(ReadPlainly(path / "v3" / name, buffer));
      const int fd = ::open((path / "v3" / "columns.psf").c_str(), O_RDONLY | O_CLOEXEC);
      struct stat status;
      ::fstat(fd, &status);
      const auto size = static_cast<size_t>(status.st_size);
      mappings.emplace_back(::mmap(nullptr, size, PROT_READ, MAP_SHARED, fd, 0), size);
      ::close(fd);
    }
    cpu += CpuMicroseconds() - before;
    for (const auto& [data, size] : mappings) ::munmap(data, size);
  }
  state.counters["us_each"] =
      cpu / static_cast<double>(state.iterations()) / static_cast<double>(state.range(0));
}

void OpenMetadata(benchmark::State& state) {
  const auto column_bytes = static_cast<int64_t>(ColumnLines("dimension_100").size() + 15);
  const int columns = static_cast<int>(std::max<int64_t>(state.range(0) * 1024 / column_bytes, 1));
  const std::string text = MetadataText("s", columns);
  for (auto _ : state) {
    const auto metadata = segment::ParseSegmentMetadata(text, "");
    if (!metadata.ok() || metadata->columns.size() != static_cast<size_t>(columns)) {
      state.SkipWithError(metadata.status().message().c_str());
      return;
    }
  }
  state.counters["us_per_kb"] = benchmark::Counter(
      static_cast<double>(text.size()) / 1024 / 1e6,
      benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}

BENCHMARK(OpenSmall)
    ->Name("Open/small")
    ->Arg(1000)
    ->Arg(10'000)
    ->Iterations(1)
    ->Unit(benchmark::kMillisecond);
BENCHMARK(BoundSmall)
    ->Name("Bound/small")
    ->Arg(1000)
    ->Arg(10'000)
    ->Iterations(1)
    ->Unit(benchmark::kMillisecond);
BENCHMARK(OpenMetadata)
    ->Name("Open/metadata")
    ->Arg(7)
    ->Arg(64)
    ->Arg(512)
    ->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace trellis

int main(int argc, char** argv) {
  trellis::BoundHeap();
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
