#include "runtime/exec/loops.h"

#include <algorithm>

namespace tensh {
namespace {

void SetNumbers(const LoopCode& loop, std::vector<Tensor>& slots, int32_t value) {
  for (uint32_t slot : loop.numbers) slots[slot] = Tensor::Scalar<int32_t>(value);
}

// Initializes the variables. Returns false if the loop does not run.
bool Begin(const LoopCode& loop, std::vector<Tensor>& slots) {
  auto there = [&](uint32_t s) { return bool{slots[s]}; };
  const bool runs =
      !loop.guarded || (loop.usual ? std::all_of(loop.live.begin(), loop.live.end(), there)
                                   : std::any_of(loop.live.begin(), loop.live.end(), there));
  if (!runs || !loop.usual)
    for (const LoopCode::Move& m : loop.init) slots[m.to] = Tensor();
  for (const LoopCode::Move& m : loop.exits) slots[m.to] = Tensor();
  SetNumbers(loop, slots, 0);
  if (!runs) return false;
  for (const LoopCode::Move& m : loop.init)
    if (slots[m.from]) slots[m.to] = slots[m.from];
  return true;
}

// Empties all outputs of a loop that is not entered. An earlier iteration of the loop around it may
// have filled them.
void EmptyBody(const PartitionCode& code, const LoopCode& loop, std::vector<Tensor>& slots) {
  for (uint32_t pc = loop.begin; pc < loop.end; ++pc) {
    const Instr& instr = code.code[pc];
    for (uint32_t i = 0; i < instr.call.n_out; ++i) slots[instr.call.out[i]] = Tensor();
    const bool receives = instr.kind == Instr::kRecv || instr.kind == Instr::kKeyRecv;
    if (receives && instr.slot != UINT32_MAX) slots[instr.slot] = Tensor();
  }
}

// Moves the next values into the variables. Returns false if no variable has a next value.
bool Next(const LoopCode& loop, std::vector<Tensor>& slots) {
  // A usual loop may have all its variables on another device. Then there is nothing to swap.
  if (loop.can_swap) {
    for (const LoopCode::Move& m : loop.next) std::swap(slots[m.to], slots[m.from]);
  } else {
    for (const LoopCode::Move& m : loop.exits)
      if (slots[m.from]) slots[m.to] = slots[m.from];
    std::vector<Tensor> next;
    bool any = false;
    for (const LoopCode::Move& m : loop.next) {
      next.push_back(slots[m.from]);
      any |= bool{next.back()};
    }
    if (!any) return false;
    for (const LoopCode::Move& m : loop.next) slots[m.to] = Tensor();
    for (size_t i = 0; i < next.size(); ++i)
      if (next[i]) slots[loop.next[i].to] = std::move(next[i]);
  }
  if (!loop.numbers.empty()) SetNumbers(loop, slots, 1);
  return true;
}

}  // namespace

Status RunLoopInstr(const PartitionCode& code, const Instr& instr, std::vector<Tensor>& slots,
                    uint32_t& pc, bool& again) {
  const LoopCode& loop = code.loops[instr.of.loop];
  again = true;
  switch (instr.kind) {
    case Instr::kLoopBegin:
      again = Begin(loop, slots);
      if (!again && loop.guarded) EmptyBody(code, loop, slots);
      break;
    case Instr::kLoopTest: {
      const Tensor& cond = slots[loop.cond];
      if (!cond) {  // a dead token from another partition: the loop does not run
        again = false;
        EmptyBody(code, loop, slots);
        break;
      }
      if (cond.num_elements() != 1)
        return InvalidArgument("the condition of a loop must be a scalar, but it has shape ",
                               cond.shape());
      again = *cond.data<bool>();
      break;
    }
    case Instr::kLoopNext:
      again = Next(loop, slots);
      if (again) pc = loop.begin - 1;
      return {};
    default:
      return {};
  }
  if (!again) pc = loop.end - 1;
  return {};
}

bool PassesGuards(const PartitionCode& code, const Instr& instr, std::vector<Tensor>& slots) {
  bool all = true;
  for (uint32_t g = instr.guard_begin; g < instr.guard_end; ++g) all &= bool{slots[code.guards[g]]};
  if (all) return true;
  for (uint32_t i = 0; i < instr.call.n_out; ++i) slots[instr.call.out[i]] = Tensor();
  return false;
}

}  // namespace tensh
