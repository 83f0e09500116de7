// Array: a strided view of a counted buffer, the plain data under ndarray. Copying one shares the
// elements. No Python semantics here beyond numpy's own: shapes, strides, casts.
//
// A buffer is a tensor of the runtime. When somebody else (a session, a constant) holds that tensor
// too, the first write replaces it by a copy, so a tensor handed over never changes; all views of
// the buffer see the copy. Hence invariant 1: never keep an element pointer over a call of
// WritableData. Text (TSH_STRING, unicode, bytes) and object arrays have no element pointers; their
// strides and offset count elements. Rank is at most kMaxRank. Threads: the interpreter's only.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "shell/client.h"
#include "shell/np/types.h"
#include "shell/values/containers.h"
#include "shell/values/value.h"

namespace tensh::shell {

namespace np {

constexpr int kMaxRank = TSH_MAX_RANK;
using Extents = std::vector<int64_t>;

// The tensor under arrays.
class Buffer {
 public:
  explicit Buffer(TensorHandle tensor) : tensor_(std::move(tensor)) { Refresh(); }
  void Retain() { ++refs_; }
  void Release() {
    if (--refs_ == 0) delete this;
  }
  const TensorHandle& tensor() const { return tensor_; }
  char* data() const { return data_; }
  int64_t refs() const { return refs_; }
  void MakeWritable();  // copies when somebody outside holds the tensor

 private:
  void Refresh();
  TensorHandle tensor_;
  char* data_ = nullptr;  // null for strings
  int64_t refs_ = 0;
};

struct Array {
  int dtype = 0;
  int rank = 0;
  int64_t offset = 0;  // bytes; elements for text and objects
  std::array<int64_t, kMaxRank> extents{};
  std::array<int64_t, kMaxRank> steps{};  // same unit as offset
  Ref<Buffer> buffer;                     // null for objects
  Ref<ListObject> objects;                // the elements of an object array

  Dims dims() const { return {extents.data(), static_cast<size_t>(rank)}; }
  Dims strides() const { return {steps.data(), static_cast<size_t>(rank)}; }
  int64_t dim(int i) const { return extents[static_cast<size_t>(i)]; }
  int64_t step(int i) const { return steps[static_cast<size_t>(i)]; }
  int64_t size() const {
    int64_t n = 1;
    for (int64_t d : dims()) n *= d;
    return n;
  }
  int64_t unit() const { return HasBytes(dtype) ? ItemSize(dtype) : 1; }
  // TypeError for text and objects, which have no bytes.
  const char* data() const { return Bytes() + offset; }
  template <class T>
  const T* as() const {
    return reinterpret_cast<const T*>(data());
  }
  char* WritableData() const {
    if (buffer) buffer->MakeWritable();
    return Bytes() + offset;
  }
  template <class T>
  T* writable() const {
    return reinterpret_cast<T*>(WritableData());
  }
  std::string_view string_at(int64_t at) const { return buffer->tensor().string_at(at); }
  void SetString(int64_t at, std::string_view v) const;
  bool contiguous() const;  // C order

 private:
  char* Bytes() const {
    if (!buffer || !buffer->data()) NoBytes();
    return buffer->data();
  }
  [[noreturn]] void NoBytes() const;
};

// New arrays, C order. Throw ValueError on bad extents, MemoryError when there is no memory.
Array Empty(int dtype, Dims dims);
Array Zeros(int dtype, Dims dims);
template <class T>
Array Scalar0(int dtype, T v) {
  Array a = Empty(dtype, {});
  *a.writable<T>() = v;
  return a;
}
// Views a tensor's elements.
Array FromHandle(TensorHandle t);
// The elements as a dense tensor; shared when `a` is a whole buffer.
TensorHandle ToHandle(const Array& a);

Array Copy(const Array& a);             // C order
Array Contiguous(const Array& a);       // itself when it already is
Array Cast(const Array& a, int dtype);  // itself when it already is of the type
// Copies src, broadcast, into the view dst, casting. ValueError when shapes do not fit.
void Assign(const Array& dst, const Array& src);
Array Flat(const Array& a);  // one dimension; a view when it can be

// Views.
Array Transposed(const Array& a, std::span<const int> axes);
Array Transposed(const Array& a);
Array WithAxis(const Array& a, int at);  // a new axis of extent 1
Array DropAxis(const Array& a, int axis, int64_t index);
Array Sliced(const Array& a, int axis, int64_t start, int64_t step, int64_t n);
// View when the layout allows, else a copy. One extent may be -1. ValueError as numpy's.
Array Reshaped(const Array& a, Dims dims);
// The view with extents `dims` and zero steps where `a` repeats; false when it does not fit.
bool BroadcastTo(const Array& a, Dims dims, Array* out);
// The common shape of broadcasting; false when there is none.
bool BroadcastDims(Dims a, Dims b, Extents* out);
bool SameDims(Dims a, Dims b);
std::string ShapeText(Dims dims);  // "(2, 3)"
int64_t Product(Dims dims);

// Calls fn(offset) for every element in C order; offsets in the array's unit, its own offset
// included.
template <class F>
void ForEachOffset(const Array& a, F fn) {
  if (a.size() == 0) return;
  if (a.rank == 0) {
    fn(a.offset);
    return;
  }
  const size_t last = static_cast<size_t>(a.rank - 1);
  const int64_t inner = a.extents[last], step = a.steps[last];
  std::array<int64_t, kMaxRank> index{};
  int64_t at = a.offset;
  for (;;) {
    for (int64_t i = 0; i < inner; ++i) fn(at + i * step);
    size_t axis = last;
    for (;;) {
      if (axis-- == 0) return;
      at += a.steps[axis];
      if (++index[axis] < a.extents[axis]) break;
      at -= a.steps[axis] * a.extents[axis];
      index[axis] = 0;
    }
  }
}

// Ufunc inner loop: n elements, pointers and byte steps for each operand, the result last.
using InnerLoop = void (*)(char** p, int64_t n, const int64_t* steps);
// Runs an inner loop over operands that share `dims` (already broadcast), merging axes that are
// contiguous in all of them.
void RunLoop(InnerLoop loop, Dims dims, std::span<char*> p, std::span<const Array* const> operands);

}  // namespace np
}  // namespace tensh::shell
