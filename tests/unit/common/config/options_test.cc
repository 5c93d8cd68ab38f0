#include "common/config/options.h"

#include <catch2/catch.hpp>
#include <cstdio>
#include <fstream>
#include <map>

using trellis::config::EnvironmentReader;
using trellis::config::kPortRange;
using trellis::config::OptionSet;
using trellis::config::ParseOutcome;

namespace {

struct Program {
  std::string data_dir = "./data";
  int64_t http_port = 8099;
  double ratio = 0.5;
  bool verbose = false;
  std::vector<std::string> servers;
  std::vector<std::string> rest;
  std::map<std::string, std::string> environment;
  OptionSet options{"trellis-test", "A program for tests.", "1.2.3"};

  explicit Program(size_t positional_max = 0) {
    options.Add(&data_dir, "data-dir", "directory of the tables");
    options.Add(&http_port, "http-port", "port of the HTTP door, 0 picks one", kPortRange);
    options.Add(&ratio, "hedge-ratio", "part of the time-out, 0 to 1");
    options.Add(&verbose, "verbose", "log more");
    options.Add(&servers, "server", "HOST:PORT of a server");
    if (positional_max > 0) options.AddPositional(&rest, "SQL", "the statement", positional_max);
  }

  ParseOutcome Parse(const std::vector<std::string>& arguments) {
    return options.Parse(arguments, [this](const std::string& name) -> std::optional<std::string> {
      const auto found = environment.find(name);
      if (found == environment.end()) return std::nullopt;
      return found->second;
    });
  }
};

// A file that goes away with the test.
struct ConfigFile {
  explicit ConfigFile(const std::string& text) : path(std::tmpnam(nullptr)) {
    std::ofstream(path) << text;
  }
  ~ConfigFile() { std::remove(path.c_str()); }
  std::string path;
};

using Catch::Matchers::Contains;

void CheckRefused(const ParseOutcome& outcome, const std::string& part) {
  CHECK(outcome.exit_code == 2);
  CHECK(outcome.standard_output == "");
  CHECK_THAT(outcome.standard_error, Contains(part));
}

}  // namespace

TEST_CASE("without any source the defaults stay") {
  Program program;
  CHECK(!program.Parse({}).exit_code);
  CHECK(program.data_dir == "./data");
  CHECK(program.http_port == 8099);
  CHECK(program.servers.empty());
  CHECK(!program.options.IsSet("http-port"));
}

TEST_CASE("every type is read from flags, in both spellings") {
  Program program;
  CHECK(!program
             .Parse({"--data-dir=/a b", "--http-port", "0", "--hedge-ratio", "0.25", "--verbose",
                     "--server", "a:1,b:2", "--server", "c:3"})
             .exit_code);
  CHECK(program.data_dir == "/a b");
  CHECK(program.http_port == 0);
  CHECK(program.ratio == 0.25);
  CHECK(program.verbose);
  CHECK(program.servers == std::vector<std::string>{"a:1", "b:2", "c:3"});
  CHECK(program.options.IsSet("http-port"));
}

TEST_CASE("a flag of yes or no can be given a value or denied") {
  for (const char* off : {"--verbose=false", "--no-verbose"}) {
    Program program;
    program.verbose = true;
    CAPTURE(off);
    CHECK(!program.Parse({off}).exit_code);
    CHECK(!program.verbose);
  }
}

TEST_CASE("flags win over variables and variables over the config file") {
  const ConfigFile file(
      R"({"http-port": 1, "hedge-ratio": 0.1, "data_dir": "/file", "server": ["x:1", "y:2"]})");
  Program program;
  program.environment = {{"TRELLIS_HTTP_PORT", "2"}, {"TRELLIS_HEDGE_RATIO", "0.2"}};
  CHECK(!program.Parse({"--config", file.path, "--http-port", "3"}).exit_code);
  CHECK(program.http_port == 3);
  CHECK(program.ratio == 0.2);
  CHECK(program.data_dir == "/file");
  CHECK(program.servers == std::vector<std::string>{"x:1", "y:2"});
}

TEST_CASE("the config file can be named by a variable, and an empty variable is no value") {
  const ConfigFile file(R"({"verbose": true})");
  Program program;
  program.environment = {{"TRELLIS_CONFIG", file.path}, {"TRELLIS_HTTP_PORT", ""}};
  CHECK(!program.Parse({}).exit_code);
  CHECK(program.verbose);
  CHECK(program.http_port == 8099);
}

TEST_CASE("an unknown option is refused with the nearest known one") {
  CheckRefused(Program().Parse({"--htp-port", "1"}),
               "unknown option '--htp-port' (did you mean '--http-port'?)");
  CheckRefused(Program().Parse({"--zzzzzzzz=1"}), "unknown option '--zzzzzzzz'\n");
  CheckRefused(Program().Parse({"stray"}), "unexpected argument 'stray'");
}

TEST_CASE("an unknown key of the config file is refused with the nearest known one") {
  const ConfigFile file(R"({"http_prot": 1})");
  CheckRefused(Program().Parse({"--config", file.path}),
               "unknown key 'http_prot' (did you mean 'http-port'?)");
}

TEST_CASE("a value of the wrong form is refused and its source named") {
  CheckRefused(Program().Parse({"--http-port", "80x"}), "--http-port: '80x' is not a whole number");
  CheckRefused(Program().Parse({"--http-port", "65536"}),
               "--http-port: 65536 is out of range: 0 to 65535");
  CheckRefused(Program().Parse({"--http-port"}), "--http-port");
  CheckRefused(Program().Parse({"--hedge-ratio", "nan"}), "'nan' is not a number");
  CheckRefused(Program().Parse({"--verbose=maybe"}), "verbose");
  Program program;
  program.environment = {{"TRELLIS_HTTP_PORT", "abc"}};
  CheckRefused(program.Parse({}), "TRELLIS_HTTP_PORT: 'abc' is not a whole number");
}

TEST_CASE("a scalar given twice is refused") {
  CheckRefused(Program().Parse({"--http-port", "1", "--http-port", "2"}),
               "--http-port: one value is expected, not 2");
  CheckRefused(Program().Parse({"--http-port", "1", "2"}), "unexpected argument '2'");
}

TEST_CASE("a config file that is missing, no JSON, or of wrong types is refused by name") {
  CheckRefused(Program().Parse({"--config", "/no/such/file"}), "'/no/such/file' cannot be opened");
  CheckRefused(Program().Parse({"--config", "/"}), "cannot be read");
  for (const char* text :
       {"", "{", "[]", "3", R"({"http-port": {}})", R"({"http-port": null})",
        R"({"http-port": [1]})", R"({"http-port": 1.5})", R"({"config": "x"})"}) {
    CAPTURE(text);
    const ConfigFile file(text);
    CheckRefused(Program().Parse({"--config", file.path}), file.path);
  }
}

TEST_CASE("help shows each option with its default and unit and exits 0") {
  const ParseOutcome outcome = Program(1).Parse({"--help"});
  CHECK(outcome.exit_code == 0);
  CHECK(outcome.standard_error == "");
  for (const char* part :
       {"--data-dir", "./data", "8099", "port of the HTTP door", "--config", "TRELLIS_", "0.5"}) {
    CHECK_THAT(outcome.standard_output, Contains(part));
  }
}

TEST_CASE("version prints the version and exits 0") {
  const ParseOutcome outcome = Program().Parse({"--version"});
  CHECK(outcome.exit_code == 0);
  CHECK_THAT(outcome.standard_output, Contains("1.2.3"));
}

TEST_CASE("positional arguments are kept in order up to their limit") {
  Program program(2);
  CHECK(program.Parse({"SELECT 1", "--http-port", "5", "x"}).standard_error == "");
  CHECK(program.rest == std::vector<std::string>{"SELECT 1", "x"});
  CHECK(program.http_port == 5);
  CheckRefused(Program(1).Parse({"a", "b"}), "unexpected argument 'b'");
}
