#pragma once
// Status and Result<T>: the error handling of every layer below the C API, where no exceptions are
// thrown. A Status is one pointer, which is null if ok. Codes are those of TensorFlow and gRPC, 0
// to 16. A Status is immutable and may be passed between threads.
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "runtime/core/strcat.h"

namespace tensh {

enum class Code : int {
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
  kUnauthenticated = 16,
};

// The cause of an error, for callers that act on it or explain it: their own data, instead of the
// message, which is for people. Numbered like TSH_REASON_… in tensh.h.
enum class Reason : uint8_t {
  kNone = 0,           // the code says enough
  kUninitialized = 1,  // a variable has no value yet
  kNoDevice = 2,       // the device that a node requests does not exist or cannot run its op
  kNoKernel = 3,       // no device has a kernel of the op for these types
};

class [[nodiscard]] Status {
 public:
  Status() = default;
  Status(Code code, std::string message, std::string hint = {});
  Status(const Status& other) : rep_(other.rep_ ? Copy(other.rep_) : nullptr) {}
  Status(Status&& other) noexcept : rep_(other.rep_) { other.rep_ = nullptr; }
  Status& operator=(Status other) noexcept {
    std::swap(rep_, other.rep_);
    return *this;
  }
  ~Status() {
    if (__builtin_expect(rep_ != nullptr, 0)) Free(rep_);
  }

  bool ok() const { return rep_ == nullptr; }
  Code code() const { return rep_ ? rep_->code : Code::kOk; }
  // Returns the message: what failed, and the actual and expected values.
  std::string_view message() const { return rep_ ? std::string_view(rep_->message) : ""; }
  // Returns a command to type next, or "".
  std::string_view hint() const { return rep_ ? std::string_view(rep_->hint) : ""; }
  // Returns the name of the node that the error is about, or "".
  std::string_view node() const { return rep_ ? std::string_view(rep_->node) : ""; }

  // kNone if ok.
  Reason reason() const { return rep_ ? rep_->reason : Reason::kNone; }

  Status WithHint(std::string hint) &&;
  Status WithReason(Reason reason) &&;
  // Adds the node's name. If one is already set, nothing changes, so the innermost node is kept.
  Status WithNode(std::string_view node) &&;

 private:
  struct Rep {
    Code code;
    Reason reason;
    std::string message, hint, node;
  };
  // Not inline, because every use of a Status would otherwise contain their code.
  static Rep* Copy(const Rep* rep);
  static void Free(Rep* rep);

  Rep* rep_ = nullptr;  // Owned; null if ok.
};

inline Status OkStatus() { return {}; }

Status MakeError(Code code, std::initializer_list<TextPiece> pieces);

#define TENSH_DEFINE_ERROR(NAME)                            \
  template <class... Parts>                                 \
  Status NAME(const Parts&... parts) {                      \
    return MakeError(Code::k##NAME, {TextPiece(parts)...}); \
  }
TENSH_DEFINE_ERROR(Cancelled)
TENSH_DEFINE_ERROR(InvalidArgument)
TENSH_DEFINE_ERROR(DeadlineExceeded)
TENSH_DEFINE_ERROR(NotFound)
TENSH_DEFINE_ERROR(AlreadyExists)
TENSH_DEFINE_ERROR(ResourceExhausted)
TENSH_DEFINE_ERROR(FailedPrecondition)
TENSH_DEFINE_ERROR(Aborted)
TENSH_DEFINE_ERROR(OutOfRange)
TENSH_DEFINE_ERROR(Unimplemented)
TENSH_DEFINE_ERROR(Internal)
TENSH_DEFINE_ERROR(Unavailable)
TENSH_DEFINE_ERROR(DataLoss)
#undef TENSH_DEFINE_ERROR

// A value, or the Status that explains why there is none.
template <class T>
class [[nodiscard]] Result {
 public:
  Result(T value) : value_(std::move(value)) {}          // NOLINT: implicit on purpose
  Result(Status status) : status_(std::move(status)) {}  // NOLINT: implicit on purpose
  bool ok() const { return value_.has_value(); }
  const Status& status() const& { return status_; }
  Status status() && { return std::move(status_); }
  T& operator*() & { return *value_; }
  const T& operator*() const& { return *value_; }
  T&& operator*() && { return std::move(*value_); }
  T* operator->() { return &*value_; }
  const T* operator->() const { return &*value_; }

 private:
  Status status_;
  std::optional<T> value_;
};

[[noreturn]] void CheckFailed(const char* condition, const char* file, int line,
                              const std::string& message);

}  // namespace tensh

#define TENSH_CONCAT_(a, b) a##b
#define TENSH_CONCAT(a, b) TENSH_CONCAT_(a, b)
#define TENSH_RETURN_IF_ERROR(expr)                       \
  do {                                                    \
    if (::tensh::Status s_ = (expr); !s_.ok()) return s_; \
  } while (0)
#define TENSH_ASSIGN_IMPL_(tmp, lhs, expr)       \
  auto tmp = (expr);                             \
  if (!tmp.ok()) return std::move(tmp).status(); \
  lhs = *std::move(tmp)
// TENSH_ASSIGN(auto x, MakeX()): assigns the value, or returns the Status.
#define TENSH_ASSIGN(lhs, expr) TENSH_ASSIGN_IMPL_(TENSH_CONCAT(result_, __LINE__), lhs, expr)
// Aborts with the source position if the condition is false, which is an error in the program. User
// input must never reach it.
#define TENSH_CHECK(condition, ...)                                                       \
  do {                                                                                    \
    if (!(condition))                                                                     \
      ::tensh::CheckFailed(#condition, __FILE__, __LINE__, ::tensh::StrCat(__VA_ARGS__)); \
  } while (0)
