#pragma once

namespace trellis::rpc {

// Keeps gRPC's callback threads for as long as the process lives. gRPC 1.51 ends them with their
// last user and now and then aborts in doing so (ref_counted.h: prior > 0), which would turn a
// clean exit into a crash: so one user is never given up. Thread-safe; only the first call works.
void KeepCallbackThreads();

}  // namespace trellis::rpc
