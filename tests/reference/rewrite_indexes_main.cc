// rewrite_indexes SEGMENT...: reads the rows of each column as Trellis reads them, writes its
// dictionary, its dictionary-encoded forward index and what lies beside them again, and compares
// the bytes with those of the file, for rewrite_test.py. A line an index:
// `equal|differs|skipped SEGMENT COLUMN INDEX BYTES DETAIL`, tabs in between.
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <numeric>

#include "common/column/forward_index_readers.h"
#include "common/encode/dictionary_builder.h"
#include "common/encode/forward_writers.h"
#include "common/encode/index_writers.h"
#include "common/format/var_length_values.h"
#include "common/segment/segment.h"

namespace trellis {
namespace {

namespace fs = std::filesystem;

// Rates of false positives that the table configs of the fixtures ask for.
constexpr double kBloomRates[] = {0.05, 0.01, 0.1, 0.001};

// All of a column, as a builder has it.
struct Rows {
  ColumnVector values;  // every flat value, with the rows' offsets
  ColumnVector sorted;  // the dictionary
  std::vector<uint32_t> ids;
  std::vector<uint32_t> nulls;
};

Result<Rows> ReadRows(const segment::Segment& segment, const segment::Column& column) {
  Rows rows;
  std::vector<uint32_t> docs(segment.document_count());
  std::iota(docs.begin(), docs.end(), 0);
  const auto scratch = column.forward().NewScratch();
  TRELLIS_RETURN_IF_ERROR(column.Read(docs, *scratch, rows.values));
  for (const uint32_t doc : docs) {
    if (rows.values.is_null(doc)) rows.nulls.push_back(doc);
  }
  if (IsMapLike(column.field().type)) return rows;
  const auto builder = encode::DictionaryBuilder::Create(column.field().type);
  TRELLIS_RETURN_IF_ERROR(builder->Add(rows.values, rows.ids));
  std::vector<uint32_t> rank;
  builder->Finish(rows.sorted, rank);
  for (uint32_t& id : rows.ids) id = rank[id];
  return rows;
}

Status WriteForward(const segment::ColumnMetadata& metadata, const Rows& rows, ByteView original,
                    output::OutputFile& file) {
  const auto cardinality = static_cast<uint32_t>(rows.sorted.size());
  const int bits = encode::BitsPerElement(cardinality);
  const auto documents = static_cast<uint32_t>(rows.values.size());
  if (metadata.field.multi_value) {
    const auto writer =
        column::IsEntryDictionary(original)
            ? encode::NewEntryDictionaryWriter(documents, bits, file)
            : encode::NewBitPackedMultiValueWriter(documents, rows.ids.size(), bits, file);
    TRELLIS_RETURN_IF_ERROR(writer->Append(rows.ids, rows.values.offsets()));
    return writer->Finish();
  }
  if (metadata.sorted) {
    encode::SortedIndexWriter writer(cardinality, file);
    TRELLIS_RETURN_IF_ERROR(writer.Append(rows.ids));
    return writer.Finish();
  }
  encode::BitStreamWriter writer(bits, file);
  TRELLIS_RETURN_IF_ERROR(writer.Append(rows.ids));
  return writer.Finish();
}

// The numbers that a range index version 2 has of a column's values.
template <class T>
std::vector<uint64_t> NumbersOf(const std::vector<T>& values, int64_t& min, uint64_t& max) {
  std::vector<uint64_t> numbers(values.size());
  min = 0;
  if constexpr (std::is_integral_v<T>) {
    const auto [lowest, highest] = std::minmax_element(values.begin(), values.end());
    min = *lowest;
    max = static_cast<uint64_t>(*highest) - static_cast<uint64_t>(min);
    for (size_t i = 0; i < values.size(); ++i)
      numbers[i] = static_cast<uint64_t>(values[i]) - static_cast<uint64_t>(min);
  } else {
    max = sizeof(T) == 4 ? UINT32_MAX : UINT64_MAX;
    for (size_t i = 0; i < values.size(); ++i) numbers[i] = encode::OrderedBits(values[i]);
  }
  return numbers;
}

Status WriteRange(const segment::ColumnMetadata& metadata, const Rows& rows, ByteView original,
                  output::OutputFile& file) {
  const auto cardinality = static_cast<uint32_t>(rows.sorted.size());
  if (LoadBigEndian<int32_t>(original.data()) == 1) {
    return metadata.has_dictionary
               ? encode::WriteBucketedRangeIndex(rows.ids, rows.values.offsets(), cardinality, file)
               : encode::WriteBucketedRangeIndex(rows.values, file);
  }
  int64_t min = 0;
  uint64_t max = cardinality - 1;
  std::vector<uint64_t> numbers(rows.ids.begin(), rows.ids.end());
  if (!metadata.has_dictionary) {
    TRELLIS_RETURN_IF_ERROR(WithPhysical(rows.values.physical(), [&](auto tag) -> Status {
      using T = decltype(tag);
      if constexpr (std::is_same_v<T, std::string_view>) {
        return Status::Internal("a range index of bytes");
      } else {
        numbers = NumbersOf(rows.values.values<T>(), min, max);
        return {};
      }
    }));
  }
  const auto writer =
      encode::NewRangeIndexWriter(min, max, static_cast<uint32_t>(rows.values.size()), file);
  TRELLIS_RETURN_IF_ERROR(writer->Append(numbers));
  return writer->Finish();
}

Status WriteBloom(const Rows& rows, ByteView original, output::OutputFile& file) {
  // The rate is not in the file, but the size tells it.
  for (const double rate : kBloomRates) {
    const double bits =
        -static_cast<double>(rows.sorted.size()) * std::log(rate) / (std::log(2.0) * std::log(2.0));
    if (static_cast<uint64_t>(bits + 63) / 64 * 8 + 14 == original.size())
      return encode::WriteBloomFilter(rows.sorted, rate, file);
  }
  return Status::NotFound("no known rate of false positives makes {} bytes", original.size());
}

Status Write(const segment::ColumnMetadata& metadata, std::string_view index, const Rows& rows,
             ByteView original, output::OutputFile& file) {
  if (index == "nullvalue_vector") return encode::WriteNullVector(rows.nulls, file);
  if (index == "forward_index") return WriteForward(metadata, rows, original, file);
  if (index == "range_index") return WriteRange(metadata, rows, original, file);
  if (index == "bloom_filter") return WriteBloom(rows, original, file);
  if (index == "inverted_index") {
    encode::InvertedIndexWriter writer(static_cast<uint32_t>(rows.sorted.size()));
    TRELLIS_RETURN_IF_ERROR(writer.Append(rows.ids, rows.values.offsets()));
    return writer.Finish(file);
  }
  // Configured where it is there without being Pinot's choice.
  const bool variable = PhysicalOf(metadata.field.type) == Physical::kBytes &&
                        format::VarLengthValues::Recognizes(original);
  return encode::WriteDictionary(rows.sorted,
                                 encode::ChooseDictionaryForm(rows.sorted, variable, false), file);
}

// Why an index is not written again; empty when it is.
std::string_view ReasonToSkip(const segment::Column& column, std::string_view index) {
  const segment::ColumnMetadata& metadata = column.metadata();
  if (index == "forward_index" && !metadata.dictionary_encoded) return "raw";
  if (index == "inverted_index" && !metadata.has_dictionary)
    return "the form of 1.5 for raw columns";
  static constexpr std::string_view kKnown[] = {"dictionary",     "forward_index",
                                                "inverted_index", "nullvalue_vector",
                                                "range_index",    "bloom_filter"};
  return std::ranges::find(kKnown, index) == std::end(kKnown) ? "not written by Trellis" : "";
}

void Report(std::string_view verdict, const segment::Segment& segment,
            const segment::SegmentDirectory::Entry& entry, std::string_view detail) {
  std::cout << verdict << '\t' << segment.name() << '\t' << entry.column << '\t' << entry.index
            << '\t' << entry.size_bytes << '\t' << detail << '\n';
}

Status Compare(const segment::Segment& segment, const segment::SegmentDirectory::Entry& entry,
               const segment::Column& column, const Rows& rows) {
  TRELLIS_ASSIGN_OR_RETURN(const ByteView original,
                           segment.directory().Buffer(entry.column, entry.index));
  const fs::path path =
      fs::temp_directory_path() / ("trellis-rewrite-" + std::to_string(::getpid()));
  fs::remove(path);
  TRELLIS_ASSIGN_OR_RETURN(output::OutputFile file, output::OutputFile::Create(path));
  const Status status = Write(column.metadata(), entry.index, rows, original, file);
  TRELLIS_RETURN_IF_ERROR(file.Close());
  std::ifstream in(path, std::ios::binary);
  const std::string written(std::istreambuf_iterator<char>(in), {});
  fs::remove(path);
  if (!status.ok()) {
    Report("differs", segment, entry, status.message());
  } else if (written != AsText(original)) {
    const auto differ = std::mismatch(written.begin(), written.end(), AsText(original).begin(),
                                      AsText(original).end());
    Report("differs", segment, entry,
           fmt::format("{} bytes, first difference at {}", written.size(),
                       differ.first - written.begin()));
  } else {
    Report("equal", segment, entry, "");
  }
  return {};
}

Status Rewrite(const fs::path& path) {
  TRELLIS_ASSIGN_OR_RETURN(const auto segment, segment::Segment::Open(path));
  segment::ColumnPointer column;
  Rows rows;
  for (const auto& entry : segment->directory().entries()) {
    if (!column || column->field().name != entry.column) {
      auto opened = segment->OpenColumn(entry.column);
      if (!opened.ok()) {
        column = nullptr;
        Report("skipped", *segment, entry, opened.status().message());
        continue;
      }
      column = *opened;
      auto read = ReadRows(*segment, *column);
      if (!read.ok()) return read.status().WithContext(entry.column);
      rows = std::move(read).value();
    }
    const std::string_view reason = ReasonToSkip(*column, entry.index);
    if (!reason.empty()) {
      Report("skipped", *segment, entry, reason);
    } else {
      TRELLIS_RETURN_IF_ERROR(Compare(*segment, entry, *column, rows));
    }
  }
  return {};
}

}  // namespace
}  // namespace trellis

int main(int argc, char** argv) {
  for (int i = 1; i < argc; ++i) {
    const trellis::Status status = trellis::Rewrite(argv[i]);
    if (status.ok()) continue;
    std::cerr << argv[i] << ": " << status.message() << "\n";
    return 1;
  }
  return 0;
}
