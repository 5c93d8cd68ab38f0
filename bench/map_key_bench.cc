// What does one key of a MAP cost?
//
// MapKey/<access>/<shape>/<entries>/<position>, a read of one frame of many that no cache holds:
//   full_map        a fresh std::unordered_map of owned keys and typed values, then a look-up in
//   it:
//                   what Pinot does. Objects stay texts, which Pinot would take apart, too
//   full_vector     the same into a flat vector that is used again, its strings with it: it owns
//                   what it holds and allocates nothing
//   full_views      the same, but keys and texts are views into the frame
//   one_key         ReadMapKey: numbers as DOUBLE, words as STRING; the text of an object
//   one_key_string  ReadMapKey as STRING: numbers and objects in Java's text
// MapKeyHot/... reads one frame again and again. FrameCopy/<shape>/<entries> copies the same frames
// into one buffer: the physical bound.
//
// MapKeyScan/<codec>/<version>/<entries>/<keys> reads keys of all documents of a raw forward index
// of flat frames, the last ones of a frame; CodecOnly/<codec>/<entries> inflates the same chunks.
// `bytes_scanned` are the bytes of the frames, `inflated` how often a chunk was inflated in a scan.
#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <functional>
#include <memory>
#include <numeric>
#include <unordered_map>
#include <variant>

#include "bench/allocation_counter.h"
#include "bench/map_frames.h"
#include "common/base/check.h"
#include "common/codec/decompress.h"
#include "common/column/json_value.h"
#include "common/column/map_frame.h"
#include "common/column/map_keys.h"
#include "common/column/map_walk.h"
#include "common/format/raw_chunk.h"
#include "common/format/raw_v4.h"
#include "common/types/java_text.h"

namespace trellis::bench {
namespace {

using codec::Compression;

// Rows that are read at once: what an operator takes of large rows.
constexpr size_t kBatchRows = 1024;

// The frames of the benchmark that runs: only one set is in memory at a time.
const MapFrames& FramesOf(MapShape shape, uint32_t entries) {
  static MapFrames held;
  if (held.shape != shape || held.entries != entries) {
    held = {};
    held = MakeMapFrames(shape, entries);
  }
  return held;
}

enum class Position : uint8_t { kFirst, kLast, kMissing };

struct Case {
  MapShape shape;
  uint32_t entries;
  Position position;
  bool hot;

  uint32_t entry() const { return position == Position::kFirst ? 0 : entries - 1; }
  std::string key() const { return MapKeyName(position == Position::kMissing ? 999 : entry()); }
};

std::vector<ColumnVector> BatchesOf(const MapFrames& frames, bool hot) {
  std::vector<ColumnVector> batches;
  for (size_t first = 0; first < frames.rows.size(); first += kBatchRows) {
    const size_t end = std::min(frames.rows.size(), first + kBatchRows);
    ColumnVector& batch = batches.emplace_back(DataType::kMap);
    for (size_t row = first; row < end; ++row) {
      batch.values<std::string_view>().push_back(frames.rows[hot ? 0 : row]);
    }
    batch.SetSize(end - first);
    if (hot) break;
  }
  return batches;
}

// A read of one batch, and what it read of a row as text.
struct Access {
  std::function<void(const ColumnVector& frames)> read;
  std::function<std::string(size_t row)> text;
};

std::string Unquoted(std::string_view json) {
  return std::string(json.front() == '"' ? json.substr(1, json.size() - 2) : json);
}

template <class Text>
using Typed = std::variant<std::monostate, int64_t, double, Text>;

// Sets `to` to the value of `json` as a map of typed values holds it; a text that was there lends
// its memory.
template <class Text>
void Assign(std::string_view json, Typed<Text>& to) {
  const column::JsonValue value = column::ClassifyJson(json);
  switch (value.kind) {
    case column::JsonKind::kInteger:
      to = ParseJavaLong(value.text).value_or(0);
      return;
    case column::JsonKind::kFraction:
      to = ParseJavaDouble(value.text).value_or(0);
      return;
    case column::JsonKind::kAbsent:
      to = std::monostate();
      return;
    default:
      if (!std::holds_alternative<Text>(to)) to = Text();
      std::get<Text>(to) = value.text;
  }
}
template <class Text>
std::string TextOf(const Typed<Text>& value) {
  return std::visit(
      [](const auto& held) -> std::string {
        using T = std::decay_t<decltype(held)>;
        if constexpr (std::is_same_v<T, std::monostate>)
          return "";
        else if constexpr (std::is_arithmetic_v<T>)
          return fmt::format("{}", held);
        else
          return std::string(held);
      },
      value);
}

template <class Take>
void ForEachEntry(std::string_view frame, Take&& take) {
  column::FrameWalk walk(frame);
  const uint32_t count = walk.Count().value();
  column::MapEntry entry;
  for (uint32_t i = 0; i < count; ++i) {
    TRELLIS_CHECK(walk.Next(entry));
    take(entry, count);
  }
}

Access FullMap(const Case& one) {
  using Value = Typed<std::string>;
  const auto found = std::make_shared<std::vector<Value>>(kBatchRows);
  const auto read = [found, key = one.key()](const ColumnVector& frames) {
    for (size_t row = 0; row < frames.size(); ++row) {
      std::unordered_map<std::string, Value> map;
      ForEachEntry(frames.values<std::string_view>()[row],
                   [&](const column::MapEntry& entry, uint32_t count) {
                     if (map.empty()) map.reserve(count);
                     Assign(entry.value, map.emplace(entry.key, Value()).first->second);
                   });
      const auto at = map.find(key);
      (*found)[row] = at == map.end() ? Value() : std::move(at->second);
    }
  };
  return {read, [found](size_t row) { return TextOf<std::string>((*found)[row]); }};
}

template <class Text>
Access FullVector(const Case& one) {
  using Value = Typed<Text>;
  const auto found = std::make_shared<std::vector<Value>>(kBatchRows);
  const auto entries = std::make_shared<std::vector<std::pair<Text, Value>>>(one.entries);
  const auto read = [found, entries, key = one.key()](const ColumnVector& frames) {
    for (size_t row = 0; row < frames.size(); ++row) {
      auto end = entries->begin();
      ForEachEntry(frames.values<std::string_view>()[row],
                   [&](const column::MapEntry& entry, uint32_t) {
                     end->first = entry.key;
                     Assign(entry.value, end->second);
                     ++end;
                   });
      const auto at = std::find_if(entries->begin(), end,
                                   [&](const auto& entry) { return entry.first == key; });
      if (at == end) {
        (*found)[row] = Value();
      } else {
        (*found)[row] = at->second;  // into the memory of a text that was there
      }
    }
  };
  return {read, [found](size_t row) { return TextOf<Text>((*found)[row]); }};
}

Access ReadAs(const Case& one, DataType type) {
  const auto out = std::make_shared<ColumnVector>();
  const auto read = [out, type, key = one.key()](const ColumnVector& frames) {
    TRELLIS_CHECK(column::ReadMapKey(frames, key, type, *out).ok());
  };
  const auto text = [out](size_t row) -> std::string {
    const Value value = out->Get(row);
    return out->type() == DataType::kDouble ? fmt::format("{}", value.float64()) : value.bytes();
  };
  return {read, text};
}

// An object as it lies there: what a function that takes objects apart starts from.
Access FindText(const Case& one) {
  const auto key = std::make_shared<std::string>(one.key());
  const auto found = std::make_shared<std::vector<std::string_view>>(kBatchRows);
  const auto read = [key, found](const ColumnVector& frames) {
    const std::string_view name = *key;
    const column::MapKeySet keys({&name, 1});
    size_t failed = 0;
    TRELLIS_CHECK(
        keys.Find(frames.values<std::string_view>(), nullptr, found->data(), failed).ok());
  };
  return {read, [found](size_t row) { return std::string((*found)[row]); }};
}

Access OneKey(const Case& one) {
  if (one.shape == MapShape::kNested) return FindText(one);
  return ReadAs(one, one.shape == MapShape::kNumeric ? DataType::kDouble : DataType::kString);
}

struct AccessKind {
  const char* name;
  Access (*make)(const Case&);
  bool as_string;  // in Java's text, and `null` where there is no value
};
const AccessKind kAccesses[] = {
    {"full_map", FullMap, false},
    {"full_vector", FullVector<std::string>, false},
    {"full_views", FullVector<std::string_view>, false},
    {"one_key", OneKey, false},
    {"one_key_string", [](const Case& one) { return ReadAs(one, DataType::kString); }, true}};

std::string Expected(const Case& one, const AccessKind& kind, uint32_t doc) {
  if (one.position == Position::kMissing) {
    const bool typed = one.shape == MapShape::kNumeric && std::string_view(kind.name) == "one_key";
    if (typed) return "-inf";
    const bool read = kind.as_string || std::string_view(kind.name) == "one_key";
    return read && (kind.as_string || one.shape == MapShape::kFlat) ? "null" : "";
  }
  const std::string json = MapValueJson(one.shape, doc, one.entry());
  if (one.shape == MapShape::kFlat) return Unquoted(json);
  if (one.shape == MapShape::kNumeric) {
    if (!kind.as_string) return fmt::format("{}", std::strtod(json.c_str(), nullptr));
    return one.entry() % 2 == 0 ? json : JavaDoubleText(std::strtod(json.c_str(), nullptr));
  }
  return kind.as_string ? column::NestedJsonText(json).value() : json;
}

void Check(const Case& one, const AccessKind& kind, const Access& access,
           const std::vector<ColumnVector>& batches) {
  uint32_t doc = 0;
  for (const ColumnVector& batch : batches) {
    access.read(batch);
    for (size_t row = 0; row < batch.size(); ++row, doc += one.hot ? 0 : 1) {
      const std::string expected = Expected(one, kind, doc);
      if (access.text(row) == expected) continue;
      fmt::print(stderr, "{} doc {}: '{}', not '{}'\n", kind.name, doc, access.text(row), expected);
      std::abort();
    }
  }
}

// Every benchmark has the same counters, or --benchmark_format=csv would refuse them.
void Count(benchmark::State& state, const AllocationCounter& allocations, double bytes_scanned,
           double inflated) {
  allocations.Report(state);
  state.counters["bytes_scanned"] = bytes_scanned;
  state.counters["inflated"] = inflated;
  state.SetBytesProcessed(static_cast<int64_t>(bytes_scanned) * state.iterations());
}

void MapKey(benchmark::State& state, const Case& one, const AccessKind& kind) {
  const MapFrames& frames = FramesOf(one.shape, one.entries);
  const std::vector<ColumnVector> batches = BatchesOf(frames, one.hot);
  const Access access = kind.make(one);
  Check(one, kind, access, batches);
  const AllocationCounter allocations;
  size_t next = 0;
  while (state.KeepRunningBatch(kBatchRows)) {
    for (size_t left = kBatchRows; left > 0;) {
      const ColumnVector& batch = batches[next];
      next = next + 1 == batches.size() ? 0 : next + 1;
      if (batch.size() < kBatchRows) continue;  // an iteration is a read: whole batches alone
      access.read(batch);
      left -= batch.size();
    }
  }
  Count(state, allocations, frames.mean_bytes(), 0);
}

void FrameCopy(benchmark::State& state, MapShape shape, uint32_t entries) {
  const MapFrames& frames = FramesOf(shape, entries);
  std::vector<char> buffer(kMapChunkBytesMax);
  const AllocationCounter allocations;
  size_t next = 0;
  while (state.KeepRunningBatch(kBatchRows)) {
    for (size_t i = 0; i < kBatchRows; ++i) {
      const std::string_view row = frames.rows[next];
      next = next + 1 == frames.rows.size() ? 0 : next + 1;
      std::memcpy(buffer.data(), row.data(), row.size());
      benchmark::ClobberMemory();
    }
  }
  Count(state, allocations, frames.mean_bytes(), 0);
}

struct ScanCase {
  Compression compression;
  int version;
  uint32_t entries;

  bool operator==(const ScanCase&) const = default;
};

// Likewise, of columns.
const MapColumn& ColumnOf(const ScanCase& scan) {
  static ScanCase held_case = {};
  static MapColumn held;
  if (!(held_case == scan)) {
    held = {};
    held = MakeMapColumn(FramesOf(MapShape::kFlat, scan.entries), scan.compression, scan.version);
    held_case = scan;
  }
  return held;
}

size_t ChunkCount(const MapColumn& column, int version) {
  const uint32_t docs = column.shape.document_count;
  if (version < 4) return format::RawChunkFile::Open(column.payload, docs).value().chunk_count();
  return format::RawV4File::Open(column.payload, docs).value().chunk_count();
}

// Reads the last `key_count` keys of all documents into vectors of a batch each.
class KeyScan {
 public:
  KeyScan(const MapColumn& column, uint32_t entries, uint32_t key_count)
      : column_(column), outs_(key_count), docs_(column.shape.document_count) {
    std::iota(docs_.begin(), docs_.end(), 0U);
    for (uint32_t k = 0; k < key_count; ++k) {
      entries_.push_back(entries - key_count + k);
      names_.push_back(MapKeyName(entries_.back()));
    }
    for (uint32_t k = 0; k < key_count; ++k) {
      reads_.push_back({names_[k], DataType::kString, &outs_[k]});
    }
  }

  template <class Then>
  void Run(Then&& then) {
    const auto scratch = column_.reader->NewScratch();
    for (size_t first = 0; first < docs_.size(); first += kBatchRows) {
      const auto docs = std::span(docs_).subspan(first, std::min(kBatchRows, docs_.size() - first));
      TRELLIS_CHECK(column_.reader->ReadValues(docs, *scratch, frames_).ok());
      TRELLIS_CHECK(column::ReadMapKeys(frames_, reads_).ok());
      then(static_cast<uint32_t>(first), docs.size());
    }
  }

  void Check() {
    Run([&](uint32_t first, size_t rows) {
      for (size_t k = 0; k < outs_.size(); ++k) {
        for (uint32_t row = 0; row < rows; ++row) {
          const std::string json = MapValueJson(MapShape::kFlat, first + row, entries_[k]);
          TRELLIS_CHECK(outs_[k].values<std::string_view>()[row] == Unquoted(json));
        }
      }
    });
  }

 private:
  const MapColumn& column_;
  std::vector<uint32_t> entries_;
  std::vector<std::string> names_;
  std::vector<ColumnVector> outs_;
  std::vector<column::MapKeyRead> reads_;
  std::vector<uint32_t> docs_;
  ColumnVector frames_;
};

void MapKeyScan(benchmark::State& state, const ScanCase& scan, uint32_t key_count) {
  const MapColumn& column = ColumnOf(scan);
  KeyScan keys(column, scan.entries, key_count);
  keys.Check();
  const AllocationCounter allocations;
  const uint64_t inflated_before = codec::DecompressCalls();
  for (auto _ : state) keys.Run([](uint32_t, size_t) {});
  const auto bytes = static_cast<double>(FramesOf(MapShape::kFlat, scan.entries).bytes.size());
  Count(state, allocations, bytes,
        static_cast<double>(codec::DecompressCalls() - inflated_before) /
            static_cast<double>(state.iterations()) /
            static_cast<double>(ChunkCount(column, scan.version)));
}

void CodecOnly(benchmark::State& state, const ScanCase& scan) {
  const MapColumn& column = ColumnOf(scan);
  const uint32_t docs = column.shape.document_count;
  const auto file = format::RawV4File::Open(column.payload, docs).value();
  codec::InflatedBuffer buffer;
  const AllocationCounter allocations;
  size_t bytes = 0;
  for (auto _ : state) {
    bytes = 0;
    for (uint32_t doc = 0; doc < docs;) {
      const auto chunk = file.ChunkOf(doc).value();
      TRELLIS_CHECK(codec::Decompress(file.compression(), chunk.bytes,
                                      codec::SizeTrailer::kLittleEndian, kMapChunkBytesMax, buffer)
                        .ok());
      bytes += buffer.view().size();
      doc = chunk.end_doc;
    }
  }
  Count(state, allocations, static_cast<double>(bytes), 1);
}

void RegisterReads(MapShape shape, const char* shape_name, uint32_t entries) {
  const std::pair<const char*, Position> positions[] = {
      {"first", Position::kFirst}, {"last", Position::kLast}, {"missing", Position::kMissing}};
  for (const bool hot : {false, true}) {
    for (const auto& [position_name, position] : positions) {
      for (const AccessKind& kind : kAccesses) {
        const std::string name = fmt::format("{}/{}/{}/{}/{}", hot ? "MapKeyHot" : "MapKey",
                                             kind.name, shape_name, entries, position_name);
        const Case one = {shape, entries, position, hot};
        benchmark::RegisterBenchmark(
            name.c_str(), [one, &kind](benchmark::State& state) { MapKey(state, one, kind); });
      }
    }
  }
  benchmark::RegisterBenchmark(fmt::format("FrameCopy/{}/{}", shape_name, entries).c_str(),
                               [=](benchmark::State& state) { FrameCopy(state, shape, entries); });
}

void RegisterScans(Compression compression, uint32_t entries) {
  const std::string codec(codec::CompressionName(compression));
  for (const int version : {4, 2, 3, 5, 6}) {
    const ScanCase scan = {compression, version, entries};
    for (const uint32_t keys : {1U, 4U, 16U, 64U}) {
      if (keys > entries) continue;
      benchmark::RegisterBenchmark(
          fmt::format("MapKeyScan/{}/V{}/{}/{}", codec, version, entries, keys).c_str(),
          [=](benchmark::State& state) { MapKeyScan(state, scan, keys); })
          ->Unit(benchmark::kMillisecond);
    }
    if (version != 4 || compression == Compression::kPassThrough) continue;
    benchmark::RegisterBenchmark(fmt::format("CodecOnly/{}/{}", codec, entries).c_str(),
                                 [=](benchmark::State& state) { CodecOnly(state, scan); })
        ->Unit(benchmark::kMillisecond);
  }
}

void RegisterAll() {
  for (const uint32_t entries : {4U, 16U, 64U}) {
    RegisterReads(MapShape::kFlat, "flat", entries);
    RegisterReads(MapShape::kNumeric, "numeric", entries);
    RegisterReads(MapShape::kNested, "nested", entries);
  }
  for (const uint32_t entries : {64U, 16U, 4U}) {
    for (const Compression compression :
         {Compression::kPassThrough, Compression::kLz4, Compression::kZstandard,
          Compression::kSnappy, Compression::kGzip}) {
      RegisterScans(compression, entries);
    }
  }
}

}  // namespace
}  // namespace trellis::bench

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 1;
  trellis::bench::RegisterAll();
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
