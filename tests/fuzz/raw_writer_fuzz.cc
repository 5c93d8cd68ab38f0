#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <numeric>
#include <string>
#include <vector>

#include "common/column/forward_index.h"
#include "common/raw_writer/raw_writer.h"

// Writes rows and settings that the bytes choose, and reads them again: what a writer accepted must
// come back, and more threads or a known number of chunks must change no byte.

namespace {

using namespace trellis;

constexpr DataType kTypes[] = {DataType::kInt,    DataType::kLong,   DataType::kFloat,
                               DataType::kDouble, DataType::kString, DataType::kBytes};

// Takes what it can: an input that ends goes on with zeros.
class Choices {
 public:
  explicit Choices(ByteView bytes) : bytes_(bytes) {}
  bool done() const { return bytes_.empty(); }
  uint8_t Byte() {
    if (bytes_.empty()) return 0;
    const uint8_t byte = bytes_[0];
    bytes_ = bytes_.subspan(1);
    return byte;
  }
  uint32_t Word() {
    uint32_t word = 0;
    for (int i = 0; i < 4; ++i) word = word << 8 | Byte();
    return word;
  }
  // Some bytes of the input, repeated to a length that may pass any chunk.
  std::string Text() {
    const uint32_t kind = Byte();
    const size_t length = kind < 200 ? kind % 50 : (kind - 199) * size_t{300};
    const size_t period = std::min<size_t>(1 + Byte() % 16, std::max<size_t>(bytes_.size(), 1));
    std::string text(length, static_cast<char>(kind));
    for (size_t i = 0; i < length && i % period < bytes_.size(); ++i)
      text[i] = static_cast<char>(bytes_[i % period]);
    for (size_t i = 0; i < period; ++i) Byte();
    return text;
  }

 private:
  ByteView bytes_;
};

Value OneValue(DataType type, Choices& choices) {
  switch (type) {
    case DataType::kInt:
      return Value::Int(static_cast<int32_t>(choices.Word()));
    case DataType::kLong:
      return Value::Long(static_cast<int64_t>(uint64_t{choices.Word()} << 17));
    case DataType::kFloat:
      return Value::Float(static_cast<float>(choices.Word()) / 3);
    case DataType::kDouble:
      return Value::Double(choices.Word() / 7.0);
    default:
      return Value::Bytes(type, choices.Text());
  }
}

ColumnVector Rows(ValueType type, Choices& choices) {
  ColumnVector rows(type);
  while (!choices.done() && rows.size() < 5000) {
    if (!type.multi_value) {
      rows.Append(OneValue(type.type, choices));
      continue;
    }
    std::vector<Value> values;
    for (uint32_t left = choices.Byte() % 8; left > 0; --left)
      values.push_back(OneValue(type.type, choices));
    rows.Append(Value::Array(type.type, values));
  }
  return rows;
}

std::string Written(const raw_writer::RawLayout& layout, const ColumnVector& rows, unsigned threads,
                    bool& refused) {
  const std::filesystem::path path =
      std::filesystem::temp_directory_path() / fmt::format("raw-writer-fuzz-{}", ::getpid());
  std::filesystem::remove(path);
  auto file = output::OutputFile::Create(path);
  TRELLIS_CHECK(file.ok());
  auto writer =
      raw_writer::NewRawForwardIndexWriter(layout, rows.value_type(), {.threads = threads}, *file);
  TRELLIS_CHECK(writer.ok());
  refused = !(*writer)->Append(rows).ok() || !(*writer)->Finish().ok();
  TRELLIS_CHECK(refused || file->Close().ok());
  std::ifstream in(path, std::ios::binary);
  std::string bytes{std::istreambuf_iterator<char>(in), {}};
  std::filesystem::remove(path);
  return bytes;
}

void CheckReadsAs(const std::string& bytes, const ColumnVector& rows) {
  const auto reader = column::OpenForwardIndex(
      AsBytes(bytes), {.type = rows.type(),
                       .multi_value = rows.is_multi_value(),
                       .document_count = static_cast<uint32_t>(rows.size())});
  TRELLIS_CHECK(reader.ok());
  std::vector<uint32_t> docs(rows.size());
  std::iota(docs.begin(), docs.end(), 0U);
  ColumnVector got;
  const auto scratch = (*reader)->NewScratch();
  TRELLIS_CHECK((*reader)->ReadValues(docs, *scratch, got).ok());
  for (size_t row = 0; row < rows.size(); ++row) TRELLIS_CHECK(got.Get(row) == rows.Get(row));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  Choices choices({data, size});
  const ValueType type = {kTypes[choices.Byte() % std::size(kTypes)], (choices.Byte() & 1) != 0};
  raw_writer::RawSettings settings;
  settings.compression = static_cast<codec::Compression>(choices.Byte() % 8);
  settings.writer_version = choices.Byte() % 8;
  settings.derive_docs_per_chunk = (choices.Byte() & 1) != 0;
  settings.target_docs_per_chunk = static_cast<int8_t>(choices.Byte());
  settings.target_max_chunk_size_bytes = choices.Byte() * int64_t{100};
  const ColumnVector rows = Rows(type, choices);
  raw_writer::RawShape shape{.type = type, .document_count = static_cast<uint32_t>(rows.size())};
  const bool has_rows = type.multi_value || rows.physical() == Physical::kBytes;
  for (size_t row = 0; has_rows && row < rows.size(); ++row) {
    shape.longest_row_bytes =
        std::max(shape.longest_row_bytes,
                 static_cast<uint32_t>(raw_writer::StoredRowBytes(rows, row, true)));
  }
  auto layout = raw_writer::PlanRawLayout(settings, shape);
  if (!layout.ok()) return 0;
  bool refused = false;
  const std::string bytes = Written(*layout, rows, 1, refused);
  if (refused) return 0;
  CheckReadsAs(bytes, rows);
  if (layout->container == raw_writer::Container::kSizedRows) {
    raw_writer::ChunkCounter counter(layout->chunk_size_bytes);
    for (size_t row = 0; row < rows.size(); ++row)
      counter.Add(raw_writer::StoredRowBytes(rows, row, layout->rows_carry_count));
    layout->chunk_count = counter.count();
  }
  TRELLIS_CHECK(Written(*layout, rows, 2, refused) == bytes && !refused);
  return 0;
}
