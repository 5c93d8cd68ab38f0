#include "cli/segment/segment_build.h"

#include <csignal>
#include <fstream>
#include <iterator>
#include <ostream>
#include <set>
#include <thread>

#include "cli/segment/build_progress.h"
#include "common/base/nearest_name.h"
#include "common/base/printable_text.h"
#include "common/ingest/row_reader.h"
#include "common/segment_writer/segment_builder.h"
#include "common/table_config/buildable_schema.h"
#include "common/table_config/table_config.h"

namespace trellis::cli {
namespace {

namespace fs = std::filesystem;

constexpr size_t kFaultsShown = 20;
constexpr uintmax_t kConfigBytesMax = 64 << 20;

volatile std::sig_atomic_t stop_asked = 0;

// While it lives, the first SIGINT, SIGTERM or SIGHUP asks the build to end; the next one ends the
// process. A file that grows past the user's limit is a failed write, not the end of the process.
class StopOnSignal {
 public:
  StopOnSignal() {
    stop_asked = 0;
    for (Handler& handler : handlers_) {
      struct sigaction action {};
      action.sa_handler = handler.to;
      action.sa_flags = static_cast<int>(SA_RESETHAND);  // no SA_RESTART: a waiting read returns
      sigaction(handler.signal, &action, &handler.before);
      const bool nohup = handler.signal == SIGHUP && handler.before.sa_handler == SIG_IGN;
      if (nohup) sigaction(SIGHUP, &handler.before, nullptr);
    }
  }
  ~StopOnSignal() {
    for (const Handler& handler : handlers_) sigaction(handler.signal, &handler.before, nullptr);
  }

 private:
  struct Handler {
    int signal;
    void (*to)(int);
    struct sigaction before {};
  };
  static void AskToStop(int) { stop_asked = 1; }
  Handler handlers_[4] = {
      {SIGINT, AskToStop}, {SIGTERM, AskToStop}, {SIGHUP, AskToStop}, {SIGXFSZ, SIG_IGN}};
};

Status Interrupted() { return Status::Cancelled("interrupted: nothing was written"); }

Result<std::string> ReadConfig(const std::string& path) {
  std::error_code error;
  if (fs::is_directory(path, error))
    return Status::InvalidArgument("{}: is a folder, expected a file", path);
  if (fs::file_size(path, error) > kConfigBytesMax && !error)
    return Status::InvalidArgument("{}: larger than {} bytes", path, kConfigBytesMax);
  std::ifstream in(path, std::ios::binary);
  if (!in) return Status::NotFound("{}: cannot be opened", path);
  return std::string(std::istreambuf_iterator<char>(in), {});
}

Result<char> OneByte(const std::string& text, std::string_view flag) {
  if (text == "tab" || text == "\\t") return '\t';
  if (text.size() == 1) return text[0];
  return Status::InvalidArgument("--{}: '{}', expected one character or tab", flag, text);
}

// ".csv" of "ROWS.CSV.gz".
std::string EndingOf(const std::string& input) {
  fs::path path(ToLowerAscii(input));
  if (path.extension() == ".gz") path = path.stem();
  return path.extension();
}

Result<ingest::RowFormat> FormatOf(const BuildRequest& request, const std::string& input) {
  std::string format = request.format;
  if (format.empty()) {
    const std::string ending = EndingOf(input);
    format = ending == ".csv" || ending == ".tsv" ? "csv" : "json";
  }
  if (format == "json" || format == "jsonl") return ingest::RowFormat::kJsonLines;
  if (format == "csv") return ingest::RowFormat::kCsv;
  return Status::InvalidArgument("--format: '{}', expected json or csv", format);
}

// Whether what stands at `target` may be replaced: a segment, or a packed one. Anything else is
// somebody's, and a mistyped path must not cost it.
bool IsSegment(const fs::path& target, bool archive) {
  std::error_code error;
  if (!archive) {
    return fs::is_regular_file(target / "metadata.properties", error) ||
           fs::is_regular_file(target / "v3" / "metadata.properties", error);
  }
  char magic[2] = {};
  std::ifstream in(target, std::ios::binary);
  return fs::is_regular_file(target, error) && in.read(magic, sizeof magic) && magic[0] == '\x1f' &&
         magic[1] == '\x8b';
}

// Where the segment shall stand. Refused before any row is read when something is there.
Result<fs::path> TargetOf(const BuildRequest& request) {
  if (request.output.empty()) return Status::InvalidArgument("--output: '' is no folder");
  if (request.name.empty() || request.name == "." || request.name == ".." ||
      request.name.find('/') != request.name.npos) {
    return Status::InvalidArgument("--name: '{}' is no name for a folder", request.name);
  }
  if (request.name.ends_with("v3")) {
    return Status::InvalidArgument(
        "--name: '{}' ends in v3, which Pinot takes for the folder inside a segment", request.name);
  }
  const fs::path target =
      fs::path(request.output) / (request.name + (request.archive ? ".tar.gz" : ""));
  std::error_code error;
  if (!fs::exists(fs::symlink_status(target, error))) return target;
  if (!request.overwrite) {
    return Status::InvalidArgument("{}: is there already (--overwrite replaces it)",
                                   target.string());
  }
  if (!IsSegment(target, request.archive))
    return Status::InvalidArgument("{}: is no segment, and is not replaced", target.string());
  return target;
}

class Build {
 public:
  Build(const BuildRequest& request, bool progress, std::ostream& out, std::ostream& errors)
      : request_(request),
        out_(out),
        errors_(errors),
        progress_(errors, progress, InputBytes(request)) {}

  int Run() {
    const StopOnSignal stop;
    const Status status = Make();
    progress_.Wipe();
    if (status.ok()) return 0;
    const bool interrupted = stop_asked != 0;
    const Status& told = interrupted ? Interrupted() : status;
    errors_ << "trellis segment build: " << PrintableText(told.message()) << std::endl;
    return row_fault_ && !interrupted ? 1 : 2;
  }

 private:
  static uint64_t InputBytes(const BuildRequest& request) {
    uint64_t bytes = 0;
    for (const std::string& input : request.inputs) {
      std::error_code error;
      const auto size = fs::file_size(input, error);
      if (error || input == "-") return 0;
      bytes += size;
    }
    return bytes;
  }

  void Warn(std::string_view text) {
    progress_.Wipe();
    errors_ << "warning: " << PrintableText(text) << '\n';
  }

  Status Make() {
    TRELLIS_ASSIGN_OR_RETURN(segment_writer::BuildSettings settings, Settings());
    const Schema schema = settings.schema;
    TRELLIS_ASSIGN_OR_RETURN(auto builder,
                             segment_writer::SegmentBuilder::Create(std::move(settings)));
    for (const std::string& input : request_.inputs)
      TRELLIS_RETURN_IF_ERROR(Feed(input, schema, *builder));
    ShowFaults();
    TRELLIS_ASSIGN_OR_RETURN(
        const segment_writer::BuildReport report,
        builder->Finish([this](size_t done, size_t of) { progress_.Written(done, of); }));
    progress_.Wipe();
    out_ << PrintableText(report.path.string()) << ": " << report.rows << " rows, " << report.bytes
         << " bytes, crc " << report.crc;
    if (skipped_ > 0) out_ << ", " << skipped_ << " rows left out";
    out_ << std::endl;
    // The segment stands; whoever waits for this line must not take silence for it.
    if (!out_.good()) return Status::Unavailable("cannot write to standard output");
    return {};
  }

  Result<segment_writer::BuildSettings> Settings() {
    if (request_.on_error != "fail" && request_.on_error != "skip") {
      return Status::InvalidArgument("--on-error: '{}', expected fail or skip", request_.on_error);
    }
    options_.skip_faults = request_.on_error == "skip";
    options_.faults_kept_max = kFaultsShown;
    if (!request_.csv_delimiter.empty()) {
      TRELLIS_ASSIGN_OR_RETURN(options_.csv_delimiter,
                               OneByte(request_.csv_delimiter, "csv-delimiter"));
    }
    TRELLIS_ASSIGN_OR_RETURN(
        options_.csv_multi_value_delimiter,
        OneByte(request_.csv_multi_value_delimiter, "csv-multi-value-delimiter"));
    for (const std::string& input : request_.inputs)
      TRELLIS_RETURN_IF_ERROR(FormatOf(request_, input).status());

    segment_writer::BuildSettings settings;
    TRELLIS_ASSIGN_OR_RETURN(settings.output, TargetOf(request_));
    TRELLIS_ASSIGN_OR_RETURN(const std::string schema_text, ReadConfig(request_.schema));
    auto schema = table_config::ParseBuildableSchema(schema_text);
    if (!schema.ok()) return schema.status().WithContext(request_.schema);
    if (schema->file.schema.fields().empty())
      return Status::InvalidArgument("{}: a schema without columns", request_.schema);
    settings.schema = schema->file.schema;
    for (const std::string& warning : schema->warnings) Warn(request_.schema + ": " + warning);
    settings.table_name = request_.table_name;
    if (!request_.table.empty()) {
      TRELLIS_ASSIGN_OR_RETURN(const std::string text, ReadConfig(request_.table));
      auto indexing = table_config::ParseIndexingConfig(text);
      if (!indexing.ok()) return indexing.status().WithContext(request_.table);
      settings.indexing = std::move(*indexing);
      for (const std::string& warning : settings.indexing.warnings)
        Warn(request_.table + ": " + warning);
      const auto table = table_config::ParseTableConfig(text);
      if (settings.table_name.empty() && table.ok()) settings.table_name = table->table_name;
    }
    if (settings.table_name.empty()) settings.table_name = settings.schema.name();
    if (schema->file.column_based_null_handling) {
      settings.indexing.null_handling = true;
      for (const std::string& column : schema->not_null)
        settings.indexing.fields[column].not_null = true;
    }
    settings.segment_name = request_.name;
    settings.overwrite = request_.overwrite;
    settings.archive = request_.archive;
    settings.stopped = [] { return stop_asked != 0; };
    settings.threads = request_.threads > 0 ? static_cast<unsigned>(request_.threads)
                                            : std::max(1U, std::thread::hardware_concurrency());
    return settings;
  }

  Status Feed(const std::string& input, const Schema& schema,
              segment_writer::SegmentBuilder& builder) {
    ingest::RowReaderOptions options = options_;
    options.faults_kept_max = kFaultsShown - faults_.size();
    TRELLIS_ASSIGN_OR_RETURN(options.format, FormatOf(request_, input));
    if (request_.csv_delimiter.empty() && EndingOf(input) == ".tsv") options.csv_delimiter = '\t';
    TRELLIS_ASSIGN_OR_RETURN(const auto reader, ingest::RowReader::Open(input, schema, options));
    std::vector<ColumnVector> columns;
    while (true) {
      const auto more = reader->Next(columns);
      if (stop_asked != 0) return Interrupted();
      if (!more.ok()) {
        row_fault_ = more.status().code() == StatusCode::kInvalidArgument;
        return more.status();
      }
      if (!*more) break;
      TRELLIS_RETURN_IF_ERROR(builder.Append(columns));
      progress_.Read(bytes_before_ + reader->bytes_read(), rows_before_ + reader->rows_read());
    }
    bytes_before_ += reader->size_bytes();
    rows_before_ += reader->rows_read();
    skipped_ += reader->rows_skipped();
    const std::string name = input == "-" ? "standard input" : input;
    for (const ingest::RowFault& fault : reader->faults()) {
      const std::string place = name + ":" + std::to_string(fault.line) + ": ";
      faults_.push_back(fault.column.empty() ? place + fault.what
                                             : place + "column '" + fault.column + "': '" +
                                                   fault.value + "' " + fault.what);
    }
    for (const std::string& column : reader->unknown_columns()) {
      if (unknown_.insert(column).second)
        Warn(name + ": '" + column + "' is not in the schema and is left out" +
             DidYouMean(column, schema.names()));
    }
    return {};
  }

  void ShowFaults() {
    for (const std::string& fault : faults_) Warn(fault);
    if (skipped_ > faults_.size())
      Warn("and " + std::to_string(skipped_ - faults_.size()) + " more rows");
  }

  const BuildRequest& request_;
  std::ostream& out_;
  std::ostream& errors_;
  BuildProgress progress_;
  ingest::RowReaderOptions options_;
  bool row_fault_ = false;
  uint64_t bytes_before_ = 0;
  uint64_t rows_before_ = 0;
  uint64_t skipped_ = 0;
  std::vector<std::string> faults_;
  std::set<std::string> unknown_;
};

}  // namespace

int BuildSegment(const BuildRequest& request, bool progress, std::ostream& out,
                 std::ostream& errors) {
  return Build(request, progress, out, errors).Run();
}

}  // namespace trellis::cli
