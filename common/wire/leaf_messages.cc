#include "common/wire/leaf_messages.h"

#include <algorithm>

#include "common/wire/block_codec.h"
#include "common/wire/message_limits.h"
#include "common/wire/message_parsing.h"
#include "common/wire/ordinals.h"
#include "common/wire/utf8.h"
#include "common/wire/wire_format.h"
#include "trellis/v1/leaf.pb.h"

namespace trellis::wire {
namespace {

constexpr size_t kStatusMessageBytesMax = 64 * 1024;

// Field numbers of trellis.v1.LeafRequest and LeafResponse.
enum RequestField : uint32_t {
  kVersion = 1,
  kQueryId = 2,
  kAttempt = 3,
  kTimeout = 4,
  kStage = 5,
  kSegments = 6,
  kListBytes = 7,
  kListChunk = 8
};
enum ResponseField : uint32_t { kAccepted = 1, kBlock = 2, kDone = 3, kBody = 15 };

// Reads the field at hand into `request`; false when the bytes are malformed.
bool ReadRequestField(FieldReader& reader, const SharedBytes& message, LeafRequest& request) {
  uint64_t number = 0;
  ByteView bytes;
  if (reader.type() == WireType::kVarint) {
    if (!reader.ReadVarint(number)) return false;
    if (reader.number() == kVersion) request.protocol_version = static_cast<uint32_t>(number);
    if (reader.number() == kAttempt) request.attempt = number;
    if (reader.number() == kTimeout) request.timeout_ms = static_cast<int64_t>(number);
    if (reader.number() == kListBytes) request.list_bytes = number;
    return true;
  }
  if (reader.type() != WireType::kBytes) return reader.Skip();
  if (!reader.ReadBytes(bytes)) return false;
  if (reader.number() == kQueryId) request.query_id = AsText(bytes);
  if (reader.number() == kStage) request.stage = message.Part(bytes);
  if (reader.number() == kSegments) request.segments = message.Part(bytes);
  if (reader.number() == kListChunk) request.list_chunk = message.Part(bytes);
  return true;
}

Status CheckRequest(const LeafRequest& request) {
  if (request.query_id.empty() || request.query_id.size() > kMessageLimits.query_id_bytes_max) {
    return Status::InvalidArgument("a LeafRequest has a query id of {} bytes, wanted 1 to {}",
                                   request.query_id.size(), kMessageLimits.query_id_bytes_max);
  }
  if (request.stage.size_bytes() > kMessageLimits.stage_bytes_max) {
    return Status::ResourceExhausted("the leaf stage is too large: {} bytes, at most {}",
                                     request.stage.size_bytes(), kMessageLimits.stage_bytes_max);
  }
  if (request.timeout_ms < 0)
    return Status::InvalidArgument("a LeafRequest has timeout {} ms", request.timeout_ms);
  return Status::Ok();
}

// A list in pieces is announced once, with some of its bytes, and stands alone.
Status CheckList(const LeafRequest& request) {
  TRELLIS_RETURN_IF_ERROR(CheckListSize(request.list_bytes, "the segment list"));
  const size_t chunk_bytes = request.list_chunk.size_bytes();
  if (request.list_bytes != 0 && request.segments) {
    return Status::InvalidArgument("a LeafRequest has a list of {} bytes and one of {} in pieces",
                                   request.segments->size_bytes(), request.list_bytes);
  }
  if (chunk_bytes > request.list_bytes || (chunk_bytes == 0 && request.list_bytes != 0)) {
    return Status::InvalidArgument("a LeafRequest has {} bytes of a list of {}", chunk_bytes,
                                   request.list_bytes);
  }
  return Status::Ok();
}

// Appends `field`'s tag and length to `head`, `head` to `message`, and then the field's bytes.
void AppendShared(uint32_t field, const SharedBytes& bytes, std::string head, Slices& message) {
  AppendBytesHead(field, bytes.size_bytes(), head);
  message.push_back(SharedBytes::Own(std::move(head)));
  message.push_back(bytes);
}

Result<LeafAccepted> FromProto(const v1::LeafAccepted& from) {
  LeafAccepted accepted;
  accepted.missing.assign(from.missing().begin(), from.missing().end());
  for (const auto& broken : from.broken())
    accepted.broken.push_back({broken.name(), broken.reason()});
  auto missing = ReadOrdinals(AsBytes(from.missing_ordinals()));
  if (!missing.ok()) return missing.status().WithContext("LeafAccepted.missing_ordinals");
  accepted.missing_ordinals = std::move(missing).value();
  accepted.stale = from.stale();
  accepted.incarnation = from.incarnation();
  accepted.epoch = from.epoch();
  return accepted;
}

LeafStatistics FromProto(const v1::LeafStatistics& from) {
  LeafStatistics s;
  s.segments_queried = from.segments_queried();
  s.segments_processed = from.segments_processed();
  s.segments_matched = from.segments_matched();
  s.segments_pruned = from.segments_pruned();
  s.segments_pruned_by_value = from.segments_pruned_by_value();
  s.segments_pruned_by_limit = from.segments_pruned_by_limit();
  s.documents_scanned = from.documents_scanned();
  s.documents_total = from.documents_total();
  s.entries_scanned_in_filter = from.entries_scanned_in_filter();
  s.entries_scanned_post_filter = from.entries_scanned_post_filter();
  s.groups_limit_reached = from.groups_limit_reached();
  s.execute_us = from.execute_us();
  s.decode_us = from.decode_us();
  s.list_encoding = from.list_encoding();
  return s;
}

void ToProto(const LeafStatistics& from, v1::LeafStatistics& to) {
  to.set_segments_queried(from.segments_queried);
  to.set_segments_processed(from.segments_processed);
  to.set_segments_matched(from.segments_matched);
  to.set_segments_pruned(from.segments_pruned);
  to.set_segments_pruned_by_value(from.segments_pruned_by_value);
  to.set_segments_pruned_by_limit(from.segments_pruned_by_limit);
  to.set_documents_scanned(from.documents_scanned);
  to.set_documents_total(from.documents_total);
  to.set_entries_scanned_in_filter(from.entries_scanned_in_filter);
  to.set_entries_scanned_post_filter(from.entries_scanned_post_filter);
  to.set_groups_limit_reached(from.groups_limit_reached);
  to.set_execute_us(from.execute_us);
  to.set_decode_us(from.decode_us);
  to.set_list_encoding(from.list_encoding);
}

LeafDone FromProto(const v1::LeafDone& from) {
  LeafDone done;
  done.statistics = FromProto(from.statistics());
  if (from.status_code() == 0) return done;
  const bool known =
      from.status_code() > 0 && from.status_code() <= static_cast<int>(StatusCode::kDataLoss);
  done.status = {known ? static_cast<StatusCode>(from.status_code()) : StatusCode::kUnknown,
                 from.message(), static_cast<PinotCode>(from.pinot_code())};
  return done;
}

// The parts of a LeafResponse before any of them is parsed.
struct ResponseParts {
  std::optional<ByteView> accepted, block, done;
  ByteView body;
};

Result<ResponseParts> SplitResponse(ByteView message) {
  ResponseParts parts;
  FieldReader reader(message);
  while (!reader.at_end()) {
    ByteView bytes;
    if (!reader.NextTag()) return reader.error("LeafResponse");
    if (reader.type() != WireType::kBytes) {
      if (!reader.Skip()) return reader.error("LeafResponse");
      continue;
    }
    if (!reader.ReadBytes(bytes)) return reader.error("LeafResponse");
    if (reader.number() == kAccepted) parts.accepted = bytes;
    if (reader.number() == kBlock) parts.block = bytes;
    if (reader.number() == kDone) parts.done = bytes;
    if (reader.number() == kBody) parts.body = bytes;
  }
  const int kinds = parts.accepted.has_value() + parts.block.has_value() + parts.done.has_value();
  if (kinds == 1) return parts;
  return Status::InvalidArgument(
      "a LeafResponse of {} bytes has {} parts, wanted one of accepted, block, done",
      message.size(), kinds);
}

}  // namespace

Result<std::vector<Slices>> EncodeLeafRequest(const LeafRequest& request, size_t list_chunk_bytes) {
  TRELLIS_CHECK(list_chunk_bytes > 0 && request.list_bytes == 0);
  TRELLIS_RETURN_IF_ERROR(CheckRequest(request));
  const size_t list_bytes = request.segments ? request.segments->size_bytes() : 0;
  TRELLIS_RETURN_IF_ERROR(CheckListSize(list_bytes, "the segment list"));
  std::string head;
  AppendVarintField(kVersion, request.protocol_version, head);
  AppendBytesHead(kQueryId, request.query_id.size(), head);
  head += request.query_id;
  AppendVarintField(kAttempt, request.attempt, head);
  AppendVarintField(kTimeout, static_cast<uint64_t>(request.timeout_ms), head);
  std::vector<Slices> messages(1);
  AppendShared(kStage, request.stage, std::move(head), messages[0]);
  if (request.segments && list_bytes <= list_chunk_bytes)
    AppendShared(kSegments, *request.segments, {}, messages[0]);
  for (size_t at = 0; list_bytes > list_chunk_bytes && at < list_bytes; at += list_chunk_bytes) {
    const ByteView chunk =
        request.segments->view.subspan(at, std::min(list_chunk_bytes, list_bytes - at));
    std::string chunk_head;
    if (at == 0) {
      AppendVarintField(kListBytes, list_bytes, chunk_head);
    } else {
      messages.emplace_back();
    }
    AppendShared(kListChunk, request.segments->Part(chunk), std::move(chunk_head), messages.back());
  }
  for (const Slices& message : messages)
    TRELLIS_RETURN_IF_ERROR(CheckMessageSize(TotalBytes(message), "a LeafRequest"));
  return messages;
}

Result<LeafRequest> DecodeLeafRequest(const SharedBytes& message) {
  TRELLIS_RETURN_IF_ERROR(CheckMessageSize(message.size_bytes(), "a LeafRequest"));
  LeafRequest request;
  request.protocol_version = 0;
  FieldReader reader(message.view);
  while (!reader.at_end()) {
    if (!reader.NextTag() || !ReadRequestField(reader, message, request))
      return reader.error("LeafRequest");
  }
  TRELLIS_RETURN_IF_ERROR(CheckProtocolVersion(request.protocol_version));
  TRELLIS_RETURN_IF_ERROR(CheckRequest(request));
  TRELLIS_RETURN_IF_ERROR(CheckList(request));
  return request;
}

Result<SharedBytes> DecodeListChunk(const SharedBytes& message) {
  TRELLIS_RETURN_IF_ERROR(CheckMessageSize(message.size_bytes(), "a LeafRequest"));
  LeafRequest request;
  FieldReader reader(message.view);
  while (!reader.at_end()) {
    if (!reader.NextTag() || !ReadRequestField(reader, message, request))
      return reader.error("LeafRequest");
  }
  if (request.list_chunk.size_bytes() != 0) return std::move(request.list_chunk);
  return Status::InvalidArgument("a later LeafRequest of {} bytes has no piece of the list",
                                 message.size_bytes());
}

LeafStatistics& LeafStatistics::operator+=(const LeafStatistics& other) {
  segments_queried += other.segments_queried;
  segments_processed += other.segments_processed;
  segments_matched += other.segments_matched;
  segments_pruned += other.segments_pruned;
  segments_pruned_by_value += other.segments_pruned_by_value;
  segments_pruned_by_limit += other.segments_pruned_by_limit;
  documents_scanned += other.documents_scanned;
  documents_total += other.documents_total;
  entries_scanned_in_filter += other.entries_scanned_in_filter;
  entries_scanned_post_filter += other.entries_scanned_post_filter;
  groups_limit_reached = groups_limit_reached || other.groups_limit_reached;
  execute_us += other.execute_us;
  decode_us += other.decode_us;
  if (list_encoding.empty()) {
    list_encoding = other.list_encoding;
  } else if (!other.list_encoding.empty() && other.list_encoding != list_encoding) {
    list_encoding = "mixed";
  }
  return *this;
}

std::string EncodeLeafAccepted(const LeafAccepted& accepted) {
  v1::LeafResponse response;
  v1::LeafAccepted& to = *response.mutable_accepted();
  for (const std::string& name : accepted.missing) to.add_missing(name);
  for (const BrokenSegment& broken : accepted.broken) {
    v1::BrokenSegment& segment = *to.add_broken();
    segment.set_name(broken.name);
    segment.set_reason(ToUtf8(broken.reason, kStatusMessageBytesMax));
  }
  to.set_missing_ordinals(WriteOrdinals(accepted.missing_ordinals));
  to.set_stale(accepted.stale);
  to.set_incarnation(accepted.incarnation);
  to.set_epoch(accepted.epoch);
  return response.SerializeAsString();
}

std::string EncodeLeafDone(const LeafDone& done) {
  v1::LeafResponse response;
  v1::LeafDone& to = *response.mutable_done();
  to.set_status_code(static_cast<int>(done.status.code()));
  to.set_pinot_code(static_cast<int>(done.status.pinot_code()));
  to.set_message(ToUtf8(done.status.message(), kStatusMessageBytesMax));
  ToProto(done.statistics, *to.mutable_statistics());
  return response.SerializeAsString();
}

Result<Slices> EncodeLeafBlock(std::shared_ptr<const Block> block) {
  TRELLIS_ASSIGN_OR_RETURN(EncodedBlock encoded, EncodeBlock(std::move(block)));
  std::string head;
  AppendBytesHead(kBlock, encoded.header.size(), head);
  head += encoded.header;
  AppendBytesHead(kBody, encoded.body_bytes, head);
  TRELLIS_RETURN_IF_ERROR(CheckMessageSize(head.size() + encoded.body_bytes, "a block"));
  encoded.body.insert(encoded.body.begin(), SharedBytes::Own(std::move(head)));
  return std::move(encoded.body);
}

Result<LeafMessage> DecodeLeafMessage(const SharedBytes& message) {
  TRELLIS_RETURN_IF_ERROR(CheckMessageSize(message.size_bytes(), "a LeafResponse"));
  TRELLIS_ASSIGN_OR_RETURN(const ResponseParts parts, SplitResponse(message.view));
  if (parts.block) {
    TRELLIS_ASSIGN_OR_RETURN(Block block, DecodeBlock(*parts.block, message.Part(parts.body)));
    return LeafMessage(std::move(block));
  }
  if (parts.accepted) {
    v1::LeafAccepted accepted;
    TRELLIS_RETURN_IF_ERROR(ParseMessage(*parts.accepted, accepted, "LeafAccepted"));
    TRELLIS_ASSIGN_OR_RETURN(LeafAccepted read, FromProto(accepted));
    return LeafMessage(std::move(read));
  }
  v1::LeafDone done;
  TRELLIS_RETURN_IF_ERROR(ParseMessage(*parts.done, done, "LeafDone"));
  return LeafMessage(FromProto(done));
}

std::string EncodeCancelRequest(const std::string& query_id) {
  v1::CancelLeafRequest request;
  request.set_query_id(query_id);
  return request.SerializeAsString();
}

Result<std::string> DecodeCancelRequest(ByteView message) {
  v1::CancelLeafRequest request;
  TRELLIS_RETURN_IF_ERROR(ParseMessage(message, request, "CancelLeafRequest"));
  return request.query_id();
}

std::string EncodeCancelResponse(bool found) {
  v1::CancelLeafResponse response;
  response.set_found(found);
  return response.SerializeAsString();
}

Result<bool> DecodeCancelResponse(ByteView message) {
  v1::CancelLeafResponse response;
  TRELLIS_RETURN_IF_ERROR(ParseMessage(message, response, "CancelLeafResponse"));
  return response.found();
}

}  // namespace trellis::wire
