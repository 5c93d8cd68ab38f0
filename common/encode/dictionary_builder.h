#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <vector>

#include "common/base/status.h"
#include "common/output/output_file.h"
#include "common/types/value.h"
#include "common/vector/column_vector.h"

namespace trellis::encode {

// What a dictionary may hold: Pinot counts values, and the bytes of a file, in Java's int.
struct DictionaryLimits {
  uint32_t values_max = std::numeric_limits<int32_t>::max();
  uint64_t size_bytes_max = std::numeric_limits<int32_t>::max();
};

// Collects the distinct values of a column. A value gets a provisional id when it is first seen;
// Finish gives dictIds, in Pinot's order (format notes 3.6). FLOAT and DOUBLE are told apart by
// their bits, so that -0.0 and 0.0 are two values; every NaN is one. BIG_DECIMAL is told apart by
// number: 1.0 and 1.00 are one value, stored as it came first. Memory: the distinct values. Not
// thread-safe.
class DictionaryBuilder {
 public:
  // REQUIRES: a type that has dictionaries: no MAP, OPEN_STRUCT or UNKNOWN.
  static std::unique_ptr<DictionaryBuilder> Create(DataType type, DictionaryLimits limits = {});
  virtual ~DictionaryBuilder() = default;
  // Adds every flat value of `values` (those under nulls too; a constant has one), and writes a
  // provisional id for each. Bytes are copied. Errors: ResourceExhausted past the limits;
  // InvalidArgument for bytes that are no BIG_DECIMAL or UUID. After an error the builder is of no
  // use. REQUIRES: the physical form of the builder's type.
  virtual Status Add(const ColumnVector& values, std::vector<uint32_t>& provisional_ids) = 0;
  virtual uint32_t size() const = 0;
  // Sorts. `sorted` gets the values ascending (it keeps their bytes alive); rank[provisional id] =
  // dictId. Once, last.
  virtual void Finish(ColumnVector& sorted, std::vector<uint32_t>& rank) = 0;
};

enum class DictionaryForm : uint8_t { kFixedWidth, kVariableLength };
// What Pinot's writer chooses (format notes 3.4): variable length where it was configured, or where
// BYTES or BIG_DECIMAL differ in length, with `optimize_type` for every STRING; numbers are fixed.
// Not Pinot's choice: BYTES of one length that a reader would take for a `.vl;` header are written
// with a real one.
DictionaryForm ChooseDictionaryForm(const ColumnVector& sorted, bool configured_variable,
                                    bool optimize_type);
// Writes the dictionary file of `sorted` (format notes 3.2 to 3.5). Errors: those of the file;
// ResourceExhausted past the limits, before anything is written; InvalidArgument for values that
// the form cannot hold: text with a NUL, bytes of several lengths in slots.
Status WriteDictionary(const ColumnVector& sorted, DictionaryForm form, output::OutputFile& file,
                       const DictionaryLimits& limits = {});
// Bytes of a slot: 4 or 8 for numbers, the longest value for the others.
uint32_t EntryWidthBytes(const ColumnVector& sorted);

}  // namespace trellis::encode
