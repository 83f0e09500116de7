#pragma once
// A GRU's step: what its kernels read and check, the same on every device.
#include "ops/support/recurrent.h"

namespace tensh::ops {

// What the cell gave, and what flows into it, come behind its inputs.
enum GruInput { kGruX, kGruHPrev, kGruWru, kGruWc, kGruBru, kGruBc, kGruR, kGruU, kGruC, kGruDh };
Result<RecurrentDims> ReadGru(KernelCtx& c);

}  // namespace tensh::ops
