#pragma once
// Inputs of the random ops' kernels: reading and checking. Shared by all devices. Stateless.
#include "ops/support/philox.h"
#include "runtime/core/op_registry.h"

namespace tensh::ops {

// Returns the start of the stream given by inputs 1, 2 and 3: key, counter and alg.
Result<PhiloxPlace> PlaceOfKey(KernelCtx& c);

// Returns the start of the stream of n numbers that the inputs give: a seed, a key with a counter, or a variable
// with the state of a generator, which is advanced.
Result<PhiloxPlace> PlaceOf(KernelCtx& c, int64_t n);

// The shape function of ops whose output has the shape in input 0.
Status RandomShape(ShapeCtx& c);

// The sizes of Multinomial: for each row of logits, `samples` classes are drawn.
struct Draws {
  int64_t rows = 0, classes = 0, samples = 0;
  // The number of 128-bit blocks that TensorFlow reserves for the samples.
  uint64_t reserved() const {
    return static_cast<uint64_t>(rows) * (static_cast<uint64_t>(samples + 3) / 4 * 4 * 2) * 256;
  }
};
Result<Draws> ReadDraws(KernelCtx& c);

// Returns the shape of gamma and Poisson numbers: input 0 and the shape of input 1, the parameters.
Result<Shape> ShapeOfSamples(KernelCtx& c);

}  // namespace tensh::ops
