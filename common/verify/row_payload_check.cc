#include "common/verify/row_payload_check.h"

#include <algorithm>

#include "common/verify/text_check.h"

namespace trellis::verify {
namespace {

uint32_t WidthOf(Physical physical) {
  return physical == Physical::kInt32 || physical == Physical::kFloat ? 4 : 8;
}

// Every entry fills its length, and the last ends with the frame.
Status CheckMapFrame(ByteView frame) {
  ByteReader reader(frame);
  TRELLIS_ASSIGN_OR_RETURN(const int32_t count, reader.ReadBigEndian<int32_t>());
  if (count < 0) return Status::Corrupt("{} entries", count);
  for (int32_t i = 0; i < 2 * int64_t{count}; ++i) {
    TRELLIS_ASSIGN_OR_RETURN(const int32_t size, reader.ReadBigEndian<int32_t>());
    if (size < 0) return Status::Corrupt("a length of {}", size);
    TRELLIS_RETURN_IF_ERROR(reader.ReadBytes(static_cast<size_t>(size)).status());
  }
  if (!reader.at_end())
    return Status::Corrupt("{} bytes behind the last entry", reader.remaining());
  return {};
}

void CheckVariableRow(ByteView row, DataType type, uint64_t doc, uint64_t offset, RowFacts& facts,
                      FaultLog& log) {
  auto values = format::VariableRow::Open(row);
  if (!values.ok())
    return log.Fault(offset, fmt::format("row {} of values that fill it", doc),
                     values.status().message());
  for (uint32_t i = 0; i < values->size(); ++i)
    CheckValueBytes(type, AsText(values->Next()), offset, log);
  facts.value_count += values->size();
  facts.longest_row = std::max<uint64_t>(facts.longest_row, values->size());
}

}  // namespace

void CheckRowPayload(ByteView row, const RowShape& shape, uint64_t doc, uint64_t offset,
                     RowFacts& facts, FaultLog& log) {
  const Physical physical = PhysicalOf(shape.type);
  if (shape.multi_value && physical == Physical::kBytes)
    return CheckVariableRow(row, shape.type, doc, offset, facts, log);
  if (shape.multi_value) {
    const auto values = format::FixedRowValues(row, WidthOf(physical), shape.count);
    if (!values.ok())
      return log.Fault(offset, fmt::format("row {} of whole values", doc),
                       values.status().message());
    const uint64_t count = values->size() / WidthOf(physical);
    facts.value_count += count;
    facts.longest_row = std::max(facts.longest_row, count);
    return;
  }
  facts.value_count += 1;
  facts.longest_row = 1;
  if (shape.type == DataType::kMap || shape.type == DataType::kOpenStruct) {
    if (const Status status = CheckMapFrame(row); !status.ok())
      log.Fault(offset, fmt::format("row {}, a MAP frame", doc), status.message());
    return;
  }
  CheckValueBytes(shape.type, AsText(row), offset, log);
}

}  // namespace trellis::verify
