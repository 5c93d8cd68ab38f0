#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "common/eval/evaluator.h"
#include "common/plan/expression.h"
#include "common/segment/segment.h"
#include "common/types/schema.h"

namespace trellis::server {

// One column of a segment with the scratch of the thread that reads it.
struct OpenColumn {
  segment::ColumnPointer column;  // null: the segment predates the column, defaults are read
  std::unique_ptr<column::ReadScratch> scratch;

  // As the column's own, with its name in errors. REQUIRES: column.
  Status Read(std::span<const uint32_t> docs, ColumnVector& out);
  Status ReadDictIds(std::span<const uint32_t> docs, std::vector<uint32_t>& ids,
                     std::vector<uint32_t>* offsets);
};

// Gives expressions the columns of one segment for one batch of documents at a time. Each column is
// read at most once a batch. One thread at a time; the segment must stay pinned.
class SegmentSource : public eval::ColumnSource {
 public:
  SegmentSource(const segment::Segment& segment, const Schema& schema)
      : segment_(segment), schema_(schema) {}

  // Starts a batch of ascending documents; the span must stay valid until the next batch.
  void SetDocuments(std::span<const uint32_t> docs);
  std::span<const uint32_t> documents() const { return docs_; }
  const segment::Segment& segment() const { return segment_; }
  const Schema& schema() const { return schema_; }

  // Of the values read for the batch so far.
  uint64_t batch_bytes() const;

  size_t rows() const override { return docs_.size(); }
  // Stored columns, and the virtual ones.
  Result<const ColumnVector*> Column(std::string_view name) override;
  Result<const ColumnVector*> MapKey(std::string_view column, std::string_view key,
                                     DataType type) override;

  // Opens a column, or a stand-in when the schema has it and the segment does not.
  Result<OpenColumn*> Open(std::string_view name);
  // The column of the segment whose values are those of `expression`: a stored column, or a dense
  // key of an OPEN_STRUCT that is read as the type it is stored as. Null for everything else.
  Result<OpenColumn*> StoredColumn(const plan::Expression& expression);
  // Reads dictIds of the batch for a single-value dictionary-encoded column.
  Status ReadDictIds(OpenColumn& column, std::vector<uint32_t>& ids);
  // Adds the documents that are null in a column, in a key of an OPEN_STRUCT, or in any of these
  // that `expression` reads. Independent of the batch.
  Status CollectNulls(const plan::Expression& expression, Roaring& nulls);

 private:
  // Refuses a stored column of another type than the schema's.
  Status CheckType(const segment::ColumnMetadata& stored) const;
  Status Fill(std::string_view name, ColumnVector& out);
  Status FillMapKey(std::string_view column, std::string_view key, DataType type,
                    ColumnVector& out);
  Status FillStructKey(const segment::ColumnMetadata& parent, std::string_view key, DataType type,
                       ColumnVector& out);
  Status CollectStructNulls(const plan::Expression& key, Roaring& nulls);
  const segment::Segment& segment_;
  const Schema& schema_;
  std::span<const uint32_t> docs_;
  std::unordered_map<std::string, OpenColumn> open_;
  struct Cached {
    bool fresh = false;
    ColumnVector vector;
  };
  std::unordered_map<std::string, Cached> cache_;
};

}  // namespace trellis::server
