// rewrite_raw_indexes SEGMENT [TABLE_CONFIG]
// rewrite_raw_indexes --file FILE TYPE DOCUMENTS
//
// Reads each raw forward index, writes its rows again with the layout that the file's header shows,
// and prints a line for it: "COLUMN TYPE vVERSION CODEC VERDICT". VERDICT is
//   equal       every byte,
//   chunks      header, documents of the chunks and inflated chunks; compressed bytes differ,
//   different:  something else, with its reason.
// With a table config "plan" follows where the layout planned from it is not the header's. For
// rewrite_raw_test.py.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <numeric>
#include <string>
#include <vector>

#include "common/codec/decompress.h"
#include "common/column/forward_index.h"
#include "common/format/raw_chunk.h"
#include "common/format/raw_v4.h"
#include "common/raw_writer/raw_writer.h"
#include "common/segment/segment.h"
#include "common/table_config/indexing_config.h"

namespace {

using namespace trellis;
namespace fs = std::filesystem;
using raw_writer::Container;
using raw_writer::RawLayout;

std::string ContentOf(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

// The layout that the header of a file with `documents` rows shows.
RawLayout LayoutOf(ByteView bytes, ValueType type, uint32_t documents) {
  const auto field = [&](size_t at) { return LoadBigEndian<uint32_t>(bytes.data() + at); };
  const bool one_fixed = !type.multi_value && PhysicalOf(type.type) != Physical::kBytes;
  RawLayout layout;
  layout.version = static_cast<int32_t>(field(0));
  layout.document_count = documents;
  if (!one_fixed && layout.version >= 4) {
    layout.container = Container::kSizedRows;
    layout.chunk_size_bytes = field(4);
    layout.compression = static_cast<codec::Compression>(field(8));
    layout.rows_carry_count = PhysicalOf(type.type) == Physical::kBytes || layout.version == 4;
    return layout;
  }
  layout.container = one_fixed ? Container::kFixed : Container::kChunkedRows;
  layout.docs_per_chunk = field(8);
  layout.entry_size_bytes = field(12);
  layout.compression = static_cast<codec::Compression>(field(20));
  return layout;
}

// Pinot's figure for the longest row (raw_layout.h).
uint32_t PlannedRowBytes(const ColumnVector& values) {
  uint64_t most_values = 0, most_bytes = 0, longest = 0;
  for (size_t row = 0; row < values.size(); ++row) {
    if (!values.is_multi_value() && values.physical() != Physical::kBytes) break;
    const uint64_t bytes = raw_writer::StoredRowBytes(values, row, true);
    const uint64_t count =
        values.is_multi_value() ? values.offsets()[row + 1] - values.offsets()[row] : 0;
    longest = std::max(longest, bytes);
    most_values = std::max(most_values, count);
    most_bytes = std::max(most_bytes, bytes - (values.is_multi_value() ? 4 + 4 * count : 0));
  }
  const bool variable_rows = values.is_multi_value() && values.physical() == Physical::kBytes;
  return static_cast<uint32_t>(variable_rows ? 4 + 4 * most_values + most_bytes : longest);
}

Result<std::string> Write(const RawLayout& layout, const ColumnVector& values) {
  const fs::path path = fs::temp_directory_path() / fmt::format("trellis-rewrite-{}", ::getpid());
  fs::remove(path);
  TRELLIS_ASSIGN_OR_RETURN(auto file, output::OutputFile::Create(path));
  TRELLIS_ASSIGN_OR_RETURN(
      const auto writer,
      raw_writer::NewRawForwardIndexWriter(layout, values.value_type(), {.threads = 2}, file));
  TRELLIS_RETURN_IF_ERROR(writer->Append(values));
  TRELLIS_RETURN_IF_ERROR(writer->Finish());
  TRELLIS_RETURN_IF_ERROR(file.Close());
  std::string bytes = ContentOf(path);
  fs::remove(path);
  return bytes;
}

// The chunks as they are before compression, each behind what the table says of its documents.
Result<std::vector<std::string>> ChunksOf(ByteView bytes, const RawLayout& layout) {
  std::vector<std::string> chunks;
  const auto add = [&](const std::string& documents, ByteView chunk,
                       codec::SizeTrailer trailer) -> Status {
    codec::InflatedBuffer inflated;
    if (layout.compression != codec::Compression::kPassThrough) {
      TRELLIS_RETURN_IF_ERROR(codec::Decompress(layout.compression, chunk, trailer,
                                                codec::kInflatedSizeBytesMax, inflated));
      chunk = inflated.view();
    }
    chunks.push_back(documents + std::string(AsText(chunk)));
    return {};
  };
  if (layout.container == Container::kSizedRows) {
    TRELLIS_ASSIGN_OR_RETURN(const auto file,
                             format::RawV4File::Open(bytes, layout.document_count));
    for (uint32_t doc = 0; doc < layout.document_count;) {
      TRELLIS_ASSIGN_OR_RETURN(const auto chunk, file.ChunkOf(doc));
      TRELLIS_RETURN_IF_ERROR(
          add(fmt::format("{} {} {} ", chunk.first_doc, chunk.end_doc, chunk.huge), chunk.bytes,
              codec::SizeTrailer::kLittleEndian));
      doc = chunk.end_doc;
    }
    return chunks;
  }
  TRELLIS_ASSIGN_OR_RETURN(const auto file,
                           format::RawChunkFile::Open(bytes, layout.document_count));
  for (uint32_t number = 0; number < file.chunk_count(); ++number) {
    TRELLIS_ASSIGN_OR_RETURN(const ByteView chunk, file.Chunk(number));
    TRELLIS_RETURN_IF_ERROR(add("", chunk, codec::SizeTrailer::kBigEndian));
  }
  return chunks;
}

std::string Verdict(ByteView theirs, const std::string& ours, const RawLayout& layout) {
  if (AsText(theirs) == ours) return "equal";
  const size_t header = layout.container == Container::kSizedRows ? 16 : 28;
  if (ours.size() < header || AsText(theirs).substr(0, header) != ours.substr(0, header))
    return "different: the headers";
  const auto a = ChunksOf(theirs, layout), b = ChunksOf(AsBytes(ours), layout);
  if (!a.ok()) return "different: " + a.status().message();
  if (!b.ok()) return "different: ours: " + b.status().message();
  return *a == *b ? "chunks" : "different: the chunks";
}

std::string PlanVerdict(const table_config::FieldIndexing* asked, const RawLayout& shown,
                        const ColumnVector& values, FieldRole role) {
  if (asked == nullptr) return "";
  raw_writer::RawSettings settings;
  settings.writer_version = asked->raw_writer_version;
  settings.derive_docs_per_chunk = asked->derive_docs_per_chunk;
  settings.target_docs_per_chunk = asked->target_docs_per_chunk;
  settings.target_max_chunk_size_bytes = asked->target_max_chunk_size_bytes;
  const std::string codec = !asked->compression_codec.empty() ? asked->compression_codec
                            : role == FieldRole::kMetric      ? "PASS_THROUGH"
                                                              : "LZ4";
  for (int code = 0; code <= 7; ++code) {
    if (codec::CompressionName(static_cast<codec::Compression>(code)) == codec)
      settings.compression = static_cast<codec::Compression>(code);
  }
  const auto planned = raw_writer::PlanRawLayout(
      settings, {values.value_type(), shown.document_count, PlannedRowBytes(values)});
  if (!planned.ok()) return " plan: " + planned.status().message();
  const auto text = [](const RawLayout& l) {
    return fmt::format("{} v{} codec {} D {} target {} entry {} carry {}",
                       static_cast<int>(l.container), l.version, static_cast<int>(l.compression),
                       l.docs_per_chunk, l.chunk_size_bytes, l.entry_size_bytes,
                       l.rows_carry_count);
  };
  if (text(*planned) == text(shown)) return "";
  return fmt::format(" plan: {}, the header: {}", text(*planned), text(shown));
}

Status Rewrite(const std::string& name, ByteView bytes, const FieldSpec& field, uint32_t documents,
               const table_config::FieldIndexing* asked) {
  TRELLIS_ASSIGN_OR_RETURN(const auto reader,
                           column::OpenForwardIndex(bytes, {.type = field.type,
                                                            .multi_value = field.multi_value,
                                                            .document_count = documents}));
  std::vector<uint32_t> docs(documents);
  std::iota(docs.begin(), docs.end(), 0U);
  ColumnVector values;
  const auto scratch = reader->NewScratch();
  TRELLIS_RETURN_IF_ERROR(reader->ReadValues(docs, *scratch, values));
  const RawLayout layout = LayoutOf(bytes, field.value_type(), documents);
  TRELLIS_ASSIGN_OR_RETURN(const std::string ours, Write(layout, values));
  std::cout << fmt::format("{} {} v{} {} {}{}\n", name, ValueTypeName(field.value_type()),
                           layout.version, codec::CompressionName(layout.compression),
                           Verdict(bytes, ours, layout),
                           PlanVerdict(asked, layout, values, field.role));
  return {};
}

bool IsClp(ByteView bytes) { return bytes.size() > 4 && AsText(bytes).substr(0, 4) == "CLP."; }

Status RewriteSegment(const fs::path& path, const char* table_config) {
  TRELLIS_ASSIGN_OR_RETURN(const auto segment, segment::Segment::Open(path));
  table_config::IndexingConfig config;
  if (table_config != nullptr) {
    TRELLIS_ASSIGN_OR_RETURN(config, table_config::ParseIndexingConfig(ContentOf(table_config)));
  }
  for (const segment::ColumnMetadata& column : segment->metadata().columns) {
    const std::string& name = column.field.name;
    if (column.dictionary_encoded || !segment->directory().Has(name, "forward_index")) continue;
    TRELLIS_ASSIGN_OR_RETURN(const ByteView bytes,
                             segment->directory().Buffer(name, "forward_index"));
    if (IsClp(bytes)) continue;
    const auto* asked = table_config == nullptr ? nullptr : &config.Of(name);
    TRELLIS_RETURN_IF_ERROR(
        Rewrite(name, bytes, column.field, segment->document_count(), asked).WithContext(name));
  }
  return {};
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    std::cerr << "usage: rewrite_raw_indexes SEGMENT [TABLE_CONFIG] | --file FILE TYPE DOCUMENTS\n";
    return 2;
  }
  Status status;
  if (std::string(argv[1]) == "--file" && argc == 5) {
    FieldSpec field;
    field.type = ParseDataType(argv[3]).value_or(DataType::kString);
    const std::string bytes = ContentOf(argv[2]);
    status = Rewrite(fs::path(argv[2]).filename(), AsBytes(bytes), field,
                     static_cast<uint32_t>(std::stoul(argv[4])), nullptr);
  } else {
    status = RewriteSegment(argv[1], argc > 2 ? argv[2] : nullptr);
  }
  if (status.ok()) return 0;
  std::cerr << status.message() << "\n";
  return 1;
}
