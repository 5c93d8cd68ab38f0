// segment_damage [--seed N] [--flips N] [--fields N] [--pages N] [--numbers N] [--truncations N]
//                [--milliseconds N] [--hang-seconds N] SEGMENT...
//
// Damages a copy of each segment in every way of mutations.h, one at a time, and reads it. Right is
// an error that says where, or other values in the damaged column alone, and that the verifier
// finds every flipped bit the data crc covers; wrong is anything else, above all the end of this
// process. Prints what it did; exit 1 when something was wrong, with the damage that shows it.
// --milliseconds bounds one segment; the same seed damages in the same order. A damage that takes
// longer than --hang-seconds (60) is a hang: more is for machines that are busy with other things.
#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <optional>

#include "common/segment/row_dump.h"
#include "common/segment/segment.h"
#include "common/verify/verify_segment.h"
#include "tests/damage/column_cells.h"
#include "tests/damage/mutations.h"

extern "C" void __sanitizer_set_death_callback(void (*callback)()) __attribute__((weak));

namespace trellis::damage {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

constexpr size_t kFaultsShown = 20;

char current[1024];  // what is being tried, for the signal handler

void PrintCurrent() {
  constexpr char kWhat[] = "\nDIED ON: ";
  (void)!::write(2, kWhat, sizeof kWhat - 1);
  (void)!::write(2, current, std::strlen(current));
  (void)!::write(2, "\n", 1);
}

void OnSignal(int signal) {
  PrintCurrent();
  std::signal(signal, SIG_DFL);
  std::raise(signal);
}

struct Options {
  MutationPlan plan;
  uint64_t seed = 1;
  double seconds = 1e9;
  size_t hang_seconds = 60;
};

struct Tally {
  size_t mutations = 0;
  size_t verified = 0;
  size_t refused = 0;  // the segment as a whole
  size_t errors = 0;   // a column
  size_t changed = 0;  // a column with other values
  size_t harmless = 0;
  std::vector<std::string> faults;
};

class SegmentTrial {
 public:
  SegmentTrial(const fs::path& segment, const Options& options, Tally& tally)
      : copy_(segment), options_(options), tally_(tally), random_(options.seed) {}

  void Run() {
    const auto opened = segment::Segment::Open(copy_.path());
    if (!opened.ok()) return Fault("undamaged", opened.status().message());
    const std::vector<Place> places = PlacesOf(**opened);
    for (const auto& column : (*opened)->metadata().columns) {
      const ExactCopies exact((*opened)->directory());
      undamaged_[column.field.name] = ReadCells((*opened)->metadata(), column, exact);
    }
    has_data_crc_ = (*opened)->metadata().data_crc.has_value();
    const auto begun = Clock::now();
    for (const Mutation& mutation : MakeMutations(copy_, places, options_.plan, random_)) {
      if (Clock::now() - begun > std::chrono::duration<double>(options_.seconds)) break;
      std::snprintf(current, sizeof current, "%s: %s", copy_.path().filename().c_str(),
                    mutation.description.c_str());
      ::alarm(static_cast<unsigned>(options_.hang_seconds));
      TryWhileOpen(mutation);
      copy_.Apply(mutation);
      Try(mutation, places);
      copy_.Mend(mutation);
      ::alarm(0);
      ++tally_.mutations;
    }
  }

 private:
  std::vector<Place> PlacesOf(const segment::Segment& segment) const {
    std::vector<Place> places;
    for (const auto& entry : segment.directory().entries()) {
      std::string file = segment.directory().FileOf(entry.column, entry.index);
      if (segment.directory().is_v3()) file = "columns.psf";
      for (const auto& [path, content] : copy_.files()) {
        if (fs::path(path).filename() == file) places.push_back({path, entry});
      }
    }
    return places;
  }

  // The columns that the damage may change: none for one between the buffers.
  std::vector<std::string> ColumnsHit(const Mutation& mutation,
                                      const std::vector<Place>& places) const {
    std::vector<std::string> hit;
    const uint64_t end = mutation.truncates ? UINT64_MAX : mutation.offset + mutation.bytes.size();
    constexpr uint64_t kMarkerSizeBytes = 8;
    for (const Place& place : places) {
      if (place.file != mutation.file) continue;
      const uint64_t from = place.entry.offset - std::min(place.entry.offset, kMarkerSizeBytes);
      if (mutation.offset < place.entry.offset + place.entry.size_bytes && end > from)
        hit.push_back(place.entry.column);
    }
    return hit;
  }

  static bool IsText(const std::string& file) {
    return file.ends_with("metadata.properties") || file.ends_with("index_map");
  }

  // The file is damaged only after its columns were opened and found good. The cells may be
  // anything; of a file that was cut, what lies past the end then reads as zeros, and the segment
  // must say that it is not intact.
  void TryWhileOpen(const Mutation& mutation) {
    if (IsText(mutation.file) || mutation.file.ends_with("creation.meta")) return;
    const auto opened = segment::Segment::Open(copy_.path());
    std::vector<segment::ColumnPointer> columns;
    for (const auto& column : (*opened)->metadata().columns) {
      auto pointer = (*opened)->OpenColumn(column.field.name);
      if (pointer.ok()) columns.push_back(*std::move(pointer));
    }
    copy_.Apply(mutation);
    for (const auto& column : columns) {
      LookUp(*column);
      ReadCells(*column, (*opened)->document_count());
    }
    const bool mapped = !columns.empty() &&
                        (mutation.file.ends_with("columns.psf") || IsRead(**opened, mutation.file));
    if (mutation.truncates && mapped && (*opened)->CheckIntact().ok())
      Fault(mutation.description, "cut while it was open, and said to be intact");
    copy_.Mend(mutation);
  }

  static void LookUp(const segment::Column& column) {
    if (column.range() != nullptr) (void)column.range()->Check();
    const column::Dictionary* dictionary = column.dictionary();
    if (dictionary == nullptr) return;
    const auto count = static_cast<uint32_t>(dictionary->size());
    for (uint32_t id = 0; id < count; id += std::max(count / 8, 1U)) {
      const auto value = dictionary->At(id);
      if (value.ok()) (void)dictionary->Find(*value);
      if (column.inverted() != nullptr) (void)column.inverted()->Documents(id);
    }
  }

  // Whether reading the columns of a V1 segment maps the file.
  static bool IsRead(const segment::Segment& segment, const std::string& file) {
    for (const auto& entry : segment.directory().entries()) {
      if (segment.directory().FileOf(entry.column, entry.index) == file)
        return entry.index == "dictionary" || entry.index == "forward_index";
    }
    return false;
  }

  // Whether the data crc covers the damage: dictionaries and forward indexes, markers aside.
  bool IsCovered(const Mutation& mutation, const std::vector<Place>& places) const {
    const std::string& whole = copy_.files().at(mutation.file);
    if (!has_data_crc_ || mutation.truncates ||
        whole.compare(mutation.offset, mutation.bytes.size(), mutation.bytes) == 0) {
      return false;
    }
    return std::any_of(places.begin(), places.end(), [&](const Place& place) {
      const auto& entry = place.entry;
      return place.file == mutation.file && mutation.bytes.size() == 1 &&
             (entry.index == "dictionary" || entry.index == "forward_index") &&
             mutation.offset >= entry.offset && mutation.offset < entry.offset + entry.size_bytes;
    });
  }

  void Verify(const Mutation& mutation, const std::vector<Place>& places) {
    const bool covered = IsCovered(mutation, places);
    if (!covered && random_() % 8 != 0) return;
    ++tally_.verified;
    const auto faults = verify::VerifySegment(copy_.path());
    if (!faults.ok()) return Fault(mutation.description, "verify: " + faults.status().message());
    if (covered && verify::FaultsAsStatus(*faults).ok())
      Fault(mutation.description, "verify finds nothing");
  }

  void Try(const Mutation& mutation, const std::vector<Place>& places) {
    Verify(mutation, places);
    const auto opened = segment::Segment::Open(copy_.path());
    if (!opened.ok()) {
      ++tally_.refused;
      if (opened.status().message().find(copy_.path().string()) == std::string::npos)
        Fault(mutation.description, "an error without the segment: " + opened.status().message());
      return;
    }
    const segment::SegmentMetadata& metadata = (*opened)->metadata();
    const ExactCopies exact((*opened)->directory());
    const std::vector<std::string> hit = ColumnsHit(mutation, places);
    const bool all = random_() % 32 == 0;
    for (const auto& column : metadata.columns) {
      const std::string& name = column.field.name;
      const bool is_hit = std::any_of(hit.begin(), hit.end(), [&](const std::string& damaged) {
        return damaged == name || damaged.starts_with(name + "$");  // parts of an OPEN_STRUCT
      });
      if (IsText(mutation.file)) {
        if (all || metadata.columns.size() < 8 || random_() % 4 == 0) CheckText(column, **opened);
      } else if (is_hit) {
        CheckHit(mutation, column, **opened, exact);
      } else if (all) {
        CheckUntouched(mutation, name, ReadCells(metadata, column, exact));
      }
    }
  }

  // Damaged text may say anything: the rows must only be as many as it says.
  void CheckText(const segment::ColumnMetadata& column, const segment::Segment& segment) {
    if (segment.document_count() > 10'000'000) return;  // true perhaps, and too long to try
    const ExactCopies exact(segment.directory());
    const Cells cells = ReadCells(segment.metadata(), column, exact);
    Count(cells, column.field.name);
  }

  void CheckHit(const Mutation& mutation, const segment::ColumnMetadata& column,
                const segment::Segment& segment, const ExactCopies& exact) {
    const std::string& name = column.field.name;
    const Cells cells = ReadCells(segment.metadata(), column, exact);
    Count(cells, name);
    if (cells.status.ok() || random_() % 8 != 0) return;
    const std::vector<std::string> columns = {name};
    const Status status =
        segment::DumpRows(segment, columns, [](std::string_view) { return true; });
    const std::string& message = status.message();
    if (status.ok()) return;  // batches of another size need not meet the damage
    if (message.find(name) == std::string::npos ||
        message.find(segment.name()) == std::string::npos) {
      Fault(mutation.description, "an error without segment or column: '" + message + "'");
    }
  }

  void CheckUntouched(const Mutation& mutation, const std::string& name, const Cells& cells) {
    const Cells& before = undamaged_.at(name);
    if (cells.status.message() == before.status.message() && cells.rows == before.rows) return;
    Fault(mutation.description, fmt::format("column '{}', which was not damaged, differs: {}", name,
                                            cells.status.message()));
  }

  void Count(const Cells& cells, const std::string& name) {
    if (!cells.status.ok()) {
      ++tally_.errors;
    } else if (const auto before = undamaged_.find(name);
               before != undamaged_.end() && before->second.rows == cells.rows) {
      ++tally_.harmless;
    } else {
      ++tally_.changed;
    }
  }

  void Fault(const std::string& what, const std::string& why) {
    tally_.faults.push_back(fmt::format("{}: {}: {}", copy_.path().filename().string(), what, why));
  }

  WorkCopy copy_;
  const Options& options_;
  Tally& tally_;
  std::mt19937_64 random_;
  std::map<std::string, Cells> undamaged_;
  bool has_data_crc_ = false;
};

int Run(const Options& options, const std::vector<fs::path>& segments) {
  Tally tally;
  for (const fs::path& segment : segments) SegmentTrial(segment, options, tally).Run();
  fmt::print(
      "{} segments, {} damages: {} verified, {} refused; columns: {} errors, {} changed, {} "
      "unharmed\n",
      segments.size(), tally.mutations, tally.verified, tally.refused, tally.errors, tally.changed,
      tally.harmless);
  for (size_t i = 0; i < std::min(tally.faults.size(), kFaultsShown); ++i)
    fmt::print("WRONG: {}\n", tally.faults[i]);
  if (!tally.faults.empty()) fmt::print("{} wrong\n", tally.faults.size());
  return tally.faults.empty() && tally.mutations > 0 ? 0 : 1;
}

}  // namespace
}  // namespace trellis::damage

int main(int argc, char** argv) {
  using namespace trellis::damage;
  Options options;
  size_t milliseconds = SIZE_MAX;
  const std::map<std::string_view, size_t*> numbers = {
      {"--seed", &options.seed},
      {"--flips", &options.plan.flips},
      {"--fields", &options.plan.field_positions},
      {"--pages", &options.plan.page_pairs},
      {"--numbers", &options.plan.numbers},
      {"--truncations", &options.plan.truncations},
      {"--milliseconds", &milliseconds},
      {"--hang-seconds", &options.hang_seconds},
  };
  std::vector<fs::path> segments;
  for (int i = 1; i < argc; ++i) {
    const auto number = numbers.find(argv[i]);
    if (number == numbers.end()) {
      segments.emplace_back(argv[i]);
    } else if (i + 1 < argc) {
      *number->second = std::strtoull(argv[++i], nullptr, 10);
    }
  }
  if (segments.empty()) {
    std::fprintf(stderr, "usage: segment_damage [--seed N] ... SEGMENT...\n");
    return 2;
  }
  options.seconds = static_cast<double>(milliseconds) / 1000;
  for (const int signal : {SIGSEGV, SIGBUS, SIGABRT, SIGFPE, SIGILL, SIGALRM})
    std::signal(signal, OnSignal);
  if (__sanitizer_set_death_callback != nullptr) __sanitizer_set_death_callback(PrintCurrent);
  return Run(options, segments);
}
