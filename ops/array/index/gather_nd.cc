// GatherNd and ScatterNd: slices addressed by rows of coordinates.
#include <algorithm>

#include "ops/array/index/scatter_nd.h"
#include "ops/op_file.h"
#include "ops/support/array_copy.h"
#include "ops/support/prepare.h"
#include "ops/support/shape_util.h"

namespace tensh::ops {
namespace {

// The sizes of an access by coordinates. The last dimension of indices is an index into the first
// `depth` dimensions of the tensor.
struct NdIndex {
  int depth = 0;
  int64_t rows = 1;  // number of indices
  int64_t run = 1;   // number of elements in a slice
};

std::string RowText(const Tensor& indices, int64_t row, int depth) {
  std::string text = "[";
  for (int k = 0; k < depth; ++k) text += StrCat(k ? ", " : "", IndexAt(indices, row * depth + k));
  return text + "]";
}

NdIndex ResolveNd(const Shape& params, const Shape& indices) {
  NdIndex nd;
  nd.depth = static_cast<int>(indices[indices.rank() - 1]);
  for (int i = 0; i + 1 < indices.rank(); ++i) nd.rows *= indices[i];
  for (int i = nd.depth; i < params.rank(); ++i) nd.run *= params[i];
  return nd;
}

// Returns the number of the slice of params that each row of indices addresses, or -1 if it is out of
// range. Sets *bad to the first such row, or to -1 if there is none or they are ignored.
std::vector<int64_t> SliceNumbers(KernelCtx& c, const Shape& params, const Tensor& indices,
                                  const NdIndex& nd, int64_t* bad) {
  std::vector<int64_t> numbers(static_cast<size_t>(nd.rows));
  const bool ignore_bad = c.state<BadIndexState>().ignore;
  *bad = -1;
  for (int64_t r = 0; r < nd.rows; ++r) {
    int64_t number = 0;
    for (int k = 0; k < nd.depth && number >= 0; ++k) {
      int64_t at = IndexAt(indices, r * nd.depth + k);
      if (at < 0 || at >= params[k])
        number = -1;
      else
        number = number * params[k] + at;
    }
    if (number < 0 && !ignore_bad) {
      *bad = r;
      return numbers;
    }
    numbers[static_cast<size_t>(r)] = number;
  }
  return numbers;
}

Status GatherNd(KernelCtx& c) {
  const Tensor &params = c.in(0), &indices = c.in(1);
  TENSH_ASSIGN(const Shape shape, GatherNdOutput(params.shape(), indices.shape()));
  const NdIndex nd = ResolveNd(params.shape(), indices.shape());
  int64_t bad;
  std::vector<int64_t> from = SliceNumbers(c, params.shape(), indices, nd, &bad);
  if (bad >= 0)
    return InvalidArgument("indices[", bad, "] = ", RowText(indices, bad, nd.depth),
                           " does not index into param shape ", params.shape());
  TENSH_OUTPUT(out, c.Output(0, shape));
  if (!c.state<BadIndexState>().ignore) {
    CopyRuns(params.dtype(), out->raw(), nullptr, params.raw(), from.data(), nd.rows, nd.run);
    return {};
  }
  ZeroElements(out->dtype(), out->raw(), out->num_elements());
  for (int64_t r = 0; r < nd.rows; ++r)
    if (from[static_cast<size_t>(r)] >= 0)
      CopyElements(params.dtype(), At(*out, r * nd.run),
                   At(params, from[static_cast<size_t>(r)] * nd.run), nd.run);
  return {};
}

Status GatherNdOutputShape(ShapeCtx& c) {
  const Shape &params = c.in(0), &indices = c.in(1);
  if (!params.has_rank() || !indices.has_rank()) return {};
  if (indices.rank() >= 1 && indices[indices.rank() - 1] < 0) return {};
  TENSH_RETURN_IF_ERROR(CheckIndexDepth(params, indices));
  TENSH_ASSIGN(Shape shape, GatherNdShape(params, indices));
  c.Set(0, shape);
  return {};
}

Status GatherNdGrad(GradScope& g) {
  Out shape = ShapeOf(g, g.x(0), g.dtype(g.x(1)));
  return g.Return({g.Op("ScatterNd", {g.x(1), g.dy(0), shape}), {}});
}

template <class T>
void AddRun(T* to, const T* from, int64_t n) {
  for (int64_t i = 0; i < n; ++i) {
    if constexpr (std::is_same_v<T, bool>)
      to[i] = to[i] || from[i];
    else if constexpr (std::is_integral_v<T>)
      to[i] = static_cast<T>(static_cast<uint64_t>(to[i]) + static_cast<uint64_t>(from[i]));
    else
      to[i] += from[i];
  }
}

struct ScatterNd {
  template <class T>
  Status operator()(KernelCtx& c) const {
    const Tensor &indices = c.in(0), &updates = c.in(1);
    TENSH_ASSIGN(const Shape shape, ShapeFromTensor(c.in(2)));
    TENSH_RETURN_IF_ERROR(CheckUpdatesNd(indices.shape(), updates.shape(), shape));
    const NdIndex nd = ResolveNd(shape, indices.shape());
    int64_t bad;
    std::vector<int64_t> to = SliceNumbers(c, shape, indices, nd, &bad);
    if (bad >= 0)
      return InvalidArgument("indices[", bad, "] = ", RowText(indices, bad, nd.depth),
                             " does not index into shape ", shape);
    TENSH_OUTPUT(out, c.Output(0, shape));
    std::fill_n(out->data<T>(), out->num_elements(), T());
    for (int64_t r = 0; r < nd.rows; ++r)
      if (to[static_cast<size_t>(r)] >= 0)
        AddRun(out->data<T>() + to[static_cast<size_t>(r)] * nd.run, updates.data<T>() + r * nd.run,
               nd.run);
    return {};
  }
};

Status ScatterNdShape(ShapeCtx& c) {
  TENSH_ASSIGN(Shape out, ShapeInput(c, 2));
  c.Set(0, out);
  const Shape &indices = c.in(0), &updates = c.in(1);
  const auto not_empty = [](const Shape& s) { return s.IsFullyKnown() && s.num_elements() > 0; };
  if (out.IsFullyKnown() && out.num_elements() == 0 && (not_empty(indices) || not_empty(updates)))
    return InvalidArgument("Indices and updates specified for empty output");
  if (!indices.has_rank() || !updates.has_rank() || (out.has_rank() && out.rank() == 0)) return {};
  return CheckScatterNd(out, indices, updates);
}

Status ScatterNdGrad(GradScope& g) {
  return g.Return({{}, g.Op("GatherNd", {g.dy(0), g.x(0)}), {}});
}

}  // namespace

TENSH_OPS(array_index_gather_nd) {
  r.Op({.name = "GatherNd",
        .inputs = "params: Tparams, indices: Tindices",
        .outputs = "output: Tparams",
        .attrs = "Tparams: type, Tindices: {int16, int32, int64}, bad_indices_policy: string = ''",
        .doc = "Gathers slices of a tensor by coordinates. params has any type Tparams. Each row "
               "of the last dimension of indices, of type Tindices, is an index into the first "
               "dimensions of params. output contains the slices. bad_indices_policy: with "
               "'IGNORE', the slice of an index out of range is zero; otherwise, it is an error.",
        .contract = "indices: rank 1+",
        .shape = GatherNdOutputShape,
        .grad = GatherNdGrad,
        .examples = {{"tf.gather_nd([[1, 2], [3, 4]], [[0, 0], [1, 1]])", "[1 4]"}}})
      .CpuAny(GatherNd, PrepareFrom<BadIndexState>);
  r.Op({.name = "ScatterNd",
        .inputs = "indices: Tindices, updates: T, shape: Tindices",
        .outputs = "output: T",
        .attrs = "T: type, Tindices: {int16, int32, int64}, bad_indices_policy: string = ''",
        .doc = StrCat("Adds slices to a tensor of zeros. Each row of the last dimension of "
                      "indices, of type Tindices, is an index into output, whose shape is the "
                      "vector shape. The corresponding slice of updates, of type T, is added "
                      "there.",
                      kBadIndicesDoc),
        .contract = "shape: vector",
        .shape = ScatterNdShape,
        .grad = ScatterNdGrad,
        .examples = {{"tf.scatter_nd([[1], [3]], [10, 20], [4])", "[ 0 10  0 20]"}}})
      .Cpu<float, double, int8_t, int16_t, int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t,
           bool, std::complex<float>, std::complex<double>, std::string>(
          ScatterNd{}, {.prepare = PrepareFrom<BadIndexState>});
}

}  // namespace tensh::ops
