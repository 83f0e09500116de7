// More of tf's mathematics and arrays: special functions, bits, segments, unique elements, blocks
// of space, scattering.
#include "shell/tf/build.h"
#include "shell/tf/rows.h"
#include "shell/tf/shape.h"
#include "shell/values/error.h"
#include "shell/values/ops.h"

namespace tensh::shell::tf {
namespace {

// x, y, name: both converted in a scope of the function's own name.
Value InScope(Args& a) {
  const std::string_view op = static_cast<const char*>(a.row().data);
  GraphObject& g = GraphOf({&a[0], &a[1]});
  const std::string_view name = a.row().name;
  NameScope scope(g, NameOr(a[2], name));
  const Out x = Convert(g, a[0], "x");
  const Out y = Convert(g, a[1], "y", {.dtype = BaseType(g.handle().DType(x))});
  return g.Tensor(Op(g, op, {x, y}, g.scope));
}

// arr, weights, minlength, maxlength, dtype
Value Bincount(Args& a) {
  GraphObject& g = GraphOf({&a[0], &a[1], &a[2], &a[3]});
  NameScope scope(g, "bincount");
  const Out arr = Convert(g, a[0], "arr", {.dtype = TSH_INT32});
  const Out count = ReduceOut(g, "Prod", ShapeOf(g, arr), Value::None(), false);
  const Out some = Op(g, "Greater", {count, Arg(Value::Int(0))});
  const Out most = ReduceOut(g, "Max", arr, Value::None(), false);
  Out size = MulOp(g, Cast(g, some, TSH_INT32), AddOp(g, most, Value::Int(1)));
  if (!a[2].is_none()) {
    const Out least = Convert(g, a[2], "minlength", {.dtype = TSH_INT32});
    size = Op(g, "Maximum", {least, size});
  }
  if (!a[3].is_none()) {
    const Out limit = Convert(g, a[3], "maxlength", {.dtype = TSH_INT32});
    size = Op(g, "Minimum", {limit, size});
  }
  if (!a[1].is_none()) {
    const Out weights = Convert(g, a[1], "weights");
    return g.Tensor(Op(g, "UnsortedSegmentSum", {weights, arr, size}));
  }
  const Out none =
      Constant(g, TensorHandle::Make(BaseType(ToDType(a[4])), std::vector<int64_t>{0}), "Const");
  return g.Tensor(Op(g, "Bincount", {arr, size, none}));
}

// values, value_range, nbins, dtype, name
Value Histogram(Args& a) {
  GraphObject& g = GraphOf({&a[0], &a[1], &a[2]});
  NameScope scope(g, NameOr(a[4], "histogram_fixed_width"));
  OpCall call(g, "HistogramFixedWidth", g.scope);
  call.In(a[0]).In(a[1]).In(a[2]).Type("dtype", BaseType(ToDType(a[3])));
  return call.AddValue();
}

// input, seq_lengths, seq_axis, batch_axis, name, seq_dim, batch_dim
Value ReverseSequence(Args& a) {
  const Value& sequence = a[2].is_none() ? a[5] : a[2];
  const Value& batch = a[3].is_none() ? a[6] : a[3];
  if (sequence.is_none()) throw ValueError("seq_axis must be given.");
  GraphObject& g = GraphOf({&a[0], &a[1]});
  OpCall call(g, "ReverseSequence", NameText(a[4]));
  call.In(a[0]).In(a[1]).attrs().Int("seq_dim", ToIndex(sequence));
  call.attrs().Int("batch_dim", batch.is_none() ? 0 : ToIndex(batch));
  return call.AddValue();
}

// input, paddings or crops, block_size, name, block_shape: as TF 1.x, by the op of n dimensions
Value BlockFn(Args& a) {
  const Value& size = a[2].is_none() ? a[4] : a[2];
  GraphObject& g = GraphOf({&a[0], &a[1]});
  const Value block = MakeList({size, size});
  OpCall call(g, static_cast<const char*>(a.row().data), NameText(a[3]));
  return call.In(a[0]).In(block).In(a[1]).AddValue();
}

// data, segment_ids, num_segments, name: sums over counts, or their square roots
Value UnsortedMean(Args& a) {
  const bool root = a.row().data != nullptr;
  GraphObject& g = GraphOf({&a[0], &a[1], &a[2]});
  NameScope scope(g, NameOr(a[3], root ? "UnsortedSegmentSqrtN" : "UnsortedSegmentMean"));
  const Out data = Convert(g, a[0], "data"), ids = Convert(g, a[1], "segment_ids");
  const int dtype = BaseType(g.handle().DType(data));
  const ShapeInfo ds = g.handle().Shape(data), is = g.handle().Shape(ids);
  if (ds.rank < 0 || is.rank < 0)
    throw ValueError("the ranks of data and segment_ids must be known");
  const Out ones = FilledLike(g, ids, 1, dtype, "ones_like");
  const Out counts = Op(g, "UnsortedSegmentSum", {ones, ids, a[2]});
  std::vector<Value> dims = {Value::Int(-1)};
  for (int i = is.rank; i < ds.rank; ++i) dims.push_back(Value::Int(1));
  const Value shape = MakeList(std::move(dims));
  Out divisor = Op(g, "Maximum", {Reshape(g, counts, shape), Arg(Value::Int(1))});
  if (root) divisor = Op(g, "Sqrt", {divisor});
  const Out sums = Op(g, "UnsortedSegmentSum", {data, ids, a[2]});
  return g.Tensor(Operator(g, BinaryOp::kTrueDiv, sums, divisor));
}

// data, indices, segment_ids, name, num_segments
Value SparseSegment(Args& a) {
  const std::string op = static_cast<const char*>(a.row().data);
  GraphObject& g = GraphOf({&a[0], &a[1], &a[2], &a[4]});
  if (a[4].is_none()) return g.Tensor(Op(g, op, {a[0], a[1], a[2]}, NameText(a[3])));
  return g.Tensor(Op(g, op + "WithNumSegments", {a[0], a[1], a[2], a[4]}, NameText(a[3])));
}

// x, out_idx, name
Value Unique(Args& a) {
  GraphObject& g = GraphOf({&a[0]});
  OpCall call(g, static_cast<const char*>(a.row().data), NameText(a[2]));
  call.In(a[0]).Type("out_idx", BaseType(ToDType(a[1])));
  return NamedOutputs(g, call.info(), call.AddNode());
}

// x, shape, name
Value EnsureShape(Args& a) {
  GraphObject& g = GraphOf({&a[0]});
  OpCall call(g, "EnsureShape", NameText(a[2]));
  call.In(a[0]);
  for (const OpAttr& attr : call.info().attrs) {
    if (attr.name == "shape") call.Attr(attr, a[1]);
  }
  return call.AddValue();
}

// input, name
Value IdentityN(Args& a) {
  GraphObject* found = FindGraphOf(a[0]);
  GraphObject& g = found ? *found : DefaultGraph();
  OpCall call(g, "IdentityN", NameText(a[1]));
  call.In(a[0]);
  const Node node = call.AddNode();
  std::vector<Value> outputs;
  for (uint32_t i = 0; i < tsh_node_num_outputs(g.raw(), node); ++i)
    outputs.push_back(g.Tensor({node, i}));
  return MakeList(std::move(outputs));
}

// input_tensor, axis, keepdims, name
Value EuclideanNorm(Args& a) {
  GraphObject& g = GraphOf({&a[0], &a[1]});
  return g.Tensor(Reduce(g, "EuclideanNorm", a[0], a[1], Truth(a[2]), NameText(a[3])));
}

#define TENSH_UNARY(name, op) \
  { name, "x, name=None", CallOp, "Elementwise " name " of x.", op }
#define TENSH_BINARY(name, op) \
  { name, "x, y, name=None", CallOp, "Elementwise " name " of x and y.", op }

constexpr const char* kSegment = "data, segment_ids, name=None";
constexpr const char* kUnsorted = "data, segment_ids, num_segments, name=None";
constexpr const char* kSparse = "data, indices, segment_ids, name=None, num_segments=None";
constexpr const char* kScatter = "tensor, indices, updates, name=None";

const FunctionRow kRows[] = {
    TENSH_UNARY("erfc", "Erfc"),
    TENSH_UNARY("lgamma", "Lgamma"),
    TENSH_UNARY("digamma", "Digamma"),
    TENSH_UNARY("asinh", "Asinh"),
    TENSH_UNARY("acosh", "Acosh"),
    TENSH_UNARY("atanh", "Atanh"),
    TENSH_UNARY("erfinv", "Erfinv"),
    TENSH_UNARY("ndtri", "Ndtri"),
    TENSH_UNARY("bessel_i0e", "BesselI0e"),
    TENSH_UNARY("bessel_i1e", "BesselI1e"),
    TENSH_UNARY("rint", "Rint"),
    {"atan2", "y, x, name=None", CallOp, "The angle of the point (x, y).", "Atan2"},
    {"igamma", "a, x, name=None", CallOp, "The lower incomplete gamma function.", "Igamma"},
    {"igammac", "a, x, name=None", CallOp, "The upper incomplete gamma function.", "Igammac"},
    {"zeta", "x, q, name=None", CallOp, "The Hurwitz zeta function.", "Zeta"},
    {"polygamma", "a, x, name=None", CallOp, "Derivatives of digamma.", "Polygamma"},
    {"betainc", "a, b, x, name=None", CallOp, "The incomplete beta function.", "Betainc"},
    TENSH_BINARY("xdivy", "Xdivy"),
    TENSH_BINARY("xlogy", "Xlogy"),
    TENSH_BINARY("xlog1py", "Xlog1py"),
    TENSH_BINARY("truncatediv", "TruncateDiv"),
    TENSH_BINARY("truncatemod", "TruncateMod"),
    {"div_no_nan", "x, y, name=None", InScope, "x / y, or 0 where y is 0.", "DivNoNan"},
    {"multiply_no_nan", "x, y, name=None", InScope, "x * y, or 0 where y is 0.", "MulNoNan"},
    {"nextafter", "x1, x2, name=None", CallOp, "The next number towards x2.", "NextAfter"},
    {"reduce_euclidean_norm", "input_tensor, axis=None, keepdims=False, name=None", EuclideanNorm,
     "The length along axes."},
    {"bincount", "arr, weights=None, minlength=None, maxlength=None, dtype='int32'", Bincount,
     "How often each number occurs."},
    {"histogram_fixed_width", "values, value_range, nbins=100, dtype='int32', name=None", Histogram,
     "Counts in equal parts of a range."},
    {"segment_sum", kSegment, CallOp, "Sums by segment.", "SegmentSum"},
    {"segment_mean", kSegment, CallOp, "Means by segment.", "SegmentMean"},
    {"segment_prod", kSegment, CallOp, "Products by segment.", "SegmentProd"},
    {"segment_max", kSegment, CallOp, "The greatest by segment.", "SegmentMax"},
    {"segment_min", kSegment, CallOp, "The least by segment.", "SegmentMin"},
    {"unsorted_segment_sum", kUnsorted, CallOp, "Sums by segment.", "UnsortedSegmentSum"},
    {"unsorted_segment_prod", kUnsorted, CallOp, "Products by segment.", "UnsortedSegmentProd"},
    {"unsorted_segment_max", kUnsorted, CallOp, "The greatest by segment.", "UnsortedSegmentMax"},
    {"unsorted_segment_min", kUnsorted, CallOp, "The least by segment.", "UnsortedSegmentMin"},
    {"unsorted_segment_mean", kUnsorted, UnsortedMean, "Means by segment."},
    {"unsorted_segment_sqrt_n", kUnsorted, UnsortedMean, "Sums by segment over root counts.",
     "root"},
    {"sparse_segment_sum", kSparse, SparseSegment, "Sums of picked rows.", "SparseSegmentSum"},
    {"sparse_segment_mean", kSparse, SparseSegment, "Means of picked rows.", "SparseSegmentMean"},
    {"sparse_segment_sqrt_n", kSparse, SparseSegment, "Sums of picked rows over root counts.",
     "SparseSegmentSqrtN"},
    {"unique", "x, out_idx='int32', name=None", Unique, "The different elements, and where.",
     "Unique"},
    {"unique_with_counts", "x, out_idx='int32', name=None", Unique,
     "The different elements, where, and how often.", "UniqueWithCounts"},
    {"dynamic_partition", "data, partitions, num_partitions, name=None", CallOp,
     "Slices handed out by number.", "DynamicPartition num_partitions"},
    {"reverse_sequence",
     "input, seq_lengths, seq_axis=None, batch_axis=None, name=None, seq_dim=None, batch_dim=None",
     ReverseSequence, "Sequences turned round."},
    {"roll", "input, shift, axis, name=None", CallOp, "Elements moved on, end to start.", "Roll"},
    {"space_to_batch_nd", "input, block_shape, paddings, name=None", CallOp,
     "Blocks of space into the batch.", "SpaceToBatchND"},
    {"batch_to_space_nd", "input, block_shape, crops, name=None", CallOp,
     "Blocks of the batch into space.", "BatchToSpaceND"},
    {"space_to_batch", "input, paddings, block_size=None, name=None, block_shape=None", BlockFn,
     "Blocks of images into the batch.", "SpaceToBatchND"},
    {"batch_to_space", "input, crops, block_size=None, name=None, block_shape=None", BlockFn,
     "Blocks of the batch into images.", "BatchToSpaceND"},
    {"space_to_depth", "input, block_size, name=None, data_format='NHWC'",
     [](Args& a) -> Value {
       GraphObject& g = GraphOf({&a[0]});
       OpCall call(g, "SpaceToDepth", NameText(a[2]));
       call.In(a[0]).attrs().Int("block_size", ToIndex(a[1])).String("data_format", StrView(a[3]));
       return call.AddValue();
     },
     "Blocks of images into channels."},
    {"depth_to_space", "input, block_size, name=None, data_format='NHWC'",
     [](Args& a) -> Value {
       GraphObject& g = GraphOf({&a[0]});
       OpCall call(g, "DepthToSpace", NameText(a[2]));
       call.In(a[0]).attrs().Int("block_size", ToIndex(a[1])).String("data_format", StrView(a[3]));
       return call.AddValue();
     },
     "Channels into blocks of images."},
    {"identity_n", "input, name=None", IdentityN, "Several tensors as they are."},
    {"guarantee_const", "input, name=None", CallOp, "The same value.", "GuaranteeConst"},
    {"ensure_shape", "x, shape, name=None", EnsureShape, "The same value, of this shape."},
    {"check_numerics", "tensor, message, name=None", CallOp, "An error when there is nan or inf.",
     "CheckNumerics message"},
    {"bitcast", "input, type, name=None", CallOp, "The same bits as another type.", "Bitcast type"},
    {"unravel_index", "indices, dims, name=None", CallOp, "Flat indices as coordinates.",
     "UnravelIndex"},
    {"scatter_nd", "indices, updates, shape, name=None", CallOp, "Zeros with slices added.",
     "ScatterNd"},
    {"tensor_scatter_update", kScatter, CallOp, "A tensor with slices replaced.",
     "TensorScatterUpdate"},
    {"tensor_scatter_add", kScatter, CallOp, "A tensor with slices added.", "TensorScatterAdd"},
    {"tensor_scatter_sub", kScatter, CallOp, "A tensor with slices subtracted.",
     "TensorScatterSub"},
    {"tensor_scatter_nd_update", kScatter, CallOp, "A tensor with slices replaced.",
     "TensorScatterUpdate"},
    {"tensor_scatter_nd_add", kScatter, CallOp, "A tensor with slices added.", "TensorScatterAdd"},
    {"tensor_scatter_nd_sub", kScatter, CallOp, "A tensor with slices subtracted.",
     "TensorScatterSub"},
    {"tensor_scatter_nd_max", kScatter, CallOp, "A tensor raised to slices.", "TensorScatterMax"},
    {"tensor_scatter_nd_min", kScatter, CallOp, "A tensor lowered to slices.", "TensorScatterMin"},
    {"scatter_nd_non_aliasing_add", "input, indices, updates, name=None", CallOp,
     "A tensor with slices added.", "ScatterNdNonAliasingAdd"},
};

const FunctionRow kBitRows[] = {
    TENSH_BINARY("bitwise_and", "BitwiseAnd"), TENSH_BINARY("bitwise_or", "BitwiseOr"),
    TENSH_BINARY("bitwise_xor", "BitwiseXor"), TENSH_BINARY("left_shift", "LeftShift"),
    TENSH_BINARY("right_shift", "RightShift"), TENSH_UNARY("invert", "Invert"),
};

}  // namespace

std::span<const FunctionRow> MathMoreRows() { return kRows; }
std::span<const FunctionRow> BitRows() { return kBitRows; }

}  // namespace tensh::shell::tf
