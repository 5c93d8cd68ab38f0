#include <benchmark/benchmark.h>

#include <algorithm>
#include <cstdlib>
#include <ctime>
#include <functional>

#include "bench/scan_columns.h"
#include "common/base/check.h"
#include "common/codec/decompress.h"
#include "common/column/dictionary.h"
#include "common/column/list_scan.h"
#include "common/format/bit_stream.h"

// How fast are columns read, against what memory and codecs allow?
//
//   Scan/<operation>/<encoding>/<width>    Bound/<operation>/<encoding>/<width>
//
// width = bits of an id, or bytes of a raw value (`line` = text of 10 to 60 bytes). Each Scan
// measures its Bound, too, right after itself; counter `ratio` = median CPU time of the bound / of
// the scan. Bounds: `unpack`, `read_all`, `dictionary_gather`,
// `dictionary_predicate`, `mv_gather` and PASS_THROUGH: memcpy of the output; compressed: inflating
// the same chunks into one buffer; `select_1_percent`, `select_1_percent_clustered`: reading all
// documents (ratio >= 20: at most 5 %). `unpack_cached` has the output of one batch.
//
// Columns have TRELLIS_SCAN_VALUES values (10,000,000 unless it is set) and are read in batches of
// 10,000 documents as queries do; the batches' outputs are kept apart, so that together they exceed
// the last-level cache. Counter `bytes` = those outputs.

namespace trellis::bench {
namespace {

using codec::Compression;

constexpr uint32_t kBatchDocs = 10'000;
constexpr size_t kRepetitionsMin = 5;  // whose medians make a ratio

uint32_t ValueCount() {
  static const uint32_t count = [] {
    const char* text = std::getenv("TRELLIS_SCAN_VALUES");
    return text == nullptr ? 10'000'000U : static_cast<uint32_t>(std::atoll(text));
  }();
  return count;
}

struct Work {
  std::function<void()> scan;
  std::function<void()> bound;
  size_t output_size_bytes = 0;
};
using MakeWork = std::function<Work()>;

// Calls `read` with batches of consecutive documents and their number, as a query without filter.
template <class F>
void ForEachBatch(uint32_t doc_count, F&& read) {
  std::vector<uint32_t> docs;
  for (uint32_t first = 0, batch = 0; first < doc_count; first += kBatchDocs, ++batch) {
    docs.resize(std::min(kBatchDocs, doc_count - first));
    column::FillRange(first, docs);
    read(std::span<const uint32_t>(docs), batch);
  }
}

void MustBeOk(const Status& status) { TRELLIS_CHECK(status.ok()); }

// memcpy of as many bytes as the output has, from elsewhere to elsewhere.
std::function<void()> CopyOf(size_t size) {
  auto from = std::make_shared<std::vector<uint8_t>>(size, uint8_t{1});
  auto to = std::make_shared<std::vector<uint8_t>>(size, uint8_t{2});
  return [=] {
    std::memcpy(to->data(), from->data(), from->size());
    benchmark::ClobberMemory();
  };
}

Work Unpack(int bits, bool cached) {
  const auto column = std::make_shared<BenchColumn>(BitPackedColumn(ValueCount(), bits));
  const auto stream = format::BitStream::Open(column->payload, ValueCount(), bits).value();
  const size_t size = cached ? std::min(kBatchDocs, ValueCount()) : ValueCount();
  const auto out = std::make_shared<std::vector<uint32_t>>(size);
  const auto scan = [=] {
    for (size_t first = 0; first < ValueCount(); first += size) {
      const size_t count = std::min<size_t>(size, ValueCount() - first);
      benchmark::DoNotOptimize(stream.Unpack(first, std::span(*out).first(count)));
      if (column->payload.empty()) std::abort();  // keeps the column alive
      benchmark::ClobberMemory();
    }
  };
  scan();
  const uint32_t first =
      cached ? (ValueCount() - 1) / static_cast<uint32_t>(size) * static_cast<uint32_t>(size) : 0;
  for (uint32_t doc = first; doc < ValueCount(); ++doc) {
    TRELLIS_CHECK((*out)[doc - first] == IdOf(doc, bits));
  }
  return {scan, CopyOf(size_t{ValueCount()} * 4), size_t{ValueCount()} * 4};
}

// Reads every id of a column, in batches, each into memory of its own.
std::function<void()> ReadAllIds(std::shared_ptr<BenchColumn> column) {
  const auto scratch = std::shared_ptr<column::ReadScratch>(column->reader->NewScratch());
  const auto outs =
      std::make_shared<std::vector<std::vector<uint32_t>>>(ValueCount() / kBatchDocs + 1);
  return [=] {
    ForEachBatch(ValueCount(), [&](std::span<const uint32_t> docs, uint32_t batch) {
      MustBeOk(column->reader->ReadDictIds(docs, *scratch, (*outs)[batch], nullptr));
    });
  };
}

std::function<void()> ReadAllValues(std::shared_ptr<BenchColumn> column, uint32_t doc_count) {
  const auto scratch = std::shared_ptr<column::ReadScratch>(column->reader->NewScratch());
  const auto outs = std::make_shared<std::vector<ColumnVector>>(ValueCount() / kBatchDocs + 1);
  return [=] {
    ForEachBatch(doc_count, [&](std::span<const uint32_t> docs, uint32_t batch) {
      MustBeOk(column->reader->ReadValues(docs, *scratch, (*outs)[batch]));
    });
  };
}

// 1 % of the documents: each by itself, or in runs of a hundred.
std::vector<uint32_t> OnePercent(bool clustered) {
  std::vector<uint32_t> docs;
  for (uint32_t doc = 0; doc < ValueCount(); ++doc) {
    if (IdOf(clustered ? doc / 100 : doc, 20) < (1U << 20) / 100) docs.push_back(doc);
  }
  return docs;
}

template <class F>
void ForEachSelected(const std::vector<uint32_t>& docs, F&& read) {
  for (size_t at = 0; at < docs.size(); at += kBatchDocs) {
    read(std::span(docs).subspan(at, std::min<size_t>(kBatchDocs, docs.size() - at)));
  }
}

Work SelectIds(int bits, bool clustered) {
  const auto column = std::make_shared<BenchColumn>(BitPackedColumn(ValueCount(), bits));
  const auto scratch = std::shared_ptr<column::ReadScratch>(column->reader->NewScratch());
  const auto docs = std::make_shared<std::vector<uint32_t>>(OnePercent(clustered));
  const auto ids = std::make_shared<std::vector<uint32_t>>();
  const auto each = [=](auto&& then) {
    ForEachSelected(*docs, [&](std::span<const uint32_t> some) {
      MustBeOk(column->reader->ReadDictIds(some, *scratch, *ids, nullptr));
      then(some);
    });
  };
  each([&](std::span<const uint32_t> some) {
    for (size_t i = 0; i < some.size(); ++i) TRELLIS_CHECK((*ids)[i] == IdOf(some[i], bits));
  });
  return {[=] { each([](auto) {}); }, ReadAllIds(column), docs->size() * 4};
}

template <class T>
Work SelectValues(Compression compression, bool clustered) {
  const auto column =
      std::make_shared<BenchColumn>(RawColumn(ValueCount(), compression, sizeof(T)));
  const auto scratch = std::shared_ptr<column::ReadScratch>(column->reader->NewScratch());
  const auto docs = std::make_shared<std::vector<uint32_t>>(OnePercent(clustered));
  const auto out = std::make_shared<ColumnVector>();
  const auto each = [=](auto&& then) {
    ForEachSelected(*docs, [&](std::span<const uint32_t> some) {
      MustBeOk(column->reader->ReadValues(some, *scratch, *out));
      then(some);
    });
  };
  each([&](std::span<const uint32_t> some) {
    for (size_t i = 0; i < some.size(); ++i) {
      TRELLIS_CHECK(out->values<T>()[i] == static_cast<T>(NumberOf(some[i])));
    }
  });
  return {[=] { each([](auto) {}); }, ReadAllValues(column, ValueCount()),
          docs->size() * sizeof(T)};
}

Work ReadAll(int bits) {
  const auto column = std::make_shared<BenchColumn>(BitPackedColumn(ValueCount(), bits));
  return {ReadAllIds(column), CopyOf(column->value_size_bytes), column->value_size_bytes};
}

// Inflates every chunk into one buffer.
std::function<void()> CodecOnly(std::shared_ptr<BenchColumn> column, Compression compression,
                                codec::SizeTrailer trailer) {
  const auto buffer = std::make_shared<codec::InflatedBuffer>();
  return [=] {
    for (const auto& [start, size] : column->chunks) {
      MustBeOk(codec::Decompress(compression, ByteView(column->payload).subspan(start, size),
                                 trailer, column->chunk_size_bytes_max, *buffer));
    }
  };
}

template <class T>
Work DecodeRaw(Compression compression) {
  const auto column =
      std::make_shared<BenchColumn>(RawColumn(ValueCount(), compression, sizeof(T)));
  const auto scratch = column->reader->NewScratch();
  ColumnVector out;
  ForEachBatch(ValueCount(), [&](std::span<const uint32_t> docs, uint32_t) {
    MustBeOk(column->reader->ReadValues(docs, *scratch, out));
    for (size_t i = 0; i < docs.size(); ++i) {
      TRELLIS_CHECK(out.values<T>()[i] == static_cast<T>(NumberOf(docs[i])));
    }
  });
  return {ReadAllValues(column, ValueCount()),
          compression == Compression::kPassThrough
              ? CopyOf(column->value_size_bytes)
              : CodecOnly(column, compression, codec::SizeTrailer::kBigEndian),
          column->value_size_bytes};
}

// A fifth of the documents: lines are that much larger than numbers.
Work DecodeLines(Compression compression) {
  const uint32_t doc_count = std::max(1U, ValueCount() / 5);
  const auto column = std::make_shared<BenchColumn>(LineColumn(doc_count, compression));
  const auto scratch = std::shared_ptr<column::ReadScratch>(column->reader->NewScratch());
  const auto out = std::make_shared<ColumnVector>();
  ForEachBatch(doc_count, [&](std::span<const uint32_t> docs, uint32_t) {
    MustBeOk(column->reader->ReadValues(docs, *scratch, *out));
    for (size_t i = 0; i < docs.size(); ++i) {
      TRELLIS_CHECK(out->values<std::string_view>()[i] == LineOf(docs[i]));
    }
  });
  const auto scan = [=] {
    ForEachBatch(doc_count, [&](std::span<const uint32_t> docs, uint32_t) {
      MustBeOk(column->reader->ReadValues(docs, *scratch, *out));
    });
  };
  return {scan, CodecOnly(column, compression, codec::SizeTrailer::kLittleEndian),
          column->value_size_bytes};
}

std::shared_ptr<column::Dictionary> LongDictionary(int bits, std::vector<uint8_t>& payload) {
  const uint32_t cardinality = 1U << bits;
  payload.resize(size_t{cardinality} * 8);
  for (uint32_t id = 0; id < cardinality; ++id) {
    StoreBigEndian(int64_t{id} * 3, payload.data() + size_t{id} * 8);
  }
  return column::OpenDictionary(payload, DataType::kLong, cardinality, 8).value();
}

Work GatherDictionary(int bits) {
  const auto column = std::make_shared<BenchColumn>(BitPackedColumn(ValueCount(), bits));
  const auto scratch = std::shared_ptr<column::ReadScratch>(column->reader->NewScratch());
  const auto payload = std::make_shared<std::vector<uint8_t>>();
  const auto dictionary = LongDictionary(bits, *payload);
  const auto outs = std::make_shared<std::vector<ColumnVector>>(ValueCount() / kBatchDocs + 1);
  const auto ids = std::make_shared<std::vector<uint32_t>>();
  const auto scan = [=] {
    if (payload->empty()) std::abort();  // keeps the dictionary's bytes alive
    ForEachBatch(ValueCount(), [&](std::span<const uint32_t> docs, uint32_t batch) {
      MustBeOk(column->reader->ReadDictIds(docs, *scratch, *ids, nullptr));
      MustBeOk(dictionary->Gather(*ids, (*outs)[batch]));
    });
  };
  scan();
  ForEachBatch(ValueCount(), [&](std::span<const uint32_t> docs, uint32_t batch) {
    for (size_t i = 0; i < docs.size(); ++i) {
      TRELLIS_CHECK((*outs)[batch].values<int64_t>()[i] == int64_t{IdOf(docs[i], bits)} * 3);
    }
  });
  const size_t size = size_t{ValueCount()} * 8;
  return {scan, CopyOf(size), size};
}

// Ids are looked up in the predicate's answer for each of the dictionary; one in four matches.
Work TestDictionary(int bits) {
  const auto column = std::make_shared<BenchColumn>(BitPackedColumn(ValueCount(), bits));
  const auto scratch = std::shared_ptr<column::ReadScratch>(column->reader->NewScratch());
  const auto matches = std::make_shared<std::vector<uint8_t>>(size_t{1} << bits);
  for (size_t id = 0; id < matches->size(); id += 4) (*matches)[id] = 1;
  const auto ids = std::make_shared<std::vector<uint32_t>>();
  const auto selected = std::make_shared<std::vector<uint32_t>>(ValueCount() + 1);
  const auto scan = [=] {
    size_t kept = 0;
    ForEachBatch(ValueCount(), [&](std::span<const uint32_t> docs, uint32_t) {
      MustBeOk(column->reader->ReadDictIds(docs, *scratch, *ids, nullptr));
      for (size_t i = 0; i < docs.size(); ++i) {
        (*selected)[kept] = docs[i];
        kept += (*matches)[(*ids)[i]];
      }
    });
    return kept;
  };
  size_t expected = 0;
  for (uint32_t doc = 0; doc < ValueCount(); ++doc) expected += IdOf(doc, bits) % 4 == 0;
  TRELLIS_CHECK(scan() == expected);
  return {[=] { benchmark::DoNotOptimize(scan()); }, CopyOf(expected * 4), expected * 4};
}

Work GatherMultiValue(int bits) {
  const uint32_t doc_count = std::max(1U, ValueCount() / 4);
  const auto column = std::make_shared<BenchColumn>(MultiValueColumn(doc_count, bits));
  const auto scratch = std::shared_ptr<column::ReadScratch>(column->reader->NewScratch());
  const auto outs =
      std::make_shared<std::vector<std::vector<uint32_t>>>(doc_count / kBatchDocs + 1);
  const auto offsets = std::make_shared<std::vector<uint32_t>>();
  const auto scan = [=] {
    ForEachBatch(doc_count, [&](std::span<const uint32_t> docs, uint32_t batch) {
      MustBeOk(column->reader->ReadDictIds(docs, *scratch, (*outs)[batch], offsets.get()));
    });
  };
  scan();
  uint32_t value = 0;
  for (const std::vector<uint32_t>& out : *outs) {
    for (const uint32_t id : out) TRELLIS_CHECK(id == IdOf(value++, bits));
  }
  TRELLIS_CHECK(value == column->shape.total_entries);
  return {scan, CopyOf(column->value_size_bytes), column->value_size_bytes};
}

// The work of the benchmark that runs: only one set of columns is in memory at a time.
Work& WorkOf(const std::string& name, const MakeWork& make) {
  static std::string held_name;
  static Work held;
  if (held_name != name) {
    held = {};
    held = make();
    held.bound();
    held.scan();  // the first one takes the memory of the outputs
    held_name = name;
  }
  return held;
}

// CPU time of this thread: what others run meanwhile counts only where it empties the caches.
double ThreadSeconds() {
  timespec time{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

double TimeOf(const std::function<void()>& run) {
  const double start = ThreadSeconds();
  run();
  return ThreadSeconds() - start;
}

double Median(std::vector<double> times) {
  std::nth_element(times.begin(), times.begin() + static_cast<ptrdiff_t>(times.size() / 2),
                   times.end());
  return times[times.size() / 2];
}

void Register(const std::string& name, MakeWork make) {
  benchmark::RegisterBenchmark(("Scan/" + name).c_str(),
                               [=](benchmark::State& state) {
                                 const Work& work = WorkOf(name, make);
                                 std::vector<double> scans, bounds;
                                 for (auto _ : state) scans.push_back(TimeOf(work.scan));
                                 while (scans.size() < kRepetitionsMin)
                                   scans.push_back(TimeOf(work.scan));
                                 while (bounds.size() < std::min<size_t>(scans.size(), 30))
                                   bounds.push_back(TimeOf(work.bound));
                                 state.counters["ratio"] = Median(bounds) / Median(scans);
                                 state.counters["bytes"] =
                                     static_cast<double>(work.output_size_bytes);
                               })

      ->Unit(benchmark::kMillisecond);
  benchmark::RegisterBenchmark(("Bound/" + name).c_str(), [=](benchmark::State& state) {
    const Work& work = WorkOf(name, make);
    for (auto _ : state) work.bound();
    state.counters["ratio"] = 1;  // --benchmark_format=csv wants the same counters everywhere
    state.counters["bytes"] = static_cast<double>(work.output_size_bytes);
  })->Unit(benchmark::kMillisecond);
}

void RegisterAll() {
  for (int bits = 1; bits <= 31; ++bits) {
    const std::string width = std::to_string(bits);
    Register("unpack/bit_packed/" + width, [=] { return Unpack(bits, false); });
    Register("unpack_cached/bit_packed/" + width, [=] { return Unpack(bits, true); });
  }
  for (const int bits : {4, 8, 10, 13, 16, 20}) {
    const std::string width = std::to_string(bits);
    Register("read_all/bit_packed/" + width, [=] { return ReadAll(bits); });
    Register("select_1_percent/bit_packed/" + width, [=] { return SelectIds(bits, false); });
    Register("select_1_percent_clustered/bit_packed/" + width,
             [=] { return SelectIds(bits, true); });
    Register("dictionary_gather/bit_packed/" + width, [=] { return GatherDictionary(bits); });
    Register("dictionary_predicate/bit_packed/" + width, [=] { return TestDictionary(bits); });
    Register("mv_gather/bit_packed/" + width, [=] { return GatherMultiValue(bits); });
  }
  for (const Compression compression :
       {Compression::kPassThrough, Compression::kLz4, Compression::kZstandard, Compression::kSnappy,
        Compression::kGzip}) {
    const std::string name = "raw_decode/" + std::string(codec::CompressionName(compression));
    Register(name + "/4", [=] { return DecodeRaw<int32_t>(compression); });
    Register(name + "/8", [=] { return DecodeRaw<int64_t>(compression); });
    if (compression == Compression::kPassThrough) continue;
    Register(name + "/line", [=] {
      return DecodeLines(compression == Compression::kLz4 ? Compression::kLz4LengthPrefixed
                                                          : compression);
    });
  }
  for (const bool clustered : {false, true}) {
    const std::string name =
        std::string("select_1_percent") + (clustered ? "_clustered" : "") + "/PASS_THROUGH/";
    Register(name + "4",
             [=] { return SelectValues<int32_t>(Compression::kPassThrough, clustered); });
    Register(name + "8",
             [=] { return SelectValues<int64_t>(Compression::kPassThrough, clustered); });
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
