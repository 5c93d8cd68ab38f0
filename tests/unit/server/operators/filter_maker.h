#pragma once

#include <cctype>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "tests/unit/server/operators/filter_model.h"

namespace trellis::server {

// What predicates are made over: every way a segment can hold a column, and expressions.
inline std::vector<plan::Expression> FilterSubjects() {
  using plan::Expression;
  const ExampleRides& rides = Rides();
  std::vector<Expression> subjects;
  // Inverted, sorted, dictionary with nulls, raw of each width, raw text with nulls, multi-value
  // with and without an inverted index, bloom filter.
  for (const char* name : {"station", "day", "rating", "minutes", "fare", "co2_saved", "trip_id",
                           "comment", "tags", "stops", "member", "started_at", "bike_id"})
    subjects.push_back(rides.Column(name));
  subjects.push_back(Expression::MapKey("weather", "sky", {DataType::kString, false}));
  subjects.push_back(Expression::MapKey("weather", "temperature", {DataType::kString, false}));
  subjects.push_back(Expression::MapKey("meters", "climb", {DataType::kInt, false}));
  subjects.push_back(
      Expression::Function("plus", {DataType::kDouble, false},
                           {rides.Column("rating"), Expression::Literal(Value::Int(1))}));
  subjects.push_back(
      Expression::Function("upper", {DataType::kString, false}, {rides.Column("station")}));
  return subjects;
}

// Makes predicates and trees of them whose constants are values of the segment, or near them.
class FilterMaker {
 public:
  FilterMaker(const segment::Segment& segment, uint64_t seed) : segment_(segment), random_(seed) {
    for (plan::Expression& subject : FilterSubjects()) {
      auto evaluator = eval::Evaluator::Create(subject, eval::Layer::kTransform, {});
      REQUIRE(evaluator.ok());
      subject.type = evaluator->type();
      scans_.push_back(Scan(segment, *Rides().schema, subject));
      subjects_.push_back(std::move(subject));
    }
  }

  size_t subject_count() const { return subjects_.size(); }

  static std::vector<plan::Predicate::Kind> Kinds(DataType type) {
    using Kind = plan::Predicate::Kind;
    std::vector<Kind> kinds = {Kind::kEqual, Kind::kNotEqual, Kind::kIn, Kind::kNotIn,
                               Kind::kRange};
    if (type == DataType::kString) {
      kinds.push_back(Kind::kLike);
      kinds.push_back(Kind::kRegexpLike);
    }
    return kinds;
  }

  // A predicate of `kind` over subject number `subject`.
  plan::Predicate Make(size_t subject, plan::Predicate::Kind kind) {
    using Kind = plan::Predicate::Kind;
    plan::Predicate predicate;
    predicate.kind = kind;
    predicate.subject = subjects_[subject];
    if (kind == Kind::kLike || kind == Kind::kRegexpLike) {
      predicate.pattern = Part(Sample(subject).bytes());
      if (kind == Kind::kLike) predicate.pattern = "%" + predicate.pattern + (Below(2) ? "%" : "");
    } else if (kind == Kind::kRange) {
      Value low = Sample(subject);
      Value high = Sample(subject);
      if (CompareValues(low, high) > 0 && Below(8) != 0) std::swap(low, high);
      const size_t bounds = Below(4);
      if (bounds != 0) predicate.lower = low;
      if (bounds != 1) predicate.upper = high;
      predicate.lower_inclusive = predicate.lower && Below(2) == 0;
      predicate.upper_inclusive = predicate.upper && Below(2) == 0;
    } else if (kind != Kind::kIsNull && kind != Kind::kIsNotNull) {
      const size_t count = kind == Kind::kIn || kind == Kind::kNotIn ? 1 + Below(14) : 1;
      for (size_t i = 0; i < count; ++i) predicate.values.push_back(Sample(subject));
    }
    return predicate;
  }

  plan::Filter Tree(size_t depth) {
    using plan::Filter;
    const size_t pick = depth == 0 ? 9 : Below(10);
    if (pick >= 8) return Leaf();
    if (pick >= 6) return Filter::Not(Tree(depth - 1));
    std::vector<Filter> children;
    for (size_t i = 0; i < 2 + Below(3); ++i) children.push_back(Tree(depth - 1));
    return pick < 3 ? Filter::And(std::move(children)) : Filter::Or(std::move(children));
  }

  size_t Below(size_t count) { return random_() % count; }

 private:
  plan::Filter Leaf() {
    using Kind = plan::Predicate::Kind;
    if (Below(20) == 0) return Below(2) ? plan::Filter::True() : plan::Filter::False();
    const size_t subject = Below(subjects_.size());
    if (Below(6) == 0 && subjects_[subject].is_column())
      return plan::Filter::Of(Make(subject, Below(2) ? Kind::kIsNull : Kind::kIsNotNull));
    const auto kinds = Kinds(subjects_[subject].type.type);
    return plan::Filter::Of(Make(subject, kinds[Below(kinds.size())]));
  }

  // A stored value, now and then one that no row holds.
  Value Sample(size_t subject) {
    const DataType type = subjects_[subject].type.type;
    if (Below(6) == 0) {
      if (type == DataType::kString) return Value::String("no such text");
      if (type == DataType::kInt) return Value::Int(static_cast<int32_t>(Below(200)) - 100);
    }
    const Value& value = scans_[subject].values[Below(segment_.document_count())];
    return value.is_array() ? value.elements()[Below(value.elements().size())] : value;
  }

  std::string Part(const std::string& text) {
    std::string ascii;
    for (const char c : text)
      if (std::isalpha(static_cast<unsigned char>(c))) ascii += c;
    return ascii.substr(0, 1 + Below(3));
  }

  const segment::Segment& segment_;
  std::mt19937_64 random_;
  std::vector<plan::Expression> subjects_;
  std::vector<ScannedColumn> scans_;
};

// Catch's seed (`--rng-seed`), which every test of random filters prints.
inline uint64_t RandomSeed() { return Catch::rngSeed(); }

}  // namespace trellis::server
