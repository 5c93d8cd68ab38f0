#include "common/segment_names/packed_names.h"

#include <algorithm>
#include <catch2/catch.hpp>

#include "common/segment_names/column_coding.h"
#include "common/segment_names/name_template.h"
#include "common/segment_names/varint.h"
#include "tests/unit/common/segment_names/sample_names.h"

namespace trellis::segment_names {

namespace {

using Texts = std::vector<std::string>;

struct Packed {
  Texts names;  // in natural order, each once
  std::string bytes;
};
Packed PackAll(const Texts& names) {
  Texts distinct = names;
  std::sort(distinct.begin(), distinct.end());
  distinct.erase(std::unique(distinct.begin(), distinct.end()), distinct.end());
  NameStore store;
  std::vector<uint32_t> indexes;
  for (const std::string& name : distinct) indexes.push_back(store.Append(name));
  const NameView view = store.View();
  SortNaturally(view, indexes);
  Packed packed;
  Pack(view, indexes, packed.bytes);
  for (const uint32_t index : indexes) packed.names.emplace_back(view.name(index));
  return packed;
}
Texts UnpackAll(std::string_view bytes) {
  const auto list = Unpack(AsBytes(bytes), {});
  if (!list.ok()) return {list.status().message()};
  return {list->names.begin(), list->names.end()};
}
void CheckRoundTrip(const Texts& names) {
  const Packed packed = PackAll(names);
  REQUIRE(UnpackAll(packed.bytes) == packed.names);
}
size_t PlainBytes(const Texts& names) {
  size_t bytes = 0;
  for (const std::string& name : names) bytes += name.size() + 2;
  return bytes;
}

Texts Offline(size_t count, std::mt19937_64& random) {
  Texts names;
  while (names.size() < count) {
    const std::chrono::sys_days day =
        std::chrono::sys_days(std::chrono::year(2020) / 1 / 1) + std::chrono::days(random() % 3000);
    const auto text = [](std::chrono::year_month_day d) {
      return fmt::format("{:04}-{:02}-{:02}", static_cast<int>(d.year()),
                         static_cast<unsigned>(d.month()), static_cast<unsigned>(d.day()));
    };
    names.push_back(fmt::format("events_OFFLINE_{}_{}_{}", text(day),
                                text(day + std::chrono::days(1)), random() % 200));
  }
  return names;
}
Texts Realtime(size_t count, std::mt19937_64& random) {
  Texts names;
  for (size_t i = 0; i < count; ++i) {
    const uint64_t sequence = random() % 9000;
    names.push_back(fmt::format("events__{}__{}__2026{:02}{:02}T{:02}{:02}Z", random() % 64,
                                sequence, 1 + sequence / 800, 1 + sequence / 30 % 28, random() % 24,
                                random() % 60));
  }
  return names;
}
Texts Uuids(size_t count, std::mt19937_64& random) {
  Texts names;
  for (size_t i = 0; i < count; ++i) {
    const uint64_t a = random(), b = random();
    names.push_back(fmt::format("events_OFFLINE_{:08x}-{:04x}-{:04x}-{:04x}-{:012x}", a >> 32,
                                a >> 16 & 0xffff, a & 0xffff, b >> 48, b & 0xffffffffffff));
  }
  return names;
}

// Builds packed bytes by hand.
class Bytes {
 public:
  Bytes& Varint(uint64_t value) {
    AppendVarint(value, bytes_);
    return *this;
  }
  Bytes& Signed(int64_t value) { return Varint(ZigZag(value)); }
  Bytes& Raw(std::string_view bytes) {
    bytes_.append(bytes);
    return *this;
  }
  Bytes& Byte(int value) {
    bytes_.push_back(static_cast<char>(value));
    return *this;
  }
  // A group of columns: how many rows, and the template that "name" is cut into.
  Bytes& Columns(uint64_t rows, std::string_view name) {
    TokenizedName cut;
    REQUIRE(Tokenize(name, cut));
    return Varint(rows << 1).Key(cut.key());
  }
  Bytes& Key(std::string_view key) { return Varint(key.size()).Raw(key); }
  // The head of a block that has a base.
  Bytes& Block(int head, int64_t base) { return Byte(head).Signed(base); }
  Bytes& Constant(int64_t value) { return Block(kRestartingBlock, value); }
  Bytes& Text(uint64_t rows) { return Varint(rows << 1 | 1); }
  Bytes& Name(std::string_view name) { return Varint(0).Varint(name.size()).Raw(name); }

  Status Refusal(const UnpackLimits& limits = {}) const {
    return Unpack(AsBytes(bytes_), limits).status();
  }
  bool IsInvalid(std::string_view message) const {
    const Status status = Refusal();
    UNSCOPED_INFO(status.message());
    return status.code() == StatusCode::kInvalidArgument &&
           status.message().find(message) != std::string::npos;
  }
  Texts Names() const { return UnpackAll(bytes_); }

 private:
  std::string bytes_;
};
}  // namespace

TEST_CASE("packed bytes are as the README says", "[segment_names]") {
  CHECK(PackAll({}).bytes == std::string("\0", 1));
  CHECK(PackAll({"b", "a"}).bytes == std::string("\2\5"
                                                 "\0\1"
                                                 "a"
                                                 "\0\1"
                                                 "b",
                                                 8));
  // 4 rows of "t_N": a block of two bits a value, base 5: 0, 1, 2, 3.
  CHECK(PackAll({"t_5", "t_6", "t_8", "t_11"}).bytes == std::string("\4\x08"
                                                                    "\4t_\0\1"
                                                                    "\2\x0a\xe4",
                                                                    10));
}

TEST_CASE("what packed bytes mean, by hand", "[segment_names]") {
  CHECK(Bytes().Varint(0).Names().empty());
  // 18262 is 2020-01-01; the second date is a day later; the number restarts with the day.
  Bytes days;
  days.Varint(4).Columns(4, "e_2020-01-01_2020-01-02_7");
  days.Block(1, 18262).Byte(0b0100).Block(kFollowingBlock, 1).Block(4, 3).Byte(0x50).Byte(0x12);
  CHECK(days.Names() == Texts{"e_2020-01-01_2020-01-02_3", "e_2020-01-01_2020-01-02_8",
                              "e_2020-01-02_2020-01-03_5", "e_2020-01-02_2020-01-03_6"});
  Bytes zigzag;
  zigzag.Varint(3).Columns(3, "1_1").Block(1, 0).Byte(0b110);
  zigzag.Block(kZigZagBlock | 4, 5).Byte(0x42).Byte(0x03);
  CHECK(zigzag.Names() == Texts{"0_6", "1_8", "2_6"});
  Bytes mixed;
  mixed.Varint(3).Columns(1, "007.x").Constant(9).Text(2).Name("a").Name("b");
  CHECK(mixed.Names() == Texts{"009.x", "a", "b"});
}

TEST_CASE("packed names come back in natural order", "[segment_names]") {
  std::mt19937_64 random(9);
  CheckRoundTrip({});
  CheckRoundTrip({""});
  for (const std::string& name : NastyNames()) CheckRoundTrip({name});
  CheckRoundTrip(NastyNames());
  for (const size_t count : {1, 2, 3, 4, 5, 127, 128, 129, 255, 256, 257, 5'000}) {
    CheckRoundTrip(Offline(count, random));
    CheckRoundTrip(Realtime(count, random));
    CheckRoundTrip(Uuids(count, random));
  }
  Texts mixed = NastyNames();
  for (const Texts& more : {Offline(900, random), Realtime(900, random), Uuids(900, random)}) {
    mixed.insert(mixed.end(), more.begin(), more.end());
  }
  CheckRoundTrip(mixed);
}

TEST_CASE("subsets of random names come back", "[segment_names]") {
  for (uint64_t seed = 0; seed < 300; ++seed) {
    INFO("seed " << seed);
    std::mt19937_64 random(seed);
    Texts names;
    for (uint64_t left = random() % 200; left > 0; --left) names.push_back(RandomName(random));
    // Columns of every width, steps down included.
    const int bits = static_cast<int>(random() % 60);
    for (uint64_t left = random() % 400; left > 0; --left) {
      names.push_back(fmt::format("w_{}_{}", random() % 9, random() % (uint64_t{1} << bits)));
      names.push_back(fmt::format("p_{:06}/{}", random() % 100'000, random() % 3));
    }
    CheckRoundTrip(names);
  }
}

TEST_CASE("Pack appends and leaves out what is not asked for", "[segment_names]") {
  NameStore store;
  std::vector<uint32_t> odd;
  for (int i = 0; i < 1'000; ++i) {
    const uint32_t index = store.Append(fmt::format("t_{}", i));
    if (i % 2 == 1) odd.push_back(index);
  }
  std::string out = "head";
  Pack(store.View(), odd, out);
  REQUIRE(out.starts_with("head"));
  const Texts names = UnpackAll(std::string_view(out).substr(4));
  REQUIRE(names.size() == 500);
  CHECK(names.front() == "t_1");
  CHECK(names.back() == "t_999");
}

TEST_CASE("packed names are small", "[segment_names]") {
  std::mt19937_64 random(42);
  const Packed offline = PackAll(Offline(60'000, random));
  CHECK(offline.bytes.size() * 35 < PlainBytes(offline.names));
  const Packed realtime = PackAll(Realtime(60'000, random));
  CHECK(realtime.bytes.size() * 7 < PlainBytes(realtime.names));
  const Packed uuids = PackAll(Uuids(1'000, random));
  CHECK(uuids.bytes.size() < 16 * 1'000 + 64);
  // One value far off makes all columns of its block wide: front coding is smaller then.
  Texts sparse;
  for (int i = 0; i < 100; ++i) sparse.push_back(fmt::format("n_{}", i));
  sparse.push_back("n_999999999");
  std::string front_coded;
  FrontCode(std::vector<std::string_view>(sparse.begin(), sparse.end()), front_coded);
  CHECK(PackAll(sparse).bytes.size() <= front_coded.size() + 2);
}

TEST_CASE("a million names come back", "[segment_names]") {
  NameStore store;
  std::vector<uint32_t> indexes;
  for (uint32_t i = 0; i < 1'000'000; ++i) {
    indexes.push_back(store.Append(fmt::format("events__{}__{}", i % 64, i / 64)));
  }
  const NameView view = store.View();
  SortNaturally(view, indexes);
  std::string out;
  Pack(view, indexes, out);
  CHECK(out.size() < 400'000);
  const NameList list = Unpack(AsBytes(out), {}).value();
  REQUIRE(list.names.size() == indexes.size());
  for (size_t i = 0; i < indexes.size(); ++i) {
    if (list.names[i] != view.name(indexes[i])) FAIL("at " << i << ": " << list.names[i]);
  }
}

TEST_CASE("packed counts that lie are refused", "[segment_names]") {
  CHECK(Bytes().IsInvalid("no count at offset 0"));
  CHECK(Bytes().Varint(UINT64_MAX).IsInvalid("18446744073709551615 names in 0 bytes"));
  CHECK(Bytes().Varint(1).IsInvalid("no group at offset 1, 1 names missing"));
  CHECK(Bytes().Varint(16).Byte(0).IsInvalid("16 names in 1 bytes"));
  CHECK(Bytes().Varint(0).Byte(0).IsInvalid("1 bytes too many at offset 1"));
  CHECK(Bytes().Varint(1).Text(0).IsInvalid("group of 0 names at offset 1"));
  CHECK(Bytes().Varint(1).Text(2).Name("a").Name("b").IsInvalid("group of 2 names"));
  CHECK(Bytes().Varint(2).Text(1).Name("a").IsInvalid("1 names missing"));
  CHECK(Bytes().Varint(1).Varint(UINT64_MAX).IsInvalid("group of 9223372036854775807 names"));
  CHECK(Bytes().Varint(1).Text(1).Varint(1).Varint(0).IsInvalid("shares 1 bytes"));
}

TEST_CASE("packed templates that lie are refused", "[segment_names]") {
  const auto with_key = [](std::string_view key) {
    return Bytes().Varint(1).Varint(2).Key(key).Constant(5);
  };
  CHECK(with_key("").IsInvalid("no template"));
  CHECK(with_key("text").IsInvalid("no template"));
  CHECK(with_key(std::string("\0\x09", 2)).IsInvalid("no template"));
  CHECK(with_key(std::string("\0\x11", 2)).IsInvalid("no template"));
  CHECK(with_key(std::string("\0", 1)).IsInvalid("no template"));
  CHECK(with_key(std::string(3'000, 'x') + std::string("\0\1", 2)).IsInvalid("no template"));
  CHECK(Bytes().Varint(1).Varint(2).Varint(9).Raw("short").IsInvalid("no template"));
  std::string many;
  for (int i = 0; i < 13; ++i) many += std::string("_\0\1", 3);
  CHECK(with_key(many).IsInvalid("no template"));
  // Templates that no name is cut into: their names belong to another.
  const auto of_one = [](std::string_view key) {
    return Bytes().Varint(1).Varint(2).Key(key).Constant(5);
  };
  CHECK(of_one(std::string("t_\0\1", 4)).Names() == Texts{"t_5"});
  CHECK(of_one(std::string("t_1\0\1", 5)).IsInvalid("whose template is another"));
  CHECK(of_one(std::string("2_\0\1", 4)).IsInvalid("whose template is another"));
  CHECK(of_one(std::string("h1a2b3c\0\1", 9)).IsInvalid("whose template is another"));
  CHECK(of_one(std::string(1'023, 'k') + std::string("\0\1", 2)).Names().size() == 1);
  CHECK(of_one(std::string(1'024, 'k') + std::string("\0\1", 2)).IsInvalid("template is another"));
}

TEST_CASE("packed values that make another template's name are refused", "[segment_names]") {
  // 2020-1-12 is three numbers, 2020-10-12 a date.
  Bytes date;
  date.Varint(2).Columns(2, "2020-1-12").Constant(2020).Block(4, 1);
  CHECK(Bytes(date).Byte(0x10).Constant(12).Names() == Texts{"2020-1-12", "2020-2-12"});
  CHECK(Bytes(date).Byte(0x90).Constant(12).IsInvalid("whose template is another"));
  // A name of 1,024 bytes has a template, one of 1,025 has none.
  Bytes size;
  size.Varint(2).Columns(2, std::string(1'023, 'k') + "1").Block(4, 8);
  CHECK(Bytes(size).Byte(0x10).Names().size() == 2);
  CHECK(Bytes(size).Byte(0x20).IsInvalid("whose template is another"));
}

TEST_CASE("packed columns that lie are refused", "[segment_names]") {
  const auto two = [] { return Bytes().Varint(2).Columns(2, "t_1_1"); };
  CHECK(two().IsInvalid("no block of at most 64 bits"));
  CHECK(two().Byte(1).IsInvalid("block without a base"));
  CHECK(two().Byte(1).Byte(0x80).IsInvalid("block without a base"));
  CHECK(two().Byte(kZigZagBlock).IsInvalid("block without a base"));
  CHECK(two().Block(kFollowingBlock, 1).IsInvalid("column 0 follows no number"));
  const std::string_view uuid_first = "123e4567-e89b-42d3-a456-426614174000_1";
  const std::string uuid(16, 'u');
  const auto one = [&] { return Bytes().Varint(1).Columns(1, uuid_first).Raw(uuid); };
  CHECK(one().Constant(1).Names().front().ends_with("_1"));
  CHECK(one().Block(kFollowingBlock, 1).IsInvalid("column 1 follows no number"));
  CHECK(Bytes().Varint(1).Columns(1, uuid_first).Raw(uuid.substr(1)).IsInvalid("1 UUIDs"));
  const auto second = [&two] { return two().Constant(1); };
  CHECK(second().Block(1, 0).Byte(2).Names() == Texts{"t_1_0", "t_1_1"});
  CHECK(second().Byte(kFollowingBlock).IsInvalid("block without a base"));
  const std::string zeros(20, '\0');
  CHECK(second().Block(65, 0).Raw(zeros).IsInvalid("no block of at most 64 bits"));
  CHECK(second().Block(kZigZagBlock | 65, 0).Raw(zeros).IsInvalid("no block of at most 64 bits"));
  CHECK(second().Block(64, 0).Raw(zeros.substr(5)).IsInvalid("block of 16 bytes"));
}

TEST_CASE("packed values outside their kind are refused", "[segment_names]") {
  const auto of_one = [](std::string_view name, int64_t value) {
    return Bytes().Varint(1).Columns(1, name).Constant(value);
  };
  const auto is_refused = [&of_one](std::string_view name, int64_t value) {
    return of_one(name, value).IsInvalid("has a value that its template cannot have");
  };
  CHECK(of_one("t_1", 999'999'999).Names() == Texts{"t_999999999"});
  CHECK(is_refused("t_1", 1'000'000'000));
  CHECK(is_refused("t_1", -1));
  CHECK(is_refused("t_1", INT64_MIN));
  CHECK(is_refused("t_1", INT64_MAX));
  CHECK(of_one("t_1000000000", 999'999'999'999'999'999).Names() == Texts{"t_999999999999999999"});
  CHECK(is_refused("t_1000000000", 999'999'999));
  CHECK(is_refused("t_1000000000", 1'000'000'000'000'000'000));
  CHECK(of_one("t_007", 99).Names() == Texts{"t_099"});
  CHECK(is_refused("t_007", 100));
  CHECK(is_refused("t_007", -1));
  CHECK(of_one("t_2020-01-01", -719528).Names() == Texts{"t_0000-01-01"});
  CHECK(is_refused("t_2020-01-01", -719529));
  CHECK(of_one("t_2020-01-01", 2932896).Names() == Texts{"t_9999-12-31"});
  CHECK(is_refused("t_2020-01-01", 2932897));
  CHECK(of_one("t_20200101T0000Z", -719528 * 1440).Names() == Texts{"t_00000101T0000Z"});
  CHECK(is_refused("t_20200101T0000Z", -719528 * 1440 - 1));
  CHECK(of_one("t_20200101T0000Z", int64_t{2932897} * 1440 - 1).Names() ==
        Texts{"t_99991231T2359Z"});
  CHECK(is_refused("t_20200101T0000Z", int64_t{2932897} * 1440));
  // Also where a sum leaves the range, and where it wraps.
  const auto following = [](int64_t apart) {
    return Bytes().Varint(1).Columns(1, "t_1_1").Constant(5).Block(kFollowingBlock, apart);
  };
  CHECK(following(-5).Names() == Texts{"t_5_0"});
  CHECK(following(-6).IsInvalid("column 1 has a value"));
  CHECK(following(INT64_MAX).IsInvalid("column 1 has a value"));
  CHECK(Bytes()
            .Varint(2)
            .Columns(2, "t_1")
            .Block(64, 0)
            .Raw(std::string(8, '\0') + std::string(8, '\xff'))
            .IsInvalid("column 0 has a value"));
}

TEST_CASE("a packed name twice or out of order is refused", "[segment_names]") {
  constexpr std::string_view kTwice = "a name twice or out of order";
  const auto two = [](std::string_view name) { return Bytes().Varint(2).Columns(2, name); };
  CHECK(two("t_1").Constant(1).IsInvalid(kTwice));
  CHECK(two("t_1").Block(1, 1).Byte(0).IsInvalid(kTwice));
  CHECK(two("t_1").Block(kZigZagBlock | 1, 5).Byte(2).IsInvalid(kTwice));
  const std::string uuid(16, 'u');
  const std::string smaller = std::string(15, 'u') + "t";
  const std::string_view uuid_name = "123e4567-e89b-42d3-a456-426614174000";
  CHECK(two(uuid_name).Raw(smaller + uuid).Names().size() == 2);
  CHECK(two(uuid_name).Raw(uuid + uuid).IsInvalid(kTwice));
  CHECK(two(uuid_name).Raw(uuid + smaller).IsInvalid(kTwice));
  // Unsigned order: 0x7f.. is before 0x80..
  CHECK(two(uuid_name).Raw(std::string(16, '\x7f') + std::string(16, '\x80')).Names().size() == 2);
  CHECK(two(uuid_name).Raw(std::string(16, '\x80') + std::string(16, '\x7f')).IsInvalid(kTwice));
  // Between groups.
  const auto one = [](Bytes& bytes, std::string_view name, int64_t value) -> Bytes& {
    return bytes.Columns(1, name).Constant(value);
  };
  const auto groups = [&one](std::string_view first, int64_t a, std::string_view second,
                             int64_t b) {
    Bytes bytes;
    bytes.Varint(2);
    return one(one(bytes, first, a), second, b);
  };
  CHECK(groups("a_1", 1, "a_1", 2).Names() == Texts{"a_1", "a_2"});
  CHECK(groups("a_1", 1, "a_1", 1).IsInvalid(kTwice));
  CHECK(groups("a_1", 2, "a_1", 1).IsInvalid(kTwice));
  CHECK(groups("b_1", 1, "a_1", 1).IsInvalid(kTwice));
  const auto texts = [](const Texts& names) {
    Bytes bytes;
    bytes.Varint(names.size()).Text(names.size());
    for (const std::string& name : names) bytes.Name(name);
    return bytes;
  };
  CHECK(texts({"a_9", "a_10", "z_1", "a"}).Names() == Texts{"a_9", "a_10", "z_1", "a"});
  CHECK(texts({"a", "a"}).IsInvalid(kTwice));
  CHECK(texts({"b", "a"}).IsInvalid(kTwice));
  CHECK(texts({"a", "a_1"}).IsInvalid(kTwice));
  CHECK(texts({"a_10", "a_9"}).IsInvalid(kTwice));
  Bytes both;
  one(both.Varint(2), "a_1", 1).Text(1).Name("a_1");
  CHECK(both.IsInvalid(kTwice));
}

TEST_CASE("a column may follow the one before at another distance in every block",
          "[segment_names]") {
  Texts names;
  for (int i = 0; i < 128; ++i) names.push_back(fmt::format("f_{}_{}", i, i + 1));
  for (int i = 127; i < 200; ++i) names.push_back(fmt::format("f_{}_{}", i, i + 9));
  CheckRoundTrip(names);
  const auto in_second_block = [](int64_t apart) {
    Bytes bytes;
    bytes.Varint(129).Columns(129, "f_0_1");
    bytes.Block(1, 0).Raw("\xfe" + std::string(15, '\xff')).Block(kFollowingBlock, 1);
    return bytes.Byte(kZigZagBlock).Block(kFollowingBlock, apart);
  };
  CHECK(in_second_block(2).Names().back() == "f_127_129");
  CHECK(in_second_block(1).IsInvalid("a name twice or out of order"));
  CHECK(in_second_block(0).IsInvalid("a name twice or out of order"));
}

TEST_CASE("every prefix of packed bytes is refused, and no flipped bit is fatal",
          "[segment_names]") {
  std::mt19937_64 random(4);
  Texts names = NastyNames();
  for (const Texts& more : {Offline(150, random), Realtime(150, random), Uuids(9, random)}) {
    names.insert(names.end(), more.begin(), more.end());
  }
  names.erase(std::remove_if(names.begin(), names.end(),
                             [](const std::string& name) { return name.size() > 500; }),
              names.end());
  const std::string bytes = PackAll(names).bytes;
  for (size_t size = 0; size < bytes.size(); ++size) {
    REQUIRE(Unpack(AsBytes(bytes).first(size), {}).status().code() == StatusCode::kInvalidArgument);
  }
  for (size_t bit = 0; bit < bytes.size() * 8; ++bit) {
    std::string flipped = bytes;
    flipped[bit / 8] = static_cast<char>(flipped[bit / 8] ^ (1 << bit % 8));
    const auto list = Unpack(AsBytes(flipped), {});
    if (!list.ok()) continue;
    Texts read(list->names.begin(), list->names.end());
    std::sort(read.begin(), read.end());
    REQUIRE(std::adjacent_find(read.begin(), read.end()) == read.end());
  }
}

TEST_CASE("unpacked names stay within the limits", "[segment_names]") {
  Bytes names;
  names.Varint(3).Columns(3, "t_1").Block(1, 7).Byte(6);
  CHECK(names.Names() == Texts{"t_7", "t_8", "t_9"});
  CHECK(names.Refusal({.names_max = 3, .text_bytes_max = 9}).ok());
  CHECK(names.Refusal({.names_max = 2, .text_bytes_max = 9}).code() ==
        StatusCode::kResourceExhausted);
  CHECK(names.Refusal({.names_max = 3, .text_bytes_max = 8}).code() ==
        StatusCode::kResourceExhausted);
  // 66 KB that would be two gigabytes of text.
  constexpr uint64_t kRows = uint64_t{2} << 20;
  Bytes bomb;
  bomb.Varint(kRows).Columns(kRows, std::string(1'000, 'k') + "_1");
  for (uint64_t row = 0; row < kRows; row += 128) {
    bomb.Byte(1);
    if (row == 0) bomb.Signed(0);
    bomb.Raw(std::string(16, '\xff'));
  }
  CHECK(bomb.Refusal().code() == StatusCode::kResourceExhausted);
}

}  // namespace trellis::segment_names
