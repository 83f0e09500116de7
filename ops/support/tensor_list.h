#pragma once
// What a TensorArray and a Stack hold during a step. They live as long as a tensor of the step
// holds a handle to them; every call locks.
#include <map>
#include <mutex>
#include <vector>

#include "runtime/core/kernel.h"

namespace tensh::ops {

// Rows of tensors by number: written once, read once (or as often as one likes), in any order.
class TensorArray : public Resource {
 public:
  struct Options {
    std::string name;
    DType dtype = DType::kFloat;
    Shape element_shape = Shape::Unknown();
    bool dynamic_size = false, clear_after_read = true, identical_shapes = false;
    bool sums = false;  // of gradients: several writes to a row add up
  };
  TensorArray(Options options, int64_t size) : o_(std::move(options)), rows_(Size(size)) {}

  Status Write(KernelCtx& c, int64_t index, const Tensor& value);
  Status WriteRows(KernelCtx& c, std::span<const int64_t> indices, std::span<const Tensor> values);
  Result<Tensor> Read(int64_t index);
  int64_t size() const;
  bool dynamic_size() const;
  Status CheckUsable() const;  // InvalidArgument once it is closed
  void Close();
  // The array that gradients of `source` are summed in; made when first asked for.
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
  bool closed_ = false;
  std::map<std::string, std::shared_ptr<TensorArray>> gradients_;
};

class TensorStack : public Resource {
 public:
  TensorStack(std::string name, DType dtype, int64_t max_size)
      : name(std::move(name)), dtype(dtype), max_size(max_size) {}
  const std::string name;
  const DType dtype;
  const int64_t max_size;  // negative: none
  std::mutex mu;
  std::vector<Tensor> values;  // guarded by mu
  bool closed = false;         // guarded by mu
};

// a + b, elementwise, of equal types and shapes; ResourceExhausted when there is no memory.
Result<Tensor> SumOf(const Tensor& a, const Tensor& b);
// The same in the memory of the kernel's device, wherever the two are.
Result<Tensor> SumOf(KernelCtx& c, const Tensor& a, const Tensor& b);
Result<Tensor> ZerosOf(DType dtype, const Shape& shape);

// The resource behind input 0, or the error that says what it is instead.
template <class R>
Result<std::shared_ptr<R>> HeldBy(KernelCtx& c, int input, const char* what) {
  const Tensor& handle = c.in(input);
  if (handle.num_elements() != 1)
    return InvalidArgument("the handle of a ", what, " must be a scalar, but has shape ",
                           handle.shape());
  auto held = std::dynamic_pointer_cast<R>(handle.data<ResourceHandle>()->resource);
  if (!held) return NotFound("the handle is not one of a ", what);
  return held;
}

}  // namespace tensh::ops
