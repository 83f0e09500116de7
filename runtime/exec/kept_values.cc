#include "runtime/exec/kept_values.h"

#include "runtime/exec/reference_value.h"

namespace tensh {
namespace {

constexpr int64_t kMaxBytes = 1 << 20;      // of a value
constexpr int64_t kMaxAllBytes = 32 << 20;  // of all values of a partition

// Returns a copy in host memory, or an empty tensor if that fails.
Tensor Copied(const Tensor& tensor) {
  if (tensor.on_host()) return tensor.DeepCopy();
  Result<Tensor> copy = tensor.CopyTo(HostAllocator());
  return copy.ok() ? *std::move(copy) : Tensor();
}

// Returns the current value of a variable, or an empty tensor if it has none.
Tensor Dereferenced(const Tensor& reference) {
  Variable* variable = *reference.data<Variable*>();
  std::lock_guard lock(variable->mu);
  return variable->value ? Copied(variable->value) : Tensor();
}

}  // namespace

int64_t OutputBytes(const Instr& instr, const std::vector<Tensor>& slots) {
  int64_t bytes = 0;
  for (uint32_t i = 0; i < instr.call.n_out; ++i)
    if (const Tensor& t = slots[instr.call.out[i]]) bytes += t.bytes();
  return bytes;
}

int64_t InputBytes(const Graph& graph, const Instr& instr, const std::vector<Tensor>& slots) {
  if (instr.node == kNoNode || graph.op(instr.node).role == OpRole::kReadVariable) return 0;
  const OpDef& op = graph.op(instr.node);
  int64_t bytes = 0;
  bool single = true;  // the arguments so far are no lists, so input i is argument i
  for (uint32_t i = 0; i < instr.call.n_in; ++i) {
    const Tensor& t = slots[instr.call.in[i]];
    single &= i < op.inputs.size() && op.inputs[i].number_attr.empty() &&
              op.inputs[i].type_list_attr.empty();
    if (!t) continue;
    // A kernel that takes a value where the op has a reference gets no reference.
    const bool is_reference = single && op.inputs[i].is_ref && t.dtype() == DType::kInt64;
    const bool refers = t.on_host() && (t.dtype() == DType::kResource || is_reference);
    Variable* const variable = refers ? VariableOf(t) : nullptr;
    if (!refers) bytes += t.bytes();
    if (!variable) continue;
    std::lock_guard lock(variable->mu);
    if (variable->value) bytes += 2 * variable->value.bytes();
  }
  return bytes;
}

void KeptValues::Keep(const Graph& graph, const Instr& instr, const std::vector<Tensor>& slots) {
  if (instr.node == kNoNode) return;
  const uint32_t outputs = graph.num_outputs(instr.node);
  for (uint32_t i = 0; i < instr.call.n_out && i < outputs; ++i) {
    const Tensor& made = slots[instr.call.out[i]];
    if (!made) continue;
    const ValueId id = graph.output(instr.node, i);
    if (instr.is_read || !IsRef(graph.dtype(id))) {
      Add(id, made);
    } else if (const Tensor value = Dereferenced(made)) {
      Add(id, value);
    }
  }
}

void KeptValues::Add(ValueId id, const Tensor& tensor) {
  KeptValue& kept = kept_[Index(id)];
  ++kept.times;
  kept.shape = tensor.shape();
  if (kept.value) bytes_ -= kept.value.bytes();
  kept.value = Tensor();
  const bool plain = tensor.dtype() != DType::kResource && tensor.dtype() != DType::kVariant;
  if (!plain || tensor.bytes() > kMaxBytes || bytes_ + tensor.bytes() > kMaxAllBytes) return;
  kept.value = Copied(tensor);
  if (kept.value) bytes_ += tensor.bytes();
}

void KeptValues::Merge(const KeptValues& other) {
  for (auto& [id, kept] : other.kept_) {
    KeptValue& mine = kept_[id];
    mine.times += kept.times;
    mine.shape = kept.shape;
    mine.value = kept.value;
  }
}

}  // namespace tensh
