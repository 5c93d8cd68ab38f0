#include "common/segment_writer/checksum.h"

#include <zlib.h>

#include <algorithm>

#include "common/memory/mapped_file.h"

namespace trellis::segment_writer {

void Adler::Add(ByteView bytes) {
  constexpr size_t kStepBytes = size_t{1} << 30;  // zlib counts in 32 bits
  while (!bytes.empty()) {
    const size_t size = std::min(bytes.size(), kStepBytes);
    sum_ = static_cast<uint32_t>(adler32(sum_, bytes.data(), static_cast<uInt>(size)));
    bytes = bytes.subspan(size);
  }
}

void Adler::AddSum(uint32_t adler, uint64_t size_bytes) {
  sum_ = static_cast<uint32_t>(adler32_combine(sum_, adler, static_cast<z_off_t>(size_bytes)));
}

Result<uint32_t> AdlerOfFile(const std::filesystem::path& path) {
  TRELLIS_ASSIGN_OR_RETURN(const memory::MappedFile file, memory::MappedFile::Open(path));
  Adler adler;
  adler.Add(file.bytes());
  TRELLIS_RETURN_IF_ERROR(file.CheckIntact());
  return adler.sum();
}

}  // namespace trellis::segment_writer
