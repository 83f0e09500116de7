#include "shell/tensorflow/graph/arrays.h"

#include "shell/numpy/ndarray.h"
#include "shell/numpy/quantized.h"
#include "shell/print/tensor_printer.h"

namespace tensh::shell::tf {

bool IsArray(const Value& v) { return As<NdArray>(v) || AsScalar(v); }

TensorHandle FromArray(const Value& v) { return ToTensor(v, 0, Conversion::kFeed); }

Value ToValue(const TensorHandle& t) { return FromTensor(t); }

Value AsArray(const Value& scalar) { return MakeArray(shell::ToArray(scalar)); }

int ArrayDType(const Value& v) {
  if (NpScalar* scalar = AsScalar(v)) return scalar->dtype();
  return FromArray(v).dtype();
}

int NumpyDType(const Value& v) {
  const int dtype = DTypeOf(v);
  return dtype == kDTypeBytes || dtype == kDTypeUnicode ? TSH_STRING : dtype;
}

Value NumpyDTypeValue(int dtype) {
  // np.object_ is the class object.
  return TypeValue(dtype == TSH_STRING ? kObjectType : ScalarTypeInfo(np::PlainType(dtype)));
}

}  // namespace tensh::shell::tf
