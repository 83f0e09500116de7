#pragma once
// Tensor lists as values: the inputs and outputs of the TensorList ops. A list is changed in place
// if only one tensor holds it. Otherwise it is copied first; the elements are shared.
#include <vector>

#include "runtime/core/op_registry.h"
#include "runtime/core/variant.h"

namespace tensh::ops {

class TensorListValue : public VariantValue {
 public:
  static constexpr char kTypeName[] = "tensorflow::TensorList";
  TensorListValue(DType dtype, const Shape& element_shape)
      : dtype(dtype), element_shape(element_shape) {}
  ~TensorListValue() override { ReleaseFlat(std::move(items)); }
  TensorListValue(const TensorListValue&) = default;
  const char* kind() const override { return "TensorList"; }
  Result<VariantFields> Fields() const override;
  static Result<std::shared_ptr<VariantValue>> Read(VariantFields fields);
  Result<std::shared_ptr<VariantValue>> Zeros() const override;
  Result<std::shared_ptr<VariantValue>> Plus(const VariantValue& other) const override;

  DType dtype;
  Shape element_shape;  // may be partially known
  int64_t max_size = -1;
  std::vector<Tensor> items;  // an empty Tensor is an element that is not set yet
};

struct ListState : KernelState {
  DType dtype = DType::kFloat;
  int64_t number = -1;   // attribute num_elements
  bool resizes = false;  // attribute resize_if_index_out_of_bounds
  // Reads element_dtype, and the other attributes if the op has them.
  void Read(PrepareCtx& c);
};

// Returns the list in input i. Returns InvalidArgument if the input is not a list, or if its
// element type is not that of the op.
Result<const TensorListValue*> ListIn(KernelCtx& c, int i, bool check_dtype = true);
// A list that the kernel may change: taken from input i and given back as output o.
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

// Returns the shape in an input: unknown for the scalar -1; in a vector, -1 marks an unknown
// extent.
Result<Shape> ElementShape(const Tensor& t);
// The same, merged with the list's own element shape.
Result<Shape> ElementShape(const Tensor& t, const TensorListValue& list);
// Returns element i, or zeros of `shape`, which must be fully known, if the element is not set.
Result<Tensor> ItemOrZeros(const TensorListValue& list, size_t i, const Shape& shape);
// Returns `shape` merged with the shapes of all elements that are set.
Result<Shape> ShapeOfItems(const TensorListValue& list, Shape shape);

// Returns [count, shape…], or an error if it is not fully known.
Result<Shape> StackedShape(int64_t count, const Shape& shape);
// Returns row i of a tensor of rank 1 or more, with the first dimension removed. Shares the data.
Tensor RowOf(const Tensor& t, int64_t i);
// Returns the element in memory that a kernel on this device can use. A host kernel gets a copy in
// host memory if necessary. A GPU kernel gets the element as it is, because the device finds its
// inputs in either memory.
Result<Tensor> UsableBy(KernelCtx& c, const Tensor& item);
// Copies the elements of `rows`, one after the other, to output o of shape `shape`.
Status GiveRows(KernelCtx& c, int o, const Shape& shape, std::span<const Tensor> rows);
// Returns the value of input i, a scalar or one-element vector of int32 or int64.
Result<int64_t> ScalarIn(KernelCtx& c, int i, const char* what);

Status HandleShape(ShapeCtx& c);  // shape function: output 0 is a scalar

// Zeros and sums of tensors of any type that has them, including variants.
Result<Tensor> ZerosLikeTensor(const Tensor& t);
Result<Tensor> AddTensors(const Tensor& a, const Tensor& b);
// The kernels of ZerosLike and AddN for tensors of variants.
Status ZerosLikeVariants(KernelCtx& c);
Status AddVariants(KernelCtx& c);

}  // namespace tensh::ops
