// Conversion of nested Python values to arrays and tensors. First finds the shape and type, then
// fills in the elements. The functions are declared in shell/numpy/ndarray.h.
#include <algorithm>
#include <cmath>
#include <cstring>

#include "shell/numpy/convert.h"
#include "shell/numpy/element.h"
#include "shell/numpy/local.h"
#include "shell/numpy/methods.h"
#include "shell/numpy/ndarray.h"
#include "shell/numpy/quantized.h"
#include "shell/python/values/class.h"
#include "shell/python/values/containers.h"
#include "shell/python/values/error.h"
#include "shell/python/values/foreign.h"
#include "shell/python/values/ops.h"
#include "shell/python/values/user_slots.h"

namespace tensh::shell {

using np::Array;

namespace {

// Rejects a list that is nested deeper than the rank limit before recursion becomes a problem.
constexpr int kMaxDepth = np::kMaxRank + 1;

class Discovery {
 public:
  explicit Discovery(const Value& v) { Visit(v, 0); }
  std::vector<int64_t> dims;
  int dtype = 0;
  bool ragged = false;
  int ragged_depth = kMaxDepth + 1;  // Number of dimensions that all elements have.
  bool has_array = false;            // True if the data contain an ndarray or a numpy scalar.

 private:
  void Visit(const Value& v, int depth) {
    if (const std::vector<Value>* items = Sequence(v)) {
      if (!Level(static_cast<int64_t>(items->size()), depth)) return;
      for (const Value& item : *items) Visit(item, depth + 1);
    } else if (auto* range = As<RangeObject>(v)) {
      if (Level(range->length, depth) && range->length > 0) Visit(Value::Int(0), depth + 1);
    } else if (auto* array = As<NdArray>(v)) {
      VisitArray(array->array, depth);
    } else {
      Leaf(np::ElementType(v), depth);
      has_array |= AsScalar(v) != nullptr;
    }
  }

  void VisitArray(const Array& a, int depth) {
    has_array = true;
    for (int i = 0; i < a.rank; ++i)
      if (!Level(a.dim(i), depth + i)) return;
    if (a.size() > 0 || a.rank > 0) Leaf(a.dtype, depth + a.rank);
  }

  // Records the extent at `depth`. Returns false if another list at that depth has a different
  // length.
  bool Level(int64_t n, int depth) {
    if (depth >= ragged_depth) return false;
    if (depth >= kMaxDepth) {
      throw ValueError(
          "setting an array element with a sequence. The requested array would exceed "
          "the maximum number of dimension of " +
          std::to_string(np::kMaxRank) + ".");
    }
    const int known = static_cast<int>(dims.size());
    if (depth == known && !leaf_seen_)
      dims.push_back(n);
    else if (depth >= known || dims[static_cast<size_t>(depth)] != n)
      return Ragged(depth);
    return true;
  }

  void Leaf(int type, int depth) {
    if (depth < ragged_depth && (ragged || depth != static_cast<int>(dims.size()))) Ragged(depth);
    leaf_seen_ = true;
    dtype = dtype ? np::Promote(dtype, type) : type;
  }

  bool Ragged(int depth) {
    ragged_depth = depth;
    ragged = true;
    return false;
  }

  bool leaf_seen_ = false;
};

class Filler {
 public:
  explicit Filler(const Array& out) : out_(out), unit_(out.unit()) {}

  void Fill(const Value& v) {
    if (const std::vector<Value>* items = Sequence(v)) {
      for (const Value& item : *items) Fill(item);
    } else if (auto* range = As<RangeObject>(v)) {
      for (int64_t i = 0; i < range->length; ++i) Store(Value::Int(range->start + i * range->step));
    } else if (auto* array = As<NdArray>(v)) {
      const Array cast = np::Cast(array->array, out_.dtype);
      np::ForEachOffset(cast, [&](int64_t at) { Store(np::PythonElement(cast, at)); });
    } else if (np::HasBytes(out_.dtype) || !AsScalar(v)) {
      Store(v);
    } else {
      Store(out_.dtype == kDTypeObject ? v : MakeStr(Str(v)));
    }
  }

 private:
  void Store(const Value& v) {
    // Fast paths for the two most common cases.
    if (out_.dtype == TSH_DOUBLE && v.is_float()) {
      *reinterpret_cast<double*>(Data() + at_) = v.as_float();
    } else if (out_.dtype == TSH_INT64 && v.is_int()) {
      *reinterpret_cast<int64_t*>(Data() + at_) = v.as_int();
    } else {
      PollInterrupt();  // An element may be a long text.
      np::StoreElement(out_, at_, v);
    }
    at_ += unit_;
  }
  char* Data() const { return out_.buffer->data(); }

  const Array& out_;
  int64_t unit_;
  int64_t at_ = 0;
};

void CollectAt(int depth, const Value& v, std::vector<Value>* out) {
  if (depth == 0) return out->push_back(v);
  for (const Value& item : ToVector(v)) CollectAt(depth - 1, item, out);
}

// Returns ragged data as an object array with the dimensions that all elements have.
Array ObjectsOf(const Value& v, const Discovery& d) {
  const std::span<const int64_t> dims(d.dims.data(), static_cast<size_t>(d.ragged_depth));
  Array a = np::Empty(kDTypeObject, dims);
  std::vector<Value> items;
  CollectAt(d.ragged_depth, v, &items);
  a.objects->items = std::move(items);
  return a;
}

Array FillArray(const Value& v, const Discovery& d, int dtype) {
  const Array a = np::Empty(dtype, d.dims);
  if (a.size() > 0) Filler(a).Fill(v);
  return a;
}

std::string ListText(const std::vector<int64_t>& dims) {
  std::string text = "[";
  for (size_t i = 0; i < dims.size(); ++i) text += (i ? ", " : "") + std::to_string(dims[i]);
  return text + "]";
}

[[noreturn]] void NumpyRagged(const Discovery& d) {
  const size_t depth = static_cast<size_t>(std::max(1, d.ragged_depth));
  const std::vector<int64_t> known(
      d.dims.begin(), d.dims.begin() + static_cast<int64_t>(std::min(depth, d.dims.size())));
  std::string shape = "(";
  for (size_t i = 0; i < known.size(); ++i) shape += (i ? ", " : "") + std::to_string(known[i]);
  shape += known.size() == 1 ? ",)" : ")";
  throw ValueError(
      "setting an array element with a sequence. The requested array has an inhomogeneous shape "
      "after " +
      std::to_string(known.size()) + " dimensions. The detected shape was " + shape +
      " + inhomogeneous part.");
}

[[noreturn]] void TensorRagged(const Value& v, const Discovery& d) {
  const size_t depth = static_cast<size_t>(std::max(1, d.ragged_depth));
  std::vector<int64_t> known(d.dims);
  known.resize(std::min(depth, known.size()));
  throw ValueError("Argument must be a dense tensor: " + Repr(v) + " - got shape " +
                   ListText(known) + ", but wanted " + ListText(d.dims) + ".");
}

// Returns true if TensorFlow accepts the Python value for a tensor of this type.
bool Suits(const Value& v, int dtype) {
  const int type = np::ElementType(v);
  if (dtype == TSH_STRING) return np::IsText(type);
  if (dtype == TSH_BOOL) return type == TSH_BOOL;
  const np::Kind kind = np::KindOf(type);
  if (kind == np::Kind::kText || kind == np::Kind::kObject) return false;
  switch (np::KindOf(dtype)) {
    case np::Kind::kSigned:
    case np::Kind::kUnsigned:
      return np::Category(type) < 2;
    case np::Kind::kFloat:
      return kind != np::Kind::kComplex;
    default:
      return true;
  }
}

// Returns the first leaf that does not suit the type, or null.
const Value* FindMismatch(const Value& v, int dtype) {
  if (const std::vector<Value>* items = Sequence(v)) {
    for (const Value& item : *items)
      if (const Value* bad = FindMismatch(item, dtype)) return bad;
    return nullptr;
  }
  if (As<NdArray>(v) || As<RangeObject>(v) || Suits(v, dtype)) return nullptr;
  return &v;
}

void CheckSuits(const Value& v, int dtype) {
  const Value* bad = FindMismatch(v, dtype);
  if (!bad) return;
  if (bad->is_none()) throw ValueError("None values not supported.");
  throw TypeError("Expected " + std::string(tsh_dtype_name(dtype)) + ", got " + Repr(*bad) +
                  " of type '" + TypeOf(*bad).name + "' instead.");
}

bool FitsInt32(const Array& a) {
  bool fits = true;
  np::ForEachOffset(a, [&](int64_t at) {
    const int64_t v = *reinterpret_cast<const int64_t*>(a.buffer->data() + at);
    fits &= v == static_cast<int32_t>(v);
  });
  return fits;
}

TensorHandle PythonConstant(const Value& v, int dtype) {
  const Discovery d(v);
  if (dtype) CheckSuits(v, dtype);
  if (d.ragged) TensorRagged(v, d);
  if (dtype) return np::ToHandle(FillArray(v, d, dtype));
  const int found = d.dtype ? d.dtype : TSH_FLOAT;  // An empty list is float32.
  if (np::KindOf(found) == np::Kind::kObject && found != TSH_STRING) {
    if (v.is_none()) throw ValueError("None values not supported.");
    throw TypeError("Failed to convert object of type " + Repr(TypeValue(TypeOf(v))) +
                    " to Tensor. Contents: " + Str(v) +
                    ". Consider casting elements to a supported type.");
  }
  if (found == TSH_DOUBLE) return np::ToHandle(FillArray(v, d, TSH_FLOAT));
  if (np::IsText(found)) return np::ToHandle(FillArray(v, d, TSH_STRING));
  const Array a = FillArray(v, d, found);
  return np::ToHandle(found == TSH_INT64 && FitsInt32(a) ? np::Cast(a, TSH_INT32) : a);
}

// Fast path for single numbers, which are the most common feeds and operands.
TensorHandle NumberTensor(const Value& v, int dtype) {
  switch (v.tag()) {
    case Value::Tag::kBool:
      if (dtype == 0 || dtype == TSH_BOOL) return TensorHandle::Bool(v.as_bool());
      break;
    case Value::Tag::kInt: {
      const int64_t i = v.as_int();
      const bool small = i == static_cast<int32_t>(i);
      if (dtype == TSH_INT32 && small) return TensorHandle::Int32(static_cast<int32_t>(i));
      if (dtype == TSH_INT64 || (dtype == 0 && !small)) return TensorHandle::Int64(i);
      if (dtype == 0) return TensorHandle::Int32(static_cast<int32_t>(i));
      if (dtype == TSH_FLOAT) return TensorHandle::Float(static_cast<float>(i));
      if (dtype == TSH_DOUBLE) return TensorHandle::Double(static_cast<double>(i));
      break;
    }
    case Value::Tag::kFloat:
      if (dtype == 0 || dtype == TSH_FLOAT)
        return TensorHandle::Float(static_cast<float>(v.as_float()));
      if (dtype == TSH_DOUBLE) return TensorHandle::Double(v.as_float());
      break;
    default:
      break;
  }
  return {};
}

TensorHandle ArrayTensor(const Array& a, int dtype) {
  if (np::IsText(a.dtype)) {
    Array text = a;
    text.dtype = TSH_STRING;  // Both types have the same storage.
    if (dtype == 0 || dtype == TSH_STRING) return np::ToHandle(text);
  }
  if (a.dtype == kDTypeObject && dtype == 0 && a.size() > 0)
    return PythonConstant(np::ToList(a), 0);
  return np::ToHandle(np::Cast(a, dtype ? dtype : a.dtype));
}

}  // namespace

TensorHandle ToTensor(const Value& v, int dtype, Conversion how) {
  if (Value local; WithoutForeign(v, &local)) return ToTensor(local, dtype, how);
  if (dtype > 100) dtype -= 100;  // A reference type.
  if (const int plain = np::PlainType(dtype); plain != dtype) {
    const TensorHandle from = ToTensor(v, plain, how);
    if (np::IsSmallType(dtype)) return np::CastTo(from, dtype);
    TensorHandle quantized = TensorHandle::Make(dtype, from.dims());
    const size_t size = static_cast<size_t>(from.elements()) * tsh_dtype_size(dtype);
    if (size) std::memcpy(quantized.raw(), from.raw(), size);
    return quantized;
  }
  if (TensorHandle t = NumberTensor(v, dtype)) return t;
  if (auto* a = As<NdArray>(v)) return ArrayTensor(a->array, dtype);
  if (NpScalar* s = AsScalar(v)) return ArrayTensor(s->ToArray(), dtype);
  if (how == Conversion::kConstant) return PythonConstant(v, dtype);
  const Discovery d(v);
  if (d.ragged) NumpyRagged(d);
  if (dtype == 0) return ArrayTensor(ToArray(v), 0);
  return np::ToHandle(FillArray(v, d, dtype));
}

Value FromTensor(const TensorHandle& t) {
  if (t.rank() > 0) return MakeArray(np::FromHandle(t));
  if (t.dtype() == TSH_STRING) return MakeBytes(std::string(t.string_at(0)));
  if (np::IsSmallType(t.dtype())) return FromTensor(np::CastTo(t, np::PlainType(t.dtype())));
  return MakeScalar(np::PlainType(t.dtype()), t.raw());
}

bool ShapeOf(const Value& v, std::vector<int64_t>* dims) {
  if (Value local; WithoutForeign(v, &local)) return ShapeOf(local, dims);
  const Discovery d(v);
  *dims = d.dims;
  return !d.ragged;
}

Array ToArray(const Value& v, int dtype) {
  if (auto* a = As<NdArray>(v)) return dtype ? np::Cast(a->array, dtype) : a->array;
  if (NpScalar* s = AsScalar(v)) return dtype ? np::Cast(s->ToArray(), dtype) : s->ToArray();
  if (Value local; WithoutForeign(v, &local)) return ToArray(local, dtype);
  const Discovery d(v);
  if (d.ragged) {
    if (dtype == kDTypeObject) return ObjectsOf(v, d);
    NumpyRagged(d);
  }
  const int found = d.dtype ? d.dtype : TSH_DOUBLE;  // An empty list is float64.
  if (!dtype || dtype == found) return FillArray(v, d, found);
  // Text is parsed to numbers element by element. Numbers are first stored in their own type and
  // then cast.
  const bool direct = !np::HasBytes(found) || !np::HasBytes(dtype) || !d.has_array;
  return direct ? FillArray(v, d, dtype) : np::Cast(FillArray(v, d, found), dtype);
}

}  // namespace tensh::shell
