#pragma once

#include <forward_list>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/status.h"

namespace trellis::segment {

// One key of a properties file with one value, as one logical line gives it.
struct PropertyLine {
  std::string_view key;    // unescaped
  std::string_view value;  // unescaped; a list is not split yet
  size_t line = 0;         // where it begins, from 1
};

// Reads the lines of a properties file one after the other, in one pass and without a copy of what
// needs none (format notes 2.1; properties_file.h shows the syntax). What it hands out are views
// into the text or into the reader: they live as long as both. One thread at a time.
class PropertiesReader {
 public:
  explicit PropertiesReader(std::string_view text) : rest_(text) {}

  // Reads the next property; false behind the last. `include` directives are left out. Errors:
  // Corrupt naming the line (a broken \u escape, a file that ends in a continuation).
  Result<bool> Next(PropertyLine& property);

  // Appends the elements of a value: split at each ',' that no '\' covers. A value without any ','
  // is one element as it stands.
  void Split(std::string_view value, std::vector<std::string_view>& elements);
  // The first of them.
  std::string_view FirstElement(std::string_view value);
  // Keeps a text as long as the reader.
  std::string_view Keep(std::string text) { return kept_.emplace_front(std::move(text)); }

 private:
  std::string_view TakeLine();
  Result<std::string_view> JoinContinued(std::string_view line);
  bool TakeApart(std::string_view logical_line, PropertyLine& property);

  std::string_view rest_;
  size_t newline_at_ = 0;  // in what is left, of the next '\n'; its size = none
  bool newline_known_ = false;
  size_t line_ = 0;
  std::forward_list<std::string> kept_;
};

}  // namespace trellis::segment
