#include "written_rows.h"

#include <cmath>
#include <fstream>
#include <random>

#include "common/base/bytes.h"

namespace trellis::bench {
namespace {

constexpr size_t kVocabularyWords = 2500;
constexpr uint32_t kLengthMin = 1000;
constexpr uint32_t kLengthMax = 10'000;
constexpr double kExpRate = 0.001;

// Distributions of <random> differ between standard libraries; these do not.
uint64_t Below(std::mt19937_64& random, uint64_t bound) { return random() % bound; }
double Unit(std::mt19937_64& random) { return static_cast<double>(random() >> 11) * 0x1.0p-53; }

std::vector<std::string> Vocabulary(std::mt19937_64& random) {
  std::vector<std::string> words(kVocabularyWords);
  for (std::string& word : words) {
    word.resize(3 + Below(random, 11));
    for (char& c : word) c = static_cast<char>('a' + Below(random, 26));
  }
  return words;
}

// Appends `length` bytes: words, the frequent ones at the front of the vocabulary, and numbers.
void AppendText(std::mt19937_64& random, const std::vector<std::string>& words, uint32_t length,
                std::string& to) {
  const size_t end = to.size() + length;
  while (to.size() < end) {
    const double u = Unit(random);
    if (u < 0.04) {
      to += std::to_string(Below(random, 1'000'000));
      to += ' ';
      continue;
    }
    // A word, and often the one that follows it in the vocabulary: phrases recur.
    const auto word = static_cast<size_t>(u * u * u * static_cast<double>(words.size() - 1));
    to += words[word];
    to += ' ';
    if (word % 2 != 0) {
      to += words[word + 1];
      to += ' ';
    }
  }
  to.resize(end);
}

void AppendNoise(std::mt19937_64& random, uint32_t length, std::string& to) {
  const size_t end = to.size() + length;
  while (to.size() < end) {
    const uint64_t bits = random();
    to.append(reinterpret_cast<const char*>(&bits), sizeof bits);
  }
  to.resize(end);
}

}  // namespace

Result<WrittenRows> WrittenRows::Make(std::string_view distribution, uint32_t count) {
  const bool exponential = distribution == "exp_0.001";
  const bool noise = distribution == "incompressible";
  if (!exponential && !noise && distribution != "uniform_1000_10000")
    return Status::InvalidArgument("no distribution {}", distribution);
  std::mt19937_64 random(42);
  const std::vector<std::string> words = Vocabulary(random);
  WrittenRows rows;
  for (uint32_t row = 0; row < count; ++row) {
    const auto length =
        exponential
            ? static_cast<uint32_t>(-std::log1p(-Unit(random)) / kExpRate)
            : static_cast<uint32_t>(kLengthMin + Below(random, kLengthMax - kLengthMin + 1));
    rows.lengths_.push_back(length);
    noise ? AppendNoise(random, length, rows.text_) : AppendText(random, words, length, rows.text_);
  }
  return rows;
}

std::vector<ColumnVector> WrittenRows::Batches(uint32_t batch) const {
  std::vector<ColumnVector> batches;
  size_t at = 0;
  for (uint32_t row = 0; row < count(); ++row) {
    if (row % batch == 0) batches.emplace_back(DataType::kString);
    batches.back().values<std::string_view>().emplace_back(text_.data() + at, lengths_[row]);
    batches.back().SetSize(batches.back().values<std::string_view>().size());
    at += lengths_[row];
  }
  return batches;
}

Status WrittenRows::Dump(const std::string& path) const {
  std::ofstream out(path, std::ios::binary);
  size_t at = 0;
  for (const uint32_t length : lengths_) {
    uint8_t prefix[4];
    StoreBigEndian(length, prefix);
    out.write(reinterpret_cast<const char*>(prefix), sizeof prefix);
    out.write(text_.data() + at, length);
    at += length;
  }
  out.close();
  return out ? Status() : Status::Unavailable("{} cannot be written", path);
}

}  // namespace trellis::bench
