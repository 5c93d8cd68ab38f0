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
#include "server/operators/map_keys.h"
#include "server/operators/scan_statistics.h"

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
// read at most once a batch, and so is each frame of a MAP column for the keys that are read
// together. One thread at a time; the segment must stay pinned.
class SegmentSource : public eval::ColumnSource {
 public:
  SegmentSource(const segment::Segment& segment, const Schema& schema)
      : segment_(segment), schema_(schema) {}

  // Starts a batch of ascending documents; the span must stay valid until the next batch. Vectors
  // of the batch before must not be read any more.
  void SetDocuments(std::span<const uint32_t> docs);
  std::span<const uint32_t> documents() const { return docs_; }
  const segment::Segment& segment() const { return segment_; }
  const Schema& schema() const { return schema_; }

  // From now on the first key of a MAP column that a batch is asked for finds those of `keys` too:
  // what the expressions read that will be evaluated over each batch. Null: each key on its own.
  // The set must stay valid; it may change between batches.
  void ReadTogether(const MapKeySet* keys) { together_ = keys; }

  // Of the values read for the batch so far.
  uint64_t batch_bytes() const;
  // Since the source was made, with those that CountInto brought.
  const MapReads& map_reads() const { return *map_reads_; }
  // Lets what this source reads be counted by `parent`, too.
  void CountInto(SegmentSource& parent) { map_reads_ = parent.map_reads_; }

  size_t rows() const override { return docs_.size(); }
  // Stored columns, and the virtual ones.
  Result<const ColumnVector*> Column(std::string_view name) override;
  Result<const ColumnVector*> MapKey(std::string_view column, std::string_view key,
                                     DataType type) override;

  // A key of some of the batch's rows alone, `docs` of them, for whoever wants no others of them.
  Status ReadKeyOfRows(std::span<const uint32_t> rows, std::span<const uint32_t> docs,
                       std::string_view column, const column::MapKeyRead& read);

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
  // Finds `key` in frames, and with it the keys that are read together with it.
  Status FillFromFrames(const ColumnVector& frames, std::string_view column,
                        const column::MapKeyRead& read);
  // Of `column`, those that ReadTogether wants read at once.
  std::span<const MapKeySet::Key> KeysBeside(std::string_view column) const;
  // Fills what `read` asks for and the other keys' cached vectors by one call of `read_keys`, a
  // Status(std::span<const column::MapKeyRead>).
  template <class ReadKeys>
  Status FillTogether(std::string_view column, std::span<const MapKeySet::Key* const> others,
                      const column::MapKeyRead& read, ReadKeys&& read_keys);
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
  std::string PlaceOf(std::string_view column, std::string_view key) const;
  Cached& CachedKey(std::string_view column, std::string_view key, DataType type);

  std::unordered_map<std::string, Cached> cache_;
  const MapKeySet* together_ = nullptr;
  std::shared_ptr<MapReads> map_reads_ = std::make_shared<MapReads>();
};

}  // namespace trellis::server
