#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string_view>
#include <vector>

#include "common/segment_names/name_store.h"
#include "common/segment_names/name_template.h"

// The memory of a NameStore: written once and forward only, so that views read it without locks
// while the writer goes on behind them.
namespace trellis::segment_names {

inline constexpr size_t kChunkBits = 11;
inline constexpr size_t kNamesPerChunk = size_t{1} << kChunkBits;
inline constexpr size_t kSlotPageBits = 12;
inline constexpr size_t kSlotsPerPage = size_t{1} << kSlotPageBits;
inline constexpr size_t kSlotsPerNameMax = 2 * kLanesMax;
// A chunk may begin within a page; a page's last slots may be too few for a name.
inline constexpr size_t kPagesPerChunkMax =
    kNamesPerChunk * kSlotsPerNameMax / (kSlotsPerPage - kSlotsPerNameMax + 1) + 2;
static_assert(kPagesPerChunkMax << kSlotPageBits <= size_t{1} << 16, "NameRecord::slots");
inline constexpr size_t kTemplateBlockBits = 6;
inline constexpr size_t kTemplatesPerBlock = size_t{1} << kTemplateBlockBits;
inline constexpr uint32_t kNoTemplate = UINT32_MAX;

struct NameRecord {
  const char* text;
  uint32_t template_id;  // kNoTemplate: the text is all there is
  uint16_t size;
  uint16_t slots;  // of its values: page of the chunk and place there
};
static_assert(sizeof(NameRecord) == 16);

struct NameChunk {
  std::array<NameRecord, kNamesPerChunk> records;
  std::array<const int32_t*, kPagesPerChunkMax> pages;

  const int32_t* slots(const NameRecord& record) const {
    return pages[record.slots >> kSlotPageBits] + (record.slots & (kSlotsPerPage - 1));
  }
};
struct TemplateBlock {
  std::array<NameTemplate, kTemplatesPerBlock> templates;
};

struct NameView::Rep {
  std::shared_ptr<const void> owner;
  std::vector<const NameChunk*> chunks;
  std::vector<const TemplateBlock*> template_blocks;
  size_t size = 0;
  size_t template_count = 0;
  size_t memory_bytes = 0;

  const NameChunk& chunk(uint32_t index) const { return *chunks[index >> kChunkBits]; }
  const NameRecord& record(uint32_t index) const {
    return chunk(index).records[index & (kNamesPerChunk - 1)];
  }
  std::string_view text(uint32_t index) const {
    const NameRecord& found = record(index);
    return {found.text, found.size};
  }
  const NameTemplate& name_template(uint32_t id) const {
    return template_blocks[id >> kTemplateBlockBits]->templates[id & (kTemplatesPerBlock - 1)];
  }
};

inline int64_t LoadLane(const int32_t* slots, size_t slot, bool narrow) {
  if (narrow) return slots[slot];
  int64_t value;
  std::memcpy(&value, slots + slot, sizeof(value));
  return value;
}

}  // namespace trellis::segment_names
