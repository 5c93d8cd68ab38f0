// A column made of the input is written in every form that its type allows, and read again: the
// readers must give what was written.
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <numeric>

#include "common/column/dictionary.h"
#include "common/column/forward_index.h"
#include "common/encode/dictionary_builder.h"
#include "common/encode/forward_writers.h"
#include "common/encode/index_writers.h"
#include "common/index/bloom_filter.h"
#include "common/index/inverted_index.h"
#include "common/index/null_vector.h"
#include "common/index/range_index.h"

namespace trellis {
namespace {

using Ids = std::vector<uint32_t>;

// Takes the input apart; zeros when it is used up.
class Input {
 public:
  Input(const uint8_t* data, size_t size) : left_(data, size) {}
  uint8_t Byte() {
    if (left_.empty()) return 0;
    const uint8_t byte = left_.front();
    left_ = left_.subspan(1);
    return byte;
  }
  bool empty() const { return left_.empty(); }
  ByteView Bytes(size_t size) {
    const ByteView bytes = left_.first(std::min(size, left_.size()));
    left_ = left_.subspan(bytes.size());
    return bytes;
  }

 private:
  ByteView left_;
};

// A value of 1 to 8 bytes of the input, so that small numbers and all patterns of bits come.
template <class T>
T Take(Input& input, DataType type) {
  uint64_t bits = 0;
  for (int size = input.Byte() % (sizeof(T) + 1); size > 0; --size) bits = bits << 8 | input.Byte();
  if (type == DataType::kBoolean) bits &= 1;
  T value;
  std::memcpy(&value, &bits, sizeof(T));
  return value;
}
template <>
std::string_view Take(Input& input, DataType type) {
  std::string_view bytes = AsText(input.Bytes(input.Byte() % 24));
  if (type == DataType::kUuid) return bytes.size() < 16 ? "0123456789abcdef" : bytes.substr(0, 16);
  if (type == DataType::kBigDecimal && bytes.size() < 3) return {"\0\1\5", 3};
  // Slots end at a NUL.
  return IsText(type) ? bytes.substr(0, bytes.find('\0')) : bytes;
}

struct Column {
  ColumnVector values;
  Ids offsets;  // of multi-value rows
  bool multi_value = false;
  uint32_t documents = 0;
};

Column TakeColumn(Input& input) {
  constexpr DataType kTypes[] = {DataType::kInt,     DataType::kLong,   DataType::kFloat,
                                 DataType::kDouble,  DataType::kString, DataType::kBytes,
                                 DataType::kBoolean, DataType::kUuid,   DataType::kBigDecimal};
  Column column;
  column.values = ColumnVector(kTypes[input.Byte() % std::size(kTypes)]);
  column.multi_value = input.Byte() % 2 == 1;
  // The same values again and again make long columns of short inputs; few, since they take long.
  const uint8_t length = input.Byte();
  const size_t repeats = length < 0xF0 ? length % 16 : 5000;
  WithPhysical(column.values.physical(), [&](auto tag) {
    using T = decltype(tag);
    auto& flat = column.values.values<T>();
    do {
      flat.push_back(Take<T>(input, column.values.type()));
    } while (!input.empty());
    const size_t size = flat.size();
    for (size_t i = size; i < std::min<size_t>(size * repeats, 70'000); ++i)
      flat.push_back(flat[i * 7 % size]);
    column.values.SetSize(flat.size());
  });
  const auto size = static_cast<uint32_t>(column.values.flat_size());
  column.documents = size;
  if (!column.multi_value) return column;
  for (uint32_t i = 0; i < size; i += 1 + i % 5) column.offsets.push_back(i);
  column.documents = static_cast<uint32_t>(column.offsets.size());
  column.offsets.push_back(size);
  return column;
}

// A file written by `write`, read back; empty and removed for the next.
template <class F>
std::string Written(F&& write) {
  const auto path =
      std::filesystem::temp_directory_path() / ("trellis-fuzz-" + std::to_string(::getpid()));
  std::filesystem::remove(path);
  auto file = output::OutputFile::Create(path);
  TRELLIS_CHECK(file.ok());
  const Status status = write(*file);
  TRELLIS_CHECK(status.ok());
  TRELLIS_CHECK(file->Close().ok());
  std::ifstream in(path, std::ios::binary);
  std::string bytes(std::istreambuf_iterator<char>(in), {});
  std::filesystem::remove(path);
  return bytes;
}

// Equal, but that decimals may have another scale, and every NaN is one.
bool IsSame(const Value& a, const Value& b) { return CompareValues(a, b) == 0; }

void CheckDictionary(const Column& column, const ColumnVector& sorted, const Ids& ids) {
  const auto cardinality = static_cast<uint32_t>(sorted.size());
  for (const bool variable : {false, true}) {
    const auto form = encode::ChooseDictionaryForm(sorted, variable, false);
    const std::string bytes =
        Written([&](auto& file) { return encode::WriteDictionary(sorted, form, file); });
    const auto read = column::OpenDictionary(AsBytes(bytes), sorted.type(), cardinality,
                                             encode::EntryWidthBytes(sorted));
    TRELLIS_CHECK(read.ok());
    for (uint32_t id = 0; id < cardinality; ++id) {
      TRELLIS_CHECK(*(*read)->Find(sorted.Get(id)) == id);
      TRELLIS_CHECK(id == 0 || CompareValues(sorted.Get(id - 1), sorted.Get(id)) < 0);
    }
    for (size_t i = 0; i < std::min<size_t>(ids.size(), 2000); ++i)
      TRELLIS_CHECK(IsSame(*(*read)->At(ids[i]), column.values.Get(i)));
  }
}

void CheckForward(const Column& column, uint32_t cardinality, const Ids& ids, bool sorted) {
  column::ForwardIndexShape shape;
  shape.type = DataType::kInt;
  shape.dictionary_encoded = true;
  shape.multi_value = column.multi_value;
  shape.sorted = sorted;
  shape.document_count = column.documents;
  shape.cardinality = cardinality;
  shape.bits_per_element = encode::BitsPerElement(cardinality);
  shape.total_entries = static_cast<int64_t>(ids.size());
  const auto check = [&](const std::string& bytes) {
    const auto reader = column::OpenForwardIndex(AsBytes(bytes), shape);
    TRELLIS_CHECK(reader.ok());
    Ids docs(column.documents), read, offsets;
    std::iota(docs.begin(), docs.end(), 0);
    TRELLIS_CHECK((*reader)->ReadDictIds(docs, *(*reader)->NewScratch(), read, &offsets).ok());
    TRELLIS_CHECK(read == ids && (!column.multi_value || offsets == column.offsets));
  };
  const auto write = [&](auto&& writer) {
    // In two halves.
    const size_t half = (column.multi_value ? column.documents : ids.size()) / 2;
    if constexpr (requires { writer->Append(ids, column.offsets); }) {
      TRELLIS_RETURN_IF_ERROR(writer->Append(ids, std::span(column.offsets).first(half + 1)));
      TRELLIS_RETURN_IF_ERROR(writer->Append(ids, std::span(column.offsets).subspan(half)));
      return writer->Finish();
    } else {
      TRELLIS_RETURN_IF_ERROR(writer.Append(std::span(ids).first(half)));
      TRELLIS_RETURN_IF_ERROR(writer.Append(std::span(ids).subspan(half)));
      return writer.Finish();
    }
  };
  const int bits = shape.bits_per_element;
  if (sorted) {
    check(Written([&](auto& file) { return write(encode::SortedIndexWriter(cardinality, file)); }));
  } else if (!column.multi_value) {
    check(Written([&](auto& file) { return write(encode::BitStreamWriter(bits, file)); }));
  } else {
    check(Written([&](auto& file) {
      return write(encode::NewBitPackedMultiValueWriter(column.documents, ids.size(), bits, file));
    }));
    check(Written([&](auto& file) {
      return write(encode::NewEntryDictionaryWriter(column.documents, bits, file));
    }));
  }
}

void CheckIndexes(const Column& column, const ColumnVector& sorted, const Ids& ids) {
  const auto cardinality = static_cast<uint32_t>(sorted.size());
  std::vector<Ids> documents(cardinality);
  uint32_t row = 0;
  for (uint32_t i = 0; i < ids.size(); ++i) {
    if (column.multi_value) {
      while (column.offsets[row + 1] <= i) ++row;
    } else {
      row = i;
    }
    Ids& of_id = documents[ids[i]];
    if (of_id.empty() || of_id.back() != row) of_id.push_back(row);
  }
  const std::string inverted = Written([&](auto& file) {
    encode::InvertedIndexWriter writer(cardinality);
    TRELLIS_RETURN_IF_ERROR(writer.Append(ids, column.offsets));
    return writer.Finish(file);
  });
  const auto read = index::InvertedIndex::Open(AsBytes(inverted), cardinality, column.documents);
  TRELLIS_CHECK(read.ok() && (*read)->Check(!column.multi_value).ok());
  for (uint32_t id = 0; id < cardinality; ++id) {
    const auto found = (*read)->Documents(id);
    TRELLIS_CHECK(found.ok() && Ids(found->begin(), found->end()) == documents[id]);
  }
  const std::string nulls =
      Written([&](auto& file) { return encode::WriteNullVector(documents[0], file); });
  const auto read_nulls = index::ReadNullVector(AsBytes(nulls), column.documents);
  TRELLIS_CHECK(read_nulls.ok() && Ids(read_nulls->begin(), read_nulls->end()) == documents[0]);

  const std::string bloom =
      Written([&](auto& file) { return encode::WriteBloomFilter(sorted, 0.03, file); });
  const auto filter = index::BloomFilter::Open(AsBytes(bloom));
  TRELLIS_CHECK(filter.ok());
  for (uint32_t id = 0; id < cardinality; ++id)
    TRELLIS_CHECK((*filter)->MayContain(sorted.Get(id)));
}

void CheckRanges(const Column& column, uint32_t cardinality, const Ids& ids) {
  index::RangeIndexShape shape;
  shape.multi_value = column.multi_value;
  shape.document_count = column.documents;
  shape.cardinality = cardinality;
  const auto check = [&](const std::string& bytes) {
    const auto read = index::RangeIndex::Open(AsBytes(bytes), shape);
    TRELLIS_CHECK(read.ok() && (*read)->Check().ok());
    std::vector<uint8_t> found(column.documents);
    const Status status = (*read)->Visit([&](const index::RangeIndex::Entry& entry) -> Status {
      const uint32_t first = column.multi_value ? column.offsets[entry.document] : entry.document;
      const uint32_t end = column.multi_value ? column.offsets[entry.document + 1] : first + 1;
      found[entry.document] |=
          std::any_of(ids.begin() + first, ids.begin() + end, [&](uint32_t id) {
            return entry.low <= (*read)->KeyOf(id) && (*read)->KeyOf(id) <= entry.high;
          });
      return {};
    });
    TRELLIS_CHECK(status.ok());
    TRELLIS_CHECK(std::ranges::count(found, 1) == static_cast<ptrdiff_t>(column.documents));
  };
  check(Written([&](auto& file) {
    return encode::WriteBucketedRangeIndex(ids, column.offsets, cardinality, file);
  }));
  if (column.multi_value) return;
  check(Written([&](auto& file) {
    const auto writer = encode::NewRangeIndexWriter(0, cardinality - 1, column.documents, file);
    TRELLIS_RETURN_IF_ERROR(writer->Append(std::vector<uint64_t>(ids.begin(), ids.end())));
    return writer->Finish();
  }));
}

}  // namespace
}  // namespace trellis

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace trellis;
  Input input(data, size);
  const Column column = TakeColumn(input);
  const auto builder = encode::DictionaryBuilder::Create(column.values.type());
  Ids ids, rank;
  if (!builder->Add(column.values, ids).ok()) return 0;
  ColumnVector sorted;
  builder->Finish(sorted, rank);
  for (uint32_t& id : ids) id = rank[id];
  const auto cardinality = static_cast<uint32_t>(sorted.size());
  CheckDictionary(column, sorted, ids);
  CheckForward(column, cardinality, ids, false);
  if (!column.multi_value) {
    Ids ascending = ids;
    std::ranges::sort(ascending);
    CheckForward(column, cardinality, ascending, true);
  }
  CheckIndexes(column, sorted, ids);
  CheckRanges(column, cardinality, ids);
  return 0;
}
