#pragma once

#include <random>
#include <string>
#include <vector>

#include "common/segment/segment_directory.h"
#include "tests/damage/work_copy.h"

namespace trellis::damage {

// Where an index buffer lies.
struct Place {
  std::string file;  // relative to the segment
  segment::SegmentDirectory::Entry entry;
};

struct MutationPlan {
  size_t flips = 200;
  size_t field_positions = 64;  // a buffer: its first words, then random ones
  size_t page_pairs = 16;
  size_t numbers = 200;          // of the text files
  size_t truncations = 1 << 20;  // every 4 KiB, at most so many
};

// All damages of one segment that the plan asks for, in random order:
//   truncations at each 4 KiB; single bits flipped; a page copied over another, swapped, zeroed;
//   words of index buffers set to -1, 0, 2^31-1 and 2^32-1, wherever a count or an offset may
//   stand; numbers of the text files replaced by hostile ones.
std::vector<Mutation> MakeMutations(const WorkCopy& copy, const std::vector<Place>& places,
                                    const MutationPlan& plan, std::mt19937_64& random);

}  // namespace trellis::damage
