// np.linalg: norms, and the table of the functions that numpy_linalg.py builds on LAPACK
// (lapack.cc). Also np.testing.
#include <cmath>

#include "shell/numpy/methods.h"
#include "shell/numpy/module.h"
#include "shell/numpy/ufunc.h"
#include "shell/python/values/containers.h"
#include "shell/python/values/error.h"
#include "shell/python/values/ops.h"
#include "shell/python/vm/library.h"

namespace tensh::shell::np {

const TypeInfo kLinAlgError = ExceptionType("LinAlgError", kException, "numpy.linalg");

namespace {

// Arguments: x, ord, axis, keepdims.
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
  const Value f = GetAttr(ModuleValue(NumpyCatalogue().root()), function);
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

constexpr FunctionRow kLinalgRows[] = {
    {"norm", "x, ord=None, axis=None, keepdims=False", Norm,
     "Return the norm of a vector or matrix."},
};
constexpr ConstantRow kLinalgConstants[] = {
    {"LinAlgError", [] { return TypeValue(kLinAlgError); },
     "A matrix is singular, not square, or a decomposition does not converge."}};

constexpr FunctionRow kTestingRows[] = {
    {"assert_array_equal", "x, y, err_msg='', verbose=True", AssertEqual,
     "Raise an AssertionError unless the arguments are equal."},
    {"assert_equal", "actual, desired, err_msg='', verbose=True", AssertEqual,
     "Raise an AssertionError unless the arguments are equal."},
    {"assert_allclose", "actual, desired, rtol=1e-07, atol=0, equal_nan=True", AssertClose,
     "Raise an AssertionError unless the arguments are close."},
    {"assert_almost_equal", "actual, desired, decimal=7", AssertAlmost,
     "Raise an AssertionError unless the arguments are close."},
    {"assert_array_almost_equal", "x, y, decimal=6", AssertAlmost,
     "Raise an AssertionError unless the arguments are close."},
};

}  // namespace

std::span<const FunctionRow> LinalgFunctions() { return kLinalgRows; }
std::span<const ConstantRow> LinalgConstants() { return kLinalgConstants; }
std::span<const FunctionRow> TestingFunctions() { return kTestingRows; }

}  // namespace tensh::shell::np
