#pragma once
// Values that a frame holds from one step to the next (Instr::kOnce, Instr::kAbout). The values of
// kOnce follow from constants and from the answers of kAbout, so they are still right if all of
// these answers are.
#include "runtime/exec/plan.h"

namespace tensh {

// The number of bytes of a value that is held. Larger ones are computed in each step.
inline constexpr int64_t kMostHeldBytes = 16 << 10;

// Returns false if an instruction of the kind kOnce has made a value that is too large to be held.
bool IsHeldOnce(const Instr& instr, const std::vector<Tensor>& slots);

// Returns true if the output of an instruction of the kind kAbout is the shape of its input.
bool IsStillTrue(const Instr& instr, const std::vector<Tensor>& slots);

}  // namespace tensh
