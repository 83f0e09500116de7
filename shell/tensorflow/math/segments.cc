// Functions of tf for reductions by segment, unique elements and partitions.
#include "shell/python/values/error.h"
#include "shell/python/values/ops.h"
#include "shell/tensorflow/graph/build.h"
#include "shell/tensorflow/graph/rows.h"

namespace tensh::shell::tf {
namespace {

// Arguments: data, segment_ids, num_segments, name. Divides sums by counts or by their square
// roots.
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

// Arguments: data, indices, segment_ids, name, num_segments.
Value SparseSegment(Args& a) {
  const std::string op = static_cast<const char*>(a.row().data);
  GraphObject& g = GraphOf({&a[0], &a[1], &a[2], &a[4]});
  if (a[4].is_none()) return g.Tensor(Op(g, op, {a[0], a[1], a[2]}, NameText(a[3])));
  return g.Tensor(Op(g, op + "WithNumSegments", {a[0], a[1], a[2], a[4]}, NameText(a[3])));
}

// Arguments: x, out_idx, name.
Value Unique(Args& a) {
  GraphObject& g = GraphOf({&a[0]});
  OpCall call(g, static_cast<const char*>(a.row().data), NameText(a[2]));
  call.In(a[0]).Type("out_idx", BaseType(ToDType(a[1])));
  return NamedOutputs(g, call.info(), call.AddNode());
}

constexpr const char* kSegment = "data, segment_ids, name=None";
constexpr const char* kUnsorted = "data, segment_ids, num_segments, name=None";
constexpr const char* kSparse = "data, indices, segment_ids, name=None, num_segments=None";

const FunctionRow kRows[] = {
    {"segment_sum", kSegment, CallOp, "Sums by segment.", "SegmentSum"},
    {"segment_mean", kSegment, CallOp, "Means by segment.", "SegmentMean"},
    {"segment_prod", kSegment, CallOp, "Products by segment.", "SegmentProd"},
    {"segment_max", kSegment, CallOp, "Maxima by segment.", "SegmentMax"},
    {"segment_min", kSegment, CallOp, "Minima by segment.", "SegmentMin"},
    {"unsorted_segment_sum", kUnsorted, CallOp, "Sums by segment.", "UnsortedSegmentSum"},
    {"unsorted_segment_prod", kUnsorted, CallOp, "Products by segment.", "UnsortedSegmentProd"},
    {"unsorted_segment_max", kUnsorted, CallOp, "Maxima by segment.", "UnsortedSegmentMax"},
    {"unsorted_segment_min", kUnsorted, CallOp, "Minima by segment.", "UnsortedSegmentMin"},
    {"unsorted_segment_mean", kUnsorted, UnsortedMean, "Means by segment."},
    {"unsorted_segment_sqrt_n", kUnsorted, UnsortedMean,
     "Sums by segment, divided by the square root of their counts.", "root"},
    {"sparse_segment_sum", kSparse, SparseSegment, "Sums of selected rows by segment.",
     "SparseSegmentSum"},
    {"sparse_segment_mean", kSparse, SparseSegment, "Means of selected rows by segment.",
     "SparseSegmentMean"},
    {"sparse_segment_sqrt_n", kSparse, SparseSegment,
     "Sums of selected rows by segment, divided by the square root of their counts.",
     "SparseSegmentSqrtN"},
    {"unique", "x, out_idx='int32', name=None", Unique,
     "The distinct elements, and the index of each element among them.", "Unique"},
    {"unique_with_counts", "x, out_idx='int32', name=None", Unique,
     "The distinct elements, the index of each element among them, and their counts.",
     "UniqueWithCounts"},
    {"dynamic_partition", "data, partitions, num_partitions, name=None", CallOp,
     "Distributes slices to outputs by number.", "DynamicPartition num_partitions"},
};

}  // namespace

std::span<const FunctionRow> SegmentRows() { return kRows; }

}  // namespace tensh::shell::tf
