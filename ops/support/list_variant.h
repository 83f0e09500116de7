#pragma once
// Lists of tensors as values: what a TensorList op takes and gives. A list that only one tensor
// holds is changed in place; any other is copied first, its elements shared.
#include <vector>

#include "runtime/core/op_registry.h"
#include "runtime/core/variant.h"

namespace tensh::ops {

class TensorListValue : public VariantValue {
 public:
  TensorListValue(DType dtype, const Shape& element_shape)
      : dtype(dtype), element_shape(element_shape) {}
  ~TensorListValue() override { ReleaseFlat(std::move(items)); }
  TensorListValue(const TensorListValue&) = default;
  const char* kind() const override { return "TensorList"; }
  Result<std::shared_ptr<VariantValue>> Zeros() const override;
  Result<std::shared_ptr<VariantValue>> Plus(const VariantValue& other) const override;

  DType dtype;
  Shape element_shape;  // as far as it is known
  int64_t max_size = -1;
  std::vector<Tensor> items;  // empty tensors: not set yet
};

struct ListState : KernelState {
  DType dtype = DType::kFloat;
  int64_t number = -1;   // num_elements
  bool resizes = false;  // resize_if_index_out_of_bounds
};
// element_dtype, and the others where the op has them.
Result<std::unique_ptr<KernelState>> PrepareList(PrepareCtx& c);

// The list in input i. InvalidArgument when there is something else, or the list has other elements
// than the op.
Result<const TensorListValue*> ListIn(KernelCtx& c, int i, bool check_dtype = true);
// The same, for the kernel to change, and out again as output o.
class OwnedList {
 public:
  static Result<OwnedList> Take(KernelCtx& c, int i, bool check_dtype = true);
  TensorListValue* operator->() const { return list_.get(); }
  void Give(KernelCtx& c, int o);

 private:
  Tensor tensor_;
  std::shared_ptr<TensorListValue> list_;
};
void GiveList(KernelCtx& c, std::shared_ptr<TensorListValue> list);

// The shape an input spells: a scalar -1, or a vector with -1 for what is not known.
Result<Shape> ElementShape(const Tensor& t);
// … and what the list knows of it.
Result<Shape> ElementShape(const Tensor& t, const TensorListValue& list);
// Element i, zeros where it was not set: of `shape` then, which must be known.
Result<Tensor> ItemOrZeros(const TensorListValue& list, size_t i, const Shape& shape);
// `shape` as far as the elements that are set say.
Result<Shape> ShapeOfItems(const TensorListValue& list, Shape shape);

// [count, shape…], fully known.
Result<Shape> StackedShape(int64_t count, const Shape& shape);
// Row i of a tensor of rank 1 or more, without that dimension; shares the data.
Tensor RowOf(const Tensor& t, int64_t i);
// An element where a kernel of this device takes it from. They lie where they were made, and on a
// device with memory of its own what comes next finds them wherever that is.
Result<Tensor> UsableBy(KernelCtx& c, const Tensor& item);
// Elements of `rows`, one after the other, into output o of shape `shape`.
Status GiveRows(KernelCtx& c, int o, const Shape& shape, std::span<const Tensor> rows);
// Input i, a scalar or vector of int32 or int64.
Result<int64_t> ScalarIn(KernelCtx& c, int i, const char* what);

Status HandleShape(ShapeCtx& c);  // output 0 is a scalar

// Of any type that has zeros and a sum, variants among them.
Result<Tensor> ZerosLikeTensor(const Tensor& t);
Result<Tensor> AddTensors(const Tensor& a, const Tensor& b);
// ZerosLike and AddN of tensors of variants.
Status ZerosLikeVariants(KernelCtx& c);
Status AddVariants(KernelCtx& c);

}  // namespace tensh::ops
