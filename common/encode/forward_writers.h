#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "common/base/status.h"
#include "common/output/output_file.h"

namespace trellis::encode {

// The least number of bits that dictIds below `cardinality` fit in; at least 1.
int BitsPerElement(uint32_t cardinality);

// A bit stream of dictIds (format notes 4.1, 4.2): single-value forward indexes.
class BitStreamWriter {
 public:
  BitStreamWriter(int bits, output::OutputFile& file) : bits_(bits), file_(file) {}
  Status Append(std::span<const uint32_t> ids);
  // Pads the last byte with zeros.
  Status Finish();

 private:
  int bits_;
  output::OutputFile& file_;
  uint64_t pending_ = 0;
  int pending_bits_ = 0;
};

// The document ranges of a sorted column (format notes 4.3), out of ids in docId order, which must
// not descend and must name every dictId.
class SortedIndexWriter {
 public:
  SortedIndexWriter(uint32_t cardinality, output::OutputFile& file);
  // Errors: InvalidArgument when the ids are not as above.
  Status Append(std::span<const uint32_t> ids);
  Status Finish();

 private:
  uint32_t cardinality_;
  output::OutputFile& file_;
  uint32_t documents_ = 0;
  uint32_t first_doc_ = 0;
  int64_t current_ = -1;
};

// A multi-value forward index of dictIds. Append takes rows in docId order: `offsets` has a row's
// start and, last, the end, into `ids`. Every row has at least one value in the first form.
class MultiValueWriter {
 public:
  virtual ~MultiValueWriter() = default;
  virtual Status Append(std::span<const uint32_t> ids, std::span<const uint32_t> offsets) = 0;
  // Writes the file. Errors: ResourceExhausted past 2 GiB; InvalidArgument when the numbers given
  // at creation were not met.
  virtual Status Finish() = 0;
};
// Format notes 4.4. Memory: bits of the rows' starts and the values' bit stream are spilled to the
// file's own end or kept, at most as large as the file.
std::unique_ptr<MultiValueWriter> NewBitPackedMultiValueWriter(uint32_t documents,
                                                               uint64_t total_entries, int bits,
                                                               output::OutputFile& file);
// Format notes 4.5: MV_ENTRY_DICT. Memory: the distinct rows.
std::unique_ptr<MultiValueWriter> NewEntryDictionaryWriter(uint32_t documents, int bits,
                                                           output::OutputFile& file);

}  // namespace trellis::encode
