#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "common/base/status.h"

namespace trellis::config {

// What to do after parsing: run, or print and exit.
struct ParseOutcome {
  std::optional<int> exit_code;  // unset: go on
  std::string standard_output;   // help or version
  std::string standard_error;    // what is wrong
};

// Reads an environment variable; nullopt when unset.
using EnvironmentReader = std::function<std::optional<std::string>(const std::string& name)>;

struct IntegerRange {
  int64_t min = std::numeric_limits<int64_t>::min();
  int64_t max = std::numeric_limits<int64_t>::max();
};
inline constexpr IntegerRange kPortRange{0, 65535};

// The options of one program (or sub-command). Each is a flag `--data-dir X`, an environment
// variable `TRELLIS_DATA_DIR` (an empty one counts as unset) and a key `data-dir` (or `data_dir`)
// of the JSON object in the file that `--config` names, in that order of precedence; else the
// target keeps the value it had when it was added, which --help shows as the default. Targets must
// outlive Parse. Not thread-safe.
class OptionSet {
 public:
  OptionSet(std::string program, std::string description, std::string version);

  // `name` is the flag without its dashes, lower-case words joined by '-'. `help` is one line and
  // names the unit. A list may be given several times, as a comma list, or (config file) as an
  // array.
  void Add(std::string* target, const std::string& name, const std::string& help);
  void Add(int64_t* target, const std::string& name, const std::string& help,
           IntegerRange range = {});
  void Add(double* target, const std::string& name, const std::string& help);
  void Add(bool* target, const std::string& name,
           const std::string& help);  // --x, --x=false, --no-x
  void Add(std::vector<std::string>* target, const std::string& name, const std::string& help);
  // Arguments without a name, in the order given; refused when none is declared. `count_max` bounds
  // them.
  void AddPositional(std::vector<std::string>* target, const std::string& name,
                     const std::string& help, size_t count_max);

  // `arguments` without the program's name. Exit code 0 for --help and --version, 2 with one line
  // on standard error for a usage error: an unknown flag or config key (with the nearest known
  // name), a value of the wrong form (naming its source and the form expected), a config file that
  // cannot be read.
  ParseOutcome Parse(const std::vector<std::string>& arguments,
                     const EnvironmentReader& environment);
  // Parse over the process's arguments and environment; prints what it has to say. A value is the
  // exit code.
  std::optional<int> ParseOrExitCode(int argc, const char* const* argv);

  // The value of option `name` came from a flag, a variable or the file. REQUIRES: Parse ran.
  bool IsSet(std::string_view name) const;

 private:
  using Target = std::variant<std::string*, int64_t*, double*, bool*, std::vector<std::string>*>;
  struct Option {
    Target target;
    std::string name;
    std::string help;
    IntegerRange range;
    std::vector<std::string> flag_values;  // as given on the command line
    bool given = false;
  };
  struct Positional {
    std::vector<std::string>* target = nullptr;
    std::string name;
    std::string help;
    size_t count_max = 0;
  };
  class Parser;

  void AddOption(Target target, const std::string& name, const std::string& help,
                 IntegerRange range);
  static Status Assign(Option& option, const std::vector<std::string>& values,
                       const std::string& source);
  std::vector<std::string> Names() const;

  std::string program_;
  std::string description_;
  std::string version_;
  std::vector<Option> options_;
  Positional positional_;
  std::string config_path_;
};

}  // namespace trellis::config
