// Fourier transforms over the last one, two or three dimensions. Transforms of real numbers keep
// only one half of the spectrum, because the other half is its mirror image.
#include "ops/math/fft/fft_plan.h"
#include "ops/math/fft/real_box.h"
#include "ops/op_file.h"
#include "ops/support/complex_types.h"
#include "ops/support/grad_util.h"
#include "ops/support/shape_util.h"
#include "ops/support/stop.h"
#include "ops/support/transpose4.h"

namespace tensh::ops {
namespace {

// The plans of a node, one for each of its dimensions; they are made again if a length changes.
struct FftState : KernelState {
  template <class T>
  std::shared_ptr<const FftPlan<T>> Plan(int dim, int64_t n, bool inverse) const {
    const std::scoped_lock lock(mutex_);
    Cached& cached = plans_[dim];
    if (cached.n != n) {
      cached.plan = std::make_shared<FftPlan<T>>(n, inverse);
      cached.n = n;
    }
    return std::static_pointer_cast<const FftPlan<T>>(cached.plan);
  }

 private:
  struct Cached {
    int64_t n = 0;
    std::shared_ptr<const void> plan;  // for the node's element type and direction
  };
  mutable std::mutex mutex_;
  mutable Cached plans_[3];
};

Result<std::unique_ptr<KernelState>> PrepareFft(PrepareCtx&) {
  return {std::make_unique<FftState>()};
}

// Sequences are transformed in groups of this size, so that a group of short ones stays in the cache and fills the vectors
// of the CPU.
int64_t GroupOf(int64_t n) { return n <= 256 ? 16 : n <= 8192 ? 8 : 4; }

// Calls fn(first, count, x, run) for groups of `lines` sequences of n elements. fn puts element k of sequence first + i
// into x[k * count + i], and run() returns the transforms, in the same order.
template <class T, class Fn>
void ForEachGroup(KernelCtx& c, const FftPlan<T>& plan, int64_t lines, int64_t n, Fn fn) {
  const int64_t group = GroupOf(n), groups = (lines + group - 1) / group;
  const double cost = 3.0 * static_cast<double>(n * std::min(group, lines));
  c.ParallelFor(groups, cost, [&](int64_t begin, int64_t end) {
    const StopsWith step(c.cancel());
    const FftBuffers<T> buffers(c.allocator(), plan, std::min(group, lines));
    for (int64_t g = begin; g < end && !c.cancelled(); ++g) {
      const int64_t count = std::min(group, lines - g * group);
      fn(g * group, count, buffers.x(),
         [&] { return plan.Run(buffers.x(), count, buffers.work()); });
    }
  });
}

// Calls fn(i, k) for each element k of `count` sequences. Whole cache lines of a sequence follow each other if its elements are
// adjacent.
template <class Fn>
void ForEachElement(int64_t count, int64_t n, bool adjacent, Fn fn) {
  const int64_t tile = adjacent ? 8 : 1;
  for (int64_t k0 = 0; k0 < n; k0 += tile)
    for (int64_t i = 0; i < count; ++i)
      for (int64_t k = k0; k < std::min(n, k0 + tile); ++k) fn(i, k);
}

// Calls fn(i, k) for the blocks of two elements, k and k + 1, of four sequences, i to i + 3. Requires that n is
// even and that `count` is a multiple of 4.
template <class Fn>
void ForEachBlock(int64_t count, int64_t n, Fn fn) {
  for (int64_t i = 0; i < count; i += 4)
    for (int64_t k = 0; k < n; k += 2) fn(i, k);
}

// Copies sequences of adjacent elements to x, as ForEachElement would.
void LoadBlocks(const std::complex<float>* in, int64_t n, int64_t count, ComplexParts<float> x) {
  ForEachBlock(count, n, [&](int64_t i, int64_t k) {
    Four rows[4];
    for (int64_t j = 0; j < 4; ++j) rows[j] = *reinterpret_cast<const Four*>(in + (i + j) * n + k);
    Transpose4(rows);
    float *re = x.re + k * count + i, *im = x.im + k * count + i;
    *reinterpret_cast<Four*>(re) = rows[0];
    *reinterpret_cast<Four*>(im) = rows[1];
    *reinterpret_cast<Four*>(re + count) = rows[2];
    *reinterpret_cast<Four*>(im + count) = rows[3];
  });
}

void StoreBlocks(ComplexParts<float> x, int64_t n, int64_t count, float scale,
                 std::complex<float>* out) {
  ForEachBlock(count, n, [&](int64_t i, int64_t k) {
    const float *re = x.re + k * count + i, *im = x.im + k * count + i;
    Four rows[4] = {*reinterpret_cast<const Four*>(re), *reinterpret_cast<const Four*>(im),
                    *reinterpret_cast<const Four*>(re + count),
                    *reinterpret_cast<const Four*>(im + count)};
    Transpose4(rows);
    for (int64_t j = 0; j < 4; ++j)
      *reinterpret_cast<Four*>(out + (i + j) * n + k) = rows[j] * scale;
  });
}

// Transforms one dimension of length n of `total` elements. The elements of a sequence are `stride` apart. The result, which
// may be in place, is multiplied by `scale`.
template <class T>
void TransformDim(KernelCtx& c, const FftPlan<T>& plan, int64_t n, int64_t stride, int64_t total,
                  T scale, const std::complex<T>* in, std::complex<T>* out) {
  ForEachGroup<T>(c, plan, total / n, n, [&](int64_t first, int64_t count, auto x, auto run) {
    if constexpr (std::is_same_v<T, float>)
      if (stride == 1 && n % 2 == 0 && count % 4 == 0) {
        LoadBlocks(in + first * n, n, count, x);
        return StoreBlocks(run(), n, count, scale, out + first * n);
      }
    int64_t starts[16];
    for (int64_t i = 0; i < count; ++i)
      starts[i] = (first + i) / stride * stride * n + (first + i) % stride;
    ForEachElement(count, n, stride == 1, [&](int64_t i, int64_t k) {
      const std::complex<T> element = in[starts[i] + k * stride];
      x.re[k * count + i] = element.real();
      x.im[k * count + i] = element.imag();
    });
    const ComplexParts<T> y = run();
    ForEachElement(count, n, stride == 1, [&](int64_t i, int64_t k) {
      const int64_t at = k * count + i;
      out[starts[i] + k * stride] = {scale * y.re[at], scale * y.im[at]};
    });
  });
}

// Transforms the dimensions `dims`, of which the last one has elements `inner` apart, in a tensor of `total` elements. The last
// transform multiplies by `scale`.
template <class T>
void TransformDims(KernelCtx& c, std::span<const int64_t> dims, int64_t inner, bool inverse,
                   int64_t total, T scale, const std::complex<T>* in, std::complex<T>* out) {
  int64_t stride = inner;
  for (int i = static_cast<int>(dims.size()) - 1; i >= 0; --i) {
    const int64_t n = dims[static_cast<size_t>(i)];
    const auto plan = c.state<FftState>().Plan<T>(i, n, inverse);
    TransformDim<T>(c, *plan, n, stride, total, i == 0 ? scale : T{1}, in, out);
    in = out;
    stride *= n;
  }
}

// ---- complex to complex ----

template <int rank, bool inverse>
struct Fft {
  template <class C>
  Status operator()(KernelCtx& c) const {
    using T = typename C::value_type;
    const Tensor& x = c.in(0);
    TENSH_OUTPUT(y, c.Output(0, x.shape()));
    if (!y->num_elements()) return {};
    const StopsWith step(c.cancel());
    int64_t dims[rank], size = 1;
    for (int i = 0; i < rank; ++i) size *= dims[i] = x.dim(x.rank() - rank + i);
    TransformDims<T>(c, dims, 1, inverse, x.num_elements(),
                     inverse ? T(1.0 / static_cast<double>(size)) : T{1},
                     reinterpret_cast<const std::complex<T>*>(x.data<C>()),
                     reinterpret_cast<std::complex<T>*>(y->data<C>()));
    return {};
  }
};

// The gradient is dy, transformed and multiplied or divided by the number of elements.
template <int rank, bool inverse>
Status FftGrad(GradScope& g) {
  static constexpr const char* kNames[2][3] = {{"FFT", "FFT2D", "FFT3D"},
                                               {"IFFT", "IFFT2D", "IFFT3D"}};
  const Out dy = g.dy();
  const Out shape = g.Op("Shape", {dy});
  const Out last =
      g.Op("StridedSlice",
           {shape, ConstInts(g, {-rank}, "strided_slice/stack"),
            ConstInts(g, {0}, "strided_slice/stack_1"), ConstInts(g, {1}, "strided_slice/stack_2")},
           {{"end_mask", 1}}, "strided_slice");
  const Out size = GradCast(g, g.Op("Prod", {last, ConstInts(g, {0}, "Const")}), g.dtype(dy));
  const Out back = g.Op(kNames[!inverse][rank - 1], {dy});
  return g.Return({inverse ? GradDiv(g, back, size) : g.Mul(back, size)});
}

// ---- real numbers ----

// Copies n elements of `count` sequences to x. Row 2 i has the real parts of sequence i, row 2 i + 1 the imaginary ones; `row(i)`
// returns a pointer to it, or null for zeros.
template <class T, class RowFn>
void LoadPairs(int64_t count, int64_t n, RowFn row, ComplexParts<T> x) {
  for (int64_t i = 0; i < count; ++i) {
    const T *a = row(2 * i), *b = row(2 * i + 1);
    for (int64_t k = 0; k < n; ++k) {
      x.re[k * count + i] = a[k];
      x.im[k * count + i] = b ? b[k] : T{0};
    }
  }
}

// Copies every other one of 2 * count rows of n numbers, `stride` apart, to a part of x. Requires that n and `count` are multiples
// of 4.
void LoadRealBlocks(const float* in, int64_t stride, int64_t n, int64_t count, float* part) {
  for (int64_t i = 0; i < count; i += 4)
    for (int64_t k = 0; k < n; k += 4) {
      Four rows[4];
      for (int64_t j = 0; j < 4; ++j)
        rows[j] = *reinterpret_cast<const Four*>(in + 2 * (i + j) * stride + k);
      Transpose4(rows);
      for (int64_t j = 0; j < 4; ++j)
        *reinterpret_cast<Four*>(part + (k + j) * count + i) = rows[j];
    }
}

// One element, or those of four adjacent sequences. A template argument would lose the alignment of Four.
template <class T>
struct OneLane {
  using Type = T;
};
struct FourLanes {
  using Type = Four;
};

// Reads elements at `at` and `mirror` of the transforms of sequences. Each sequence has a row as its real and another one as its
// imaginary part. The transform of a real row is symmetric, which tells the two apart.
template <class Lanes, class T>
void Separate(ComplexParts<T> z, int64_t at, int64_t mirror, typename Lanes::Type* even,
              typename Lanes::Type* odd) {
  using V = typename Lanes::Type;
  const V re = *reinterpret_cast<const V*>(z.re + at), im = *reinterpret_cast<const V*>(z.im + at);
  const V mirror_re = *reinterpret_cast<const V*>(z.re + mirror);
  const V mirror_im = *reinterpret_cast<const V*>(z.im + mirror);
  even[0] = (re + mirror_re) / 2;
  even[1] = (im - mirror_im) / 2;
  odd[0] = (im + mirror_im) / 2;
  odd[1] = (mirror_re - re) / 2;
}

// Stores elements 0 to n / 2 - 1 of 2 * count rows of n / 2 + 1 elements. Requires that n and `count` are multiples of 4.
void StoreHalfBlocks(ComplexParts<float> z, int64_t n, int64_t count, std::complex<float>* out) {
  const int64_t half = n / 2 + 1;
  for (int64_t i = 0; i < count; i += 4)
    for (int64_t k = 0; k < n / 2; k += 2) {
      Four even[4], odd[4];
      Separate<FourLanes>(z, k * count + i, (k ? n - k : 0) * count + i, even, odd);
      Separate<FourLanes>(z, (k + 1) * count + i, (n - k - 1) * count + i, even + 2, odd + 2);
      Transpose4(even);
      Transpose4(odd);
      for (int64_t j = 0; j < 4; ++j) {
        std::complex<float>* to = out + 2 * (i + j) * half + k;
        *reinterpret_cast<Four*>(to) = even[j];
        *reinterpret_cast<Four*>(to + half) = odd[j];
      }
    }
}

// Two rows of real numbers are transformed as the real and imaginary parts of one sequence.
template <int rank>
struct RealFft {
  template <class T>
  Status operator()(KernelCtx& c) const {
    using C = std::complex<T>;
    const Tensor& x = c.in(0);
    RealBox<rank> r;
    TENSH_RETURN_IF_ERROR(r.Read(c, true));
    TENSH_OUTPUT(y, c.Output(0, r.shape));
    if (!y->num_elements() || !x.num_elements()) {
      std::fill_n(y->data<C>(), y->num_elements(), C());
      return {};
    }
    const StopsWith step(c.cancel());
    const auto plan = c.state<FftState>().Plan<T>(rank - 1, r.last(), false);
    ForEachGroup<T>(c, *plan, (r.rows + 1) / 2, r.last(),
                    [&](int64_t first, int64_t count, auto z, auto run) {
                      Group(r, x, 2 * first, count, z, run, y->data<C>() + 2 * first * r.half);
                    });
    C* out = y->data<C>();
    TransformDims<T>(c, r.outer(), r.half, false, y->num_elements(), T{1}, out, out);
    return {};
  }

  // Transforms the rows from `first` in `count` sequences.
  template <class T, class RunFn>
  static void Group(const RealBox<rank>& r, const Tensor& x, int64_t first, int64_t count,
                    ComplexParts<T> z, RunFn run, std::complex<T>* out) {
    const int64_t n = r.last();
    const T* in = x.data<T>();
    int64_t stored = 0;  // elements of each row
    if constexpr (rank == 1 && std::is_same_v<T, float>)
      if (n % 4 == 0 && count % 4 == 0 && first + 2 * count <= r.rows) {
        const int64_t stride = x.dim(x.rank() - 1);
        LoadRealBlocks(in + first * stride, stride, n, count, z.re);
        LoadRealBlocks(in + (first + 1) * stride, stride, n, count, z.im);
        z = run();
        StoreHalfBlocks(z, n, count, out);
        stored = n / 2;
      }
    if (!stored) {
      LoadPairs(
          count, n,
          [&](int64_t i) { return first + i < r.rows ? in + r.RowOf(first + i) : nullptr; }, z);
      z = run();
    }
    ForEachElement(count, r.half - stored, true, [&](int64_t i, int64_t left) {
      const int64_t k = stored + left;
      T even[2], odd[2];
      Separate<OneLane<T>>(z, k * count + i, (k ? n - k : 0) * count + i, even, odd);
      std::complex<T>* to = out + 2 * i * r.half + k;
      to[0] = {even[0], even[1]};
      if (first + 2 * i + 1 < r.rows) to[r.half] = {odd[0], odd[1]};
    });
  }
};

template <int rank>
struct InverseRealFft {
  template <class T>
  Status operator()(KernelCtx& c) const {
    using C = std::complex<T>;
    const Tensor& x = c.in(0);
    RealBox<rank> r;
    TENSH_RETURN_IF_ERROR(r.Read(c, false));
    TENSH_OUTPUT(y, c.Output(0, r.shape));
    if (!y->num_elements() || !x.num_elements()) {
      std::fill_n(y->data<T>(), y->num_elements(), T());
      return {};
    }
    const StopsWith step(c.cancel());
    // The half spectrum, transformed along the other dimensions.
    std::vector<C> box(static_cast<size_t>(r.rows * r.half));
    for (int64_t row = 0; row < r.rows; ++row)
      std::copy_n(x.data<C>() + r.RowOf(row), r.half, box.data() + row * r.half);
    TransformDims<T>(c, r.outer(), r.half, true, r.rows * r.half, T{1}, box.data(), box.data());
    Rows(c, r, box.data(), y->data<T>());
    return {};
  }

  // Computes two rows as the real and imaginary parts of one sequence.
  template <class T>
  static void Rows(KernelCtx& c, const RealBox<rank>& r, const std::complex<T>* box, T* out) {
    const int64_t n = r.last();
    const T scale = static_cast<T>(1 / r.size());
    const auto plan = c.state<FftState>().Plan<T>(rank - 1, n, true);
    ForEachGroup<T>(
        c, *plan, (r.rows + 1) / 2, n, [&](int64_t first, int64_t count, auto x, auto run) {
          ForEachElement(count, r.half, true, [&](int64_t i, int64_t k) {
            const int64_t row = 2 * (first + i);
            const bool real =
                k == 0 || 2 * k == n;  // the imaginary part of such an element is ignored
            std::complex<T> a = box[row * r.half + k];
            std::complex<T> b = row + 1 < r.rows ? box[(row + 1) * r.half + k] : std::complex<T>();
            if (real) a = a.real(), b = b.real();
            const int64_t at = k * count + i, mirror = (n - k) * count + i;
            x.re[at] = a.real() - b.imag();
            x.im[at] = a.imag() + b.real();
            if (real) return;
            x.re[mirror] = a.real() + b.imag();
            x.im[mirror] = b.real() - a.imag();
          });
          const ComplexParts<T> y = run();
          for (int64_t i = 0; i < count; ++i) {
            const int64_t row = 2 * (first + i);
            for (int64_t k = 0; k < n; ++k) {
              out[row * n + k] = scale * y.re[k * count + i];
              if (row + 1 < r.rows) out[(row + 1) * n + k] = scale * y.im[k * count + i];
            }
          }
        });
  }
};

template <int rank, bool forward>
Status RealFftShape(ShapeCtx& c) {
  if (!c.in(0).has_rank()) return {};
  Shape out = c.in(0);
  const Tensor* lengths = c.constant(1);
  for (int i = 0; i < rank; ++i) {
    int64_t n = lengths ? lengths->data<int32_t>()[i] : -1;
    if (lengths && n < 0) return InvalidArgument("Dimension ", n, " must be >= 0");
    if (forward && i == rank - 1 && n > 0) n = n / 2 + 1;
    out.set_dim(out.rank() - rank + i, n);
  }
  c.Set(0, out);
  return {};
}

Out LastOf(GradScope& g, Out vector) {
  return g.Op(
      "StridedSlice",
      {vector, ConstInts(g, {-1}, "strided_slice/stack"),
       ConstInts(g, {0}, "strided_slice/stack_1"), ConstInts(g, {1}, "strided_slice/stack_2")},
      {{"end_mask", 1}, {"shrink_axis_mask", 1}}, "strided_slice");
}

// Pads x with zeros at the end to `shape`.
Out GrowTo(GradScope& g, Out x, Out shape) {
  Out missing = GradSub(g, shape, g.Op("Shape", {x}));
  Out none = GradZerosLike(g, missing);
  return g.Op("Pad", {x, g.Op("Pack", {none, missing}, {{"N", 2}, {"axis", 1}}, "stack")});
}

// Returns the batch extents of x followed by `tail`.
Out WithBatchOf(GradScope& g, Out x, Out tail, int rank) {
  Out batch = g.Op(
      "StridedSlice",
      {g.Op("Shape", {x}), ConstInts(g, {0}, "strided_slice/stack"),
       ConstInts(g, {-rank}, "strided_slice/stack_1"), ConstInts(g, {1}, "strided_slice/stack_2")},
      {{"begin_mask", 1}}, "strided_slice");
  return Concat(g, {batch, tail}, ConstInt(g, 0, "concat/axis"));
}

// The gradient is the real part of the inverse transform of dy, with zeros in the omitted half.
template <int rank>
Status RealFftGrad(GradScope& g) {
  static constexpr const char* kInverse[] = {"IFFT", "IFFT2D", "IFFT3D"};
  const Out dy = g.dy(), lengths = g.x(1);
  const DType real = g.dtype(g.x(0));
  Out whole = GrowTo(g, dy, WithBatchOf(g, dy, lengths, rank));
  Out size = GradCast(g, g.Op("Prod", {lengths, ConstInts(g, {0}, "Const")}), real);
  Out back = g.Op("Real", {g.Op(kInverse[rank - 1], {whole})}, {{"Tout", real}});
  Out dx = GrowTo(g, g.Mul(back, size), g.Op("Shape", {g.x(0)}));
  return g.Return({dx, {}});
}

// Inner elements also stand for their mirror image, so their gradient is doubled.
template <int rank>
Status InverseRealFftGrad(GradScope& g) {
  static constexpr const char* kForward[] = {"RFFT", "RFFT2D", "RFFT3D"};
  const Out dy = g.dy(), lengths = g.x(1);
  const DType real = g.dtype(dy), complex = g.dtype(g.x(0));
  Out last = LastOf(g, lengths);
  Out odd = g.Op("FloorMod", {last, ConstInt(g, 2, "mod/y")}, {}, "mod");
  Out columns = LastOf(g, g.Op("Shape", {g.x(0)}));
  Out inner = GradAdd(g, GradSub(g, columns, ConstInt(g, 2, "sub/y")), odd);
  Out edge = GradSub(g, ConstInt(g, 1, "sub/x"), odd);
  auto fill = [&](Out count, double value) {
    Out dims = g.Op("Pack", {count}, {{"N", 1}}, "ones/packed");
    return g.Op("Fill", {dims, g.Like(value, dy, "ones/Const")}, {}, "ones");
  };
  Out one = fill(ConstInt(g, 1, "ones/one"), 1);
  Out mask = Concat(g, {one, fill(inner, 2), fill(edge, 1)}, ConstInt(g, 0, "concat/axis"));
  Out size = GradCast(g, g.Op("Prod", {lengths, ConstInts(g, {0}, "Const")}), real);
  Out factor = GradCast(g, g.Mul(g.Op("Reciprocal", {size}), mask), complex);
  Out forward = g.Op(kForward[rank - 1], {dy, lengths}, {{"Tcomplex", complex}});
  return g.Return({g.Mul(forward, factor), {}});
}

// ---- registrations ----

constexpr KernelOptions kComplexType = {.prepare = PrepareFft, .type_attr = "Tcomplex"};
constexpr KernelOptions kRealType = {.prepare = PrepareFft, .type_attr = "Treal"};

template <int rank, bool inverse>
void Register(OpRegistry& r, const char* name, const char* over, Example example) {
  r.Op({.name = name,
        .inputs = "input: Tcomplex",
        .outputs = "output: Tcomplex",
        .attrs = "Tcomplex: {complex64, complex128} = complex64",
        .doc = StrCat(inverse ? "The inverse" : "The", " discrete Fourier transform over ", over,
                      ". input: complex numbers. Tcomplex: their type."),
        .contract = StrCat("input: rank ", rank, "+"),
        .shape = SameAsInput<0>,
        .grad = FftGrad<rank, inverse>,
        .examples = {example}})
      .template Cpu<Complex64, Complex128>(Fft<rank, inverse>{}, kComplexType);
}

template <int rank>
void RegisterReal(OpRegistry& r, const char* forward, const char* inverse, const char* over,
                  Example example, Example inverse_example) {
  static constexpr char kTypes[] =
      "Treal: {float, double} = float, Tcomplex: {complex64, complex128} = complex64";
  r.Op({.name = forward,
        .inputs = "input: Treal, fft_length: int32",
        .outputs = "output: Tcomplex",
        .attrs = kTypes,
        .doc = StrCat("The Fourier transform of real numbers over ", over,
                      ": the first half of the spectrum, of which the rest is the mirror image. "
                      "input: numbers of type Treal. fft_length: the length along each dimension. "
                      "Tcomplex: the type of output."),
        .contract = StrCat("input: rank ", rank, "+, fft_length: vector of ", rank),
        .shape = RealFftShape<rank, true>,
        .grad = RealFftGrad<rank>,
        .examples = {example}})
      .template Cpu<float, double>(RealFft<rank>{}, kRealType);
  r.Op({.name = inverse,
        .inputs = "input: Tcomplex, fft_length: int32",
        .outputs = "output: Treal",
        .attrs = kTypes,
        .doc = StrCat("The inverse of the Fourier transform of real numbers over ", over,
                      ". input: the first half of the spectrum, of type Tcomplex. fft_length: the "
                      "length of the result along each dimension. Treal: the type of output."),
        .contract = StrCat("input: rank ", rank, "+, fft_length: vector of ", rank),
        .shape = RealFftShape<rank, false>,
        .grad = InverseRealFftGrad<rank>,
        .examples = {inverse_example}})
      .template Cpu<float, double>(InverseRealFft<rank>{}, kRealType);
}

}  // namespace

TENSH_OPS(math_fft_fft) {
  Register<1, false>(r, "FFT", "the last dimension",
                     {"tf.fft([1.+0j, 2.+0j])", "[ 3.+0.j -1.+0.j]"});
  Register<1, true>(r, "IFFT", "the last dimension",
                    {"tf.ifft([3.+0j, -1.+0j])", "[1.+0.j 2.+0.j]"});
  Register<2, false>(r, "FFT2D", "the last two dimensions",
                     {"tf.fft2d([[1.+0j, 2.+0j]])", "[[ 3.+0.j -1.+0.j]]"});
  Register<2, true>(r, "IFFT2D", "the last two dimensions",
                    {"tf.ifft2d([[3.+0j, -1.+0j]])", "[[1.+0.j 2.+0.j]]"});
  Register<3, false>(r, "FFT3D", "the last three dimensions",
                     {"tf.fft3d([[[1.+0j, 2.+0j]]])", "[[[ 3.+0.j -1.+0.j]]]"});
  Register<3, true>(r, "IFFT3D", "the last three dimensions",
                    {"tf.ifft3d([[[3.+0j, -1.+0j]]])", "[[[1.+0.j 2.+0.j]]]"});
  r.Alias("BatchFFT", "FFT");
  r.Alias("BatchIFFT", "IFFT");
  r.Alias("BatchFFT2D", "FFT2D");
  r.Alias("BatchIFFT2D", "IFFT2D");
  r.Alias("BatchFFT3D", "FFT3D");
  r.Alias("BatchIFFT3D", "IFFT3D");
  RegisterReal<1>(r, "RFFT", "IRFFT", "the last dimension",
                  {"tf.raw_ops.RFFT(input=[1., 2.], fft_length=[2])", "[ 3.+0.j -1.+0.j]"},
                  {"tf.raw_ops.IRFFT(input=[3.+0j, -1.+0j], fft_length=[2])", "[1. 2.]"});
  RegisterReal<2>(r, "RFFT2D", "IRFFT2D", "the last two dimensions",
                  {"tf.raw_ops.RFFT2D(input=[[1., 2.]], fft_length=[1, 2])", "[[ 3.+0.j -1.+0.j]]"},
                  {"tf.raw_ops.IRFFT2D(input=[[3.+0j, -1.+0j]], fft_length=[1, 2])", "[[1. 2.]]"});
  RegisterReal<3>(
      r, "RFFT3D", "IRFFT3D", "the last three dimensions",
      {"tf.raw_ops.RFFT3D(input=[[[1., 2.]]], fft_length=[1, 1, 2])", "[[[ 3.+0.j -1.+0.j]]]"},
      {"tf.raw_ops.IRFFT3D(input=[[[3.+0j, -1.+0j]]], fft_length=[1, 1, 2])", "[[[1. 2.]]]"});
}

}  // namespace tensh::ops
