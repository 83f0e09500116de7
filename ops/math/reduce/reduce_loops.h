#pragma once
// Reductions over any set of dimensions.
//
// A plan drops dimensions of extent 1 and merges neighbors that are both kept or both reduced, so
// that the loops work on long contiguous runs. Each op supplies a reducer:
//   static T Identity();     the value of an empty reduction
//   static T Combine(T, T);  associative and commutative
// Sums of floats are accumulated pairwise over blocks with many accumulators, to keep rounding
// errors small; up to eight elements are added in order.
#include "ops/support/isa.h"
#include "ops/support/reducers.h"
#include "runtime/core/kernel.h"
#include "runtime/core/op_registry.h"

namespace tensh::ops {

struct ReducePlan {
  Shape out;
  int rank = 0;  // number of merged dimensions; kept and reduced ones alternate
  int64_t dims[Shape::kMaxLoopRank];
  bool first_reduced = false;
  int64_t reduced_elements = 1;  // input elements per output element
  bool reduced(int d) const { return first_reduced == (d % 2 == 0); }
};

// Returns InvalidArgument if an axis is out of range or occurs twice.
Status MakeReducePlan(const Shape& in, const Tensor& axes, bool keep_dims, ReducePlan& plan);

// The loop structure of ArgMax and ArgMin: each of outer * inner lanes has n elements, `inner`
// apart.
struct ArgPlan {
  Shape out;
  int64_t outer = 1, n = 0, inner = 1;
};
int64_t ArgAxis(const Tensor& dimension);  // negative values count from the end
// Returns InvalidArgument if the dimension does not exist or has extent 0.
Result<ArgPlan> MakeArgPlan(const Shape& in, const Tensor& dimension);

struct ReduceState : KernelState {
  bool keep_dims = false;
  void Read(PrepareCtx& c);
};

Status ReduceShape(ShapeCtx& c);

// Spreads the gradient of a reduction over the reduction's input: a Reshape that restores the
// reduced dimensions with extent 1, followed by a Tile.
Out SpreadReduced(GradScope& g, Out dy);
// Returns the input's shape with reduced extents set to 1, as an int32 vector in the graph.
Out KeptDimsShape(GradScope& g);

// Sums of floating-point numbers are rounded in an order, on which their last digits depend. TensorFlow's is that of
// Eigen with registers of 32 bytes: four registers are added to in turn, then the rest of the run to their sum, and
// runs of more than kSumLeaf elements are halved.
template <class T, class R>
inline constexpr bool kOrdered = std::is_same_v<R, SumReducer<T>>&& std::is_floating_point_v<T>;
template <class T>
inline constexpr int64_t kSumLane = 32 / static_cast<int64_t>(sizeof(T));
template <class T>
inline constexpr int64_t kSumLeaf = 1024 * kSumLane<T>;

template <class T>
struct OrderedSum {
  static constexpr int kLane = kSumLane<T>, kLanes = 4 * kLane;

  // Requires 0 < n <= kSumLeaf.
  TENSH_ALWAYS_INLINE static void Run(const T* in, int64_t n, T* result) {
    T lanes[kLanes] = {}, rest = 0;
    int64_t i = 0;
    for (; i + kLanes <= n; i += kLanes)
      for (int j = 0; j < kLanes; ++j) lanes[j] += in[i + j];
    for (int k = kLane; i > 0 && k < kLanes; k += kLane)
      for (int j = 0; j < kLane; ++j) lanes[j] += lanes[k + j];
    for (; i + kLane <= n; i += kLane)
      for (int j = 0; j < kLane; ++j) lanes[j] += in[i + j];
    for (; i < n; ++i) rest += in[i];
    for (int width = kLane / 2; width; width /= 2)
      for (int j = 0; j < width; ++j) lanes[j] += lanes[j + width];
    *result = rest + lanes[0];
  }
};

template <class T, class R>
struct ReduceRun {
  static constexpr int kLanes = 256 / sizeof(T);
  static constexpr int64_t kBlock = 64 * kLanes;

  TENSH_ALWAYS_INLINE static T Simple(const T* in, int64_t n) {
    T acc = in[0];
    for (int64_t i = 1; i < n; ++i) acc = R::Combine(acc, in[i]);
    return acc;
  }
  TENSH_ALWAYS_INLINE static T Block(const T* in, int64_t n) {
    T lanes[kLanes];
    for (int j = 0; j < kLanes; ++j) lanes[j] = in[j];
    int64_t i = kLanes;
    for (; i + kLanes <= n; i += kLanes)
      for (int j = 0; j < kLanes; ++j) lanes[j] = R::Combine(lanes[j], in[i + j]);
    for (int width = kLanes / 2; width; width /= 2)
      for (int j = 0; j < width; ++j) lanes[j] = R::Combine(lanes[j], lanes[j + width]);
    return i < n ? R::Combine(lanes[0], Simple(in + i, n - i)) : lanes[0];
  }
  // Requires n > 0.
  TENSH_ALWAYS_INLINE static void Run(const T* in, int64_t n, T* result) {
    if (n < kLanes) {
      *result = Simple(in, n);
      return;
    }
    // Block sums are combined pairwise, like the carries of a binary counter, so that errors stay
    // small.
    T partial[48];
    int64_t blocks = 0;
    int depth = 0;
    for (int64_t i = 0; i < n; i += kBlock) {
      const int64_t left = n - i;
      partial[depth++] = left >= kBlock   ? Block(in + i, kBlock)
                         : left >= kLanes ? Block(in + i, left)
                                          : Simple(in + i, left);
      for (int64_t b = ++blocks; b % 2 == 0; b /= 2, --depth)
        partial[depth - 2] = R::Combine(partial[depth - 2], partial[depth - 1]);
    }
    while (depth > 1) --depth, partial[depth - 1] = R::Combine(partial[depth - 1], partial[depth]);
    *result = partial[0];
  }
};

// Computes out[i] = Combine(out[i], in[i]).
template <class T, class R>
struct ReduceInto {
  TENSH_ALWAYS_INLINE static void Run(T* __restrict out, const T* __restrict in, int64_t n) {
    for (int64_t i = 0; i < n; ++i) out[i] = R::Combine(out[i], in[i]);
  }
};

template <class T, class R>
T ReduceAll(const T* in, int64_t n) {
  if (n == 0) return R::Identity();
  T result{};
  if constexpr (kOrdered<T, R>) {
    if (n < kSumLane<T>) return ReduceRun<T, R>::Simple(in, n);
    if (n > kSumLeaf<T>) {
      const int64_t half = ((n + 1) / 2 + kSumLane<T> - 1) / kSumLane<T> * kSumLane<T>;
      return ReduceAll<T, R>(in, half) + ReduceAll<T, R>(in + half, n - half);
    }
    DispatchFor<T, OrderedSum<T>>(in, n, &result);
  } else {
    if (n <= 8) return ReduceRun<T, R>::Simple(in, n);
    DispatchFor<T, ReduceRun<T, R>>(in, n, &result);
  }
  return result;
}

// Reduces one long run. It is divided into shards of fixed size, so that the result does not depend
// on the number of threads.
template <class T, class R>
T ReduceLong(KernelCtx& c, const T* in, int64_t n, double ns) {
  constexpr int64_t kShard = 256 * 1024;
  const int64_t shards = (n + kShard - 1) / kShard;
  if (shards <= 1 || shards > 4096) return ReduceAll<T, R>(in, n);
  T partial[4096] = {};  // zero where a cancelled step leaves shards out
  c.ParallelFor(shards, ns * kShard, [&](int64_t begin, int64_t end) {
    for (int64_t s = begin; s < end; ++s)
      partial[s] = ReduceAll<T, R>(in + s * kShard, std::min(kShard, n - s * kShard));
  });
  return ReduceAll<T, R>(partial, shards);
}

// Reduces the part of the input whose index on dimension `split` is in [begin, end). `split` is a
// kept dimension, so that different parts write disjoint elements. `out` must hold the identity.
template <class T, class R>
void ReducePart(const ReducePlan& p, const T* in, T* out, int split, int64_t begin, int64_t end) {
  const int last = p.rank - 1;
  int64_t out_stride[Shape::kMaxLoopRank], in_stride[Shape::kMaxLoopRank];
  int64_t index[Shape::kMaxLoopRank];
  std::fill_n(index, p.rank, 0);
  int64_t step_in = 1, step_out = 1;
  for (int d = last; d >= 0; --d) {
    in_stride[d] = step_in;
    out_stride[d] = p.reduced(d) ? 0 : step_out;
    step_in *= p.dims[d];
    if (!p.reduced(d)) step_out *= p.dims[d];
  }
  auto low = [&](int d) { return d == split ? begin : 0; };
  auto high = [&](int d) { return d == split ? end : p.dims[d]; };
  int64_t at_in = begin * in_stride[split], at_out = begin * out_stride[split];
  if (begin >= end) return;
  index[split] = begin;
  const int64_t run = high(last) - low(last);
  for (;;) {
    if (p.reduced(last)) {
      out[at_out] = R::Combine(out[at_out], ReduceAll<T, R>(in + at_in, run));
    } else if (run > 8) {
      DispatchFor<T, ReduceInto<T, R>>(out + at_out, in + at_in, run);
    } else {
      ReduceInto<T, R>::Run(out + at_out, in + at_in, run);
    }
    int d = last - 1;
    for (; d >= 0; --d) {
      at_in += in_stride[d];
      at_out += out_stride[d];
      if (++index[d] < high(d)) break;
      at_in -= (high(d) - low(d)) * in_stride[d];
      at_out -= (high(d) - low(d)) * out_stride[d];
      index[d] = low(d);
    }
    if (d < 0) return;
  }
}

// Reduces rows of at most eight elements, of which each is n elements after the one before. Groups of rows are reduced
// together, one element of each row at a time: the comparisons of a maximum along one row would be unpredictable branches.
template <class T, class R>
struct ReduceShortRows {
  TENSH_ALWAYS_INLINE static void Run(const T* in, T* out, int64_t rows, int64_t n) {
    constexpr int64_t kGroup = 64;
    int64_t i = 0;
    for (; i + kGroup <= rows; i += kGroup) {
      T group[kGroup];
      const T* first = in + i * n;
      for (int64_t j = 0; j < kGroup; ++j) group[j] = first[j * n];
      for (int64_t k = 1; k < n; ++k)
        for (int64_t j = 0; j < kGroup; ++j) group[j] = R::Combine(group[j], first[j * n + k]);
      for (int64_t j = 0; j < kGroup; ++j) out[i + j] = R::Combine(R::Identity(), group[j]);
    }
    for (; i < rows; ++i)
      out[i] = R::Combine(R::Identity(), ReduceRun<T, R>::Simple(in + i * n, n));
  }
};

// Stores the sum of n columns in `out`, over at least kManyRows rows. The rows are divided into blocks of fixed
// size, which are summed four rows at a time.
inline constexpr int64_t kManyRows = 1024;
void SumColumns(KernelCtx& c, const float* in, int64_t rows, int64_t n, float* out);

// Stores the reduction of `in` in `out`, which has the plan's output shape and at least one
// element.
template <class T, class R>
void Reduce(KernelCtx& c, const ReducePlan& p, const T* in, T* out, double ns = 0.15) {
  const int64_t n_out = p.out.num_elements();
  if (p.reduced_elements == 0) {
    for (int64_t i = 0; i < n_out; ++i) out[i] = R::Identity();
    return;
  }
  if (p.rank == 0 || (p.rank == 1 && !p.first_reduced)) {
    for (int64_t i = 0; i < n_out; ++i) out[i] = in[i];
    return;
  }
  if (p.rank == 1) {
    *out = ReduceLong<T, R>(c, in, p.dims[0], ns);
    return;
  }
  if constexpr (std::is_same_v<R, SumReducer<float>>)
    if (p.rank == 2 && p.first_reduced && p.dims[0] >= kManyRows)
      return SumColumns(c, in, p.dims[0], p.dims[1], out);
  constexpr int64_t kShort = kOrdered<T, R> ? kSumLane<T> - 1 : 8;
  if (p.rank == 2 && !p.first_reduced && p.dims[1] <= kShort)
    return c.ParallelFor(p.dims[0], ns * static_cast<double>(2 + p.dims[1]),
                         [&](int64_t begin, int64_t end) {
                           DispatchFor<T, ReduceShortRows<T, R>>(
                               in + begin * p.dims[1], out + begin, end - begin, p.dims[1]);
                         });
  for (int64_t i = 0; i < n_out; ++i) out[i] = R::Identity();
  const int split = p.first_reduced ? 1 : 0;
  const double ns_per_index = ns * static_cast<double>(n_out) *
                              static_cast<double>(p.reduced_elements) /
                              static_cast<double>(p.dims[split]);
  c.ParallelFor(p.dims[split], ns_per_index, [&](int64_t begin, int64_t end) {
    ReducePart<T, R>(p, in, out, split, begin, end);
  });
}

// A complete kernel for reductions that need no finishing step.
template <class T, class R>
Status ReduceKernel(KernelCtx& c) {
  const Tensor& x = c.in(0);
  ReducePlan plan;
  TENSH_RETURN_IF_ERROR(MakeReducePlan(x.shape(), c.in(1), c.state<ReduceState>().keep_dims, plan));
  // Gradients of ops that broadcast reduce nothing if the shapes were equal.
  if (plan.reduced_elements == 1) {
    c.SetOutput(0, x.Reshaped(plan.out));
    return {};
  }
  TENSH_OUTPUT(y, c.Output(0, plan.out));
  if (y->num_elements()) Reduce<T, R>(c, plan, x.data<T>(), y->data<T>());
  return {};
}

}  // namespace tensh::ops
