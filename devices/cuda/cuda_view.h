#pragma once
// The positions of elements, for kernels: strided views of tensors, division of indices, and loads
// of several elements. Plain values, passed to the GPU with a kernel's arguments.
#include <bit>

#include "devices/cuda/cuda_kernel.h"
#include "devices/cuda/cuda_sort.h"
#include "ops/support/broadcast.h"

namespace tensh::cuda {

// n adjacent elements, which are loaded and stored at once.
template <class T, int n>
struct alignas(sizeof(T) * n < 16 ? sizeof(T) * n : 16) Lanes {
  T v[n];
};
template <int n, class T>
TENSH_DEVICE Lanes<T, n> LoadLanes(const T* at) {
  return *reinterpret_cast<const Lanes<T, n>*>(at);
}
template <int n, class T>
TENSH_DEVICE void StoreLanes(T* at, const Lanes<T, n>& lanes) {
  *reinterpret_cast<Lanes<T, n>*>(at) = lanes;
}
// Returns true if all addresses are multiples of `bytes`.
template <class... T>
bool AreAligned(size_t bytes, const T*... at) {
  return ((reinterpret_cast<uintptr_t>(at) % bytes == 0) && ...);
}

// Divides indices by an extent that is known before the launch, with a multiplication and a shift
// (Granlund and Montgomery, PLDI 1994): in 32 bits, which takes a GPU a tenth of the time of a
// division, where the index and the extent are less than 2^31, and otherwise in 64 bits.
class Divider {
 public:
  Divider() = default;
  explicit Divider(int64_t by) : by_(by < 1 ? 1 : by) {
    while (uint64_t{1} << shift_ < static_cast<uint64_t>(by_)) ++shift_;
    const auto divisor = static_cast<Wide>(by_), over = (Wide{1} << shift_) - divisor;
    factor_ = static_cast<uint64_t>((over << 64) / divisor + 1);
    short_factor_ = static_cast<uint32_t>((over << 32) / divisor + 1);
    short_limit_ = by_ >> 31 ? 0 : 1u << 31;
  }
  TENSH_BOTH int64_t by() const { return by_; }
  // Requires i >= 0.
  TENSH_DEVICE int64_t Quotient(int64_t i) const {
    const auto n = static_cast<uint64_t>(i);
    if (n < short_limit_) {
      const auto low = static_cast<uint32_t>(n);
      return (static_cast<uint32_t>(uint64_t{low} * short_factor_ >> 32) + low) >> shift_;
    }
    return static_cast<int64_t>((HighProduct(n, factor_) + n) >> shift_);
  }
  // Divides i and returns the remainder.
  TENSH_DEVICE int64_t Take(int64_t& i) const {
    const int64_t all = i;
    i = Quotient(all);
    return all - i * by_;
  }

 private:
  __extension__ typedef unsigned __int128 Wide;
  static TENSH_DEVICE uint64_t HighProduct(uint64_t a, uint64_t b) {
#ifdef __CUDACC__
    return __umul64hi(a, b);
#else
    return static_cast<uint64_t>(Wide{a} * b >> 64);
#endif
  }
  int64_t by_ = 1;
  uint64_t factor_ = 1;
  uint32_t short_factor_ = 1, short_limit_ = 1u << 31;
  int shift_ = 0;
};

// A strided array. Element i, in row-major order over `dims`, is at start + Σ index_d · stride_d. The
// innermost dimension comes first.
struct View {
  int rank = 0;
  int64_t start = 0;
  Divider dims[Shape::kMaxLoopRank];
  int64_t stride[Shape::kMaxLoopRank];

  // Adds a dimension around those added before. One of extent 1 is left out. One that continues its
  // neighbor is merged with it. There must not be an extent of 0.
  void Add(int64_t extent, int64_t step) {
    if (extent == 1) return;
    if (rank > 0 && step == stride[rank - 1] * dims[rank - 1].by()) {
      dims[rank - 1] = Divider(dims[rank - 1].by() * extent);
      return;
    }
    TENSH_CHECK(rank < Shape::kMaxLoopRank, "a view of more elements than a tensor");
    dims[rank] = Divider(extent);
    stride[rank++] = step;
  }
  // Nothing is divided in a view of one dimension.
  TENSH_DEVICE int64_t At(int64_t i) const {
    int64_t at = start;
    for (int d = 0; d < rank - 1; ++d) at += dims[d].Take(i) * stride[d];
    return rank ? at + i * stride[rank - 1] : at;
  }
};

// Returns a view of `in` broadcast to `out`. The shapes must be compatible. The view of an empty
// `out` is not defined.
inline View BroadcastView(const Shape& in, const Shape& out) {
  View v;
  if (out.num_elements() == 0) return v;
  int64_t step = 1;
  for (int d = out.rank() - 1; d >= 0; --d) {
    const int own = d - (out.rank() - in.rank());
    const bool moves = own >= 0 && in[own] != 1;
    v.Add(out[d], moves ? step : 0);
    if (moves) step *= in[own];
  }
  return v;
}

// The elements of a tensor that are grouped by channel, as [outer, channels, inner].
class ChannelPlaces {
 public:
  ChannelPlaces(int64_t channels, int64_t inner) : by_channels_(channels), by_inner_(inner) {}
  // Returns the offset of element k of a channel.
  TENSH_DEVICE int64_t At(int64_t channel, int64_t k) const {
    const int64_t inside = by_inner_.Take(k);
    return (k * by_channels_.by() + channel) * by_inner_.by() + inside;
  }
  // Returns the channel of the element at an offset.
  TENSH_DEVICE int64_t ChannelOf(int64_t at) const {
    int64_t group = by_inner_.Quotient(at);
    return by_channels_.Take(group);
  }

 private:
  Divider by_channels_, by_inner_;
};

// An index tensor of int32 or int64, read by the device. Without a tensor, it is 0, 1, 2, ….
class Indices {
 public:
  Indices() = default;
  explicit Indices(const Tensor& t) : at_(In<char>(t).at), size_(SizeOf(t.dtype())) {}
  TENSH_DEVICE int64_t operator[](int64_t i) const {
    if (!at_) return i;
    const char* at = at_ + i * size_;
    return size_ == 4   ? *reinterpret_cast<const int32_t*>(at)
           : size_ == 8 ? *reinterpret_cast<const int64_t*>(at)
                        : *reinterpret_cast<const int16_t*>(at);
  }

 private:
  const char* at_ = nullptr;
  int64_t size_ = 0;  // bytes in an index
};

// Calls fn with a number of the element's size, for kernels that only move elements. fn must call a
// function, because nvcc does not allow a device lambda within it.
template <class Fn>
Status BySize(DType dtype, Fn fn) {
  switch (SizeOf(dtype)) {
    case 1:
      return fn(uint8_t{});
    case 2:
      return fn(uint16_t{});
    case 4:
      return fn(uint32_t{});
    case 8:
      return fn(uint64_t{});
    default:
      return Unimplemented("elements of type ", Name(dtype), " on a GPU");
  }
}

// True for kernels that load and store two elements at once.
template <class T, class R>
inline constexpr bool kInPairs = sizeof(T) == 2 && sizeof(R) == 2;
// Returns the number of pairs of n elements, or 0 if the kernel goes by single elements.
template <class T, class R>
int64_t PairsOf(int64_t n, const T* in, const R* out) {
  return kInPairs<T, R> && AreAligned(4, in, out) ? n / 2 : 0;
}

// Sets output 0 to fn(x), elementwise. R is its element type. 16-bit floats are computed as floats.
template <class R, class T, class Fn>
Status MapUnary(KernelCtx& c, Fn fn) {
  const Tensor& x = c.in(0);
  const auto in = In<T>(x);
  const int64_t n = x.num_elements();
  TENSH_OUTPUT(y, c.Forward(0, 0, x.shape()));
  const auto out = Out<R>(y);
  const int64_t pairs = PairsOf<T, R>(n, in.at, out.at);
  return ForEach(c, n - pairs, [=] TENSH_DEVICE(int64_t i) {
    const auto one = [&](T x) { return static_cast<R>(fn(static_cast<Computed<T>>(x))); };
    if (!kInPairs<T, R> || i >= pairs) {
      out[i + pairs] = one(in[i + pairs]);
    } else {
      const auto x = LoadLanes<2>(in.at + 2 * i);
      StoreLanes<2>(out.at + 2 * i, {{one(x.v[0]), one(x.v[1])}});
    }
  });
}

// Sets output 0 to fn(x, y) for inputs 0 and 1, which are broadcast.
template <class R, class T, class Fn>
Status MapBinary(KernelCtx& c, Fn fn) {
  const Tensor &x = c.in(0), &y = c.in(1);
  ops::BroadcastPlan plan;
  TENSH_RETURN_IF_ERROR(ops::MakeBroadcastPlan(x.shape(), y.shape(), plan));
  const auto a = In<T>(x);
  const auto b = In<T>(y);
  const int64_t n = plan.out.num_elements();
  const bool one_a = x.num_elements() == 1, one_b = y.num_elements() == 1;
  const bool simple = (one_a || x.shape() == plan.out) && (one_b || y.shape() == plan.out);
  const Shape shape_x = x.shape(), shape_y = y.shape();
  // A single element that is broadcast is read by all threads, so its memory cannot become the
  // output.
  const int from = !(shape_x == plan.out) || (one_a && n > 1) ? 1 : 0;
  TENSH_OUTPUT(z, simple ? c.Forward(from, 0, plan.out) : c.Output(0, plan.out));
  const auto out = Out<R>(z);
  if (simple) {
    const int64_t step_a = one_a ? 0 : 1, step_b = one_b ? 0 : 1;
    const int64_t pairs =
        one_a || one_b || !AreAligned(4, b.at) ? 0 : PairsOf<T, R>(n, a.at, out.at);
    return ForEach(c, n - pairs, [=] TENSH_DEVICE(int64_t i) {
      const auto one = [&](T p, T q) {
        return static_cast<R>(fn(static_cast<Computed<T>>(p), static_cast<Computed<T>>(q)));
      };
      if (!kInPairs<T, R> || i >= pairs) {
        const int64_t at = i + pairs;
        out[at] = one(a[at * step_a], b[at * step_b]);
      } else {
        const auto p = LoadLanes<2>(a.at + 2 * i), q = LoadLanes<2>(b.at + 2 * i);
        StoreLanes<2>(out.at + 2 * i, {{one(p.v[0], q.v[0]), one(p.v[1], q.v[1])}});
      }
    });
  }
  const View view_a = BroadcastView(shape_x, plan.out), view_b = BroadcastView(shape_y, plan.out);
  return ForEach(c, n, [=] TENSH_DEVICE(int64_t i) {
    out[i] = static_cast<R>(
        fn(static_cast<Computed<T>>(a[view_a.At(i)]), static_cast<Computed<T>>(b[view_b.At(i)])));
  });
}

// Calls update(to, from) for each element of the rows that the indices name. `to` is the number of
// the element within `shape`, `from` its number among the n rows of updates. If several indices
// name the same row, each of its elements is updated in the order of the indices, by one thread.
// index[k] is a row number; a negative or too large one is skipped.
//
// The indices are sorted, and a team updates all the rows of updates of one index.
template <class Index, class Fn>
Status ForNamedRows(KernelCtx& c, Index index, int64_t n, const Shape& shape, Fn update) {
  constexpr int64_t kFew = 128;  // indices, of which a thread scans all sooner than they are sorted
  const int64_t rows = shape[0], width = rows ? shape.num_elements() / rows : 0;
  if (n <= kFew)
    return ForEach(c, n * width, [=] TENSH_DEVICE(int64_t i) {
      const int64_t first = i / width, j = i % width, row = index[first];
      if (row < 0 || row >= rows) return;
      for (int64_t k = 0; k < first; ++k)
        if (index[k] == row) return;
      for (int64_t k = first; k < n; ++k)
        if (index[k] == row) update(row * width + j, k * width + j);
    });
  if (!width) return {};
  TENSH_ASSIGN(const Pairs pairs, Pairs::Make(c, n));
  const auto key = Out<uint64_t>(pairs.keys);
  const auto value = Out<int64_t>(pairs.values);
  TENSH_RETURN_IF_ERROR(ForEach(c, n, [=] TENSH_DEVICE(int64_t k) {
    const int64_t row = index[k];
    key[k] = static_cast<uint64_t>(row < 0 || row >= rows ? rows : row);
    value[k] = k;
  }));
  TENSH_ASSIGN(const Pairs sorted,
               SortPairs(c, pairs, std::bit_width(static_cast<uint64_t>(rows))));
  const auto row_at = In<int64_t>(sorted.keys), from = In<int64_t>(sorted.values);
  return ForRows(c, n, width, [=] TENSH_DEVICE(Team team, int64_t first) {
    const int64_t row = row_at[first];
    if (row == rows || (first && row_at[first - 1] == row)) return;
    for (int64_t k = first; k < n && row_at[k] == row; ++k)
      team.For(width, [&](int64_t j) { update(row * width + j, from[k] * width + j); });
  });
}

// A kernel for an elementwise function. Fn is a struct with a device operator() on elements.
template <class Fn>
struct Unary {
  using TakesHalves = void;
  template <class T>
  Status operator()(KernelCtx& c) const {
    return MapUnary<T, T>(c, Fn());
  }
};
template <class Fn>
struct Binary {
  using TakesHalves = void;
  template <class T>
  Status operator()(KernelCtx& c) const {
    return MapBinary<T, T>(c, Fn());
  }
};
template <class Fn>
struct UnaryTest {
  using TakesHalves = void;
  template <class T>
  Status operator()(KernelCtx& c) const {
    return MapUnary<bool, T>(c, Fn());
  }
};
template <class Fn>
struct BinaryTest {
  using TakesHalves = void;
  template <class T>
  Status operator()(KernelCtx& c) const {
    return MapBinary<bool, T>(c, Fn());
  }
};

}  // namespace tensh::cuda
