#pragma once

#include <cstdio>
#include <cstdlib>

// Dies with file and line when `condition` is false. For our own mistakes only: bytes from disk,
// the network or a caller are answered with a Status instead.
#define TRELLIS_CHECK(condition)                                                         \
  do {                                                                                   \
    if (!(condition)) [[unlikely]] {                                                     \
      std::fprintf(stderr, "%s:%d: check failed: %s\n", __FILE__, __LINE__, #condition); \
      std::abort();                                                                      \
    }                                                                                    \
  } while (false)
