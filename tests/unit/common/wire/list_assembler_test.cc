#include "common/wire/list_assembler.h"

#include <catch2/catch.hpp>
#include <random>

#include "common/wire/message_limits.h"

namespace trellis::wire {
namespace {

LeafRequest Announce(uint64_t list_bytes, std::string first) {
  LeafRequest request;
  request.list_bytes = list_bytes;
  request.list_chunk = SharedBytes::Own(std::move(first));
  return request;
}

}  // namespace

TEST_CASE("a list that came whole, or did not come, is complete at once") {
  LeafRequest request;
  ListAssembler none(request);
  CHECK(none.complete());
  CHECK_FALSE(none.Take().has_value());

  request.segments = SharedBytes{};
  ListAssembler empty(request);
  CHECK(empty.complete());
  CHECK(empty.Take().has_value());

  request.segments = SharedBytes::Own("list");
  ListAssembler whole(request);
  CHECK(whole.complete());
  CHECK(whole.Take()->view.data() == request.segments->view.data());

  const LeafRequest one_piece = Announce(4, "list");
  ListAssembler single(one_piece);
  CHECK(single.complete());
  CHECK(single.Take()->view.data() == one_piece.list_chunk.view.data());
}

TEST_CASE("pieces of any sizes make the list that was cut") {
  std::mt19937 random(3);
  for (int round = 0; round < 50; ++round) {
    std::string list(1 + random() % 5'000, '\0');
    for (char& c : list) c = static_cast<char>(random());
    LeafRequest request;
    request.query_id = "q";
    request.segments = SharedBytes::Own(list);
    const auto messages = EncodeLeafRequest(request, 1 + random() % 700);
    REQUIRE(messages.ok());
    ListAssembler assembler(*DecodeLeafRequest(SharedBytes::Own(Join(messages->front()))));
    for (size_t i = 1; i < messages->size(); ++i) {
      REQUIRE_FALSE(assembler.complete());
      REQUIRE(assembler.Add(*DecodeListChunk(SharedBytes::Own(Join((*messages)[i])))).ok());
    }
    REQUIRE(assembler.complete());
    CHECK(AsText(assembler.Take()->view) == list);
  }
}

TEST_CASE("an empty piece and bytes beyond those announced are refused") {
  ListAssembler assembler(Announce(10, "1234"));
  CHECK(assembler.Add({}).code() == StatusCode::kInvalidArgument);
  const Status more = assembler.Add(SharedBytes::Own("5678901"));
  CHECK(more.code() == StatusCode::kInvalidArgument);
  CHECK(more.message().find("4 bytes and 7 more, announced were 10") != std::string::npos);
  CHECK(assembler.Add(SharedBytes::Own("567890")).ok());
  CHECK(assembler.complete());
  CHECK(assembler.Add(SharedBytes::Own("1")).code() == StatusCode::kInvalidArgument);
  CHECK(AsText(assembler.Take()->view) == "1234567890");
}

TEST_CASE("a list that ended early is named with both sizes") {
  ListAssembler assembler(Announce(10, "1234"));
  CHECK_FALSE(assembler.complete());
  CHECK(assembler.Unfinished().message().find("10 bytes ended after 4") != std::string::npos);
}

TEST_CASE("memory follows what has arrived, not what was announced") {
  const std::string piece(1'000, 'x');
  ListAssembler assembler(Announce(kMessageLimits.segment_list_bytes_max, piece));
  for (size_t arrived = 2'000; arrived < 1'000'000; arrived += 1'000) {
    REQUIRE(assembler.Add(SharedBytes::Own(piece)).ok());
    REQUIRE(assembler.memory_bytes() <= 2 * arrived);
  }
}

}  // namespace trellis::wire
