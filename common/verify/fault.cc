#include "common/verify/fault.h"

#include <fmt/format.h>

#include "common/base/printable_text.h"

namespace trellis::verify {
namespace {

constexpr size_t kTextSizeBytesMax = 400;  // of one value or name in a line

std::string Printable(std::string_view text) { return PrintableText(text, kTextSizeBytesMax); }

}  // namespace

std::string FaultText(const Fault& fault) {
  std::string line = fault.is_note ? "note: segment " : "fault: segment ";
  line += Printable(fault.segment);
  if (!fault.column.empty()) line += ", column " + Printable(fault.column);
  line += ", " + Printable(fault.index);
  if (fault.offset) line += fmt::format(", offset {}", *fault.offset);
  if (!fault.file.empty()) line += (fault.offset ? " of " : ", ") + Printable(fault.file);
  if (!fault.expected.empty()) line += ": expected " + Printable(fault.expected);
  return line + (fault.expected.empty() ? ": " : ", found ") + Printable(fault.found);
}

void FaultList::Add(Fault fault) {
  fault.segment = segment_;
  if (!fault.is_note) ++fault_count_;
  Seen& seen = seen_[{fault.column, fault.index, fault.is_note}];
  if (++seen.count > per_index_max_) return;
  seen.file = fault.file;
  faults_.push_back(std::move(fault));
}

std::vector<Fault> FaultList::Take() {
  for (const auto& [key, seen] : seen_) {
    if (seen.count <= per_index_max_) continue;
    faults_.push_back(
        {segment_, key.column, key.index, seen.file, std::nullopt, "",
         fmt::format("{} more {}", seen.count - per_index_max_, key.is_note ? "notes" : "faults"),
         key.is_note, seen.count - per_index_max_});
  }
  seen_.clear();
  fault_count_ = 0;
  return std::exchange(faults_, {});
}

void FaultLog::Put(std::optional<uint64_t> offset, std::string expected, std::string found,
                   bool is_note) {
  if (offset) *offset += start_;
  list_->Add({"", column_, index_, file_, offset, std::move(expected), std::move(found), is_note});
}

}  // namespace trellis::verify
