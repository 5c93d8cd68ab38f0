#include "common/segment_writer/index_file.h"

#include "common/segment_writer/checksum.h"

namespace trellis::segment_writer {

Result<IndexFile> IndexFile::Create(const std::filesystem::path& folder, const std::string& column,
                                    std::string index, std::string extension) {
  TRELLIS_ASSIGN_OR_RETURN(output::OutputFile file,
                           output::OutputFile::Create(folder / (column + extension)));
  return IndexFile(std::move(file), {std::move(index), std::move(extension)});
}

Status IndexFile::FinishInto(std::vector<WrittenFile>& files) {
  TRELLIS_RETURN_IF_ERROR(file_.Close());
  written_.size_bytes = file_.size_bytes();
  TRELLIS_ASSIGN_OR_RETURN(written_.adler, AdlerOfFile(file_.path()));
  files.push_back(std::move(written_));
  return {};
}

}  // namespace trellis::segment_writer
