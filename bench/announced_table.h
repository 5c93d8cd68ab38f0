#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "broker/catalog/catalog_state.h"
#include "common/wire/inventory_messages.h"

namespace trellis::bench {

// Tables that servers announce without having files: for questions about lists, plans and routes at
// a scale no disk here holds.
inline constexpr char kAnnouncedTable[] = "events_OFFLINE";
inline constexpr int kPartitions = 256;
inline constexpr int64_t kHourMs = 3'600'000;

// The update by which a server of `incarnation` announces segments first, first + step, ... of
// `names`, under ordinals 0, 1, 2, ... Segment i covers hour i / kPartitions of `ts` (epoch
// milliseconds from 0) and partition i % kPartitions of `member` (Modulo).
wire::TableUpdate Announcement(const std::vector<std::string>& names, size_t first, size_t step,
                               uint64_t incarnation);

// What a server announces as its description of the table.
wire::TableDescription AnnouncedDescription();

// A catalog of `servers` servers, at these targets, that hold `names` round-robin and read
// everything.
std::shared_ptr<const broker::CatalogSnapshot> AnnouncedCatalog(
    const std::vector<std::string>& names, const std::vector<std::string>& targets);

}  // namespace trellis::bench
