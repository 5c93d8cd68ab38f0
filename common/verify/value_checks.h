#pragma once

#include <optional>

#include "common/index/bloom_filter.h"
#include "common/verify/rows.h"

namespace trellis::verify {

// minValue and maxValue of the metadata against the smallest and largest value there is. Of a
// dictionary these are its first and last entry, and others are faults. Of a raw column a range
// that leaves values out is a fault, a wider one a note. Text that begins with the bound (Pinot has
// cut long ones) is a note; floating columns that hold NaN are not compared.
void CheckBounds(const ColumnView& view, const Value& smallest, const Value& largest,
                 bool of_dictionary);

// Gathers the smallest and largest value of a raw column, and whether it ascends.
class ValueRange final : public RowConsumer {
 public:
  void Take(const RowBatch& batch) override;
  const std::optional<Value>& smallest() const { return smallest_; }
  const std::optional<Value>& largest() const { return largest_; }
  bool ascends() const { return ascends_; }

 private:
  template <class T>
  void TakeValues(const ColumnVector& values);
  std::optional<Value> smallest_, largest_, last_;
  bool ascends_ = true;
};

// The null vector (format notes 7.1): one bitmap of documents; those rows hold the column's default
// value, once in a multi-value row. The sparse remainder of an OPEN_STRUCT holds empty text.
class NullRows final : public RowConsumer {
 public:
  // nullopt after a fault.
  static std::optional<NullRows> Open(ByteView bytes, const ColumnView& view,
                                      const column::Dictionary* dictionary, FaultLog& log);
  void Take(const RowBatch& batch) override;
  bool empty() const { return nulls_.isEmpty(); }

 private:
  NullRows(Roaring nulls, Value default_value, std::optional<uint32_t> default_id, bool encoded,
           FaultLog log)
      : nulls_(std::move(nulls)),
        default_value_(std::move(default_value)),
        default_id_(default_id),
        encoded_(encoded),
        log_(std::move(log)) {}
  bool HoldsDefault(const RowBatch& batch, size_t position) const;

  Roaring nulls_;
  Value default_value_;
  std::optional<uint32_t> default_id_;
  bool encoded_;
  FaultLog log_;
};

// The sparse remainder of an OPEN_STRUCT (format notes 6.5): each row a JSON object, or empty. What
// is no object cannot be read; a member that is no JSON reads as null, which is a note.
class SparseRows final : public RowConsumer {
 public:
  // `dictionary` is that of an encoded column, else null; it must outlive this.
  SparseRows(const column::Dictionary* dictionary, FaultLog log)
      : dictionary_(dictionary), log_(std::move(log)) {}
  void Take(const RowBatch& batch) override;

 private:
  void TakeObject(std::string_view object, uint64_t doc);

  const column::Dictionary* dictionary_;
  FaultLog log_;
};

// A bloom filter that must know every value: those of the rows of a raw column, or of the
// dictionary.
class BloomRows final : public RowConsumer {
 public:
  BloomRows(std::unique_ptr<index::BloomFilter> filter, FaultLog log)
      : filter_(std::move(filter)), log_(std::move(log)) {}
  void Take(const RowBatch& batch) override;
  void TakeDictionary(const column::Dictionary& dictionary);

 private:
  std::unique_ptr<index::BloomFilter> filter_;
  FaultLog log_;
};

}  // namespace trellis::verify
