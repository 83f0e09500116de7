#pragma once
// Inputs of the GRU block cell's kernels: reading and checking. Shared by all devices.
#include "ops/nn/recurrent/recurrent_dims.h"

namespace tensh::ops {

// Indices of the inputs. The outputs of the forward op and the incoming gradient follow its inputs
// in the gradient op.
enum GruInput { kGruX, kGruHPrev, kGruWru, kGruWc, kGruBru, kGruBc, kGruR, kGruU, kGruC, kGruDh };
Result<RecurrentDims> ReadGru(KernelCtx& c);

}  // namespace tensh::ops
