#pragma once
// What cells of recurrent networks share: the sizes of a step and its checks, and the logistic
// function. Stateless.
#include <algorithm>
#include <cmath>

#include "runtime/core/op_registry.h"

namespace tensh::ops {

struct RecurrentDims {
  int64_t time = 1, batch = 0, inputs = 0, cells = 0;
  int64_t columns() const { return inputs + cells; }  // of x and h side by side
};

// Of inputs [batch, inputs] or [time, batch, inputs].
Result<RecurrentDims> RecurrentDimsOf(const Shape& x, int64_t cells);
// InvalidArgument unless the tensor has this shape.
Status ExpectShape(const Tensor& t, std::string_view name, const Shape& want);
// [batch, cells] as far as x [batch, inputs] and a state [batch, cells] tell.
Shape RecurrentStateShape(const Shape& x, const Shape& state);

template <class T>
constexpr T Logistic(T x) {
  return T{1} / (T{1} + std::exp(-x));
}

// [x, h], row by row.
template <class T>
void JoinRows(const RecurrentDims& d, const T* x, const T* h, T* joined) {
  for (int64_t row = 0; row < d.batch; ++row, joined += d.columns()) {
    std::copy_n(x + row * d.inputs, d.inputs, joined);
    std::copy_n(h + row * d.cells, d.cells, joined + d.inputs);
  }
}

}  // namespace tensh::ops
