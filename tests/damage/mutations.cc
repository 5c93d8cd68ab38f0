#include "tests/damage/mutations.h"

#include <fmt/format.h>

#include <algorithm>

namespace trellis::damage {
namespace {

constexpr size_t kPageSizeBytes = 4096;

class Maker {
 public:
  Maker(const WorkCopy& copy, const std::vector<Place>& places, const MutationPlan& plan,
        std::mt19937_64& random)
      : copy_(copy), places_(places), plan_(plan), random_(random) {}

  std::vector<Mutation> Make() {
    for (const auto& [file, content] : copy_.files()) {
      Truncate(file, content);
      if (content.size() >= 2 * kPageSizeBytes) Pages(file, content);
      if (file.ends_with("metadata.properties") || file.ends_with("index_map"))
        Numbers(file, content);
    }
    for (size_t i = 0; i < plan_.flips; ++i) Flip();
    for (const Place& place : places_) Fields(place);
    std::shuffle(made_.begin(), made_.end(), random_);
    return std::move(made_);
  }

 private:
  size_t Below(size_t limit) { return limit == 0 ? 0 : random_() % limit; }

  void Write(const std::string& file, uint64_t offset, std::string bytes, std::string what) {
    made_.push_back(
        {file, offset, std::move(bytes), false, fmt::format("{}: {} at {}", file, what, offset)});
  }

  void Truncate(const std::string& file, const std::string& content) {
    std::vector<uint64_t> ends;
    for (uint64_t end = 0; end < content.size(); end += kPageSizeBytes) ends.push_back(end);
    if (!content.empty()) ends.push_back(content.size() - 1);
    std::shuffle(ends.begin(), ends.end(), random_);
    ends.resize(std::min(ends.size(), plan_.truncations));
    for (const uint64_t end : ends) {
      made_.push_back(
          {file, end, "", true, fmt::format("{}: cut from {} to {}", file, content.size(), end)});
    }
  }

  void Pages(const std::string& file, const std::string& content) {
    const size_t pages = content.size() / kPageSizeBytes;
    for (size_t i = 0; i < plan_.page_pairs; ++i) {
      const size_t a = Below(pages - 1);
      const std::string page = content.substr(a * kPageSizeBytes, kPageSizeBytes);
      const std::string next = content.substr((a + 1) * kPageSizeBytes, kPageSizeBytes);
      Write(file, a * kPageSizeBytes, std::string(kPageSizeBytes, '\0'), "a page zeroed");
      Write(file, a * kPageSizeBytes, next + page, "two pages swapped");
      Write(file, (a + 1) * kPageSizeBytes, page, "the page before it copied over a page");
    }
  }

  void Numbers(const std::string& file, const std::string& content) {
    std::vector<std::pair<size_t, size_t>> numbers;
    for (size_t at = 0; at < content.size();) {
      size_t end = at;
      while (end < content.size() && content[end] >= '0' && content[end] <= '9') ++end;
      if (end > at && at > 0 && content[at - 1] == ' ') numbers.emplace_back(at, end);
      at = std::max(end, at + 1);
    }
    std::shuffle(numbers.begin(), numbers.end(), random_);
    numbers.resize(std::min(numbers.size(), plan_.numbers));
    for (const auto& [from, to] : numbers) {
      for (const char* hostile : {"-1", "0", "1", "2147483647", "4294967295", "9223372036854775807",
                                  "99999999999999999999", "x", ""}) {
        Write(file, from, hostile + content.substr(to),
              fmt::format("'{}' instead of '{}'", hostile, content.substr(from, to - from)));
        // The rest moves up: what is left of the old end is cut off by a line break.
        const size_t written = made_.back().bytes.size();
        if (from + written < content.size())
          made_.back().bytes += std::string(content.size() - from - written, '\n');
      }
    }
  }

  void Flip() {
    const size_t kind = Below(100);
    if (kind < 80 && !places_.empty()) {
      const Place& place = places_[Below(places_.size())];
      if (place.entry.size_bytes == 0) return;
      // Half of them where headers lie.
      const size_t range =
          kind < 40 ? std::min<size_t>(64, place.entry.size_bytes) : place.entry.size_bytes;
      FlipAt(place.file, place.entry.offset + Below(range));
      return;
    }
    auto file = copy_.files().begin();
    std::advance(file, Below(copy_.files().size()));
    if (!file->second.empty()) FlipAt(file->first, Below(file->second.size()));
  }

  void FlipAt(const std::string& file, uint64_t offset) {
    const size_t bit = Below(8);
    const auto flipped = static_cast<char>(copy_.files().at(file).at(offset) ^ (1 << bit));
    Write(file, offset, std::string(1, flipped), fmt::format("bit {} flipped", bit));
  }

  void Fields(const Place& place) {
    const uint64_t size = place.entry.size_bytes;
    std::vector<uint64_t> positions;
    for (uint64_t at = 0; at + 4 <= size && positions.size() < plan_.field_positions; at += 4)
      positions.push_back(at);
    if (size > 4 * positions.size() + 4) {
      for (size_t i = 0; i < plan_.field_positions / 2; ++i)
        positions.push_back(Below(size / 4 - 1) * 4);
    }
    for (const uint64_t at : {uint64_t{1}, uint64_t{5}, uint64_t{6}, uint64_t{10}, uint64_t{14}})
      if (at + 4 <= size) positions.push_back(at);
    for (const uint64_t at : positions) {
      for (const char* value :
           {"\xff\xff\xff\xff", "\0\0\0\0", "\x7f\xff\xff\xff", "\xff\xff\xff\x7f", "\x80\0\0\0"}) {
        Write(place.file, place.entry.offset + at, std::string(value, 4),
              fmt::format("a word of {} of '{}'", place.entry.index, place.entry.column));
      }
    }
  }

  const WorkCopy& copy_;
  const std::vector<Place>& places_;
  const MutationPlan& plan_;
  std::mt19937_64& random_;
  std::vector<Mutation> made_;
};

}  // namespace

std::vector<Mutation> MakeMutations(const WorkCopy& copy, const std::vector<Place>& places,
                                    const MutationPlan& plan, std::mt19937_64& random) {
  return Maker(copy, places, plan, random).Make();
}

}  // namespace trellis::damage
