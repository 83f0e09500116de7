// Finds updates of variables by the output of a product that nothing else uses, and moves the product
// in front of the update, so that both can run as one call. The inputs of the product must not share
// memory with a variable, because other updates may lie between.
#include <algorithm>

#include "runtime/core/joined.h"
#include "runtime/exec/compile/code_passes.h"

namespace tensh {
namespace {

constexpr uint32_t kNone = UINT32_MAX;

class UpdateFinder {
 public:
  UpdateFinder(const Graph& graph, PartitionCode& code, const std::vector<bool>& keep)
      : g_(graph), c_(code), keep_(keep) {}

  std::vector<FusedCode> Run() {
    for (uint32_t i = 0; i < c_.code.size(); ++i) FindUpdate(i);
    if (updates_.empty()) return {};
    std::vector<FusedCode> chains;
    std::vector<Instr> code;
    code.reserve(c_.code.size());
    for (uint32_t i = 0; i < c_.code.size(); ++i) {
      if (moved_[i]) continue;
      const auto update = std::find_if(updates_.begin(), updates_.end(),
                                       [i](const Update& u) { return u.instr == i; });
      if (update != updates_.end()) {
        const auto begin = static_cast<uint32_t>(code.size());
        for (size_t k = update->before.size(); k-- > 0;) code.push_back(c_.code[update->before[k]]);
        FusedCode chain{.begin = begin, .end = static_cast<uint32_t>(code.size()) + 1};
        chain.is_update = true;
        chains.push_back(std::move(chain));
      }
      code.push_back(c_.code[i]);
    }
    c_.code = std::move(code);
    return chains;
  }

 private:
  struct Update {
    uint32_t instr;
    std::vector<uint32_t> before;  // Identities, last one first, and then the product
  };

  static const JoinedState* StateOf(const Instr& instr) {
    if (instr.kind != Instr::kKernel || !instr.call.state) return nullptr;
    return dynamic_cast<const JoinedState*>(instr.call.state);
  }

  // The first update makes the index of what defines and uses each slot.
  void Index() {
    if (!made_by_.empty()) return;
    made_by_.assign(c_.n_slots, kNone);
    uses_.assign(c_.n_slots, 0);
    moved_.assign(c_.code.size(), false);
    for (uint32_t i = 0; i < c_.code.size(); ++i) {
      const Instr& instr = c_.code[i];
      for (uint32_t k = 0; k < instr.call.n_out; ++k) made_by_[instr.call.out[k]] = i;
      for (uint32_t k = 0; k < instr.call.n_in; ++k) ++uses_[instr.call.in[k]];
    }
  }

  void FindUpdate(uint32_t i) {
    const Instr& instr = c_.code[i];
    const JoinedState* update = StateOf(instr);
    if (!update || !update->update) return;
    Index();
    Update found{i, {}};
    for (uint32_t slot = instr.call.in [update->delta];;) {
      const uint32_t by = made_by_[slot];
      if (by == kNone || keep_[slot] || uses_[slot] != 1 || moved_[by]) return;
      const Instr& maker = c_.code[by];
      if (maker.kind != Instr::kKernel || maker.is_read || maker.is_move) return;
      found.before.push_back(by);
      if (const JoinedState* state = StateOf(maker); state && state->add_output) break;
      if (g_.op(maker.node).role != OpRole::kIdentity) return;
      slot = maker.call.in[0];
    }
    const Instr& maker = c_.code[found.before.back()];
    for (uint32_t k = 0; k < maker.call.n_in; ++k)
      if (!IsOwn(maker.call.in[k])) return;
    for (const uint32_t at : found.before) moved_[at] = true;
    updates_.push_back(std::move(found));
  }

  // Returns true if the value is surely no variable's: it is fed, or was computed element by element
  // or by a product or convolution.
  bool IsOwn(uint32_t slot) const {
    const uint32_t by = made_by_[slot];
    if (by == kNone)
      return std::any_of(c_.feeds.begin(), c_.feeds.end(),
                         [slot](const PartitionCode::FeedTo& feed) { return feed.slot == slot; });
    const Instr& instr = c_.code[by];
    if (instr.kind != Instr::kKernel || instr.is_read || instr.is_move) return false;
    const JoinedState* state = StateOf(instr);
    return g_.op(instr.node).elementwise != Elementwise::kNo || (state && state->in_parts);
  }

  const Graph& g_;
  PartitionCode& c_;
  const std::vector<bool>& keep_;
  std::vector<uint32_t> made_by_, uses_;  // by slot
  std::vector<bool> moved_;               // by instruction
  std::vector<Update> updates_;
};

}  // namespace

std::vector<FusedCode> FindUpdates(const Graph& graph, PartitionCode& code,
                                   const std::vector<bool>& keep) {
  return UpdateFinder(graph, code, keep).Run();
}

}  // namespace tensh
