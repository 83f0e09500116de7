// ndarrays and numpy scalars as values, and the conversion between values and the runtime's
// tensors.
//
// NdArray holds an np::Array, which is a strided view of a counted buffer; views share the buffer.
// NpScalar is a number with a fixed dtype and numpy's arithmetic and printing. Indexing down to one
// element, a reduction, or fetching a 0-d tensor returns one.
//
// Only the thread that holds the interpreter's lock may use them.
#pragma once

#include <complex>
#include <cstring>

#include "shell/client/client.h"
#include "shell/numpy/array.h"
#include "shell/python/values/type.h"
#include "shell/python/values/value.h"

namespace tensh::shell {

class NdArray : public Object {
 public:
  static const TypeInfo kType;
  explicit NdArray(np::Array a) : Object(kType), array(std::move(a)) {}
  np::Array array;
};

class NpScalar : public Object {
 public:
  static const TypeInfo kType;  // numpy.generic, the base of all scalar types.
  NpScalar(int dtype, const void* element);
  int dtype() const { return dtype_; }
  const void* data() const { return bytes_; }
  template <class T>
  T get() const {
    T v;
    std::memcpy(&v, bytes_, sizeof v);
    return v;
  }
  np::Array ToArray() const;  // A 0-d array.

 private:
  int dtype_;
  alignas(16) unsigned char bytes_[16] = {};
};

// Returns the class of the scalars of a dtype, such as numpy.float32.
const TypeInfo& ScalarTypeInfo(int dtype);
// One C++ class serves many scalar types, so As<NpScalar> does not work; use this instead.
NpScalar* AsScalar(const Value& v);

inline Value MakeArray(np::Array a) { return New<NdArray>(std::move(a)); }
Value MakeScalar(int dtype, const void* element);
// Returns a 0-d array as numpy's functions return it: as a scalar, or as bytes or str for text. Any
// other array becomes an ndarray.
Value ArrayOrScalar(const np::Array& a);

// ---- conversion for tf ----
enum class Conversion : uint8_t {
  // tf.constant and convert_to_tensor: Python floats become float32 and ints become int32, unless
  // `dtype` is given. A value that does not match `dtype` is a TypeError with TensorFlow's message
  // ("Expected int32, got 1.5 of type 'float' instead."). Arrays keep their dtype or are cast.
  kConstant,
  // feed_dict: accepts whatever np.asarray(v, dtype) accepts.
  kFeed,
};
// Converts numbers, strings, bytes, ndarrays, numpy scalars, and nested lists or tuples of them to
// one tensor. If dtype is 0, it is inferred. Throws ValueError for ragged lists and TypeError for
// values that cannot be a tensor.
TensorHandle ToTensor(const Value& v, int dtype = 0, Conversion how = Conversion::kConstant);
// Returns a numpy scalar or bytes for a 0-d tensor; otherwise an ndarray that shares the elements.
Value FromTensor(const TensorHandle& t);
// Finds the shape of nested lists and arrays without converting them. Returns false if they are
// ragged. The rank is at most kMaxRank.
bool ShapeOf(const Value& v, std::vector<int64_t>* dims);

// Implements np.asarray: returns the array of an ndarray, or a new one. If dtype is 0, it is
// inferred.
np::Array ToArray(const Value& v, int dtype = 0);

// Returns the C API's code of a dtype given as a numpy dtype, np.float32, a name, float, int or
// bool. Returns 0 for anything else.
int DTypeOf(const Value& v);
// Returns the value numpy.dtype('float32').
Value DTypeValue(int dtype);

}  // namespace tensh::shell
