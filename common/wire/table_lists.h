#pragma once

#include <string_view>
#include <vector>

#include "common/wire/names_reader.h"
#include "common/wire/segment_list_codec.h"
#include "common/wire/wire_format.h"

namespace trellis::wire {

// Reads serialised trellis.v1.TableLists with protobuf's rules: pieces are merged, the last of a
// oneof wins, unknown fields are stepped over. Bitmaps and packed names are looked at in Finish, so
// that what was overruled costs nothing. Holds views into the message.
class TableListsReader {
 public:
  // `base` is where offsets in errors count from.
  explicit TableListsReader(const uint8_t* base) : base_(base) {}

  void Clear() { tables_.clear(); }
  // Errors: InvalidArgument with the offset; ResourceExhausted over the budget's tables.
  Status Read(ByteView lists, int depth_left, ListBudget& budget);
  // Sets `list`'s encoding, known tables and groups. Errors as Read, and for a table that occurs
  // twice or has no list that this build knows.
  Status Finish(ListBudget& budget, DecodedSegmentList& list);

 private:
  enum class Form : uint8_t { kNone, kKnown, kPacked };
  enum class Ordinals : uint8_t { kNone, kOnly, kAllBut };
  struct Table {
    std::string_view name;
    Form form = Form::kNone;
    Ordinals ordinals = Ordinals::kNone;
    uint64_t incarnation = 0;
    uint64_t epoch = 0;
    uint64_t count = 0;
    ByteView bytes;  // the bitmap or the packed names
  };

  static Status ReadTable(FieldReader& reader, Table& table);
  static Status ReadKnown(FieldReader& reader, Table& table);
  Status FinishKnown(const Table& table, DecodedSegmentList& list) const;
  Status Refuse(const Table& table, std::string_view what) const;

  const uint8_t* base_;
  std::vector<Table> tables_;
};

}  // namespace trellis::wire
