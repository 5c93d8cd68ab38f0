#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "common/base/status.h"
#include "common/output/output_file.h"
#include "common/types/value.h"
#include "common/vector/column_vector.h"

namespace trellis::encode {

// Collects the distinct values of a column. A value gets a provisional id when it is first seen;
// Finish gives dictIds, in Pinot's order (format notes 3.6). Memory: the distinct values.
class DictionaryBuilder {
 public:
  static std::unique_ptr<DictionaryBuilder> Create(DataType type);
  virtual ~DictionaryBuilder() = default;
  // Adds every flat value of `values` (those under nulls too), and writes a provisional id for
  // each. Errors: ResourceExhausted past 2^31 - 1 values or 2 GiB of them.
  virtual Status Add(const ColumnVector& values, std::vector<uint32_t>& provisional_ids) = 0;
  virtual uint32_t size() const = 0;
  // Sorts. `sorted` gets the values ascending; rank[provisional id] = dictId. Once, last.
  virtual void Finish(ColumnVector& sorted, std::vector<uint32_t>& rank) = 0;
};

enum class DictionaryForm : uint8_t { kFixedWidth, kVariableLength };
// What Pinot's writer chooses (format notes 3.4): variable length where it was configured, or where
// BYTES or BIG_DECIMAL differ in length (with `optimize_type`: STRING too); numbers are fixed.
DictionaryForm ChooseDictionaryForm(const ColumnVector& sorted, bool configured_variable,
                                    bool optimize_type);
// Writes the dictionary file of `sorted` (format notes 3.2 to 3.5). Errors: those of the file;
// ResourceExhausted past 2 GiB.
Status WriteDictionary(const ColumnVector& sorted, DictionaryForm form, output::OutputFile& file);
// Bytes of a slot: 4 or 8 for numbers, the longest value for the others.
uint32_t EntryWidthBytes(const ColumnVector& sorted);

}  // namespace trellis::encode
