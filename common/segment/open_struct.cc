#include "common/segment/open_struct.h"

#include <absl/strings/escaping.h>

#include <algorithm>
#include <string>

#include "common/column/json_object.h"
#include "common/column/map_frame.h"
#include "common/segment/json_cell.h"
#include "common/types/big_decimal.h"

namespace trellis::segment {
namespace {

void Append(std::string_view text, fmt::memory_buffer& out) {
  out.append(text.data(), text.data() + text.size());
}

// What a value of a dense key is inside its object.
Status AppendBytesValue(DataType type, std::string_view bytes, fmt::memory_buffer& out) {
  if (type == DataType::kBigDecimal) {
    TRELLIS_ASSIGN_OR_RETURN(const BigDecimal decimal, BigDecimal::FromBytes(bytes));
    Append(decimal.ToPlainText(), out);
  } else if (IsText(type)) {
    AppendJsonString(bytes, out);
  } else {
    // What Pinot's JSON writer makes of a byte array.
    out.push_back('"');
    Append(absl::Base64Escape({bytes.data(), bytes.size()}), out);
    out.push_back('"');
  }
  return {};
}

// Whether values of `from` are values of `to` byte for byte.
bool SameValues(DataType from, DataType to) {
  const auto both = [&](DataType a, DataType b) {
    return (from == a || from == b) && (to == a || to == b);
  };
  return both(DataType::kInt, DataType::kBoolean) || both(DataType::kLong, DataType::kTimestamp) ||
         (IsText(from) && IsText(to));
}

}  // namespace

std::optional<std::string_view> StructKeyOf(const ColumnMetadata& child) {
  const std::string_view name = child.field.name;
  const size_t prefix = child.parent_column.size() + 1;
  const bool below =
      name.size() >= prefix && name.starts_with(child.parent_column) && name[prefix - 1] == '$';
  return below ? std::optional(name.substr(prefix)) : std::nullopt;
}

StructKeyPlace FindStructKey(const SegmentMetadata& segment, const ColumnMetadata& parent,
                             std::string_view key) {
  const auto child = [&](std::string_view name) -> const ColumnMetadata* {
    const ColumnMetadata* found = segment.Find(fmt::format("{}${}", parent.field.name, name));
    return found && found->parent_column == parent.field.name ? found : nullptr;
  };
  StructKeyPlace place;
  if (key != kSparseKey) place.dense = child(key);
  if (place.dense) return place;
  const auto& known = parent.sparse_keys;
  const bool possible = !known || std::find(known->begin(), known->end(), key) != known->end();
  if (possible) place.sparse = child(kSparseKey);
  return place;
}

Status ConvertStructKey(std::string_view key, DataType type, ColumnVector& out,
                        size_t* failed_row) {
  if (out.type() == type && !out.is_multi_value()) return {};
  if (!out.is_multi_value() && SameValues(out.type(), type)) {
    out.Relabel(type);
    return {};
  }
  ColumnVector texts({DataType::kString, false});
  texts.Resize(out.size());
  fmt::memory_buffer text;
  for (size_t row = 0; row < out.size(); ++row) {
    if (out.is_null(row)) {
      texts.SetNull(row);
      continue;
    }
    text.clear();
    TRELLIS_RETURN_IF_ERROR(AppendJsonCell(out, row, AppendBytesValue, text));
    texts.values<std::string_view>()[row] = texts.arena().Copy({text.data(), text.size()});
  }
  return column::ReadJsonTexts(texts, {key, type, &out}, failed_row);
}

// The vectors and buffers of one reading thread.
class OpenStructIndex::Scratch : public column::ReadScratch {
 public:
  struct Part {
    std::unique_ptr<column::ReadScratch> scratch;
    ColumnVector values;
  };
  Status Read(const Column& column, std::span<const uint32_t> docs, Part& part) {
    if (!part.scratch) part.scratch = column.forward().NewScratch();
    const Status status = column.Read(docs, *part.scratch, part.values);
    return status.WithContext(fmt::format("column '{}'", column.field().name));
  }

  std::vector<Part> dense;
  Part sparse;
  column::MapFrameWriter frame;
  fmt::memory_buffer text;
  std::string key;
};

OpenStructIndex::OpenStructIndex(std::vector<DenseKey> dense, ColumnPointer sparse)
    : dense_(std::move(dense)), sparse_(std::move(sparse)) {
  std::sort(dense_.begin(), dense_.end(),
            [](const DenseKey& a, const DenseKey& b) { return a.key < b.key; });
}

std::unique_ptr<column::ReadScratch> OpenStructIndex::NewScratch() const {
  auto scratch = std::make_unique<Scratch>();
  scratch->dense.resize(dense_.size());
  return scratch;
}

bool OpenStructIndex::IsDense(std::string_view key) const {
  const auto at =
      std::lower_bound(dense_.begin(), dense_.end(), key,
                       [](const DenseKey& a, std::string_view name) { return a.key < name; });
  return at != dense_.end() && at->key == key;
}

Status OpenStructIndex::AddSparse(std::string_view object, Scratch& scratch) const {
  if (object.empty()) return {};
  column::JsonObjectWalk walk(object);
  column::JsonMember member;
  while (true) {
    TRELLIS_ASSIGN_OR_RETURN(const bool more, walk.Next(member));
    if (!more) return {};
    const auto key = column::JsonMemberKey(member, scratch.key);
    if (!key.has_value()) {
      return Status::Corrupt("JSON object of {} bytes has the broken key \"{}\"", object.size(),
                             member.key.substr(0, 64));
    }
    if (!IsDense(*key)) scratch.frame.Add(*key, member.json);
  }
}

Status OpenStructIndex::ReadValues(std::span<const uint32_t> docs, column::ReadScratch& scratch,
                                   ColumnVector& out) const {
  auto& own = static_cast<Scratch&>(scratch);
  for (size_t i = 0; i < dense_.size(); ++i)
    TRELLIS_RETURN_IF_ERROR(own.Read(*dense_[i].column, docs, own.dense[i]));
  if (sparse_) TRELLIS_RETURN_IF_ERROR(own.Read(*sparse_, docs, own.sparse));

  out.Reset({DataType::kOpenStruct, false});
  out.Resize(docs.size());
  auto& frames = out.values<std::string_view>();
  for (size_t row = 0; row < docs.size(); ++row) {
    own.frame.Clear();
    for (size_t i = 0; i < dense_.size(); ++i) {
      const ColumnVector& values = own.dense[i].values;
      if (values.is_null(row)) continue;
      own.text.clear();
      TRELLIS_RETURN_IF_ERROR(AppendJsonCell(values, row, AppendBytesValue, own.text));
      own.frame.Add(dense_[i].key, {own.text.data(), own.text.size()});
    }
    if (sparse_ && !own.sparse.values.is_null(row)) {
      const Status status = AddSparse(own.sparse.values.values<std::string_view>()[row], own);
      if (!status.ok()) {
        return status.WithContext(
            fmt::format("column '{}', document {}", sparse_->field().name, docs[row]));
      }
    }
    TRELLIS_ASSIGN_OR_RETURN(const std::string_view frame, own.frame.Finish());
    frames[row] = out.arena().Copy(frame);
  }
  return {};
}

}  // namespace trellis::segment
