#include "runtime/exec/fetches.h"

#include <algorithm>

#include "runtime/exec/reference_value.h"

namespace tensh {

bool SharesAVariable(const Bindings& bindings, const Tensor& tensor) {
  if (tensor.unique()) return false;
  auto shares = [&](Variable* v) {
    const Tensor value = v->Read();
    return value && value.owner() == tensor.owner();
  };
  return std::any_of(bindings.variables_read.begin(), bindings.variables_read.end(), shares) ||
         std::any_of(bindings.variables_held.begin(), bindings.variables_held.end(), shares);
}

Status ReadReference(const Tensor& reference, Tensor* value) {
  Variable* variable = VariableOf(reference);
  if (!variable) return InvalidArgument("the fetched value is not a reference to a variable");
  std::lock_guard lock(variable->mu);  // prevents updates during the copy
  if (!variable->value) return Uninitialized(*variable);
  if (!variable->value.on_host()) {
    TENSH_ASSIGN(*value, variable->value.CopyTo(HostAllocator()));
    return {};
  }
  *value = variable->value.DeepCopy();
  return *value ? Status() : ResourceExhausted("out of memory for a fetched value");
}

namespace {

// The fetched values that are in the memory of a device, which are copied together.
struct OutCopies {
  Allocator* memory;
  std::vector<OutCopy> copies = {};
  std::vector<Tensor> sources = {};  // stay allocated until they were copied

  Status Add(const Tensor& from, Tensor* to) {
    if (from.allocator() != memory) {
      TENSH_ASSIGN(*to, from.CopyTo(HostAllocator()));
      return {};
    }
    TENSH_ASSIGN(*to, Tensor::Make(from.dtype(), from.shape()));
    copies.push_back({to->raw(), from.raw(), static_cast<size_t>(from.bytes())});
    sources.push_back(from);
    return {};
  }

  // Later updates of a variable are queued behind the copy.
  Status AddReference(const Tensor& reference, Tensor* to) {
    Variable* variable = VariableOf(reference);
    if (!variable || memory->is_host()) return ReadReference(reference, to);
    Tensor value;
    {
      std::lock_guard lock(variable->mu);
      value = variable->value;
    }
    return value && !value.on_host() ? Add(value, to) : ReadReference(reference, to);
  }
};

}  // namespace

Status FetchInto(const Plan& plan, const PartitionCode& code, std::vector<Tensor>& slots,
                 std::span<Tensor> fetched) {
  OutCopies out{code.allocator};
  for (const auto& [fetch, slot, is_ref] : code.fetches) {
    if (!slots[slot])
      return InvalidArgument("Retval[", fetch, "] does not have value")
          .WithNode(plan.stages.graph.name(
              plan.stages.graph.node_of(plan.stages.signature.fetches[fetch])))
          .WithHint("it is on a branch that was not taken: fetch the result of tf.cond");
    if (is_ref) {
      Status status = out.AddReference(slots[slot], &fetched[fetch]);
      if (!status.ok())
        return std::move(status).WithNode(plan.stages.graph.name(
            plan.stages.graph.node_of(plan.stages.signature.fetches[fetch])));
    } else if (!slots[slot].on_host()) {
      TENSH_RETURN_IF_ERROR(out.Add(slots[slot], &fetched[fetch]));
    } else {
      fetched[fetch] =
          SharesAVariable(plan.bindings, slots[slot]) ? slots[slot].DeepCopy() : slots[slot];
    }
    if (!fetched[fetch]) return ResourceExhausted("out of memory for a fetched value");
  }
  return out.memory->is_host() ? Status() : code.device->SyncAndCopy(out.copies);
}

Status CauseOf(const Program& program, Status failure) {
  for (const PartitionCode& part : program.parts) {
    Status cause = part.device->TakeFailure();
    if (!cause.ok()) return std::move(cause).WithNode(failure.node());
  }
  return failure;
}

Status NameAllUninitialized(const Plan& plan, Status status) {
  if (status.reason() != Reason::kUninitialized) return status;
  std::vector<std::string> names;
  for (Variable* v : plan.bindings.variables_read)
    if (!v->Read() && std::find(names.begin(), names.end(), v->name) == names.end())
      names.push_back(v->name);
  if (names.size() < 2) return status;
  std::string list;
  for (size_t i = 0; i < names.size(); ++i) list += (i ? ", " : "") + names[i];
  return FailedPrecondition("Attempting to use uninitialized value ", names[0], " (", names.size(),
                            " variables are not initialized: ", list, ")")
      .WithReason(status.reason())
      .WithHint(std::string(status.hint()))
      .WithNode(status.node());
}

}  // namespace tensh
