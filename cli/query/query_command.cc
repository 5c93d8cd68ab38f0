#include "cli/query/query_command.h"

#include <unistd.h>

#include <cmath>
#include <cstdlib>
#include <iostream>
#include <nlohmann/json.hpp>
#include <optional>

#include "cli/query/answer.h"
#include "cli/query/prompt.h"
#include "cli/query/render.h"
#include "common/config/options.h"

namespace trellis::cli {
namespace {

constexpr int kDone = 0;
constexpr int kFailed = 1;
constexpr int kUnusable = 2;
constexpr size_t kStatementSizeBytesMax = 16 * 1024 * 1024;
constexpr double kTimeoutSecondsMax = 24 * 3600;

std::optional<OutputFormat> ParseFormat(const std::string& name) {
  if (name == "table") return OutputFormat::kTable;
  if (name == "json") return OutputFormat::kJson;
  if (name == "csv") return OutputFormat::kCsv;
  return std::nullopt;
}

Result<std::string> ReadAll(std::istream& in) {
  std::string text(kStatementSizeBytesMax + 1, '\0');
  in.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<size_t>(in.gcount()));
  if (text.size() > kStatementSizeBytesMax) {
    return Status::InvalidArgument("the statement is longer than {} bytes", kStatementSizeBytesMax);
  }
  if (text.find_first_not_of(" \t\r\n") == std::string::npos) {
    return Status::InvalidArgument(
        "no SQL was given, neither as an argument nor on standard input");
  }
  return text;
}

std::string HistoryPath() {
  const char* home = std::getenv("HOME");
  return home == nullptr || *home == '\0' ? "" : std::string(home) + "/.trellis_history";
}

int Prompt(const QueryTarget& target) {
  std::cout << fmt::format("Connected to {}:{}. End a statement with ';', leave with \\q.\n",
                           target.client.host(), target.client.port());
  RunPrompt(HistoryPath(),
            [&](const std::string& sql) { ExecuteQuery(target, sql, std::cout, std::cerr); });
  return kDone;
}

// Writes what the answer says besides its rows; the exit code that follows from it.
int ReportOutcome(const Answer& answer, std::ostream& err) {
  for (const std::string& fault : answer.faults) err << fault << '\n';
  if (!answer.faults.empty()) return kFailed;
  if (answer.partial) err << "note: the broker calls this answer partial\n";
  return kDone;
}

void WriteRows(const Answer& answer, OutputFormat format, std::ostream& out) {
  if (!answer.has_table) return;
  if (format == OutputFormat::kCsv) {
    out << RenderCsv(answer);
    return;
  }
  const size_t rows = answer.rows.size();
  out << RenderTable(answer)
      << fmt::format("({} row{}, {} ms)\n", rows, rows == 1 ? "" : "s", answer.time_used_ms);
}

}  // namespace

int ExecuteQuery(const QueryTarget& target, const std::string& sql, std::ostream& out,
                 std::ostream& err) {
  nlohmann::ordered_json request{{"sql", sql}};
  if (!target.query_options.empty()) request["queryOptions"] = target.query_options;
  // Bytes that are no UTF-8 cannot travel in JSON.
  const std::string body = request.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  const auto response = target.client.Post("/query/sql", "application/json", body);
  if (!response.ok()) {
    err << response.status().message() << '\n';
    return kUnusable;
  }
  if (response->status != 200) {
    err << fmt::format("HTTP {} {}: {}\n", response->status, http::ReasonPhrase(response->status),
                       response->body);
    return kFailed;
  }
  const Result<Answer> answer = ParseAnswer(response->body);
  if (!answer.ok()) {
    err << answer.status().message() << '\n';
    return kUnusable;
  }
  if (target.format == OutputFormat::kJson) {
    out << response->body << '\n';
  } else {
    WriteRows(*answer, target.format, out);
  }
  out.flush();
  return ReportOutcome(*answer, err);
}

int RunQueryCommand(int argc, const char* const* argv) {
  std::string broker = "http://127.0.0.1:8099";
  std::string format = "table";
  std::string query_options;
  double timeout_seconds = 60;
  std::vector<std::string> statements;
  config::OptionSet options("trellis query", "Sends SQL to a broker and prints the rows.",
                            "trellis " TRELLIS_VERSION);
  options.Add(&broker, "broker", "URL of the broker's HTTP door");
  options.Add(&format, "format", "how rows are printed: table, json or csv");
  options.Add(&timeout_seconds, "timeout", "longest wait for the answer, in seconds");
  options.Add(&query_options, "query-options", "options of the query, k=v separated by ';'");
  options.AddPositional(&statements, "SQL", "the statement; without it, standard input", 1);
  if (const std::optional<int> exit_code = options.ParseOrExitCode(argc, argv)) return *exit_code;

  const auto unusable = [](const std::string& message) {
    std::cerr << "trellis query: " << message << '\n';
    return kUnusable;
  };
  const std::optional<OutputFormat> parsed = ParseFormat(format);
  if (!parsed) return unusable(fmt::format("--format: '{}' is none of table, json, csv", format));
  if (timeout_seconds <= 0 || timeout_seconds > kTimeoutSecondsMax) {
    return unusable(fmt::format("--timeout: {} is not within 0 to {} seconds", timeout_seconds,
                                kTimeoutSecondsMax));
  }
  const std::chrono::milliseconds timeout(static_cast<int64_t>(std::ceil(timeout_seconds * 1000)));
  const auto client = http::HttpClient::Create(broker, timeout);
  if (!client.ok()) return unusable("--broker: " + client.status().message());
  const QueryTarget target{*client, *parsed, query_options};
  if (!statements.empty()) return ExecuteQuery(target, statements[0], std::cout, std::cerr);
  if (isatty(STDIN_FILENO) != 0) return Prompt(target);
  const Result<std::string> sql = ReadAll(std::cin);
  if (!sql.ok()) return unusable(sql.status().message());
  return ExecuteQuery(target, *sql, std::cout, std::cerr);
}

}  // namespace trellis::cli
