#include "common/codec/decompress.h"
#include "common/column/forward_index_readers.h"
#include "common/format/byte_swap.h"
#include "common/format/gather.h"
#include "common/format/raw_chunk.h"

namespace trellis::column {
namespace {

using codec::Compression;
using format::RawChunkFile;

struct FixedScratch : ReadScratch {
  const void* reader = nullptr;
  int64_t chunk = -1;  // in `buffer`, -1 for none
  codec::InflatedBuffer buffer;
};

// Writes the big-endian values at `docs`, counted from `first_doc`, from `values`.
template <class T>
void LoadValues(const uint8_t* values, uint32_t first_doc, std::span<const uint32_t> docs, T* to) {
  for (size_t i = 0; i < docs.size();) {
    const std::span<const uint32_t> piece = PieceAt(docs, i);
    if (IsRange(piece)) {
      format::LoadBigEndianValues(values + size_t{piece.front() - first_doc} * sizeof(T),
                                  std::span(to + i, piece.size()));
    } else {
      format::GatherBigEndianValues(values, first_doc, docs.subspan(i),
                                    std::span(to + i, piece.size()));
    }
    i += piece.size();
  }
}

// Lets the lines of an output arrive while what goes there is inflated: at most as many as stay in
// the innermost cache meanwhile.
template <class T>
void FetchToWrite(std::span<T> to) {
  constexpr size_t kLineValues = 64 / sizeof(T), kSizeBytesMax = 16 << 10;
  const size_t count = std::min(to.size(), kSizeBytesMax / sizeof(T));
  for (size_t i = 0; i < count; i += kLineValues) __builtin_prefetch(to.data() + i, 1);
}

// The values of an uncompressed column are one array in the mapping.
template <class T>
class PlainReader : public ForwardIndexReader {
 public:
  PlainReader(ByteView values, DataType type, uint32_t document_count)
      : values_(values), type_(type), document_count_(document_count) {}

  bool is_dictionary_encoded() const override { return false; }
  bool is_multi_value() const override { return false; }
  std::unique_ptr<ReadScratch> NewScratch() const override {
    return std::make_unique<FixedScratch>();
  }

  Status ReadValues(std::span<const uint32_t> docs, ReadScratch& scratch,
                    ColumnVector& out) const override {
    if (!IsRange(docs) && IsSparse(docs, 1)) {
      out.ResetForOverwrite(type_, docs.size());
      return format::GatherAscendingBigEndian(values_, docs, out.values<T>().data())
                 ? Status()
                 : NotAscending(document_count_);
    }
    TRELLIS_RETURN_IF_ERROR(CheckPieces(docs, document_count_));
    out.ResetForOverwrite(type_, docs.size());
    AdviseIfScan(docs, values_.subspan(size_t{docs.front()} * sizeof(T)), scratch);
    LoadValues<T>(values_.data(), 0, docs, out.values<T>().data());
    return {};
  }

 private:
  ByteView values_;
  DataType type_;
  uint32_t document_count_;
};

template <class T>
class ChunkedReader : public ForwardIndexReader {
 public:
  ChunkedReader(RawChunkFile file, DataType type, uint32_t document_count)
      : file_(file), type_(type), document_count_(document_count) {}

  bool is_dictionary_encoded() const override { return false; }
  bool is_multi_value() const override { return false; }
  std::unique_ptr<ReadScratch> NewScratch() const override {
    auto scratch = std::make_unique<FixedScratch>();
    scratch->reader = this;
    return scratch;
  }

  Status ReadValues(std::span<const uint32_t> docs, ReadScratch& scratch,
                    ColumnVector& out) const override {
    auto& held = static_cast<FixedScratch&>(scratch);
    TRELLIS_CHECK(held.reader == this);
    if (IsRange(docs) && docs.back() < document_count_) {  // as CheckPieces
      out.ResetForOverwrite(type_, docs.size());
      return ReadRange(docs.front(), std::span(out.values<T>()), held);
    }
    TRELLIS_RETURN_IF_ERROR(CheckDocs(docs, document_count_));
    out.ResetForOverwrite(type_, docs.size());
    T* to = out.values<T>().data();
    for (size_t i = 0; i < docs.size();) {
      const uint32_t chunk = docs[i] / file_.docs_per_chunk();
      TRELLIS_RETURN_IF_ERROR(Load(chunk, held));
      const uint64_t end_doc = (uint64_t{chunk} + 1) * file_.docs_per_chunk();
      const std::span<const uint32_t> here = DocsBelow(docs.subspan(i), end_doc);
      LoadValues<T>(held.buffer.view().data(), chunk * file_.docs_per_chunk(), here, to + i);
      i += here.size();
    }
    return {};
  }

 private:
  // The values of consecutive documents.
  Status ReadRange(uint32_t first, std::span<T> to, FixedScratch& held) const {
    while (!to.empty()) {
      const uint32_t chunk = first / file_.docs_per_chunk();
      const uint32_t in_chunk = first % file_.docs_per_chunk();
      const std::span<T> here =
          to.first(std::min<size_t>(to.size(), file_.docs_per_chunk() - in_chunk));
      if (held.chunk != chunk) FetchToWrite(here);
      TRELLIS_RETURN_IF_ERROR(Load(chunk, held));
      format::LoadBigEndianValues(held.buffer.view().data() + size_t{in_chunk} * sizeof(T), here);
      first += static_cast<uint32_t>(here.size());
      to = to.subspan(here.size());
    }
    return {};
  }

  Status Load(uint32_t chunk, FixedScratch& held) const {
    if (held.chunk == chunk) return {};
    held.chunk = -1;
    TRELLIS_ASSIGN_OR_RETURN(const ByteView stored, file_.Chunk(chunk));
    const size_t expected = size_t{file_.DocsIn(chunk)} * sizeof(T);
    const Status status = codec::Decompress(file_.compression(), stored,
                                            codec::SizeTrailer::kBigEndian, expected, held.buffer);
    if (!status.ok()) return status.WithContext(fmt::format("chunk {}", chunk));
    if (held.buffer.view().size() != expected) {
      return Status::Corrupt("chunk {} inflates to {} bytes, its documents take {}", chunk,
                             held.buffer.view().size(), expected);
    }
    held.chunk = chunk;
    return {};
  }

  RawChunkFile file_;
  DataType type_;
  uint32_t document_count_;
};

template <class T>
Result<std::unique_ptr<ForwardIndexReader>> OpenTyped(const RawChunkFile& file,
                                                      const ForwardIndexShape& shape) {
  if (file.entry_size_bytes() != sizeof(T)) {
    return Status::Corrupt("raw chunk header says values of {} bytes, {} has {}",
                           file.entry_size_bytes(), DataTypeName(shape.type), sizeof(T));
  }
  if (file.compression() != Compression::kPassThrough) {
    return std::unique_ptr<ForwardIndexReader>(
        std::make_unique<ChunkedReader<T>>(file, shape.type, shape.document_count));
  }
  const ByteView values = file.chunk_area();
  if (values.size() != uint64_t{shape.document_count} * sizeof(T)) {
    return Status::Corrupt("raw values of {} bytes, expected {} of {}", values.size(),
                           shape.document_count, sizeof(T));
  }
  return std::unique_ptr<ForwardIndexReader>(
      std::make_unique<PlainReader<T>>(values, shape.type, shape.document_count));
}

}  // namespace

Result<std::unique_ptr<ForwardIndexReader>> OpenRawFixed(ByteView payload,
                                                         const ForwardIndexShape& shape) {
  TRELLIS_ASSIGN_OR_RETURN(const RawChunkFile file,
                           RawChunkFile::Open(payload, shape.document_count));
  switch (PhysicalOf(shape.type)) {
    case Physical::kInt32:
      return OpenTyped<int32_t>(file, shape);
    case Physical::kInt64:
      return OpenTyped<int64_t>(file, shape);
    case Physical::kFloat:
      return OpenTyped<float>(file, shape);
    case Physical::kDouble:
      return OpenTyped<double>(file, shape);
    case Physical::kBytes:
      break;
  }
  return Status::Internal("{} has no fixed width", DataTypeName(shape.type));
}

}  // namespace trellis::column
