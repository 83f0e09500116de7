// Finds the last use of each slot. A value that comes from outside a loop and is used in it is
// needed until the loop ends, because the code runs again. A value that comes from outside of branches
// and is used in one is needed until all of them end.
#include <algorithm>

#include "runtime/exec/compile/code_passes.h"

namespace tensh {
namespace {

constexpr uint32_t kNone = UINT32_MAX;

class LastUses {
 public:
  LastUses(PartitionCode& code, std::vector<bool> keep)
      : c_(code),
        keep_(std::move(keep)),
        defined_(code.n_slots, kNone),
        last_(code.n_slots, kNone) {}

  void Run() {
    for (uint32_t i = 0; i < c_.code.size(); ++i)
      ForEachDefinition(i, [&](uint32_t slot) {
        if (defined_[slot] == kNone) defined_[slot] = i;
      });
    for (LoopCode& loop : c_.loops) FindTakes(loop);
    FindBranchEnds();
    for (uint32_t i = 0; i < c_.code.size(); ++i) {
      const Instr& instr = c_.code[i];
      if (instr.kind == Instr::kLoopEnd) inside_.pop_back();
      ForEachUse(i, [&](uint32_t slot) { Use(slot, i); });
      if (instr.kind == Instr::kLoopBegin) inside_.push_back(instr.of.loop);
    }
    Release();
  }

 private:
  void FindBranchEnds() {
    branch_end_.assign(c_.code.size(), kNone);
    for (const BranchesCode& code : c_.branches) {
      const uint32_t end = code.branches.back().end;
      std::fill(branch_end_.begin() + code.branches.front().begin, branch_end_.begin() + end, end);
    }
  }

  // If a next value is computed in the loop and goes to one variable only, it is swapped into the
  // variable instead of copied.
  void FindTakes(LoopCode& loop) {
    // On a device, the first value of a variable may be in host memory and the next in device
    // memory.
    loop.can_swap = loop.usual && c_.allocator->is_host();
    for (size_t i = 0; i < loop.next.size(); ++i) {
      LoopCode::Move& move = loop.next[i];
      uint32_t uses = 0, targets = 0;
      for (const LoopCode::Move& other : loop.next) {
        uses += other.from == move.from;
        targets += other.to == move.to || other.to == move.from;
      }
      move.take = uses == 1 && targets == 1 && !keep_[move.from] && defined_[move.from] != kNone &&
                  defined_[move.from] >= loop.begin && defined_[move.from] < loop.end;
      loop.can_swap &= move.take;
    }
  }

  template <class Fn>
  void ForEachDefinition(uint32_t i, Fn fn) const {
    const Instr& instr = c_.code[i];
    for (uint32_t k = 0; k < instr.call.n_out; ++k) fn(instr.call.out[k]);
    const bool receives = instr.kind == Instr::kRecv || instr.kind == Instr::kKeyRecv;
    if (receives && instr.slot != kNone) fn(instr.slot);
    if (instr.kind != Instr::kLoopBegin) return;
    const LoopCode& loop = c_.loops[instr.of.loop];
    for (const LoopCode::Move& m : loop.init) fn(m.to);
    for (const LoopCode::Move& m : loop.exits) fn(m.to);
    for (uint32_t slot : loop.numbers) fn(slot);
  }

  template <class Fn>
  void ForEachUse(uint32_t i, Fn fn) const {
    const Instr& instr = c_.code[i];
    for (uint32_t k = 0; k < instr.call.n_in; ++k) fn(instr.call.in[k]);
    for (uint32_t g = instr.guard_begin; g < instr.guard_end; ++g) fn(c_.guards[g]);
    if (instr.kind < Instr::kLoopBegin) return;
    const LoopCode& loop = c_.loops[instr.of.loop];
    if (instr.kind == Instr::kLoopBegin) {
      for (const LoopCode::Move& m : loop.init) fn(m.from);
      for (uint32_t slot : loop.live) fn(slot);
    } else if (instr.kind == Instr::kLoopTest) {
      fn(loop.cond);
    } else if (instr.kind == Instr::kLoopNext) {
      for (const LoopCode::Move& m : loop.next) fn(m.from);
      for (const LoopCode::Move& m : loop.exits) fn(m.from);
    } else {
      // The values of the variables, and the ones swapped out of them, stay until the loop ends.
      for (const LoopCode::Move& m : loop.init) fn(m.to);
      for (const LoopCode::Move& m : loop.exits) fn(m.to);
      for (uint32_t slot : loop.numbers) fn(slot);
      for (const LoopCode::Move& m : loop.next)
        if (m.take) fn(m.from);
    }
  }

  void Use(uint32_t slot, uint32_t i) {
    uint32_t until = i;
    for (uint32_t number : inside_) {
      const LoopCode& loop = c_.loops[number];
      const bool from_outside = defined_[slot] == kNone || defined_[slot] < loop.begin;
      if (from_outside) until = std::max(until, loop.end);
    }
    const uint32_t end = branch_end_[i];
    if (end != kNone && (defined_[slot] == kNone || branch_end_[defined_[slot]] != end))
      until = std::max(until, end);
    if (last_[slot] == kNone || last_[slot] < until) last_[slot] = until;
  }

  // Releases each slot after its last use, unless it is bound or leaves the step. An input that is
  // used here for the last time, and only once, may be forwarded to an output.
  void Release() {
    std::vector<std::vector<uint32_t>> released(c_.code.size());
    for (uint32_t slot = 0; slot < c_.n_slots; ++slot) {
      if (keep_[slot]) continue;
      // An output without consumers is released at once. A small buffer stays in its slot
      // nevertheless.
      const uint32_t at = last_[slot] == kNone ? defined_[slot] : last_[slot];
      if (at != kNone) released[at].push_back(slot);
    }
    for (uint32_t i = 0; i < c_.code.size(); ++i) {
      Instr& instr = c_.code[i];
      instr.release_begin = static_cast<uint32_t>(c_.releases.size());
      c_.releases.insert(c_.releases.end(), released[i].begin(), released[i].end());
      instr.release_end = static_cast<uint32_t>(c_.releases.size());
      if (instr.kind != Instr::kKernel && instr.kind != Instr::kGuarded) continue;
      const uint32_t* in = instr.call.in;
      for (uint32_t k = 0; k < instr.call.n_in && k < 32; ++k) {
        if (keep_[in[k]] || last_[in[k]] != i) continue;
        if (std::count(in, in + instr.call.n_in, in[k]) == 1) instr.call.forwardable |= 1u << k;
      }
    }
  }

  PartitionCode& c_;
  const std::vector<bool> keep_;
  std::vector<uint32_t> defined_, last_;
  std::vector<uint32_t> branch_end_;  // by instruction: the end of the branches it belongs to
  std::vector<uint32_t> inside_;      // the loops around the current instruction
};

}  // namespace

void FindLastUses(PartitionCode& code, std::vector<bool> keep) {
  LastUses(code, std::move(keep)).Run();
}

}  // namespace tensh
