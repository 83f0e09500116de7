#include "ops/support/tensor_list.h"

#include <algorithm>

#include "ops/support/wrap.h"
#include "runtime/core/device/device_moves.h"

namespace tensh::ops {
namespace {

// Calls fn.operator()<T>() for the C++ type of `t`. Returns false if the type is not numeric.
template <class Fn>
bool WithNumber(DType t, Fn fn) {
  switch (t) {
#define TENSH_CASE(type, cpp) \
  case DType::type:           \
    return fn.template operator()<cpp>(), true;
    TENSH_CASE(kFloat, float)
    TENSH_CASE(kDouble, double)
    TENSH_CASE(kInt32, uint32_t)
    TENSH_CASE(kUint32, uint32_t)
    TENSH_CASE(kInt64, uint64_t)
    TENSH_CASE(kUint64, uint64_t)
    TENSH_CASE(kInt16, uint16_t)
    TENSH_CASE(kUint16, uint16_t)
    TENSH_CASE(kInt8, uint8_t)
    TENSH_CASE(kUint8, uint8_t)
    TENSH_CASE(kComplex64, std::complex<float>)
    TENSH_CASE(kComplex128, std::complex<double>)
#undef TENSH_CASE
    default:
      return false;
  }
}

}  // namespace

Result<Tensor> SumOf(const Tensor& a, const Tensor& b) {
  TENSH_ASSIGN(Tensor sum, Tensor::Make(a.dtype(), a.shape()));
  const bool numeric = WithNumber(a.dtype(), [&]<class T>() {
    const T *x = a.data<T>(), *y = b.data<T>();
    T* out = sum.data<T>();
    for (int64_t i = 0; i < sum.num_elements(); ++i) out[i] = static_cast<T>(x[i] + y[i]);
  });
  if (!numeric) return InvalidArgument("values of type ", Name(a.dtype()), " cannot be summed");
  return sum;
}

Result<Tensor> SumOf(KernelCtx& c, const Tensor& a, const Tensor& b) {
  TENSH_ASSIGN(const Tensor x, a.CopyTo(c.allocator()));
  TENSH_ASSIGN(const Tensor y, b.CopyTo(c.allocator()));
  DeviceMoves* device = DeviceMoves::Of(c);
  if (!device) return SumOf(x, y);
  TENSH_ASSIGN(Tensor sum, Tensor::Make(x.dtype(), x.shape(), c.allocator()));
  if (!device->Add(c, x.dtype(), sum.raw(), x.raw(), y.raw(), sum.num_elements()))
    return Unimplemented("sums of type ", Name(x.dtype()), " on this device");
  return sum;
}

Result<Tensor> ZerosOf(DType dtype, const Shape& shape) {
  TENSH_ASSIGN(Tensor zeros, Tensor::Make(dtype, shape));
  if (IsPod(dtype)) std::memset(zeros.raw(), 0, static_cast<size_t>(zeros.bytes()));
  return zeros;
}

Status TensorArray::CheckOpen() const {
  if (!closed_) return {};
  return InvalidArgument("TensorArray ", o_.name, " has already been closed.");
}

Status TensorArray::Write(KernelCtx& c, int64_t index, const Tensor& value) {
  std::lock_guard lock(mu_);
  return WriteLocked(c, index, value);
}

Status TensorArray::WriteRows(KernelCtx& c, std::span<const int64_t> indices,
                              std::span<const Tensor> values) {
  std::lock_guard lock(mu_);
  for (size_t i = 0; i < indices.size(); ++i)
    TENSH_RETURN_IF_ERROR(WriteLocked(c, indices[i], values[i]));
  return {};
}

Status TensorArray::WriteLocked(KernelCtx& c, int64_t index, const Tensor& value) {
  TENSH_RETURN_IF_ERROR(CheckOpen());
  const int64_t size = static_cast<int64_t>(rows_.size());
  if (index < 0 || (index >= size && !o_.dynamic_size))
    return InvalidArgument("TensorArray ", o_.name, ": Tried to write to index ", index,
                           " but array is not resizeable and size is: ", size);
  // Bounds the memory that a single wrong index can allocate.
  if (index >= int64_t{1} << 24)
    return ResourceExhausted("TensorArray ", o_.name, ": index ", index,
                             " would make it hold too many tensors");
  if (value.dtype() != o_.dtype)
    return InvalidArgument("TensorArray ", o_.name, ": Could not write to TensorArray index ",
                           index, " because the value dtype is ", SignatureName(value.dtype()),
                           " but TensorArray dtype is ", SignatureName(o_.dtype), ".");
  if (!o_.element_shape.IsCompatibleWith(value.shape()))
    return InvalidArgument("TensorArray ", o_.name, ": Could not write to TensorArray index ",
                           index, " because the value shape is ", value.shape(),
                           " which is incompatible with the TensorArray's inferred element shape: ",
                           o_.element_shape, " (consider setting infer_shape=False).");
  if (index >= size) rows_.resize(Size(index + 1));
  Row& row = rows_[Size(index)];
  auto refuse = [&](const char* why) {
    return InvalidArgument("TensorArray ", o_.name, ": Could not write to TensorArray index ",
                           index, " because it has already been ", why, ".");
  };
  if (row.read) return refuse("read");
  if (row.written && !o_.sums) return refuse("written to");
  // The first element determines the shape of all others.
  if (o_.identical_shapes && !o_.element_shape.IsFullyKnown()) o_.element_shape = value.shape();
  if (row.written && row.value) {
    if (!(row.value.shape() == value.shape()))
      return InvalidArgument("TensorArray ", o_.name, ": Could not aggregate to TensorArray index ",
                             index, " because the existing shape is ", row.value.shape(),
                             " but the new input shape is ", value.shape(), ".");
    TENSH_ASSIGN(row.value, SumOf(c, row.value, value));
  } else {
    row.value = value;
  }
  row.shape = value.shape();
  row.written = true;
  return {};
}

// Returns the value of a row that was never written: zeros, if its shape is known.
Result<Tensor> TensorArray::Zeros(int64_t index, const Row& row) const {
  const Shape& shape = row.shape.IsFullyKnown() ? row.shape : o_.element_shape;
  if (!shape.IsFullyKnown())
    return InvalidArgument(
        "TensorArray ", o_.name, ": Could not read from TensorArray index ", index,
        ".  Furthermore, the element shape is not fully defined: ", o_.element_shape,
        ". It is possible you are working with a resizeable TensorArray and stop_gradients is not "
        "allowing the gradients to be written. If you set the full element_shape property on the "
        "forward TensorArray, the proper all-zeros tensor will be returned instead of incurring "
        "this error.");
  return ZerosOf(o_.dtype, shape);
}

Result<Tensor> TensorArray::Read(int64_t index) {
  std::lock_guard lock(mu_);
  TENSH_RETURN_IF_ERROR(CheckOpen());
  if (index < 0 || index >= static_cast<int64_t>(rows_.size()))
    return InvalidArgument("TensorArray ", o_.name, ": Tried to read from index ", index,
                           " but array size is: ", rows_.size());
  Row& row = rows_[Size(index)];
  if (row.cleared)
    return InvalidArgument("TensorArray ", o_.name, ": Could not read index ", index,
                           " twice because it was cleared after a previous read (perhaps try "
                           "setting clear_after_read = false?).");
  if (!row.value) {
    TENSH_ASSIGN(row.value, Zeros(index, row));
    row.shape = row.value.shape();
  }
  row.read = true;
  Tensor value = row.value;
  if (o_.clear_after_read) {
    row.value = Tensor();
    row.cleared = true;
  }
  return value;
}

bool TensorArray::dynamic_size() const {
  std::lock_guard lock(mu_);
  return o_.dynamic_size;
}

Status TensorArray::CheckUsable() const {
  std::lock_guard lock(mu_);
  return CheckOpen();
}

int64_t TensorArray::size() const {
  std::lock_guard lock(mu_);
  return static_cast<int64_t>(rows_.size());
}

void TensorArray::SetSplitSize(int64_t rows) {
  std::lock_guard lock(mu_);
  if (!o_.sums) split_size_ = rows;
}

int64_t TensorArray::concat_size() const {
  std::lock_guard lock(mu_);
  return o_.sums && split_size_ >= 0 ? split_size_ : static_cast<int64_t>(rows_.size());
}

void TensorArray::Close() {
  std::lock_guard lock(mu_);
  rows_.clear();
  closed_ = true;
}

Shape TensorArray::element_shape() const {
  std::lock_guard lock(mu_);
  return o_.element_shape;
}

Result<std::shared_ptr<TensorArray>> TensorArray::Gradient(const std::string& source,
                                                           const Shape& prepend) {
  std::lock_guard lock(mu_);
  TENSH_RETURN_IF_ERROR(CheckOpen());
  std::shared_ptr<TensorArray>& gradient = gradients_[source];
  if (gradient) return gradient;
  o_.dynamic_size = false;  // an array whose gradient is taken can no longer grow
  Options options = o_;
  options.name = o_.name + "@" + source;
  options.sums = true;
  options.identical_shapes = false;
  auto prepended = [&](const Shape& shape) {
    if (!shape.has_rank()) return shape;
    if (prepend.rank() + shape.rank() > Shape::kMaxRank) return Shape::Unknown();
    Shape whole = prepend;
    for (int64_t d : shape.dims()) whole.Append(d);
    return whole;
  };
  options.element_shape = prepended(o_.element_shape);
  gradient = std::make_shared<TensorArray>(options, static_cast<int64_t>(rows_.size()));
  gradient->split_size_ = split_size_;
  for (size_t i = 0; i < rows_.size(); ++i) gradient->rows_[i].shape = prepended(rows_[i].shape);
  return gradient;
}

}  // namespace tensh::ops
