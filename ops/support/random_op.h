#pragma once
// What kernels that draw random numbers read and check, the same on every device. Stateless.
#include "ops/support/philox.h"

namespace tensh::ops {

// key, counter, alg: inputs 1, 2, 3.
Result<PhiloxPlace> PlaceOfKey(KernelCtx& c);

// Classes drawn by rows of logits: logits, num_samples.
struct Draws {
  int64_t rows = 0, classes = 0, samples = 0;
  // Blocks of 128 bits set aside for them, as TensorFlow does.
  uint64_t reserved() const {
    return static_cast<uint64_t>(rows) * (static_cast<uint64_t>(samples + 3) / 4 * 4 * 2) * 256;
  }
};
Result<Draws> ReadDraws(KernelCtx& c);

}  // namespace tensh::ops
