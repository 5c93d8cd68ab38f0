#include "common/index/index_kinds.h"

#include <fmt/format.h>

namespace trellis::index {
namespace {

constexpr size_t kNameSizeBytesMax = 32;

std::string Sized(ByteView payload) { return fmt::format("{} bytes", payload.size()); }

IndexDescription Damaged(std::string kind, ByteView payload, bool used) {
  return {std::move(kind), "damaged header, " + Sized(payload), used};
}

IndexDescription DescribeRange(ByteView payload) {
  ByteReader reader(payload);
  const auto version = reader.ReadBigEndian<int32_t>();
  if (!version.ok()) return Damaged("range index", payload, true);
  if (*version == 2) {
    constexpr size_t kSlicesAt = 15, kRowsAt = 18;
    if (payload.size() < kRowsAt + 4) return Damaged("bit-sliced range index", payload, true);
    return {"bit-sliced range index",
            fmt::format("version 2, {} slices, {} rows", payload[kSlicesAt],
                        LoadLittleEndian<uint32_t>(payload.data() + kRowsAt)),
            true};
  }
  if (*version != 1)
    return {"range index", fmt::format("unknown version {}, {}", *version, Sized(payload)), false};
  const auto size = reader.ReadBigEndian<uint32_t>();
  if (!size.ok() || *size > kNameSizeBytesMax)
    return Damaged("bucketed range index", payload, true);
  const auto name = reader.ReadBytes(*size);
  const auto ranges = reader.ReadBigEndian<int32_t>();
  if (!name.ok() || !ranges.ok()) return Damaged("bucketed range index", payload, true);
  return {"bucketed range index", fmt::format("version 1, {} ranges of {}", *ranges, AsText(*name)),
          true};
}

IndexDescription DescribeInverted(ByteView payload) {
  if (payload.size() < 8) return Damaged("inverted index", payload, true);
  const auto first = LoadBigEndian<int32_t>(payload.data());
  if (first != 1) return {"inverted index", Sized(payload), true};
  return {"inverted index with a dictionary of its own",
          fmt::format("as releases 1.5.0 and 1.5.1 wrote it, {} values, {}",
                      LoadBigEndian<int32_t>(payload.data() + 4), Sized(payload)),
          false};
}

IndexDescription DescribeBloom(ByteView payload) {
  constexpr size_t kHeaderSizeBytes = 14;
  if (payload.size() < kHeaderSizeBytes) return Damaged("bloom filter", payload, true);
  return {"bloom filter",
          fmt::format("type {}, version {}, {} hashes, {} words",
                      LoadBigEndian<int32_t>(payload.data()),
                      LoadBigEndian<int32_t>(payload.data() + 4), payload[9],
                      LoadBigEndian<int32_t>(payload.data() + 10)),
          true};
}

IndexDescription DescribeJson(ByteView payload) {
  constexpr size_t kHeaderSizeBytes = 32;
  if (payload.size() < kHeaderSizeBytes) return Damaged("JSON index", payload, false);
  return {"JSON index",
          fmt::format("version {}, {} bytes of keys, {} flattened documents",
                      LoadBigEndian<int32_t>(payload.data()),
                      LoadBigEndian<int64_t>(payload.data() + 8),
                      LoadBigEndian<int64_t>(payload.data() + 24) / 4),
          false};
}

IndexDescription DescribeH3(ByteView payload) {
  constexpr size_t kHeaderSizeBytes = 10;
  if (payload.size() < kHeaderSizeBytes) return Damaged("H3 index", payload, false);
  const auto set = LoadBigEndian<uint16_t>(payload.data() + 8);
  std::string resolutions;
  for (int r = 0; r < 16; ++r) {
    if (set >> r & 1) resolutions += fmt::format("{}{}", resolutions.empty() ? "" : ",", r);
  }
  return {
      "H3 index",
      fmt::format("version {}, {} cells, resolutions {}", LoadBigEndian<int32_t>(payload.data()),
                  LoadBigEndian<int32_t>(payload.data() + 4), resolutions),
      false};
}

// `LUCENE_V2`, then little-endian i32 2, i64 size of all, i32 files, i32 reserved.
IndexDescription DescribeText(ByteView payload) {
  constexpr std::string_view kCombined = "LUCENE_V2";
  if (!AsText(payload).starts_with(kCombined)) return {"Lucene text index", Sized(payload), false};
  ByteReader reader(payload.subspan(kCombined.size()));
  const auto version = reader.ReadLittleEndian<int32_t>();
  const auto size = reader.ReadLittleEndian<int64_t>();
  const auto files = reader.ReadLittleEndian<int32_t>();
  if (!version.ok() || !size.ok() || !files.ok())
    return Damaged("Lucene text index in one file", payload, false);
  return {"Lucene text index in one file",
          fmt::format("version {}, {} files, {} bytes", *version, *files, *size), false};
}

IndexDescription DescribeFst(std::string kind, ByteView payload) {
  return {std::move(kind), "Lucene transducer, " + Sized(payload), false};
}

}  // namespace

IndexDescription DescribeIndex(std::string_view id, ByteView payload) {
  if (id == "range_index") return DescribeRange(payload);
  if (id == "inverted_index") return DescribeInverted(payload);
  if (id == "bloom_filter") return DescribeBloom(payload);
  if (id == "json_index") return DescribeJson(payload);
  if (id == "h3_index") return DescribeH3(payload);
  if (id == "text_index") return DescribeText(payload);
  if (id == "fst_index") return DescribeFst("FST index", payload);
  if (id == "ifst_index") return DescribeFst("case-insensitive FST index", payload);
  if (id == "vector_index") return {"vector index", Sized(payload), false};
  if (id == "open_struct_index") return {"OPEN_STRUCT index", Sized(payload), false};
  if (id == "dictionary") return {"dictionary", Sized(payload), true};
  if (id == "forward_index") return {"forward index", Sized(payload), true};
  if (id == "nullvalue_vector") return {"null value vector", Sized(payload), true};
  return {"unknown index", Sized(payload), false};
}

}  // namespace trellis::index
