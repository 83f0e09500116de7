// Errors and tensors of the C++ API: Status, Error, Tensor and TensorOf. tensh.hpp includes it and
// states the rules.
#pragma once

#include <complex>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <initializer_list>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "tensh/tensh_handles.hpp"

#if defined(__cpp_exceptions) && !defined(TENSH_NO_EXCEPTIONS)
#define TENSH_HAS_EXCEPTIONS 1
#else
#define TENSH_HAS_EXCEPTIONS 0
#endif

namespace tensh {
inline namespace v0 {

// A borrowed array, as std::span of C++20. It converts from containers, arrays and braced lists; a
// Span of a braced list is valid until the end of the full expression.
template <class T>
class Span {
  using Value = std::remove_const_t<T>;

 public:
  constexpr Span() = default;
  constexpr Span(T* data, size_t size) : data_(data), size_(size) {}
  template <size_t n>
  constexpr Span(T (&array)[n]) : data_(array), size_(n) {}
  template <class C, class = std::enable_if_t<
                         std::is_convertible_v<decltype(std::declval<C&>().data()), T*>>>
  constexpr Span(C&& container) : data_(container.data()), size_(container.size()) {}
  template <class U = T, class = std::enable_if_t<std::is_const_v<U>>>
  constexpr Span(std::initializer_list<Value> list) : size_(list.size()) {
    data_ = list.begin();  // not an initializer: g++ would warn about spans that are kept
  }

  constexpr T* data() const { return data_; }
  constexpr size_t size() const { return size_; }
  constexpr bool empty() const { return size_ == 0; }
  constexpr T* begin() const { return data_; }
  constexpr T* end() const { return data_ + size_; }
  constexpr T& operator[](size_t i) const { return data_[i]; }

 private:
  T* data_ = nullptr;
  size_t size_ = 0;
};

// ---- errors ----

// The outcome of a call: a code of TensorFlow (TSH_OK and the others of tensh.h), a message, a
// suggestion of what to do next, and the name of the node that failed. Each text may be "". The
// reason (TSH_REASON_…) tells causes with the same code apart.
class Status {
 public:
  Status() = default;
  Status(int code, std::string message, std::string hint = {}, std::string node = {},
         int reason = TSH_REASON_NONE)
      : code_(code),
        reason_(reason),
        message_(std::move(message)),
        hint_(std::move(hint)),
        node_(std::move(node)) {}
  explicit Status(const tsh_status* said)
      : Status(tsh_status_code(said), tsh_status_message(said), tsh_status_hint(said),
               tsh_status_node(said), tsh_status_reason(said)) {}

  bool ok() const { return code_ == TSH_OK; }
  int code() const { return code_; }
  int reason() const { return reason_; }
  const std::string& message() const { return message_; }
  const std::string& hint() const { return hint_; }
  const std::string& node() const { return node_; }

 private:
  int code_ = TSH_OK, reason_ = TSH_REASON_NONE;
  std::string message_, hint_, node_;
};

// A failed call, for callers who do not pass a Status. what() is the message.
class Error : public std::runtime_error {
 public:
  explicit Error(Status status)
      : std::runtime_error(status.message()), status_(std::move(status)) {}
  const Status& status() const { return status_; }
  int code() const { return status_.code(); }
  const std::string& hint() const { return status_.hint(); }
  const std::string& node() const { return status_.node(); }

 private:
  Status status_;
};

namespace internal {

// Reports a failure to the caller: stores it in *out, or throws it if `out` is null.
inline void Fail(Status failure, Status* out) {
  if (out) {
    *out = std::move(failure);
    return;
  }
#if TENSH_HAS_EXCEPTIONS
  throw Error(std::move(failure));
#else
  std::fprintf(stderr, "tensh: %s\n", failure.message().c_str());
  std::abort();
#endif
}

// Receives the status of one call of the C API. Check() reports a failure to the caller, and
// returns true if there is none.
class Call {
 public:
  explicit Call(Status* out) : out_(out), said_(ScratchStatus()) {
    if (out_) *out_ = Status();
  }
  operator tsh_status*() const { return said_; }  // NOLINT: made to be passed on
  bool Check(bool ok) const {
    if (!ok) Fail(Status(said_), out_);
    return ok;
  }

 private:
  Status* out_;
  tsh_status* said_;
};

}  // namespace internal

// ---- tensors ----

// The element type of a C++ type: kDType<float> is TSH_FLOAT. 0 if tensors cannot hold it.
template <class T>
inline constexpr int kDType = 0;
template <>
inline constexpr int kDType<float> = TSH_FLOAT;
template <>
inline constexpr int kDType<double> = TSH_DOUBLE;
template <>
inline constexpr int kDType<int8_t> = TSH_INT8;
template <>
inline constexpr int kDType<int16_t> = TSH_INT16;
template <>
inline constexpr int kDType<int32_t> = TSH_INT32;
template <>
inline constexpr int kDType<int64_t> = TSH_INT64;
template <>
inline constexpr int kDType<uint8_t> = TSH_UINT8;
template <>
inline constexpr int kDType<uint16_t> = TSH_UINT16;
template <>
inline constexpr int kDType<uint32_t> = TSH_UINT32;
template <>
inline constexpr int kDType<uint64_t> = TSH_UINT64;
template <>
inline constexpr int kDType<bool> = TSH_BOOL;
template <>
inline constexpr int kDType<std::complex<float>> = TSH_COMPLEX64;
template <>
inline constexpr int kDType<std::complex<double>> = TSH_COMPLEX128;
template <>
inline constexpr int kDType<std::string> = TSH_STRING;

// A reference-counted handle to a dense, row-major tensor. Its elements must not be written while
// the tensor is shared.
class Tensor {
  template <class T>
  using IfElement = std::enable_if_t<kDType<T> != 0>;

 public:
  Tensor() = default;
  // A scalar: Tensor(1.f), Tensor("text").
  template <class T, class = IfElement<T>>
  Tensor(const T& value) : Tensor(New(kDType<T>, {})) {
    Write(&value, 1);
  }
  Tensor(const char* text) : Tensor(std::string(text)) {}
  // A vector: Tensor({1.f, 2.f}).
  template <class T, class = IfElement<T>>
  Tensor(std::initializer_list<T> values) : Tensor(Of<T>({int64_t(values.size())}, values)) {}
  Tensor(std::initializer_list<const char*> texts)
      : Tensor(std::vector<std::string>(texts.begin(), texts.end())) {}
  template <class T, class = IfElement<T>>
  Tensor(const std::vector<T>& values)
      : Tensor(Of<T>({int64_t(values.size())}, Span<const T>(values))) {}
  // A matrix: Tensor({{1.f, 2.f}, {3.f, 4.f}}). Rows of different lengths are an error.
  template <class T, class = IfElement<T>>
  Tensor(std::initializer_list<std::initializer_list<T>> rows) {
    std::vector<T> values;
    for (const auto& row : rows) values.insert(values.end(), row.begin(), row.end());
    const int64_t width = rows.size() == 0 ? 0 : int64_t(rows.begin()->size());
    for (const auto& row : rows)
      if (int64_t(row.size()) != width) values.clear();  // so that Of reports the wrong count
    *this = Of<T>({int64_t(rows.size()), width}, values);
  }

  // A tensor of this shape with these elements, in row-major order.
  template <class T>
  static Tensor Of(Span<const int64_t> dims, Span<const T> values, Status* status = nullptr) {
    Tensor made = New(kDType<T>, dims, status);
    if (!made) return made;
    if (made.elements() == int64_t(values.size())) {
      made.Write(values.data(), values.size());
      return made;
    }
    internal::Fail(
        {TSH_INVALID_ARGUMENT, std::to_string(values.size()) + " values for a shape of " +
                                   std::to_string(made.elements()) + " elements"},
        status);
    return {};
  }
  // A tensor with unspecified elements (strings are empty), to be filled through mutable_data.
  static Tensor New(int dtype, Span<const int64_t> dims, Status* status = nullptr) {
    const internal::Call call(status);
    Tensor made = Adopt(tsh_tensor_new(dtype, dims.data(), static_cast<int>(dims.size()), call));
    call.Check(static_cast<bool>(made));
    return made;
  }
  // Adopt takes over a reference, and Share adds one. Null makes an empty handle.
  static Tensor Adopt(tsh_tensor* t) {
    Tensor made;
    made.t_ = t;
    return made;
  }
  static Tensor Share(tsh_tensor* t) { return Adopt(tsh_tensor_ref(t)); }

  Tensor(const Tensor& o) : t_(tsh_tensor_ref(o.t_)) {}
  Tensor(Tensor&& o) noexcept : t_(std::exchange(o.t_, nullptr)) {}
  Tensor& operator=(Tensor o) noexcept {
    std::swap(t_, o.t_);
    return *this;
  }
  ~Tensor() {
    if (t_) tsh_tensor_unref(t_);
  }

  explicit operator bool() const { return t_ != nullptr; }
  tsh_tensor* get() const { return t_; }
  tsh_tensor* Release() { return std::exchange(t_, nullptr); }

  int dtype() const { return tsh_tensor_dtype(t_); }
  int rank() const { return tsh_tensor_rank(t_); }
  Span<const int64_t> dims() const { return {tsh_tensor_dims(t_), static_cast<size_t>(rank())}; }
  int64_t elements() const { return tsh_tensor_elements(t_); }
  // True if nobody else holds the tensor or its elements.
  bool unique() const { return tsh_tensor_unique(t_) != 0; }
  // Returns the elements, or null if they are strings or have another type.
  template <class T>
  const T* data() const {
    return dtype() == kDType<T> ? static_cast<const T*>(tsh_tensor_data(t_)) : nullptr;
  }
  // Returns the elements for writing, or null, also if the tensor is shared.
  template <class T>
  T* mutable_data() {
    return unique() ? const_cast<T*>(std::as_const(*this).template data<T>()) : nullptr;
  }
  // Returns element i of a tensor of strings, or "" if it does not exist. Valid as long as the
  // tensor.
  std::string_view text(int64_t i) const {
    size_t length = 0;
    const char* text = tsh_tensor_string(t_, i, &length);
    return text ? std::string_view(text, length) : std::string_view();
  }
  // Sets element i of a tensor of strings. Returns false if it does not exist or memory is
  // exhausted.
  bool set_text(int64_t i, std::string_view text) {
    return tsh_tensor_set_string(t_, i, text.data(), text.size()) != 0;
  }
  // Returns a tensor that shares the elements but has another shape of the same size.
  Tensor Reshape(Span<const int64_t> dims, Status* status = nullptr) const {
    const internal::Call call(status);
    Tensor made = Adopt(tsh_tensor_reshape(t_, dims.data(), static_cast<int>(dims.size()), call));
    call.Check(static_cast<bool>(made));
    return made;
  }

 private:
  template <class T>
  void Write(const T* values, size_t n) {
    if constexpr (std::is_same_v<T, std::string>) {
      for (size_t i = 0; i < n; ++i) set_text(int64_t(i), values[i]);
    } else if (n > 0) {
      std::memcpy(tsh_tensor_data(t_), values, n * sizeof(T));
    }
  }

  tsh_tensor* t_ = nullptr;
};

// A tensor whose element type is known. Iterates over the elements in row-major order.
template <class T>
class TensorOf : public Tensor {
  static_assert(kDType<T> != 0 && !std::is_same_v<T, std::string>, "see Tensor::text for strings");

 public:
  TensorOf() = default;
  // Fails with InvalidArgument if the tensor has another element type.
  explicit TensorOf(Tensor tensor, Status* status = nullptr) {
    if (!tensor) return;
    if (tensor.dtype() == kDType<T>) {
      Tensor::operator=(std::move(tensor));
      return;
    }
    internal::Fail(
        {TSH_INVALID_ARGUMENT, std::string("the tensor is ") + tsh_dtype_name(tensor.dtype()) +
                                   ", not " + tsh_dtype_name(kDType<T>)},
        status);
  }
  size_t size() const { return static_cast<size_t>(elements()); }
  const T* begin() const { return this->template data<T>(); }
  const T* end() const { return begin() + size(); }
  const T& operator[](size_t i) const { return begin()[i]; }
};

}  // namespace v0
}  // namespace tensh
