#include "common/codec/decompress.h"

#include <lz4.h>
#include <snappy.h>
#include <zlib.h>
#include <zstd.h>

#include <catch2/catch.hpp>
#include <string>

namespace trellis::codec {
namespace {

std::string Lz4Block(const std::string& text) {
  std::string out(static_cast<size_t>(LZ4_compressBound(static_cast<int>(text.size()))), '\0');
  out.resize(static_cast<size_t>(LZ4_compress_default(
      text.data(), out.data(), static_cast<int>(text.size()), static_cast<int>(out.size()))));
  return out;
}

std::string LittleEndian(uint32_t v) { return {reinterpret_cast<const char*>(&v), 4}; }
std::string BigEndian(uint32_t v) { return LittleEndian(__builtin_bswap32(v)); }

std::string Compress(Compression compression, const std::string& text, SizeTrailer trailer) {
  std::string out;
  switch (compression) {
    case Compression::kSnappy:
      snappy::Compress(text.data(), text.size(), &out);
      return out;
    case Compression::kZstandard:
      out.resize(ZSTD_compressBound(text.size()));
      out.resize(ZSTD_compress(out.data(), out.size(), text.data(), text.size(), 3));
      return out;
    case Compression::kLz4:
      return Lz4Block(text);
    case Compression::kLz4LengthPrefixed:
      return LittleEndian(static_cast<uint32_t>(text.size())) + Lz4Block(text);
    case Compression::kGzip: {
      uLongf size = compressBound(text.size());
      out.resize(size);
      compress(reinterpret_cast<Bytef*>(out.data()), &size,
               reinterpret_cast<const Bytef*>(text.data()), text.size());
      out.resize(size);
      const auto length = static_cast<uint32_t>(text.size());
      return out + (trailer == SizeTrailer::kBigEndian ? BigEndian(length) : LittleEndian(length));
    }
    default:
      return text;
  }
}

const std::vector<Compression> kAll = {Compression::kSnappy, Compression::kZstandard,
                                       Compression::kLz4, Compression::kLz4LengthPrefixed,
                                       Compression::kGzip};

std::string SomeText() {
  std::string text;
  for (int i = 0; i < 500; ++i) text += "value " + std::to_string(i * i % 97) + ";";
  return text;
}

TEST_CASE("every codec gives back what was compressed, for both trailer orders") {
  const std::string text = SomeText();
  for (const Compression compression : kAll) {
    for (const SizeTrailer trailer : {SizeTrailer::kBigEndian, SizeTrailer::kLittleEndian}) {
      CAPTURE(CompressionName(compression));
      InflatedBuffer out;
      const std::string packed = Compress(compression, text, trailer);
      REQUIRE(Decompress(compression, AsBytes(packed), trailer, text.size(), out).ok());
      CHECK(AsText(out.view()) == text);
    }
  }
}

TEST_CASE("a chunk that inflates beyond the limit is refused") {
  const std::string text = SomeText();
  for (const Compression compression : kAll) {
    CAPTURE(CompressionName(compression));
    InflatedBuffer out;
    const std::string packed = Compress(compression, text, SizeTrailer::kBigEndian);
    CHECK(Decompress(compression, AsBytes(packed), SizeTrailer::kBigEndian, text.size() - 1, out)
              .IsCorrupt());
  }
}

TEST_CASE("a chunk cut short anywhere is refused or, for bare LZ4, shorter") {
  const std::string text = SomeText();
  for (const Compression compression : kAll) {
    const std::string packed = Compress(compression, text, SizeTrailer::kBigEndian);
    for (size_t size = 0; size < packed.size(); ++size) {
      CAPTURE(CompressionName(compression), size);
      InflatedBuffer out;
      const Status status = Decompress(compression, AsBytes(packed).first(size),
                                       SizeTrailer::kBigEndian, text.size(), out);
      CHECK((status.IsCorrupt() ||
             (compression == Compression::kLz4 && out.view().size() < text.size())));
    }
  }
}

TEST_CASE("a few bytes that declare a gigabyte are refused before memory is taken") {
  InflatedBuffer out;
  const std::string lz4 = LittleEndian(1 << 30) + "abcd";
  const std::string gzip = "abcd" + BigEndian(1 << 30);
  const std::string snappy(
      "\x80\x80\x80\x80\x04"
      "abcd",
      9);
  CHECK(Decompress(Compression::kLz4LengthPrefixed, AsBytes(lz4), SizeTrailer::kBigEndian, SIZE_MAX,
                   out)
            .IsCorrupt());
  CHECK(Decompress(Compression::kGzip, AsBytes(gzip), SizeTrailer::kBigEndian, SIZE_MAX, out)
            .IsCorrupt());
  CHECK(Decompress(Compression::kSnappy, AsBytes(snappy), SizeTrailer::kBigEndian, SIZE_MAX, out)
            .IsCorrupt());
  CHECK(out.view().empty());
}

TEST_CASE("a GZIP trailer in the other byte order is refused") {
  const std::string packed = Compress(Compression::kGzip, SomeText(), SizeTrailer::kLittleEndian);
  InflatedBuffer out;
  CHECK(Decompress(Compression::kGzip, AsBytes(packed), SizeTrailer::kBigEndian, SIZE_MAX, out)
            .IsCorrupt());
}

// The frame of DELTA and DELTADELTA: `first` and `differences` are big-endian already.
std::string DeltaFrame(int flag, uint32_t count, const std::string& first,
                       const std::string& differences) {
  std::string frame = std::string(1, static_cast<char>(flag)) + BigEndian(count) + first;
  if (count < 2) return frame;
  const std::string block = Lz4Block(differences);
  return frame + BigEndian(static_cast<uint32_t>(block.size())) + block;
}

std::string Ints(const std::vector<int32_t>& values) {
  std::string bytes;
  for (const int32_t value : values) bytes += BigEndian(static_cast<uint32_t>(value));
  return bytes;
}
std::string Longs(const std::vector<int64_t>& values) {
  std::string bytes;
  for (const int64_t value : values) {
    bytes +=
        BigEndian(static_cast<uint32_t>(value >> 32)) + BigEndian(static_cast<uint32_t>(value));
  }
  return bytes;
}

// The inflated bytes, or the message of the error.
std::string Inflated(Compression compression, const std::string& packed, size_t limit = 4096) {
  InflatedBuffer out;
  const Status status =
      Decompress(compression, AsBytes(packed), SizeTrailer::kBigEndian, limit, out);
  CHECK((status.ok() || status.IsCorrupt()));
  return status.ok() ? std::string(AsText(out.view())) : status.message();
}

TEST_CASE("DELTA adds each difference to the value before it and wraps around") {
  CHECK(Inflated(Compression::kDelta, DeltaFrame(0, 3, Ints({7}), Ints({-10, 5}))) ==
        Ints({7, -3, 2}));
  CHECK(Inflated(Compression::kDelta, DeltaFrame(0, 3, Ints({INT32_MAX}), Ints({1, -1}))) ==
        Ints({INT32_MAX, INT32_MIN, INT32_MAX}));
  CHECK(Inflated(Compression::kDelta, DeltaFrame(1, 3, Longs({INT64_MIN}), Longs({-1, 2}))) ==
        Longs({INT64_MIN, INT64_MAX, INT64_MIN + 1}));
}

TEST_CASE("DELTADELTA adds differences of differences, the first of which is a difference") {
  CHECK(Inflated(Compression::kDeltaDelta, DeltaFrame(0, 4, Ints({10}), Ints({5, 1, -6}))) ==
        Ints({10, 15, 21, 21}));
  CHECK(Inflated(Compression::kDeltaDelta,
                 DeltaFrame(1, 3, Longs({INT64_MAX}), Longs({INT64_MAX, 2}))) ==
        Longs({INT64_MAX, -2, INT64_MAX}));
}

TEST_CASE("an even number of ints is stored as half as many longs, wrap-around included") {
  // The ints 1 2 3 -1 are the longs 0x0000000100000002 and 0x00000003ffffffff.
  const int64_t first = 0x0000000100000002, second = 0x00000003ffffffff;
  for (const Compression compression : {Compression::kDelta, Compression::kDeltaDelta}) {
    CHECK(Inflated(compression, DeltaFrame(1, 2, Longs({first}), Longs({second - first}))) ==
          Ints({1, 2, 3, -1}));
  }
}

TEST_CASE("DELTA chunks of no value and of one have no block") {
  for (const Compression compression : {Compression::kDelta, Compression::kDeltaDelta}) {
    CHECK(Inflated(compression, DeltaFrame(1, 0, "", "")).empty());
    CHECK(Inflated(compression, DeltaFrame(0, 1, Ints({-5}), "")) == Ints({-5}));
    CHECK(Inflated(compression, DeltaFrame(1, 1, Longs({-5}), "")) == Longs({-5}));
    CHECK(Inflated(compression, DeltaFrame(1, 0, "x", "")).find("declares 0") != std::string::npos);
  }
}

TEST_CASE("DELTA chunks whose counts, block or flag are wrong are refused") {
  const std::string good = DeltaFrame(0, 3, Ints({7}), Ints({1, 2}));
  for (const Compression compression : {Compression::kDelta, Compression::kDeltaDelta}) {
    InflatedBuffer out;
    const auto corrupt = [&](const std::string& packed) {
      return Decompress(compression, AsBytes(packed), SizeTrailer::kBigEndian, 4096, out)
          .IsCorrupt();
    };
    REQUIRE_FALSE(corrupt(good));
    for (size_t size = 0; size < good.size(); ++size) CHECK(corrupt(good.substr(0, size)));
    CHECK(corrupt(good + "x"));
    CHECK(corrupt(DeltaFrame(2, 3, Ints({7}), Ints({1, 2}))));     // flag
    CHECK(corrupt(DeltaFrame(0, 3, Ints({7}), Ints({1}))));        // too few differences
    CHECK(corrupt(DeltaFrame(0, 3, Ints({7}), Ints({1, 2, 3}))));  // too many
    for (const uint32_t count : {0U, 1U, 2U, 4U, 0x7fffffffU, 0x80000000U, 0xffffffffU}) {
      std::string other = good;
      other.replace(1, 4, BigEndian(count));
      CHECK(corrupt(other));
    }
  }
}

TEST_CASE("a bomb is refused by the limit of its chunk, which the error names") {
  const std::string zeros(1 << 20, '\0');
  const std::string numbers(zeros.size() - 8, '\0');
  std::vector<std::pair<Compression, std::string>> bombs = {
      {Compression::kDelta, DeltaFrame(1, zeros.size() / 8, Longs({0}), numbers)},
      {Compression::kDeltaDelta, DeltaFrame(1, zeros.size() / 8, Longs({0}), numbers)}};
  for (const Compression compression : kAll) {
    bombs.emplace_back(compression, Compress(compression, zeros, SizeTrailer::kBigEndian));
  }
  for (const auto& [compression, packed] : bombs) {
    CAPTURE(CompressionName(compression));
    CHECK(Inflated(compression, packed, zeros.size()) == zeros);
    CHECK(Inflated(compression, packed, 65536).find("chunk_size_bytes_max is 65536") !=
          std::string::npos);
  }
}

TEST_CASE("no header makes a chunk larger than the limit of all chunks") {
  const std::string limit = "inflated_size_bytes_max is 1073741824";
  const uint32_t beyond = (1U << 30) + 1;
  const std::string zstandard = "\x28\xB5\x2F\xFD\xA0" + LittleEndian(beyond) + "abcd";
  const std::string snappy(
      "\x81\x80\x80\x80\x04"
      "abcd",
      9);
  CHECK(Inflated(Compression::kSnappy, snappy, SIZE_MAX).find(limit) != std::string::npos);
  CHECK(Inflated(Compression::kZstandard, zstandard, SIZE_MAX).find(limit) != std::string::npos);
  CHECK(Inflated(Compression::kLz4LengthPrefixed, LittleEndian(beyond) + "abcd", SIZE_MAX)
            .find(limit) != std::string::npos);
  CHECK(Inflated(Compression::kGzip, "abcd" + BigEndian(beyond), SIZE_MAX).find(limit) !=
        std::string::npos);
  for (const Compression compression : {Compression::kDelta, Compression::kDeltaDelta}) {
    CHECK(Inflated(compression, std::string(1, '\1') + BigEndian(beyond / 8 + 1) + "abcd", SIZE_MAX)
              .find(limit) != std::string::npos);
    // 8 MiB of values cannot come out of a few bytes, whatever the limit.
    CHECK(Inflated(compression, std::string(1, '\1') + BigEndian(1 << 20) + "abcd", SIZE_MAX)
              .find("inflation_ratio_max is 256") != std::string::npos);
  }
}

TEST_CASE("memory for a bare LZ4 block follows what is in it, not its limit") {
  std::string text;
  for (int i = 0; text.size() < 20 << 20; ++i) text += "number " + std::to_string(i);
  InflatedBuffer out;
  const std::string packed = Lz4Block(text);
  REQUIRE(
      Decompress(Compression::kLz4, AsBytes(packed), SizeTrailer::kBigEndian, SIZE_MAX, out).ok());
  CHECK(AsText(out.view()) == text);
  CHECK(out.capacity_bytes() == 32 << 20);
  std::string damaged = packed;
  damaged.resize(packed.size() - 1);
  CHECK(Decompress(Compression::kLz4, AsBytes(damaged), SizeTrailer::kBigEndian, SIZE_MAX, out)
            .IsCorrupt());
}

TEST_CASE("compression codes outside Pinot's are refused") {
  CHECK(ParseCompression(-1).status().IsCorrupt());
  CHECK(ParseCompression(8).status().IsCorrupt());
  CHECK(ParseCompression(5).value() == Compression::kGzip);
  CHECK(ParseCompression(6).value() == Compression::kDelta);
  CHECK(ParseCompression(7).value() == Compression::kDeltaDelta);
}

TEST_CASE("a shared buffer is not written again, a free one is used again") {
  InflatedBuffer buffer;
  std::memcpy(buffer.Prepare(4), "abcd", 4);
  const uint8_t* first = buffer.view().data();
  auto held = buffer.Share();
  std::memcpy(buffer.Prepare(4), "efgh", 4);
  CHECK(buffer.view().data() != first);
  CHECK(std::memcmp(held.get(), "abcd", 4) == 0);
  const uint8_t* second = buffer.view().data();
  buffer.Prepare(3);
  CHECK(buffer.view().data() == second);
}

TEST_CASE("a thread counts what it inflates, refused chunks among it") {
  InflatedBuffer out;
  const uint64_t before = DecompressCalls();
  for (int i = 0; i < 3; ++i) {
    (void)Decompress(Compression::kLz4, {}, SizeTrailer::kBigEndian, 16, out);
  }
  CHECK(DecompressCalls() == before + 3);
}

}  // namespace
}  // namespace trellis::codec
