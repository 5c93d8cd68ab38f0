#pragma once

#include <cstdint>
#include <span>

namespace trellis::column {

// What readers must know of a list of docIds or dictIds before they trust it, at the speed of
// reading it from the cache (the best instructions that the processor has).

// Whether every number is above the one before it.
bool IsStrictlyAscending(std::span<const uint32_t> numbers);
// Whether every number is the one before it plus 1: cheaper where a list says so by its ends.
bool IsConsecutive(std::span<const uint32_t> numbers);
// The highest number, 0 for none.
uint32_t HighestOf(std::span<const uint32_t> numbers);

// Writes first, first + 1, ...
void FillRange(uint32_t first, std::span<uint32_t> numbers);

}  // namespace trellis::column
