// Assign, AssignAdd and AssignSub for reference variables.
#include "ops/op_file.h"
#include "ops/support/prepare.h"
#include "ops/support/var_update.h"

namespace tensh::ops {
namespace {

struct AssignState : KernelState {
  bool validate_shape;
  Shape declared;  // the variable's shape, as declared in the graph
  void Read(PrepareCtx& c) {
    validate_shape = c.attrs().Bool("validate_shape");
    declared = c.input_shape(0);
  }
};

// Gives a large variable the elements of input 1, which has the variable's shape, without a copy.
// Returns false if that could be noticed: a tensor that was read from the variable earlier in the step
// must see the new elements, and the input may have other owners.
bool TakeLarge(KernelCtx& c, Variable& variable) {
  constexpr int64_t kLarge = 1 << 20;  // smaller buffers are better reused by the next step
  if (variable.value.bytes() < kLarge || !IsPod(variable.value.dtype()) ||
      !variable.value.on_host() || !variable.value.unique() || !c.in(1).on_host() ||
      !c.in(1).unique())
    return false;
  Tensor taken = c.TakeInput(1);
  if (!taken.unique()) return false;  // a later node uses it, too
  variable.value = std::move(taken);
  return true;
}

// Copies the elements, on the step's threads if both tensors are bytes in host memory.
Status CopyValue(KernelCtx& c, const Tensor& to, const Tensor& from) {
  if (!IsPod(to.dtype()) || !to.on_host() || !from.on_host()) return to.CopyElementsFrom(from);
  constexpr double kByteNs = 0.1;
  c.ParallelForAll(to.bytes(), kByteNs, [&](int64_t begin, int64_t end) {
    std::memmove(to.data<char>() + begin, from.data<char>() + begin,
                 static_cast<size_t>(end - begin));
  });
  return {};
}

Status Assign(KernelCtx& c) {
  const auto& state = c.state<AssignState>();
  Variable& variable = *c.variable(0);
  const Tensor& value = c.in(1);
  std::lock_guard lock(variable.mu);
  if (state.validate_shape) {
    const Shape& lhs = variable.value ? variable.value.shape() : state.declared;
    if (!lhs.IsCompatibleWith(value.shape()))
      return InvalidArgument("Assign requires shapes of both tensors to match. lhs shape= ", lhs,
                             " rhs shape= ", value.shape());
  }
  if (variable.value && variable.value.shape() == value.shape()) {
    // Copied in place: nodes that read the variable earlier in this step see the new value, as in
    // TensorFlow.
    if (!TakeLarge(c, variable)) TENSH_RETURN_IF_ERROR(CopyValue(c, variable.value, value));
  } else {
    // The variable must own its buffer, because a constant or a feed must not change with it.
    Tensor taken = c.TakeInput(1);
    Tensor own = taken.unique() ? std::move(taken) : taken.DeepCopy();
    if (!own) return ResourceExhausted("OOM when assigning to variable ", variable.name);
    variable.value = std::move(own);
  }
  c.ForwardRef(0, 0);
  return {};
}

Status AssignShape(ShapeCtx& c) {
  if (c.attrs().Bool("validate_shape")) return UpdateShape<1>(c);
  c.Set(0, c.in(1));
  return {};
}

// Integers are added as unsigned, so that overflow wraps without undefined behavior.
template <class T>
using Wrapping = typename std::conditional_t<std::is_integral_v<T>, std::make_unsigned<T>,
                                             std::type_identity<T>>::type;

template <bool kSubtract, class T>
Status AssignUpdate(KernelCtx& c) {
  using W = Wrapping<T>;
  const Tensor& update = c.in(1);
  LockedVariables<1> vars(c);
  TENSH_RETURN_IF_ERROR(vars.CheckInitialized());
  if (!(vars[0].shape() == update.shape()))
    return InvalidArgument("Parameters and update must be the same size, got a variable of shape ",
                           vars[0].shape(), " and an update of shape ", update.shape());
  T* var = vars[0].template data<T>();
  const T* by = update.data<T>();
  c.ParallelForAll(update.num_elements(), 0.5, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      W a = static_cast<W>(var[i]), b = static_cast<W>(by[i]);
      var[i] = static_cast<T>(static_cast<W>(kSubtract ? a - b : a + b));
    }
  });
  c.ForwardRef(0, 0);
  return {};
}

struct AssignAdd {
  template <class T>
  Status operator()(KernelCtx& c) const {
    return AssignUpdate<false, T>(c);
  }
};
struct AssignSub {
  template <class T>
  Status operator()(KernelCtx& c) const {
    return AssignUpdate<true, T>(c);
  }
};

OpSpec UpdateSpec(const char* name, OpText doc, Example example) {
  return {.name = name,
          .inputs = "ref: Ref(T), value: T",
          .outputs = "output_ref: Ref(T)",
          .attrs = StrCat("T: ", kNumberTypes, ", use_locking: bool = false"),
          .doc = doc,
          .shape = UpdateShape<1>,
          .no_gradient = true,
          .examples = {example}};
}

}  // namespace

TENSH_OPS(state_assign) {
  r.Op({.name = "Assign",
        .inputs = "ref: Ref(T), value: T",
        .outputs = "output_ref: Ref(T)",
        .attrs = "T: type, validate_shape: bool = true, use_locking: bool = true",
        .doc = "Assigns a value to a variable. ref is the variable, value its new value, of type "
               "T; output_ref is ref, for nodes that should run afterwards. validate_shape: the "
               "shapes of ref and value must be equal. use_locking: ignored; updates always "
               "exclude each other.",
        .shape = AssignShape,
        .no_gradient = true,
        .allows_uninitialized_input = true,
        .examples = {{"tf.assign(tf.Variable(1.), 2.)", "2.0"}}})
      .CpuAny(Assign, PrepareFrom<AssignState>);
  r.Op(UpdateSpec("AssignAdd",
                  "Adds to a variable. ref is the variable, value is added to it, of type T; "
                  "output_ref is ref. use_locking: ignored; updates always exclude each other.",
                  {"tf.assign_add(tf.assign(tf.Variable(1.), 1.), 2.)", "3.0"}))
      .Cpu<float, double, int8_t, int16_t, int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t,
           std::complex<float>, std::complex<double>>(AssignAdd{});
  r.Op(UpdateSpec(
           "AssignSub",
           "Subtracts from a variable. ref is the variable, value is subtracted from it, of type "
           "T; output_ref is ref. use_locking: ignored; updates always exclude each other.",
           {"tf.assign_sub(tf.assign(tf.Variable(1.), 1.), 2.)", "-1.0"}))
      .Cpu<float, double, int8_t, int16_t, int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t,
           std::complex<float>, std::complex<double>>(AssignSub{});
}

}  // namespace tensh::ops
