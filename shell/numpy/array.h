// A strided view of a counted buffer: the data of an ndarray. Copying an Array shares the elements.
// It has numpy's shapes, strides and casts, but no other Python semantics.
//
// A buffer is a tensor of the runtime. If a session or a constant also holds that tensor, the first
// write replaces it by a copy, so that a tensor that was handed over never changes. All views of
// the buffer see the copy. Therefore never keep an element pointer across a call of WritableData.
//
// Text (TSH_STRING, unicode, bytes) and object arrays have no element pointers; their strides and
// offset count elements. The rank is at most kMaxRank.
//
// Only the thread that holds the interpreter's lock may use arrays.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "shell/client/client.h"
#include "shell/numpy/types.h"
#include "shell/python/values/containers.h"
#include "shell/python/values/value.h"

namespace tensh::shell {

namespace np {

constexpr int kMaxRank = 32;  // of numpy 1; a tensor may have more dimensions
using Extents = std::vector<int64_t>;

// The counted tensor that one or more arrays share.
class Buffer {
 public:
  explicit Buffer(TensorHandle tensor, bool pinned = false)
      : tensor_(std::move(tensor)), pinned_(pinned) {
    Refresh();
  }
  void Retain() { ++refs_; }
  void Release() {
    if (--refs_ == 0) delete this;
  }
  const TensorHandle& tensor() const { return tensor_; }
  char* data() const { return data_; }
  int64_t refs() const { return refs_; }
  void MakeWritable();  // Copies the tensor if it is also held outside.
  // Another library refers to the elements of a pinned buffer. They stay where they are, and a session
  // gets a copy of them.
  void Pin() {
    MakeWritable();
    pinned_ = true;
  }
  bool pinned() const { return pinned_; }

 private:
  void Refresh();
  TensorHandle tensor_;
  bool pinned_ = false;
  char* data_ = nullptr;  // Null for strings.
  int64_t refs_ = 0;
};

struct Array {
  int dtype = 0;
  int rank = 0;
  int64_t offset = 0;  // In bytes; in elements for text and objects.
  std::array<int64_t, kMaxRank> extents{};
  std::array<int64_t, kMaxRank> steps{};  // In the same unit as offset.
  Ref<Buffer> buffer;                     // Null for objects.
  Ref<ListObject> objects;                // The elements of an object array.

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
  // Throws TypeError for text and objects, which have no bytes.
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
  bool contiguous() const;  // True if the elements are dense in C order.

 private:
  char* Bytes() const {
    if (!buffer || !buffer->data()) NoBytes();
    return buffer->data();
  }
  [[noreturn]] void NoBytes() const;
};

// Make arrays in C order. Throw ValueError for bad extents and MemoryError if memory runs out.
Array Empty(int dtype, Dims dims);
Array Zeros(int dtype, Dims dims);
template <class T>
Array Scalar0(int dtype, T v) {
  Array a = Empty(dtype, {});
  *a.writable<T>() = v;
  return a;
}
// Returns a view of the elements of a tensor.
Array FromHandle(TensorHandle t);
// Returns the elements as a dense tensor. It is shared if `a` covers a whole buffer.
TensorHandle ToHandle(const Array& a);

Array Copy(const Array& a);             // A dense copy in C order.
Array Contiguous(const Array& a);       // Returns `a` itself if it is already contiguous.
Array Cast(const Array& a, int dtype);  // Returns `a` itself if it already has this dtype.
// Broadcasts, casts and copies src into the view dst. Throws ValueError if the shapes do not fit.
void Assign(const Array& dst, const Array& src);
Array Flat(const Array& a);  // One dimension; a view if possible.

// Views.
Array Transposed(const Array& a, std::span<const int> axes);
Array Transposed(const Array& a);
Array WithAxis(const Array& a, int at);  // Adds a new axis of extent 1.
Array DropAxis(const Array& a, int axis, int64_t index);
Array Sliced(const Array& a, int axis, int64_t start, int64_t step, int64_t n);
// Returns a view if the layout allows it, otherwise a copy. One extent may be -1. Throws numpy's
// ValueError.
Array Reshaped(const Array& a, Dims dims);
// Makes a view with extents `dims`, in which repeated axes have a step of 0. Returns false if the
// shape does not fit.
bool BroadcastTo(const Array& a, Dims dims, Array* out);
// Computes the common shape of broadcasting. Returns false if there is none.
bool BroadcastDims(Dims a, Dims b, Extents* out);
bool SameDims(Dims a, Dims b);
std::string ShapeText(Dims dims);  // "(2, 3)"
int64_t Product(Dims dims);

// Calls fn(offset) for every element in C order. The offset includes the array's own offset and has
// the same unit.
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

// Inner loop of a ufunc: computes n elements, given a pointer and a step in bytes for each operand.
// The result is the last operand.
using InnerLoop = void (*)(char** p, int64_t n, const int64_t* steps);
// Runs an inner loop over operands that are already broadcast to `dims`. Merges axes that are
// contiguous in all of them.
void RunLoop(InnerLoop loop, Dims dims, std::span<char*> p, std::span<const Array* const> operands);

}  // namespace np
}  // namespace tensh::shell
