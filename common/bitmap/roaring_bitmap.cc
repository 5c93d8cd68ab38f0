#include "common/bitmap/roaring_bitmap.h"

#include <algorithm>
#include <bit>
#include <memory>
#include <vector>

// The portable format (RoaringFormatSpec, 32-bit values), all little-endian:
//
//   u32 cookie: 12346 and then u32 n, or 12347 | (n-1) << 16 and then n run flags, a bit each
//   n x (u16 key, u16 cardinality-1)
//   n x u32 container offset, unless there are runs and n < 4
//   n containers, each one of
//     run:    u16 r, r x (u16 start, u16 length-1)
//     array:  up to 4096 sorted u16s
//     bitset: 8 KiB

namespace trellis::bitmap {
namespace {

constexpr uint32_t kCookieNoRuns = 12346;
constexpr uint32_t kCookieRuns = 12347;
constexpr uint32_t kNoOffsetsBelow = 4;
constexpr uint32_t kArrayCardinalityMax = 4096;
constexpr size_t kBitsetSizeBytes = 8192;
constexpr uint32_t kContainersMax = 65536;

struct Container {
  uint32_t key;
  uint32_t cardinality;
  bool run;
};

struct Head {
  std::vector<Container> containers;
  bool has_offsets = false;
};

Result<Head> ReadHead(ByteReader& reader) {
  Head head;
  TRELLIS_ASSIGN_OR_RETURN(const uint32_t cookie, reader.ReadLittleEndian<uint32_t>());
  const bool runs = (cookie & 0xFFFF) == kCookieRuns;
  uint32_t count = (cookie >> 16) + 1;
  ByteView run_flags;
  if (runs) {
    TRELLIS_ASSIGN_OR_RETURN(run_flags, reader.ReadBytes((count + 7) / 8));
  } else if (cookie == kCookieNoRuns) {
    TRELLIS_ASSIGN_OR_RETURN(count, reader.ReadLittleEndian<uint32_t>());
  } else {
    return Status::Corrupt("roaring bitmap with cookie {}", cookie);
  }
  if (count > kContainersMax || count > reader.remaining() / 4) {
    return Status::Corrupt("roaring bitmap of {} containers in {} bytes", count,
                           reader.remaining());
  }
  head.has_offsets = !runs || count >= kNoOffsetsBelow;
  head.containers.reserve(count);
  for (uint32_t i = 0; i < count; ++i) {
    TRELLIS_ASSIGN_OR_RETURN(const uint16_t key, reader.ReadLittleEndian<uint16_t>());
    TRELLIS_ASSIGN_OR_RETURN(const uint16_t cardinality, reader.ReadLittleEndian<uint16_t>());
    if (i > 0 && key <= head.containers.back().key) {
      return Status::Corrupt("roaring bitmap with key {} after {}", key,
                             head.containers.back().key);
    }
    const bool run = runs && (run_flags[i / 8] >> (i % 8) & 1);
    head.containers.push_back({key, uint32_t{cardinality} + 1, run});
  }
  return head;
}

// The three kinds: each returns the container's highest value, its low 16 bits.
Result<uint32_t> CheckRuns(ByteReader& reader, const Container& container) {
  TRELLIS_ASSIGN_OR_RETURN(const uint16_t runs, reader.ReadLittleEndian<uint16_t>());
  TRELLIS_ASSIGN_OR_RETURN(const ByteView pairs, reader.ReadBytes(size_t{runs} * 4));
  uint32_t next = 0;  // the lowest start the next run may have
  uint32_t cardinality = 0;
  for (size_t i = 0; i < runs; ++i) {
    const uint32_t start = LoadLittleEndian<uint16_t>(pairs.data() + i * 4);
    const uint32_t end = start + LoadLittleEndian<uint16_t>(pairs.data() + i * 4 + 2) + 1;
    if (start < next || end > 65536) {
      return Status::Corrupt("roaring run [{}, {}) after {}", start, end, next);
    }
    cardinality += end - start;
    next = end;
  }
  if (cardinality != container.cardinality) {
    return Status::Corrupt("roaring runs of {} values, the header says {}", cardinality,
                           container.cardinality);
  }
  return next - 1;
}

Result<uint32_t> CheckArray(ByteReader& reader, const Container& container) {
  TRELLIS_ASSIGN_OR_RETURN(const ByteView values,
                           reader.ReadBytes(size_t{container.cardinality} * 2));
  int32_t last = -1;
  for (size_t i = 0; i < container.cardinality; ++i) {
    const int32_t value = LoadLittleEndian<uint16_t>(values.data() + i * 2);
    if (value <= last) return Status::Corrupt("roaring array with {} after {}", value, last);
    last = value;
  }
  return static_cast<uint32_t>(last);
}

Result<uint32_t> CheckBitset(ByteReader& reader, const Container& container) {
  TRELLIS_ASSIGN_OR_RETURN(const ByteView bits, reader.ReadBytes(kBitsetSizeBytes));
  uint32_t cardinality = 0;
  uint32_t highest = 0;
  for (uint32_t i = 0; i < kBitsetSizeBytes / 8; ++i) {
    const uint64_t word = LoadLittleEndian<uint64_t>(bits.data() + i * 8);
    cardinality += static_cast<uint32_t>(std::popcount(word));
    if (word != 0) highest = i * 64 + 63 - static_cast<uint32_t>(std::countl_zero(word));
  }
  if (cardinality != container.cardinality) {
    return Status::Corrupt("roaring bitset of {} values, the header says {}", cardinality,
                           container.cardinality);
  }
  return highest;
}

Status CheckContainers(ByteReader& reader, const Head& head, uint32_t limit) {
  ByteView offsets;
  if (head.has_offsets) {
    TRELLIS_ASSIGN_OR_RETURN(offsets, reader.ReadBytes(head.containers.size() * 4));
  }
  for (size_t i = 0; i < head.containers.size(); ++i) {
    const Container& container = head.containers[i];
    if (head.has_offsets &&
        LoadLittleEndian<uint32_t>(offsets.data() + i * 4) != reader.position()) {
      return Status::Corrupt("roaring container {} lies at {}, its offset says {}", i,
                             reader.position(), LoadLittleEndian<uint32_t>(offsets.data() + i * 4));
    }
    Result<uint32_t> highest = container.run ? CheckRuns(reader, container)
                               : container.cardinality <= kArrayCardinalityMax
                                   ? CheckArray(reader, container)
                                   : CheckBitset(reader, container);
    if (!highest.ok()) return highest.status();
    if (((uint64_t{container.key} << 16) | *highest) >= limit) {
      return Status::Corrupt("roaring bitmap holds {}, values are below {}",
                             (uint64_t{container.key} << 16) | *highest, limit);
    }
  }
  if (!reader.at_end())
    return Status::Corrupt("{} bytes follow a roaring bitmap", reader.remaining());
  return {};
}

}  // namespace

Result<Roaring> ReadRoaring(ByteView bytes, uint32_t limit) {
  // What is checked must be what is read, and a mapped file may be written over in between.
  const auto copy = std::make_unique_for_overwrite<uint8_t[]>(bytes.size());
  std::copy(bytes.begin(), bytes.end(), copy.get());
  bytes = ByteView(copy.get(), bytes.size());
  ByteReader reader(bytes);
  TRELLIS_ASSIGN_OR_RETURN(const Head head, ReadHead(reader));
  TRELLIS_RETURN_IF_ERROR(CheckContainers(reader, head, limit));
  try {
    return Roaring::readSafe(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  } catch (const std::exception& error) {
    return Status::Corrupt("roaring bitmap: {}", error.what());
  }
}

}  // namespace trellis::bitmap
