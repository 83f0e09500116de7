#include "shell/np/module.h"

#include <cmath>

#include "shell/lang/library.h"
#include "shell/np/dtype_value.h"
#include "shell/np/matrix.h"
#include "shell/np/ufunc.h"
#include "shell/values/containers.h"
#include "shell/values/ndarray.h"

namespace tensh::shell {
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
template <const ModuleDef& kDef>
Value Submodule() {
  return ModuleValue(kDef);
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
    // Gone from numpy 1.24, there in what tutorials used.
    {"float", Class<kFloatType>},
    {"int", Class<kIntType>},
    {"bool", Class<kBoolType>},
    {"complex", Class<ComplexObject::kType>},
    {"object", Class<kObjectType>},
    {"str", Class<StrObject::kType>},
    {"str_", Class<StrObject::kType>},
    {"unicode_", Class<StrObject::kType>},
    {"bytes_", Class<BytesObject::kType>},
    {"string_", Class<BytesObject::kType>},
    {"object_", Class<kObjectType>},
    {"ndarray", Class<NdArray::kType>},
    {"matrix", [] { return TypeValue(kMatrixType); }},
    {"dtype", Class<DTypeObject::kType>},
    {"generic", Class<NpScalar::kType>},
    {"number", Class<kNumberType>},
    {"integer", Class<kIntegerType>},
    {"signedinteger", Class<kSignedType>},
    {"unsignedinteger", Class<kUnsignedType>},
    {"inexact", Class<kInexactType>},
    {"floating", Class<kFloatingType>},
    {"complexfloating", Class<kComplexFloatingType>},
    {"AxisError", Class<kAxisError>},
    {"newaxis", Value::None},
    {"True_", Truth<true>},
    {"False_", Truth<false>},
    {"pi", [] { return Value::Float(M_PI); }},
    {"e", [] { return Value::Float(M_E); }},
    {"euler_gamma", [] { return Value::Float(0.5772156649015329); }},
    {"inf", Infinity},
    {"Inf", Infinity},
    {"PINF", Infinity},
    {"NINF", [] { return Value::Float(-INFINITY); }},
    {"nan", Nan},
    {"NaN", Nan},
    {"NAN", Nan},
    {"random", Submodule<kRandomModule>},
    {"linalg", Submodule<kLinalgModule>},
    {"testing", Submodule<kTestingModule>},
    {"fft", Submodule<kFftModule>},
    {"__version__", [] { return MakeStr("1.26.4"); }},
};

Value FromPython(StrObject* name) {
  static constexpr const char* kFiles[] = {"numpy_more", "numpy_extra"};
  if (name->view() == kDirName) return LibraryDir(kFiles);
  const Value found = FromLibrary(kFiles[0], name);
  return found.is_null() ? FromLibrary(kFiles[1], name) : found;
}

}  // namespace

const ModuleDef kFftModule = {
    .name = "numpy.fft", .missing = [](StrObject* name) { return FromLibrary("numpy_fft", name); }};

}  // namespace np

const ModuleDef kNumpyModule = {
    .name = "numpy",
    .functions = np::FileFunctions(),
    .constants = np::kConstants,
    .missing = np::FromPython,
    .doc = "Arrays and what computes with them, as numpy 1.x.",
    .short_name = "np",
    .more_functions = {np::CreateFunctions(), np::MathFunctions(), np::ShapeFunctions(),
                       np::SetFunctions(), np::StatsFunctions(), np::PrintFunctions()},
};

}  // namespace tensh::shell
