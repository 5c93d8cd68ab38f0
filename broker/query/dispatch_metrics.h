#pragma once

#include "broker/dispatch/dispatcher.h"

namespace trellis::broker {

// Adds what one dispatch cost, and how it went, to the process's metrics.
void CountDispatch(const DispatchOutcome& outcome);

}  // namespace trellis::broker
