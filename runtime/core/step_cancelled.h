#pragma once
// Ends a kernel in the midst of its work. Of what was computed in part, indices say, nothing may be
// used, and Eigen has no other way out: the one exception thrown below the shell. CallKernel
// catches it.

namespace tensh {

[[noreturn]] void ThrowStepCancelled();

}  // namespace tensh
