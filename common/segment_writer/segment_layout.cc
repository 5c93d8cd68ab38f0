#include "common/segment_writer/segment_layout.h"

#include <algorithm>
#include <system_error>

#include "common/memory/mapped_file.h"
#include "common/output/output_file.h"
#include "common/segment_writer/checksum.h"
#include "common/segment_writer/properties_text.h"
#include "common/types/text_order.h"

namespace trellis::segment_writer {
namespace {

namespace fs = std::filesystem;

// In front of each index in columns.psf.
constexpr uint64_t kMarker = 0xDEADBEEFDEAFBEADULL;

Status WriteWhole(const fs::path& path, ByteView bytes) {
  TRELLIS_ASSIGN_OR_RETURN(output::OutputFile file, output::OutputFile::Create(path));
  TRELLIS_RETURN_IF_ERROR(file.Append(bytes));
  return file.Close();
}

Status WriteCreationMeta(const fs::path& folder, const SegmentSums& sums, int64_t creation_ms) {
  uint8_t bytes[24];
  StoreBigEndian<uint64_t>(sums.crc, bytes);
  StoreBigEndian<int64_t>(creation_ms, bytes + 8);
  StoreBigEndian<uint64_t>(sums.data_crc, bytes + 16);
  return WriteWhole(folder / "creation.meta", {bytes, sums.has_data_crc ? 24u : 16u});
}

// One file with its sum, to be put in the order of names.
struct SummedFile {
  std::string name;
  uint32_t adler;
  uint64_t size_bytes;
};

uint32_t SumInOrder(std::vector<SummedFile> files) {
  std::sort(files.begin(), files.end(), [](const SummedFile& a, const SummedFile& b) {
    return CompareUtf16(a.name, b.name) < 0;
  });
  Adler adler;
  for (const SummedFile& file : files) adler.AddSum(file.adler, file.size_bytes);
  return adler.sum();
}

uint32_t AdlerOf(ByteView bytes) {
  Adler adler;
  adler.Add(bytes);
  return adler.sum();
}

// All of the columns' files; of them those that the data crc covers.
void ListFiles(const LayoutInput& input, std::vector<SummedFile>& all, SegmentSums& sums) {
  std::vector<SummedFile> data;
  for (size_t i = 0; i < input.facts.size(); ++i) {
    sums.has_data_crc = sums.has_data_crc && input.facts[i].has_forward_index;
    for (const WrittenFile& file : input.facts[i].files) {
      all.push_back({input.plans[i].field->name + file.extension, file.adler, file.size_bytes});
      if (file.index == "dictionary" || file.index == "forward_index") data.push_back(all.back());
    }
  }
  sums.data_crc = SumInOrder(std::move(data));
}

// Writes columns.psf and the text of its index_map.
class Packer {
 public:
  explicit Packer(const LayoutInput& input) : input_(input) {}

  Status Pack(const fs::path& path) {
    TRELLIS_ASSIGN_OR_RETURN(output::OutputFile packed, output::OutputFile::Create(path));
    for (size_t i = 0; i < input_.facts.size(); ++i) {
      std::vector<const WrittenFile*> files;
      for (const WrittenFile& file : input_.facts[i].files) files.push_back(&file);
      std::sort(files.begin(), files.end(),
                [](const auto* a, const auto* b) { return a->index < b->index; });
      for (const WrittenFile* file : files)
        TRELLIS_RETURN_IF_ERROR(Move(input_.plans[i].field->name, *file, packed));
    }
    return packed.Close();
  }
  const std::string& index_map() const { return index_map_.text(); }
  uint32_t sum() const { return adler_.sum(); }

 private:
  Status Move(const std::string& column, const WrittenFile& file, output::OutputFile& packed) {
    index_map_.Add(fmt::format("{}.{}.startOffset", column, file.index),
                   static_cast<int64_t>(packed.size_bytes()));
    uint8_t marker[sizeof kMarker];
    StoreBigEndian(kMarker, marker);
    adler_.Add(marker);
    adler_.AddSum(file.adler, file.size_bytes);
    TRELLIS_RETURN_IF_ERROR(packed.Append(marker));
    const fs::path path = input_.files / (column + file.extension);
    {
      TRELLIS_ASSIGN_OR_RETURN(const memory::MappedFile bytes, memory::MappedFile::Open(path));
      TRELLIS_RETURN_IF_ERROR(packed.Append(bytes.bytes()));
      TRELLIS_RETURN_IF_ERROR(bytes.CheckIntact());
    }
    std::error_code ignored;
    fs::remove(path, ignored);  // so that no byte needs room twice for long
    index_map_.Add(fmt::format("{}.{}.size", column, file.index),
                   static_cast<int64_t>(sizeof kMarker + file.size_bytes));
    return {};
  }

  const LayoutInput& input_;
  PropertiesText index_map_{PropertiesText::EmptyValue::kBlank};
  Adler adler_;
};

}  // namespace

Result<SegmentSums> WritePackedLayout(const LayoutInput& input) {
  const fs::path folder = input.segment / "v3";
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) return Status::Unavailable("{}: {}", folder.string(), error.message());
  SegmentSums sums;
  std::vector<SummedFile> ignored;
  ListFiles(input, ignored, sums);
  Packer packer(input);
  TRELLIS_RETURN_IF_ERROR(packer.Pack(folder / "columns.psf"));
  std::error_code no_size;
  std::vector<SummedFile> files = {
      {"columns.psf", packer.sum(), fs::file_size(folder / "columns.psf", no_size)}};
  const auto add = [&](const char* name, ByteView bytes) {
    files.push_back({name, AdlerOf(bytes), bytes.size()});
    return WriteWhole(folder / name, bytes);
  };
  // A segment without rows has no indexes, and no map of them.
  if (input.documents > 0) TRELLIS_RETURN_IF_ERROR(add("index_map", AsBytes(packer.index_map())));
  TRELLIS_RETURN_IF_ERROR(add("metadata.properties", AsBytes(input.metadata)));
  sums.crc = SumInOrder(std::move(files));
  TRELLIS_RETURN_IF_ERROR(WriteCreationMeta(folder, sums, input.creation_time_ms));
  return sums;
}

Result<SegmentSums> WriteFilesLayout(const LayoutInput& input) {
  SegmentSums sums;
  std::vector<SummedFile> files;
  ListFiles(input, files, sums);
  const ByteView metadata = AsBytes(input.metadata);
  TRELLIS_RETURN_IF_ERROR(WriteWhole(input.segment / "metadata.properties", metadata));
  files.push_back({"metadata.properties", AdlerOf(metadata), metadata.size()});
  sums.crc = SumInOrder(std::move(files));
  TRELLIS_RETURN_IF_ERROR(WriteCreationMeta(input.segment, sums, input.creation_time_ms));
  return sums;
}

}  // namespace trellis::segment_writer
