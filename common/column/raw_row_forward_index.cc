#include "common/codec/decompress.h"
#include "common/column/forward_index_readers.h"
#include "common/format/raw_chunk.h"
#include "common/format/raw_v4.h"
#include "common/format/row_payload.h"

// Rows of bytes = a container (where does the row of a document lie?) times a row form (what do its
// bytes mean?). Both are chosen when the column is opened; the loop over documents is instantiated
// for each pair.

namespace trellis::column {
namespace {

using codec::Compression;
using codec::SizeTrailer;
using format::RowCount;

// The chunk that holds the documents [first_doc, end_doc), ready for rows to be taken.
template <class Rows>
struct RowScratch : ReadScratch {
  const void* reader = nullptr;
  uint32_t first_doc = 0;
  uint32_t end_doc = 0;
  bool inflated = false;  // the bytes lie in `buffer`, else in the mapping
  bool whole = false;     // one huge value without row offsets
  ByteView bytes;
  Rows rows;
  codec::InflatedBuffer buffer;

  Result<ByteView> Row(uint32_t doc) const {
    return whole ? Result<ByteView>(bytes) : rows.Row(doc - first_doc);
  }
};

// Sets `held.bytes` to the content of a stored chunk, in place where it is not compressed.
template <class Rows>
Status Inflate(Compression compression, ByteView stored, SizeTrailer trailer, size_t size_bytes_max,
               RowScratch<Rows>& held) {
  held.inflated = compression != Compression::kPassThrough;
  if (!held.inflated) {
    held.bytes = stored;
    return {};
  }
  TRELLIS_RETURN_IF_ERROR(
      codec::Decompress(compression, stored, trailer, size_bytes_max, held.buffer));
  held.bytes = held.buffer.view();
  return {};
}

// Format notes 5.3, versions 1 to 3.
class ChunkSource {
 public:
  using Rows = format::RawChunkRows;
  explicit ChunkSource(format::RawChunkFile file) : file_(file) {}
  uint32_t ChunkOf(uint32_t doc) const { return doc / file_.docs_per_chunk(); }
  ByteView BytesFrom(uint32_t doc) const { return file_.ChunksFrom(ChunkOf(doc)); }

  Status Load(uint32_t doc, RowScratch<Rows>& held) const {
    const uint32_t chunk = doc / file_.docs_per_chunk();
    const uint32_t docs = file_.DocsIn(chunk);
    TRELLIS_ASSIGN_OR_RETURN(const ByteView stored, file_.Chunk(chunk));
    const uint64_t capacity =
        uint64_t{file_.docs_per_chunk()} * (uint64_t{file_.entry_size_bytes()} + 4);
    TRELLIS_RETURN_IF_ERROR(
        Inflate(file_.compression(), stored, SizeTrailer::kBigEndian, capacity, held));
    TRELLIS_ASSIGN_OR_RETURN(held.rows, Rows::Open(held.bytes, file_.docs_per_chunk(), docs));
    held.first_doc = chunk * file_.docs_per_chunk();
    held.end_doc = held.first_doc + docs;
    return {};
  }

 private:
  format::RawChunkFile file_;
};

// Format notes 5.4 and 5.6.
class V4Source {
 public:
  using Rows = format::RawV4Rows;
  explicit V4Source(format::RawV4File file) : file_(file) {}
  uint32_t ChunkOf(uint32_t doc) const { return file_.ChunkNumberOf(doc); }
  ByteView BytesFrom(uint32_t doc) const { return file_.ChunksFrom(doc); }

  Status Load(uint32_t doc, RowScratch<Rows>& held) const {
    TRELLIS_ASSIGN_OR_RETURN(const format::RawV4File::Chunk chunk, file_.ChunkOf(doc));
    const uint32_t docs = chunk.end_doc - chunk.first_doc;
    const size_t limit = chunk.huge ? codec::kInflatedSizeBytesMax : file_.target_size_bytes();
    TRELLIS_RETURN_IF_ERROR(
        Inflate(file_.compression(), chunk.bytes, SizeTrailer::kLittleEndian, limit, held));
    held.whole = chunk.huge;
    if (!chunk.huge) {
      if (held.inflated && file_.version() == 6) {
        TRELLIS_RETURN_IF_ERROR(
            format::SizesToStarts({held.buffer.mutable_data(), held.bytes.size()}, docs));
      }
      TRELLIS_ASSIGN_OR_RETURN(held.rows, Rows::Open(held.bytes, docs));
    }
    held.first_doc = chunk.first_doc;
    held.end_doc = chunk.end_doc;
    return {};
  }

 private:
  format::RawV4File file_;
};

// Refuses lengths that no value of the type has, so that users of the values need not look again.
Status CheckLength(DataType type, size_t size) {
  constexpr size_t kBigDecimalSizeMax = 8192;  // what BigDecimal::FromBytes takes
  if (type == DataType::kUuid && size != 16) return Status::Corrupt("UUID of {} bytes", size);
  if (type == DataType::kBigDecimal && (size < 3 || size > kBigDecimalSizeMax)) {
    return Status::Corrupt("BIG_DECIMAL of {} bytes", size);
  }
  return {};
}

// A row is one value.
class SingleRowForm {
 public:
  static constexpr bool kKeepsViews = true;
  static constexpr bool kMultiValue = false;
  explicit SingleRowForm(DataType type)
      : type_(type), checked_(type == DataType::kUuid || type == DataType::kBigDecimal) {}

  bool takes_any_row() const { return !checked_; }
  Status Append(ByteView row, ColumnVector& out) const {
    if (checked_) TRELLIS_RETURN_IF_ERROR(CheckLength(type_, row.size()));
    out.values<std::string_view>().push_back(AsText(row));
    return {};
  }

 private:
  DataType type_;
  bool checked_;
};

Status EndRow(ColumnVector& out, size_t flat_size) {
  if (flat_size > UINT32_MAX) return Status::ResourceExhausted("a batch of more than 2^32 values");
  out.offsets().push_back(static_cast<uint32_t>(flat_size));
  return {};
}

// A row is several values of fixed width.
template <class T>
class FixedRowForm {
 public:
  static constexpr bool kKeepsViews = false;
  static constexpr bool kMultiValue = true;
  explicit FixedRowForm(RowCount count) : count_(count) {}

  Status Append(ByteView row, ColumnVector& out) const {
    TRELLIS_ASSIGN_OR_RETURN(const ByteView stored, format::FixedRowValues(row, sizeof(T), count_));
    std::vector<T>& flat = out.values<T>();
    const size_t before = flat.size();
    flat.resize(before + stored.size() / sizeof(T));
    for (size_t i = before; i < flat.size(); ++i) {
      flat[i] = LoadBigEndian<T>(stored.data() + (i - before) * sizeof(T));
    }
    return EndRow(out, flat.size());
  }

 private:
  RowCount count_;
};

// A row is several values of any length.
class VariableRowForm {
 public:
  static constexpr bool kKeepsViews = true;
  static constexpr bool kMultiValue = true;
  explicit VariableRowForm(DataType type) : type_(type) {}

  Status Append(ByteView row, ColumnVector& out) const {
    TRELLIS_ASSIGN_OR_RETURN(format::VariableRow values, format::VariableRow::Open(row));
    std::vector<std::string_view>& flat = out.values<std::string_view>();
    for (uint32_t i = 0; i < values.size(); ++i) {
      const std::string_view value = AsText(values.Next());
      TRELLIS_RETURN_IF_ERROR(CheckLength(type_, value.size()));
      flat.push_back(value);
    }
    return EndRow(out, flat.size());
  }

 private:
  DataType type_;
};

template <class Source, class Form>
class RowReader : public ForwardIndexReader {
 public:
  using Scratch = RowScratch<typename Source::Rows>;
  RowReader(Source source, Form form, const ForwardIndexShape& shape)
      : source_(source), form_(form), type_(shape.type), document_count_(shape.document_count) {}

  bool is_dictionary_encoded() const override { return false; }
  bool is_multi_value() const override { return Form::kMultiValue; }
  std::unique_ptr<ReadScratch> NewScratch() const override {
    auto scratch = std::make_unique<Scratch>();
    scratch->reader = this;
    return scratch;
  }

  Status ReadValues(std::span<const uint32_t> docs, ReadScratch& scratch,
                    ColumnVector& out) const override {
    auto& held = static_cast<Scratch&>(scratch);
    TRELLIS_CHECK(held.reader == this);
    out.Reset({type_, Form::kMultiValue});
    TRELLIS_RETURN_IF_ERROR(CheckDocs(docs, document_count_));
    if (docs.size() >= kScanDocsMin) AdviseIfScan(docs, source_.BytesFrom(docs.front()), held);
    for (size_t i = 0; i < docs.size();) {
      const uint32_t first = docs[i];
      const Status status = AppendChunk(docs, i, held, out);
      if (!status.ok()) {
        return status.WithContext(fmt::format("chunk {}", source_.ChunkOf(first)));
      }
    }
    out.SetSize(docs.size());
    return {};
  }

 private:
  // Appends the documents from docs[i] on that lie in its chunk; `i` moves behind them.
  Status AppendChunk(std::span<const uint32_t> docs, size_t& i, Scratch& held,
                     ColumnVector& out) const {
    TRELLIS_RETURN_IF_ERROR(MakeCurrent(docs[i], held));
    if (Form::kKeepsViews && held.inflated) out.Keep(held.buffer.Share());
    if constexpr (std::is_same_v<Form, SingleRowForm>) {
      if (form_.takes_any_row() && !held.whole) AppendRuns(docs, i, held, out);
    }
    for (; i < docs.size() && docs[i] < held.end_doc; ++i) {
      TRELLIS_ASSIGN_OR_RETURN(const ByteView row, held.Row(docs[i]));
      TRELLIS_RETURN_IF_ERROR(form_.Append(row, out));
    }
    return {};
  }

  // As far as the documents follow each other without gaps, takes their rows at once. Stops before
  // rows that are not as they should be: the caller's loop says what is wrong with them.
  void AppendRuns(std::span<const uint32_t> docs, size_t& i, const Scratch& held,
                  ColumnVector& out) const {
    const size_t end = i + DocsBelow(docs.subspan(i), held.end_doc).size();
    auto& rows = out.values<std::string_view>();
    while (i < end) {
      const std::span<const uint32_t> piece = PieceAt(docs.first(end), i);
      const size_t before = rows.size();
      if (!IsRange(piece)) {
        for (const uint32_t doc : piece) {
          const Result<ByteView> row = held.rows.Row(doc - held.first_doc);
          if (!row.ok()) return;
          rows.push_back(AsText(*row));
          ++i;
        }
        continue;
      }
      rows.resize(before + piece.size());
      if (!held.rows.Slice(piece.front() - held.first_doc, std::span(rows).subspan(before))) {
        rows.resize(before);
        return;
      }
      i += piece.size();
    }
  }

  // After it, `doc` lies in [held.first_doc, held.end_doc). On errors the scratch holds no chunk.
  Status MakeCurrent(uint32_t doc, Scratch& held) const {
    if (held.first_doc <= doc && doc < held.end_doc) return {};
    held.first_doc = held.end_doc = 0;
    return source_.Load(doc, held);
  }

  Source source_;
  Form form_;
  DataType type_;
  uint32_t document_count_;
};

template <class Source, class Form>
std::unique_ptr<ForwardIndexReader> MakeReader(Source source, Form form,
                                               const ForwardIndexShape& shape) {
  return std::make_unique<RowReader<Source, Form>>(source, form, shape);
}

template <class Source>
std::unique_ptr<ForwardIndexReader> WithForm(Source source, RowCount count,
                                             const ForwardIndexShape& shape) {
  const Physical physical = PhysicalOf(shape.type);
  if (!shape.multi_value) return MakeReader(source, SingleRowForm(shape.type), shape);
  if (physical == Physical::kBytes) return MakeReader(source, VariableRowForm(shape.type), shape);
  return WithPhysical(physical, [&](auto tag) -> std::unique_ptr<ForwardIndexReader> {
    using T = decltype(tag);
    if constexpr (std::is_arithmetic_v<T>) return MakeReader(source, FixedRowForm<T>(count), shape);
    return nullptr;
  });
}

}  // namespace

Result<std::unique_ptr<ForwardIndexReader>> OpenRawRows(ByteView payload,
                                                        const ForwardIndexShape& shape) {
  if (payload.size() < 4)
    return Status::Corrupt("raw forward index of {} bytes has no version", payload.size());
  const auto version = LoadBigEndian<int32_t>(payload.data());
  if (version <= 3) {
    TRELLIS_ASSIGN_OR_RETURN(const auto file,
                             format::RawChunkFile::Open(payload, shape.document_count));
    return WithForm(ChunkSource(file), RowCount::kStored, shape);
  }
  if (version > 6)
    return Status::Corrupt("rows in raw container version {}, 6 is the last", version);
  TRELLIS_ASSIGN_OR_RETURN(const auto file, format::RawV4File::Open(payload, shape.document_count));
  return WithForm(V4Source(file), version == 4 ? RowCount::kStored : RowCount::kImplied, shape);
}

}  // namespace trellis::column
