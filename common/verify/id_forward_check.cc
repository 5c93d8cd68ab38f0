#include "common/verify/id_forward_check.h"

#include <algorithm>
#include <array>
#include <bit>

#include "common/format/bit_stream.h"

namespace trellis::verify {
namespace {

constexpr size_t kWindow = 4096;            // values unpacked at a time
constexpr uint64_t kValuesPerChunk = 2048;  // that a chunk of multi-value rows aims at
constexpr uint32_t kEntryMagic = 0xFFABCDEF;
constexpr uint64_t kEntryHeaderSizeBytes = 24;

uint64_t BytesFor(uint64_t count, int width) {
  return (count * static_cast<uint64_t>(width) + 7) / 8;
}

std::optional<IdFacts> CheckBitPacked(ByteView bytes, const column::ForwardIndexShape& shape,
                                      FaultLog& log) {
  IdFacts facts;
  facts.used.resize(shape.cardinality);
  facts.value_count = shape.document_count;
  facts.longest_row = 1;
  const bool whole =
      WalkBits(bytes, shape.document_count, shape.bits_per_element, shape.cardinality, "dictId",
               log, [&](uint64_t, uint32_t id) { facts.used[id] = true; });
  if (!whole) return std::nullopt;
  return facts;
}

std::optional<IdFacts> CheckSorted(ByteView bytes, const column::ForwardIndexShape& shape,
                                   FaultLog& log) {
  if (bytes.size() != uint64_t{shape.cardinality} * 8) {
    log.Fault(0, fmt::format("{} ranges of 8 bytes", shape.cardinality),
              fmt::format("{} bytes", bytes.size()));
    return std::nullopt;
  }
  int64_t next = 0;
  for (uint64_t id = 0; id < shape.cardinality; ++id) {
    const int64_t first = LoadBigEndian<int32_t>(bytes.data() + id * 8);
    const int64_t last = LoadBigEndian<int32_t>(bytes.data() + id * 8 + 4);
    if (first != next || last < first || last >= shape.document_count) {
      log.Fault(id * 8,
                fmt::format("rows of dictId {} from {}, below {}", id, next, shape.document_count),
                fmt::format("[{}, {}]", first, last));
      return std::nullopt;
    }
    next = last + 1;
  }
  if (next != shape.document_count) {
    log.Fault(bytes.size(), fmt::format("ranges up to row {}", shape.document_count),
              fmt::format("up to {}", next));
    return std::nullopt;
  }
  return IdFacts{std::vector<bool>(shape.cardinality, true), shape.document_count, 1};
}

// Where rows begin, told by the bits that are set; checks the chunks' offsets on the way.
struct RowStarts {
  uint64_t rows = 0;
  uint64_t longest = 0;
};

RowStarts WalkRowStarts(ByteView chunks, ByteView starts, uint64_t docs_per_chunk, uint64_t total,
                        FaultLog& log) {
  RowStarts found;
  uint64_t last = 0;
  const auto begin_row = [&](uint64_t position) {
    if (found.rows > 0) found.longest = std::max(found.longest, position - last);
    last = position;
    const uint64_t chunk = found.rows / docs_per_chunk;
    if (found.rows++ % docs_per_chunk != 0 || chunk * 4 >= chunks.size()) return;
    const uint64_t offset = LoadBigEndian<uint32_t>(chunks.data() + chunk * 4);
    if (offset != position)
      log.Fault(chunk * 4, fmt::format("value {}, where row {} begins", position, found.rows - 1),
                std::to_string(offset));
  };
  for (uint64_t byte = 0; byte < starts.size(); ++byte) {
    for (unsigned bits = starts[byte]; bits != 0;) {
      const int high = std::countl_zero(static_cast<uint8_t>(bits));
      bits &= ~(0x80U >> high);
      const uint64_t position = byte * 8 + static_cast<uint64_t>(high);
      if (position < total) {
        begin_row(position);
      } else {
        log.Fault(chunks.size() + byte, "bits of 0 behind the last value", "a bit of 1");
      }
    }
  }
  if (found.rows > 0) found.longest = std::max(found.longest, total - last);
  return found;
}

// The parts of an entry dictionary, from its header.
struct EntryParts {
  int value_bits, id_bits;
  uint64_t entries, values, offsets_start, values_start;
};

std::optional<EntryParts> ReadEntryHeader(ByteView bytes, const column::ForwardIndexShape& shape,
                                          FaultLog& log) {
  if (bytes.size() < kEntryHeaderSizeBytes) {
    log.Fault(0, "a header of 24 bytes", fmt::format("{} bytes", bytes.size()));
    return std::nullopt;
  }
  const auto number = [&](size_t at) -> int64_t {
    return LoadBigEndian<int32_t>(bytes.data() + at);
  };
  const uint64_t before = log.fault_count();
  const int version = LoadBigEndian<int16_t>(bytes.data() + 4);
  if (version != 1) log.Fault(4, "version 1", std::to_string(version));
  if (bytes[6] != shape.bits_per_element)
    log.Fault(6, fmt::format("{} bits a value", shape.bits_per_element), std::to_string(bytes[6]));
  const int64_t entries = number(8), values = number(12), offsets = number(16), start = number(20);
  if (entries <= 0 || values < 0 || offsets < 0 || start < offsets ||
      static_cast<uint64_t>(start) > bytes.size() || offsets < 24) {
    log.Fault(
        8, fmt::format("counts and ascending offsets within {} bytes", bytes.size()),
        fmt::format("{} rows, {} values, parts at {} and {}", entries, values, offsets, start));
    return std::nullopt;
  }
  const EntryParts parts{bytes[6],
                         bytes[7],
                         static_cast<uint64_t>(entries),
                         static_cast<uint64_t>(values),
                         static_cast<uint64_t>(offsets),
                         static_cast<uint64_t>(start)};
  if (parts.id_bits != BitsFor(parts.entries - 1))
    log.Fault(7, fmt::format("{} bits an id", BitsFor(parts.entries - 1)),
              std::to_string(parts.id_bits));
  if (log.fault_count() != before) return std::nullopt;
  return parts;
}

std::optional<IdFacts> CheckEntryDictionary(ByteView bytes, const column::ForwardIndexShape& shape,
                                            FaultLog& log) {
  const auto parts = ReadEntryHeader(bytes, shape, log);
  if (!parts) return std::nullopt;
  FaultLog offsets_log = log.At(parts->offsets_start), values_log = log.At(parts->values_start);
  FaultLog ids_log = log.At(kEntryHeaderSizeBytes);
  // A row's length is known by the rows' ids, which come first: offsets are walked before them.
  const uint64_t offset_count = parts->entries + 1;
  const ByteView offsets =
      bytes.subspan(parts->offsets_start, parts->values_start - parts->offsets_start);
  uint64_t last = 0;
  std::vector<uint32_t> lengths;
  const int offset_bits = BitsFor(parts->values);
  bool whole =
      WalkBits(offsets, offset_count, offset_bits, parts->values + 1, "offset", offsets_log,
               [&](uint64_t position, uint32_t offset) {
                 const bool bad = offset < last || (position == 0 && offset != 0) ||
                                  (position == offset_count - 1 && offset != parts->values);
                 if (bad)
                   offsets_log.Fault(position * static_cast<uint64_t>(offset_bits) / 8,
                                     fmt::format("offsets from 0 up to {}", parts->values),
                                     fmt::format("{} after {}", offset, last));
                 if (position > 0)
                   lengths.push_back(offset >= last ? static_cast<uint32_t>(offset - last) : 0);
                 last = offset;
               });
  if (!whole || offsets_log.fault_count() > 0) return std::nullopt;
  IdFacts facts;
  facts.used.resize(shape.cardinality);
  whole =
      WalkBits(bytes.subspan(kEntryHeaderSizeBytes, parts->offsets_start - kEntryHeaderSizeBytes),
               shape.document_count, parts->id_bits, parts->entries, "row id", ids_log,
               [&](uint64_t, uint32_t id) {
                 facts.value_count += lengths[id];
                 facts.longest_row = std::max<uint64_t>(facts.longest_row, lengths[id]);
               });
  whole &= WalkBits(bytes.subspan(parts->values_start), parts->values, parts->value_bits,
                    shape.cardinality, "dictId", values_log,
                    [&](uint64_t, uint32_t id) { facts.used[id] = true; });
  if (!whole) return std::nullopt;
  return facts;
}

}  // namespace

int BitsFor(uint64_t largest) {
  return largest <= 1 ? 1 : static_cast<int>(std::bit_width(largest));
}

bool WalkBits(ByteView bytes, uint64_t count, int width, uint64_t limit, std::string_view what,
              FaultLog& log, const std::function<void(uint64_t, uint32_t)>& each) {
  if (width < 1 || width > 31 || bytes.size() != BytesFor(count, width)) {
    log.Fault(0,
              fmt::format("{} values of {} bits in {} bytes", count, width,
                          width < 1 ? 0 : BytesFor(count, width)),
              fmt::format("{} bytes", bytes.size()));
    return false;
  }
  const auto stream = format::BitStream::Open(bytes, count, width);
  if (!stream.ok()) {
    log.Fault(0, "a bit stream", stream.status().message());
    return false;
  }
  const uint64_t before = log.fault_count();
  std::array<uint32_t, kWindow> window;
  for (uint64_t first = 0; first < count; first += kWindow) {
    const std::span<uint32_t> values(window.data(), std::min<uint64_t>(kWindow, count - first));
    stream->Unpack(first, values);
    for (size_t i = 0; i < values.size(); ++i) {
      if (values[i] < limit) {
        each(first + i, values[i]);
      } else {
        log.Fault((first + i) * static_cast<uint64_t>(width) / 8,
                  fmt::format("a {} below {}", what, limit),
                  fmt::format("{} at position {}", values[i], first + i));
      }
    }
  }
  const unsigned spare =
      static_cast<unsigned>(bytes.size() * 8 - count * static_cast<uint64_t>(width));
  if (!bytes.empty() && (bytes.back() & ((1U << spare) - 1)) != 0)
    log.Fault(bytes.size() - 1, fmt::format("{} bits of 0 behind the last value", spare),
              fmt::format("byte {:02x}", bytes.back()));
  return log.fault_count() == before;
}

std::optional<IdFacts> CheckMultiValueBits(ByteView bytes, uint32_t document_count, uint64_t total,
                                           int bits, uint32_t cardinality, FaultLog& log) {
  if (document_count == 0 || total < document_count) {
    log.Fault(0, fmt::format("at least a value for each of {} rows", document_count),
              fmt::format("{} values", total));
    return std::nullopt;
  }
  const uint64_t average = total / document_count;
  const uint64_t docs_per_chunk = (kValuesPerChunk + average - 1) / average;
  const uint64_t starts_at = 4 * ((document_count + docs_per_chunk - 1) / docs_per_chunk);
  const uint64_t ids_at = starts_at + (total + 7) / 8;
  if (bits < 1 || bits > 31 || bytes.size() != ids_at + BytesFor(total, bits)) {
    log.Fault(0,
              fmt::format("{} rows of {} values of {} bits in {} bytes", document_count, total,
                          bits, ids_at + BytesFor(total, std::max(bits, 0))),
              fmt::format("{} bytes", bytes.size()));
    return std::nullopt;
  }
  const uint64_t before = log.fault_count();
  const ByteView starts = bytes.subspan(starts_at, ids_at - starts_at);
  const RowStarts rows = WalkRowStarts(bytes.first(starts_at), starts, docs_per_chunk, total, log);
  if ((starts[0] & 0x80) == 0) log.Fault(starts_at, "a row that starts with value 0", "none");
  if (rows.rows != document_count)
    log.Fault(starts_at, fmt::format("{} bits of 1, one a row", document_count),
              std::to_string(rows.rows));
  IdFacts facts{std::vector<bool>(cardinality), total, rows.longest};
  FaultLog ids_log = log.At(ids_at);
  const bool whole = WalkBits(bytes.subspan(ids_at), total, bits, cardinality, "dictId", ids_log,
                              [&](uint64_t, uint32_t id) { facts.used[id] = true; });
  if (!whole || log.fault_count() != before) return std::nullopt;
  return facts;
}

std::optional<IdFacts> CheckIdForward(ByteView bytes, const column::ForwardIndexShape& shape,
                                      FaultLog& log) {
  if (!shape.multi_value)
    return shape.sorted ? CheckSorted(bytes, shape, log) : CheckBitPacked(bytes, shape, log);
  if (bytes.size() >= 4 && LoadBigEndian<uint32_t>(bytes.data()) == kEntryMagic)
    return CheckEntryDictionary(bytes, shape, log);
  return CheckMultiValueBits(bytes, shape.document_count,
                             static_cast<uint64_t>(std::max<int64_t>(shape.total_entries, 0)),
                             shape.bits_per_element, shape.cardinality, log);
}

}  // namespace trellis::verify
