#include "common/raw_writer/chunk_output.h"

#include <algorithm>
#include <filesystem>
#include <limits>

#include "common/base/bits.h"

namespace trellis::raw_writer {
namespace {

constexpr size_t kChunkedHeaderBytes = 28;  // format notes 5.3
constexpr size_t kSizedHeaderBytes = 16;    // format notes 5.4
constexpr size_t kTablePieceBytes = 64 * 1024;

// An offset that has 4 bytes: of chunks from the file's start in version 2, signed, and of
// kSizedRows from the first chunk's start, unsigned.
uint64_t OffsetMax(const RawLayout& layout) {
  if (layout.container == Container::kSizedRows) return std::numeric_limits<uint32_t>::max();
  return layout.version == 2 ? std::numeric_limits<int32_t>::max()
                             : std::numeric_limits<int64_t>::max();
}

template <class T>
void AppendBigEndian(std::vector<uint8_t>& to, T value) {
  to.resize(to.size() + sizeof value);
  StoreBigEndian(value, to.data() + to.size() - sizeof value);
}

}  // namespace

ChunkOutput::ChunkOutput(const RawLayout& layout, output::OutputFile& file)
    : layout_(layout), file_(file) {
  const bool sized = layout.container == Container::kSizedRows;
  header_bytes_ = sized ? kSizedHeaderBytes : kChunkedHeaderBytes;
  entry_bytes_ = !sized && layout.version == 2 ? 4 : 8;
  count_known_ = !sized || layout.chunk_count != 0 || layout.document_count == 0;
  expected_chunks_ =
      sized ? layout.chunk_count
            : static_cast<uint32_t>(CeilDivide(layout.document_count, layout.docs_per_chunk));
  table_at_ = header_bytes_;
}

uint64_t ChunkOutput::table_end() const {
  return header_bytes_ + uint64_t{count_known_ ? expected_chunks_ : chunks_} * entry_bytes_;
}

// Takes the header's place and, if it is known, the table's.
Status ChunkOutput::Begin() {
  begun_ = true;
  TRELLIS_CHECK(file_.size_bytes() == 0);
  const std::vector<uint8_t> zeros(kTablePieceBytes);
  uint64_t left = count_known_ ? table_end() : header_bytes_;
  while (left > 0) {
    const size_t piece = std::min<uint64_t>(left, zeros.size());
    TRELLIS_RETURN_IF_ERROR(file_.Append(ByteView(zeros).first(piece)));
    left -= piece;
  }
  if (count_known_) return {};
  TRELLIS_ASSIGN_OR_RETURN(spilled_, output::OutputFile::CreateUnnamed(
                                         std::filesystem::path(file_.path()).parent_path()));
  return {};
}

Status ChunkOutput::AddEntry(uint32_t doc_info) {
  if (!begun_) TRELLIS_RETURN_IF_ERROR(Begin());
  if (count_known_ && chunks_ == expected_chunks_) {
    return Status::InvalidArgument("chunk {} of {}, the layout says {}", chunks_ + 1, file_.path(),
                                   expected_chunks_);
  }
  const bool sized = layout_.container == Container::kSizedRows;
  const uint64_t offset = sized ? data_bytes_ : table_end() + data_bytes_;
  if (offset > OffsetMax(layout_)) {
    return Status::ResourceExhausted(
        "{}: chunk {} starts at byte {}, version {} holds offsets to {}", file_.path(), chunks_,
        offset, layout_.version, OffsetMax(layout_));
  }
  if (sized) {
    AppendBigEndian(pending_table_, __builtin_bswap32(doc_info));
    AppendBigEndian(pending_table_, __builtin_bswap32(static_cast<uint32_t>(offset)));
  } else if (entry_bytes_ == 4) {
    AppendBigEndian(pending_table_, static_cast<uint32_t>(offset));
  } else {
    AppendBigEndian(pending_table_, offset);
  }
  ++chunks_;
  return pending_table_.size() < kTablePieceBytes ? Status() : FlushTable();
}

Status ChunkOutput::FlushTable() {
  if (count_known_) {
    TRELLIS_RETURN_IF_ERROR(file_.WriteAt(table_at_, pending_table_));
  } else {
    TRELLIS_RETURN_IF_ERROR(file_.Append(pending_table_));
  }
  table_at_ += pending_table_.size();
  pending_table_.clear();
  return {};
}

Status ChunkOutput::Append(uint32_t doc_info, ByteView chunk) {
  TRELLIS_RETURN_IF_ERROR(AddEntry(doc_info));
  data_bytes_ += chunk.size();
  return data_file().Append(chunk);
}

Status ChunkOutput::AppendMapped(uint32_t doc_info, size_t size_max,
                                 const std::function<Result<size_t>(std::span<uint8_t> to)>& fill) {
  TRELLIS_RETURN_IF_ERROR(AddEntry(doc_info));
  const uint64_t before = data_file().size_bytes();
  TRELLIS_RETURN_IF_ERROR(data_file().AppendMapped(size_max, fill));
  data_bytes_ += data_file().size_bytes() - before;
  return {};
}

std::vector<uint8_t> ChunkOutput::Header() const {
  std::vector<uint8_t> header;
  AppendBigEndian(header, layout_.version);
  if (layout_.container == Container::kSizedRows) {
    AppendBigEndian(header, layout_.chunk_size_bytes);
    AppendBigEndian(header, static_cast<int32_t>(layout_.compression));
    AppendBigEndian(header, static_cast<uint32_t>(table_end()));
    return header;
  }
  AppendBigEndian(header, chunks_);
  AppendBigEndian(header, layout_.docs_per_chunk);
  AppendBigEndian(header, layout_.entry_size_bytes);
  AppendBigEndian(header, layout_.document_count);
  AppendBigEndian(header, static_cast<int32_t>(layout_.compression));
  AppendBigEndian(header, static_cast<uint32_t>(header_bytes_));
  return header;
}

Status ChunkOutput::Finish() {
  if (!begun_) TRELLIS_RETURN_IF_ERROR(Begin());
  if (count_known_ && chunks_ != expected_chunks_) {
    return Status::InvalidArgument("{} has {} chunks, the layout says {}", file_.path(), chunks_,
                                   expected_chunks_);
  }
  if (table_end() > std::numeric_limits<int32_t>::max()) {
    return Status::ResourceExhausted("{}: the table of {} chunks ends at byte {}, not below 2^31",
                                     file_.path(), chunks_, table_end());
  }
  TRELLIS_RETURN_IF_ERROR(FlushTable());
  TRELLIS_RETURN_IF_ERROR(file_.WriteAt(0, Header()));
  return spilled_ ? file_.AppendFile(*spilled_) : Status();
}

}  // namespace trellis::raw_writer
