// ScatterNdUpdate, ScatterNdAdd and their relatives: update slices of a reference or resource
// variable that are addressed by rows of coordinates.
#include "ops/array/index/scatter_nd.h"
#include "ops/op_file.h"
#include "ops/state/handle_example.h"
#include "ops/state/scatter_rule.h"
#include "ops/state/variable_shape.h"
#include "ops/support/array_copy.h"
#include "ops/support/prepare.h"
#include "ops/support/var_update.h"

namespace tensh::ops {
namespace {

// Calls fn(slice of the variable, offset of its update, number of elements) for each row of
// indices.
template <class Fn>
Status ForEachPlace(KernelCtx& c, Fn fn) {
  const Tensor &indices = c.in(1), &updates = c.in(2);
  LockedVariables<1> vars(c);
  TENSH_RETURN_IF_ERROR(vars.CheckInitialized());
  const Tensor& var = vars[0];
  if (var.dtype() != updates.dtype())
    return InvalidArgument("DType of variable and updates does not match: ",
                           SignatureName(var.dtype()), " vs. ", SignatureName(updates.dtype()));
  TENSH_RETURN_IF_ERROR(CheckScatterNd(var.shape(), indices.shape(), updates.shape()));
  std::vector<int64_t> places;
  int64_t run = 1;
  TENSH_RETURN_IF_ERROR(
      ScatterPlaces(var.shape(), indices, c.state<BadIndexState>().ignore, places, run));
  for (size_t r = 0; r < places.size(); ++r)
    if (places[r] >= 0) fn(At(var, places[r]), static_cast<int64_t>(r) * run, run);
  c.ForwardRef(0, 0);
  return {};
}

Status Update(KernelCtx& c) {
  const Tensor& updates = c.in(2);
  return ForEachPlace(c, [&](void* to, int64_t from, int64_t run) {
    CopyElements(updates.dtype(), to, At(updates, from), run);
  });
}

template <class Rule>
struct ScatterNdVar {
  template <class T>
  Status operator()(KernelCtx& c) const {
    const T* by = c.in(2).data<T>();
    return ForEachPlace(c, [&](void* to, int64_t from, int64_t run) {
      T* y = static_cast<T*>(to);
      for (int64_t k = 0; k < run; ++k) Rule::template Apply<T>(y[k], by[from + k]);
    });
  }
};

Status VarShape(ShapeCtx& c) {
  const Shape var = VariableShapeAt(c, 0);
  if (c.in(1).has_rank() && c.in(2).has_rank())
    TENSH_RETURN_IF_ERROR(CheckScatterNd(var, c.in(1), c.in(2)));
  if (c.num_outputs() > 0) c.Set(0, var);
  return {};
}

struct Kind {
  const char* name;
  const char* what;
  const char* result;  // of the example, which applies 2 at index 0 of [6, 2, 3]
};

OpSpec Spec(const Kind& kind, bool resource, OpText types, const char* locking) {
  const std::string name = StrCat(resource ? "Resource" : "", "ScatterNd", kind.name);
  const std::string variable =
      resource ? HandleExample("[6, 2, 3]") : "tf.assign(tf.Variable([6, 2, 3]), [6, 2, 3])";
  const std::string call =
      StrCat("tf.raw_ops.", name, "(ref=", variable, ", indices=[[0]], updates=[2])");
  return {
      .name = name,
      .inputs = resource ? "ref: resource, indices: Tindices, updates: T"
                         : "ref: Ref(T), indices: Tindices, updates: T",
      .outputs = resource ? "" : "output_ref: Ref(T)",
      .attrs = StrCat("T: ", types, ", Tindices: {int32, int64}, use_locking: bool = ", locking,
                      ", bad_indices_policy: string = ''"),
      .doc = StrCat(kind.what,
                    " slices of a variable. ref is the variable, of type T; each row of the "
                    "last dimension of indices, of type Tindices, is an index into its first "
                    "dimensions; updates has one slice for each.",
                    resource ? "" : " output_ref is ref.",
                    " use_locking: ignored; updates always exclude each other.", kBadIndicesDoc),
      .shape = VarShape,
      .no_gradient = true,
      .stateful = resource,
      .variable_type = resource ? "T" : nullptr,
      .examples = {{call, resource ? "" : kind.result}}};
}

template <class Rule>
void Register(OpRegistry& r, const Kind& kind) {
  for (bool resource : {false, true}) {
    auto entry =
        r.Op(Spec(kind, resource, resource ? "type" : kNumberTypes, resource ? "true" : "false"));
    entry.template Cpu<float, double, int8_t, int16_t, int32_t, int64_t, uint8_t, uint16_t,
                       uint32_t, uint64_t>(ScatterNdVar<Rule>{},
                                           {.prepare = PrepareFrom<BadIndexState>});
    if constexpr (!std::is_same_v<Rule, MinRule> && !std::is_same_v<Rule, MaxRule>) {
      entry.template Cpu<std::complex<float>, std::complex<double>>(
          ScatterNdVar<Rule>{}, {.prepare = PrepareFrom<BadIndexState>});
    }
  }
}

}  // namespace

TENSH_OPS(state_scatter_nd) {
  const Kind update = {"Update", "Sets", "[2 2 3]"};
  r.Op(Spec(update, false, "type", "true")).CpuAny(Update, PrepareFrom<BadIndexState>);
  r.Op(Spec(update, true, "type", "true")).CpuAny(Update, PrepareFrom<BadIndexState>);
  Register<AddRule>(r, {"Add", "Adds to", "[8 2 3]"});
  Register<SubRule>(r, {"Sub", "Subtracts from", "[4 2 3]"});
  Register<MinRule>(r, {"Min", "Lowers", "[2 2 3]"});
  Register<MaxRule>(r, {"Max", "Raises", "[6 2 3]"});
}

}  // namespace tensh::ops
