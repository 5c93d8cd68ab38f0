#include "common/wire/block_codec.h"

#include <algorithm>
#include <limits>

#include "common/wire/block_layout.h"
#include "common/wire/field_counter.h"
#include "common/wire/message_limits.h"
#include "common/wire/wire_format.h"
#include "trellis/v1/leaf.pb.h"

namespace trellis::wire {
namespace {

void SetRange(BodyRange from, v1::BufferRange& to) {
  to.set_offset(from.offset);
  to.set_size_bytes(from.size_bytes);
}

// Our own operators filled the column; still, a fault there must not become a corrupt message.
Status CheckShape(const ColumnVector& column, size_t rows, size_t index) {
  const size_t flat = column.flat_size();
  bool fits = column.size() == rows;
  if (column.is_multi_value()) {
    const auto& offsets = column.offsets();
    fits = fits && !column.is_constant() && offsets.size() == rows + 1 && offsets.front() == 0 &&
           offsets.back() == flat && std::is_sorted(offsets.begin(), offsets.end());
  } else {
    fits = fits && flat == (column.is_constant() ? 1 : rows);
  }
  if (column.has_nulls()) fits = fits && column.nulls().size() >= (column.is_constant() ? 1 : rows);
  if (fits) return Status::Ok();
  return Status::Internal(
      "column {} of a block of {} rows is inconsistent: {} rows, {} values, {} null bytes", index,
      rows, column.size(), flat, column.nulls().size());
}

// Gathers text into one buffer with its offsets, which is what the layout asks for.
Status AddText(const std::vector<std::string_view>& values, v1::ColumnHeader& header,
               BodyWriter& body) {
  size_t total = 0;
  for (const std::string_view value : values) total += value.size();
  TRELLIS_RETURN_IF_ERROR(CheckMessageSize(total, "a text column of a block"));
  auto offsets = std::make_shared<std::vector<uint32_t>>(values.size() + 1);
  std::string text;
  text.reserve(total);
  for (size_t i = 0; i < values.size(); ++i) {
    text += values[i];
    (*offsets)[i + 1] = static_cast<uint32_t>(text.size());
  }
  SetRange(body.Add(SharedBytes::Own(std::move(text))), *header.mutable_values());
  SetRange(body.Add(VectorBytes(*offsets, offsets)), *header.mutable_value_offsets());
  return Status::Ok();
}

Status AddColumn(const std::shared_ptr<const Block>& block, size_t index,
                 v1::BlockHeader& block_header, BodyWriter& body) {
  const ColumnVector& column = block->columns[index];
  TRELLIS_RETURN_IF_ERROR(CheckShape(column, block->rows, index));
  v1::ColumnHeader& header = *block_header.add_columns();
  header.mutable_type()->set_type(static_cast<v1::DataType>(column.type()));
  header.mutable_type()->set_multi_value(column.is_multi_value());
  header.set_flat_size(column.flat_size());
  header.set_constant(column.is_constant());
  if (column.has_nulls()) {
    const std::span<const uint8_t> nulls(column.nulls().data(),
                                         column.is_constant() ? 1 : block->rows);
    if (std::any_of(nulls.begin(), nulls.end(), [](uint8_t null) { return null != 0; })) {
      SetRange(body.Add(SharedBytes::Own(ToValidity(nulls))), *header.mutable_validity());
    }
  }
  if (column.is_multi_value())
    SetRange(body.Add(VectorBytes(column.offsets(), block)), *header.mutable_offsets());
  return WithPhysical(column.physical(), [&](auto tag) -> Status {
    using T = decltype(tag);
    if constexpr (std::is_same_v<T, std::string_view>) {
      return AddText(column.values<T>(), header, body);
    } else {
      SetRange(body.Add(VectorBytes(column.values<T>(), block)), *header.mutable_values());
      return Status::Ok();
    }
  });
}

// Bytes that a column's buffers claim.
uint64_t ClaimedBytes(const v1::ColumnHeader& header) {
  uint64_t claimed = 0;
  for (const v1::BufferRange* range :
       {&header.validity(), &header.offsets(), &header.values(), &header.value_offsets()}) {
    claimed += std::min<uint64_t>(range->size_bytes(), kMessageLimits.message_bytes_max + 1);
  }
  return claimed;
}

// Reads one column of an untrusted block.
class ColumnReader {
 public:
  ColumnReader(const v1::ColumnHeader& header, uint64_t rows, const SharedBytes& body, size_t index)
      : header_(header), rows_(rows), body_(body), index_(index) {}

  Result<ColumnVector> Read() const;

 private:
  template <class... A>
  Status Fail(fmt::format_string<A...> format, A&&... arguments) const {
    return Status::Corrupt("column {} of a block: {}", index_,
                           fmt::format(format, std::forward<A>(arguments)...));
  }
  Result<ByteView> Buffer(const v1::BufferRange& range, std::string_view what) const;
  // A buffer of exactly `count` values of `width` bytes.
  Result<ByteView> Fixed(const v1::BufferRange& range, uint64_t count, size_t width,
                         std::string_view what) const;
  // Ascending u32 offsets from 0 to `last`, one more than `count`.
  Result<std::vector<uint32_t>> Offsets(const v1::BufferRange& range, uint64_t count, uint64_t last,
                                        std::string_view what) const;
  Status ReadText(std::vector<std::string_view>& values) const;
  Status ReadNulls(ColumnVector& column) const;

  const v1::ColumnHeader& header_;
  const uint64_t rows_;
  const SharedBytes& body_;
  const size_t index_;
};

Result<ByteView> ColumnReader::Buffer(const v1::BufferRange& range, std::string_view what) const {
  const uint64_t body_size = body_.size_bytes();
  if (range.offset() > body_size || range.size_bytes() > body_size - range.offset()) {
    return Fail("its {} are {} bytes at {} of a body of {}", what, range.size_bytes(),
                range.offset(), body_size);
  }
  return body_.view.subspan(range.offset(), range.size_bytes());
}

Result<ByteView> ColumnReader::Fixed(const v1::BufferRange& range, uint64_t count, size_t width,
                                     std::string_view what) const {
  TRELLIS_ASSIGN_OR_RETURN(const ByteView buffer, Buffer(range, what));
  if (buffer.size() % width != 0 || buffer.size() / width != count) {
    return Fail("its {} have {} bytes for {} values of {}", what, buffer.size(), count, width);
  }
  return buffer;
}

Result<std::vector<uint32_t>> ColumnReader::Offsets(const v1::BufferRange& range, uint64_t count,
                                                    uint64_t last, std::string_view what) const {
  TRELLIS_ASSIGN_OR_RETURN(const ByteView buffer, Fixed(range, count + 1, sizeof(uint32_t), what));
  std::vector<uint32_t> offsets(count + 1);
  std::memcpy(offsets.data(), buffer.data(), buffer.size());
  if (offsets.front() != 0 || offsets.back() != last ||
      !std::is_sorted(offsets.begin(), offsets.end())) {
    return Fail("its {} do not ascend from 0 to {}", what, last);
  }
  return offsets;
}

Status ColumnReader::ReadText(std::vector<std::string_view>& values) const {
  TRELLIS_ASSIGN_OR_RETURN(const ByteView text, Buffer(header_.values(), "values"));
  TRELLIS_ASSIGN_OR_RETURN(const auto offsets, Offsets(header_.value_offsets(), header_.flat_size(),
                                                       text.size(), "value offsets"));
  values.resize(header_.flat_size());
  for (size_t i = 0; i < values.size(); ++i) {
    values[i] = AsText(text.subspan(offsets[i], offsets[i + 1] - offsets[i]));
  }
  return Status::Ok();
}

Status ColumnReader::ReadNulls(ColumnVector& column) const {
  if (!header_.has_validity()) return Status::Ok();
  const uint64_t bits = header_.constant() ? 1 : rows_;
  TRELLIS_ASSIGN_OR_RETURN(const ByteView validity,
                           Fixed(header_.validity(), (bits + 7) / 8, 1, "validity bits"));
  if (bits != 0) column.mutable_nulls() = FromValidity(validity, bits);
  return Status::Ok();
}

Result<ColumnVector> ColumnReader::Read() const {
  const int type_number = header_.type().type();
  if (type_number < 0 || type_number > static_cast<int>(DataType::kOpenStruct)) {
    return Fail("its type is {}, which this build does not know", type_number);
  }
  const ValueType type{static_cast<DataType>(type_number), header_.type().multi_value()};
  if (type.multi_value && header_.constant()) return Fail("it is both multi-value and constant");
  const uint64_t flat = header_.flat_size();
  if (!type.multi_value && flat != (header_.constant() ? 1 : rows_)) {
    return Fail("it has {} values for {} rows", flat, rows_);
  }
  // Offsets are 32-bit, and every value takes at least four bytes of the body.
  if (flat > std::numeric_limits<uint32_t>::max() - 1) return Fail("it has {} values", flat);

  // A constant is read as one row; at the end it is made to repeat.
  ColumnVector column(type);
  Status read = WithPhysical(PhysicalOf(type.type), [&](auto tag) -> Status {
    using T = decltype(tag);
    auto& values = column.values<T>();
    if constexpr (std::is_same_v<T, std::string_view>) {
      return ReadText(values);
    } else {
      TRELLIS_ASSIGN_OR_RETURN(const ByteView buffer,
                               Fixed(header_.values(), flat, sizeof(T), "values"));
      values.resize(flat);
      if (flat != 0) std::memcpy(values.data(), buffer.data(), buffer.size());
      return Status::Ok();
    }
  });
  TRELLIS_RETURN_IF_ERROR(std::move(read));
  if (type.multi_value) {
    TRELLIS_ASSIGN_OR_RETURN(column.offsets(), Offsets(header_.offsets(), rows_, flat, "offsets"));
  }
  column.SetSize(header_.constant() ? 1 : rows_);
  TRELLIS_RETURN_IF_ERROR(ReadNulls(column));
  if (PhysicalOf(type.type) == Physical::kBytes && !header_.constant()) column.Keep(body_.owner);
  if (!header_.constant()) return column;
  ColumnVector constant = ColumnVector::Constant(column.Get(0), rows_);
  constant.Relabel(type.type);
  return constant;
}

}  // namespace

Result<EncodedBlock> EncodeBlock(std::shared_ptr<const Block> block) {
  if (block->rows > kMessageLimits.block_rows_max ||
      block->columns.size() > kMessageLimits.block_columns_max) {
    return Status::ResourceExhausted(
        "a block has {} rows and {} columns, at most {} and {}", block->rows, block->columns.size(),
        kMessageLimits.block_rows_max, kMessageLimits.block_columns_max);
  }
  v1::BlockHeader header;
  header.set_rows(block->rows);
  BodyWriter body;
  for (size_t i = 0; i < block->columns.size(); ++i)
    TRELLIS_RETURN_IF_ERROR(AddColumn(block, i, header, body));
  TRELLIS_RETURN_IF_ERROR(CheckMessageSize(body.body_bytes(), "a block"));
  header.set_body_bytes(body.body_bytes());
  EncodedBlock encoded;
  encoded.header = header.SerializeAsString();
  encoded.body_bytes = body.body_bytes();
  encoded.body = body.TakeSlices();
  return encoded;
}

Result<Block> DecodeBlock(ByteView header_bytes, const SharedBytes& body) {
  TRELLIS_RETURN_IF_ERROR(CheckMessageSize(header_bytes.size() + body.size_bytes(), "a block"));
  // A column's header has six parts.
  constexpr size_t kFieldsMax = 7 * kMessageLimits.block_columns_max;
  static const FieldCounter counter(*v1::BlockHeader::descriptor());
  const Status fields = counter.Check(header_bytes, kFieldsMax, kWireDepthMax, "BlockHeader");
  if (!fields.ok()) return Status::Corrupt("{}", fields.message());
  v1::BlockHeader header;
  if (!header.ParseFromArray(header_bytes.data(), static_cast<int>(header_bytes.size()))) {
    return Status::Corrupt("the header of a block is not a BlockHeader message ({} bytes)",
                           header_bytes.size());
  }
  if (header.body_bytes() != body.size_bytes()) {
    return Status::Corrupt("the body of a block has {} bytes, its header says {}",
                           body.size_bytes(), header.body_bytes());
  }
  if (header.rows() > kMessageLimits.block_rows_max ||
      static_cast<uint64_t>(header.columns_size()) > kMessageLimits.block_columns_max) {
    return Status::Corrupt("a block has {} rows and {} columns, at most {} and {}", header.rows(),
                           header.columns_size(), kMessageLimits.block_rows_max,
                           kMessageLimits.block_columns_max);
  }
  Block block;
  block.rows = header.rows();
  block.columns.reserve(static_cast<size_t>(header.columns_size()));
  // Columns that share ranges could make a small body fill memory; no encoder writes them.
  uint64_t claimed = 0;
  for (int i = 0; i < header.columns_size(); ++i) {
    claimed += ClaimedBytes(header.columns(i));
    if (claimed > body.size_bytes()) {
      return Status::Corrupt(
          "column {} of a block: the buffers up to it have {} bytes in a body of {}", i, claimed,
          body.size_bytes());
    }
    ColumnReader reader(header.columns(i), header.rows(), body, static_cast<size_t>(i));
    TRELLIS_ASSIGN_OR_RETURN(ColumnVector column, reader.Read());
    block.columns.push_back(std::move(column));
  }
  return block;
}

}  // namespace trellis::wire
