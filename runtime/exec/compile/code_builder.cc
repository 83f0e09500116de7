#include "runtime/exec/compile/code_builder.h"

namespace tensh {

CodeBuilder::CodeBuilder(const Stages& stages, uint16_t part, Device& device)
    : stages_(stages), part_(part), slots_(stages.partitioned.parts[part].items.size() + 4) {
  code_.device = &device;
  code_.allocator = device.allocator();
}

uint32_t CodeBuilder::SlotOf(ValueId v) {
  uint32_t slot = slots_.Find(Index(v));
  if (slot != UINT32_MAX) return slot;
  slot = NewSlot(false);
  slots_.Insert(Index(v), slot);
  return slot;
}

uint32_t CodeBuilder::NewSlot(bool is_bound, Lies lies) {
  is_bound_.push_back(is_bound);
  lies_.push_back(lies);
  return code_.n_slots++;
}

uint32_t CodeBuilder::NewConstant(Tensor tensor, Lies lies) {
  const uint32_t slot = NewSlot(true, lies);
  code_.bound.push_back({slot, std::move(tensor)});
  return slot;
}

void CodeBuilder::Alias(ValueId v, uint32_t slot) {
  if (!IsFed(v)) slots_.Set(Index(v), slot);
}

void CodeBuilder::Bind(ValueId v, Tensor tensor) {
  const uint32_t slot = OutputSlot(v);
  is_bound_[slot] = true;
  lies_[slot] = Lies::kHost;
  code_.bound.push_back({slot, std::move(tensor)});
}

void CodeBuilder::Emit(Instr instr, std::span<const uint32_t> in, std::span<const uint32_t> out,
                       NodeId node) {
  instr.call.n_in = static_cast<uint16_t>(in.size());
  instr.call.n_out = static_cast<uint16_t>(out.size());
  offsets_.push_back(
      {static_cast<uint32_t>(code_.slot_ids.size()), static_cast<uint32_t>(code_.dtypes.size())});
  code_.slot_ids.insert(code_.slot_ids.end(), in.begin(), in.end());
  code_.slot_ids.insert(code_.slot_ids.end(), out.begin(), out.end());
  for (uint32_t i = 0; i < out.size(); ++i)
    code_.dtypes.push_back(node == kNoNode ? DType::kInvalid
                                           : BaseType(graph().dtype(graph().output(node, i))));
  code_.code.push_back(instr);
}

void CodeBuilder::SetGuards(Instr& instr, std::span<const uint32_t> slots) {
  instr.guard_begin = static_cast<uint32_t>(code_.guards.size());
  code_.guards.insert(code_.guards.end(), slots.begin(), slots.end());
  instr.guard_end = static_cast<uint32_t>(code_.guards.size());
}

void CodeBuilder::PointInto() {
  for (size_t i = 0; i < code_.code.size(); ++i) {
    Instr& instr = code_.code[i];
    instr.call.in = code_.slot_ids.data() + offsets_[i].slots;
    instr.call.out = instr.call.in + instr.call.n_in;
    instr.call.out_dtypes = code_.dtypes.data() + offsets_[i].dtypes;
  }
}

}  // namespace tensh
