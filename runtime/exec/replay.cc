#include "runtime/exec/replay.h"

#include <algorithm>
#include <cstring>
#include <mutex>

#include "runtime/exec/fused.h"
#include "runtime/exec/reference_value.h"

namespace tensh {
namespace {

constexpr int kStepsBefore = 2;          // steps before the first recording
constexpr int kMisses = 3;               // consecutive misses before a new recording
constexpr int kRecordings = 4;           // the maximum number of recordings in the life of a frame
constexpr int64_t kLargestValue = 4096;  // bytes of a host value that each step compares

bool SameValue(const Tensor& a, const Tensor& b) {
  return a && b && a.dtype() == b.dtype() && a.shape() == b.shape() &&
         !std::memcmp(a.raw(), b.raw(), static_cast<size_t>(a.bytes()));
}

}  // namespace

Result<bool> Replay::Run(std::vector<Tensor>& slots, CancelFlag* cancel) {
  if (given_up_ || (!recording_ && ++steps_ <= kStepsBefore)) return false;
  if (!RunFirst(slots, cancel).ok())
    return false;  // fails again, and is reported, when it runs by itself
  if (!recording_ && !Record(slots, cancel)) {
    Forget();
    given_up_ = true;
    return false;
  }
  bool done = Fits(slots);
  for (size_t k = 0; done && k < code_.copied.size(); ++k)
    TENSH_RETURN_IF_ERROR(copied_[k].CopyElementsFrom(slots[code_.copied[k].from]));
  if (done) {
    Result<bool> launched = Launch();
    if (launched.status().code() == Code::kAborted) {  // it was discarded to free memory
      Forget();
      return false;
    }
    TENSH_ASSIGN(done, std::move(launched));
  }
  if (!done) {
    if (++misses_ == kMisses) Forget();
    return false;
  }
  misses_ = 0;
  for (size_t k = 0; k < made_.size(); ++k) {
    slots[code_.made[k].slot] = code_.made[k].is_taken ? made_[k].DeepCopy() : made_[k];
    if (!slots[code_.made[k].slot]) return ResourceExhausted("out of memory for a value");
  }
  for (uint32_t i = code_.begin; i < code_.end; ++i) ReleaseBehind(part_, part_.code[i], slots);
  return true;
}

void Replay::Forget() {
  recording_ = nullptr;
  for (auto* list : {&copied_, &same_values_, &made_, &moved_in_, &moved_from_}) list->clear();
  shaped_.clear();
  refers_.clear();
  variables_.clear();
  steps_ = misses_ = 0;
  given_up_ = recordings_ == kRecordings;
}

// Inputs are not moved out of their slots, because the instructions may run again one by one.
Status Replay::RunFirst(std::vector<Tensor>& slots, CancelFlag* cancel) const {
  KernelCtx c(slots.data(), part_.device->runner(), cancel, part_.allocator);
  for (uint32_t i = code_.begin; i < code_.end; ++i) {
    if (code_.roles[i - code_.begin] != ReplayCode::kFirst) continue;
    KernelCall call = part_.code[i].call;
    call.forwardable = 0;
    c.Bind(call);
    TENSH_RETURN_IF_ERROR(CallKernel(part_.code[i].fn, c));
  }
  return {};
}

bool Replay::Record(const std::vector<Tensor>& slots, CancelFlag* cancel) {
  ++recordings_;
  // Works on copies of the slots. Values of the step are not overwritten, so the instructions can
  // still run one by one.
  std::vector<Tensor> inputs = slots, values;
  if (!NoteInputs(inputs)) return false;
  const auto record = [&] {
    values = inputs;
    recording_ = nullptr;
    auto made = part_.device->Record(
        [&](ParallelRunner* runner) { return RecordInto(values, runner, cancel); });
    if (!made.ok()) return false;
    recording_ = *std::move(made);
    return true;
  };
  if (!record()) return false;
  // The inputs in host memory are known only after a first recording. They are copied to device
  // memory that no kernel of the recording uses, and the recording is made again with the copies.
  if (!moved_from_.empty() && !(MoveIn() && record())) return false;
  return NoteOutputs(values);
}

bool Replay::MoveIn() {
  for (const Tensor& from : moved_from_) {
    Result<Tensor> moved = from.CopyTo(part_.allocator);
    if (!moved.ok()) return false;
    moved_in_.push_back(*std::move(moved));
  }
  return true;
}

bool Replay::NoteInputs(std::vector<Tensor>& slots) {
  for (const auto& [from, to] : code_.copied) {
    if (!slots[from]) return false;
    Result<Tensor> place = Tensor::Make(slots[from].dtype(), slots[from].shape(), part_.allocator);
    if (!place.ok()) return false;
    copied_.push_back(*place);
    slots[to] = *std::move(place);
  }
  for (const uint32_t slot : code_.shaped) {
    if (!slots[slot]) return false;
    shaped_.push_back(slots[slot].shape());
  }
  for (const uint32_t slot : code_.same_values) {
    const Tensor& value = slots[slot];
    if (!value || !value.on_host() || !IsPod(value.dtype()) || value.bytes() > kLargestValue)
      return false;
    same_values_.push_back(value.DeepCopy());  // a slot may be written to again
  }
  for (const uint32_t slot : code_.variables) {
    Variable* variable = slots[slot] ? VariableOf(slots[slot]) : nullptr;
    if (!variable) return false;
    refers_.push_back(variable);
    std::lock_guard lock(variable->mu);
    if (!variable->value) return false;
    variables_.push_back({variable, variable->value.raw(), variable->value.shape()});
  }
  const auto by_address = [](const Held& a, const Held& b) { return a.variable < b.variable; };
  std::sort(variables_.begin(), variables_.end(), by_address);
  const auto same = [](const Held& a, const Held& b) { return a.variable == b.variable; };
  variables_.erase(std::unique(variables_.begin(), variables_.end(), same), variables_.end());
  return true;
}

Status Replay::RecordInto(std::vector<Tensor>& slots, ParallelRunner* runner, CancelFlag* cancel) {
  KernelCtx c(slots.data(), runner, cancel, part_.allocator);
  size_t moved = 0;
  for (uint32_t i = code_.begin; i < code_.end; ++i) {
    const Instr& instr = part_.code[i];
    const ReplayCode::Role role = code_.roles[i - code_.begin];
    if (instr.kind == Instr::kFused) {
      const FusedCode& fused = part_.fused[instr.of.fused];
      if (RunFused(part_, fused, slots, runner, cancel)) i = fused.end - 1;
      continue;
    }
    if (role == ReplayCode::kMovedIn && slots[instr.call.in[0]].on_host()) {
      const Tensor& from = slots[instr.call.in[0]];
      Tensor& to = slots[instr.call.out[0]];
      if (moved < moved_in_.size()) {
        to = moved_in_[moved++];
      } else {
        moved_from_.push_back(from);
        TENSH_ASSIGN(to, Tensor::Make(from.dtype(), from.shape(), part_.allocator));
      }
    } else if (role == ReplayCode::kRecorded || role == ReplayCode::kMovedIn) {
      c.Bind(instr.call);
      TENSH_RETURN_IF_ERROR(CallKernel(instr.fn, c));
    }
    for (uint32_t r = instr.release_begin; r < instr.release_end; ++r)
      slots[part_.releases[r]] = Tensor();
  }
  return {};
}

// Outputs must be in memory of the recording. Otherwise the recording would keep the value of a
// variable alive.
bool Replay::NoteOutputs(const std::vector<Tensor>& slots) {
  for (const auto& [slot, is_taken] : code_.made) {
    const Tensor& value = slots[slot];
    if (!value) return false;
    for (const Held& held : variables_) {
      std::lock_guard lock(held.variable->mu);
      if (held.variable->value && held.variable->value.owner() == value.owner()) return false;
    }
    made_.push_back(value);
  }
  return true;
}

bool Replay::Fits(const std::vector<Tensor>& slots) const {
  for (size_t k = 0; k < copied_.size(); ++k) {
    const Tensor& value = slots[code_.copied[k].from];
    if (!value || value.dtype() != copied_[k].dtype() || !(value.shape() == copied_[k].shape()))
      return false;
  }
  for (size_t k = 0; k < shaped_.size(); ++k)
    if (!slots[code_.shaped[k]] || !(slots[code_.shaped[k]].shape() == shaped_[k])) return false;
  for (size_t k = 0; k < same_values_.size(); ++k)
    if (!SameValue(slots[code_.same_values[k]], same_values_[k])) return false;
  for (size_t k = 0; k < refers_.size(); ++k) {
    const Tensor& reference = slots[code_.variables[k]];
    if (!reference || VariableOf(reference) != refers_[k]) return false;
  }
  return true;
}

// Locks the variables, as their kernels do, until the work is launched. Returns false if the value
// of one has moved.
Result<bool> Replay::Launch() {
  bool fits = true;
  for (const Held& held : variables_) held.variable->mu.lock();
  for (const Held& held : variables_) {
    const Tensor& value = held.variable->value;
    fits = fits && value && value.raw() == held.data && value.shape() == held.shape;
  }
  const Status status = fits ? recording_->Replay() : Status();
  for (const Held& held : variables_) held.variable->mu.unlock();
  TENSH_RETURN_IF_ERROR(status);
  return fits;
}

}  // namespace tensh
