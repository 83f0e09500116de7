#include "ops/op_file.h"
#include "ops/support/var_update.h"

namespace tensh::ops {
namespace {

struct CountState : KernelState {
  int64_t limit;
};

Result<std::unique_ptr<KernelState>> PrepareCount(PrepareCtx& c) {
  auto state = std::make_unique<CountState>();
  state->limit = c.attrs().Int("limit");
  return std::unique_ptr<KernelState>(std::move(state));
}

struct CountUpTo {
  template <class T>
  Status operator()(KernelCtx& c) const {
    LockedVariables<1> vars(c);
    if (const Variable* v = c.variable(0); v && !v->value && c.in(0).dtype() == DType::kResource)
      return NotFound("Resource localhost/", v->name, "/N10tensorflow3VarE does not exist.");
    TENSH_RETURN_IF_ERROR(vars.CheckInitialized());
    if (vars[0].rank() != 0 || vars[0].dtype() != kDTypeOf<T>)
      return InvalidArgument("input is not a scalar: ", vars[0].shape());
    T* value = vars[0].template data<T>();
    const int64_t limit = c.state<CountState>().limit;
    if (*value >= limit) return OutOfRange("Reached limit of ", limit);
    TENSH_OUTPUT(out, c.Output(0, Shape()));
    *out->data<T>() = (*value)++;
    return {};
  }
};

Status CountShape(ShapeCtx& c) {
  c.Set(0, Shape());
  return {};
}

OpSpec Spec(bool resource, const char* call) {
  return {.name = resource ? "ResourceCountUpTo" : "CountUpTo",
          .inputs = resource ? "resource: resource" : "ref: Ref(T)",
          .outputs = "output: T",
          .attrs = "limit: int, T: {int32, int64}",
          .doc = StrCat("Adds one to a variable, unless it has reached limit: then it fails with "
                        "OutOfRange. ",
                        resource ? "resource" : "ref",
                        " is the variable, of type T, a scalar; output is its value before."),
          .contract = resource ? "resource: scalar" : "ref: scalar",
          .shape = CountShape,
          .no_gradient = true,
          .stateful = resource,
          .examples = {{call, resource ? "ResourceCountUpTo" : "1"}}};
}

}  // namespace

TENSH_OPS(state_count_up_to) {
  r.Op(Spec(false, "tf.raw_ops.CountUpTo(ref=tf.assign(tf.Variable(1), 1), limit=3)"))
      .Cpu<int32_t, int64_t>(CountUpTo{}, {.prepare = PrepareCount});
  r.Op(Spec(true,
            "tf.raw_ops.ResourceCountUpTo(resource=tf.Variable(1, use_resource=True).handle, "
            "limit=3, T=tf.int32).op.type"))
      .Cpu<int32_t, int64_t>(CountUpTo{}, {.prepare = PrepareCount});
}

}  // namespace tensh::ops
