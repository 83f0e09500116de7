#include "runtime/exec/branches.h"

#include <algorithm>
#include <chrono>

#include "runtime/core/memory/limited_allocator.h"
#include "runtime/exec/fused.h"
#include "runtime/exec/replay.h"

namespace tensh {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int kTries = 3;  // of each way
// Branches that take less time together are not worth measuring, and stay in turn.
constexpr int64_t kLeastNs = 200'000;

// Runs instructions, of which none has an effect. Returns the failure, and its instruction in `pc`.
Status RunRange(const PartitionCode& part, std::vector<Tensor>& slots, KernelCtx& ctx,
                CancelFlag* cancel, uint32_t end, uint32_t& pc) {
  for (; pc < end; ++pc) {
    const Instr& instr = part.code[pc];
    if (instr.kind == Instr::kFused) {
      pc += RunFused(part, part.fused[instr.of.fused], slots, part.device->runner(), cancel);
      continue;
    }
    ctx.Bind(instr.call);
    Status status = CallKernel(instr.fn, ctx);
    if (status.ok()) status = CountText(instr.call, slots.data(), part.allocator);
    if (!status.ok()) return status;
    ReleaseBehind(part, instr, slots);
  }
  return {};
}

}  // namespace

bool BranchTimes::Begin() {
  if (way_ != BranchesCode::kUnknown) return way_ == BranchesCode::kAtOnce;
  start_ = Clock::now();
  return tries_ % 2 == 1;
}

void BranchTimes::End(const BranchesCode& code) {
  if (way_ != BranchesCode::kUnknown) return;
  const auto ns = std::chrono::duration_cast<std::chrono::nanoseconds>(Clock::now() - start_);
  int64_t& best = best_ns_[tries_ % 2];
  best = std::min<int64_t>(best, ns.count());
  ++tries_;
  // The first step also gets memory and warms the caches.
  if (tries_ >= 3 && best_ns_[0] < kLeastNs)
    way_ = BranchesCode::kInTurn;
  else if (tries_ == 2 * kTries)
    way_ = best_ns_[1] < best_ns_[0] ? BranchesCode::kAtOnce : BranchesCode::kInTurn;
  *code.chosen = way_;
}

uint32_t RunBranches(const PartitionCode& part, const BranchesCode& code,
                     std::vector<Tensor>& slots, const Graph& graph, CancelFlag* cancel,
                     StepError& error) {
  const auto n = static_cast<int64_t>(code.branches.size());
  std::vector<Status> failures(code.branches.size());
  std::vector<uint32_t> at(code.branches.size());
  KernelCtx all(slots.data(), part.device->runner(), cancel, part.allocator);
  // The estimate of a second per branch makes each branch a separate block.
  all.ParallelFor(n, 1e9, [&](int64_t begin, int64_t end) {
    for (auto b = static_cast<size_t>(begin); b < static_cast<size_t>(end); ++b) {
      KernelCtx ctx(slots.data(), part.device->runner(), cancel, part.allocator);
      at[b] = code.branches[b].begin;
      failures[b] = RunRange(part, slots, ctx, cancel, code.branches[b].end, at[b]);
    }
  });
  size_t first = failures.size();
  for (size_t b = 0; b < failures.size(); ++b)
    if (!failures[b].ok() && (first == failures.size() || at[b] < at[first])) first = b;
  if (first < failures.size())
    error.Set(std::move(failures[first]).WithNode(graph.name(part.code[at[first]].node)));
  return code.branches.back().end - 1;
}

}  // namespace tensh
