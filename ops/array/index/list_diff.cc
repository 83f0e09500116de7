// ListDiff: the elements of one vector that another does not contain.
#include <unordered_set>

#include "ops/op_file.h"

namespace tensh::ops {
namespace {

template <class T, class I>
Status Difference(KernelCtx& c, const std::vector<I>& kept) {
  const Shape shape({static_cast<int64_t>(kept.size())});
  const T* x = c.in(0).data<T>();
  TENSH_OUTPUT(out, c.Output(0, shape));
  TENSH_OUTPUT(idx, c.Output(1, shape));
  for (size_t i = 0; i < kept.size(); ++i) {
    out->data<T>()[i] = x[kept[i]];
    idx->data<I>()[i] = kept[i];
  }
  return {};
}

template <class T, class I>
Status Run(KernelCtx& c) {
  std::unordered_set<T> drop;
  for (const T& v : c.in(1).flat<T>()) drop.insert(v);
  std::vector<I> kept;
  const auto x = c.in(0).flat<T>();
  for (size_t i = 0; i < x.size(); ++i)
    if (!drop.contains(x[i])) kept.push_back(static_cast<I>(i));
  return Difference<T, I>(c, kept);
}

struct ListDiff {
  template <class T>
  Status operator()(KernelCtx& c) const {
    return c.out_dtype(1) == DType::kInt64 ? Run<T, int64_t>(c) : Run<T, int32_t>(c);
  }
};

Status ListDiffShape(ShapeCtx& c) {
  c.Set(0, Shape::UnknownOfRank(1));
  c.Set(1, Shape::UnknownOfRank(1));
  return {};
}

}  // namespace

TENSH_OPS(array_index_list_diff) {
  r.Op({.name = "ListDiff",
        .inputs = "x: T, y: T",
        .outputs = "out: T, idx: out_idx",
        .attrs = "T: type, out_idx: {int32, int64} = int32",
        .doc = "The elements of x that are not in y, in order, and their positions. x: a vector of "
               "type T. y: the elements to leave out. T: the element type. out_idx: the type of "
               "the indices.",
        .contract = "x: vector, y: vector",
        .shape = ListDiffShape,
        .no_gradient = true,
        .examples = {{"tf.raw_ops.ListDiff(x=[1, 2, 3, 4], y=[2, 4])[0]", "[1 3]"}}})
      .Cpu<float, double, int32_t, int64_t, uint8_t, int8_t, int16_t, std::string>(ListDiff{});
}

}  // namespace tensh::ops
