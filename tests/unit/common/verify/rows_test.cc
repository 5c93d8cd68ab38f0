#include "common/verify/rows.h"

#include "tests/unit/common/verify/opened_tiny.h"

namespace trellis::verify {
namespace {

class Kept final : public RowConsumer {
 public:
  void Take(const RowBatch& batch) override {
    rows += batch.rows;
    ids.insert(ids.end(), batch.ids.begin(), batch.ids.end());
    if (batch.values != nullptr) values += batch.values->flat_size();
  }
  uint32_t rows = 0;
  size_t values = 0;
  std::vector<uint32_t> ids;
};

TEST_CASE("rows of an encoded column are its dictIds") {
  OpenedTiny tiny{segment::TinySegment()};
  const auto column = tiny.view().segment().OpenColumn("i").value();
  Kept kept;
  RowConsumer* const consumers[] = {&kept};
  CHECK(ReadRows(tiny.Column("i"), column->forward(), column->dictionary(), 0, consumers));
  CHECK(kept.rows == 3);
  CHECK(kept.ids == std::vector<uint32_t>{1, 0, 0});
  CHECK(kept.values == 0);
  tiny.None();
}

// `i` stored raw beside its dictionary {7, 9}.
segment::TinySegment RawInts(std::vector<int32_t> values) {
  segment::TinySegment tiny;
  tiny.Metadata("column.i.forwardIndexEncoding = RAW\n");
  tiny.Buffer("i", "forward_index") = Ints({5, 1, 4, 4, 3, 0, 28}) + Be(int64_t{36}) + Ints(values);
  return tiny;
}

TEST_CASE("rows of a raw column with a dictionary have both values and dictIds") {
  for (const bool whole : {true, false}) {
    OpenedTiny tiny{RawInts({9, 7, whole ? 7 : 8})};
    const auto column = tiny.view().segment().OpenColumn("i").value();
    Kept kept;
    RowConsumer* const consumers[] = {&kept};
    CHECK(ReadRows(tiny.Column("i"), column->forward(), column->dictionary(), 0, consumers) ==
          whole);
    if (whole) {
      CHECK(kept.ids == std::vector<uint32_t>{1, 0, 0});
      CHECK(kept.values == 3);
      tiny.None();
    } else {
      tiny.One("i", "dictionary", "no entry '8'");
    }
  }
}

// Refuses batches of more than `rows_max` rows, as readers do whose rows are long.
class Limited final : public column::ForwardIndexReader {
 public:
  explicit Limited(size_t rows_max) : rows_max_(rows_max) {}
  bool is_dictionary_encoded() const override { return true; }
  bool is_multi_value() const override { return false; }
  std::unique_ptr<column::ReadScratch> NewScratch() const override {
    return std::make_unique<column::ReadScratch>();
  }
  Status ReadDictIds(std::span<const uint32_t> docs, column::ReadScratch&,
                     std::vector<uint32_t>& ids, std::vector<uint32_t>*) const override {
    if (docs.size() > rows_max_) return Status::ResourceExhausted("a batch of too much");
    ids.assign(docs.begin(), docs.end());
    return {};
  }

 private:
  size_t rows_max_;
};

TEST_CASE("what is too much for one batch is read in smaller ones, and is no fault") {
  OpenedTiny tiny{segment::TinySegment()};
  Kept kept;
  RowConsumer* const consumers[] = {&kept};
  CHECK(ReadRows(tiny.Column("i"), Limited(1), nullptr, 0, consumers));
  CHECK(kept.ids == std::vector<uint32_t>{0, 1, 2});
  tiny.None();
  CHECK_FALSE(ReadRows(tiny.Column("i"), Limited(0), nullptr, 0, consumers));
  tiny.One("i", "forward_index", "a batch of too much", true);
}

TEST_CASE("ids of multi-value rows are kept once each, in order") {
  IdRows rows;
  const std::vector<uint32_t> offsets = {0, 3, 3, 4}, ids = {5, 2, 5, 1};
  rows.Take({0, 3, offsets, ids, nullptr});
  CHECK(rows.size() == 3);
  CHECK(std::vector<uint32_t>(rows.Of(0).begin(), rows.Of(0).end()) == std::vector<uint32_t>{2, 5});
  CHECK(rows.Of(1).empty());
  CHECK(rows.Of(2)[0] == 1);
}

TEST_CASE("one flat value keeps its type") {
  ColumnVector booleans(DataType::kBoolean);
  booleans.Append(Value::Boolean(true));
  CHECK(FlatValue(booleans, 0) == Value::Boolean(true));
  ColumnVector text(DataType::kString);
  text.Append(Value::String("x"));
  CHECK(FlatValue(text, 0) == Value::String("x"));
}

}  // namespace
}  // namespace trellis::verify
