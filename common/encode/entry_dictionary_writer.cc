#include <absl/container/flat_hash_set.h>

#include <limits>
#include <string_view>
#include <vector>

#include "common/base/bits.h"
#include "common/base/bytes.h"
#include "common/base/string_hash.h"
#include "common/encode/forward_writers.h"

// The layout is described at common/column/entry_dictionary_forward_index.cc. Rows have ids in the
// order in which they come first.

namespace trellis::encode {
namespace {

constexpr uint32_t kMagic = 0xFFABCDEF;
constexpr int16_t kVersion = 1;
constexpr uint64_t kHeaderSizeBytes = 24;
constexpr uint64_t kSizeBytesMax = std::numeric_limits<int32_t>::max();
constexpr uint64_t kValuesMax = std::numeric_limits<int32_t>::max() - 1;  // starts have 31 bits

uint64_t PackedSize(uint64_t count, int bits) {
  return CeilDivide(count * static_cast<uint64_t>(bits), 8);
}

class EntryDictionaryWriter final : public MultiValueWriter {
 public:
  EntryDictionaryWriter(uint32_t documents, int bits, output::OutputFile& file)
      : documents_(documents), bits_(bits), file_(file), known_(0, Hash{this}, Equal{this}) {}

  Status Append(std::span<const uint32_t> ids, std::span<const uint32_t> offsets) override {
    for (size_t row = 0; row + 1 < offsets.size(); ++row) {
      const auto values = ids.subspan(offsets[row], offsets[row + 1] - offsets[row]);
      if (rows_.size() == documents_) return NotMet(uint64_t{documents_} + 1);
      auto at = known_.find(values);
      if (at == known_.end()) {
        if (values.size() > kValuesMax - values_.size()) {
          return Status::ResourceExhausted("{} values in distinct rows, there may be {} at most",
                                           values_.size() + values.size(), kValuesMax);
        }
        values_.insert(values_.end(), values.begin(), values.end());
        starts_.push_back(static_cast<uint32_t>(values_.size()));
        at = known_.insert(static_cast<uint32_t>(starts_.size() - 2)).first;
      }
      rows_.push_back(*at);
    }
    return {};
  }

  Status Finish() override {
    if (rows_.size() != documents_) return NotMet(rows_.size());
    const uint64_t distinct = starts_.size() - 1;
    const int row_bits = BitsPerElement(static_cast<uint32_t>(distinct));
    const int start_bits = BitsFor(values_.size());
    const uint64_t starts_offset = kHeaderSizeBytes + PackedSize(rows_.size(), row_bits);
    const uint64_t values_offset = starts_offset + PackedSize(starts_.size(), start_bits);
    const uint64_t size = values_offset + PackedSize(values_.size(), bits_);
    if (size > kSizeBytesMax) {
      return Status::ResourceExhausted("an entry dictionary of {} bytes, it may have {} at most",
                                       size, kSizeBytesMax);
    }
    uint8_t header[kHeaderSizeBytes];
    StoreBigEndian<uint32_t>(kMagic, header);
    StoreBigEndian<int16_t>(kVersion, header + 4);
    header[6] = static_cast<uint8_t>(bits_);
    header[7] = static_cast<uint8_t>(row_bits);
    StoreBigEndian<uint32_t>(static_cast<uint32_t>(distinct), header + 8);
    StoreBigEndian<uint32_t>(static_cast<uint32_t>(values_.size()), header + 12);
    StoreBigEndian<uint32_t>(static_cast<uint32_t>(starts_offset), header + 16);
    StoreBigEndian<uint32_t>(static_cast<uint32_t>(values_offset), header + 20);
    TRELLIS_RETURN_IF_ERROR(file_.Append(header));
    TRELLIS_RETURN_IF_ERROR(WritePart(row_bits, rows_));
    TRELLIS_RETURN_IF_ERROR(WritePart(start_bits, starts_));
    return WritePart(bits_, values_);
  }

 private:
  using Row = std::span<const uint32_t>;

  // Distinct rows are known by their ids; they hash and compare as their values.
  struct Hash {
    using is_transparent = void;
    const EntryDictionaryWriter* writer;
    size_t operator()(Row row) const {
      return StringHash()({reinterpret_cast<const char*>(row.data()), row.size_bytes()});
    }
    size_t operator()(uint32_t id) const { return (*this)(writer->RowOf(id)); }
  };
  struct Equal {
    using is_transparent = void;
    const EntryDictionaryWriter* writer;
    bool operator()(uint32_t a, uint32_t b) const { return a == b; }
    bool operator()(uint32_t id, Row row) const {
      return std::ranges::equal(writer->RowOf(id), row);
    }
    bool operator()(Row row, uint32_t id) const { return (*this)(id, row); }
  };

  Row RowOf(uint32_t id) const {
    return Row(values_).subspan(starts_[id], starts_[id + 1] - starts_[id]);
  }

  Status WritePart(int bits, Row numbers) {
    BitStreamWriter writer(bits, file_);
    TRELLIS_RETURN_IF_ERROR(writer.Append(numbers));
    return writer.Finish();
  }

  Status NotMet(uint64_t documents) const {
    return Status::InvalidArgument("{} documents, {} were announced", documents, documents_);
  }

  uint32_t documents_;
  int bits_;
  output::OutputFile& file_;
  std::vector<uint32_t> rows_;          // of each document, the distinct row
  std::vector<uint32_t> values_;        // of the distinct rows
  std::vector<uint32_t> starts_ = {0};  // of each distinct row, and the end
  absl::flat_hash_set<uint32_t, Hash, Equal> known_;
};

}  // namespace

std::unique_ptr<MultiValueWriter> NewEntryDictionaryWriter(uint32_t documents, int bits,
                                                           output::OutputFile& file) {
  return std::make_unique<EntryDictionaryWriter>(documents, bits, file);
}

}  // namespace trellis::encode
