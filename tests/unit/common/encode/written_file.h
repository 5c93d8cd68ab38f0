#pragma once

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "common/base/bytes.h"
#include "common/output/output_file.h"

namespace trellis::encode {

// A file to write into, which is removed again.
class WrittenFile {
 public:
  WrittenFile() : file_(output::OutputFile::Create(NewPath()).value()) {}
  ~WrittenFile() { std::filesystem::remove(file_.path()); }
  WrittenFile(const WrittenFile&) = delete;
  WrittenFile& operator=(const WrittenFile&) = delete;

  output::OutputFile& file() { return file_; }
  // Everything written so far; valid until the next call.
  ByteView Bytes() {
    TRELLIS_CHECK(file_.Flush().ok());
    std::ifstream in(file_.path(), std::ios::binary);
    content_.assign(std::istreambuf_iterator<char>(in), {});
    return AsBytes(content_);
  }
  std::string Text() { return std::string(AsText(Bytes())); }

 private:
  static std::filesystem::path NewPath() {
    static int count = 0;
    return std::filesystem::temp_directory_path() /
           ("trellis-encode-" + std::to_string(::getpid()) + "-" + std::to_string(count++));
  }

  output::OutputFile file_;
  std::string content_;
};

}  // namespace trellis::encode
