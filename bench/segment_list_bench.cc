// What does it cost to hand a server its segment list? Four operations for each encoding:
//
//   build     the sender's object from its names (json: the DOM; names_protobuf: the message;
//             names: views)
//   dispatch  build, then serialise
//   decode    bytes to names
//   resolve   bytes to segments: decode, then one look-up a name in the server's table
//
// Baselines in the same binary: `json` is what Pinot does today (a JSON tree, dumped to text),
// `names_protobuf` the generated code for the same bytes that `names` writes by hand,
// `names_preencoded` each name with its tag and length written in advance (Pinot's authors tried
// and rejected that, and so do we), `names_protobuf_half` the random half that `known_half` stands
// for, and Memcpy the physical bound: copying the names' own bytes. Lists by ordinal are in
// segment_list_known.cc, the fan-out to servers in segment_list_fanout.cc, plans and pruning in
// segment_list_plan.cc.
#include <absl/container/flat_hash_map.h>
#include <benchmark/benchmark.h>
#include <simdjson.h>

#include <cstdlib>
#include <cstring>
#include <nlohmann/json.hpp>

#include "bench/allocation_counter.h"
#include "bench/fanout_leaves.h"
#include "bench/segment_list_fanout.h"
#include "bench/segment_list_known.h"
#include "bench/segment_list_plan.h"
#include "bench/segment_names.h"
#include "common/base/string_hash.h"
#include "common/segment_names/packed_names.h"
#include "common/wire/segment_list_codec.h"
#include "common/wire/wire_format.h"
#include "trellis/v1/segment_list.pb.h"

namespace trellis::bench {
namespace {

using wire::SegmentListEncoding;
using wire::SegmentListGroup;

struct Corpus {
  std::string key;
  std::vector<std::string> names;
  // The names as a broker holds them: views into one text.
  std::string text;
  std::vector<std::string_view> views;
  std::vector<std::string> preencoded;  // tag, length, name
  // And cut into values, in natural order.
  segment_names::NameView tokenised;
  std::vector<uint32_t> indexes;
  // Stands for the server's segments: name -> position, hashed as server/store does.
  absl::flat_hash_map<std::string_view, uint32_t, StringHash, StringEqual> table;
  size_t names_bytes = 0;
};

// Made on first use and kept, one at a time: a million names need no company. `half` = a random
// half of them.
const Corpus& CorpusOf(const std::string& naming, size_t count, bool half = false) {
  static std::string made_for;
  static Corpus corpus;
  const std::string wanted = naming + "/" + std::to_string(count) + (half ? "/half" : "");
  if (made_for == wanted) return corpus;
  corpus = Corpus{};
  corpus.key = naming == "realtime" ? "REALTIME" : "OFFLINE";
  std::vector<std::string> names = SegmentNames(naming, count);
  const std::vector<uint32_t> halves = RandomHalf(count);
  if (half) {
    for (const uint32_t i : halves) corpus.names.push_back(std::move(names[i]));
  } else {
    corpus.names = std::move(names);
  }
  segment_names::NameStore store;
  corpus.table.reserve(corpus.names.size());
  for (const std::string& name : corpus.names) {
    corpus.table.emplace(name, static_cast<uint32_t>(corpus.table.size()));
    corpus.indexes.push_back(store.Append(name));
    corpus.names_bytes += name.size();
    std::string& piece = corpus.preencoded.emplace_back("\n");
    piece += static_cast<char>(name.size());
    piece += name;
  }
  corpus.tokenised = store.View();
  segment_names::SortNaturally(corpus.tokenised, corpus.indexes);
  for (const std::string& name : corpus.names) corpus.text += name;
  size_t at = 0;
  for (const std::string& name : corpus.names) {
    corpus.views.emplace_back(corpus.text.data() + at, name.size());
    at += name.size();
  }
  made_for = wanted;
  return corpus;
}

// One encoding: how its list is built, written and read. `Names` is whatever holds the decoded
// names.
struct Json {
  using Object = nlohmann::json;
  static Object Build(const Corpus& corpus) {
    Object object;
    object[corpus.key] = corpus.names;
    return object;
  }
  static void Serialise(const Object& object, const Corpus&, std::string& out) {
    out = object.dump();
  }
  using Names = std::vector<std::string>;
  static Names Decode(const std::string& bytes, const Corpus& corpus) {
    return nlohmann::json::parse(bytes).at(corpus.key).get<Names>();
  }
};

struct JsonSimdjson : Json {
  using Names = std::vector<std::string_view>;
  // REQUIRES: simdjson's padding behind `bytes`; the views live in the parser until the next call.
  static Names Decode(const std::string& bytes, const Corpus& corpus) {
    static simdjson::ondemand::parser parser;
    Names names;
    auto document = parser.iterate(bytes.data(), bytes.size(), bytes.capacity());
    for (auto name : document[corpus.key].get_array()) names.push_back(name.get_string().value());
    return names;
  }
};

struct NamesProtobuf {
  using Object = v1::SegmentLists;
  static Object Build(const Corpus& corpus) {
    Object object;
    auto& list = (*object.mutable_names()->mutable_segments())[corpus.key];
    list.mutable_segments()->Reserve(static_cast<int>(corpus.names.size()));
    for (const std::string& name : corpus.names) list.add_segments(name);
    return object;
  }
  static void Serialise(const Object& object, const Corpus&, std::string& out) {
    object.SerializeToString(&out);
  }
  // The message owns the names; it is its own list.
  struct Names {
    Object object;
    const v1::SegmentList* list = nullptr;
    auto begin() const { return list->segments().begin(); }
    auto end() const { return list->segments().end(); }
  };
  static Names Decode(const std::string& bytes, const Corpus& corpus) {
    Names names;
    TRELLIS_CHECK(names.object.ParseFromString(bytes));
    names.list = &names.object.names().segments().at(corpus.key);
    return names;
  }
};

struct NamesByHand {
  // The list as the broker holds it; a group copies the views, not the names.
  using Object = SegmentListGroup;
  static Object Build(const Corpus& corpus) { return {corpus.key, corpus.views}; }
  static void Serialise(const Object& object, const Corpus&, std::string& out) {
    out.clear();
    TRELLIS_CHECK(
        wire::SegmentListCodecOf(SegmentListEncoding::kNames).Encode({&object, 1}, out).ok());
  }
  using Names = std::vector<std::string_view>;
  static Names Decode(const std::string& bytes, const Corpus&) {
    auto list = wire::DecodeSegmentLists(AsBytes(bytes));
    TRELLIS_CHECK(list.ok() && list->groups.size() == 1);
    return std::move(list->groups[0].names);
  }
};

// Names whose tags and lengths were written in advance: joined per query.
struct NamesPreencoded : NamesByHand {
  using Object = std::vector<std::string_view>;
  static Object Build(const Corpus& corpus) {
    return {corpus.preencoded.begin(), corpus.preencoded.end()};
  }
  static void Serialise(const Object& object, const Corpus& corpus, std::string& out) {
    size_t list_bytes = 0;
    for (const std::string_view piece : object) list_bytes += piece.size();
    std::string entry;
    wire::AppendBytesHead(1, corpus.key.size(), entry);
    entry += corpus.key;
    wire::AppendBytesHead(2, list_bytes, entry);
    std::string map;
    wire::AppendBytesHead(1, entry.size() + list_bytes, map);
    out.clear();
    wire::AppendBytesHead(1, map.size() + entry.size() + list_bytes, out);
    out.reserve(out.size() + map.size() + entry.size() + list_bytes);
    out += map;
    out += entry;
    for (const std::string_view piece : object) out += piece;
  }
};

struct Packed {
  // Which of the broker's names; they were tokenised when they arrived.
  using Object = std::vector<uint32_t>;
  static Object Build(const Corpus& corpus) { return corpus.indexes; }
  static void Serialise(const Object& object, const Corpus& corpus, std::string& out) {
    std::string packed;
    segment_names::Pack(corpus.tokenised, object, packed);
    out.clear();
    TRELLIS_CHECK(wire::EncodePackedSegments("events_" + corpus.key, packed, out).ok());
  }
  struct Names {
    wire::DecodedSegmentList list;
    auto begin() const { return list.groups[0].names.begin(); }
    auto end() const { return list.groups[0].names.end(); }
  };
  static Names Decode(const std::string& bytes, const Corpus&) {
    auto list = wire::DecodeSegmentLists(AsBytes(bytes));
    TRELLIS_CHECK(list.ok() && list->groups.size() == 1);
    return {std::move(*list)};
  }
};

// Bytes of the list with room behind them for readers that look ahead.
template <class E>
std::string Serialised(const Corpus& corpus) {
  std::string bytes;
  E::Serialise(E::Build(corpus), corpus, bytes);
  bytes.reserve(bytes.size() + simdjson::SIMDJSON_PADDING);
  return bytes;
}

template <class E>
void CheckAnswer(const Corpus& corpus) {
  const std::string bytes = Serialised<E>(corpus);
  const auto decoded = E::Decode(bytes, corpus);
  std::vector<std::string> names(decoded.begin(), decoded.end());
  std::sort(names.begin(), names.end());  // packed names come in natural order
  TRELLIS_CHECK(names == corpus.names);
}

template <class E>
void Build(benchmark::State& state, const Corpus& corpus) {
  const AllocationCounter allocations;
  for (auto _ : state) {
    auto object = E::Build(corpus);
    benchmark::DoNotOptimize(object);
  }
  allocations.Report(state);
}

template <class E>
void Dispatch(benchmark::State& state, const Corpus& corpus) {
  const AllocationCounter allocations;
  for (auto _ : state) {
    std::string bytes;
    E::Serialise(E::Build(corpus), corpus, bytes);
    benchmark::DoNotOptimize(bytes.data());
  }
  allocations.Report(state);
}

template <class E>
void Decode(benchmark::State& state, const Corpus& corpus) {
  const std::string bytes = Serialised<E>(corpus);
  const AllocationCounter allocations;
  for (auto _ : state) {
    auto names = E::Decode(bytes, corpus);
    benchmark::DoNotOptimize(names);
  }
  allocations.Report(state);
}

template <class E>
void Resolve(benchmark::State& state, const Corpus& corpus) {
  const std::string bytes = Serialised<E>(corpus);
  uint64_t sum = 0;
  const AllocationCounter allocations;
  for (auto _ : state) {
    sum = 0;
    for (const auto& name : E::Decode(bytes, corpus))
      sum += corpus.table.find(std::string_view(name))->second;
    benchmark::DoNotOptimize(sum);
  }
  allocations.Report(state);
  const uint64_t count = corpus.names.size();
  TRELLIS_CHECK(sum == count * (count - 1) / 2);
}

void Memcpy(benchmark::State& state, const std::string& naming, size_t count) {
  const Corpus& corpus = CorpusOf(naming, count);
  std::string joined;
  for (const std::string& name : corpus.names) joined += name;
  std::string copy(joined.size(), '\0');
  for (auto _ : state) {
    std::memcpy(copy.data(), joined.data(), joined.size());
    benchmark::ClobberMemory();
  }
  TRELLIS_CHECK(copy == joined);
  state.counters["wire_bytes"] = static_cast<double>(corpus.names_bytes);
}

using Operation = void (*)(benchmark::State&, const Corpus&);

template <class E>
void Register(Operation operation, const std::string& op, const std::string& encoding,
              const std::string& naming, size_t count, bool half = false) {
  const std::string name =
      "SegmentList/" + op + "/" + encoding + "/" + naming + "/" + std::to_string(count);
  benchmark::RegisterBenchmark(name.c_str(), [=](benchmark::State& state) {
    const Corpus& corpus = CorpusOf(naming, count, half);
    CheckAnswer<E>(corpus);
    const size_t wire_bytes = Serialised<E>(corpus).size();
    operation(state, corpus);
    state.counters["wire_bytes"] = static_cast<double>(wire_bytes);
  })->Unit(benchmark::kMicrosecond);
}

template <class E>
void RegisterAll(const std::string& encoding, const std::string& naming, size_t count,
                 bool half = false) {
  Register<E>(Build<E>, "build", encoding, naming, count, half);
  Register<E>(Dispatch<E>, "dispatch", encoding, naming, count, half);
  Register<E>(Decode<E>, "decode", encoding, naming, count, half);
  Register<E>(Resolve<E>, "resolve", encoding, naming, count, half);
}

void RegisterCounts(const std::vector<size_t>& counts) {
  for (const size_t count : counts) {
    for (const std::string naming : {"offline", "realtime", "uuid"}) {
      benchmark::RegisterBenchmark(("Memcpy/" + naming + "/" + std::to_string(count)).c_str(),
                                   [=](benchmark::State& state) { Memcpy(state, naming, count); })
          ->Unit(benchmark::kMicrosecond);
      RegisterAll<Json>("json", naming, count);
      Register<JsonSimdjson>(Decode<JsonSimdjson>, "decode", "json_simdjson", naming, count);
      RegisterAll<NamesProtobuf>("names_protobuf", naming, count);
      RegisterAll<NamesProtobuf>("names_protobuf_half", naming, count, true);
      RegisterAll<NamesByHand>("names", naming, count);
      RegisterAll<NamesPreencoded>("names_preencoded", naming, count);
      RegisterAll<Packed>("packed", naming, count);
      RegisterKnown(naming, count);
    }
    RegisterFanouts(count);
  }
}

}  // namespace
}  // namespace trellis::bench

int main(int argc, char** argv) {
  if (const auto exit_code = trellis::bench::RunAsLeafProcess(argc, argv)) return *exit_code;
  std::vector<size_t> counts{1'000, 10'000, 60'000, 100'000};
  const char* large = std::getenv("TRELLIS_BENCH_LARGE");
  if (large != nullptr && std::strcmp(large, "0") != 0) counts.push_back(1'000'000);
  trellis::bench::RegisterCounts(counts);
  trellis::bench::RegisterPlans();
  for (const size_t count : {size_t{1'000}, size_t{1'000'000}})
    trellis::bench::RegisterMemory(count);
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
