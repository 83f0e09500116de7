// np.linalg: norms and small dense systems by Gaussian elimination.
#include <algorithm>
#include <cmath>
#include <complex>

#include "shell/lang/library.h"
#include "shell/np/eigen.h"
#include "shell/np/methods.h"
#include "shell/np/module.h"
#include "shell/np/ufunc.h"
#include "shell/values/containers.h"
#include "shell/values/error.h"
#include "shell/values/ops.h"

namespace tensh::shell::np {
namespace {

const TypeInfo kLinAlgError = ExceptionType("LinAlgError", kException, "numpy.linalg");

int ResultOf(const Array& a) { return a.dtype == TSH_FLOAT ? +TSH_FLOAT : +TSH_DOUBLE; }

Array SquareMatrices(const Value& v) {
  const Array a = ToArray(v);
  if (a.rank < 2) {
    throw MakeError(kLinAlgError, std::to_string(a.rank) +
                                      "-dimensional array given. Array must be at least "
                                      "two-dimensional");
  }
  if (a.dim(a.rank - 2) != a.dim(a.rank - 1))
    throw MakeError(kLinAlgError, "Last 2 dimensions of the array must be square");
  return a;
}
Array SquareMatrix(const Value& v) {
  const Array a = SquareMatrices(v);
  if (a.rank != 2)
    throw NotImplementedError(
        "stacks of matrices are not there for this; loop over the first axis");
  return a;
}

// fn(matrix) of a matrix, or stacked as the matrices are.
template <class F>
Array OfEach(const Array& a, F fn) {
  if (a.rank == 2) return fn(a);
  std::vector<Array> parts;
  for (int64_t i = 0; i < a.dim(0); ++i)
    parts.push_back(WithAxis(OfEach(DropAxis(a, 0, i), fn), 0));
  return Concatenate(parts, 0);
}

// LU elimination with row exchange of [m | x]; returns the determinant of m, x becomes m⁻¹x. `n`
// rows, `k` columns of x.
double Eliminate(double* m, double* x, int64_t n, int64_t k) {
  double determinant = 1;
  for (int64_t c = 0; c < n; ++c) {
    int64_t pivot = c;
    for (int64_t r = c + 1; r < n; ++r)
      if (std::fabs(m[r * n + c]) > std::fabs(m[pivot * n + c])) pivot = r;
    if (m[pivot * n + c] == 0) return 0;
    if (pivot != c) {
      determinant = -determinant;
      for (int64_t j = 0; j < n; ++j) std::swap(m[c * n + j], m[pivot * n + j]);
      for (int64_t j = 0; j < k; ++j) std::swap(x[c * k + j], x[pivot * k + j]);
    }
    determinant *= m[c * n + c];
    for (int64_t r = c + 1; r < n; ++r) {
      const double f = m[r * n + c] / m[c * n + c];
      if (f == 0) continue;
      for (int64_t j = c; j < n; ++j) m[r * n + j] -= f * m[c * n + j];
      for (int64_t j = 0; j < k; ++j) x[r * k + j] -= f * x[c * k + j];
    }
  }
  for (int64_t r = n - 1; r >= 0; --r) {
    for (int64_t j = 0; j < k; ++j) {
      double v = x[r * k + j];
      for (int64_t i = r + 1; i < n; ++i) v -= m[r * n + i] * x[i * k + j];
      x[r * k + j] = v / m[r * n + r];
    }
  }
  return determinant;
}

Value Determinant(Args& a) {
  const Array given = SquareMatrices(a[0]);
  const Array all = OfEach(given, [](const Array& one) {
    const Array m = Copy(Cast(one, TSH_DOUBLE));
    return Scalar0(TSH_DOUBLE, Eliminate(m.writable<double>(), nullptr, m.dim(0), 0));
  });
  return ArrayOrScalar(Cast(all, ResultOf(given)));
}

Array Solve(const Array& given, const Array& right) {
  const Array m = Copy(Cast(given, TSH_DOUBLE)), x = Copy(Cast(right, TSH_DOUBLE));
  const int64_t n = m.dim(0);
  if (x.rank == 0 || x.dim(0) != n)
    throw ValueError("solve: Input operand 1 has a mismatch in its core dimension 0");
  const int64_t k = n ? x.size() / n : 0;
  if (Eliminate(m.writable<double>(), x.writable<double>(), n, k) == 0 && n)
    throw MakeError(kLinAlgError, "Singular matrix");
  return Cast(x, ResultOf(given));
}

Value SolveFunction(Args& a) { return MakeArray(Solve(SquareMatrix(a[0]), ToArray(a[1]))); }

Value Inverse(Args& a) {
  return MakeArray(OfEach(SquareMatrices(a[0]), [](const Array& m) {
    const Array one = Zeros(TSH_DOUBLE, m.dims());
    for (int64_t i = 0; i < m.dim(0); ++i) one.writable<double>()[i * m.dim(0) + i] = 1;
    return Solve(m, one);
  }));
}

// x, ord, axis, keepdims
Value Norm(Args& a) {
  Array x = ToArray(a[0]);
  if (Category(x.dtype) < 2) x = Cast(x, TSH_DOUBLE);
  const Axes axes = AxesArgument(a[2], x.rank);
  const ReduceOptions o{.keepdims = Truth(a[3])};
  if (!a[1].is_none() && x.rank == 2 && axes.all && !Truth(a[3]))
    return Call(FromLibrary("numpy_linalg", Intern("_matrix_norm")), {MakeArray(x), a[1]});
  const Array magnitude = Apply(*FindUfunc("absolute"), x);
  const double order = a[1].is_none() || IsStr(a[1]) ? 2 : ToDouble(a[1]);
  if (std::isinf(order))
    return ArrayOrScalar(Reduce(order > 0 ? Reduction::kMax : Reduction::kMin, magnitude, axes, o));
  if (order == 1) return ArrayOrScalar(Reduce(Reduction::kSum, magnitude, axes, o));
  if (order == 2) {
    const Array sum = Reduce(Reduction::kSum, Apply(*FindUfunc("square"), magnitude), axes, o);
    return ArrayOrScalar(Apply(*FindUfunc("sqrt"), sum));
  }
  const Array powers = Power(magnitude, Scalar0(TSH_DOUBLE, order));
  return ArrayOrScalar(
      Power(Reduce(Reduction::kSum, powers, axes, o), Scalar0(TSH_DOUBLE, 1 / order)));
}

// ---- np.testing ----

[[noreturn]] void Fail(const Value& x, const Value& y, const std::string& head) {
  throw MakeError(kAssertionError, "\n" + head + "\n x: " + Repr(MakeArray(ToArray(x))) +
                                       "\n y: " + Repr(MakeArray(ToArray(y))));
}
Value AssertCall(const char* function, Args& a, std::initializer_list<Value> args) {
  const Value f = GetAttr(ModuleValue(kNumpyModule), function);
  if (!Truth(Call(f, args)))
    Fail(a[0], a[1],
         "Arrays are not " +
             std::string(function == std::string("allclose") ? "almost equal" : "equal"));
  return Value::None();
}
Value AssertEqual(Args& a) { return AssertCall("array_equal", a, {a[0], a[1], Value::Bool(true)}); }
Value AssertClose(Args& a) {
  return AssertCall("allclose", a, {a[0], a[1], a[2], a[3], Value::Bool(true)});
}
Value AssertAlmost(Args& a) {
  const double within = 1.5 * std::pow(10.0, -ToDouble(a[2]));
  return AssertCall("allclose", a,
                    {a[0], a[1], Value::Float(0), Value::Float(within), Value::Bool(true)});
}

// ---- eigenvalues ----

SquareOf ReadSquare(const Array& given) {
  const Array a = Contiguous(Cast(given, TSH_DOUBLE));
  SquareOf out(a.dim(0));
  for (int64_t i = 0; i < a.size(); ++i) {
    const double v = a.as<double>()[i];
    if (!std::isfinite(v)) throw MakeError(kLinAlgError, "Array must not contain infs or NaNs");
    out(i / out.n() + 1, i % out.n() + 1) = v;
  }
  return out;
}

Array ToVector(const std::vector<double>& v, int dtype) {
  const int64_t n = static_cast<int64_t>(v.size());
  const Array out = Empty(TSH_DOUBLE, {&n, 1});
  std::copy(v.begin(), v.end(), out.writable<double>());
  return Cast(out, dtype);
}

// Values and vectors, the latter complex when one of the values is.
Value GeneralPair(Args& a) {
  const Array given = SquareMatrix(a[0]);
  if (IsComplexKind(given.dtype))
    throw NotImplementedError("eig of complex matrices is not there; eigh takes Hermitian ones");
  const int64_t n = given.dim(0);
  std::vector<double> real, imaginary;
  SquareOf vectors(n);
  if (!GeneralEigen(ReadSquare(given), &real, &imaginary, &vectors))
    throw MakeError(kLinAlgError, "Eigenvalues did not converge");
  const bool complex =
      std::any_of(imaginary.begin(), imaginary.end(), [](double v) { return v != 0; });
  const int result = ResultOf(given);
  const Extents dims = {n, n};
  const Array columns = Empty(TSH_COMPLEX128, dims), values = Empty(TSH_COMPLEX128, {&n, 1});
  auto* v = columns.writable<std::complex<double>>();
  auto* w = values.writable<std::complex<double>>();
  for (int64_t k = 0; k < n; ++k) {
    const double im = imaginary[static_cast<size_t>(k)];
    w[k] = {real[static_cast<size_t>(k)], im};
    // The second of a pair has the first one's vector, conjugated.
    const int64_t first = im < 0 ? k : k + 1;
    for (int64_t i = 0; i < n; ++i) {
      const double part = im == 0 ? 0 : vectors(i + 1, first + 1);
      v[i * n + k] = {vectors(i + 1, first), im < 0 ? -part : part};
    }
  }
  const int wide = result == TSH_FLOAT ? +TSH_COMPLEX64 : +TSH_COMPLEX128;
  return MakeTuple({MakeArray(Cast(values, complex ? wide : result)),
                    MakeArray(Cast(columns, complex ? wide : result))});
}

Value SymmetricPair(Args& a) {
  const Array given = SquareMatrix(a[0]);
  SquareOf m = ReadSquare(given);
  std::vector<double> values;
  if (!SymmetricEigen(&m, &values)) throw MakeError(kLinAlgError, "Eigenvalues did not converge");
  const Extents dims = {m.n(), m.n()};
  const Array vectors = Empty(TSH_DOUBLE, dims);
  for (int64_t i = 0; i < vectors.size(); ++i)
    vectors.writable<double>()[i] = m(i / m.n() + 1, i % m.n() + 1);
  const int result = ResultOf(given);
  return MakeTuple({MakeArray(ToVector(values, result)), MakeArray(Cast(vectors, result))});
}

// What numpy_linalg.py makes its functions of.
constexpr FunctionRow kEigenRows[] = {
    {"general", "a, /", GeneralPair, "Eigenvalues and eigenvectors of a real matrix."},
    {"symmetric", "a, /", SymmetricPair, "Those of a symmetric one, of its lower triangle."},
};

constexpr FunctionRow kLinalgRows[] = {
    {"norm", "x, ord=None, axis=None, keepdims=False", Norm, "The length of a vector or matrix."},
    {"det", "a", Determinant, "The determinant."},
    {"inv", "a", Inverse, "The inverse."},
    {"solve", "a, b", SolveFunction, "The x with a x = b."},
};
constexpr ConstantRow kLinalgConstants[] = {
    {"LinAlgError", [] { return TypeValue(kLinAlgError); }}};

constexpr FunctionRow kTestingRows[] = {
    {"assert_array_equal", "x, y, err_msg='', verbose=True", AssertEqual, "Fails unless equal."},
    {"assert_equal", "actual, desired, err_msg='', verbose=True", AssertEqual,
     "Fails unless equal."},
    {"assert_allclose", "actual, desired, rtol=1e-07, atol=0, equal_nan=True", AssertClose,
     "Fails unless close."},
    {"assert_almost_equal", "actual, desired, decimal=7", AssertAlmost, "Fails unless close."},
    {"assert_array_almost_equal", "x, y, decimal=6", AssertAlmost, "Fails unless close."},
};

}  // namespace

const ModuleDef kLinalgModule = {
    .name = "numpy.linalg",
    .functions = kLinalgRows,
    .constants = kLinalgConstants,
    .missing = [](StrObject* name) { return FromLibrary("numpy_linalg", name); }};
const ModuleDef kEigenModule = {.name = "_eigen", .functions = kEigenRows};
const ModuleDef kTestingModule = {.name = "numpy.testing", .functions = kTestingRows};

}  // namespace tensh::shell::np
