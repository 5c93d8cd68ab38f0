#pragma once

#include <filesystem>
#include <span>
#include <vector>

#include "common/base/status.h"
#include "common/bitmap/roaring_bitmap.h"
#include "common/segment_writer/column_facts.h"
#include "common/segment_writer/column_plan.h"
#include "common/segment_writer/column_spill.h"
#include "common/segment_writer/index_file.h"

namespace trellis::segment_writer {

// A dictionary builder's outcome: the values ascending, and the dictId of each provisional id.
struct SortedDictionary {
  ColumnVector values;
  std::vector<uint32_t> rank;
};

// One column that is to be encoded. Borrows everything.
struct EncodeTask {
  const ColumnPlan* plan = nullptr;
  const table_config::IndexingConfig* config = nullptr;
  const ColumnSpill* spill = nullptr;
  // Of a column whose plan has a dictionary: `spill` holds provisional ids then.
  const SortedDictionary* dictionary = nullptr;
  const Roaring* nulls = nullptr;   // rows as they came
  std::span<const uint32_t> order;  // SpillReader's
  std::filesystem::path folder;     // where the column's files are put
  unsigned threads = 1;             // that one raw forward index may use
};

// Encodes one column: its files, each as Pinot's layout V1 has it, and what there is to say of it.
// Cost: the spilled column is read once for statistics and once for each index. Errors: those of
// the disk; ResourceExhausted where a format's limit is met. Safe to run for several columns at a
// time.
Result<ColumnFacts> EncodeColumn(const EncodeTask& task);

// The parts of it, for dictionary-encoded and raw columns.
Status EncodeDictionaryColumn(const EncodeTask& task, ColumnFacts& facts);
Status EncodeRawColumn(const EncodeTask& task, ColumnFacts& facts);

// What these share. Opens an index of the task's column.
Result<IndexFile> CreateIndexFile(const EncodeTask& task, std::string index, std::string extension);
// Writes the bloom filter of the column's distinct values.
Status WriteBloomIndex(const EncodeTask& task, const ColumnVector& distinct, ColumnFacts& facts);

// Bounds as they are kept: left out when too long.
std::optional<std::string> BoundText(const ColumnVector& values, size_t index);

}  // namespace trellis::segment_writer
