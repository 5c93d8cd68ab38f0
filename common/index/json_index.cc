#include "common/index/json_index.h"

#include "common/types/text_order.h"

// Big-endian header: i32 version, i32 bytes of the longest key, i64 sizes of the three parts, which
// follow: a `.vl;` dictionary of keys, an inverted index of flattened documents, and i32 LE a
// flattened document: the document it belongs to.

namespace trellis::index {
namespace {

constexpr size_t kHeaderSizeBytes = 32;
constexpr size_t kTextDictionaryHeaderSizeBytes = 16;
constexpr char kBetweenPathAndValue = '\0';

}  // namespace

Result<std::unique_ptr<JsonIndex>> JsonIndex::Open(ByteView payload, uint32_t document_count) {
  if (payload.size() < kHeaderSizeBytes)
    return Status::Corrupt("JSON index of {} bytes", payload.size());
  std::unique_ptr<JsonIndex> index(new JsonIndex());
  index->version_ = LoadBigEndian<int32_t>(payload.data());
  if (index->version_ != 1 && index->version_ != 2)
    return Status::Unimplemented("JSON index of version {}", index->version_);
  const auto longest = LoadBigEndian<int32_t>(payload.data() + 4);
  const auto keys_size = LoadBigEndian<uint64_t>(payload.data() + 8);
  const auto postings_size = LoadBigEndian<uint64_t>(payload.data() + 16);
  const auto mapping_size = LoadBigEndian<uint64_t>(payload.data() + 24);
  const uint64_t left = payload.size() - kHeaderSizeBytes;
  if (longest < 0 || keys_size > left || postings_size > left - keys_size ||
      mapping_size != left - keys_size - postings_size || mapping_size % 4 != 0 ||
      mapping_size / 4 > INT32_MAX) {
    return Status::Corrupt("JSON index of {} bytes says its parts have {}, {} and {} bytes",
                           payload.size(), keys_size, postings_size, mapping_size);
  }
  const ByteView keys = payload.subspan(kHeaderSizeBytes, keys_size);
  if (keys.size() < kTextDictionaryHeaderSizeBytes)
    return Status::Corrupt("JSON index with a dictionary of {} bytes", keys.size());
  const auto key_count = LoadBigEndian<int32_t>(keys.data() + 8);
  if (key_count < 0) return Status::Corrupt("JSON index of {} keys", key_count);
  TRELLIS_ASSIGN_OR_RETURN(
      index->keys_,
      column::OpenDictionary(keys, DataType::kString, static_cast<uint32_t>(key_count), 0));
  index->mapping_ = payload.subspan(kHeaderSizeBytes + keys_size + postings_size);
  TRELLIS_ASSIGN_OR_RETURN(
      index->postings_,
      InvertedIndex::Open(payload.subspan(kHeaderSizeBytes + keys_size, postings_size),
                          static_cast<uint32_t>(index->keys_->size()),
                          static_cast<uint32_t>(index->flattened_count())));
  index->longest_key_bytes_ = static_cast<uint32_t>(longest);
  index->document_count_ = document_count;
  return index;
}

Result<Roaring> JsonIndex::Documents(std::string_view path, std::string_view value) const {
  std::string key(path);
  key += kBetweenPathAndValue;
  key += value;
  return OfKey(std::move(key));
}

Result<Roaring> JsonIndex::Documents(std::string_view path) const {
  return OfKey(std::string(path));
}

Result<Roaring> JsonIndex::OfKey(std::string key) const {
  Roaring documents;
  const auto id = keys_->Find(Value::String(std::move(key)));
  if (!id) return documents;
  TRELLIS_ASSIGN_OR_RETURN(const Roaring flattened, postings_->Documents(*id));
  for (const uint32_t row : flattened) {  // below flattened_count(), as the bitmap was checked
    const auto document = LoadLittleEndian<uint32_t>(mapping_.data() + size_t{row} * 4);
    if (document >= document_count_) {
      return Status::Corrupt("flattened document {} belongs to document {} of {}", row, document,
                             document_count_);
    }
    documents.add(document);
  }
  return documents;
}

Status JsonIndex::Check() const {
  std::string before;
  for (uint32_t id = 0; id < keys_->size(); ++id) {
    TRELLIS_ASSIGN_OR_RETURN(const Value key, keys_->At(id));
    if (key.bytes().size() > longest_key_bytes_) {
      return Status::Corrupt("key {} has {} bytes, the header says the longest has {}", id,
                             key.bytes().size(), longest_key_bytes_);
    }
    if (id > 0 && CompareUtf16(before, key.bytes()) >= 0)
      return Status::Corrupt("key {} ('{}') does not come after '{}'", id, key.bytes(), before);
    before = key.bytes();
  }
  TRELLIS_RETURN_IF_ERROR(postings_->Check(false));
  uint32_t last = 0;
  for (size_t row = 0; row < flattened_count(); ++row) {
    const auto document = LoadLittleEndian<uint32_t>(mapping_.data() + row * 4);
    if (document >= document_count_ || document < last) {
      return Status::Corrupt(
          "flattened document {} belongs to document {}, expected one from {} to {}", row, document,
          last, document_count_ - 1);
    }
    last = document;
  }
  return {};
}

}  // namespace trellis::index
