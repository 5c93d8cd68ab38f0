#pragma once

namespace trellis {

// Keeps glibc's heap close to what is in use, for processes of many threads: few arenas, and big
// blocks given back at once. Without it every thread's arena keeps the peak of the heaviest query
// it ever ran. Call once, first in main.
void BoundHeap();

}  // namespace trellis
