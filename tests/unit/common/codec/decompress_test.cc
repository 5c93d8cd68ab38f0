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

TEST_CASE("compression codes outside Pinot's are refused and DELTA is named") {
  CHECK(ParseCompression(-1).status().IsCorrupt());
  CHECK(ParseCompression(8).status().IsCorrupt());
  CHECK(ParseCompression(5).value() == Compression::kGzip);
  InflatedBuffer out;
  const Status status =
      Decompress(Compression::kDelta, AsBytes("abc"), SizeTrailer::kBigEndian, 9, out);
  CHECK(status.code() == StatusCode::kUnimplemented);
  CHECK(status.message().find("DELTA") != std::string::npos);
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

}  // namespace
}  // namespace trellis::codec
