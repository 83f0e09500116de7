#include "shell/numpy/module.h"

#include <cmath>

#include "shell/numpy/dtype_value.h"
#include "shell/numpy/matrix.h"
#include "shell/numpy/ndarray.h"
#include "shell/numpy/ufunc.h"
#include "shell/python/values/containers.h"
#include "shell/python/vm/interp.h"

namespace tensh::shell {

std::span<const NamesFile> NumpyNamesFiles();   // generated from names/*.names
std::span<const ExamplesFile> NumpyExamples();  // generated from names/*.examples

namespace np {

namespace {

template <int kDType>
Value ScalarClass() {
  return TypeValue(ScalarTypeInfo(kDType));
}
template <const TypeInfo& kInfo>
Value Class() {
  return TypeValue(kInfo);
}
Value Nan() { return Value::Float(std::nan("")); }
template <bool kValue>
Value Truth() {
  const bool value = kValue;
  return MakeScalar(TSH_BOOL, &value);
}
Value Infinity() { return Value::Float(INFINITY); }

constexpr ConstantRow kConstants[] = {
    {"float32", ScalarClass<TSH_FLOAT>},
    {"float64", ScalarClass<TSH_DOUBLE>},
    {"float16", ScalarClass<TSH_HALF>},
    {"half", ScalarClass<TSH_HALF>},
    {"single", ScalarClass<TSH_FLOAT>},
    {"double", ScalarClass<TSH_DOUBLE>},
    {"float_", ScalarClass<TSH_DOUBLE>},
    {"int8", ScalarClass<TSH_INT8>},
    {"int16", ScalarClass<TSH_INT16>},
    {"int32", ScalarClass<TSH_INT32>},
    {"intc", ScalarClass<TSH_INT32>},
    {"int64", ScalarClass<TSH_INT64>},
    {"int_", ScalarClass<TSH_INT64>},
    {"intp", ScalarClass<TSH_INT64>},
    {"longlong", ScalarClass<TSH_INT64>},
    {"uint8", ScalarClass<TSH_UINT8>},
    {"uint16", ScalarClass<TSH_UINT16>},
    {"uint32", ScalarClass<TSH_UINT32>},
    {"uint64", ScalarClass<TSH_UINT64>},
    {"uint", ScalarClass<TSH_UINT64>},
    {"bool_", ScalarClass<TSH_BOOL>},
    {"bool8", ScalarClass<TSH_BOOL>},
    {"complex64", ScalarClass<TSH_COMPLEX64>},
    {"complex128", ScalarClass<TSH_COMPLEX128>},
    {"complex_", ScalarClass<TSH_COMPLEX128>},
    // Removed in numpy 1.24, but used in older tutorials.
    {"float", Class<kFloatType>, "Python's float. numpy 1.24 removed this name."},
    {"int", Class<kIntType>, "Python's int. numpy 1.24 removed this name."},
    {"bool", Class<kBoolType>, "Python's bool. numpy 1.24 removed this name."},
    {"complex", Class<ComplexObject::kType>, "Python's complex. numpy 1.24 removed this name."},
    {"object", Class<kObjectType>, "Python's object. numpy 1.24 removed this name."},
    {"str", Class<StrObject::kType>, "Python's str. numpy 1.24 removed this name."},
    {"str_", Class<StrObject::kType>, "Python's str, as the type of text arrays."},
    {"unicode_", Class<StrObject::kType>, "Python's str, as the type of text arrays."},
    {"bytes_", Class<BytesObject::kType>, "Python's bytes, as the type of byte-string arrays."},
    {"string_", Class<BytesObject::kType>, "Python's bytes, as the type of byte-string arrays."},
    {"object_", Class<kObjectType>, "Python's object, as the type of arrays of objects."},
    {"ndarray", Class<NdArray::kType>},
    {"matrix", [] { return TypeValue(kMatrixType); }},
    {"dtype", Class<DTypeObject::kType>},
    {"generic", Class<NpScalar::kType>, "The base class of all scalars."},
    {"number", Class<kNumberType>, "The base class of numeric scalars."},
    {"integer", Class<kIntegerType>, "The base class of integer scalars."},
    {"signedinteger", Class<kSignedType>, "The base class of signed integer scalars."},
    {"unsignedinteger", Class<kUnsignedType>, "The base class of unsigned integer scalars."},
    {"inexact", Class<kInexactType>, "The base class of real and complex floating-point scalars."},
    {"floating", Class<kFloatingType>, "The base class of real floating-point scalars."},
    {"complexfloating", Class<kComplexFloatingType>, "The base class of complex scalars."},
    {"AxisError", Class<kAxisError>, "An axis is out of range."},
    {"newaxis", Value::None, "Inserts a dimension of extent 1 when used as an index."},
    {"True_", Truth<true>},
    {"False_", Truth<false>},
    {"math", [] { return Interp::Current().Import("math"); }, "The standard module math."},
    {"pi", [] { return Value::Float(M_PI); },
     "The ratio of a circle's circumference to its diameter."},
    {"e", [] { return Value::Float(M_E); }, "The base of the natural logarithm."},
    {"euler_gamma", [] { return Value::Float(0.5772156649015329); },
     "The Euler-Mascheroni constant."},
    {"inf", Infinity, "Positive infinity."},
    {"Inf", Infinity, "Positive infinity."},
    {"PINF", Infinity, "Positive infinity."},
    {"NINF", [] { return Value::Float(-INFINITY); }, "Negative infinity."},
    {"nan", Nan, "Not a number."},
    {"NaN", Nan, "Not a number."},
    {"NAN", Nan, "Not a number."},
    {"__version__", [] { return MakeStr("1.26.4"); }},
};

constexpr NativeTable kTables[] = {
    {.module = "", .functions = CreateFunctions},
    {.module = "", .functions = FileFunctions},
    {.module = "", .functions = MathFunctions},
    {.module = "", .functions = PrintFunctions},
    {.module = "", .functions = SetFunctions},
    {.module = "", .functions = ShapeFunctions},
    {.module = "", .functions = EditFunctions},
    {.module = "", .functions = StatsFunctions},
    {.module = "", .constants = [] { return std::span<const ConstantRow>(kConstants); }},
    {.module = "linalg", .functions = LinalgFunctions, .constants = LinalgConstants},
    {.module = "random", .functions = GeneratorFunctions},
    {.module = "random", .functions = RandomFunctions, .constants = RandomConstants},
    {.module = "testing", .functions = TestingFunctions},
};

}  // namespace
}  // namespace np

const Catalogue& NumpyCatalogue() {
  static const Package package = {
      .name = "numpy",
      .short_name = "np",
      .doc = "Arrays and functions on arrays, compatible with numpy 1.x.",
      .tables = np::kTables,
      .files = NumpyNamesFiles,
      .examples = NumpyExamples};
  static const auto* names = new Catalogue(package);
  return *names;
}

void AddNumpy(Interp& interp) {
  interp.AddModule("numpy", NumpyCatalogue().root());
  interp.AddModule("_lapack", np::kLapackModule);
  interp.AddBuiltinModule("np", "numpy");
}

}  // namespace tensh::shell
