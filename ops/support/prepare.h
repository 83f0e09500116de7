#pragma once
// PrepareFrom<State>: the PrepareFn of a kernel whose state reads itself from the node.
//
//   struct AxisState : KernelState {
//     int64_t axis;
//     void Read(PrepareCtx& c) { axis = c.attrs().Int("axis"); }
//   };
//   r.Op({…}).CpuAny(Run, PrepareFrom<AxisState>);
//
// Read returns void, or a Status whose failure becomes that of the plan.
#include <memory>
#include <type_traits>
#include <utility>

#include "runtime/core/kernel.h"

namespace tensh::ops {

template <class State>
Result<std::unique_ptr<KernelState>> PrepareFrom(PrepareCtx& c) {
  auto state = std::make_unique<State>();
  if constexpr (std::is_void_v<decltype(state->Read(c))>)
    state->Read(c);
  else
    TENSH_RETURN_IF_ERROR(state->Read(c));
  return std::unique_ptr<KernelState>(std::move(state));
}

}  // namespace tensh::ops
