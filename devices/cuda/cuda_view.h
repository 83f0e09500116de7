#pragma once
// Strided views of tensors for kernels: the source of each element of an output. Plain values,
// passed to the GPU with a kernel's arguments.
#include "devices/cuda/cuda_kernel.h"
#include "ops/support/broadcast.h"

namespace tensh::cuda {

// A strided array. Element i, in row-major order over `dims`, is at Σ index_d · stride_d. The
// innermost dimension comes first.
struct View {
  int rank = 0;
  int64_t dims[Shape::kMaxLoopRank], stride[Shape::kMaxLoopRank];

  // Adds a dimension around those added before. One of extent 1 is left out. One that continues its
  // neighbor is merged with it. There must not be an extent of 0.
  void Add(int64_t extent, int64_t step) {
    if (extent == 1) return;
    if (rank > 0 && step == stride[rank - 1] * dims[rank - 1]) {
      dims[rank - 1] *= extent;
      return;
    }
    TENSH_CHECK(rank < Shape::kMaxLoopRank, "a view of more elements than a tensor");
    dims[rank] = extent;
    stride[rank++] = step;
  }
  TENSH_DEVICE int64_t At(int64_t i) const {
    int64_t at = 0;
    for (int d = 0; d < rank; ++d) {
      at += i % dims[d] * stride[d];
      i /= dims[d];
    }
    return at;
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

// Sets output 0 to fn(x), elementwise. R is its element type. 16-bit floats are computed as floats.
template <class R, class T, class Fn>
Status MapUnary(KernelCtx& c, Fn fn) {
  const Tensor& x = c.in(0);
  const auto in = In<T>(x);
  const int64_t n = x.num_elements();
  TENSH_OUTPUT(y, c.Forward(0, 0, x.shape()));
  const auto out = Out<R>(y);
  return ForEach(c, n, [=] TENSH_DEVICE(int64_t i) {
    out[i] = static_cast<R>(fn(static_cast<Computed<T>>(in[i])));
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
    return ForEach(c, n, [=] TENSH_DEVICE(int64_t i) {
      out[i] = static_cast<R>(
          fn(static_cast<Computed<T>>(a[i * step_a]), static_cast<Computed<T>>(b[i * step_b])));
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
template <class Index, class Fn>
Status ForNamedRows(KernelCtx& c, Index index, int64_t n, const Shape& shape, Fn update) {
  constexpr int64_t kFew = 4096;  // maximum number of indices that each thread scans
  const int64_t rows = shape[0], width = rows ? shape.num_elements() / rows : 0;
  if (n > kFew)
    return ForEach(c, width, [=] TENSH_DEVICE(int64_t j) {
      for (int64_t k = 0; k < n; ++k)
        if (index[k] >= 0 && index[k] < rows) update(index[k] * width + j, k * width + j);
    });
  return ForEach(c, n * width, [=] TENSH_DEVICE(int64_t i) {
    const int64_t first = i / width, j = i % width, row = index[first];
    if (row < 0 || row >= rows) return;
    for (int64_t k = 0; k < first; ++k)
      if (index[k] == row) return;
    for (int64_t k = first; k < n; ++k)
      if (index[k] == row) update(row * width + j, k * width + j);
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
