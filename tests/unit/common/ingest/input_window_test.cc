#include "common/ingest/input_window.h"

#include <zlib.h>

#include "tests/unit/common/ingest/rows_of_text.h"

namespace trellis::ingest {
namespace {

// All of the input; "! message" where it cannot be read.
std::string Everything(const std::filesystem::path& path) {
  auto window = InputWindow::Open(path);
  if (!window.ok()) return "! " + window.status().message();
  std::string all;
  do {
    const Status status = (*window)->Fill();
    if (!status.ok()) return "! " + status.message();
    all += (*window)->unread();
    (*window)->Consume((*window)->unread().size());
  } while (!(*window)->at_end());
  return all;
}

std::string Content() {
  std::string content;
  for (int i = 0; content.size() < (3 << 20); ++i) content += std::to_string(i) + "\n";
  return content;
}

TEST_CASE("a file is seen whole, packed or not") {
  const std::string content = Content();
  const TextFile plain(content);
  CHECK(Everything(plain.path()) == content);
  const TextFile packed("");
  const gzFile out = gzopen(packed.path().c_str(), "wb");
  gzwrite(out, content.data(), static_cast<unsigned>(content.size()));
  gzclose(out);
  CHECK(Everything(packed.path()) == content);

  // Cut in half, and with a byte turned.
  const auto size = std::filesystem::file_size(packed.path());
  std::filesystem::resize_file(packed.path(), size / 2);
  CHECK(Everything(packed.path()).find("damaged gzip") != std::string::npos);
}

TEST_CASE("what is not consumed stays, and the window grows for it") {
  const std::string content = Content();
  const TextFile file(content);
  auto window = InputWindow::Open(file.path());
  REQUIRE(window.ok());
  CHECK((*window)->size_bytes() == content.size());
  REQUIRE((*window)->Fill().ok());
  (*window)->Consume(10);
  while (!(*window)->at_end()) REQUIRE((*window)->Fill().ok());
  CHECK((*window)->unread() == std::string_view(content).substr(10));
  CHECK((*window)->bytes_read() == content.size());
}

TEST_CASE("what cannot be read is said with its name") {
  CHECK(Everything("/nowhere/rows.jsonl") == "! /nowhere/rows.jsonl: no such file");
  CHECK(Everything("/tmp") == "! /tmp: is a folder, expected a file of rows");
}

}  // namespace
}  // namespace trellis::ingest
