// Fourier transforms over the last one, two or three dimensions. Transforms of real numbers keep
// only one half of the spectrum, because the other half is its mirror image.
#include "ops/math/fft/fft_plan.h"
#include "ops/op_file.h"
#include "ops/support/complex_types.h"
#include "ops/support/grad_util.h"
#include "ops/support/shape_util.h"
#include "ops/support/stop.h"

namespace tensh::ops {
namespace {

using Element = FftPlan::Element;
using Elements = std::vector<Element>;

// Transforms a box in place, one dimension after the other.
Status TransformBox(KernelCtx& c, Elements& box, std::span<const int64_t> dims, bool inverse) {
  const int64_t total = static_cast<int64_t>(box.size());
  const StopsWith step(c.cancel());
  int64_t inner = total;
  for (int64_t n : dims) {
    inner /= n;
    if (n == 1) continue;
    const FftPlan plan(n, inverse);
    const int64_t lines = total / n, stride = inner;
    c.ParallelFor(lines, 20.0 * static_cast<double>(n), [&](int64_t begin, int64_t end) {
      const StopsWith step_here(c.cancel());
      Elements line(static_cast<size_t>(n));
      for (int64_t l = begin; l < end && !c.cancelled(); ++l) {
        Element* at = box.data() + l / stride * stride * n + l % stride;
        for (int64_t k = 0; k < n; ++k) line[static_cast<size_t>(k)] = at[k * stride];
        plan.Run(line.data());
        for (int64_t k = 0; k < n; ++k) at[k * stride] = line[static_cast<size_t>(k)];
      }
    });
  }
  if (inverse)
    for (Element& e : box) e /= static_cast<double>(total);
  return {};
}

int64_t BatchOf(const Shape& shape, int rank) {
  int64_t n = 1;
  for (int i = 0; i < shape.rank() - rank; ++i) n *= shape[i];
  return n;
}

// ---- complex to complex ----

template <int rank, bool inverse>
struct Fft {
  template <class C>
  Status operator()(KernelCtx& c) const {
    const Tensor& x = c.in(0);
    const C* in = x.data<C>();
    TENSH_OUTPUT(y, c.Output(0, x.shape()));
    C* out = y->data<C>();
    if (!y->num_elements()) return {};
    int64_t dims[rank], size = 1;
    for (int i = 0; i < rank; ++i) size *= dims[i] = x.dim(x.rank() - rank + i);
    Elements box(static_cast<size_t>(size));
    for (int64_t b = 0; b < BatchOf(x.shape(), rank); ++b, in += size, out += size) {
      for (int64_t i = 0; i < size; ++i) box[static_cast<size_t>(i)] = Element(in[i]);
      TENSH_RETURN_IF_ERROR(TransformBox(c, box, dims, inverse));
      for (int64_t i = 0; i < size; ++i) out[i] = C(box[static_cast<size_t>(i)]);
    }
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

Status ReadLengths(const Tensor& lengths, int rank, int64_t* out) {
  for (int i = 0; i < rank; ++i) {
    out[i] = lengths.data<int32_t>()[i];
    if (out[i] < 0) return InvalidArgument("fft_length[", i, "] must >= 0, but got: ", out[i]);
  }
  return {};
}

// Computes the shape of the result: the batch, then the lengths. Returns an error if an extent of
// the input is shorter than its length requires.
Status RealShape(const Shape& in, int rank, bool forward, const int64_t* lengths, Shape* out) {
  *out = Shape();
  for (int i = 0; i < in.rank() - rank; ++i) out->Append(in[i]);
  for (int i = 0; i < rank; ++i) {
    const bool last = i == rank - 1;
    const int at = in.rank() - rank + i;
    const int64_t wanted = !forward && last ? lengths[i] / 2 + 1 : lengths[i];
    if (in[at] != 0 && in[at] < wanted)
      return InvalidArgument("Input dimension ", at, " must have length of at least ", wanted,
                             " but got: ", in[at]);
    out->Append(forward && last && lengths[i] ? lengths[i] / 2 + 1 : lengths[i]);
  }
  std::vector<int64_t> dims(out->dims().begin(), out->dims().end());
  TENSH_ASSIGN(*out, Shape::Make(dims, true));
  return {};
}

// Walks the box `dims` within the last dimensions of `shape`. Calls fn(index in the box, offset in
// the tensor's item) for each element, in row-major order.
template <class Fn>
void ForEachOfBox(const Shape& shape, int rank, const int64_t* dims, Fn fn) {
  int64_t stride[3], total = 1, step = 1;
  for (int i = rank - 1; i >= 0; --i) {
    stride[i] = step;
    step *= shape[shape.rank() - rank + i];
    total *= dims[i];
  }
  for (int64_t k = 0; k < total; ++k) {
    int64_t rest = k, at = 0;
    for (int i = rank - 1; i >= 0; --i) {
      at += rest % dims[i] * stride[i];
      rest /= dims[i];
    }
    fn(k, at);
  }
}

int64_t ItemSize(const Shape& shape, int rank) {
  int64_t n = 1;
  for (int i = shape.rank() - rank; i < shape.rank(); ++i) n *= shape[i];
  return n;
}

// The sizes of a transform of real numbers: the lengths n, the lengths of the half spectrum, the
// number of elements of one transform, and the shape of the result.
template <int rank>
struct RealBox {
  int64_t n[rank], half[rank], size = 1;
  Shape shape;
  Status Read(KernelCtx& c, bool forward) {
    const Tensor& x = c.in(0);
    const DType real = forward ? x.dtype() : c.out_dtype(0);
    const DType complex = forward ? c.out_dtype(0) : x.dtype();
    if ((real == DType::kDouble) != (complex == DType::kComplex128))
      return InvalidArgument("Wrong types for ", forward ? "forward" : "backward",
                             " real FFT: ", SignatureName(real), " and ", SignatureName(complex));
    TENSH_RETURN_IF_ERROR(ReadLengths(c.in(1), rank, n));
    TENSH_RETURN_IF_ERROR(RealShape(x.shape(), rank, forward, n, &shape));
    for (int i = 0; i < rank; ++i) half[i] = n[i];
    half[rank - 1] = n[rank - 1] / 2 + 1;
    return {};
  }
  // Requires a non-empty result; the product of the lengths then cannot overflow.
  Elements Make() {
    for (int64_t length : n) size *= length;
    return Elements(static_cast<size_t>(size));
  }
};

template <int rank>
struct RealFft {
  template <class T>
  Status operator()(KernelCtx& c) const {
    using C = std::complex<T>;
    const Tensor& x = c.in(0);
    RealBox<rank> r;
    TENSH_RETURN_IF_ERROR(r.Read(c, true));
    TENSH_OUTPUT(y, c.Output(0, r.shape));
    std::fill_n(y->data<C>(), y->num_elements(), C());
    if (!y->num_elements() || !x.num_elements()) return {};
    const int64_t *n = r.n, *half = r.half;
    const T* in = x.data<T>();
    C* out = y->data<C>();
    Elements box = r.Make();
    for (int64_t b = 0; b < BatchOf(x.shape(), rank); ++b) {
      ForEachOfBox(x.shape(), rank, n, [&](int64_t k, int64_t at) {
        box[static_cast<size_t>(k)] = static_cast<double>(in[at]);
      });
      TENSH_RETURN_IF_ERROR(TransformBox(c, box, r.n, false));
      int64_t row = 0;
      for (int64_t i = 0; i < r.size; i += n[rank - 1], row += half[rank - 1])
        for (int64_t k = 0; k < half[rank - 1]; ++k)
          out[row + k] = C(box[static_cast<size_t>(i + k)]);
      in += ItemSize(x.shape(), rank);
      out += ItemSize(r.shape, rank);
    }
    return {};
  }
};

// Completes a box from its half: element (i, j, -k) is the conjugate of (-i, -j, k).
void Mirror(Elements& box, const int64_t* n, int rank) {
  const int64_t last = n[rank - 1], rows = static_cast<int64_t>(box.size()) / last;
  for (int64_t row = 0; row < rows; ++row) {
    int64_t rest = row, mirror = 0, step = 1;
    for (int i = rank - 2; i >= 0; --i) {
      const int64_t at = rest % n[i];
      mirror += (at ? n[i] - at : 0) * step;
      step *= n[i];
      rest /= n[i];
    }
    for (int64_t k = last / 2 + 1; k < last; ++k)
      box[static_cast<size_t>(row * last + k)] =
          std::conj(box[static_cast<size_t>(mirror * last + last - k)]);
  }
}

template <int rank>
struct InverseRealFft {
  template <class T>
  Status operator()(KernelCtx& c) const {
    using C = std::complex<T>;
    const Tensor& x = c.in(0);
    RealBox<rank> r;
    TENSH_RETURN_IF_ERROR(r.Read(c, false));
    TENSH_OUTPUT(y, c.Output(0, r.shape));
    std::fill_n(y->data<T>(), y->num_elements(), T());
    if (!y->num_elements() || !x.num_elements()) return {};
    const int64_t *n = r.n, *half = r.half;
    const C* in = x.data<C>();
    T* out = y->data<T>();
    Elements box = r.Make();
    for (int64_t b = 0; b < BatchOf(x.shape(), rank); ++b, out += r.size) {
      ForEachOfBox(x.shape(), rank, half, [&](int64_t k, int64_t at) {
        const int64_t row = k / half[rank - 1], column = k % half[rank - 1];
        box[static_cast<size_t>(row * n[rank - 1] + column)] = Element(in[at]);
      });
      Mirror(box, n, rank);
      TENSH_RETURN_IF_ERROR(TransformBox(c, box, r.n, true));
      for (int64_t i = 0; i < r.size; ++i)
        out[i] = static_cast<T>(box[static_cast<size_t>(i)].real());
      in += ItemSize(x.shape(), rank);
    }
    return {};
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

constexpr KernelOptions kComplexType = {.type_attr = "Tcomplex"};
constexpr KernelOptions kRealType = {.type_attr = "Treal"};

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
