#pragma once

#include <fmt/format.h>

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "common/base/check.h"

namespace trellis {

// gRPC's canonical code numbers, so that a Status crosses the wire unchanged.
enum class StatusCode : int {
  kOk = 0,
  kCancelled = 1,
  kUnknown = 2,
  kInvalidArgument = 3,
  kDeadlineExceeded = 4,
  kNotFound = 5,
  kAlreadyExists = 6,
  kPermissionDenied = 7,
  kResourceExhausted = 8,
  kFailedPrecondition = 9,
  kAborted = 10,
  kOutOfRange = 11,
  kUnimplemented = 12,
  kInternal = 13,
  kUnavailable = 14,
  kDataLoss = 15,
};
// Pinot's error codes (pinot-wire.md section 3.5): what an `exceptions` entry of an HTTP answer
// carries.
enum class PinotCode : int {
  kNone = 0,
  kSqlParsing = 150,
  kTableDoesNotExist = 190,
  kQueryExecution = 200,
  kServerShuttingDown = 210,
  kServerSegmentMissing = 235,
  kServerResourceLimit = 245,
  kExecutionTimeout = 250,
  kSegmentUnavailable = 305,
  kBrokerTimeout = 400,
  kBrokerResourceMissing = 410,
  kBrokerRequestSend = 425,
  kServerNotResponding = 427,
  kTooManyRequests = 429,
  kInternal = 450,
  kMergeResponse = 500,
  kQueryCancelled = 503,
  kQueryValidation = 700,
  kUnknownColumn = 710,
  kQueryPlanning = 720,
};
// Success, or a code with a message. One pointer wide; success allocates nothing. Immutable but for
// assignment; safe to read from many threads.
class [[nodiscard]] Status {
 public:
  Status() = default;
  Status(StatusCode code, std::string message, PinotCode pinot = PinotCode::kNone)
      : rep_(code == StatusCode::kOk
                 ? nullptr
                 : std::make_unique<Rep>(Rep{code, pinot, std::move(message)})) {}
  Status(const Status& other) : rep_(other.rep_ ? std::make_unique<Rep>(*other.rep_) : nullptr) {}
  Status& operator=(const Status& other) {
    rep_ = other.rep_ ? std::make_unique<Rep>(*other.rep_) : nullptr;
    return *this;
  }
  Status(Status&&) noexcept = default;
  Status& operator=(Status&&) noexcept = default;

  static Status Ok() { return {}; }
  // Messages are fmt format strings with their arguments.
  template <class... A>
  static Status InvalidArgument(fmt::format_string<A...> f, A&&... a) {
    return {StatusCode::kInvalidArgument, fmt::format(f, std::forward<A>(a)...)};
  }
  template <class... A>
  static Status NotFound(fmt::format_string<A...> f, A&&... a) {
    return {StatusCode::kNotFound, fmt::format(f, std::forward<A>(a)...)};
  }
  // Bytes on disk or on the wire are not what their format promises.
  template <class... A>
  static Status Corrupt(fmt::format_string<A...> f, A&&... a) {
    return {StatusCode::kDataLoss, fmt::format(f, std::forward<A>(a)...)};
  }
  // A construct Trellis knows and does not support (yet).
  template <class... A>
  static Status Unimplemented(fmt::format_string<A...> f, A&&... a) {
    return {StatusCode::kUnimplemented, fmt::format(f, std::forward<A>(a)...)};
  }
  template <class... A>
  static Status Internal(fmt::format_string<A...> f, A&&... a) {
    return {StatusCode::kInternal, fmt::format(f, std::forward<A>(a)...)};
  }
  template <class... A>
  static Status Unavailable(fmt::format_string<A...> f, A&&... a) {
    return {StatusCode::kUnavailable, fmt::format(f, std::forward<A>(a)...)};
  }
  template <class... A>
  static Status ResourceExhausted(fmt::format_string<A...> f, A&&... a) {
    return {StatusCode::kResourceExhausted, fmt::format(f, std::forward<A>(a)...)};
  }
  template <class... A>
  static Status DeadlineExceeded(fmt::format_string<A...> f, A&&... a) {
    return {StatusCode::kDeadlineExceeded, fmt::format(f, std::forward<A>(a)...)};
  }
  template <class... A>
  static Status Cancelled(fmt::format_string<A...> f, A&&... a) {
    return {StatusCode::kCancelled, fmt::format(f, std::forward<A>(a)...)};
  }
  // A query fault with the code that Pinot answers for it, e.g. Query(PinotCode::kUnknownColumn,
  // "...").
  template <class... A>
  static Status Query(PinotCode pinot, fmt::format_string<A...> f, A&&... a) {
    return {StatusCode::kInvalidArgument, fmt::format(f, std::forward<A>(a)...), pinot};
  }

  bool ok() const { return rep_ == nullptr; }
  StatusCode code() const { return rep_ ? rep_->code : StatusCode::kOk; }
  PinotCode pinot_code() const { return rep_ ? rep_->pinot : PinotCode::kNone; }
  const std::string& message() const {
    static const std::string kEmpty;
    return rep_ ? rep_->message : kEmpty;
  }
  bool IsCorrupt() const { return code() == StatusCode::kDataLoss; }

  // Returns this status with `context` and ": " in front of its message; OK stays OK.
  Status WithContext(std::string_view context) const {
    if (ok()) return {};
    return {code(), fmt::format("{}: {}", context, message()), pinot_code()};
  }
  // Returns this status with Pinot's code set where it has none yet.
  Status WithPinotCode(PinotCode pinot) const {
    if (ok() || pinot_code() != PinotCode::kNone) return *this;
    return {code(), message(), pinot};
  }

 private:
  struct Rep {
    StatusCode code;
    PinotCode pinot;
    std::string message;
  };
  std::unique_ptr<Rep> rep_;
};
// A T, or the Status that says why there is none.
template <class T>
class [[nodiscard]] Result {
 public:
  Result(T value) : value_(std::move(value)) {}  // NOLINT: implicit on purpose
  Result(Status status) : status_(std::move(status)) { TRELLIS_CHECK(!status_.ok()); }  // NOLINT

  bool ok() const { return value_.has_value(); }
  const Status& status() const { return status_; }
  T& value() & {
    TRELLIS_CHECK(ok());
    return *value_;
  }
  const T& value() const& {
    TRELLIS_CHECK(ok());
    return *value_;
  }
  T&& value() && {
    TRELLIS_CHECK(ok());
    return std::move(*value_);
  }
  T& operator*() & { return value(); }
  const T& operator*() const& { return value(); }
  T&& operator*() && { return std::move(*this).value(); }
  T* operator->() { return &value(); }
  const T* operator->() const { return &value(); }

 private:
  std::optional<T> value_;
  Status status_;
};

}  // namespace trellis

// Returns the Status of `expression` from the enclosing function when it is not OK.
#define TRELLIS_RETURN_IF_ERROR(expression)           \
  do {                                                \
    ::trellis::Status trellis_status_ = (expression); \
    if (!trellis_status_.ok()) [[unlikely]]           \
      return trellis_status_;                         \
  } while (false)
#define TRELLIS_CONCAT_INNER(a, b) a##b
#define TRELLIS_CONCAT(a, b) TRELLIS_CONCAT_INNER(a, b)
// TRELLIS_ASSIGN_OR_RETURN(auto x, MakeX()): x takes the value, or the function returns the Status.
#define TRELLIS_ASSIGN_OR_RETURN(declaration, expression) \
  TRELLIS_ASSIGN_OR_RETURN_IMPL(TRELLIS_CONCAT(trellis_result_, __LINE__), declaration, expression)
#define TRELLIS_ASSIGN_OR_RETURN_IMPL(result, declaration, expression) \
  auto result = (expression);                                          \
  if (!result.ok()) [[unlikely]]                                       \
    return result.status();                                            \
  declaration = std::move(result).value()
