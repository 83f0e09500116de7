#pragma once
// Helpers shared by the recurrent cells: the sizes of a step, input checks, and the logistic
// function. Stateless.
#include <algorithm>
#include <cmath>

#include "runtime/core/op_registry.h"

namespace tensh::ops {

struct RecurrentDims {
  int64_t time = 1, batch = 0, inputs = 0, cells = 0;
  int64_t columns() const { return inputs + cells; }  // of the concatenation [x, h]
};

// Returns the sizes for an x of shape [batch, inputs] or [time, batch, inputs].
Result<RecurrentDims> RecurrentDimsOf(const Shape& x, int64_t cells);
// Returns InvalidArgument unless the tensor has the shape `want`.
Status ExpectShape(const Tensor& t, std::string_view name, const Shape& want);
// Returns [batch, cells], as far as it is known from x [batch, inputs] and a state [batch, cells].
Shape RecurrentStateShape(const Shape& x, const Shape& state);

template <class T>
constexpr T Logistic(T x) {
  return T{1} / (T{1} + std::exp(-x));
}

// Concatenates x and h row by row.
template <class T>
void JoinRows(const RecurrentDims& d, const T* x, const T* h, T* joined) {
  for (int64_t row = 0; row < d.batch; ++row, joined += d.columns()) {
    std::copy_n(x + row * d.inputs, d.inputs, joined);
    std::copy_n(h + row * d.cells, d.cells, joined + d.inputs);
  }
}

}  // namespace tensh::ops
