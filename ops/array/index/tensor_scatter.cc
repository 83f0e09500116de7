// TensorScatterUpdate, …Add, …Sub, …Min and …Max: copies of a tensor with some slices changed.
#include <algorithm>

#include "ops/array/index/scatter_nd.h"
#include "ops/op_file.h"
#include "ops/support/array_copy.h"
#include "ops/support/complex_types.h"
#include "ops/support/prepare.h"
#include "ops/support/wrap.h"

namespace tensh::ops {
namespace {

Status TensorScatterUpdate(KernelCtx& c) {
  const Tensor &indices = c.in(1), &updates = c.in(2);
  TENSH_RETURN_IF_ERROR(CheckScatterNd(c.in(0).shape(), indices.shape(), updates.shape()));
  std::vector<int64_t> places;
  int64_t run = 1;
  TENSH_RETURN_IF_ERROR(
      ScatterPlaces(c.in(0).shape(), indices, c.state<BadIndexState>().ignore, places, run));
  TENSH_OUTPUT(out, c.Output(0, c.in(0).shape()));
  CopyElements(out->dtype(), out->raw(), c.in(0).raw(), out->num_elements());
  for (size_t r = 0; r < places.size(); ++r)
    if (places[r] >= 0)
      CopyElements(out->dtype(), At(*out, places[r]), At(updates, static_cast<int64_t>(r) * run),
                   run);
  return {};
}

template <class Fn>
struct Scatter {
  template <class T>
  Status operator()(KernelCtx& c) const {
    const Tensor &indices = c.in(1), &updates = c.in(2);
    TENSH_RETURN_IF_ERROR(CheckScatterNd(c.in(0).shape(), indices.shape(), updates.shape()));
    std::vector<int64_t> places;
    int64_t run = 1;
    TENSH_RETURN_IF_ERROR(
        ScatterPlaces(c.in(0).shape(), indices, c.state<BadIndexState>().ignore, places, run));
    TENSH_OUTPUT(out, c.Output(0, c.in(0).shape()));
    std::copy_n(c.in(0).data<T>(), out->num_elements(), out->data<T>());
    for (size_t r = 0; r < places.size(); ++r) {
      if (places[r] < 0) continue;
      T* to = out->data<T>() + places[r];
      const T* from = updates.data<T>() + static_cast<int64_t>(r) * run;
      for (int64_t i = 0; i < run; ++i) to[i] = Fn{}(to[i], from[i]);
    }
    return {};
  }
};

struct AddTo {
  template <class T>
  T operator()(T a, T b) const {
    if constexpr (std::is_same_v<T, bool>)
      return a || b;
    else
      return WrapAdd(a, b);
  }
};
struct SubFrom {
  template <class T>
  T operator()(T a, T b) const {
    return WrapSub(a, b);
  }
};
struct Greatest {
  template <class T>
  T operator()(T a, T b) const {
    return b > a ? b : a;
  }
};
struct Least {
  template <class T>
  T operator()(T a, T b) const {
    return b < a ? b : a;
  }
};

Status ScatterShape(ShapeCtx& c) {
  if (c.in(1).has_rank() && c.in(2).has_rank())
    TENSH_RETURN_IF_ERROR(CheckScatterNd(c.in(0), c.in(1), c.in(2)));
  return SameAsInput<0>(c);
}

Out PickedGrad(GradScope& g) { return g.Op("GatherNd", {g.dy(), g.x(1)}); }

Status UpdateGrad(GradScope& g) {
  Out zeros = g.Op("ZerosLike", {g.x(2)}, {}, "zeros_like");
  Out kept = g.Op("TensorScatterUpdate", {g.dy(), g.x(1), zeros});
  return g.Return({kept, {}, PickedGrad(g)});
}
Status AddGrad(GradScope& g) { return g.Return({g.dy(), {}, PickedGrad(g)}); }
Status SubGrad(GradScope& g) { return g.Return({g.dy(), {}, g.Op("Neg", {PickedGrad(g)})}); }

// If the tensor and an update are equal, they share the gradient.
Status BestGrad(GradScope& g) {
  Out indices = g.x(1), dtype_like = g.dy();
  Out picked = g.Op("GatherNd", {g.y(0), indices});
  Out mine = g.Op("Cast", {g.Op("Equal", {g.x(0), g.y(0)})}, {{"DstT", g.dtype(dtype_like)}});
  Out theirs = g.Op("Cast", {g.Op("Equal", {g.x(2), picked})}, {{"DstT", g.dtype(dtype_like)}});
  Out zeros = g.Op("ZerosLike", {g.y(0)});
  Out count = g.Op("TensorScatterAdd", {zeros, indices, theirs});
  count = g.Op("AddV2", {count, mine}, {}, "add");
  Out share = g.Op("RealDiv", {g.dy(), count}, {}, "truediv");
  Out du = g.Mul(g.Op("GatherNd", {share, indices}), theirs);
  return g.Return({g.Mul(share, mine), {}, du});
}

OpSpec Spec(const char* name, const char* attrs, const char* doc, GradFn grad, const char* first,
            Example example) {
  return {.name = name,
          .inputs = StrCat(first, ": T, indices: Tindices, updates: T"),
          .outputs = "output: T",
          .attrs = StrCat(attrs, ", bad_indices_policy: string = ''"),
          .doc = StrCat(doc, " ", first,
                        ": the original. indices: rows of coordinates. updates: one slice for each "
                        "row. T, Tindices: the types of the updates and indices.",
                        kBadIndicesDoc),
          .contract = StrCat(first, ": rank 1+, indices: rank 1+"),
          .shape = ScatterShape,
          .grad = grad,
          .examples = {example}};
}

}  // namespace

TENSH_OPS(array_index_tensor_scatter) {
  static constexpr char kTwo[] = "T: type, Tindices: {int32, int64}";
  r.Op(Spec("TensorScatterUpdate", "T: type, Tindices: {int16, int32, int64, uint16}",
            "A copy of a tensor with slices replaced.", UpdateGrad, "tensor",
            {"tf.tensor_scatter_update([1, 2, 3], [[1]], [9])", "[1 9 3]"}))
      .CpuAny(TensorScatterUpdate, PrepareFrom<BadIndexState>);
  auto add = [&r](OpSpec spec, auto kernel) {
    return r.Op(std::move(spec))
        .template Cpu<float, double, int32_t, int64_t, uint8_t, int8_t, int16_t, uint16_t, uint32_t,
                      uint64_t>(kernel, {.prepare = PrepareFrom<BadIndexState>});
  };
  add(Spec("TensorScatterAdd", kTwo, "A copy of a tensor with slices added.", AddGrad, "tensor",
           {"tf.tensor_scatter_add([1, 2, 3], [[1]], [9])", "[ 1 11  3]"}),
      Scatter<AddTo>{})
      .Cpu<Complex64, Complex128>(Scatter<AddTo>{}, {.prepare = PrepareFrom<BadIndexState>});
  add(Spec("TensorScatterSub", kTwo, "A copy of a tensor with slices subtracted.", SubGrad,
           "tensor", {"tf.tensor_scatter_sub([1, 2, 3], [[1]], [9])", "[ 1 -7  3]"}),
      Scatter<SubFrom>{})
      .Cpu<Complex64, Complex128>(Scatter<SubFrom>{}, {.prepare = PrepareFrom<BadIndexState>});
  add(Spec(
          "TensorScatterMax", kTwo,
          "A copy of a tensor with slices replaced by the elementwise maximum.", BestGrad, "tensor",
          {"tf.raw_ops.TensorScatterMax(tensor=[1, 2, 3], indices=[[1]], updates=[9])", "[1 9 3]"}),
      Scatter<Greatest>{});
  add(Spec(
          "TensorScatterMin", kTwo,
          "A copy of a tensor with slices replaced by the elementwise minimum.", BestGrad, "tensor",
          {"tf.raw_ops.TensorScatterMin(tensor=[1, 2, 3], indices=[[1]], updates=[0])", "[1 0 3]"}),
      Scatter<Least>{});
  add(Spec("ScatterNdNonAliasingAdd",
           "T: {float, double, int32, uint8, int16, int8, complex64, int64, bfloat16, uint16, "
           "complex128, half, uint32, uint64, bool}, Tindices: {int32, int64}",
           "A copy of a tensor with slices added.", AddGrad, "input",
           {"tf.scatter_nd_non_aliasing_add([1, 2, 3], [[1]], [9])", "[ 1 11  3]"}),
      Scatter<AddTo>{})
      .Cpu<Complex64, Complex128, bool>(Scatter<AddTo>{}, {.prepare = PrepareFrom<BadIndexState>});
}

}  // namespace tensh::ops
