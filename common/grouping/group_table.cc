#include "common/grouping/group_table.h"

#include <algorithm>

namespace trellis {
namespace {

template <class T>
void AppendRaw(std::string& out, T value) {
  out.append(reinterpret_cast<const char*>(&value), sizeof(T));
}

}  // namespace

GroupTable::GroupTable(std::vector<ValueType> key_types,
                       std::vector<std::shared_ptr<const aggregate::AggregateFunction>> functions,
                       bool null_handling, size_t groups_max)
    : key_types_(std::move(key_types)),
      functions_(std::move(functions)),
      null_handling_(null_handling),
      groups_max_(groups_max) {
  for (const ValueType type : key_types_) keys_.emplace_back(ValueType{type.type, false});
  for (const auto& function : functions_) states_.push_back(function->NewStates());
}

std::string_view GroupTable::KeyOf(std::span<const ColumnVector* const> keys, size_t row) {
  if (keys.size() == 1 && !null_handling_ && keys[0]->physical() == Physical::kBytes) {
    // A lone string needs no mark where it ends.
    return keys[0]->values<std::string_view>()[keys[0]->is_constant() ? 0 : row];
  }
  encoded_.clear();
  for (const ColumnVector* key : keys) {
    if (null_handling_) {
      const bool null = key->is_null(row);
      encoded_ += static_cast<char>(null);
      if (null) continue;
    }
    const size_t at = key->is_constant() ? 0 : row;
    WithPhysical(key->physical(), [&](auto tag) {
      using T = decltype(tag);
      const T value = key->values<T>()[at];
      if constexpr (std::is_same_v<T, std::string_view>) {
        AppendRaw(encoded_, static_cast<uint32_t>(value.size()));
        encoded_.append(value);
      } else {
        AppendRaw(encoded_, value);
      }
    });
  }
  return encoded_;
}

void GroupTable::FindGroups(std::span<const ColumnVector* const> keys, size_t rows,
                            std::vector<uint32_t>& groups) {
  TRELLIS_CHECK(keys.size() == keys_.size());
  groups.resize(rows);
  new_rows_.clear();
  for (size_t row = 0; row < rows; ++row) {
    const std::string_view key = KeyOf(keys, row);
    const auto found = index_.find(key);
    if (found != index_.end()) {
      groups[row] = found->second;
      continue;
    }
    if (groups_ >= groups_max_) {
      limit_reached_ = true;
      groups[row] = kNoGroup;
      continue;
    }
    const auto group = static_cast<uint32_t>(groups_++);
    index_.emplace(key_bytes_.Copy(key), group);
    new_rows_.push_back(static_cast<uint32_t>(row));
    groups[row] = group;
  }
  if (new_rows_.empty()) return;
  for (size_t i = 0; i < keys.size(); ++i) {
    keys_[i].AppendRows(*keys[i], new_rows_);
    if (!null_handling_) keys_[i].ClearNulls();  // a null is its default value then
  }
}

void GroupTable::EnsureSingleGroup() {
  TRELLIS_CHECK(keys_.empty());
  groups_ = 1;
}

void GroupTable::ResizeStates() {
  for (auto& states : states_) states->Resize(groups_);
}

Status GroupTable::Merge(const Block& block) {
  if (block.columns.size() != keys_.size() + states_.size()) {
    return Status::Corrupt("group block has {} columns, expected {} keys and {} states",
                           block.columns.size(), keys_.size(), states_.size());
  }
  for (const ColumnVector& column : block.columns) {
    if (column.size() != block.rows) {
      return Status::Corrupt("group block has {} rows, a column of it {}", block.rows,
                             column.size());
    }
  }
  std::vector<const ColumnVector*> keys;
  for (size_t i = 0; i < keys_.size(); ++i) {
    const ColumnVector& column = block.columns[i];
    if (column.physical() != keys_[i].physical() || column.is_multi_value()) {
      return Status::Corrupt("group key {} is {}, expected {}", i,
                             ValueTypeName(column.value_type()), ValueTypeName(key_types_[i]));
    }
    keys.push_back(&column);
  }
  std::vector<uint32_t> groups;
  if (keys_.empty()) {
    EnsureSingleGroup();
    groups.assign(block.rows, 0);
  } else {
    // An honest block's keys differ from one another: as many groups come of it at least.
    constexpr size_t kReserveMax = size_t{1} << 20;
    index_.reserve(std::min({block.rows, groups_max_, kReserveMax}));
    FindGroups(keys, block.rows, groups);
  }
  ResizeStates();
  std::vector<uint32_t> kept;
  bool dropped = false;
  for (size_t row = 0; row < groups.size(); ++row) {
    if (groups[row] == kNoGroup)
      dropped = true;
    else
      kept.push_back(static_cast<uint32_t>(row));
  }
  std::vector<uint32_t> kept_groups;
  for (const uint32_t row : kept) kept_groups.push_back(groups[row]);
  for (size_t i = 0; i < states_.size(); ++i) {
    const ColumnVector& column = block.columns[keys_.size() + i];
    if (column.physical() != PhysicalOf(functions_[i]->state_type()) || column.is_multi_value()) {
      return Status::Corrupt("state {} is {}, expected {}", i, ValueTypeName(column.value_type()),
                             DataTypeName(functions_[i]->state_type()));
    }
    if (!dropped) {
      TRELLIS_RETURN_IF_ERROR(states_[i]->Merge(column, groups));
      continue;
    }
    ColumnVector some(column.value_type());
    some.AppendRows(column, kept);
    TRELLIS_RETURN_IF_ERROR(states_[i]->Merge(some, kept_groups));
  }
  return Status::Ok();
}

Block GroupTable::Export() const {
  Block block;
  block.rows = groups_;
  block.columns = keys_;
  for (size_t i = 0; i < states_.size(); ++i) {
    block.columns.emplace_back(functions_[i]->state_type());
    states_[i]->Export(block.columns.back());
  }
  return block;
}

Result<Block> GroupTable::Finish() const {
  Block block;
  block.rows = groups_;
  block.columns = keys_;
  for (size_t i = 0; i < states_.size(); ++i) {
    block.columns.emplace_back(functions_[i]->result_type());
    TRELLIS_RETURN_IF_ERROR(states_[i]->Finish(block.columns.back()));
  }
  return block;
}

size_t GroupTable::memory_bytes() const {
  size_t bytes = key_bytes_.allocated_bytes() + index_.size() * 24;
  for (const auto& states : states_) bytes += states->memory_bytes();
  return bytes;
}

}  // namespace trellis
