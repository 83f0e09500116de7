// ReduceJoin and UnsortedSegmentJoin: concatenate strings along dimensions or by segment.
#include "ops/op_file.h"
#include "ops/support/prepare.h"
#include "ops/support/shape_util.h"

namespace tensh::ops {
namespace {

struct JoinState : KernelState {
  std::string separator;
  bool keep_dims = false;
  void Read(PrepareCtx& c) {
    separator = c.attrs().String("separator");
    if (const AttrValue* keep = c.attrs().Find("keep_dims")) keep_dims = *keep->Find<bool>();
  }
};

// Returns the dimensions to join, in reverse of the given order, so that the last one joined comes
// first. Each may occur once.
Result<std::vector<int>> JoinDims(const Tensor& axes, int rank, Code code) {
  std::vector<int> dims;
  std::vector<bool> seen(static_cast<size_t>(rank));
  for (int64_t i = 0; i < axes.num_elements(); ++i) {
    const int64_t axis = IndexAt(axes, i);
    if (axis < -rank || axis >= rank)
      return Status(code, StrCat("Invalid reduction dimension ", axis, " for input with ", rank,
                                 " dimension(s)"));
    const int at = static_cast<int>(axis < 0 ? axis + rank : axis);
    if (seen[static_cast<size_t>(at)]) return InvalidArgument("Duplicate reduction dimension ", at);
    seen[static_cast<size_t>(at)] = true;
    dims.insert(dims.begin(), at);
  }
  return dims;
}

// Calls fn(offset) for each index over `dims`; the last dimension varies fastest.
template <class Fn>
void ForEachOffset(const Shape& shape, const std::vector<int>& dims, Fn fn) {
  int64_t strides[Shape::kMaxRank];
  int64_t step = 1, total = 1;
  for (int d = shape.rank(); d-- > 0;) strides[d] = step, step *= shape[d];
  for (int d : dims) total *= shape[d];
  for (int64_t i = 0; i < total; ++i) {
    int64_t rest = i, offset = 0;
    for (size_t k = dims.size(); k-- > 0;) {
      offset += rest % shape[dims[k]] * strides[dims[k]];
      rest /= shape[dims[k]];
    }
    fn(offset);
  }
}

Status ReduceJoin(KernelCtx& c) {
  const Tensor &in = c.in(0), &axes = c.in(1);
  const auto& state = c.state<JoinState>();
  TENSH_ASSIGN(const std::vector<int> joined, JoinDims(axes, in.rank(), Code::kOutOfRange));
  std::vector<int> kept;
  Shape shape;
  for (int d = 0; d < in.rank(); ++d) {
    const bool goes = std::find(joined.begin(), joined.end(), d) != joined.end();
    if (!goes) kept.push_back(d);
    if (!goes || state.keep_dims) shape.Append(goes ? 1 : in.dim(d));
  }
  TENSH_OUTPUT(out, c.Output(0, shape));
  int64_t k = 0;
  ForEachOffset(in.shape(), kept, [&](int64_t from) {
    std::string text;
    bool first = true;
    ForEachOffset(in.shape(), joined, [&](int64_t at) {
      if (!first) text += state.separator;
      first = false;
      text += in.data<std::string>()[from + at];
    });
    out->data<std::string>()[k++] = std::move(text);
  });
  return {};
}

Status ReduceJoinShape(ShapeCtx& c) {
  const Tensor* axes = c.constant(1);
  if (!c.in(0).has_rank()) return {};
  if (!axes) {
    if (c.attrs().Bool("keep_dims")) c.Set(0, Shape::UnknownOfRank(c.in(0).rank()));
    return {};
  }
  TENSH_ASSIGN(const std::vector<int> joined,
               JoinDims(*axes, c.in(0).rank(), Code::kInvalidArgument));
  Shape shape;
  for (int d = 0; d < c.in(0).rank(); ++d) {
    const bool goes = std::find(joined.begin(), joined.end(), d) != joined.end();
    if (!goes || c.attrs().Bool("keep_dims")) shape.Append(goes ? 1 : c.in(0)[d]);
  }
  c.Set(0, shape);
  return {};
}

Status SegmentJoin(KernelCtx& c) {
  const Tensor &in = c.in(0), &ids = c.in(1);
  const int64_t segments = IndexAt(c.in(2), 0);
  if (segments < 0) return InvalidArgument("Number of segments must be non-negative: ", segments);
  bool fits = ids.rank() >= 1 && ids.rank() <= in.rank();
  for (int d = 0; fits && d < ids.rank(); ++d) fits = ids.dim(d) == in.dim(d);
  if (!fits)
    return InvalidArgument("inputs.shape ", in.shape(), " must start with segment_ids.shape ",
                           ids.shape());
  std::vector<int64_t> dims = {segments};
  int64_t run = 1;
  for (int d = ids.rank(); d < in.rank(); ++d) dims.push_back(in.dim(d)), run *= in.dim(d);
  TENSH_ASSIGN(const Shape shape, Shape::Make(dims, true));
  for (int64_t i = 0; i < ids.num_elements(); ++i)
    if (IndexAt(ids, i) < 0 || IndexAt(ids, i) >= segments)
      return InvalidArgument(
          "segment_ids are not allowed to exceed num_segments or to have "
          "negative values: segment_ids[",
          i, "] = ", IndexAt(ids, i), ", num_segments = ", segments);
  TENSH_OUTPUT(out, c.Output(0, shape));
  for (int64_t i = 0; i < out->num_elements(); ++i) out->data<std::string>()[i].clear();
  for (int64_t i = 0; i < ids.num_elements(); ++i) {
    const int64_t to = IndexAt(ids, i);
    for (int64_t k = 0; k < run; ++k) {
      std::string& text = out->data<std::string>()[to * run + k];
      // As in TensorFlow, no separator follows an empty beginning.
      if (!text.empty()) text += c.state<JoinState>().separator;
      text += in.data<std::string>()[i * run + k];
    }
  }
  return {};
}

Status SegmentJoinShape(ShapeCtx& c) {
  if (!c.in(0).has_rank() || !c.in(1).has_rank()) return {};
  if (c.in(1).rank() > c.in(0).rank())
    return InvalidArgument("inputs.shape ", c.in(0), " must start with segment_ids.shape ",
                           c.in(1));
  for (int d = 0; d < c.in(1).rank(); ++d)
    if (c.in(1)[d] >= 0 && c.in(0)[d] >= 0 && c.in(1)[d] != c.in(0)[d])
      return InvalidArgument("inputs.shape ", c.in(0), " must start with segment_ids.shape ",
                             c.in(1));
  const std::optional<int64_t> segments = ConstantScalar(c, 2);
  if (segments && *segments < 0)
    return InvalidArgument("Dimension size, given by scalar input ", 2,
                           ", must be non-negative but is ", *segments);
  Shape shape({segments ? *segments : -1});
  for (int d = c.in(1).rank(); d < c.in(0).rank(); ++d) shape.Append(c.in(0)[d]);
  c.Set(0, shape);
  return {};
}

}  // namespace

TENSH_OPS(strings_join) {
  r.Op({.name = "ReduceJoin",
        .inputs = "inputs: string, reduction_indices: int32",
        .outputs = "output: string",
        .attrs = "keep_dims: bool = false, separator: string = ''",
        .doc = "Joins strings along dimensions. inputs are the strings, reduction_indices the "
               "dimensions to remove, in that order. separator is put between two strings. output "
               "are the joined strings; keep_dims: keep the removed dimensions with extent 1.",
        .shape = ReduceJoinShape,
        .no_gradient = true,
        .examples = {{"tf.reduce_join([['a', 'b'], ['c', 'd']], 0)", "[b'ac' b'bd']"}}})
      .CpuAny(ReduceJoin, PrepareFrom<JoinState>);
  r.Op({.name = "UnsortedSegmentJoin",
        .inputs = "inputs: string, segment_ids: Tindices, num_segments: Tnumsegments",
        .outputs = "output: string",
        .attrs = "separator: string = '', Tindices: {int32, int64}, "
                 "Tnumsegments: {int32, int64} = int32",
        .doc = "Joins strings by segment. segment_ids, of type Tindices, has the segment for each "
               "row of inputs; there are num_segments, of type Tnumsegments. separator is put "
               "between two strings. output has one row for each segment.",
        .contract = "num_segments: scalar",
        .shape = SegmentJoinShape,
        .no_gradient = true,
        .examples = {{"tf.raw_ops.UnsortedSegmentJoin(inputs=['a', 'b', 'c'], segment_ids=[0, 1, "
                      "0], num_segments=2, separator='-')",
                      "[b'a-c' b'b']"}}})
      .CpuAny(SegmentJoin, PrepareFrom<JoinState>);
}

}  // namespace tensh::ops
