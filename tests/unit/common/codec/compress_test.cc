#include "common/codec/compress.h"

#include <catch2/catch.hpp>
#include <random>
#include <string>

#include "common/codec/decompress.h"

namespace trellis::codec {
namespace {

const std::vector<Compression> kAll = {Compression::kSnappy,    Compression::kZstandard,
                                       Compression::kLz4,       Compression::kLz4LengthPrefixed,
                                       Compression::kGzip,      Compression::kDelta,
                                       Compression::kDeltaDelta};

std::string Packed(Compression compression, const std::string& text,
                   SizeTrailer trailer = SizeTrailer::kLittleEndian) {
  std::string out(CompressBound(compression, text.size()), '\xCC');
  const auto size = Compress(compression, AsBytes(text), trailer,
                             {reinterpret_cast<uint8_t*>(out.data()), out.size()});
  REQUIRE(size.ok());
  REQUIRE(*size <= out.size());
  out.resize(*size);
  return out;
}

std::string RandomBytes(size_t size, int most) {
  std::mt19937 random(42);
  std::string text(size, '\0');
  for (char& c : text) c = static_cast<char>(random() % static_cast<unsigned>(most));
  return text;
}

TEST_CASE("what is compressed inflates to what it was, compressible or not, of any size") {
  for (const Compression compression : kAll) {
    for (const size_t size : {4, 8, 12, 4096, 4100, 300'000}) {
      for (const int most : {2, 256}) {
        CAPTURE(CompressionName(compression), size, most);
        const std::string text = RandomBytes(size, most);
        InflatedBuffer out;
        const std::string packed = Packed(compression, text);
        REQUIRE(
            Decompress(compression, AsBytes(packed), SizeTrailer::kLittleEndian, size, out).ok());
        CHECK(AsText(out.view()) == text);
      }
    }
  }
}

TEST_CASE("nothing compresses to a chunk of nothing") {
  for (const Compression compression : kAll) {
    CAPTURE(CompressionName(compression));
    InflatedBuffer out;
    const std::string packed = Packed(compression, "");
    REQUIRE(Decompress(compression, AsBytes(packed), SizeTrailer::kLittleEndian, 0, out).ok());
    CHECK(out.view().empty());
  }
}

TEST_CASE("frames are those of the format notes") {
  const std::string text(100, 'a');
  // A snappy block begins with its length as a varint.
  CHECK(Packed(Compression::kSnappy, text)[0] == 100);
  // A zstd frame: magic, then a descriptor with one segment, a content size of one byte and neither
  // checksum nor dictionary.
  const std::string zstd = Packed(Compression::kZstandard, text);
  CHECK(zstd.substr(0, 4) == "\x28\xB5\x2F\xFD");
  CHECK(zstd[4] == 0x20);
  CHECK(zstd[5] == 100);
  const std::string lz4 = Packed(Compression::kLz4, text);
  CHECK(Packed(Compression::kLz4LengthPrefixed, text) == std::string("\x64\0\0\0", 4) + lz4);
  const std::string gzip = Packed(Compression::kGzip, text);
  CHECK(gzip.substr(0, 2) == "\x78\x9C");
  CHECK(gzip.substr(gzip.size() - 4) == std::string("\x64\0\0\0", 4));
  const std::string big = Packed(Compression::kGzip, text, SizeTrailer::kBigEndian);
  CHECK(big.substr(big.size() - 4) == std::string("\0\0\0\x64", 4));
  CHECK(big.substr(0, big.size() - 4) == gzip.substr(0, gzip.size() - 4));
}

TEST_CASE("DELTA and DELTADELTA: one value, several, and their width by the length") {
  const std::string one("\0\0\0\5", 4), two = one + std::string("\0\0\0\7", 4);
  CHECK(Packed(Compression::kDelta, one) == std::string("\0\0\0\0\1", 5) + one);
  // Two INTs are one value of 8 bytes.
  CHECK(Packed(Compression::kDeltaDelta, two) == std::string("\1\0\0\0\1", 5) + two);
  // 5, 7, 4: differences 2, -3; of them, 2, -5. 8 bytes are too short for LZ4 to do anything: one
  // token with the length of the literals, then they.
  const std::string three = two + std::string("\0\0\0\4", 4);
  const std::string head = std::string("\0\0\0\0\3", 5) + one + std::string("\0\0\0\x09\x80", 5);
  CHECK(Packed(Compression::kDelta, three) == head + std::string("\0\0\0\2\xFF\xFF\xFF\xFD", 8));
  CHECK(Packed(Compression::kDeltaDelta, three) ==
        head + std::string("\0\0\0\2\xFF\xFF\xFF\xFB", 8));
}

TEST_CASE("bytes that are no values are refused by DELTA, and PASS_THROUGH is not compressed") {
  std::vector<uint8_t> out(1000);
  const std::string text = "12345";
  CHECK(Compress(Compression::kDelta, AsBytes(text), SizeTrailer::kLittleEndian, out)
            .status()
            .code() == StatusCode::kInvalidArgument);
  CHECK(Compress(Compression::kPassThrough, AsBytes(text), SizeTrailer::kLittleEndian, out)
            .status()
            .code() == StatusCode::kInternal);
}

TEST_CASE("a call depends on its input alone, not on what the thread compressed before") {
  const std::string text = RandomBytes(100'000, 4), other = RandomBytes(50'000, 3);
  for (const Compression compression : kAll) {
    CAPTURE(CompressionName(compression));
    const std::string first = Packed(compression, text);
    Packed(compression, other);
    CHECK(Packed(compression, text) == first);
  }
}

}  // namespace
}  // namespace trellis::codec
