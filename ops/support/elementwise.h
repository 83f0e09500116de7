#pragma once
// Elementwise kernels over dense tensors: one loop a kernel, written so that it vectorises.
#include "runtime/core/kernel.h"

namespace tensh::ops {

// Output 0 = fn(element) of input 0; the output's type is the function's result.
template <class T, class Fn>
Status MapUnary(KernelCtx& c, Fn fn, double ns_per_element = 0.5) {
  using R = decltype(fn(T{}));
  const Tensor x = c.in(0);
  TENSH_OUTPUT(y, c.Forward(0, 0, x.shape()));
  const T* in = x.data<T>();
  R* out = y->data<R>();
  c.ParallelFor(x.num_elements(), ns_per_element, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) out[i] = fn(in[i]);
  });
  return {};
}

}  // namespace tensh::ops
