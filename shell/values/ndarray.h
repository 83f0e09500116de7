// ndarray and numpy's scalars as values, and the way between values and the runtime's tensors.
//
// NdArray holds an np::Array (a strided view of a counted buffer); views share it. NpScalar is what
// indexing to one element, a reduction or a 0-d fetch gives: a number with its own width, numpy's
// arithmetic and printing. Threads: the interpreter's only.
#pragma once

#include <complex>
#include <cstring>

#include "shell/client.h"
#include "shell/np/array.h"
#include "shell/values/type.h"
#include "shell/values/value.h"

namespace tensh::shell {

class NdArray : public Object {
 public:
  static const TypeInfo kType;
  explicit NdArray(np::Array a) : Object(kType), array(std::move(a)) {}
  np::Array array;
};

class NpScalar : public Object {
 public:
  static const TypeInfo kType;  // numpy.generic, the base of all
  NpScalar(int dtype, const void* element);
  int dtype() const { return dtype_; }
  const void* data() const { return bytes_; }
  template <class T>
  T get() const {
    T v;
    std::memcpy(&v, bytes_, sizeof v);
    return v;
  }
  np::Array ToArray() const;  // 0-d

 private:
  int dtype_;
  alignas(16) unsigned char bytes_[16] = {};
};

// numpy.float32 and the rest: the class of one dtype's scalars.
const TypeInfo& ScalarTypeInfo(int dtype);
// NpScalar is one class for many types, so As<NpScalar> is asked by this.
NpScalar* AsScalar(const Value& v);

inline Value MakeArray(np::Array a) { return New<NdArray>(std::move(a)); }
Value MakeScalar(int dtype, const void* element);
// A 0-d array as numpy returns it from functions: a scalar (bytes and str for text). Others: an
// ndarray.
Value ArrayOrScalar(const np::Array& a);

// ---- for tf ----
enum class Conversion : uint8_t {
  // tf.constant, convert_to_tensor: Python floats become float32 and ints int32 unless `dtype` says
  // otherwise; values that are not of `dtype` are TypeErrors as TensorFlow's ("Expected int32,
  // got 1.5 of
  // type 'float' instead."). Arrays keep their type, or are cast.
  kConstant,
  // feed_dict: what np.asarray(v, dtype) takes.
  kFeed,
};
// Numbers, strings, bytes, ndarrays, numpy scalars and nested lists or tuples of them as one
// tensor. dtype 0: found. ValueError for ragged lists, TypeError for what is no tensor.
TensorHandle ToTensor(const Value& v, int dtype = 0, Conversion how = Conversion::kConstant);
// 0-d: a numpy scalar, or bytes. Otherwise an ndarray that shares the elements.
Value FromTensor(const TensorHandle& t);
// The shape of nested lists and arrays without converting them; false when ragged. Rank at most
// kMaxRank.
bool ShapeOf(const Value& v, std::vector<int64_t>* dims);

// numpy's asarray: an ndarray's own array, or a new one. dtype 0: found.
np::Array ToArray(const Value& v, int dtype = 0);

// A dtype as a C API code: numpy dtype objects, np.float32, names, float, int, bool. 0: something
// else.
int DTypeOf(const Value& v);
// numpy.dtype('float32').
Value DTypeValue(int dtype);

}  // namespace tensh::shell
