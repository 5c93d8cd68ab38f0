#pragma once

#include <optional>
#include <vector>

#include "common/base/status.h"
#include "common/raw_writer/raw_layout.h"
#include "common/segment_writer/segment_builder.h"

namespace trellis::segment_writer {

// What is known of a column's encoding before its first row: format notes 8.2. Borrows from the
// settings it was made of.
struct ColumnPlan {
  const FieldSpec* field = nullptr;
  const table_config::FieldIndexing* indexing = nullptr;
  const table_config::PartitionConfig* partition = nullptr;
  bool dictionary = true;         // its values go through a dictionary builder
  bool may_turn_raw = false;      // where the dictionary turns out not to save enough
  bool entry_dictionary = false;  // MV_ENTRY_DICT
  raw_writer::RawSettings raw;    // of a raw forward index, should it get one

  bool is_map() const { return IsMapLike(field->type); }
  bool is_multi_value() const { return field->multi_value; }
};

// A plan a field, in the order of the schema. `settings` must outlive the plans. Errors:
// InvalidArgument, naming the column, for whatever no segment can hold and for a config that does
// not fit the schema; Unimplemented for what Pinot can write and Trellis does not.
Result<std::vector<ColumnPlan>> PlanColumns(const BuildSettings& settings);

// Whether a dictionary of so many values is not worth it (`optimizeDictionary`): asked of columns
// that may turn raw.
bool TurnsRaw(const ColumnPlan& plan, const table_config::IndexingConfig& config,
              uint32_t documents, uint32_t cardinality);

}  // namespace trellis::segment_writer
