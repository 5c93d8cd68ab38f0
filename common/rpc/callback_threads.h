#pragma once

namespace trellis::rpc {

// Readies gRPC for this process, before the first channel or server. Thread-safe; only the first
// call works.
//
// Debian builds abseil without NDEBUG, whose mutexes then look for deadlocks in a graph of all
// locks at each lock: a third of what gRPC costs, and a lock that all its threads share. Switched
// off here; it is a debugging aid.
void PrepareGrpc();

// Keeps gRPC's callback threads for as long as the process lives. gRPC 1.51 ends them with their
// last user and now and then aborts in doing so (ref_counted.h: prior > 0), which would turn a
// clean exit into a crash: so one user is never given up. Thread-safe; only the first call works.
void KeepCallbackThreads();

}  // namespace trellis::rpc
