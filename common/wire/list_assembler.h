#pragma once

#include <optional>
#include <string>

#include "common/wire/leaf_messages.h"
#include "common/wire/shared_bytes.h"

namespace trellis::wire {

// Puts together the segment list of one request, whether it came whole or in pieces. Takes memory
// as bytes arrive, at most twice as much as that, never what the sender announces. Not thread-safe.
class ListAssembler {
 public:
  // REQUIRES: `first` is what DecodeLeafRequest returned; only its list is kept.
  explicit ListAssembler(const LeafRequest& first);

  // Nothing more is to come.
  bool complete() const { return arrived_bytes_ == announced_bytes_; }
  // The next piece (DecodeListChunk). Errors: InvalidArgument for an empty piece and for more bytes
  // than were announced; the list is then not to be used.
  Status Add(const SharedBytes& chunk);
  // What to answer a sender that stopped before the list was complete.
  Status Unfinished() const;
  // The list; nullopt = none was sent. Without a copy when it came in one piece. REQUIRES:
  // complete(); called once.
  std::optional<SharedBytes> Take();

  size_t memory_bytes() const { return joined_.capacity(); }

 private:
  std::optional<SharedBytes> first_;
  std::string joined_;  // empty while the first piece is the only one
  uint64_t arrived_bytes_ = 0;
  uint64_t announced_bytes_ = 0;
};

}  // namespace trellis::wire
