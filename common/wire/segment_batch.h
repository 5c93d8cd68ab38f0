#pragma once

#include "common/wire/inventory_messages.h"
#include "common/wire/message_limits.h"

namespace trellis::v1 {
class SegmentBatch;
}

namespace trellis::wire {

// What the batches of one message may still cost their reader: a few front-coded bytes can stand
// for many names.
struct BatchBudget {
  size_t segments_left = kMessageLimits.inventory_message_segments_max;
  size_t text_bytes_left = kMessageLimits.segment_list_bytes_max;
};

// Segments column by column to and from their message. Both refuse the same, as InvalidArgument
// that names the column: columns whose length is not the batch's, ordinals that do not ascend or
// are over the limit, names over the limit, negative rows, min over max, partitions beyond count.
// ResourceExhausted for more segments than one message may have.
Status EncodeSegmentBatch(const SegmentBatch& from, v1::SegmentBatch& to);
Status DecodeSegmentBatch(const v1::SegmentBatch& from, BatchBudget& budget, SegmentBatch& to);

}  // namespace trellis::wire
