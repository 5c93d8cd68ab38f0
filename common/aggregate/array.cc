// ARRAY_AGG. Travels as the values one after the other (typed_key.h). Distinct ones keep the order
// in which they were first met; Pinot's is that of a hash.
#include "common/aggregate/cell_states.h"
#include "common/aggregate/families.h"
#include "common/aggregate/parameter.h"
#include "common/aggregate/typed_key.h"

namespace trellis::aggregate {
namespace {

struct ArrayOptions : SharedHeap {
  bool distinct = false;
};

template <class T>
struct ArrayCell {
  using Key = typename KeyOf<T>::Key;
  std::vector<Key> values;
  KeySet<Key> met;  // only for distinct ones

  bool empty() const { return values.empty(); }
  void Add(Key key, ArrayOptions& options) {
    if (options.distinct && met.contains(key)) return;
    if constexpr (std::is_same_v<Key, std::string_view>) key = options.Keep(key);
    options.heap_bytes += (options.distinct ? 3 : 1) * sizeof(Key);
    values.push_back(key);
    if (options.distinct) met.insert(key);
  }
  void Encode(std::string& out) const {
    for (const Key& key : values) AppendKey(key, out);
  }
  Status MergeEncoded(ByteView bytes, ArrayOptions& options) {
    ByteReader reader(bytes);
    while (!reader.at_end()) {
      TRELLIS_ASSIGN_OR_RETURN(const Key key, ReadKey<Key>(reader));
      Add(key, options);
    }
    return {};
  }
};

template <class T>
class ArrayStates final : public CellStates<ArrayCell<T>, ArrayOptions> {
 public:
  ArrayStates(std::vector<ValueType> arguments, bool null_handling, DataType type, bool distinct)
      : CellStates<ArrayCell<T>, ArrayOptions>(std::move(arguments), null_handling,
                                               Options(distinct)),
        type_(type) {}

  Status Add(std::span<const ColumnVector* const> arguments, const RowsToGroups& rows) override {
    TRELLIS_RETURN_IF_ERROR(CheckArguments(arguments, this->arguments_));
    ColumnVector scratch;
    TRELLIS_ASSIGN_OR_RETURN(const ColumnVector* column, ReadAs(type_, *arguments[0], scratch));
    ForEachValue<T>(*column, rows, this->null_handling_, [this](size_t group, const T& value) {
      this->cells_[group].Add(KeyOf<T>::From(value), this->options_);
    });
    return {};
  }

  Status Finish(ColumnVector& out) const override {
    out.Reset({type_, true});
    auto& flat = out.values<T>();
    for (const auto& cell : this->cells_) {
      for (const auto& key : cell.values) flat.push_back(KeyOf<T>::Value(key));
      out.offsets().push_back(static_cast<uint32_t>(flat.size()));
    }
    out.SetSize(this->cells_.size());
    if constexpr (std::is_same_v<T, std::string_view>) out.Keep(this->options_.arena);
    return {};
  }

 private:
  static ArrayOptions Options(bool distinct) {
    ArrayOptions options;
    options.distinct = distinct;
    return options;
  }
  DataType type_;
};

}  // namespace

Resolved ResolveArrayAgg(const AggregateSpec& spec) {
  TRELLIS_RETURN_IF_ERROR(RequireParameters(spec, 1, 2));
  TRELLIS_ASSIGN_OR_RETURN(const DataType type, TypeParameter(spec, 0));
  bool distinct = false;
  if (spec.parameters.size() == 2) {
    TRELLIS_ASSIGN_OR_RETURN(distinct, BooleanParameter(spec, 1));
  }
  const bool known =
      type != DataType::kUnknown && type != DataType::kMap && type != DataType::kOpenStruct;
  if (!known || !CanReadAs(spec.argument_types[0].type, type)) {
    return Status::Query(PinotCode::kQueryValidation, "arrayagg cannot read a {} column as {}",
                         DataTypeName(spec.argument_types[0].type), DataTypeName(type));
  }
  return WithPhysical(PhysicalOf(type), [&](auto tag) -> Resolved {
    return MakeFunction<ArrayStates<decltype(tag)>>(
        {type, true}, DataType::kBytes, spec.argument_types, spec.null_handling, type, distinct);
  });
}

}  // namespace trellis::aggregate
