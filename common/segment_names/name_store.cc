#include "common/segment_names/name_store.h"

#include <absl/container/flat_hash_map.h>

#include <algorithm>

#include "common/base/check.h"
#include "common/base/string_hash.h"
#include "common/segment_names/name_template.h"
#include "common/segment_names/name_view_rep.h"

namespace trellis::segment_names {

namespace {

constexpr size_t kTextBlockBytesMin = size_t{4} << 10;
constexpr size_t kTextBlockBytesMax = size_t{256} << 10;

int Sign(int order) { return (order > 0) - (order < 0); }
int CompareText(std::string_view a, std::string_view b) { return Sign(a.compare(b)); }

}  // namespace

struct NameStore::State {
  // What views share. Everything in it that a view reads is written before the view is taken.
  struct Memory {
    std::vector<std::unique_ptr<NameChunk>> chunks;
    std::vector<std::unique_ptr<int32_t[]>> pages;
    std::vector<std::unique_ptr<char[]>> texts;
    std::vector<std::unique_ptr<TemplateBlock>> template_blocks;
  };
  std::shared_ptr<Memory> memory = std::make_shared<Memory>();
  size_t size = 0;
  size_t template_count = 0;
  absl::flat_hash_map<std::string_view, uint32_t, StringHash, StringEqual> template_ids;
  uint32_t last_template = kNoTemplate;  // names mostly come in runs of one template
  size_t page_used = kSlotsPerPage;
  size_t chunk_pages = 0;
  char* text_at = nullptr;
  size_t text_left = 0;
  size_t allocated_bytes = 0;
  NameView last_view;
  TokenizedName tokenized;

  NameTemplate& TemplateOf(uint32_t id) {
    return memory->template_blocks[id >> kTemplateBlockBits]
        ->templates[id & (kTemplatesPerBlock - 1)];
  }
  NameChunk& ChunkForNext() {
    if (size % kNamesPerChunk == 0) {
      memory->chunks.push_back(std::make_unique_for_overwrite<NameChunk>());
      allocated_bytes += sizeof(NameChunk);
      chunk_pages = 0;
    }
    return *memory->chunks.back();
  }
  const char* StoreText(std::string_view name) {
    if (name.size() > text_left) {
      text_left = std::max(name.size(),
                           std::clamp(allocated_bytes / 4, kTextBlockBytesMin, kTextBlockBytesMax));
      memory->texts.push_back(std::make_unique_for_overwrite<char[]>(text_left));
      text_at = memory->texts.back().get();
      allocated_bytes += text_left;
    }
    char* text = text_at;
    std::copy(name.begin(), name.end(), text);
    text_at += name.size();
    text_left -= name.size();
    return text;
  }
  uint32_t InternTemplate(std::string_view key) {
    if (last_template != kNoTemplate && TemplateOf(last_template).key == key) return last_template;
    const auto found = template_ids.find(key);
    if (found != template_ids.end()) return last_template = found->second;
    if (template_count % kTemplatesPerBlock == 0) {
      memory->template_blocks.push_back(std::make_unique<TemplateBlock>());
      allocated_bytes += sizeof(TemplateBlock);
    }
    const auto id = static_cast<uint32_t>(template_count++);
    NameTemplate& added = TemplateOf(id);
    TRELLIS_CHECK(ParseTemplate(key, added));
    allocated_bytes += added.key.capacity() + added.literals.capacity() +
                       added.columns.capacity() * sizeof(NameTemplate::Column);
    template_ids.emplace(added.key, id);
    return last_template = id;
  }
  // Stores the lanes just tokenized and returns their place.
  uint16_t StoreLanes(const NameTemplate& name_template, NameChunk& chunk) {
    const size_t count = name_template.slot_count();
    if (page_used + count > kSlotsPerPage) {
      memory->pages.push_back(std::make_unique_for_overwrite<int32_t[]>(kSlotsPerPage));
      allocated_bytes += kSlotsPerPage * sizeof(int32_t);
      page_used = 0;
      chunk.pages[chunk_pages++] = memory->pages.back().get();
    } else if (chunk_pages == 0) {
      chunk.pages[chunk_pages++] = memory->pages.back().get();
    }
    int32_t* to = memory->pages.back().get() + page_used;
    for (size_t lane = 0; lane < tokenized.lane_count; ++lane) {
      const int64_t value = tokenized.lanes[lane];
      if (name_template.is_narrow(lane)) {
        to[name_template.slots[lane]] = static_cast<int32_t>(value);
      } else {
        std::memcpy(to + name_template.slots[lane], &value, sizeof(value));
      }
    }
    const size_t place = (chunk_pages - 1) << kSlotPageBits | page_used;
    page_used += count;
    return static_cast<uint16_t>(place);
  }
};

NameView::NameView() {
  static const auto* const empty = new std::shared_ptr<const Rep>(std::make_shared<Rep>());
  rep_ = *empty;
}
NameView::~NameView() = default;
NameView::NameView(const NameView&) = default;
NameView& NameView::operator=(const NameView&) = default;

size_t NameView::size() const { return rep_->size; }
std::string_view NameView::name(uint32_t index) const { return rep_->text(index); }
size_t NameView::memory_bytes() const { return rep_->memory_bytes; }

int NameView::Compare(uint32_t a, uint32_t b) const {
  const NameRecord& one = rep_->record(a);
  const NameRecord& other = rep_->record(b);
  if (one.template_id != other.template_id) {
    if (one.template_id == kNoTemplate) return 1;
    if (other.template_id == kNoTemplate) return -1;
    return CompareText(rep_->name_template(one.template_id).key,
                       rep_->name_template(other.template_id).key);
  }
  if (one.template_id == kNoTemplate) {
    return CompareText({one.text, one.size}, {other.text, other.size});
  }
  const NameTemplate& shared = rep_->name_template(one.template_id);
  const int32_t* one_slots = rep_->chunk(a).slots(one);
  const int32_t* other_slots = rep_->chunk(b).slots(other);
  for (size_t lane = 0; lane < shared.lane_count; ++lane) {
    const int64_t left = LoadLane(one_slots, shared.slots[lane], shared.is_narrow(lane));
    const int64_t right = LoadLane(other_slots, shared.slots[lane], shared.is_narrow(lane));
    if (left != right) return left < right ? -1 : 1;
  }
  return 0;
}

NameStore::NameStore() : state_(std::make_unique<State>()) {}
NameStore::~NameStore() = default;

uint32_t NameStore::Append(std::string_view name) {
  State& state = *state_;
  TRELLIS_CHECK(name.size() <= kNameBytesMax && state.size < UINT32_MAX);
  NameChunk& chunk = state.ChunkForNext();
  NameRecord& record = chunk.records[state.size % kNamesPerChunk];
  record.size = static_cast<uint16_t>(name.size());
  record.template_id = kNoTemplate;
  record.slots = 0;
  if (Tokenize(name, state.tokenized)) {
    record.template_id = state.InternTemplate(state.tokenized.key());
    record.slots = state.StoreLanes(state.TemplateOf(record.template_id), chunk);
  }
  record.text = state.StoreText(name);
  return static_cast<uint32_t>(state.size++);
}

size_t NameStore::size() const { return state_->size; }

NameView NameStore::View() const {
  State& state = *state_;
  if (state.last_view.size() == state.size) return state.last_view;
  auto rep = std::make_shared<NameView::Rep>();
  rep->owner = state.memory;
  rep->chunks.reserve(state.memory->chunks.size());
  for (const auto& chunk : state.memory->chunks) rep->chunks.push_back(chunk.get());
  for (const auto& block : state.memory->template_blocks) {
    rep->template_blocks.push_back(block.get());
  }
  rep->size = state.size;
  rep->template_count = state.template_count;
  rep->memory_bytes = state.allocated_bytes;
  state.last_view.rep_ = std::move(rep);
  return state.last_view;
}

void SortNaturally(const NameView& names, std::vector<uint32_t>& indexes) {
  const NameView::Rep& rep = names.rep();
  const auto before = [&names](uint32_t a, uint32_t b) { return names.Compare(a, b) < 0; };
  if (std::is_sorted(indexes.begin(), indexes.end(), before)) return;

  std::vector<uint32_t> by_key(rep.template_count);
  for (uint32_t id = 0; id < by_key.size(); ++id) by_key[id] = id;
  std::sort(by_key.begin(), by_key.end(), [&rep](uint32_t a, uint32_t b) {
    return rep.name_template(a).key < rep.name_template(b).key;
  });
  std::vector<uint32_t> ranks(by_key.size());
  for (uint32_t rank = 0; rank < by_key.size(); ++rank) ranks[by_key[rank]] = rank;

  // The template and the first value decide most comparisons without a look at the names.
  struct Entry {
    uint32_t rank;
    uint32_t index;
    int64_t first;
  };
  std::vector<Entry> entries;
  entries.reserve(indexes.size());
  for (const uint32_t index : indexes) {
    const NameRecord& record = rep.record(index);
    if (record.template_id == kNoTemplate) {
      entries.push_back({kNoTemplate, index, 0});
      continue;
    }
    const bool narrow = rep.name_template(record.template_id).is_narrow(0);
    entries.push_back(
        {ranks[record.template_id], index, LoadLane(rep.chunk(index).slots(record), 0, narrow)});
  }
  std::sort(entries.begin(), entries.end(), [&before](const Entry& a, const Entry& b) {
    if (a.rank != b.rank) return a.rank < b.rank;
    if (a.first != b.first) return a.first < b.first;
    return before(a.index, b.index);
  });
  for (size_t i = 0; i < entries.size(); ++i) indexes[i] = entries[i].index;
}

}  // namespace trellis::segment_names
