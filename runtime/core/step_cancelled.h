#pragma once
// Ends a running kernel of a cancelled step by an exception, which CallKernel catches. This is the
// only exception thrown below the shell. It is necessary because a partial result (of indices, for
// example) must not be used, and Eigen's loops cannot be left in another way.

namespace tensh {

[[noreturn]] void ThrowStepCancelled();

}  // namespace tensh
