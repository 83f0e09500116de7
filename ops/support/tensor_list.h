#pragma once
// TensorArray and Stack, which hold tensors during a step. They live as long as a tensor of the
// step holds a handle to them. Thread-safe.
#include <map>
#include <mutex>
#include <vector>

#include "runtime/core/kernel.h"

namespace tensh::ops {

// Numbered rows of tensors, written once each and read in any order. A row can be read once, or any
// number of times if clear_after_read is false.
class TensorArray : public Resource {
 public:
  struct Options {
    std::string name;
    DType dtype = DType::kFloat;
    Shape element_shape = Shape::Unknown();
    bool dynamic_size = false, clear_after_read = true, identical_shapes = false;
    bool sums = false;  // set for gradients: several writes to a row are added
  };
  TensorArray(Options options, int64_t size) : o_(std::move(options)), rows_(Size(size)) {}

  Status Write(KernelCtx& c, int64_t index, const Tensor& value);
  Status WriteRows(KernelCtx& c, std::span<const int64_t> indices, std::span<const Tensor> values);
  Result<Tensor> Read(int64_t index);
  int64_t size() const;
  // Sets the number of rows that a split filled. Rows that are written later do not belong to it.
  // Has no effect on a gradient.
  void SetSplitSize(int64_t rows);
  // Returns the number of rows to concatenate. The gradient of a split array has that of the split.
  int64_t concat_size() const;
  bool dynamic_size() const;
  Status CheckUsable() const;  // InvalidArgument after Close
  void Close();
  // Returns the array that accumulates the gradients of `source`. Created by the first call.
  Result<std::shared_ptr<TensorArray>> Gradient(const std::string& source, const Shape& prepend);
  const Options& options() const { return o_; }
  Shape element_shape() const;

 private:
  struct Row {
    Tensor value;
    Shape shape = Shape::Unknown();
    bool written = false, read = false, cleared = false;
  };
  static size_t Size(int64_t n) { return static_cast<size_t>(n); }
  Status CheckOpen() const;
  Status WriteLocked(KernelCtx& c, int64_t index, const Tensor& value);
  Result<Tensor> Zeros(int64_t index, const Row& row) const;

  mutable std::mutex mu_;
  Options o_;
  std::vector<Row> rows_;
  int64_t split_size_ = -1;  // -1: not split
  bool closed_ = false;
  std::map<std::string, std::shared_ptr<TensorArray>> gradients_;
};

class TensorStack : public Resource {
 public:
  TensorStack(std::string name, DType dtype, int64_t max_size)
      : name(std::move(name)), dtype(dtype), max_size(max_size) {}
  const std::string name;
  const DType dtype;
  const int64_t max_size;  // negative: unlimited
  std::mutex mu;
  std::vector<Tensor> values;  // guarded by mu
  bool closed = false;         // guarded by mu
};

// Returns a + b, elementwise, for equal types and shapes, or ResourceExhausted if memory runs out.
Result<Tensor> SumOf(const Tensor& a, const Tensor& b);
// The same in the memory of the kernel's device, regardless of where a and b are.
Result<Tensor> SumOf(KernelCtx& c, const Tensor& a, const Tensor& b);
Result<Tensor> ZerosOf(DType dtype, const Shape& shape);

// Returns the resource that the handle in `input` refers to, or an error if it is of another type.
// `what` names the expected type in messages.
template <class R>
Result<std::shared_ptr<R>> HeldBy(KernelCtx& c, int input, const char* what) {
  const Tensor& handle = c.in(input);
  if (handle.num_elements() != 1)
    return InvalidArgument("the handle of a ", what, " must be a scalar, but has shape ",
                           handle.shape());
  auto held = std::dynamic_pointer_cast<R>(handle.data<ResourceHandle>()->resource);
  if (!held) return NotFound("the handle is not that of a ", what);
  return held;
}

}  // namespace tensh::ops
