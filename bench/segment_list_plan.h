#pragma once

namespace trellis::bench {

// Registers Plan/<count>, Prune/<kind>/<count> and RoaringAnd/<count>.
void RegisterPlans();

}  // namespace trellis::bench
