#include <algorithm>

#include "common/format/byte_swap.h"
#include "common/raw_writer/container_writers.h"

namespace trellis::raw_writer {
namespace {

// Single values of fixed width: big-endian, docs_per_chunk of them a chunk (format notes 5.3).
class FixedWriter final : public ContainerWriter {
 public:
  using ContainerWriter::ContainerWriter;

 private:
  Status AddRow(ByteView) override {
    return Status::InvalidArgument("values of fixed width are not appended as rows");
  }

  Status AddValues(const ColumnVector& values) override {
    switch (values.physical()) {
      case Physical::kInt32:
        return AddAll(values.values<int32_t>(), values);
      case Physical::kInt64:
        return AddAll(values.values<int64_t>(), values);
      case Physical::kFloat:
        return AddAll(values.values<float>(), values);
      case Physical::kDouble:
        return AddAll(values.values<double>(), values);
      case Physical::kBytes:
        break;
    }
    return Status::Internal("bytes are not of fixed width");
  }

  template <class T>
  Status AddAll(const std::vector<T>& flat, const ColumnVector& values) {
    constexpr size_t kWidth = sizeof(T);
    GrowingBytes* chunk = &pipeline().filling();
    for (size_t row = 0; row < values.size();) {
      const size_t count =
          std::min<size_t>(values.size() - row, layout().docs_per_chunk - docs_in_chunk_);
      const size_t end = (docs_in_chunk_ + count) * kWidth;
      chunk->Reserve(end, docs_in_chunk_ * kWidth, layout().ChunkBytesMax());
      uint8_t* to = chunk->data() + docs_in_chunk_ * kWidth;
      if (values.is_constant()) {
        for (size_t i = 0; i < count; ++i) StoreBigEndian(flat[0], to + i * kWidth);
      } else {
        const auto* from = reinterpret_cast<const uint8_t*>(flat.data() + row);
        kWidth == 4 ? format::SwapWords4(from, count, to) : format::SwapWords8(from, count, to);
      }
      row += count;
      docs_in_chunk_ += static_cast<uint32_t>(count);
      if (docs_in_chunk_ < layout().docs_per_chunk) break;
      TRELLIS_RETURN_IF_ERROR(CloseChunk());
      chunk = &pipeline().filling();
    }
    return {};
  }

  Status CloseChunk() override {
    if (docs_in_chunk_ == 0) return {};
    const size_t size = size_t{docs_in_chunk_} * layout().entry_size_bytes;
    docs_in_chunk_ = 0;
    return pipeline().Submit({pipeline().filling().data(), size}, 0);
  }

  uint32_t docs_in_chunk_ = 0;
};

}  // namespace

std::unique_ptr<RawForwardIndexWriter> NewFixedWriter(const RawLayout& layout, ValueType type,
                                                      const RawWriterOptions& options,
                                                      output::OutputFile& file) {
  return std::make_unique<FixedWriter>(layout, type, options, file);
}

}  // namespace trellis::raw_writer
