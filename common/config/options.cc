#include "common/config/options.h"

#include <CLI/CLI.hpp>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "common/base/nearest_name.h"

namespace trellis::config {
namespace {

constexpr int kUsageExitCode = 2;

std::string EnvironmentName(const std::string& name) {
  std::string upper = "TRELLIS_";
  for (char c : name)
    upper += c == '-' ? '_' : static_cast<char>(c >= 'a' && c <= 'z' ? c - 32 : c);
  return upper;
}

std::vector<std::string> SplitCommas(const std::string& text) {
  std::vector<std::string> parts;
  std::istringstream stream(text);
  for (std::string part; std::getline(stream, part, ',');) {
    if (!part.empty()) parts.push_back(part);
  }
  return parts;
}

Status AssignOne(std::string& target, const std::string& text, const IntegerRange&) {
  target = text;
  return Status::Ok();
}

Status AssignOne(int64_t& target, const std::string& text, const IntegerRange& range) {
  int64_t value = 0;
  const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (fault != std::errc() || end != text.data() + text.size()) {
    return Status::InvalidArgument("'{}' is not a whole number", text);
  }
  if (value < range.min || value > range.max) {
    return Status::InvalidArgument("{} is out of range: {} to {}", value, range.min, range.max);
  }
  target = value;
  return Status::Ok();
}

Status AssignOne(double& target, const std::string& text, const IntegerRange&) {
  double value = 0;
  const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (fault != std::errc() || end != text.data() + text.size() || !std::isfinite(value)) {
    return Status::InvalidArgument("'{}' is not a number", text);
  }
  target = value;
  return Status::Ok();
}

Status AssignOne(bool& target, const std::string& text, const IntegerRange&) {
  const std::string lower = ToLowerAscii(text);
  if (lower == "true" || lower == "1" || lower == "yes" || lower == "on") {
    target = true;
  } else if (lower == "false" || lower == "0" || lower == "no" || lower == "off") {
    target = false;
  } else {
    return Status::InvalidArgument("'{}' is neither true nor false", text);
  }
  return Status::Ok();
}

std::string DefaultText(const std::string* v) { return *v; }
std::string DefaultText(const int64_t* v) { return std::to_string(*v); }
std::string DefaultText(const double* v) { return fmt::format("{}", *v); }
std::string DefaultText(const bool* v) { return *v ? "true" : "false"; }
std::string DefaultText(const std::vector<std::string>* v) {
  return fmt::format("{}", fmt::join(*v, ","));
}

const char* TypeText(const std::string*) { return "TEXT"; }
const char* TypeText(const int64_t*) { return "INTEGER"; }
const char* TypeText(const double*) { return "NUMBER"; }
const char* TypeText(const std::vector<std::string>*) { return "TEXT,..."; }

// The texts of one value of the config file, as if they had been given as flags.
Result<std::vector<std::string>> ConfigTexts(const nlohmann::json& value) {
  if (value.is_string()) return std::vector<std::string>{value.get<std::string>()};
  if (value.is_number() || value.is_boolean()) return std::vector<std::string>{value.dump()};
  if (!value.is_array())
    return Status::InvalidArgument("a {} is not allowed here", value.type_name());
  std::vector<std::string> texts;
  for (const nlohmann::json& element : value) {
    if (!element.is_string()) {
      return Status::InvalidArgument("a list holds texts only, not a {}", element.type_name());
    }
    texts.push_back(element.get<std::string>());
  }
  return texts;
}

Result<nlohmann::json> ReadConfigFile(const std::string& path) {
  constexpr std::streamsize kConfigSizeBytesMax = 1 << 20;
  std::ifstream file(path, std::ios::binary);
  if (!file) return Status::NotFound("config file '{}' cannot be opened", path);
  std::string text(kConfigSizeBytesMax + 1, '\0');
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  if (file.bad() || (file.fail() && !file.eof())) {
    return Status::NotFound("config file '{}' cannot be read", path);
  }
  if (file.gcount() > kConfigSizeBytesMax) {
    return Status::InvalidArgument("config file '{}' is larger than {} bytes", path,
                                   kConfigSizeBytesMax);
  }
  text.resize(static_cast<size_t>(file.gcount()));
  try {
    nlohmann::json object = nlohmann::json::parse(text);
    if (!object.is_object())
      return Status::InvalidArgument("config file '{}' holds no JSON object", path);
    return object;
  } catch (const nlohmann::json::exception& thrown) {
    return Status::InvalidArgument("config file '{}': {}", path, thrown.what());
  }
}

}  // namespace

// One parse: CLI11 splits the command line, the three sources are then merged here, so that a wrong
// value reads the same wherever it came from.
class OptionSet::Parser {
 public:
  Parser(OptionSet& set, const EnvironmentReader& environment)
      : set_(set), environment_(environment), app_(set.description_, set.program_) {
    app_.allow_extras();
    app_.set_help_flag("-h,--help", "Print this help and exit");
    app_.set_version_flag("--version", set.version_, "Print the version and exit");
    app_.footer(
        "Each option is also an environment variable, TRELLIS_ and its name in upper case with '_' "
        "for '-',\nand a key of the JSON object in the --config file. Flags win over variables, "
        "variables over the file.");
    for (Option& option : set_.options_) Declare(option);
    if (set_.positional_.target != nullptr) {
      app_.add_option(set_.positional_.name, positional_values_, set_.positional_.help);
    }
  }

  ParseOutcome Run(std::vector<std::string> arguments) {
    std::reverse(arguments.begin(), arguments.end());  // CLI11 takes them from the back
    try {
      app_.parse(std::move(arguments));
    } catch (const CLI::ParseError& thrown) {
      return Exit(thrown);
    }
    const Status status = Merge();
    if (!status.ok()) return Usage(status.message());
    return {};
  }

 private:
  void Declare(Option& option) {
    option.flag_values.clear();
    option.given = false;
    std::visit(
        [&](auto* target) {
          CLI::Option* declared;
          if constexpr (std::is_same_v<decltype(target), bool*>) {
            const std::string flags = "--" + option.name + ",!--no-" + option.name;
            declared = app_.add_flag(flags, option.flag_values, option.help);
          } else {
            declared = app_.add_option("--" + option.name, option.flag_values, option.help);
            declared->type_name(TypeText(target));
            declared->type_size(1)->expected(1)->allow_extra_args(false);
          }
          declared->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
          declared->default_str(DefaultText(target));
        },
        option.target);
  }

  ParseOutcome Exit(const CLI::ParseError& thrown) {
    if (thrown.get_exit_code() != 0) return Usage(thrown.what());
    std::ostringstream out;
    std::ostringstream error;
    app_.exit(thrown, out, error);
    return {0, out.str(), ""};
  }

  ParseOutcome Usage(const std::string& message) const {
    return {kUsageExitCode, "",
            fmt::format("{}: {}\nRun '{} --help' for the options.\n", set_.program_, message,
                        set_.program_)};
  }

  Status Merge() {
    TRELLIS_RETURN_IF_ERROR(RefuseExtras());
    for (Option& option : set_.options_) TRELLIS_RETURN_IF_ERROR(FromFlagOrVariable(option));
    if (!set_.config_path_.empty()) TRELLIS_RETURN_IF_ERROR(FromConfigFile());
    if (set_.positional_.target == nullptr) return Status::Ok();
    if (positional_values_.size() > set_.positional_.count_max) {
      return Status::InvalidArgument("unexpected argument '{}'",
                                     positional_values_[set_.positional_.count_max]);
    }
    *set_.positional_.target = positional_values_;
    return Status::Ok();
  }

  Status RefuseExtras() const {
    for (const std::string& extra : app_.remaining()) {
      if (extra.rfind("--", 0) != 0 || extra == "--") continue;
      const std::string name = extra.substr(2, extra.find('=') - 2);
      const std::string nearest = NearestName(name, set_.Names());
      return Status::InvalidArgument(
          "unknown option '--{}'{}", name,
          nearest.empty() ? "" : fmt::format(" (did you mean '--{}'?)", nearest));
    }
    for (const std::string& extra : app_.remaining()) {
      if (extra != "--") return Status::InvalidArgument("unexpected argument '{}'", extra);
    }
    return Status::Ok();
  }

  Status FromFlagOrVariable(Option& option) {
    if (!option.flag_values.empty()) return Assign(option, option.flag_values, "--" + option.name);
    const std::string variable = EnvironmentName(option.name);
    const std::optional<std::string> text = environment_(variable);
    if (!text || text->empty()) return Status::Ok();
    return Assign(option, {*text}, variable);
  }

  Status FromConfigFile() {
    TRELLIS_ASSIGN_OR_RETURN(const nlohmann::json object, ReadConfigFile(set_.config_path_));
    for (const auto& [key, value] : object.items()) {
      std::string name = key;
      std::replace(name.begin(), name.end(), '_', '-');
      const auto option =
          std::find_if(set_.options_.begin(), set_.options_.end(),
                       [&](const Option& candidate) { return candidate.name == name; });
      const std::string source = fmt::format("config file '{}'", set_.config_path_);
      if (option == set_.options_.end() || name == "config") {
        return Status::InvalidArgument("{}: unknown key '{}'{}", source, key,
                                       DidYouMean(name, set_.Names()));
      }
      const std::string key_source = fmt::format("{}, key '{}'", source, key);
      const auto texts = ConfigTexts(value);
      if (!texts.ok()) return texts.status().WithContext(key_source);
      if (!option->given) TRELLIS_RETURN_IF_ERROR(Assign(*option, *texts, key_source));
    }
    return Status::Ok();
  }

  OptionSet& set_;
  const EnvironmentReader& environment_;
  CLI::App app_;
  std::vector<std::string> positional_values_;
};

OptionSet::OptionSet(std::string program, std::string description, std::string version)
    : program_(std::move(program)),
      description_(std::move(description)),
      version_(std::move(version)) {
  Add(&config_path_, "config", "JSON file with an object of option names and values");
}

void OptionSet::AddOption(Target target, const std::string& name, const std::string& help,
                          IntegerRange range) {
  for (const Option& option : options_) TRELLIS_CHECK(option.name != name);
  options_.push_back({target, name, help, range, {}, false});
}

void OptionSet::Add(std::string* target, const std::string& name, const std::string& help) {
  AddOption(target, name, help, {});
}
void OptionSet::Add(int64_t* target, const std::string& name, const std::string& help,
                    IntegerRange range) {
  AddOption(target, name, help, range);
}
void OptionSet::Add(double* target, const std::string& name, const std::string& help) {
  AddOption(target, name, help, {});
}
void OptionSet::Add(bool* target, const std::string& name, const std::string& help) {
  AddOption(target, name, help, {});
}
void OptionSet::Add(std::vector<std::string>* target, const std::string& name,
                    const std::string& help) {
  AddOption(target, name, help, {});
}

void OptionSet::AddPositional(std::vector<std::string>* target, const std::string& name,
                              const std::string& help, size_t count_max) {
  positional_ = {target, name, help, count_max};
}

Status OptionSet::Assign(Option& option, const std::vector<std::string>& values,
                         const std::string& source) {
  option.given = true;
  const Status status = std::visit(
      [&](auto* target) -> Status {
        if constexpr (std::is_same_v<decltype(target), std::vector<std::string>*>) {
          target->clear();
          for (const std::string& value : values) {
            for (std::string& part : SplitCommas(value)) target->push_back(std::move(part));
          }
          return Status::Ok();
        } else {
          if (values.size() != 1) {
            return Status::InvalidArgument("one value is expected, not {}", values.size());
          }
          return AssignOne(*target, values[0], option.range);
        }
      },
      option.target);
  return status.WithContext(source);
}

std::vector<std::string> OptionSet::Names() const {
  std::vector<std::string> names;
  for (const Option& option : options_) names.push_back(option.name);
  return names;
}

ParseOutcome OptionSet::Parse(const std::vector<std::string>& arguments,
                              const EnvironmentReader& environment) {
  return Parser(*this, environment).Run(arguments);
}

std::optional<int> OptionSet::ParseOrExitCode(int argc, const char* const* argv) {
  const std::vector<std::string> arguments(argv + std::min(argc, 1), argv + argc);
  const ParseOutcome outcome =
      Parse(arguments, [](const std::string& name) -> std::optional<std::string> {
        const char* text = std::getenv(name.c_str());
        return text == nullptr ? std::nullopt : std::optional<std::string>(text);
      });
  std::fputs(outcome.standard_output.c_str(), stdout);
  std::fputs(outcome.standard_error.c_str(), stderr);
  return outcome.exit_code;
}

bool OptionSet::IsSet(std::string_view name) const {
  for (const Option& option : options_) {
    if (option.name == name) return option.given;
  }
  return false;
}

}  // namespace trellis::config
