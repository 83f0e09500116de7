// The module _lapack: decompositions of one matrix. numpy_linalg.py builds np.linalg on it.
#include "shell/numpy/linalg/lapack.h"

#include <cmath>
#include <limits>

#include "runtime/base/shared_library.h"
#include "shell/numpy/methods.h"
#include "shell/numpy/module.h"
#include "shell/python/values/containers.h"
#include "shell/python/values/error.h"
#include "shell/python/values/ops.h"
#include "shell/python/vm/library.h"

// LAPACK calls xerbla_ for an invalid argument, including a NaN that occurs during the computation.
// Its own version ends the process. The executable exports this one (CMakeLists.txt), so that the
// library finds it first. The error is still reported by info.
extern "C" __attribute__((visibility("default"))) void xerbla_(const char*, const int*, size_t) {}

namespace tensh::shell::np {

void* LapackRoutine(const std::string& name) {
  static const SharedLibrary library(kLapackLibrary);
  void* const routine = library.Address(name.c_str());
  if (!routine) throw MakeError(kImportError, NotInstalled(kLapackLibrary));
  return routine;
}

namespace {

template <class T>
constexpr bool kIsReal = std::is_same_v<T, double>;
template <class T>
constexpr int kType = kIsReal<T> ? +TSH_DOUBLE : +TSH_COMPLEX128;

// Calls fn.operator()<T>() for the element type. numpy also computes smaller types in double
// precision.
template <class Fn>
Value ByElement(const Array& a, Fn fn) {
  if (a.dtype == TSH_DOUBLE) return fn.template operator()<double>();
  if (a.dtype == TSH_COMPLEX128) return fn.template operator()<std::complex<double>>();
  throw TypeError("array type " + std::string(GetType(a.dtype).name) + " is unsupported in linalg");
}

// A matrix stored by columns, as LAPACK expects.
template <class T>
struct Columns {
  Columns(int64_t m, int64_t n) : by_columns(Empty(kType<T>, Extents{n, m})) { Point(); }
  explicit Columns(const Array& a) : by_columns(Copy(Transposed(Matrix(a)))) { Point(); }
  static const Array& Matrix(const Array& a) {
    if (a.rank != 2 || a.dtype != kType<T>)
      throw MakeError(kLinAlgError, "a matrix of one type was expected");
    return a;
  }
  void Point() {
    data = by_columns.writable<T>();
    for (int d : {0, 1}) Size(static_cast<double>(by_columns.dim(d)));
    rows = static_cast<int>(by_columns.dim(1));
    columns = static_cast<int>(by_columns.dim(0));
    leading = std::max(1, rows);
  }
  Value value() const { return MakeArray(Transposed(by_columns)); }

  Array by_columns;
  T* data;
  int rows, columns, leading;
};

template <class T>
struct List {
  explicit List(int64_t n) : array(Empty(kType<T>, {&n, 1})), data(array.writable<T>()) {}
  Value value() const { return MakeArray(array); }
  Array array;
  T* data;
};

template <class T>
Columns<T> Square(const Array& a) {
  Columns<T> m(a);
  if (m.rows != m.columns)
    throw MakeError(kLinAlgError, "Last 2 dimensions of the array must be square");
  return m;
}

template <class T>
bool IsFinite(const Columns<T>& m) {
  return std::all_of(m.data, m.data + int64_t{m.rows} * m.columns, [](T v) {
    return std::isfinite(std::real(v)) && std::isfinite(std::imag(v));
  });
}

int Least(int a, int b) { return std::min(a, b); }

[[noreturn]] void Fail(const char* why) { throw MakeError(kLinAlgError, why); }

// ---- eigenvalues ----

// Converts eigenvectors. LAPACK's real routine stores a complex pair of vectors as two columns: the
// real part and the imaginary part.
Value ComplexPair(const List<double>& real, const List<double>& imaginary,
                  const Columns<double>& v) {
  const int n = v.rows;
  List<std::complex<double>> values(n);
  Columns<std::complex<double>> vectors(n, n);
  for (int k = 0; k < n; ++k) {
    const double im = imaginary.data[k];
    values.data[k] = {real.data[k], im};
    // The second vector of a pair is the conjugate of the first.
    const int first = im < 0 ? k - 1 : k;
    for (int i = 0; i < n; ++i) {
      const double part = im == 0 ? 0 : v.data[(first + 1) * n + i];
      vectors.data[k * n + i] = {v.data[first * n + i], im < 0 ? -part : part};
    }
  }
  return MakeTuple({values.value(), vectors.value()});
}

template <class T>
Value General(const Array& a, char job) {
  Columns<T> m = Square<T>(a), vectors(m.rows, job == 'V' ? m.rows : 0);
  const int n = m.rows;
  if constexpr (kIsReal<T>) {
    List<T> real(n), imaginary(n);
    const int info = WithWork<T>([&](T* work, int size) {
      return CallLapack<T>("geev", 'N', job, n, m.data, m.leading, real.data, imaginary.data,
                           vectors.data, m.leading, vectors.data, m.leading, work, size);
    });
    if (info) Fail("Eigenvalues did not converge");
    if (std::any_of(imaginary.data, imaginary.data + n, [](double v) { return v != 0; })) {
      if (job == 'V') return ComplexPair(real, imaginary, vectors);
      List<std::complex<T>> values(n);
      for (int k = 0; k < n; ++k) values.data[k] = {real.data[k], imaginary.data[k]};
      return MakeTuple({values.value(), Value::None()});
    }
    return MakeTuple({real.value(), vectors.value()});
  } else {
    List<T> values(n);
    std::vector<double> more(static_cast<size_t>(2 * n));
    const int info = WithWork<T>([&](T* work, int size) {
      return CallLapack<T>("geev", 'N', job, n, m.data, m.leading, values.data, vectors.data,
                           m.leading, vectors.data, m.leading, work, size, more.data());
    });
    if (info) Fail("Eigenvalues did not converge");
    return MakeTuple({values.value(), vectors.value()});
  }
}

// Decomposes a symmetric or Hermitian matrix, of which one triangle is read.
template <class T>
Value Symmetric(const Array& a, char job, char triangle) {
  Columns<T> m = Square<T>(a);
  if (!IsFinite(m)) Fail("Eigenvalues did not converge");
  const int n = m.rows;
  List<double> values(n);
  int info = 0;
  std::vector<int> places(static_cast<size_t>(3 + 5 * std::max(1, n)));
  const int n_places = static_cast<int>(places.size());
  if constexpr (kIsReal<T>) {
    info = WithWork<T>([&](T* work, int size) {
      return CallLapack<T>("syevd", job, triangle, n, m.data, m.leading, values.data, work, size,
                           places.data(), n_places);
    });
  } else {
    const int n_more = Size(1 + 5.0 * n + 2.0 * n * n);
    std::vector<double> more(static_cast<size_t>(n_more));
    info = WithWork<T>([&](T* work, int size) {
      return CallLapack<T>("heevd", job, triangle, n, m.data, m.leading, values.data, work, size,
                           more.data(), n_more, places.data(), n_places);
    });
  }
  if (info) Fail("Eigenvalues did not converge");
  return MakeTuple({values.value(), m.value()});
}

// ---- singular values ----

// job: 'A' computes all vectors, 'S' as many as there are singular values, 'N' none.
template <class T>
Value Singular(const Array& a, char job) {
  Columns<T> m(a);
  if (!IsFinite(m)) Fail("SVD did not converge");
  const int least = Least(m.rows, m.columns);
  const bool all = job == 'A', none = job == 'N';
  List<double> values(least);
  Columns<T> u(m.rows, none ? 0 : all ? m.rows : least);
  Columns<T> v(none ? 0 : all ? m.columns : least, m.columns);
  std::vector<int> places(static_cast<size_t>(8 * std::max(1, least)));
  const int u_leading = m.leading, v_leading = v.leading;
  const int64_t most = std::max(m.rows, m.columns);
  std::vector<double> more;
  if (!kIsReal<T>)
    more.resize(static_cast<size_t>(
        std::max<int64_t>(1, least * std::max<int64_t>(5 * least + 7, 2 * most + 2 * least + 1))));
  const int info = WithWork<T>([&](T* work, int size) {
    if constexpr (kIsReal<T>)
      return CallLapack<T>("gesdd", job, m.rows, m.columns, m.data, m.leading, values.data, u.data,
                           u_leading, v.data, v_leading, work, size, places.data());
    else
      return CallLapack<T>("gesdd", job, m.rows, m.columns, m.data, m.leading, values.data, u.data,
                           u_leading, v.data, v_leading, work, size, more.data(), places.data());
  });
  if (info) Fail("SVD did not converge");
  return MakeTuple({u.value(), values.value(), v.value()});
}

// ---- equations ----

template <class T>
Value Solve(const Array& a, const Array& b) {
  Columns<T> m = Square<T>(a), x(b);
  if (x.rows != m.rows) throw MakeError(kLinAlgError, "there is not an equation for each unknown");
  std::vector<int> pivots(static_cast<size_t>(m.rows));
  if (CallLapack<T>("gesv", m.rows, x.columns, m.data, m.leading, pivots.data(), x.data, x.leading))
    Fail("Singular matrix");
  return x.value();
}

// Returns the sign of the determinant and the logarithm of its absolute value.
template <class T>
Value LogDeterminant(const Array& a) {
  Columns<T> m = Square<T>(a);
  std::vector<int> pivots(static_cast<size_t>(m.rows));
  T sign = 1;
  double logarithm = 0;
  const int info = CallLapack<T>("getrf", m.rows, m.columns, m.data, m.leading, pivots.data());
  if (info) {  // A pivot is zero.
    sign = 0;
    logarithm = -std::numeric_limits<double>::infinity();
  }
  for (int i = 0; i < m.rows && !info; ++i) {
    const T pivot = m.data[i * m.rows + i];
    if (pivots[static_cast<size_t>(i)] != i + 1) sign = -sign;
    sign *= pivot / std::abs(pivot);
    logarithm += std::log(std::abs(pivot));
  }
  return MakeTuple(
      {ArrayOrScalar(Scalar0(kType<T>, sign)), ArrayOrScalar(Scalar0(kType<double>, logarithm))});
}

// Returns the x that minimizes |a·x - b|, the residual sum of squares, the rank, and the singular
// values.
template <class T>
Value LeastSquares(const Array& a, const Array& b, double limit) {
  Columns<T> m(a), given(b);
  if (given.rows != m.rows) throw MakeError(kLinAlgError, "Incompatible dimensions");
  if (!IsFinite(m) || !IsFinite(given)) Fail("SVD did not converge in Linear Least Squares");
  const int least = Least(m.rows, m.columns), most = std::max(m.rows, m.columns);
  Columns<T> x(std::max(1, most), given.columns);
  std::fill_n(x.data, x.by_columns.size(), T(0));
  for (int k = 0; k < given.columns; ++k)
    std::copy_n(given.data + int64_t{k} * given.rows, given.rows, x.data + int64_t{k} * x.rows);
  List<double> values(least);
  int rank = 0, n_places = 0;
  double n_more = 0;
  const auto call = [&](T* work, int size, double* more, int* places) {
    if constexpr (kIsReal<T>)
      return CallLapack<T>("gelsd", m.rows, m.columns, x.columns, m.data, m.leading, x.data,
                           x.leading, values.data, limit, &rank, work, size, places);
    else
      return CallLapack<T>("gelsd", m.rows, m.columns, x.columns, m.data, m.leading, x.data,
                           x.leading, values.data, limit, &rank, work, size, more, places);
  };
  T wanted{};
  call(&wanted, -1, &n_more, &n_places);
  std::vector<double> more(static_cast<size_t>(Size(n_more)));
  std::vector<int> places(static_cast<size_t>(std::max(1, n_places)));
  std::vector<T> work(static_cast<size_t>(Size(std::real(wanted))));
  if (call(work.data(), static_cast<int>(work.size()), more.data(), places.data()))
    Fail("SVD did not converge in Linear Least Squares");
  List<double> left(x.columns);
  for (int k = 0; k < x.columns; ++k) {
    left.data[k] = 0;
    for (int i = m.columns; i < m.rows; ++i)
      left.data[k] += std::norm(x.data[int64_t{k} * x.rows + i]);
  }
  return MakeTuple({x.value(), left.value(), Value::Int(rank), values.value()});
}

// ---- factors ----

template <class T>
Value Cholesky(const Array& a) {
  Columns<T> m = Square<T>(a);
  if (CallLapack<T>("potrf", 'L', m.rows, m.data, m.leading))
    Fail("Matrix is not positive definite");
  for (int k = 1; k < m.columns; ++k)
    std::fill_n(m.data + int64_t{k} * m.rows, k, T(0));  // Clears the elements above the diagonal.
  return m.value();
}

// Returns Q with `n_q` columns, and R. Below the diagonal, R still contains the reflectors that
// form Q.
template <class T>
Value Qr(const Array& a, int64_t n_q) {
  Columns<T> m(a);
  const int least = Least(m.rows, m.columns);
  if (n_q < least || n_q > m.rows) throw ValueError("Q has as many columns as R rows, or A");
  const int columns = static_cast<int>(n_q);
  std::vector<T> scales(static_cast<size_t>(std::max(1, least)));
  WithWork<T>([&](T* work, int size) {
    return CallLapack<T>("geqrf", m.rows, m.columns, m.data, m.leading, scales.data(), work, size);
  });
  Columns<T> q(m.rows, columns);
  std::copy_n(m.data, int64_t{m.rows} * Least(columns, m.columns), q.data);
  WithWork<T>([&](T* work, int size) {
    return CallLapack<T>(kIsReal<T> ? "orgqr" : "ungqr", q.rows, columns, least, q.data, q.leading,
                         scales.data(), work, size);
  });
  return MakeTuple({q.value(), m.value()});
}

// ---- the module ----

// Returns a letter that the routine accepts. LAPACK would end the process for any other.
char Letter(const Value& v, std::string_view known) {
  auto* text = As<StrObject>(v);
  if (!text || text->text().size() != 1 || known.find(text->text()[0]) == known.npos)
    throw ValueError("the job is one letter of '" + std::string(known) + "'");
  return text->text()[0];
}

const FunctionRow kRows[] = {
    {"geev", "a, job, /",
     [](Args& a) {
       const Array m = ToArray(a[0]);
       return ByElement(m, [&]<class T>() { return General<T>(m, Letter(a[1], "NV")); });
     },
     "Eigenvalues and, with job 'V', eigenvectors of a matrix."},
    {"heevd", "a, job, triangle, /",
     [](Args& a) {
       const Array m = ToArray(a[0]);
       return ByElement(
           m, [&]<class T>() { return Symmetric<T>(m, Letter(a[1], "NV"), Letter(a[2], "LU")); });
     },
     "Eigenvalues and, with job 'V', eigenvectors of a Hermitian matrix, read from triangle 'L' or "
     "'U'."},
    {"gesdd", "a, job, /",
     [](Args& a) {
       const Array m = ToArray(a[0]);
       return ByElement(m, [&]<class T>() { return Singular<T>(m, Letter(a[1], "ASN")); });
     },
     "Singular values; with job 'A' all vectors, with 'S' as many as there are values, with 'N' "
     "none."},
    {"gesv", "a, b, /",
     [](Args& a) {
       const Array m = ToArray(a[0]), b = ToArray(a[1]);
       return ByElement(m, [&]<class T>() { return Solve<T>(m, b); });
     },
     "Solve a x = b for x; a and b have the same type."},
    {"getrf", "a, /",
     [](Args& a) {
       const Array m = ToArray(a[0]);
       return ByElement(m, [&]<class T>() { return LogDeterminant<T>(m); });
     },
     "The sign of the determinant and the logarithm of its absolute value."},
    {"gelsd", "a, b, rcond, /",
     [](Args& a) {
       const Array m = ToArray(a[0]), b = ToArray(a[1]);
       return ByElement(m, [&]<class T>() { return LeastSquares<T>(m, b, ToDouble(a[2])); });
     },
     "The x that minimizes |a x - b|, the residuals, the rank and the singular values."},
    {"potrf", "a, /",
     [](Args& a) {
       const Array m = ToArray(a[0]);
       return ByElement(m, [&]<class T>() { return Cholesky<T>(m); });
     },
     "The lower triangular Cholesky factor of a."},
    {"geqrf", "a, columns, /",
     [](Args& a) {
       const Array m = ToArray(a[0]);
       return ByElement(m, [&]<class T>() { return Qr<T>(m, ToIndex(a[1])); });
     },
     "Q with the given number of columns, and R on and above the diagonal."},
};

}  // namespace

const ModuleDef kLapackModule = {.name = "_lapack", .functions = kRows};

}  // namespace tensh::shell::np
