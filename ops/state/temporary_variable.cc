// TemporaryVariable and DestroyTemporaryVariable: a variable that lives within a step.
#include <map>
#include <mutex>

#include "ops/op_file.h"
#include "ops/support/array_copy.h"
#include "runtime/core/step_number.h"

namespace tensh::ops {
namespace {

struct TemporaryState : KernelState {
  std::string name;
  Shape shape;
  DType dtype = DType::kInvalid;
};

Result<std::unique_ptr<KernelState>> PrepareTemporary(PrepareCtx& c) {
  auto state = std::make_unique<TemporaryState>();
  const std::string& name = c.attrs().String("var_name");
  state->name = name.empty() ? std::string(c.node_name()) : name;
  state->shape = c.attrs().Get<Shape>("shape");
  state->dtype = c.attrs().Type("dtype");
  if (!state->shape.IsFullyKnown())
    return InvalidArgument("shape attr must be fully defined, got ", state->shape);
  return std::unique_ptr<KernelState>(std::move(state));
}

Result<std::unique_ptr<KernelState>> PrepareName(PrepareCtx& c) {
  auto state = std::make_unique<TemporaryState>();
  state->name = c.attrs().String("var_name");
  if (state->name.empty()) return InvalidArgument("Missing var_name attribute");
  return std::unique_ptr<KernelState>(std::move(state));
}

class TemporaryValue;

// The temporary variables of all steps, by step and name. Two nodes of a step must not use the same
// name at a time. A node in a loop makes a new variable in each iteration. Thread-safe.
class TemporaryNames {
 public:
  static TemporaryNames& Get() {
    static TemporaryNames names;
    return names;
  }
  using Key = std::pair<uint64_t, std::string>;
  // Returns false if another node has a variable of this name in the step.
  bool Add(const Key& key, const KernelState* node, const TemporaryValue* value) {
    std::lock_guard lock(mu_);
    const auto [it, added] = owners_.try_emplace(key, node, value);
    if (!added && it->second.first != node) return false;
    it->second.second = value;
    return true;
  }
  void Remove(const Key& key, const TemporaryValue* value) {
    std::lock_guard lock(mu_);
    const auto found = owners_.find(key);
    if (found != owners_.end() && found->second.second == value) owners_.erase(found);
  }

 private:
  std::mutex mu_;
  std::map<Key, std::pair<const KernelState*, const TemporaryValue*>> owners_;
};

class TemporaryValue : public Variable {
 public:
  ~TemporaryValue() override { GiveUpName(); }
  void GiveUpName() { TemporaryNames::Get().Remove({step, name}, this); }
  uint64_t step = 0;
};

// The reference owns the variable, which therefore ends with the step.
Status MakeTemporary(KernelCtx& c) {
  const auto& state = c.state<TemporaryState>();
  auto variable = std::make_shared<TemporaryValue>();
  variable->name = state.name;
  variable->dtype = state.dtype;
  variable->step = StepNumber(c.cancel());
  if (variable->step &&
      !TemporaryNames::Get().Add({variable->step, state.name}, &state, variable.get()))
    return AlreadyExists("the step has a temporary variable '", state.name, "' already");
  TENSH_ASSIGN(variable->value, Tensor::Make(state.dtype, state.shape));
  ZeroElements(state.dtype, variable->value.raw(), variable->value.num_elements());
  c.SetOutput(0, Tensor::Scalar(ResourceHandle{std::move(variable), state.name}));
  return {};
}

Status TakeTemporary(KernelCtx& c) {
  auto* variable = dynamic_cast<TemporaryValue*>(c.variable(0));
  const std::string& name = c.state<TemporaryState>().name;
  if (!variable) return InvalidArgument("the reference is not to a temporary variable");
  if (variable->name != name)
    return NotFound("there is no temporary variable '", name, "', only '", variable->name, "'");
  Tensor value;
  {
    std::lock_guard lock(variable->mu);
    std::swap(value, variable->value);
  }
  variable->GiveUpName();
  if (!value) return NotFound("the temporary variable '", name, "' was already destroyed");
  c.SetOutput(0, std::move(value));
  return {};
}

Status ShapeAttr(ShapeCtx& c) {
  c.Set(0, c.attrs().Get<Shape>("shape"));
  return {};
}

}  // namespace

TENSH_OPS(state_temporary_variable) {
  r.Op({.name = "TemporaryVariable",
        .outputs = "ref: Ref(dtype)",
        .attrs = "shape: shape, dtype: type, var_name: string = ''",
        .doc = "A variable that lives for one step, of the given shape and dtype. ref is a "
               "reference to it; var_name is its name, by default the node's.",
        .shape = ShapeAttr,
        .no_gradient = true,
        .stateful = true,
        .examples = {{"tf.raw_ops.DestroyTemporaryVariable(ref=tf.assign(tf.raw_ops."
                      "TemporaryVariable(shape=[2], dtype=tf.float32, var_name='t'), [1., 2.]), "
                      "var_name='t')",
                      "[1. 2.]"}}})
      .CpuAny(MakeTemporary, PrepareTemporary);
  r.Op({.name = "DestroyTemporaryVariable",
        .inputs = "ref: Ref(T)",
        .outputs = "value: T",
        .attrs = "T: type, var_name: string",
        .doc = "Destroys a temporary variable; value is its last value. ref is the variable, of "
               "type T, var_name its name.",
        .shape = SameAsInput<0>,
        .no_gradient = true,
        .examples = {{"tf.raw_ops.DestroyTemporaryVariable(ref=tf.assign(tf.raw_ops."
                      "TemporaryVariable(shape=[], dtype=tf.int32, var_name='t'), 3), "
                      "var_name='t')",
                      "3"}}})
      .CpuAny(TakeTemporary, PrepareName);
}

}  // namespace tensh::ops
