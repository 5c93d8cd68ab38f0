#pragma once

#include <cstddef>

namespace trellis::bench {

// Registers Fanout/<encoding>/<servers>/<count> for every encoding and number of servers:
// `count` segments over all servers.
void RegisterFanouts(size_t count);

}  // namespace trellis::bench
