#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <string>

#include "common/base/bytes.h"
#include "common/base/varint.h"

// Protobuf's wire format (protobuf.dev/programming-guides/encoding) by hand, for the messages whose
// payload must not be copied. FieldReader accepts and refuses exactly what protobuf 3.21's C++
// parser does.
namespace trellis::wire {

enum class WireType : uint8_t {
  kVarint = 0,
  kFixed64 = 1,
  kBytes = 2,
  kStartGroup = 3,
  kEndGroup = 4,
  kFixed32 = 5
};

constexpr uint64_t TagOf(uint32_t number, WireType type) {
  return (uint64_t{number} << 3) | static_cast<uint8_t>(type);
}
// Bytes of a length-delimited field whose number is below 16, its tag and length included.
constexpr size_t BytesFieldSize(size_t size_bytes) {
  return 1 + VarintSize(size_bytes) + size_bytes;
}
void AppendTag(uint32_t number, WireType type, std::string& out);
// Tag and length of a length-delimited field; its bytes are to follow.
void AppendBytesHead(uint32_t number, size_t size_bytes, std::string& out);

// A number's field, left out when it is 0, as proto3 does.
void AppendVarintField(uint32_t number, uint64_t value, std::string& out);
void AppendFixed64Field(uint32_t number, uint64_t value, std::string& out);

// Nested messages and groups that protobuf's parser follows.
inline constexpr int kWireDepthMax = 100;

// Walks the fields of one message in untrusted bytes. Not thread-safe.
class FieldReader {
 public:
  // `base` is the start of the outermost message: offsets in errors count from it.
  explicit FieldReader(ByteView message, const uint8_t* base = nullptr,
                       int depth_left = kWireDepthMax)
      : at_(message.data()),
        end_(message.data() + message.size()),
        base_(base ? base : message.data()),
        depth_left_(depth_left) {}

  bool at_end() const { return at_ == end_; }
  size_t offset() const { return static_cast<size_t>(at_ - base_); }
  const uint8_t* base() const { return base_; }
  uint32_t number() const { return number_; }
  WireType type() const { return type_; }
  bool Is(uint32_t number, WireType type) const { return number_ == number && type_ == type; }

  // Reads the next field's tag. REQUIRES: !at_end(). False, with error(), when the bytes are
  // malformed.
  bool NextTag();
  // The value behind the tag just read; false when malformed.
  bool ReadVarint(uint64_t& value);
  bool ReadBytes(ByteView& bytes);
  bool ReadFixed64(uint64_t& value);
  // Steps over the value behind the tag just read, whatever it is.
  bool Skip();
  // A reader of the nested message `bytes`. False when nesting is too deep.
  bool Descend(ByteView bytes, FieldReader& nested);

  // What is wrong and at which offset. REQUIRES: a call has returned false.
  Status error(std::string_view message_name) const;

 private:
  bool Fail(const char* what);
  bool ReadSize(size_t& size_bytes);
  bool SkipGroup(uint32_t number);

  const uint8_t* at_;
  const uint8_t* end_;
  const uint8_t* base_;
  int depth_left_;
  uint32_t number_ = 0;
  WireType type_ = WireType::kVarint;
  const char* what_ = nullptr;
  size_t failed_at_ = 0;
};

}  // namespace trellis::wire
