#include "ops/support/shape_util.h"

#include <numeric>

namespace tensh::ops {

int64_t IndexAt(const Tensor& t, int64_t i) {
  switch (t.dtype()) {
    case DType::kInt64:
      return t.data<int64_t>()[i];
    case DType::kInt32:
      return t.data<int32_t>()[i];
    case DType::kInt16:
      return t.data<int16_t>()[i];
    case DType::kInt8:
      return t.data<int8_t>()[i];
    case DType::kUint8:
      return t.data<uint8_t>()[i];
    case DType::kUint16:
      return t.data<uint16_t>()[i];
    case DType::kUint32:
      return t.data<uint32_t>()[i];
    default:
      TENSH_CHECK(false, "not an index type: ", SignatureName(t.dtype()));
      return 0;
  }
}

// Returns true for the types that IndexAt reads.
static bool IsIndexType(DType t) {
  return t == DType::kInt64 || t == DType::kInt32 || t == DType::kInt16 || t == DType::kInt8 ||
         t == DType::kUint8 || t == DType::kUint16 || t == DType::kUint32;
}

std::vector<int64_t> IndexValues(const Tensor& t) {
  std::vector<int64_t> values(static_cast<size_t>(t.num_elements()));
  for (size_t i = 0; i < values.size(); ++i) values[i] = IndexAt(t, static_cast<int64_t>(i));
  return values;
}

bool IsVector(const Tensor& t) { return t.rank() == 1; }

Tensor IndexVector(DType dtype, std::span<const int64_t> values) {
  if (dtype == DType::kInt64) return Tensor::Vector(values);
  std::vector<int32_t> narrow(values.begin(), values.end());
  return Tensor::Vector(std::span<const int32_t>(narrow));
}

Tensor IndexScalar(DType dtype, int64_t value) {
  if (dtype == DType::kInt64) return Tensor::Scalar(value);
  return Tensor::Scalar(static_cast<int32_t>(value));
}

Result<Shape> ShapeFromTensor(const Tensor& t) {
  if (!IsIndexType(t.dtype()))
    return InvalidArgument("shape must be a vector of {int32,int64}, got ",
                           SignatureName(t.dtype()));
  if (t.num_elements() > Shape::kMaxRank)
    return InvalidArgument("a tensor of rank ", t.num_elements(),
                           " was requested; tensh supports ranks 0 to ", Shape::kMaxRank);
  int64_t dims[Shape::kMaxRank];
  size_t rank = static_cast<size_t>(t.num_elements());
  for (size_t i = 0; i < rank; ++i) dims[i] = IndexAt(t, static_cast<int64_t>(i));
  return Shape::Make({dims, rank}, true);
}

Result<Shape> MergeShapes(const Shape& a, const Shape& b) {
  if (!a.has_rank()) return b;
  if (!b.has_rank()) return a;
  if (a.rank() != b.rank())
    return InvalidArgument("Shapes must be equal rank, but are ", a.rank(), " and ", b.rank());
  Shape merged = a;
  for (int i = 0; i < a.rank(); ++i) {
    if (a[i] < 0) merged.set_dim(i, b[i]);
    if (a[i] >= 0 && b[i] >= 0 && a[i] != b[i])
      return InvalidArgument("Dimension ", i, " in both shapes must be equal, but are ", a[i],
                             " and ", b[i], ". Shapes are ", a, " and ", b, ".");
  }
  return merged;
}

Result<int> CanonicalAxis(int64_t axis, int rank, std::string_view what) {
  if (axis < -rank || axis >= rank)
    return InvalidArgument(what, " ", axis, " not in [", -rank, ", ", rank, ")");
  return static_cast<int>(axis < 0 ? axis + rank : axis);
}

Result<Shape> ShapeInput(ShapeCtx& c, int i) {
  const Tensor* value = c.constant(i);
  if (!value) return c.ConstantAsShape(i);
  if (!IsIndexType(value->dtype()))
    return InvalidArgument("Input tensor must be int32 or int64, but was ",
                           SignatureName(value->dtype()));
  std::vector<int64_t> dims = IndexValues(*value);
  for (int64_t d : dims)
    if (d < -1) return InvalidArgument("Invalid value in tensor used for shape: ", d);
  return Shape::Make(dims, false);
}

std::optional<int64_t> ConstantScalar(ShapeCtx& c, int i) {
  const Tensor* value = c.constant(i);
  if (!value || value->num_elements() != 1) return std::nullopt;
  return IndexAt(*value, 0);
}

Out ShapeOf(GradScope& g, Out t, DType out_type, std::string_view name) {
  Shape shape = g.shape(t);
  if (shape.IsFullyKnown()) return g.Const(IndexVector(out_type, shape.dims()), name);
  return g.Op("Shape", {t}, {{"out_type", out_type}}, name);
}

Out RankOf(GradScope& g, Out t, std::string_view name) {
  Shape shape = g.shape(t);
  if (shape.has_rank()) return g.Const(Tensor::Scalar<int32_t>(shape.rank()), name);
  return g.Op("Rank", {t}, {}, name);
}

Out SizeOfTensor(GradScope& g, Out t, std::string_view name) {
  Shape shape = g.shape(t);
  if (shape.IsFullyKnown())
    return g.Const(Tensor::Scalar(static_cast<int32_t>(shape.num_elements())), name);
  return g.Op("Size", {t}, {}, name);
}

Out ConstInts(GradScope& g, std::initializer_list<int64_t> values, std::string_view name,
              DType dtype) {
  return g.Const(IndexVector(dtype, {values.begin(), values.size()}), name);
}

Out ConstInt(GradScope& g, int64_t value, std::string_view name, DType dtype) {
  return g.Const(IndexScalar(dtype, value), name);
}

Out Concat(GradScope& g, std::vector<Out> values, Out axis, std::string_view name) {
  int64_t n = static_cast<int64_t>(values.size());
  values.push_back(axis);
  return g.OpN("ConcatV2", values, {{"N", n}}, name);
}

Out Pack(GradScope& g, std::vector<Out> values, std::string_view name, int64_t axis) {
  return g.OpN("Pack", values, {{"N", static_cast<int64_t>(values.size())}, {"axis", axis}}, name);
}

Out SumAll(GradScope& g, Out t) {
  Shape shape = g.shape(t);
  if (shape.has_rank()) {
    std::vector<int64_t> axes(static_cast<size_t>(shape.rank()));
    std::iota(axes.begin(), axes.end(), 0);
    return g.Op("Sum", {t, g.Const(IndexVector(DType::kInt32, axes), "Const")});
  }
  Out start = ConstInt(g, 0, "range/start");
  Out rank = g.Op("Rank", {t});
  Out delta = ConstInt(g, 1, "range/delta");
  return g.Op("Sum", {t, g.Op("Range", {start, rank, delta}, {}, "range")});
}

}  // namespace tensh::ops
