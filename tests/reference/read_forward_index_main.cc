// read_forward_index FILE TYPE DOCUMENTS [STEP]: the values of a bare single-value forward index
// file, every STEP-th document, a line each: a number in Java's text, a text's bytes in hex. For
// raw_files_test.py.
#include <fmt/format.h>

#include <fstream>
#include <iostream>
#include <iterator>
#include <string>
#include <vector>

#include "common/column/forward_index.h"

namespace {

using namespace trellis;

Status Print(const std::string& bytes, const column::ForwardIndexShape& shape, uint32_t step) {
  TRELLIS_ASSIGN_OR_RETURN(const auto reader, column::OpenForwardIndex(AsBytes(bytes), shape));
  std::vector<uint32_t> docs;
  for (uint32_t doc = 0; doc < shape.document_count; doc += step) docs.push_back(doc);
  ColumnVector out;
  TRELLIS_RETURN_IF_ERROR(reader->ReadValues(docs, *reader->NewScratch(), out));
  for (size_t row = 0; row < out.size(); ++row) {
    if (out.physical() != Physical::kBytes) {
      std::cout << ValueToText(out.Get(row)) << "\n";
      continue;
    }
    for (const uint8_t byte : AsBytes(out.values<std::string_view>()[row])) {
      std::cout << fmt::format("{:02x}", byte);
    }
    std::cout << "\n";
  }
  return {};
}

}  // namespace

int main(int argc, char** argv) {
  const auto type = argc < 4 ? std::nullopt : ParseDataType(argv[2]);
  if (!type) {
    std::cerr << "usage: read_forward_index FILE TYPE DOCUMENTS [STEP]\n";
    return 2;
  }
  std::ifstream file(argv[1], std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(file), {}};
  column::ForwardIndexShape shape;
  shape.type = *type;
  shape.document_count = static_cast<uint32_t>(std::stoul(argv[3]));
  const Status status =
      Print(bytes, shape, argc > 4 ? static_cast<uint32_t>(std::stoul(argv[4])) : 1);
  if (status.ok()) return 0;
  std::cerr << status.message() << "\n";
  return 1;
}
