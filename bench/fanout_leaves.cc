#include "bench/fanout_leaves.h"

#include <fmt/format.h>
#include <grpcpp/grpcpp.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <memory>

#include "common/rpc/byte_buffer.h"
#include "common/rpc/server_runner.h"
#include "common/wire/leaf_messages.h"
#include "common/wire/segment_list_codec.h"
#include "trellis/v1/leaf.grpc.pb.h"

namespace trellis::bench {
namespace {

constexpr char kFlag[] = "--fanout-leaves";

// Answers every request with `done`.
class InstantLeaf final
    : public v1::LeafService::WithRawCallbackMethod_Execute<v1::LeafService::Service> {
 public:
  grpc::ServerBidiReactor<grpc::ByteBuffer, grpc::ByteBuffer>* Execute(
      grpc::CallbackServerContext*) override {
    return new Answer;
  }

 private:
  class Answer : public grpc::ServerBidiReactor<grpc::ByteBuffer, grpc::ByteBuffer> {
   public:
    Answer() { StartRead(&request_); }
    void OnReadDone(bool ok) override {
      if (!ok || answered_) return;
      answered_ = true;
      wire::LeafDone done;
      done.statistics.segments_queried = SegmentsIn(request_);
      answer_ = rpc::ToByteBuffer(wire::EncodeLeafDone(done));
      StartWriteAndFinish(&answer_, grpc::WriteOptions(), grpc::Status::OK);
    }
    void OnDone() override { delete this; }

   private:
    static int64_t SegmentsIn(const grpc::ByteBuffer& request) {
      const auto bytes = rpc::FromByteBuffer(request);
      TRELLIS_CHECK(bytes.ok());
      const auto message = wire::DecodeLeafRequest(*bytes);
      TRELLIS_CHECK(message.ok() && message->segments);
      if (message->query_id != kCountingQuery) return 0;
      const auto list = wire::DecodeSegmentLists(message->segments->view);
      TRELLIS_CHECK(list.ok());
      uint64_t total = list->names_total();
      for (const wire::KnownSegments& known : list->known) total += known.count;
      return static_cast<int64_t>(total);
    }

    grpc::ByteBuffer request_;
    grpc::ByteBuffer answer_;
    bool answered_ = false;
  };
};

}  // namespace

LeafProcess::LeafProcess(size_t servers) {
  int ends[2];
  TRELLIS_CHECK(pipe(ends) == 0);
  const std::string count = std::to_string(servers);
  process_ = fork();
  TRELLIS_CHECK(process_ >= 0);
  if (process_ == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    dup2(ends[1], STDOUT_FILENO);
    execl("/proc/self/exe", "leaves", kFlag, count.c_str(), nullptr);
    _exit(127);
  }
  close(ends[1]);
  FILE* lines = fdopen(ends[0], "r");
  char line[128];
  while (targets_.size() < servers && fgets(line, sizeof(line), lines) != nullptr) {
    line[strcspn(line, "\n")] = '\0';
    targets_.emplace_back(line);
  }
  fclose(lines);
  TRELLIS_CHECK(targets_.size() == servers);
}

LeafProcess::~LeafProcess() {
  kill(process_, SIGKILL);
  waitpid(process_, nullptr, 0);
}

std::optional<int> RunAsLeafProcess(int argc, char** argv) {
  if (argc != 3 || std::strcmp(argv[1], kFlag) != 0) return std::nullopt;
  std::vector<std::unique_ptr<InstantLeaf>> leaves;
  std::vector<std::unique_ptr<rpc::ServerRunner>> runners;
  for (long i = std::atol(argv[2]); i > 0; --i) {
    leaves.push_back(std::make_unique<InstantLeaf>());
    auto runner = rpc::ServerRunner::Start({"127.0.0.1", 0}, {leaves.back().get()});
    TRELLIS_CHECK(runner.ok());
    fmt::print("{}\n", (*runner)->address());
    runners.push_back(std::move(*runner));
  }
  fflush(stdout);
  while (true) pause();
}

}  // namespace trellis::bench
