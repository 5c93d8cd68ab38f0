#include "common/column/held_ids.h"

#include "common/column/forward_index_readers.h"

namespace trellis::column {
namespace {

class HeldForwardIndex final : public ForwardIndexReader {
 public:
  explicit HeldForwardIndex(HeldIds held) : held_(std::move(held)) {}
  bool is_dictionary_encoded() const override { return true; }
  bool is_multi_value() const override { return !held_.offsets.empty(); }
  std::unique_ptr<ReadScratch> NewScratch() const override {
    return std::make_unique<ReadScratch>();
  }

  Status ReadDictIds(std::span<const uint32_t> docs, ReadScratch&, std::vector<uint32_t>& ids,
                     std::vector<uint32_t>* offsets) const override {
    if (!is_multi_value()) {
      TRELLIS_RETURN_IF_ERROR(CheckDocs(docs, static_cast<uint32_t>(held_.ids.size())));
      ids.resize(docs.size());
      for (size_t i = 0; i < docs.size(); ++i) ids[i] = held_.ids[docs[i]];
      return {};
    }
    TRELLIS_RETURN_IF_ERROR(CheckDocs(docs, static_cast<uint32_t>(held_.offsets.size() - 1)));
    TRELLIS_CHECK(offsets != nullptr);
    ids.clear();
    offsets->assign(1, 0);
    for (const uint32_t doc : docs) {
      ids.insert(ids.end(), held_.ids.begin() + held_.offsets[doc],
                 held_.ids.begin() + held_.offsets[doc + 1]);
      offsets->push_back(static_cast<uint32_t>(ids.size()));
    }
    return {};
  }

 private:
  HeldIds held_;
};

}  // namespace

std::unique_ptr<ForwardIndexReader> MakeHeldForwardIndex(HeldIds held) {
  return std::make_unique<HeldForwardIndex>(std::move(held));
}

}  // namespace trellis::column
