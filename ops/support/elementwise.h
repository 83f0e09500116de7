#pragma once
// Elementwise kernels over dense tensors.
//
// An op supplies a stateless lambda over elements. The loops here vectorize it for the CPU at hand,
// broadcast, split the work over threads, and reuse an input's buffer for the output if the plan
// allows it (element k is read before element k is written). If both sides have one element, no
// loop and no shape arithmetic is involved.
#include <type_traits>

#include "ops/support/broadcast.h"
#include "ops/support/isa.h"
#include "runtime/core/kernel.h"

namespace tensh::ops {

// The element type of a lambda's result. A lambda over small integers returns int by C++'s
// promotion, although the element type is intended. Only bool, the result of comparisons, is kept.
template <class T, class Result>
using ElementResult = std::conditional_t<std::is_same_v<Result, bool>, bool, T>;

template <class R, class T, class Fn>
struct UnaryRow {
  TENSH_ALWAYS_INLINE static void Run(R* out, const T* in, int64_t n) {
    TENSH_VECTORIZE
    for (int64_t i = 0; i < n; ++i) out[i] = static_cast<R>(Fn{}(in[i]));
  }
};

template <class R, class T, class Fn, RowKind kind>
struct BinaryRow {
  TENSH_ALWAYS_INLINE static void Run(R* out, const T* a, const T* b, int64_t n) {
    if constexpr (kind == RowKind::kBoth) {
      TENSH_VECTORIZE
      for (int64_t i = 0; i < n; ++i) out[i] = static_cast<R>(Fn{}(a[i], b[i]));
    } else if constexpr (kind == RowKind::kScalarA) {
      const T s = *a;
      TENSH_VECTORIZE
      for (int64_t i = 0; i < n; ++i) out[i] = static_cast<R>(Fn{}(s, b[i]));
    } else {
      const T s = *b;
      TENSH_VECTORIZE
      for (int64_t i = 0; i < n; ++i) out[i] = static_cast<R>(Fn{}(a[i], s));
    }
  }
};

// Runs Body compiled for the CPU's instruction set. A row of up to 8 elements is run inline,
// because the call would cost more. Types with a single version have no call, and a second copy of
// their loops would double the build time of the rarer kernels.
template <class T, class Body, class... Args>
TENSH_ALWAYS_INLINE void RunRow(int64_t n, Args... args) {
  if constexpr (std::is_floating_point_v<T>)
    if (n > 8) return Dispatch<Body>(args..., n);
  Body::Run(args..., n);
}

// Sets output 0 to fn(element) for each element of input 0. The output has type T, or bool if fn
// returns bool.
template <class T, class Fn>
Status MapUnary(KernelCtx& c, Fn, double ns_per_element = 0.3) {
  using R = ElementResult<T, std::decay_t<decltype(Fn{}(std::declval<const T&>()))>>;
  const Tensor& x = c.in(0);
  const T* in = x.data<T>();
  const int64_t n = x.num_elements();
  TENSH_OUTPUT(y, c.Forward(0, 0, x.shape()));
  R* out = y->data<R>();
  if (n == 1) {
    *out = static_cast<R>(Fn{}(*in));
    return {};
  }
  c.ParallelFor(n, ns_per_element, [=](int64_t begin, int64_t end) {
    RunRow<T, UnaryRow<R, T, Fn>>(end - begin, out + begin, in + begin);
  });
  return {};
}

template <class R, class T, class Fn>
void RunBroadcastRows(KernelCtx& c, const BroadcastPlan& plan, const T* a, const T* b, R* out,
                      double ns_per_element) {
  auto run = [&plan](R* o, const T* p, const T* q, int64_t n) {
    switch (plan.kind) {
      case RowKind::kBoth:
        return RunRow<T, BinaryRow<R, T, Fn, RowKind::kBoth>>(n, o, p, q);
      case RowKind::kScalarA:
        return RunRow<T, BinaryRow<R, T, Fn, RowKind::kScalarA>>(n, o, p, q);
      case RowKind::kScalarB:
        return RunRow<T, BinaryRow<R, T, Fn, RowKind::kScalarB>>(n, o, p, q);
    }
  };
  if (plan.rows == 1) {
    const bool step_a = plan.kind != RowKind::kScalarA, step_b = plan.kind != RowKind::kScalarB;
    return c.ParallelFor(plan.row, ns_per_element, [&](int64_t begin, int64_t end) {
      run(out + begin, a + step_a * begin, b + step_b * begin, end - begin);
    });
  }
  const double ns_per_row = 2 + ns_per_element * static_cast<double>(plan.row);
  c.ParallelFor(plan.rows, ns_per_row, [&](int64_t begin, int64_t end) {
    ForEachRow(plan, begin, end,
               [&](int64_t i, int64_t j, int64_t k) { run(out + k, a + i, b + j, plan.row); });
  });
}

template <class R, class T, class Fn>
__attribute__((noinline)) Status MapBroadcast(KernelCtx& c, double ns_per_element) {
  const Tensor& x = c.in(0);
  const Tensor& y = c.in(1);
  const T* a = x.data<T>();
  const T* b = y.data<T>();
  BroadcastPlan plan;
  TENSH_RETURN_IF_ERROR(MakeBroadcastPlan(x.shape(), y.shape(), plan));
  const int from = y.shape() == plan.out ? 1 : 0;
  TENSH_OUTPUT(z, c.Forward(from, 0, plan.out));
  if (plan.rows) RunBroadcastRows<R, T, Fn>(c, plan, a, b, z->data<R>(), ns_per_element);
  return {};
}

// Sets output 0 to fn(x, y) over inputs 0 and 1, which are broadcast.
template <class T, class Fn>
Status MapBinary(KernelCtx& c, Fn, double ns_per_element = 0.4) {
  using R = ElementResult<
      T, std::decay_t<decltype(Fn{}(std::declval<const T&>(), std::declval<const T&>()))>>;
  const Tensor& x = c.in(0);
  const Tensor& y = c.in(1);
  if (!(x.shape() == y.shape())) return MapBroadcast<R, T, Fn>(c, ns_per_element);
  const T* a = x.data<T>();
  const T* b = y.data<T>();
  const int64_t n = x.num_elements();
  TENSH_OUTPUT(z, c.Forward(0, 0, x.shape()));
  R* out = z->data<R>();
  if (n == 1) {
    *out = static_cast<R>(Fn{}(*a, *b));
    return {};
  }
  c.ParallelFor(n, ns_per_element, [=](int64_t begin, int64_t end) {
    RunRow<T, BinaryRow<R, T, Fn, RowKind::kBoth>>(end - begin, out + begin, a + begin, b + begin);
  });
  return {};
}

}  // namespace tensh::ops
