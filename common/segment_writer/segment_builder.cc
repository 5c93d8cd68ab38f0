#include "common/segment_writer/segment_builder.h"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <limits>
#include <mutex>
#include <optional>
#include <system_error>
#include <thread>

#include "common/encode/dictionary_builder.h"
#include "common/output/staged_folder.h"
#include "common/segment/temporary_folder.h"
#include "common/segment_writer/column_encoder.h"
#include "common/segment_writer/metadata_properties.h"
#include "common/segment_writer/row_order.h"
#include "common/segment_writer/segment_layout.h"
#include "common/segment_writer/segment_tar.h"

namespace trellis::segment_writer {
namespace {

namespace fs = std::filesystem;

int64_t NowMs() {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::milliseconds>(now).count();
}

ValueType SpilledType(const ColumnPlan& plan) {
  // Provisional ids, 32 bits of them.
  if (plan.dictionary) return {DataType::kInt, plan.is_multi_value()};
  return plan.field->value_type();
}

// One column while rows arrive.
class GrowingColumn {
 public:
  GrowingColumn(const ColumnPlan& plan, SpillFile& file)
      : plan_(plan), spill_(SpilledType(plan), file) {
    if (plan.dictionary) builder_ = encode::DictionaryBuilder::Create(plan.field->type);
  }

  Status Append(const ColumnVector& values) {
    if (!values.is_constant()) return AppendPlain(values);
    ColumnVector plain(values.value_type());
    plain.AppendAll(values);
    return AppendPlain(plain);
  }
  // Ends the column's growth: its dictionary, if it has one, is sorted.
  void Sort() {
    if (builder_ == nullptr) return;
    builder_->Finish(dictionary_.values, dictionary_.rank);
    builder_.reset();
  }
  EncodeTask Task() const {
    EncodeTask task;
    task.plan = &plan_;
    task.spill = &spill_;
    task.dictionary = plan_.dictionary ? &dictionary_ : nullptr;
    task.nulls = &nulls_;
    return task;
  }
  // Frees what encoding needed.
  void Forget() {
    dictionary_ = {};
    nulls_ = {};
  }
  ColumnSpill& spill() { return spill_; }

 private:
  Status AppendPlain(const ColumnVector& values) {
    for (size_t row = 0; values.has_nulls() && row < values.size(); ++row) {
      if (values.is_null(row)) nulls_.add(spill_.rows() + static_cast<uint32_t>(row));
    }
    if (!plan_.dictionary) return spill_.Append(values);
    ColumnVector ids(SpilledType(plan_));
    TRELLIS_RETURN_IF_ERROR(builder_->Add(values, provisional_));
    if (plan_.is_multi_value()) TRELLIS_RETURN_IF_ERROR(FillEmptyRows(values, ids));
    if (!plan_.is_multi_value() || ids.offsets().size() == 1)
      ids.values<int32_t>().assign(provisional_.begin(), provisional_.end());
    if (plan_.is_multi_value() && ids.offsets().size() == 1) ids.offsets() = values.offsets();
    ids.SetSize(values.size());
    return spill_.Append(ids);
  }

  // Rows without a value get the column's default as their one (format notes 4.4). Leaves `ids`
  // alone where there is no such row.
  Status FillEmptyRows(const ColumnVector& values, ColumnVector& ids) {
    const auto& offsets = values.offsets();
    if (std::adjacent_find(offsets.begin(), offsets.end()) == offsets.end()) return {};
    if (!default_id_) {
      ColumnVector one(plan_.field->type);
      one.Append(plan_.field->default_null.is_null()
                     ? DefaultNullValue(plan_.field->type, plan_.field->role == FieldRole::kMetric)
                     : plan_.field->default_null);
      std::vector<uint32_t> id;
      TRELLIS_RETURN_IF_ERROR(builder_->Add(one, id));
      default_id_ = id.at(0);
    }
    for (size_t row = 0; row < values.size(); ++row) {
      auto& flat = ids.values<int32_t>();
      for (uint32_t i = offsets[row]; i < offsets[row + 1]; ++i)
        flat.push_back(static_cast<int32_t>(provisional_[i]));
      if (offsets[row] == offsets[row + 1]) flat.push_back(static_cast<int32_t>(*default_id_));
      ids.offsets().push_back(static_cast<uint32_t>(flat.size()));
    }
    return {};
  }

  const ColumnPlan& plan_;
  ColumnSpill spill_;
  std::unique_ptr<encode::DictionaryBuilder> builder_;
  SortedDictionary dictionary_;
  Roaring nulls_;
  std::vector<uint32_t> provisional_;
  std::optional<uint32_t> default_id_;
};

// Runs `work(0)` to `work(count - 1)` on `threads` threads and tells `progress`, on this one, how
// many are done. After an error no further one is begun; the error of the first of them that failed
// is returned.
Status RunEach(size_t count, unsigned threads, const std::function<Status(size_t)>& work,
               const std::function<void(size_t, size_t)>& progress) {
  std::vector<Status> outcomes(count);
  std::mutex mutex;
  std::condition_variable changed;
  size_t next = 0, done = 0, running = 0;
  bool failed = false;
  const auto run = [&] {
    std::unique_lock lock(mutex);
    while (next < count && !failed) {
      const size_t index = next++;
      lock.unlock();
      Status outcome = work(index);
      lock.lock();
      failed = failed || !outcome.ok();
      outcomes[index] = std::move(outcome);
      ++done;
      changed.notify_one();
    }
    --running;
    changed.notify_one();
  };
  running = std::min<size_t>(std::max(threads, 1u), count);
  std::vector<std::thread> workers;
  for (size_t i = 0, started = running; i < started; ++i) workers.emplace_back(run);
  {
    std::unique_lock lock(mutex);
    size_t told = 0;
    while (running > 0 || told < done) {
      changed.wait(lock, [&] { return running == 0 || told < done; });
      if (told == done) continue;
      told = done;
      lock.unlock();
      if (progress) progress(told, count);
      lock.lock();
    }
  }
  for (std::thread& worker : workers) worker.join();
  for (const Status& outcome : outcomes) TRELLIS_RETURN_IF_ERROR(outcome);
  return {};
}

class Builder final : public SegmentBuilder {
 public:
  explicit Builder(BuildSettings settings) : settings_(std::move(settings)) {
    if (settings_.creation_time_ms == 0) settings_.creation_time_ms = NowMs();
  }

  Status Prepare() {
    TRELLIS_ASSIGN_OR_RETURN(plans_, PlanColumns(settings_));
    const fs::path& given = settings_.output;
    const fs::path target = given.has_filename() ? given : given.parent_path();
    if (!settings_.archive && target.filename().string().ends_with("v3"))
      return Status::InvalidArgument("{}: Pinot opens no segment whose folder's name ends in v3",
                                     settings_.output.string());
    std::error_code ignored;
    // Commit asks again: this is to know before the rows are read.
    if (!settings_.overwrite && fs::exists(fs::symlink_status(target, ignored)))
      return Status::InvalidArgument("{} exists already", target.string());
    TRELLIS_ASSIGN_OR_RETURN(output::StagedFolder staged,
                             output::StagedFolder::Create(settings_.output));
    staged_.emplace(std::move(staged));
    segment_ = settings_.archive ? staged_->path() / settings_.segment_name : staged_->path();
    work_ = staged_->path() / (settings_.segment_name + ".work");
    const bool packed = settings_.indexing.segment_version == "v3";
    files_ = packed ? work_ : segment_;
    for (const fs::path& folder : {segment_, work_}) {
      std::error_code error;
      fs::create_directories(folder, error);
      if (error) return Status::Unavailable("{}: {}", folder.string(), error.message());
    }
    fs::path spill_folder = work_;
    if (!settings_.spill_folder.empty()) {
      TRELLIS_ASSIGN_OR_RETURN(spill_folder_,
                               segment::TemporaryFolder::Make(settings_.spill_folder));
      spill_folder = spill_folder_->path();
    }
    TRELLIS_ASSIGN_OR_RETURN(spill_, SpillFile::Create(spill_folder / "columns.spill"));
    for (const ColumnPlan& plan : plans_)
      columns_.push_back(std::make_unique<GrowingColumn>(plan, *spill_));
    return {};
  }

  Status Append(std::span<const ColumnVector> columns) override {
    TRELLIS_RETURN_IF_ERROR(error_);
    TRELLIS_RETURN_IF_ERROR(CheckShape(columns));
    for (size_t i = 0; i < columns.size(); ++i) {
      error_ = columns_[i]
                   ->Append(columns[i])
                   .WithContext(fmt::format("column '{}'", plans_[i].field->name));
      TRELLIS_RETURN_IF_ERROR(error_);
    }
    return {};
  }

  Result<BuildReport> Finish(const std::function<void(size_t, size_t)>& progress) override {
    TRELLIS_RETURN_IF_ERROR(error_);
    error_ = Status::InvalidArgument("the segment is finished");
    for (auto& column : columns_) TRELLIS_RETURN_IF_ERROR(column->spill().Flush());
    TRELLIS_RETURN_IF_ERROR(spill_->Map());
    TRELLIS_ASSIGN_OR_RETURN(const std::vector<ColumnFacts> facts, EncodeAll(progress));
    TRELLIS_RETURN_IF_ERROR(spill_->CheckIntact());
    spill_.reset();
    spill_folder_.reset();
    TRELLIS_ASSIGN_OR_RETURN(const SegmentSums sums, LayOut(facts));
    TRELLIS_RETURN_IF_ERROR(CheckStopped());
    return Commit(sums);
  }

 private:
  Status CheckStopped() const {
    if (!settings_.stopped || !settings_.stopped()) return {};
    return Status::Cancelled("the segment is not wanted any more");
  }

  Status CheckShape(std::span<const ColumnVector> columns) const {
    if (columns.size() != plans_.size())
      return Status::InvalidArgument("{} columns; the schema has {}", columns.size(),
                                     plans_.size());
    for (size_t i = 0; i < columns.size(); ++i) {
      const FieldSpec& field = *plans_[i].field;
      if (columns[i].value_type() != field.value_type())
        return Status::InvalidArgument("column '{}' comes as {}; it is {}", field.name,
                                       ValueTypeName(columns[i].value_type()),
                                       ValueTypeName(field.value_type()));
      if (columns[i].size() != columns[0].size())
        return Status::InvalidArgument("column '{}' comes with {} rows, another with {}",
                                       field.name, columns[i].size(), columns[0].size());
    }
    return {};
  }

  Result<std::vector<ColumnFacts>> EncodeAll(const std::function<void(size_t, size_t)>& progress) {
    const unsigned threads = std::max(settings_.threads, 1u);
    const auto prepare = [&](size_t i) {
      columns_[i]->Sort();
      return Status();
    };
    std::vector<EncodeTask> sort_tasks;
    // Sort columns need their dictionaries now; the others get theirs when they are encoded, so
    // that few are in memory twice.
    std::vector<bool> prepared(columns_.size());
    for (const std::string& name : settings_.indexing.sort_columns) {
      size_t i = 0;
      while (plans_[i].field->name != name) ++i;
      if (!prepared[i]) TRELLIS_RETURN_IF_ERROR(prepare(i));
      prepared[i] = true;
      sort_tasks.push_back(columns_[i]->Task());
    }
    const std::vector<uint32_t> order = SortRows(sort_tasks);
    std::vector<ColumnFacts> facts(columns_.size());
    const auto encode = [&](size_t i) -> Status {
      TRELLIS_RETURN_IF_ERROR(CheckStopped());
      if (!prepared[i]) TRELLIS_RETURN_IF_ERROR(prepare(i));
      EncodeTask task = columns_[i]->Task();
      task.config = &settings_.indexing;
      task.order = order;
      task.folder = files_;
      // Few columns leave threads idle: those compress chunks of the columns there are.
      task.threads = std::max<unsigned>(1, threads / static_cast<unsigned>(columns_.size()));
      TRELLIS_ASSIGN_OR_RETURN(facts[i], EncodeColumn(task));
      columns_[i]->Forget();
      return {};
    };
    TRELLIS_RETURN_IF_ERROR(RunEach(columns_.size(), threads, encode, progress));
    return facts;
  }

  Result<SegmentSums> LayOut(std::span<const ColumnFacts> facts) {
    SegmentFacts segment{columns_.front()->spill().rows(), settings_.creation_time_ms};
    rows_ = segment.documents;
    TRELLIS_ASSIGN_OR_RETURN(const std::string metadata,
                             MetadataProperties(settings_, segment, plans_, facts));
    const LayoutInput input{
        files_, segment_, plans_, facts, rows_, metadata, settings_.creation_time_ms};
    const bool packed = settings_.indexing.segment_version == "v3";
    return packed ? WritePackedLayout(input) : WriteFilesLayout(input);
  }

  Result<BuildReport> Commit(const SegmentSums& sums) {
    std::error_code ignored;
    fs::remove_all(work_, ignored);
    BuildReport report{rows_, 0, sums.crc, staged_->target()};
    if (settings_.archive) {
      const fs::path name = settings_.segment_name + ".tar.gz";
      TRELLIS_RETURN_IF_ERROR(WriteSegmentTar(segment_, settings_.segment_name,
                                              settings_.creation_time_ms, staged_->path() / name));
      report.bytes = fs::file_size(staged_->path() / name, ignored);
      TRELLIS_RETURN_IF_ERROR(staged_->CommitFile(name, settings_.overwrite));
      return report;
    }
    for (const auto& entry : fs::recursive_directory_iterator(segment_, ignored)) {
      if (entry.is_regular_file(ignored)) report.bytes += entry.file_size(ignored);
    }
    TRELLIS_RETURN_IF_ERROR(staged_->Commit(settings_.overwrite));
    return report;
  }

  BuildSettings settings_;
  std::vector<ColumnPlan> plans_;  // borrows from settings_
  std::optional<output::StagedFolder> staged_;
  fs::path segment_;  // where the segment's own files lie
  fs::path work_;     // what is gone in the end
  fs::path files_;    // where columns' files are put first
  std::unique_ptr<segment::TemporaryFolder> spill_folder_;
  std::unique_ptr<SpillFile> spill_;
  std::vector<std::unique_ptr<GrowingColumn>> columns_;
  uint32_t rows_ = 0;
  Status error_;
};

}  // namespace

Result<std::unique_ptr<SegmentBuilder>> SegmentBuilder::Create(BuildSettings settings) {
  auto builder = std::make_unique<Builder>(std::move(settings));
  TRELLIS_RETURN_IF_ERROR(builder->Prepare());
  return std::unique_ptr<SegmentBuilder>(std::move(builder));
}

}  // namespace trellis::segment_writer
