#include "runtime/exec/arrivals.h"

#include "runtime/exec/fetches.h"
#include "runtime/exec/loops.h"

namespace tensh {

Arrivals::Arrivals(const Plan& plan, const StepOptions& options, Turns& turns, StepError& error)
    : plan_(plan),
      edges_(plan.bindings.keyed),
      options_(options),
      turns_(turns),
      error_(error),
      inbox_(edges_.size()),
      requested_(edges_.size()),
      keys_(plan.program()->parts.size()) {}

void Arrivals::Begin() {
  turns_.BeginArrivals();
  for (uint32_t k = 0; k < edges_.size(); ++k)
    if (!edges_[k].is_send && !edges_[k].frame) Request(k);
}

void Arrivals::Request(uint32_t k) {
  turns_.Expect();
  options_.exchange->Receive(KeyOf(k), [this, k](Status status, Tensor value) {
    Arrived(k, std::move(status), std::move(value));
  });
}

void Arrivals::Arrived(uint32_t k, Status status, Tensor value) {
  const Keyed& edge = edges_[k];
  if (status.ok() && value && value.dtype() != edge.dtype)
    status = InvalidArgument("the value received as ", edge.key, " is ", Name(value.dtype()),
                             "; it must be ", Name(edge.dtype));
  if (status.ok()) {
    bool wake;
    {
      std::lock_guard lock(inbox_[k].mu);
      wake = inbox_[k].Push(std::move(value));
    }
    if (wake) turns_.Ready(edge.part);
  } else {
    error_.Set(std::move(status));
  }
  turns_.Arrived();
}

void Arrivals::End() {
  if (error_.failed()) options_.exchange->Abort(error_.Get());
  turns_.EndArrivals();
}

bool Arrivals::Take(uint32_t k, Tensor& value) {
  if (edges_[k].frame && !requested_[k]) {
    requested_[k] = true;
    Request(k);
  }
  {
    std::lock_guard lock(inbox_[k].mu);
    if (!inbox_[k].Take(value)) return false;
  }
  requested_[k] = false;
  return true;
}

bool Arrivals::Send(const PartitionCode& code, const Instr& instr, std::vector<Tensor>& slots) {
  Tensor value = PassesGuards(code, instr, slots) ? slots[instr.slot] : Tensor();
  if (value && SharesAVariable(plan_.bindings, value)) {
    value = value.DeepCopy();  // the variable may change before the value is sent
    if (!value) error_.Set(ResourceExhausted("out of memory for a value that is sent"));
  }
  if (!error_.failed())
    if (Status status = options_.exchange->Send(KeyOf(instr.of.keyed), value); !status.ok())
      error_.Set(std::move(status));
  return !error_.failed();
}

bool Arrivals::FollowLoop(const Instr& instr, uint16_t part, bool again) {
  const LoopCode& loop = plan_.program()->parts[part].loops[instr.of.loop];
  LoopKeys& keys = keys_[part];
  if (instr.kind == Instr::kLoopBegin) keys.Begin(plan_.stages.pruned.flow, loop.frame);
  if (instr.kind == Instr::kLoopNext && again) keys.Next(loop.frame);
  if (instr.kind != Instr::kLoopTest) return true;
  for (uint32_t k : again ? loop.sends_ended : loop.sends_going_on)
    if (Status status = options_.exchange->Send(KeyOf(k), Tensor()); !status.ok())
      error_.Set(std::move(status));
  return !error_.failed();
}

}  // namespace tensh
