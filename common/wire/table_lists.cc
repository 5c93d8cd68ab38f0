#include "common/wire/table_lists.h"

#include <algorithm>

#include "common/segment_names/packed_names.h"
#include "common/wire/message_limits.h"
#include "common/wire/ordinals.h"
#include "common/wire/utf8.h"

namespace trellis::wire {
namespace {

constexpr std::string_view kMessageName = "the segment list";

// Field numbers of trellis.v1.SegmentLists, TableLists, TableList and KnownSegments.
constexpr uint32_t kListsTables = 3;
constexpr uint32_t kTables = 1;
enum TableField : uint32_t { kTable = 1, kKnown = 2, kPacked = 3 };
enum KnownField : uint32_t { kIncarnation = 1, kEpoch = 2, kOnly = 3, kAllBut = 4, kCount = 5 };

constexpr size_t VarintFieldSize(uint64_t value) { return value == 0 ? 0 : 1 + VarintSize(value); }

// Writes SegmentLists{tables{table, `field`: of `list_size` bytes}} up to those bytes.
Status AppendTableHead(std::string_view table, uint32_t field, size_t list_size, std::string& out) {
  if (!IsUtf8(table)) return Status::InvalidArgument("the table of a segment list is not UTF-8");
  const size_t table_size =
      (table.empty() ? 0 : BytesFieldSize(table.size())) + BytesFieldSize(list_size);
  const size_t lists_size = BytesFieldSize(table_size);
  TRELLIS_RETURN_IF_ERROR(CheckListSize(BytesFieldSize(lists_size), "a segment list"));
  out.reserve(out.size() + BytesFieldSize(lists_size));
  AppendBytesHead(kListsTables, lists_size, out);
  AppendBytesHead(kTables, table_size, out);
  if (!table.empty()) {
    AppendBytesHead(kTable, table.size(), out);
    out += table;
  }
  AppendBytesHead(field, list_size, out);
  return Status::Ok();
}

}  // namespace

Status EncodeKnownSegments(const KnownSegments& segments, std::string& out) {
  if (!segments.ordinals.isEmpty() && segments.ordinals.maximum() >= kMessageLimits.ordinals_max) {
    return Status::InvalidArgument("a segment list of table '{}' has ordinal {}, at most {}",
                                   segments.table, segments.ordinals.maximum(),
                                   kMessageLimits.ordinals_max - 1);
  }
  const std::string ordinals = WriteOrdinals(segments.ordinals);
  const size_t known_size = (segments.incarnation == 0 ? 0 : 1 + sizeof(uint64_t)) +
                            VarintFieldSize(segments.epoch) + BytesFieldSize(ordinals.size()) +
                            VarintFieldSize(segments.count);
  TRELLIS_RETURN_IF_ERROR(AppendTableHead(segments.table, kKnown, known_size, out));
  AppendFixed64Field(kIncarnation, segments.incarnation, out);
  AppendVarintField(kEpoch, segments.epoch, out);
  AppendBytesHead(segments.all_but ? kAllBut : kOnly, ordinals.size(), out);
  out += ordinals;
  AppendVarintField(kCount, segments.count, out);
  return Status::Ok();
}

Status EncodePackedSegments(std::string_view table, std::string_view packed, std::string& out) {
  TRELLIS_RETURN_IF_ERROR(AppendTableHead(table, kPacked, packed.size(), out));
  out += packed;
  return Status::Ok();
}

Status TableListsReader::Refuse(const Table& table, std::string_view what) const {
  const auto offset = table.bytes.data() == nullptr ? 0 : table.bytes.data() - base_;
  return Status::InvalidArgument("{} is malformed: table '{}' at offset {}: {}", kMessageName,
                                 table.name, offset, what);
}

Status TableListsReader::Read(ByteView lists, int depth_left, ListBudget& budget) {
  FieldReader reader(lists, base_, depth_left);
  while (!reader.at_end()) {
    if (!reader.NextTag()) return reader.error(kMessageName);
    if (!reader.Is(kTables, WireType::kBytes)) {
      if (!reader.Skip()) return reader.error(kMessageName);
      continue;
    }
    ByteView bytes;
    FieldReader nested({});
    if (!reader.ReadBytes(bytes) || !reader.Descend(bytes, nested))
      return reader.error(kMessageName);
    if (budget.tables_left-- == 0) {
      return Status::ResourceExhausted("{} has more than {} tables", kMessageName,
                                       kMessageLimits.segment_groups_max);
    }
    TRELLIS_RETURN_IF_ERROR(ReadTable(nested, tables_.emplace_back()));
  }
  return Status::Ok();
}

Status TableListsReader::ReadTable(FieldReader& reader, Table& table) {
  while (!reader.at_end()) {
    if (!reader.NextTag()) return reader.error(kMessageName);
    if (reader.type() != WireType::kBytes || reader.number() > kPacked) {
      if (!reader.Skip()) return reader.error(kMessageName);
      continue;
    }
    ByteView bytes;
    if (!reader.ReadBytes(bytes)) return reader.error(kMessageName);
    if (reader.number() == kTable) {
      if (!IsUtf8(AsText(bytes))) {
        return Status::InvalidArgument("{} is malformed: a table is not UTF-8 before offset {}",
                                       kMessageName, reader.offset());
      }
      table.name = AsText(bytes);
    } else if (reader.number() == kPacked) {
      table = {.name = table.name, .form = Form::kPacked, .bytes = bytes};
    } else {
      if (table.form != Form::kKnown) table = {.name = table.name, .form = Form::kKnown};
      FieldReader nested({});
      if (!reader.Descend(bytes, nested)) return reader.error(kMessageName);
      TRELLIS_RETURN_IF_ERROR(ReadKnown(nested, table));
    }
  }
  return Status::Ok();
}

Status TableListsReader::ReadKnown(FieldReader& reader, Table& table) {
  while (!reader.at_end()) {
    if (!reader.NextTag()) return reader.error(kMessageName);
    bool read = false;
    if (reader.Is(kIncarnation, WireType::kFixed64)) {
      read = reader.ReadFixed64(table.incarnation);
    } else if (reader.Is(kEpoch, WireType::kVarint)) {
      read = reader.ReadVarint(table.epoch);
    } else if (reader.Is(kCount, WireType::kVarint)) {
      read = reader.ReadVarint(table.count);
    } else if (reader.Is(kOnly, WireType::kBytes) || reader.Is(kAllBut, WireType::kBytes)) {
      table.ordinals = reader.number() == kOnly ? Ordinals::kOnly : Ordinals::kAllBut;
      read = reader.ReadBytes(table.bytes);
    } else {
      read = reader.Skip();
    }
    if (!read) return reader.error(kMessageName);
  }
  return Status::Ok();
}

Status TableListsReader::FinishKnown(const Table& table, DecodedSegmentList& list) const {
  if (table.ordinals == Ordinals::kNone) return Refuse(table, "a known list without ordinals");
  Result<Roaring> ordinals = ReadOrdinals(table.bytes);
  if (!ordinals.ok()) return Refuse(table, ordinals.status().message());
  KnownSegments& known = list.known.emplace_back();
  known.table = table.name;
  known.incarnation = table.incarnation;
  known.epoch = table.epoch;
  known.all_but = table.ordinals == Ordinals::kAllBut;
  known.ordinals = std::move(ordinals).value();
  known.count = table.count;
  return Status::Ok();
}

Status TableListsReader::Finish(ListBudget& budget, DecodedSegmentList& list) {
  std::sort(tables_.begin(), tables_.end(),
            [](const Table& a, const Table& b) { return a.name < b.name; });
  for (size_t i = 1; i < tables_.size(); ++i) {
    if (tables_[i - 1].name == tables_[i].name) return Refuse(tables_[i], "it is listed twice");
  }
  std::vector<std::shared_ptr<const void>> owners;
  segment_names::UnpackLimits limits{budget.names_left, kMessageLimits.segment_list_bytes_max};
  for (const Table& table : tables_) {
    if (table.form == Form::kNone) return Refuse(table, "it has no list that this build knows");
    if (table.form == Form::kKnown) {
      TRELLIS_RETURN_IF_ERROR(FinishKnown(table, list));
      continue;
    }
    auto unpacked = segment_names::Unpack(table.bytes, limits);
    if (!unpacked.ok()) {
      return unpacked.status().WithContext(
          fmt::format("{}: packed names of table '{}' at offset {}", kMessageName, table.name,
                      table.bytes.data() - base_));
    }
    limits.names_max -= unpacked->names.size();
    if (&table != &tables_.back()) {
      for (const std::string_view name : unpacked->names)
        limits.text_bytes_max -= std::min(name.size(), limits.text_bytes_max);
    }
    owners.push_back(std::move(unpacked->owner));
    list.groups.push_back({std::string(table.name), std::move(unpacked->names)});
  }
  list.encoding = list.known.empty() ? SegmentListEncoding::kPacked : SegmentListEncoding::kKnown;
  if (owners.size() == 1) {
    list.unescaped = std::move(owners.front());
  } else if (!owners.empty()) {
    list.unescaped = std::make_shared<const decltype(owners)>(std::move(owners));
  }
  return Status::Ok();
}

}  // namespace trellis::wire
