#include "shell/tensorflow/graph/convert.h"

#include <cmath>
#include <cstring>
#include <limits>

#include "shell/numpy/local.h"
#include "shell/numpy/quantized.h"
#include "shell/python/values/error.h"
#include "shell/python/values/ops.h"
#include "shell/tensorflow/graph/arrays.h"
#include "shell/tensorflow/graph/graph.h"
#include "shell/tensorflow/graph/shape.h"
#include "shell/tensorflow/graph/variable.h"

namespace tensh::shell::tf {
namespace {

// The kind of an element of a nested list, in the order of numpy's promotion.
enum class Kind : uint8_t { kNone, kBool, kInt, kFloat, kComplex, kString, kOther };

struct Scan {
  Kind kind = Kind::kNone;
  int array_dtype = 0;  // the common dtype if all leaves are arrays
  bool wide = false;    // an int that does not fit into int32
  std::vector<int64_t> dims;
  size_t leaf_depth = SIZE_MAX;
};

Kind KindOfDType(int dtype) {
  if (dtype == TSH_BOOL) return Kind::kBool;
  if (IsInteger(dtype)) return Kind::kInt;
  if (IsFloating(dtype)) return Kind::kFloat;
  if (dtype == TSH_STRING) return Kind::kString;
  if (dtype == TSH_COMPLEX64 || dtype == TSH_COMPLEX128) return Kind::kComplex;
  return Kind::kOther;
}

const DimensionObject* AsDimension(const Value& v) { return As<DimensionObject>(v); }

Kind KindOfLeaf(const Value& v) {
  if (v.is_bool()) return Kind::kBool;
  if (v.is_int() || AsDimension(v)) return Kind::kInt;
  if (v.is_float()) return Kind::kFloat;
  if (As<StrObject>(v) || As<BytesObject>(v)) return Kind::kString;
  if (As<ComplexObject>(v)) return Kind::kComplex;
  return Kind::kOther;
}

PyError NotDense(const Value& v) {
  return ValueError("Argument must be a dense tensor: " + Repr(v) +
                    " has rows of different lengths or depths.")
      .Hint("Pad the rows to one length");
}

// ---- scanning ----

class Scanner {
 public:
  explicit Scanner(const Value& root) : root_(root) {}

  Scan Run() {
    Visit(root_, 0);
    return std::move(scan_);
  }

 private:
  void Leaf(Kind kind, size_t depth) {
    if (scan_.leaf_depth == SIZE_MAX) {
      if (depth != scan_.dims.size()) throw NotDense(root_);
      scan_.leaf_depth = depth;
    } else if (depth != scan_.leaf_depth) {
      throw NotDense(root_);
    }
    const bool text = kind == Kind::kString;
    if (scan_.kind != Kind::kNone && text != (scan_.kind == Kind::kString)) {
      throw TypeError("Can't convert Python sequence with mixed types to Tensor.");
    }
    if (kind > scan_.kind) scan_.kind = kind;
  }

  void Size(int64_t n, size_t depth) {
    if (depth >= TSH_MAX_RANK) {
      throw ValueError("Tensors have at most " + std::to_string(TSH_MAX_RANK) +
                       " dimensions; these lists are nested deeper.");
    }
    if (depth == scan_.dims.size()) {
      if (scan_.leaf_depth != SIZE_MAX) throw NotDense(root_);
      scan_.dims.push_back(n);
    } else if (scan_.dims[depth] != n) {
      throw NotDense(root_);
    }
  }

  void Visit(const Value& v, size_t depth) {
    if (const auto* items = Sequence(v)) {
      Size(static_cast<int64_t>(items->size()), depth);
      for (const Value& item : *items) Visit(item, depth + 1);
      return;
    }
    if (auto* range = As<RangeObject>(v)) {
      Size(range->length, depth);
      if (range->length > 0) Leaf(Kind::kInt, depth + 1);
      return;
    }
    if (IsArray(v)) {
      TensorHandle t = FromArray(v);
      for (size_t i = 0; i < t.dims().size(); ++i) Size(t.dims()[i], depth + i);
      if (t.elements() > 0) Leaf(KindOfDType(t.dtype()), depth + t.dims().size());
      return;
    }
    if (auto* shape = As<ShapeObject>(v)) {
      Size(static_cast<int64_t>(shape->dims().size()), depth);
      if (!shape->dims().empty()) Leaf(Kind::kInt, depth + 1);
      return;
    }
    Kind kind = KindOfLeaf(v);
    if (v.is_int() && (v.as_int() > INT32_MAX || v.as_int() < INT32_MIN)) scan_.wide = true;
    Leaf(kind, depth);
  }

  const Value& root_;
  Scan scan_;
};

// ---- filling a tensor ----

std::string TextOf(const Value& v) {
  if (auto* bytes = As<BytesObject>(v)) return bytes->data;
  if (auto* text = As<StrObject>(v)) return text->text();
  return Str(v);
}

class Filler {
 public:
  explicit Filler(const TensorHandle& t)
      : t_(t), data_(t.dtype() == TSH_STRING ? nullptr : t.raw()) {}

  void Visit(const Value& v) {
    if (const auto* items = Sequence(v)) {
      for (const Value& item : *items) Visit(item);
    } else if (auto* range = As<RangeObject>(v)) {
      for (int64_t i = 0; i < range->length; ++i) PutInt(range->start + i * range->step);
    } else if (auto* shape = As<ShapeObject>(v)) {
      for (int64_t d : shape->dims()) PutInt(d);
    } else if (IsArray(v)) {
      PutArray(FromArray(v));
    } else {
      PutLeaf(v);
    }
  }

 private:
  template <class T>
  void Put(T v) {
    static_cast<T*>(data_)[at_++] = v;
  }

  void PutInt(int64_t v) {
    switch (np::PlainType(t_.dtype())) {
      case TSH_FLOAT:
        return Put(static_cast<float>(v));
      case TSH_DOUBLE:
        return Put(static_cast<double>(v));
      case TSH_INT32:
      case TSH_UINT32:
        return Put(static_cast<uint32_t>(v));
      case TSH_INT64:
      case TSH_UINT64:
        return Put(static_cast<uint64_t>(v));
      case TSH_INT16:
      case TSH_UINT16:
        return Put(static_cast<uint16_t>(v));
      case TSH_INT8:
      case TSH_UINT8:
        return Put(static_cast<uint8_t>(v));
      case TSH_BOOL:
        return Put(static_cast<uint8_t>(v != 0));
      default:
        PutWide(static_cast<double>(v), 0);
    }
  }

  void PutDouble(double v) {
    switch (np::PlainType(t_.dtype())) {
      case TSH_FLOAT:
        return Put(static_cast<float>(v));
      case TSH_DOUBLE:
        return Put(v);
      case TSH_HALF:
      case TSH_BFLOAT16:
      case TSH_COMPLEX64:
      case TSH_COMPLEX128:
        return PutWide(v, 0);
      default:
        break;
    }
    if (!(v > -9.3e18 && v < 9.2e18))
      return PutInt(INT64_MIN);  // numpy's result for values out of range
    if (t_.dtype() == TSH_BOOL) return PutInt(v != 0);
    PutInt(static_cast<int64_t>(v));
  }

  void PutWide(double re, double im) {
    switch (np::PlainType(t_.dtype())) {
      case TSH_COMPLEX64: {
        float parts[2] = {static_cast<float>(re), static_cast<float>(im)};
        std::memcpy(static_cast<float*>(data_) + 2 * at_++, parts, sizeof parts);
        return;
      }
      case TSH_COMPLEX128: {
        double parts[2] = {re, im};
        std::memcpy(static_cast<double*>(data_) + 2 * at_++, parts, sizeof parts);
        return;
      }
      case TSH_HALF:
      case TSH_BFLOAT16:
        return Put(HalfBits(static_cast<float>(re)));
      default:
        throw TypeError("Cannot make a " + DTypeName(t_.dtype()) + " of a number");
    }
  }

  uint16_t HalfBits(float v) const {
    TensorHandle in = TensorHandle::Float(v);
    Attrs attrs;
    attrs.Type("DstT", t_.dtype()).Type("SrcT", TSH_FLOAT);
    return *RunOp("Cast", {&in, 1}, attrs)[0].data<uint16_t>();
  }

  void PutLeaf(const Value& v) {
    if (t_.dtype() == TSH_STRING) return t_.SetString(at_++, TextOf(v));
    if (v.is_bool()) return PutInt(v.as_bool());
    if (v.is_int()) return PutInt(v.as_int());
    if (v.is_float()) return PutDouble(v.as_float());
    if (auto* d = AsDimension(v)) return PutInt(d->Known());
    if (auto* c = As<ComplexObject>(v)) return PutWide(c->re, c->im);
    if (As<StrObject>(v) || As<BytesObject>(v)) {
      // For a numeric dtype, numpy would parse the string.
      throw ValueError("could not convert string to float: " + Repr(v));
    }
    PutDouble(ToDouble(v));
  }

  void PutArray(TensorHandle from) {
    const int64_t n = from.elements();
    if (np::PlainType(from.dtype()) != np::PlainType(t_.dtype())) {
      if (from.dtype() == TSH_STRING || t_.dtype() == TSH_STRING) {
        throw TypeError("Expected " + DTypeName(t_.dtype()) + ", got an array of " +
                        DTypeName(from.dtype()) + " instead.");
      }
      Attrs attrs;
      attrs.Type("SrcT", from.dtype()).Type("DstT", np::PlainType(t_.dtype()));
      from = RunOp("Cast", {&from, 1}, attrs)[0];
    }
    if (t_.dtype() == TSH_STRING) {
      for (int64_t i = 0; i < n; ++i) t_.SetString(at_++, from.string_at(i));
      return;
    }
    const size_t size = tsh_dtype_size(t_.dtype());
    std::memcpy(static_cast<char*>(data_) + static_cast<size_t>(at_) * size, from.raw(),
                static_cast<size_t>(n) * size);
    at_ += n;
  }

  const TensorHandle& t_;
  void* data_;
  int64_t at_ = 0;
};

// ---- checking a requested dtype ----

bool LeafFits(const Value& v, int dtype) {
  const Kind kind = KindOfLeaf(v);
  switch (KindOfDType(np::PlainType(dtype))) {
    case Kind::kBool:
      return kind == Kind::kBool;
    case Kind::kInt:
      return kind == Kind::kInt || kind == Kind::kBool;
    case Kind::kFloat:
      return kind == Kind::kInt || kind == Kind::kFloat || kind == Kind::kBool;
    case Kind::kComplex:
      return kind <= Kind::kComplex && kind != Kind::kNone;
    case Kind::kString:
      return kind == Kind::kString;
    default:
      return false;
  }
}

// Returns the first element that `dtype` cannot hold, or null. The scan has already limited the
// depth.
const Value* FindMismatch(const Value& v, int dtype) {
  if (const auto* items = Sequence(v)) {
    for (const Value& item : *items) {
      if (const Value* bad = FindMismatch(item, dtype)) return bad;
    }
    return nullptr;
  }
  if (IsArray(v) || As<RangeObject>(v) || As<ShapeObject>(v)) return nullptr;
  return LeafFits(v, dtype) ? nullptr : &v;
}

PyError Mismatch(const Value& v, int dtype) {
  if (v.is_none()) return ValueError("None values not supported.");
  return TypeError("Expected " + DTypeName(dtype) + ", got " + Repr(v) + " of type '" +
                   TypeName(v) + "' instead.");
}

int NaturalDType(const Value& v, const Scan& scan) {
  switch (scan.kind) {
    case Kind::kNone:
      return TSH_FLOAT;  // an empty list
    case Kind::kBool:
      return TSH_BOOL;
    case Kind::kInt:
      return scan.wide ? TSH_INT64 : TSH_INT32;
    case Kind::kFloat:
      return TSH_FLOAT;
    case Kind::kComplex:
      return TSH_COMPLEX128;
    case Kind::kString:
      return TSH_STRING;
    case Kind::kOther:
      break;
  }
  if (v.is_none()) throw ValueError("None values not supported.");
  throw TypeError("Failed to convert object of type " + Repr(TypeValue(TypeOf(v))) +
                  " to Tensor. Contents: " + Repr(v) +
                  ". Consider casting elements to a supported type.");
}

TensorHandle ScalarConstant(const Value& v, int dtype) {
  if (v.is_float()) {
    if (dtype == 0 || dtype == TSH_FLOAT)
      return TensorHandle::Float(static_cast<float>(v.as_float()));
    if (dtype == TSH_DOUBLE) return TensorHandle::Double(v.as_float());
  } else if (v.is_int()) {
    const int64_t i = v.as_int();
    const bool narrow = i >= INT32_MIN && i <= INT32_MAX;
    if (narrow && (dtype == 0 || dtype == TSH_INT32)) {
      return TensorHandle::Int32(static_cast<int32_t>(i));
    }
    if (dtype == TSH_FLOAT) return TensorHandle::Float(static_cast<float>(i));
    if (dtype == TSH_INT64 || dtype == 0) return TensorHandle::Int64(i);
  }
  return {};
}

TensorHandle Fill(const Value& v, int dtype, Dims dims) {
  if (np::IsSmallType(dtype)) return np::CastTo(Fill(v, np::PlainType(dtype), dims), dtype);
  TensorHandle t = TensorHandle::Make(dtype, dims);
  Filler(t).Visit(v);
  return t;
}

// Throws if the dtype cannot hold an int in `v`.
void CheckRange(const Value& v, int dtype) {
  if (const auto* items = Sequence(v)) {
    for (const Value& item : *items) CheckRange(item, dtype);
    return;
  }
  if (!v.is_int() || !IsInteger(dtype)) return;
  const int64_t i = v.as_int();
  const int bits = static_cast<int>(tsh_dtype_size(dtype)) * 8;
  const bool is_unsigned = DTypeName(dtype)[0] == 'u';
  const bool fits = is_unsigned ? i >= 0 && (bits == 64 || i < (int64_t{1} << bits))
                                : bits == 64 || (i >= -(int64_t{1} << (bits - 1)) &&
                                                 i < (int64_t{1} << (bits - 1)));
  if (!fits) {
    throw ValueError("Tensor conversion requested dtype " + DTypeName(dtype) + ", but " +
                     std::to_string(i) + " does not fit it.");
  }
}

}  // namespace

bool IsFloating(int dtype) {
  return dtype == TSH_FLOAT || dtype == TSH_DOUBLE || dtype == TSH_HALF || dtype == TSH_BFLOAT16;
}

bool IsInteger(int dtype) {
  switch (dtype) {
    case TSH_INT8:
    case TSH_INT16:
    case TSH_INT32:
    case TSH_INT64:
    case TSH_UINT8:
    case TSH_UINT16:
    case TSH_UINT32:
    case TSH_UINT64:
      return true;
    default:
      return false;
  }
}

std::string DTypeName(int dtype) {
  const char* name = tsh_dtype_name(dtype);
  return name ? name : "unknown";
}

bool HoldsTensor(const Value& v, int depth) {
  if (!v.is_object()) return false;
  if (As<TensorObject>(v) || As<VariableObject>(v)) return true;
  const auto* items = Sequence(v);
  // a deeper nesting is not a tensor; the conversion reports it
  if (!items || depth > TSH_MAX_RANK) return false;
  for (const Value& item : *items) {
    if (HoldsTensor(item, depth + 1)) return true;
  }
  return false;
}

TensorHandle ToConstant(const Value& v, int dtype) {
  if (TensorHandle fast = ScalarConstant(v, dtype)) return fast;
  if (auto* shape = As<ShapeObject>(v)) {
    shape->CheckFullyDefined();
    if (shape->dims().empty() && dtype == 0) dtype = TSH_INT32;  // the type of sizes
  }
  if (Value local; WithoutForeign(v, &local)) return ToConstant(local, dtype);
  if (IsArray(v)) {
    TensorHandle t = FromArray(v);
    if (dtype == 0 || dtype == t.dtype()) return t;
    return Fill(v, dtype, t.dims());
  }
  if (v.is_none()) throw ValueError("None values not supported.");
  RecursionGuard guard;
  Scan scan = Scanner(v).Run();
  if (dtype == 0) {
    dtype = NaturalDType(v, scan);
  } else if (const Value* bad = FindMismatch(v, dtype)) {
    throw Mismatch(*bad, dtype);
  }
  return Fill(v, dtype, scan.dims);
}

TensorHandle ToConstant(const Value& v, int dtype, Dims dims) {
  TensorHandle given = ToConstant(v, dtype);
  const Dims have = given.dims();
  if (std::equal(have.begin(), have.end(), dims.begin(), dims.end())) return given;
  TensorHandle t = TensorHandle::Make(given.dtype(), dims);
  const int64_t want = t.elements(), got = given.elements();
  if (got > want) {
    throw ValueError("Too many elements provided. Needed at most " + std::to_string(want) +
                     ", but received " + std::to_string(got));
  }
  if (got == 0 && want > 0) {
    throw ValueError("Cannot fill a tensor of " + std::to_string(want) + " elements from no value");
  }
  if (got == want) return given.Reshape(dims);
  if (t.dtype() == TSH_STRING) {
    for (int64_t i = 0; i < want; ++i) t.SetString(i, given.string_at(std::min(i, got - 1)));
    return t;
  }
  const size_t size = tsh_dtype_size(t.dtype());
  char* to = t.data<char>();
  std::memcpy(to, given.raw(), static_cast<size_t>(got) * size);
  const char* last = to + static_cast<size_t>(got - 1) * size;
  for (int64_t i = got; i < want; ++i) std::memcpy(to + static_cast<size_t>(i) * size, last, size);
  return t;
}

TensorHandle ToFeed(const Value& v, int dtype, const std::string& tensor_name) {
  if (v.is_float() && dtype == TSH_FLOAT)
    return TensorHandle::Float(static_cast<float>(v.as_float()));
  if (Value local; WithoutForeign(v, &local)) return ToFeed(local, dtype, tensor_name);
  if (IsArray(v)) {
    TensorHandle t = FromArray(v);
    if (t.dtype() == dtype) return t;
    return Fill(v, dtype, t.dims());
  }
  if (v.is_none()) {
    throw TypeError("Cannot feed None for Tensor '" + tensor_name + "' of " + DTypeName(dtype))
        .Hint("Feed a value, or leave it out of the feed_dict");
  }
  if (v.is_int() && IsInteger(dtype)) {
    try {
      CheckRange(v, dtype);
    } catch (const PyError&) {
      throw TypeError("Type of feed value " + Repr(v) + " with type " + Repr(TypeValue(TypeOf(v))) +
                      " is not compatible with Tensor type " + DTypeName(dtype) +
                      ". Try explicitly setting the type of the feed tensor to a larger type "
                      "(e.g. int64).");
    }
  }
  RecursionGuard guard;
  Scan scan;
  try {
    scan = Scanner(v).Run();
  } catch (const PyError&) {
    throw ValueError("setting an array element with a sequence.")
        .Hint("The value for '" + tensor_name + "' has rows of different lengths or depths");
  }
  if (scan.kind == Kind::kOther) {
    throw TypeError("Cannot feed a value of type " + Repr(TypeValue(TypeOf(v))) + " for Tensor '" +
                    tensor_name + "'");
  }
  return Fill(v, dtype, scan.dims);
}

}  // namespace tensh::shell::tf
