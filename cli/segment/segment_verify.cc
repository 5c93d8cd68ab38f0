#include "cli/segment/segment_verify.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <ostream>

#include "common/base/printable_text.h"
#include "common/verify/verify_segment.h"

namespace trellis::cli {
namespace {

// Null where there is none.
nlohmann::ordered_json TextOrNull(const std::string& text) {
  return text.empty() ? nlohmann::ordered_json() : nlohmann::ordered_json(text);
}

std::string FaultJson(const std::string& path, const verify::Fault& fault) {
  nlohmann::ordered_json json;
  json["path"] = path;
  json["segment"] = fault.segment;
  json["column"] = TextOrNull(fault.column);
  json["index"] = fault.index;
  json["file"] = TextOrNull(fault.file);
  json["offset"] = fault.offset ? nlohmann::ordered_json(*fault.offset) : nlohmann::ordered_json();
  json["expected"] = TextOrNull(fault.expected);
  json["found"] = fault.found;
  json["note"] = fault.is_note;
  json["count"] = fault.count;
  return json.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

// Returns whether there was a fault.
bool Write(const std::string& path, const std::vector<verify::Fault>& found, const VerifyForm& form,
           std::ostream& out) {
  uint64_t faults = 0;
  for (const verify::Fault& fault : found) {
    if (!fault.is_note) faults += fault.count;
    if (fault.is_note && form.quiet) continue;
    out << (form.json ? FaultJson(path, fault) : verify::FaultText(fault)) << '\n';
  }
  if (form.json || form.quiet) return faults > 0;
  if (faults > 0) {
    out << PrintableText(path) << ": " << faults << (faults == 1 ? " fault" : " faults") << '\n';
  } else {
    out << PrintableText(path) << ": no faults\n";
  }
  return faults > 0;
}

}  // namespace

int VerifySegments(std::span<const std::string> paths, const VerifyForm& form, std::ostream& out,
                   std::ostream& errors) {
  int exit_code = 0;
  for (const std::string& path : paths) {
    const auto faults = verify::VerifySegment(path);
    if (!faults.ok()) {
      errors << "trellis segment: " << PrintableText(faults.status().message()) << '\n';
      exit_code = 2;
    } else if (Write(path, *faults, form, out)) {
      exit_code = std::max(exit_code, 1);
    }
  }
  out.flush();
  return out.good() ? exit_code : std::max(exit_code, 1);
}

}  // namespace trellis::cli
