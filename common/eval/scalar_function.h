#pragma once

#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>

#include "common/eval/kernel.h"
#include "common/eval/operand.h"

namespace trellis::eval {

// Makes vectorised functions of plain ones, one call a row. Private to this room.
//
// A parameter is std::string_view (any type, as text), int32_t, int64_t, double (numbers), or Bytes
// (BYTES and UUID). A result is bool, int32_t, int64_t, double, Result<> of one of these, or text:
// then the function takes a last `std::string&`, empty at the call, and returns void or Status.
// Faults become Query(kQueryExecution), except in rows that are null.

struct Bytes {
  std::string_view value;
};

// Text that functions make of little input (padding, repetition) is at most this long.
inline constexpr size_t kMadeTextSizeBytesMax = 1 << 20;
Status CheckMadeTextSize(uint64_t size_bytes);

template <class T>
struct Parameter {
  using Reader = Operand<T>;
  static bool Accepts(ValueType type) { return !type.multi_value && ConvertsToNumber(type.type); }
};
template <>
struct Parameter<std::string_view> {
  using Reader = Operand<std::string_view>;
  static bool Accepts(ValueType type) { return !type.multi_value && type.type < DataType::kMap; }
};
template <>
struct Parameter<Bytes> {
  class Reader {
   public:
    explicit Reader(const ColumnVector& vector) : reader_(vector) {}
    Bytes operator[](size_t row) const { return {reader_[row]}; }

   private:
    RowReader<std::string_view> reader_;
  };
  static bool Accepts(ValueType type) {
    return !type.multi_value && (type.type == DataType::kBytes || type.type == DataType::kUnknown);
  }
};

template <class R>
struct ScalarResult {
  using Type = R;
};
template <class R>
struct ScalarResult<Result<R>> {
  using Type = R;
};

// The value of a call, faults taken out.
template <class R>
Status Unwrap(R value, R& out) {
  out = value;
  return Status::Ok();
}
template <class R>
Status Unwrap(Result<R> value, R& out) {
  if (!value.ok()) return value.status();
  out = *value;
  return Status::Ok();
}

template <class R>
constexpr DataType ResultTypeOf() {
  if constexpr (std::is_same_v<R, bool>) return DataType::kBoolean;
  if constexpr (std::is_same_v<R, int32_t>) return DataType::kInt;
  if constexpr (std::is_same_v<R, int64_t>) return DataType::kLong;
  return DataType::kDouble;
}

struct Overload {
  size_t arity;
  Resolver resolver;
};

template <class F, class R, class... A>
class ScalarKernel {
 public:
  using Arguments = std::tuple<A...>;
  using Value = typename ScalarResult<R>::Type;
  static constexpr bool kText = (std::is_same_v<A, std::string&> || ...);
  static constexpr size_t kArity = sizeof...(A) - (kText ? 1 : 0);

  static Overload Make(F f, DataType result) {
    return {kArity, [f, result](const Call& call) {
              return Resolve(f, result, call, std::make_index_sequence<kArity>());
            }};
  }

 private:
  template <size_t I>
  using At = std::tuple_element_t<I, Arguments>;

  template <size_t... I>
  static Result<FunctionPtr> Resolve(F f, DataType result, const Call& call,
                                     std::index_sequence<I...>) {
    const bool suitable = (Parameter<At<I>>::Accepts(call.arguments[I].type) && ...);
    if (!suitable) return call.Unsuitable();
    return MakeFunction(result, [f](Vectors arguments, size_t rows,
                                    const EvaluationContext& context, ColumnVector& out) {
      const std::tuple<typename Parameter<At<I>>::Reader...> readers(*arguments[I]...);
      return Run(f, readers, arguments, rows, context, out, std::index_sequence<I...>());
    });
  }

  template <class Readers, size_t... I>
  static Status Run(const F& f, const Readers& readers, Vectors arguments, size_t rows,
                    const EvaluationContext& context, ColumnVector& out,
                    std::index_sequence<I...>) {
    Status status;
    if constexpr (kText) {
      std::string text;
      std::vector<std::string_view>& to = out.values<std::string_view>();
      for (size_t row = 0; row < rows; ++row) {
        text.clear();
        if constexpr (std::is_void_v<R>) {
          f(std::get<I>(readers)[row]..., text);
        } else {
          status = f(std::get<I>(readers)[row]..., text);
          if (!status.ok() && !IsNullRow(arguments, row, context))
            return status.WithPinotCode(PinotCode::kQueryExecution);
        }
        to[row] = out.arena().Copy(text);
      }
    } else {
      using Stored = std::conditional_t<std::is_same_v<Value, bool>, int32_t, Value>;
      std::vector<Stored>& to = out.values<Stored>();
      for (size_t row = 0; row < rows; ++row) {
        Value value{};
        status = Unwrap(f(std::get<I>(readers)[row]...), value);
        if (!status.ok() && !IsNullRow(arguments, row, context))
          return status.WithPinotCode(PinotCode::kQueryExecution);
        to[row] = value;
      }
    }
    return Status::Ok();
  }
};

template <class F, class R, class... A>
ScalarKernel<F, R, A...> KernelOf(R (F::*)(A...) const);
template <class F>
using KernelFor = decltype(KernelOf<F>(&F::operator()));

// An overload of a captureless or const lambda.
template <class F>
Overload Scalar(F f) {
  using Kernel = KernelFor<F>;
  if constexpr (Kernel::kText) {
    return Kernel::Make(f, DataType::kString);
  } else {
    return Kernel::Make(f, ResultTypeOf<typename Kernel::Value>());
  }
}
// The same for a function whose result is text of another type: BYTES, JSON; or a relabelled
// number.
template <class F>
Overload ScalarAs(DataType result, F f) {
  return KernelFor<F>::Make(f, result);
}

// Adds one function that is chosen by the number of its arguments.
void AddScalar(Registry& registry, std::initializer_list<const char*> names,
               std::vector<Overload> overloads, Folding folding = Folding::kAllowed);

}  // namespace trellis::eval
