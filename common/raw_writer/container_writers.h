#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "common/raw_writer/chunk_output.h"
#include "common/raw_writer/chunk_pipeline.h"
#include "common/raw_writer/raw_writer.h"

namespace trellis::raw_writer {

// What the writers of all containers share: documents are counted, the first error stays.
class ContainerWriter : public RawForwardIndexWriter {
 public:
  ContainerWriter(const RawLayout& layout, ValueType type, const RawWriterOptions& options,
                  output::OutputFile& file);
  Status Append(const ColumnVector& values) final;
  Status AppendRow(ByteView row) final;
  Status Finish() final;

 protected:
  // Adds the rows of `values`, whose type and number are right.
  virtual Status AddValues(const ColumnVector& values) = 0;
  virtual Status AddRow(ByteView row) = 0;
  // Submits the chunk that has been begun.
  virtual Status CloseChunk() = 0;

  const RawLayout& layout() const { return layout_; }
  ChunkPipeline& pipeline() { return pipeline_; }

 private:
  Status CheckRoom(size_t rows) const;

  const RawLayout layout_;
  const ValueType type_;
  ChunkOutput output_;
  ChunkPipeline pipeline_;
  uint32_t documents_ = 0;
  Status error_;
};

std::unique_ptr<RawForwardIndexWriter> NewFixedWriter(const RawLayout& layout, ValueType type,
                                                      const RawWriterOptions& options,
                                                      output::OutputFile& file);
// kChunkedRows and kSizedRows.
std::unique_ptr<RawForwardIndexWriter> NewRowsWriter(const RawLayout& layout, ValueType type,
                                                     const RawWriterOptions& options,
                                                     output::OutputFile& file);

}  // namespace trellis::raw_writer
