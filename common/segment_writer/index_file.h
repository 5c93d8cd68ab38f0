#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "common/base/status.h"
#include "common/output/output_file.h"
#include "common/segment_writer/column_facts.h"

namespace trellis::segment_writer {

// One index of a column being written to its own file, as layout V1 has it.
class IndexFile {
 public:
  // Makes `folder`/`column``extension`. Errors: those of output::OutputFile.
  static Result<IndexFile> Create(const std::filesystem::path& folder, const std::string& column,
                                  std::string index, std::string extension);
  output::OutputFile& file() { return file_; }
  // Closes the file, sums it up and notes it in `files`. Once, last.
  Status FinishInto(std::vector<WrittenFile>& files);

 private:
  IndexFile(output::OutputFile file, WrittenFile written)
      : file_(std::move(file)), written_(std::move(written)) {}
  output::OutputFile file_;
  WrittenFile written_;
};

}  // namespace trellis::segment_writer
