#include "common/memory/mapping_guard.h"

#include <signal.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <fstream>
#include <mutex>
#include <vector>

#include "common/base/check.h"

namespace trellis::memory {
namespace {

// One registered mapping. Written under the register's lock; the handler reads it without: an odd
// version, or one that changed meanwhile, is of a slot that is being reused, which a mapping that
// is being read never is.
struct Slot {
  std::atomic<uint32_t> version{0};
  std::atomic<bool> torn{false};
  std::atomic<uintptr_t> begin{0};  // 0 = free
  std::atomic<uintptr_t> end{0};    // of its last page
};
static_assert(std::atomic<uintptr_t>::is_always_lock_free);

// What the handler touches. Never freed: a fault may come at any time.
std::atomic<Slot*> slots{nullptr};
std::atomic<uint32_t> slots_used{0};  // slots at and behind this one were never taken
std::atomic<uint64_t> torn_total{0};
uintptr_t page_size_bytes = 4096;
struct sigaction previous;

// The system's own call: sanitizers watch the library's, which is not theirs to be called here.
bool MapZeros(uintptr_t begin, uintptr_t end) {
  const long mapped = ::syscall(SYS_mmap, begin, end - begin, PROT_READ,
                                MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED | MAP_NORESERVE, -1, 0L);
  return mapped != -1;
}

void Mark(Slot& slot) {
  if (!slot.torn.exchange(true)) torn_total.fetch_add(1);
}

// Puts zeros where `address` points if it lies in a registered mapping. What follows in the file is
// lost too: zeros up to its end cost one mapping more, page by page they might cost thousands.
bool Mend(uintptr_t address) {
  Slot* const all = slots.load(std::memory_order_acquire);
  const uint32_t used = slots_used.load(std::memory_order_acquire);
  const uintptr_t page = address & ~(page_size_bytes - 1);
  for (uint32_t i = 0; all != nullptr && i < used; ++i) {
    Slot& slot = all[i];
    const uint32_t version = slot.version.load(std::memory_order_acquire);
    const uintptr_t begin = slot.begin.load(std::memory_order_relaxed);
    const uintptr_t end = slot.end.load(std::memory_order_relaxed);
    if (address < begin || address >= end) continue;
    std::atomic_thread_fence(std::memory_order_acquire);
    if (version % 2 != 0 || slot.version.load(std::memory_order_relaxed) != version) continue;
    Mark(slot);  // first: another thread may read the zeros at once
    // At the process's limit the mapping cannot be split in two, but given up whole.
    return MapZeros(page, end) || MapZeros(begin, end);
  }
  return false;
}

// Lets the handler that was there before have the fault; the default one ends the process when the
// read is tried again.
void PassOn(int signal, siginfo_t* info, void* context) {
  if ((previous.sa_flags & SA_SIGINFO) != 0 && previous.sa_sigaction != nullptr) {
    previous.sa_sigaction(signal, info, context);
    return;
  }
  const bool sent = info == nullptr || info->si_code <= 0;
  if (previous.sa_handler == SIG_IGN && sent) return;
  if (previous.sa_handler != SIG_DFL && previous.sa_handler != SIG_IGN) {
    previous.sa_handler(signal);
    return;
  }
  struct sigaction by_default {};
  by_default.sa_handler = SIG_DFL;
  ::sigaction(signal, &by_default, nullptr);
  if (sent) ::raise(signal);
}

void OnBus(int signal, siginfo_t* info, void* context) {
  const int saved = errno;
  const bool fault = info != nullptr && info->si_code > 0;
  if (!fault || !Mend(reinterpret_cast<uintptr_t>(info->si_addr))) PassOn(signal, info, context);
  errno = saved;
}

// The free slots and the lock of those who change the register.
struct Register {
  std::mutex mutex;
  std::vector<MappingId> free;  // guarded by mutex
  std::atomic<uint64_t> count{0};
};
Register& TheRegister() {
  static Register* const only = new Register();  // outlives every mapping of a static object
  return *only;
}

void SetRange(Slot& slot, uintptr_t begin, uintptr_t end) {
  slot.version.fetch_add(1, std::memory_order_acq_rel);
  std::atomic_thread_fence(std::memory_order_release);
  slot.begin.store(begin, std::memory_order_relaxed);
  slot.end.store(end, std::memory_order_relaxed);
  slot.torn.store(false, std::memory_order_relaxed);
  slot.version.fetch_add(1, std::memory_order_release);
}

Slot& SlotOf(MappingId id) {
  TRELLIS_CHECK(id < slots_used.load(std::memory_order_relaxed));
  return slots.load(std::memory_order_relaxed)[id];
}

uint64_t ReadSystemMappingsMax() {
  constexpr uint64_t kLinuxDefault = 65'530;
  uint64_t limit = 0;
  std::ifstream file("/proc/sys/vm/max_map_count");
  return file >> limit && limit > 0 ? limit : kLinuxDefault;
}

bool Install() {
  page_size_bytes = static_cast<uintptr_t>(::sysconf(_SC_PAGESIZE));
  // Zero bytes are free slots.
  void* const table = ::mmap(nullptr, sizeof(Slot) * kRegisteredMappingsMax, PROT_READ | PROT_WRITE,
                             MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  TRELLIS_CHECK(table != MAP_FAILED);
  slots.store(static_cast<Slot*>(table), std::memory_order_release);
  ::sigaction(SIGBUS, nullptr, &previous);
  struct sigaction action {};
  action.sa_sigaction = OnBus;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK;
  ::sigemptyset(&action.sa_mask);
  TRELLIS_CHECK(::sigaction(SIGBUS, &action, nullptr) == 0);
  return true;
}

}  // namespace

void InstallBusGuard() {
  static const bool installed = Install();
  (void)installed;
}

std::optional<MappingId> RegisterMapping(const void* begin, size_t size_bytes) {
  InstallBusGuard();
  TRELLIS_CHECK(begin != nullptr && size_bytes > 0);
  Register& registry = TheRegister();
  const std::lock_guard lock(registry.mutex);
  MappingId id = slots_used.load(std::memory_order_relaxed);
  if (!registry.free.empty()) {
    id = registry.free.back();
    registry.free.pop_back();
  } else if (id == kRegisteredMappingsMax) {
    return std::nullopt;
  } else {
    slots_used.store(id + 1, std::memory_order_release);
  }
  const auto from = reinterpret_cast<uintptr_t>(begin);
  const uintptr_t to = (from + size_bytes + page_size_bytes - 1) & ~(page_size_bytes - 1);
  SetRange(SlotOf(id), from, to);
  registry.count.fetch_add(1, std::memory_order_relaxed);
  return id;
}

void UnregisterMapping(MappingId id) {
  Register& registry = TheRegister();
  const std::lock_guard lock(registry.mutex);
  SetRange(SlotOf(id), 0, 0);
  registry.free.push_back(id);
  registry.count.fetch_sub(1, std::memory_order_relaxed);
}

bool IsTorn(MappingId id) { return SlotOf(id).torn.load(std::memory_order_acquire); }

void MarkTorn(MappingId id) { Mark(SlotOf(id)); }

bool AnyTorn() { return torn_total.load(std::memory_order_acquire) != 0; }

uint64_t TornMappingsTotal() { return torn_total.load(std::memory_order_acquire); }

uint64_t RegisteredMappings() { return TheRegister().count.load(std::memory_order_relaxed); }

uint64_t SystemMappingsMax() {
  static const uint64_t limit = ReadSystemMappingsMax();
  return limit;
}

}  // namespace trellis::memory
