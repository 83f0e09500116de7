#include "shell/numpy/reduce.h"

#include <algorithm>
#include <cmath>

#include "shell/numpy/convert.h"
#include "shell/numpy/element.h"
#include "shell/numpy/ufunc.h"
#include "shell/python/values/error.h"
#include "shell/python/values/ops.h"

namespace tensh::shell::np {
namespace {

// numpy's pairwise summation: adds runs of up to 128 elements in eight accumulators and halves
// longer runs.
template <class T>
T Pairwise(const char* p, int64_t n, int64_t step) {
  const auto at = [p, step](int64_t i) { return *reinterpret_cast<const T*>(p + i * step); };
  if (n < 8) {
    T sum{};
    for (int64_t i = 0; i < n; ++i) sum += at(i);
    return sum;
  }
  if (n <= 128) {
    T r[8];
    for (int64_t k = 0; k < 8; ++k) r[k] = at(k);
    int64_t i = 8;
    for (; i < n - n % 8; i += 8)
      for (int64_t k = 0; k < 8; ++k) r[k] += at(i + k);
    T sum = ((r[0] + r[1]) + (r[2] + r[3])) + ((r[4] + r[5]) + (r[6] + r[7]));
    for (; i < n; ++i) sum += at(i);
    return sum;
  }
  int64_t half = n / 2;
  half -= half % 8;
  return Pairwise<T>(p, half, step) + Pairwise<T>(p + half * step, n - half, step);
}

// Complex sums are paired likewise for both parts, four numbers at a time.
template <class T>
std::complex<T> PairwiseComplex(const char* p, int64_t n, int64_t step) {
  using C = std::complex<T>;
  const auto at = [p, step](int64_t i) { return *reinterpret_cast<const C*>(p + i * step); };
  if (n < 4) {
    C sum{};
    for (int64_t i = 0; i < n; ++i) sum += at(i);
    return sum;
  }
  if (n <= 64) {
    C r[4];
    for (int64_t k = 0; k < 4; ++k) r[k] = at(k);
    int64_t i = 4;
    for (; i < n - n % 4; i += 4)
      for (int64_t k = 0; k < 4; ++k) r[k] += at(i + k);
    C sum = (r[0] + r[1]) + (r[2] + r[3]);
    for (; i < n; ++i) sum += at(i);
    return sum;
  }
  int64_t half = n / 2;
  half -= half % 4;
  return PairwiseComplex<T>(p, half, step) + PairwiseComplex<T>(p + half * step, n - half, step);
}

// Integers wrap.
template <class T>
T Add(T a, T b) {
  if constexpr (std::is_integral_v<T>)
    return static_cast<T>(static_cast<uint64_t>(a) + static_cast<uint64_t>(b));
  else
    return a + b;
}

// Integers wrap. Complex products are written out, because the operator of the standard library
// handles infinities differently from numpy.
template <class T>
T Multiply(T a, T b) {
  if constexpr (std::is_integral_v<T>)
    return static_cast<T>(static_cast<uint64_t>(a) * static_cast<uint64_t>(b));
  else if constexpr (kIsComplex<T>)
    return T(a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real());
  else
    return a * b;
}

// Combines two elements.
template <class T>
T Combine(Reduction op, T a, T b) {
  switch (op) {
    case Reduction::kSum:
      return Add(a, b);
    case Reduction::kProd:
      return Multiply(a, b);
    case Reduction::kAny:
      return a != T{} || b != T{} ? T(1) : T(0);
    case Reduction::kAll:
      return a != T{} && b != T{} ? T(1) : T(0);
    case Reduction::kMin:
      return Smaller(a, b);
    case Reduction::kMax:
      return Larger(a, b);
  }
  return a;
}

// Reduces one run along the innermost axis, into one element or into a row of elements.
template <class T>
void Stretch(Reduction op, char* out, int64_t out_step, const char* in, int64_t in_step,
             int64_t n) {
  if (out_step == 0) {
    T& to = *reinterpret_cast<T*>(out);
    if (op == Reduction::kSum && !std::is_integral_v<T>) {
      // numpy's iterator passes at most one buffer of elements at a time, which affects the
      // rounding.
      constexpr int64_t kBuffer = 8192;
      for (int64_t i = 0; i < n; i += kBuffer) {
        const int64_t run = std::min(kBuffer, n - i);
        if constexpr (kIsComplex<T>)
          to += PairwiseComplex<typename T::value_type>(in + i * in_step, run, in_step);
        else if constexpr (std::is_floating_point_v<T>)
          to += Pairwise<T>(in + i * in_step, run, in_step);
      }
      return;
    }
    T sum = to;
    for (int64_t i = 0; i < n; ++i)
      sum = Combine(op, sum, *reinterpret_cast<const T*>(in + i * in_step));
    to = sum;
    return;
  }
  for (int64_t i = 0; i < n; ++i) {
    T& to = *reinterpret_cast<T*>(out + i * out_step);
    to = Combine(op, to, *reinterpret_cast<const T*>(in + i * in_step));
  }
}

struct LoopAxis {
  int64_t n, in, out;
};

// Orders the axes like numpy's iterator: smallest input step innermost, backward axes reversed, and
// axes that continue one another merged.
std::vector<LoopAxis> OrderAxes(const Array& a, const Array& out, int64_t* in_offset) {
  std::vector<LoopAxis> axes;  // Outermost first.
  for (int i = 0; i < a.rank; ++i) {
    if (a.dim(i) == 1) continue;
    LoopAxis axis{a.dim(i), a.step(i), out.step(i)};
    if (axis.in < 0 && axis.out == 0) {
      *in_offset += axis.in * (axis.n - 1);
      axis.in = -axis.in;
    }
    axes.push_back(axis);
  }
  std::stable_sort(axes.begin(), axes.end(), [](const LoopAxis& x, const LoopAxis& y) {
    return std::abs(x.in) > std::abs(y.in);
  });
  std::vector<LoopAxis> merged;
  for (const LoopAxis& axis : axes) {
    if (!merged.empty() && merged.back().in == axis.in * axis.n &&
        merged.back().out == axis.out * axis.n) {
      merged.back() = {merged.back().n * axis.n, axis.in, axis.out};
    } else {
      merged.push_back(axis);
    }
  }
  return merged;
}

template <class T>
void RunAxes(Reduction op, std::span<const LoopAxis> axes, char* out, const char* in) {
  if (axes.empty()) return Stretch<T>(op, out, 0, in, 0, 1);
  const LoopAxis& axis = axes[0];
  if (axes.size() == 1) return Stretch<T>(op, out, axis.out, in, axis.in, axis.n);
  for (int64_t i = 0; i < axis.n; ++i)
    RunAxes<T>(op, axes.subspan(1), out + i * axis.out, in + i * axis.in);
}

Array KeptShape(const Array& a, const Axes& axes, int dtype) {
  Extents dims(a.dims().begin(), a.dims().end());
  for (int i = 0; i < a.rank; ++i)
    if (axes.all || axes.reduced[static_cast<size_t>(i)]) dims[static_cast<size_t>(i)] = 1;
  return Zeros(dtype, dims);
}

// Keeps reduced axes in `out` with a step of 0, so that both arrays are iterated together.
Array Stretched(const Array& out, const Array& a) {
  Array wide = out;
  for (int i = 0; i < a.rank; ++i) {
    const size_t at = static_cast<size_t>(i);
    if (out.extents[at] == 1) wide.steps[at] = 0;
    wide.extents[at] = a.extents[at];
  }
  return wide;
}

Array DropReduced(const Array& kept, const Axes& axes) {
  Array out = kept;
  for (int i = kept.rank - 1; i >= 0; --i)
    if (axes.all || axes.reduced[static_cast<size_t>(i)]) out = DropAxis(out, i, 0);
  return out;
}

// Initializes each result with its first element. The reduction then visits that element again,
// which does not change min and max.
void StartWithFirst(const Array& kept, const Array& a) {
  Array first = a;
  for (int i = 0; i < a.rank; ++i)
    if (kept.dim(i) == 1) first = Sliced(first, i, 0, 1, 1);
  Assign(kept, first);
}

int ReduceType(Reduction op, const Array& a, int dtype) {
  if (op == Reduction::kAny || op == Reduction::kAll) return TSH_BOOL;
  if (dtype) return dtype;
  if (op == Reduction::kMin || op == Reduction::kMax) return a.dtype;
  switch (KindOf(a.dtype)) {
    case Kind::kBool:
    case Kind::kSigned:
      return TSH_INT64;
    case Kind::kUnsigned:
      return TSH_UINT64;
    default:
      return a.dtype;
  }
}

Array ReduceObjects(Reduction op, const Array& a, const Axes& axes) {
  const char* sum = "only whole object arrays are reduced; give no axis";
  if (!axes.all && a.rank != 1) throw TypeError(sum);
  Value total;
  ForEachOffset(a, [&](int64_t at) {
    const Value v = PythonElement(a, at);
    if (total.is_null())
      total = v;
    else if (op == Reduction::kSum)
      total = Binary(BinaryOp::kAdd, total, v);
    else if (op == Reduction::kProd)
      total = Binary(BinaryOp::kMul, total, v);
    else if (CompareTruth(op == Reduction::kMin ? CompareOp::kLt : CompareOp::kGt, v, total))
      total = v;
  });
  Array out = Empty(kDTypeObject, {});
  out.objects->items[0] = total.is_null() ? Value::Int(op == Reduction::kProd ? 1 : 0) : total;
  return out;
}

const char* NameOf(Reduction op) { return op == Reduction::kMin ? "minimum" : "maximum"; }

int64_t CountReduced(const Array& a, const Axes& axes) {
  int64_t n = 1;
  for (int i = 0; i < a.rank; ++i)
    if (axes.all || axes.reduced[static_cast<size_t>(i)]) n *= a.dim(i);
  return n;
}

// Divides by n in the type of the sum. As in numpy, a single number is divided in double precision
// and an array in its own width.
void DivideBy(const Array& sum, double n, bool single) {
  if (single && !IsComplexKind(sum.dtype)) {
    const double v = *Cast(sum, TSH_DOUBLE).as<double>() / n;
    Array result = Scalar0(TSH_DOUBLE, v);
    return Assign(sum, result);
  }
  Assign(sum, Apply(UfuncOf(BinaryOp::kTrueDiv), sum, Cast(Scalar0(TSH_DOUBLE, n), sum.dtype)));
}

int MeanType(const Array& a, int dtype) {
  if (dtype) return dtype;
  if (Category(a.dtype) < 2) return TSH_DOUBLE;
  return a.dtype == TSH_HALF || a.dtype == TSH_BFLOAT16 ? TSH_FLOAT : a.dtype;
}

int MeanResult(const Array& a, int dtype) {
  return dtype ? dtype : a.dtype == TSH_HALF || a.dtype == TSH_BFLOAT16 ? a.dtype : MeanType(a, 0);
}

}  // namespace

// Sum and any start from zeros, prod and all from ones. Min and max have no neutral element and
// start from the first elements. 16-bit floats are reduced as float.
Array Reduce(Reduction op, const Array& a, const Axes& axes, const ReduceOptions& o) {
  const int dtype = ReduceType(op, a, o.dtype);
  if (!HasBytes(dtype) || (!HasBytes(a.dtype) && dtype != TSH_BOOL))
    return ReduceObjects(op, a, axes);
  const bool half = dtype == TSH_HALF || dtype == TSH_BFLOAT16;
  const Array x = Cast(a, half ? static_cast<int>(TSH_FLOAT) : dtype);
  Array kept = KeptShape(x, axes, x.dtype);
  if (op == Reduction::kProd || op == Reduction::kAll) {
    Assign(kept, Cast(Scalar0<int64_t>(TSH_INT64, 1), kept.dtype));
  } else if (op == Reduction::kMin || op == Reduction::kMax) {
    if (x.size() == 0 && kept.size() > 0) {
      throw ValueError(std::string("zero-size array to reduction operation ") + NameOf(op) +
                       " which has no identity");
    }
    if (x.size() > 0) StartWithFirst(kept, x);
  }
  if (x.size() > 0) {
    int64_t turned = 0;
    const std::vector<LoopAxis> loops = OrderAxes(x, Stretched(kept, x), &turned);
    char* out = kept.WritableData();
    const char* in = x.data() + turned;
    WithType(x.dtype, [&]<class T>() {
      if constexpr (!kIsHalf<T>) RunAxes<T>(op, loops, out, in);
    });
  }
  kept = Cast(kept, dtype);
  return o.keepdims ? kept : DropReduced(kept, axes);
}

Array Mean(const Array& a, const Axes& axes, const ReduceOptions& o) {
  const Array sum =
      Reduce(Reduction::kSum, a, axes, {.keepdims = o.keepdims, .dtype = MeanType(a, o.dtype)});
  DivideBy(sum, static_cast<double>(CountReduced(a, axes)), sum.rank == 0);
  return Cast(sum, MeanResult(a, o.dtype));
}

// Returns a copy of x whose memory layout is that of `like`: axes with longer steps are outside.
static Array LaidOutLike(const Array& x, const Array& like) {
  std::vector<int> order, inverse(static_cast<size_t>(x.rank));
  for (int i = 0; i < x.rank; ++i) order.push_back(i);
  std::stable_sort(order.begin(), order.end(),
                   [&](int i, int j) { return std::abs(like.step(i)) > std::abs(like.step(j)); });
  for (int i = 0; i < x.rank; ++i) inverse[static_cast<size_t>(order[static_cast<size_t>(i)])] = i;
  return Transposed(Copy(Transposed(x, order)), inverse);
}

Array Variance(const Array& a, const Axes& axes, const ReduceOptions& o, double ddof) {
  // As in numpy, mean() sums 16-bit floats in 32 bits, but var() does not.
  const int dtype = !o.dtype && a.dtype == TSH_HALF ? a.dtype : MeanType(a, o.dtype);
  const double n = static_cast<double>(CountReduced(a, axes));
  const Array mean = Reduce(Reduction::kSum, a, axes, {.keepdims = true, .dtype = dtype});
  DivideBy(mean, n, false);
  Array x = Apply(UfuncOf(BinaryOp::kSub), Cast(a, dtype), mean);
  if (IsComplexKind(x.dtype)) x = Apply(*FindUfunc("absolute"), x);
  x = Apply(*FindUfunc("square"), x);
  if (!a.contiguous()) x = LaidOutLike(x, a);  // Sums follow the order of memory.
  const Array sum = Reduce(Reduction::kSum, x, axes, {.keepdims = o.keepdims, .dtype = 0});
  DivideBy(sum, std::max(n - ddof, 0.0), sum.rank == 0);
  return IsComplexKind(dtype) ? sum : Cast(sum, MeanResult(a, o.dtype));
}

namespace {

template <class T>
int64_t ExtremeOf(bool largest, const char* p, int64_t n, int64_t step) {
  const auto at = [p, step](int64_t i) { return *reinterpret_cast<const T*>(p + i * step); };
  int64_t best = 0;
  const auto isnan = [](T v) { return v != v; };
  if (isnan(at(0))) return 0;
  for (int64_t i = 1; i < n; ++i) {
    if (isnan(at(i))) return i;
    bool better;
    if constexpr (kIsComplex<T>) {
      const T x = at(i), y = at(best);
      const bool less = x.real() < y.real() || (x.real() == y.real() && x.imag() < y.imag());
      better = largest ? !less && x != y : less;
    } else {
      better = largest ? at(i) > at(best) : at(i) < at(best);
    }
    if (better) best = i;
  }
  return best;
}

}  // namespace

Array ArgExtreme(bool largest, const Array& a, int axis, bool keepdims) {
  if (axis < 0) {
    const Array flat = ArgExtreme(largest, Flat(a), 0, false);
    const Extents ones(static_cast<size_t>(keepdims ? a.rank : 0), 1);
    return Reshaped(flat, ones);
  }
  const int64_t n = a.dim(axis);
  if (n == 0) {
    throw ValueError(std::string("attempt to get arg") + (largest ? "max" : "min") +
                     " of an empty sequence");
  }
  if (!HasBytes(a.dtype)) return ArgExtreme(largest, Cast(a, TSH_DOUBLE), axis, keepdims);
  const Array rows = DropAxis(a, axis, 0);
  const Array out = Empty(TSH_INT64, rows.dims());
  int64_t* to = out.writable<int64_t>();
  const char* base = a.buffer->data();
  WithType(a.dtype, [&]<class T>() {
    ForEachOffset(rows,
                  [&](int64_t at) { *to++ = ExtremeOf<T>(largest, base + at, n, a.step(axis)); });
  });
  return keepdims ? WithAxis(out, axis) : out;
}

Array Cumulate(Reduction op, const Array& a, int axis, int dtype) {
  if (axis < 0) return Cumulate(op, Flat(a), 0, dtype);
  const Array out = Copy(Cast(a, ReduceType(op, a, dtype)));
  if (out.size() == 0) return out;
  const Array rows = DropAxis(out, axis, 0);
  char* base = out.WritableData() - out.offset;
  const int64_t n = a.dim(axis), step = out.step(axis);
  WithType(out.dtype, [&]<class T>() {
    ForEachOffset(rows, [&](int64_t at) {
      for (int64_t i = 1; i < n; ++i) {
        T& to = *reinterpret_cast<T*>(base + at + i * step);
        const T& before = *reinterpret_cast<const T*>(base + at + (i - 1) * step);
        if constexpr (kIsHalf<T>)
          to = T(Combine<float>(op, before, to));
        else
          to = Combine(op, before, to);
      }
    });
  });
  return out;
}

int NormalAxis(int64_t axis, int rank) {
  if (axis < -rank || axis >= rank) {
    throw MakeError(kAxisError, "axis " + std::to_string(axis) +
                                    " is out of bounds for array of dimension " +
                                    std::to_string(rank));
  }
  return static_cast<int>(axis < 0 ? axis + rank : axis);
}

double PairwiseSum(const double* p, int64_t n, int64_t step) {
  return Pairwise<double>(reinterpret_cast<const char*>(p), n, step * 8);
}

}  // namespace tensh::shell::np
