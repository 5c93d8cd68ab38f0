#include "common/wire/wire_format.h"

#include <climits>

namespace trellis::wire {

void AppendTag(uint32_t number, WireType type, std::string& out) {
  AppendVarint(TagOf(number, type), out);
}

void AppendBytesHead(uint32_t number, size_t size_bytes, std::string& out) {
  AppendTag(number, WireType::kBytes, out);
  AppendVarint(size_bytes, out);
}

void AppendVarintField(uint32_t number, uint64_t value, std::string& out) {
  if (value == 0) return;
  AppendTag(number, WireType::kVarint, out);
  AppendVarint(value, out);
}

void AppendFixed64Field(uint32_t number, uint64_t value, std::string& out) {
  if (value == 0) return;
  AppendTag(number, WireType::kFixed64, out);
  char bytes[sizeof(value)];
  std::memcpy(bytes, &value, sizeof(value));  // every platform we build for is little-endian
  out.append(bytes, sizeof(bytes));
}

bool FieldReader::Fail(const char* what) {
  if (what_ == nullptr) {
    what_ = what;
    failed_at_ = offset();
  }
  return false;
}

Status FieldReader::error(std::string_view message_name) const {
  return Status::InvalidArgument("{} is malformed: {} at offset {}", message_name,
                                 what_ ? what_ : "fault in a nested message",
                                 what_ ? failed_at_ : offset());
}

bool FieldReader::NextTag() {
  // A tag is a varint of at most five bytes; bits above 32 are dropped, as protobuf does.
  uint32_t tag = 0;
  const uint8_t* at = at_;
  for (int i = 0;; ++i) {
    if (at == end_) return Fail("cut-off tag");
    if (i == 5) return Fail("tag longer than five bytes");
    const uint8_t byte = *at++;
    tag |= static_cast<uint32_t>(byte & 0x7f) << (7 * i);
    if (byte < 0x80) break;
  }
  if ((tag >> 3) == 0) return Fail("field number 0");
  if ((tag & 7) > 5) return Fail("unknown wire type");
  at_ = at;
  number_ = tag >> 3;
  type_ = static_cast<WireType>(tag & 7);
  return true;
}

bool FieldReader::ReadVarint(uint64_t& value) {
  uint64_t result = 0;
  const uint8_t* at = at_;
  for (int i = 0;; ++i) {
    if (at == end_) return Fail("cut-off varint");
    if (i == 10) return Fail("varint longer than ten bytes");
    const uint8_t byte = *at++;
    result |= static_cast<uint64_t>(byte & 0x7f) << (7 * i);
    if (byte < 0x80) break;
  }
  at_ = at;
  value = result;
  return true;
}

bool FieldReader::ReadSize(size_t& size_bytes) {
  uint64_t result = 0;
  const uint8_t* at = at_;
  for (int i = 0;; ++i) {
    if (at == end_) return Fail("cut-off length");
    const uint8_t byte = *at++;
    if (i == 4 && byte >= 8) return Fail("length of 2 GiB or more");
    result |= static_cast<uint64_t>(byte & 0x7f) << (7 * i);
    if (byte < 0x80) break;
  }
  if (result > INT_MAX - 16) return Fail("length of 2 GiB or more");
  at_ = at;
  size_bytes = result;
  return true;
}

bool FieldReader::ReadBytes(ByteView& bytes) {
  size_t size_bytes = 0;
  if (!ReadSize(size_bytes)) return false;
  if (size_bytes > static_cast<size_t>(end_ - at_)) return Fail("length beyond the end");
  bytes = {at_, size_bytes};
  at_ += size_bytes;
  return true;
}

bool FieldReader::ReadFixed64(uint64_t& value) {
  if (static_cast<size_t>(end_ - at_) < sizeof(value)) return Fail("cut-off fixed-width value");
  value = LoadLittleEndian<uint64_t>(at_);
  at_ += sizeof(value);
  return true;
}

bool FieldReader::Skip() {
  uint64_t ignored = 0;
  ByteView skipped;
  switch (type_) {
    case WireType::kVarint:
      return ReadVarint(ignored);
    case WireType::kBytes:
      return ReadBytes(skipped);
    case WireType::kFixed64:
    case WireType::kFixed32: {
      const size_t size_bytes = type_ == WireType::kFixed64 ? 8 : 4;
      if (static_cast<size_t>(end_ - at_) < size_bytes) return Fail("cut-off fixed-width value");
      at_ += size_bytes;
      return true;
    }
    case WireType::kStartGroup:
      return SkipGroup(number_);
    case WireType::kEndGroup:
      break;
  }
  return Fail("end of a group that was not begun");
}

bool FieldReader::SkipGroup(uint32_t number) {
  if (--depth_left_ < 0) return Fail("nesting too deep");
  while (!at_end()) {
    if (!NextTag()) return false;
    if (type_ == WireType::kEndGroup) {
      if (number_ != number) return Fail("end of another group");
      ++depth_left_;
      return true;
    }
    if (!Skip()) return false;
  }
  return Fail("group without an end");
}

bool FieldReader::Descend(ByteView bytes, FieldReader& nested) {
  if (depth_left_ == 0) return Fail("nesting too deep");
  nested = FieldReader(bytes, base_, depth_left_ - 1);
  return true;
}

}  // namespace trellis::wire
