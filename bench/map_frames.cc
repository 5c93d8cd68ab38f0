#include "bench/map_frames.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "common/base/check.h"
#include "common/output/output_file.h"
#include "common/raw_writer/raw_layout.h"
#include "common/raw_writer/raw_writer.h"

namespace trellis::bench {
namespace {

namespace fs = std::filesystem;

uint64_t Mix(uint64_t number) {
  number = (number ^ (number >> 31)) * 0x9E3779B97F4A7C15;
  number = (number ^ (number >> 29)) * 0xBF58476D1CE4E5B9;
  return number ^ (number >> 32);
}

void PutBigEndian(size_t value, std::string& to) {
  for (int shift = 24; shift >= 0; shift -= 8) to += static_cast<char>(value >> shift);
}

void AppendText(std::string_view text, std::string& to) {
  PutBigEndian(text.size(), to);
  to += text;
}

std::string WordOf(uint64_t random) {
  static constexpr std::string_view kWords[] = {"checkout", "frontend", "payments", "gateway",
                                                "cart",     "shipping", "currency", "catalog"};
  return fmt::format("{}-{:07x}", kWords[random % 8], random >> 36);
}

}  // namespace

std::string MapKeyName(uint32_t entry) { return fmt::format("k8s.attr.{:03}", entry); }

std::string MapValueJson(MapShape shape, uint32_t doc, uint32_t entry) {
  const uint64_t random = Mix((uint64_t{doc} << 16) + entry + 1);
  switch (shape) {
    case MapShape::kFlat:
      return '"' + WordOf(random) + '"';
    case MapShape::kNumeric:
      if (entry % 2 == 0) return std::to_string(random >> 40);
      return fmt::format("{}.{}", random >> 50, 1 + random % 9);
    case MapShape::kNested:
      return fmt::format(R"({{"id":{},"on":"{}"}})", random >> 54,
                         WordOf(random).substr(0, random % 6));
  }
  return {};
}

MapFrames MakeMapFrames(MapShape shape, uint32_t entries) {
  MapFrames frames;
  frames.shape = shape;
  frames.entries = entries;
  std::vector<size_t> starts;
  std::vector<std::string> keys;
  for (uint32_t entry = 0; entry < entries; ++entry) keys.push_back(MapKeyName(entry));
  for (uint32_t doc = 0; doc < MapFrames::kDocsMin || frames.bytes.size() < MapFrames::kBytesMin;
       ++doc) {
    starts.push_back(frames.bytes.size());
    PutBigEndian(entries, frames.bytes);
    for (uint32_t entry = 0; entry < entries; ++entry) {
      AppendText(keys[entry], frames.bytes);
      AppendText(MapValueJson(shape, doc, entry), frames.bytes);
    }
  }
  starts.push_back(frames.bytes.size());
  for (size_t doc = 0; doc + 1 < starts.size(); ++doc) {
    frames.rows.emplace_back(frames.bytes.data() + starts[doc], starts[doc + 1] - starts[doc]);
  }
  return frames;
}

MapColumn MakeMapColumn(const MapFrames& frames, codec::Compression compression, int version) {
  raw_writer::RawShape shape = {.type = {DataType::kMap, false},
                                .document_count = static_cast<uint32_t>(frames.rows.size())};
  for (const std::string_view row : frames.rows) {
    shape.longest_row_bytes = std::max(shape.longest_row_bytes, static_cast<uint32_t>(row.size()));
  }
  // Pinot writes version 5 for multi-value columns alone; as a container it is version 4.
  const raw_writer::RawSettings settings = {.compression = compression,
                                            .writer_version = version == 5 ? 4 : version,
                                            .derive_docs_per_chunk = true,
                                            .target_max_chunk_size_bytes = kMapChunkBytesMax};
  raw_writer::RawLayout layout = raw_writer::PlanRawLayout(settings, shape).value();
  layout.version = version;
  const fs::path path = fs::temp_directory_path() / fmt::format("map_key_bench.{}", ::getpid());
  {
    auto file = output::OutputFile::Create(path).value();
    const auto writer = raw_writer::NewRawForwardIndexWriter(layout, shape.type, {}, file).value();
    for (const std::string_view row : frames.rows) {
      TRELLIS_CHECK(writer->AppendRow(AsBytes(row)).ok());
    }
    TRELLIS_CHECK(writer->Finish().ok() && file.Close().ok());
  }
  MapColumn column;
  {
    std::ifstream in(path, std::ios::binary);
    column.payload.assign(std::istreambuf_iterator<char>(in), {});
  }
  fs::remove(path);
  column.shape = {.type = DataType::kMap, .document_count = shape.document_count};
  column.reader = column::OpenForwardIndex(column.payload, column.shape).value();
  return column;
}

}  // namespace trellis::bench
