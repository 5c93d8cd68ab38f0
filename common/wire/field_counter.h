#pragma once

#include <array>
#include <map>

#include "common/base/bytes.h"

namespace google::protobuf {
class Descriptor;
}

namespace trellis::wire {

// Counts the strings and nested messages of a serialised message, before the generated parser takes
// memory for each: tens to hundreds of bytes for two on the wire. Immutable; safe to read from many
// threads.
class FieldCounter {
 public:
  // Knows the messages that can be nested in `root`.
  explicit FieldCounter(const google::protobuf::Descriptor& root);
  FieldCounter(const FieldCounter&) = delete;
  FieldCounter& operator=(const FieldCounter&) = delete;

  // ResourceExhausted, naming the limit, when the untrusted `message` has more than `fields_max`,
  // nested at most `depth_max` deep. Takes some nanoseconds a field; stops at the limit.
  Status Check(ByteView message, size_t fields_max, int depth_max, std::string_view name) const;

 private:
  static constexpr uint32_t kNumbersMax = 32;  // every field number of proto/ is below
  struct Type {
    std::array<const Type*, kNumbersMax> nested{};  // by field number; null = not a message
  };
  const Type* Add(const google::protobuf::Descriptor& descriptor);
  static bool Count(ByteView message, const Type& type, int depth_left, size_t& fields_left);

  std::map<const google::protobuf::Descriptor*, Type> types_;
  const Type* root_;
};

}  // namespace trellis::wire
