// CountUpTo and ResourceCountUpTo: increment a variable and return its previous value.
#include "ops/op_file.h"
#include "ops/state/handle_example.h"
#include "ops/state/variable_shape.h"
#include "ops/support/prepare.h"
#include "ops/support/var_update.h"

namespace tensh::ops {
namespace {

struct CountState : KernelState {
  int64_t limit;
  void Read(PrepareCtx& c) { limit = c.attrs().Int("limit"); }
};

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
  const Shape variable = VariableShapeAt(c, 0);
  if (variable.has_rank() && variable.rank() > 0)
    return InvalidArgument("Shape must be rank 0 but is rank ", variable.rank());
  c.Set(0, Shape());
  return {};
}

OpSpec Spec(bool resource, std::string call) {
  return {.name = resource ? "ResourceCountUpTo" : "CountUpTo",
          .inputs = resource ? "resource: resource" : "ref: Ref(T)",
          .outputs = "output: T",
          .attrs = "limit: int, T: {int32, int64}",
          .doc = StrCat(
              "Increments a variable by one. If it has reached limit, fails with OutOfRange. ",
              resource ? "resource" : "ref",
              " is the variable, of type T, a scalar; output is its previous value."),
          .contract = resource ? "resource: scalar" : "ref: scalar",
          .shape = CountShape,
          .no_gradient = true,
          .stateful = resource,
          .variable_type = resource ? "T" : nullptr,
          .examples = {{call, "1"}}};
}

}  // namespace

TENSH_OPS(state_count_up_to) {
  r.Op(Spec(false, "tf.raw_ops.CountUpTo(ref=tf.assign(tf.Variable(1), 1), limit=3)"))
      .Cpu<int32_t, int64_t>(CountUpTo{}, {.prepare = PrepareFrom<CountState>});
  r.Op(Spec(true, StrCat("tf.raw_ops.ResourceCountUpTo(resource=", HandleExample("1"),
                         ", limit=3, T=tf.int32)")))
      .Cpu<int32_t, int64_t>(CountUpTo{}, {.prepare = PrepareFrom<CountState>});
}

}  // namespace tensh::ops
