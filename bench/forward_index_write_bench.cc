// How fast raw forward indexes are written, against the codec alone (README.md).
//
//   ForwardIndexWrite/<version>/<codec>/<distribution>/<buffer>/<threads>
//   CodecOnly/<codec>/<distribution>   the same chunks compressed in memory, the bytes written
//
// Files go to TRELLIS_WRITE_DIR (by default /dev/shm, so that no disk is measured), a new one each
// time on both sides. TRELLIS_WRITE_RECORDS: how many rows. TRELLIS_WRITE_DUMP=FOLDER: leaves the
// rows there as <distribution>.rows (written_rows.h) and ends.
#include <benchmark/benchmark.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <map>
#include <numeric>
#include <set>
#include <string>
#include <vector>

#include "common/codec/compress.h"
#include "common/column/forward_index.h"
#include "common/format/raw_v4.h"
#include "common/raw_writer/raw_writer.h"
#include "written_rows.h"

namespace {

using namespace trellis;
namespace fs = std::filesystem;

constexpr uint32_t kBatchRows = 1024;
constexpr ValueType kType = {DataType::kString, false};

std::string Setting(const char* name, const char* otherwise) {
  const char* value = std::getenv(name);
  return value != nullptr ? value : otherwise;
}

uint32_t Records() {
  return static_cast<uint32_t>(std::stoul(Setting("TRELLIS_WRITE_RECORDS", "100000")));
}

fs::path TargetPath() {
  const std::string folder = fs::is_directory("/dev/shm") ? "/dev/shm" : fs::temp_directory_path();
  return fs::path(Setting("TRELLIS_WRITE_DIR", folder.c_str())) /
         fmt::format("trellis-forward-index-write-{}", ::getpid());
}

template <class T>
T Must(Result<T> result) {
  if (!result.ok()) {
    std::cerr << result.status().message() << "\n";
    std::exit(1);
  }
  return std::move(result).value();
}
void Must(const Status& status) { Must(status.ok() ? Result<int>(0) : Result<int>(status)); }

struct Input {
  bench::WrittenRows rows;
  std::vector<ColumnVector> batches;
  std::string plain;  // an uncompressed index of version 4: the chunks
};

raw_writer::RawLayout LayoutOf(const bench::WrittenRows& rows, int version,
                               codec::Compression compression) {
  raw_writer::RawShape shape{.type = kType, .document_count = rows.count()};
  for (const uint32_t length : rows.lengths())
    shape.longest_row_bytes = std::max(shape.longest_row_bytes, length);
  raw_writer::RawSettings settings{.compression = compression, .writer_version = version};
  // Chunks of 1 MiB whatever the rows.
  settings.target_docs_per_chunk = -1;
  auto layout = Must(raw_writer::PlanRawLayout(settings, shape));
  raw_writer::ChunkCounter counter(layout.chunk_size_bytes);
  for (const uint32_t length : rows.lengths()) counter.Add(length);
  layout.chunk_count = counter.count();
  return layout;
}

// Plans and writes the whole index; counting its chunks is part of it.
void WriteIndex(const Input& input, int version, codec::Compression compression,
                const raw_writer::RawWriterOptions& options, const fs::path& path) {
  const raw_writer::RawLayout layout = LayoutOf(input.rows, version, compression);
  auto file = Must(output::OutputFile::Create(path));
  const auto writer = Must(raw_writer::NewRawForwardIndexWriter(layout, kType, options, file));
  for (const ColumnVector& batch : input.batches) Must(writer->Append(batch));
  Must(writer->Finish());
  Must(file.Close());
}

std::string ContentOf(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

const Input& InputOf(const std::string& distribution) {
  static std::map<std::string, Input> made;
  const auto found = made.find(distribution);
  if (found != made.end()) return found->second;
  Input input{Must(bench::WrittenRows::Make(distribution, Records())), {}, {}};
  input.batches = input.rows.Batches(kBatchRows);
  WriteIndex(input, 4, codec::Compression::kPassThrough, {}, TargetPath());
  input.plain = ContentOf(TargetPath());
  fs::remove(TargetPath());
  return made.emplace(distribution, std::move(input)).first->second;
}

// Reads the file back and ends the program when it does not hold the rows.
void CheckFile(const Input& input, const fs::path& path) {
  const std::string bytes = ContentOf(path);
  const auto reader = Must(column::OpenForwardIndex(
      AsBytes(bytes), {.type = kType.type, .document_count = input.rows.count()}));
  const auto scratch = reader->NewScratch();
  uint32_t next = 0;
  for (const ColumnVector& batch : input.batches) {
    std::vector<uint32_t> docs(batch.size());
    std::iota(docs.begin(), docs.end(), next);
    next += static_cast<uint32_t>(batch.size());
    ColumnVector got;
    Must(reader->ReadValues(docs, *scratch, got));
    if (got.values<std::string_view>() != batch.values<std::string_view>())
      Must(Status::Internal("{} does not hold the rows before {}", path.string(), next));
  }
}

// Once a benchmark, before it is timed.
bool IsChecked(const std::string& name) {
  static std::set<std::string> checked;
  return !checked.insert(name).second;
}

void Count(benchmark::State& state, const Input& input, uint64_t file_bytes) {
  state.counters["bytes"] = static_cast<double>(input.rows.bytes());
  state.counters["ratio"] =
      static_cast<double>(input.rows.bytes()) / static_cast<double>(file_bytes);
  state.SetBytesProcessed(state.iterations() * static_cast<int64_t>(input.rows.bytes()));
}

void ForwardIndexWrite(benchmark::State& state, int version, codec::Compression compression,
                       const std::string& distribution, raw_writer::RawWriterOptions options) {
  const Input& input = InputOf(distribution);
  const fs::path path = TargetPath();
  if (!IsChecked(fmt::format("{} {} {} {} {}", version, static_cast<int>(compression), distribution,
                             static_cast<int>(options.buffer), options.threads))) {
    WriteIndex(input, version, compression, options, path);
    CheckFile(input, path);
    fs::remove(path);
  }
  uint64_t size = 1;
  for (auto _ : state) {
    WriteIndex(input, version, compression, options, path);
    state.PauseTiming();
    size = fs::file_size(path);
    fs::remove(path);
    state.ResumeTiming();
  }
  Count(state, input, size);
}

void CodecOnly(benchmark::State& state, codec::Compression compression,
               const std::string& distribution) {
  const Input& input = InputOf(distribution);
  const auto plain = Must(format::RawV4File::Open(AsBytes(input.plain), input.rows.count()));
  std::vector<ByteView> chunks;
  for (uint32_t doc = 0; doc < input.rows.count();) {
    const auto chunk = Must(plain.ChunkOf(doc));
    chunks.push_back(chunk.bytes);
    doc = chunk.end_doc;
  }
  const fs::path path = TargetPath();
  std::vector<uint8_t> out(codec::CompressBound(compression, size_t{1} << 20));
  uint64_t size = 1;
  for (auto _ : state) {
    auto file = Must(output::OutputFile::Create(path));
    for (const ByteView chunk : chunks) {
      if (compression == codec::Compression::kPassThrough) {
        Must(file.Append(chunk));
        continue;
      }
      const size_t packed =
          Must(codec::Compress(compression, chunk, codec::SizeTrailer::kLittleEndian, out));
      Must(file.Append({out.data(), packed}));
    }
    Must(file.Close());
    state.PauseTiming();
    size = fs::file_size(path);
    fs::remove(path);
    state.ResumeTiming();
  }
  Count(state, input, size);
}

const std::vector<std::string> kDistributions = {"uniform_1000_10000", "exp_0.001",
                                                 "incompressible"};

void RegisterAll() {
  using codec::Compression;
  // LZ4 is stored with its length in front, so the codec alone does the same.
  const std::vector<std::pair<std::string, Compression>> codecs = {
      {"LZ4", Compression::kLz4LengthPrefixed},
      {"ZSTANDARD", Compression::kZstandard},
      {"SNAPPY", Compression::kSnappy},
      {"PASS_THROUGH", Compression::kPassThrough}};
  for (const auto& [codec, compression] : codecs) {
    for (const std::string& distribution : kDistributions) {
      benchmark::RegisterBenchmark(fmt::format("CodecOnly/{}/{}", codec, distribution).c_str(),
                                   CodecOnly, compression, distribution)
          ->Unit(benchmark::kMillisecond);
      for (const int version : {4, 6}) {
        for (const auto& [buffer, kind] : {std::pair("heap", raw_writer::ChunkBuffer::kHeap),
                                           std::pair("mmap", raw_writer::ChunkBuffer::kMapped)}) {
          for (const unsigned threads : {1U, 2U}) {
            if (threads > 1 && kind == raw_writer::ChunkBuffer::kMapped) continue;
            benchmark::RegisterBenchmark(
                fmt::format("ForwardIndexWrite/V{}/{}/{}/{}/{}", version, codec, distribution,
                            buffer, threads)
                    .c_str(),
                ForwardIndexWrite, version, compression, distribution,
                raw_writer::RawWriterOptions{.threads = threads, .buffer = kind})
                ->Unit(benchmark::kMillisecond);
          }
        }
      }
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (const std::string folder = Setting("TRELLIS_WRITE_DUMP", ""); !folder.empty()) {
    for (const std::string& distribution : kDistributions) {
      Must(Must(trellis::bench::WrittenRows::Make(distribution, Records()))
               .Dump(fs::path(folder) / (distribution + ".rows")));
    }
    return 0;
  }
  RegisterAll();
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 1;
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
  return 0;
}
