#include "shell/tensorflow/graph/shape.h"

#include <algorithm>

#include "runtime/base/wire.h"
#include "shell/python/values/containers.h"
#include "shell/python/values/error.h"
#include "shell/python/values/ops.h"
#include "shell/tensorflow/graph/arrays.h"
#include "shell/tensorflow/graph/graph.h"
#include "shell/tensorflow/graph/variable.h"
#include "shell/tensorflow/proto/message.h"

namespace tensh::shell::tf {
namespace {

std::string ExtentText(int64_t n) { return n < 0 ? "?" : std::to_string(n); }
Value ExtentValue(int64_t n) { return n < 0 ? Value::None() : Value::Int(n); }

// ---- Dimension ----

const DimensionObject& Dim(const Value& v) { return *As<DimensionObject>(v); }
std::string DimensionStr(const Value& v) { return ExtentText(Dim(v).value); }
std::string DimensionRepr(const Value& v) {
  return "Dimension(" + (Dim(v).value < 0 ? "None" : std::to_string(Dim(v).value)) + ")";
}
Value DimensionGetValue(const Value& v) { return ExtentValue(Dim(v).value); }
Value DimensionIndex(const Value& v) {
  if (Dim(v).value < 0) throw TypeError("__index__ returned non-int (type NoneType)");
  return Value::Int(Dim(v).value);
}
Value DimensionToFloat(const Value& v) { return Value::Float(static_cast<double>(Dim(v).Known())); }
uint64_t DimensionHash(const Value& v) { return static_cast<uint64_t>(Dim(v).value); }

// Stores the extent that an operand represents. Returns false if it represents none.
bool OperandExtent(const Value& v, int64_t* out) {
  if (auto* d = As<DimensionObject>(v)) return *out = d->value, true;
  if (v.is_none()) return *out = -1, true;
  if (v.is_int()) return *out = v.as_int(), true;
  return false;
}

int64_t FloorDivide(int64_t a, int64_t b) {
  return a / b - ((a % b != 0) && ((a < 0) != (b < 0)) ? 1 : 0);
}

Value DimensionBinary(BinaryOp op, const Value& a, const Value& b, bool) {
  int64_t x = 0, y = 0;
  if (!OperandExtent(a, &x) || !OperandExtent(b, &y)) return Value::NotImplemented();
  if (x < 0 || y < 0) return DimensionValue(-1);
  switch (op) {
    case BinaryOp::kAdd:
      return DimensionValue(x + y);
    case BinaryOp::kSub:
      return DimensionValue(x - y);
    case BinaryOp::kMul:
      return DimensionValue(x * y);
    case BinaryOp::kFloorDiv:
    case BinaryOp::kMod:
      if (y == 0) throw ZeroDivisionError("integer division or modulo by zero");
      return DimensionValue(op == BinaryOp::kMod ? x - y * FloorDivide(x, y) : FloorDivide(x, y));
    case BinaryOp::kTrueDiv:
      throw TypeError("unsupported operand type(s) for /: 'Dimension' and '" + TypeName(b) +
                      "', please use // instead");
    default:
      return Value::NotImplemented();
  }
}

Value DimensionCompare(CompareOp op, const Value& a, const Value& b) {
  int64_t x = 0, y = 0;
  if (!OperandExtent(a, &x) || !OperandExtent(b, &y)) return Value::NotImplemented();
  if (x < 0 || y < 0) return Value::None();
  switch (op) {
    case CompareOp::kLt:
      return Value::Bool(x < y);
    case CompareOp::kLe:
      return Value::Bool(x <= y);
    case CompareOp::kEq:
      return Value::Bool(x == y);
    case CompareOp::kNe:
      return Value::Bool(x != y);
    case CompareOp::kGt:
      return Value::Bool(x > y);
    case CompareOp::kGe:
      return Value::Bool(x >= y);
  }
  return Value::NotImplemented();
}

Value NewDimension(Args& a) {
  if (auto* d = As<DimensionObject>(a[0])) return Value(d);
  if (a[0].is_none()) return DimensionValue(-1);
  const int64_t n = ToIndex(a[0]);
  if (n < 0) throw ValueError("Dimension " + std::to_string(n) + " must be >= 0");
  return DimensionValue(n);
}

DimensionObject& SelfDimension(Args& a) { return *As<DimensionObject>(a.self()); }
bool SameExtent(int64_t a, int64_t b) { return a < 0 || b < 0 || a == b; }

Value DimensionIsCompatible(Args& a) {
  return Value::Bool(SameExtent(SelfDimension(a).value, ToExtent(a[0])));
}
Value DimensionAssertCompatible(Args& a) {
  const int64_t other = ToExtent(a[0]);
  if (SameExtent(SelfDimension(a).value, other)) return Value::None();
  throw ValueError("Dimensions " + Str(a.self()) + " and " + Str(DimensionValue(other)) +
                   " are not compatible");
}
Value DimensionMerge(Args& a) {
  DimensionAssertCompatible(a);
  const int64_t mine = SelfDimension(a).value;
  return DimensionValue(mine < 0 ? ToExtent(a[0]) : mine);
}
const FunctionRow kDimensionMethods[] = {
    {"is_compatible_with", "other", DimensionIsCompatible,
     "Returns true if the extents are equal or one is unknown."},
    {"assert_is_compatible_with", "other", DimensionAssertCompatible,
     "Raises ValueError unless compatible."},
    {"merge_with", "other", DimensionMerge, "Combines the known parts of both."},
};
// A shape also stands for a TensorShapeProto, as in the TensorInfo of a signature.
const PropertyRow kDimensionProperties[] = {{"value", DimensionGetValue}};
const FunctionRow kNewDimension = {"Dimension", "value", NewDimension, "One extent of a shape."};

// ---- TensorShape ----

const ShapeObject& Shape(const Value& v) { return *As<ShapeObject>(v); }
const ShapeObject& Self(Args& a) { return Shape(a.self()); }

std::string ShapeStr(const Value& v) { return Shape(v).Text(); }
std::string ShapeRepr(const Value& v) {
  if (!Shape(v).known_rank()) return "TensorShape(None)";
  std::string out = "TensorShape([";
  for (size_t i = 0; i < Shape(v).dims().size(); ++i) {
    if (i) out += ", ";
    out += DimensionRepr(DimensionValue(Shape(v).dims()[i]));
  }
  return out + "])";
}

const std::vector<int64_t>& KnownDims(const Value& v, const char* what) {
  if (!Shape(v).known_rank()) throw ValueError(what);
  return Shape(v).dims();
}

int64_t ShapeLen(const Value& v) {
  return static_cast<int64_t>(
      KnownDims(v, "Cannot take the length of Shape with unknown rank.").size());
}

Value ShapeDims(const Value& v) {
  if (!Shape(v).known_rank()) return Value::None();
  std::vector<Value> out;
  for (int64_t d : Shape(v).dims()) out.push_back(DimensionValue(d));
  return MakeList(std::move(out));
}

Value ShapeGetItem(const Value& v, const Value& key) {
  if (!Shape(v).known_rank()) {
    return As<SliceObject>(key) ? Value(New<ShapeObject>()) : DimensionValue(-1);
  }
  Value item = GetItem(ShapeDims(v), key);
  return As<SliceObject>(key) ? Value(ToShape(item)) : item;
}

Value ShapeIter(const Value& v) {
  KnownDims(v, "Cannot iterate over a shape with unknown rank.");
  return Iter(ShapeDims(v));
}

bool ShapeTruth(const Value& v) { return Shape(v).known_rank(); }

Value ShapeRank(const Value& v) { return ExtentValue(Shape(v).rank()); }

Value ShapeAsList(Args& a) {
  std::vector<Value> out;
  for (int64_t d : KnownDims(a.self(), "as_list() is not defined on an unknown TensorShape.")) {
    out.push_back(ExtentValue(d));
  }
  return MakeList(std::move(out));
}

Value ShapeNumElements(Args& a) {
  if (!Self(a).IsFullyDefined()) return Value::None();
  int64_t n = 1;
  for (int64_t d : Self(a).dims()) {
    if (__builtin_mul_overflow(n, d, &n)) throw OverflowError("More elements than int64 can count");
  }
  return Value::Int(n);
}

bool Compatible(const ShapeObject& a, const ShapeObject& b) {
  if (!a.known_rank() || !b.known_rank()) return true;
  if (a.dims().size() != b.dims().size()) return false;
  for (size_t i = 0; i < a.dims().size(); ++i) {
    if (a.dims()[i] >= 0 && b.dims()[i] >= 0 && a.dims()[i] != b.dims()[i]) return false;
  }
  return true;
}

Value ShapeIsCompatible(Args& a) { return Value::Bool(Compatible(Self(a), *ToShape(a[0]))); }
Value ShapeIsFullyDefined(Args& a) { return Value::Bool(Self(a).IsFullyDefined()); }

Value ShapeAssertCompatible(Args& a) {
  Ref<ShapeObject> other = ToShape(a[0]);
  if (Compatible(Self(a), *other)) return Value::None();
  throw ValueError("Shapes " + Self(a).Text() + " and " + other->Text() + " are incompatible");
}

Value ShapeAssertFullyDefined(Args& a) {
  if (Self(a).IsFullyDefined()) return Value::None();
  throw ValueError("Shape " + Self(a).Text() + " is not fully defined");
}

Value ShapeAssertHasRank(Args& a) {
  const int64_t rank = ToIndex(a[0]);
  if (!Self(a).known_rank() || Self(a).rank() == rank) return Value::None();
  throw ValueError("Shape " + Self(a).Text() + " must have rank " + std::to_string(rank));
}

// with_rank and similar methods. A shape of unknown rank gets this rank; any other shape must
// match.
Value ShapeWithRank(Args& a) {
  ShapeAssertHasRank(a);
  if (Self(a).known_rank()) return a.self();
  const int64_t rank = ToIndex(a[0]);
  if (rank < 0 || rank > TSH_MAX_RANK) throw ValueError("Not a rank: " + std::to_string(rank));
  return New<ShapeObject>(std::vector<int64_t>(static_cast<size_t>(rank), -1));
}
Value ShapeWithRankAtLeast(Args& a) {
  if (!Self(a).known_rank() || Self(a).rank() >= ToIndex(a[0])) return a.self();
  throw ValueError("Shape " + Self(a).Text() + " must have rank at least " + Str(a[0]));
}
Value ShapeWithRankAtMost(Args& a) {
  if (!Self(a).known_rank() || Self(a).rank() <= ToIndex(a[0])) return a.self();
  throw ValueError("Shape " + Self(a).Text() + " must have rank at most " + Str(a[0]));
}
Value ShapeAssertSameRank(Args& a) {
  Ref<ShapeObject> other = ToShape(a[0]);
  if (!Self(a).known_rank() || !other->known_rank() || Self(a).rank() == other->rank()) {
    return Value::None();
  }
  throw ValueError("Shapes " + Self(a).Text() + " and " + other->Text() +
                   " must have the same rank");
}

Value ShapeMerge(Args& a) {
  Ref<ShapeObject> other = ToShape(a[0]);
  if (!Compatible(Self(a), *other)) {
    throw ValueError("Shapes " + Self(a).Text() + " and " + other->Text() + " are not compatible");
  }
  if (!Self(a).known_rank()) return other;
  if (!other->known_rank()) return a.self();
  std::vector<int64_t> dims = Self(a).dims();
  for (size_t i = 0; i < dims.size(); ++i) {
    if (dims[i] < 0) dims[i] = other->dims()[i];
  }
  return New<ShapeObject>(std::move(dims));
}

Value ShapeConcatenate(Args& a) {
  Ref<ShapeObject> other = ToShape(a[0]);
  if (!Self(a).known_rank() || !other->known_rank()) return New<ShapeObject>();
  std::vector<int64_t> dims = Self(a).dims();
  dims.insert(dims.end(), other->dims().begin(), other->dims().end());
  return New<ShapeObject>(std::move(dims));
}

Value ShapeCompare(CompareOp op, const Value& a, const Value& b) {
  if (op != CompareOp::kEq && op != CompareOp::kNe) return Value::NotImplemented();
  if (!As<ShapeObject>(b) && !Sequence(b) && !b.is_none()) return Value::NotImplemented();
  Ref<ShapeObject> other = ToShape(b);
  const bool same = Shape(a).rank() == other->rank() && Shape(a).dims() == other->dims();
  return Value::Bool(same == (op == CompareOp::kEq));
}

uint64_t ShapeHash(const Value& v) {
  uint64_t h = static_cast<uint64_t>(Shape(v).rank()) + 17;
  for (int64_t d : Shape(v).dims()) h = h * 1000003 + static_cast<uint64_t>(d);
  return h;
}

Value ShapeAsProto(Args& a) {
  WireWriter shape;
  for (const int64_t extent : Shape(a.self()).dims()) {
    WireWriter dim;
    dim.Int(1, extent);
    shape.AlwaysBytes(2, dim.text());
  }
  shape.Bool(3, !Shape(a.self()).known_rank());
  return MakeMessage(TensorShapeSchema(), shape.Take());
}

Value NewShape(Args& a) { return ToShape(a[0]); }

const FunctionRow kShapeMethods[] = {
    {"as_list", "", ShapeAsList, "Returns the extents as a list, with None for unknown ones."},
    {"as_proto", "", ShapeAsProto, "Returns the shape as a TensorShapeProto."},
    {"num_elements", "", ShapeNumElements, "Returns the number of elements, or None."},
    {"is_compatible_with", "other", ShapeIsCompatible,
     "Returns true if both may describe the same tensor."},
    {"is_fully_defined", "", ShapeIsFullyDefined, "Returns true if every extent is known."},
    {"assert_is_compatible_with", "other", ShapeAssertCompatible,
     "Raises ValueError unless compatible."},
    {"assert_is_fully_defined", "", ShapeAssertFullyDefined,
     "Raises ValueError unless every extent is known."},
    {"assert_has_rank", "rank", ShapeAssertHasRank, "Raises ValueError if the rank is different."},
    {"assert_same_rank", "other", ShapeAssertSameRank, "Raises ValueError if the ranks differ."},
    {"with_rank", "rank", ShapeWithRank, "Returns this shape, after a check of its rank."},
    {"with_rank_at_least", "rank", ShapeWithRankAtLeast,
     "Returns this shape, after a check of its minimum rank."},
    {"with_rank_at_most", "rank", ShapeWithRankAtMost,
     "Returns this shape, after a check of its maximum rank."},
    {"merge_with", "other", ShapeMerge, "Combines the known parts of both."},
    {"concatenate", "other", ShapeConcatenate, "Concatenates the extents of both shapes."},
};
const PropertyRow kShapeProperties[] = {
    {"ndims", ShapeRank}, {"rank", ShapeRank}, {"dims", ShapeDims}};
const FunctionRow kNewShape = {"TensorShape", "dims", NewShape,
                               "A shape that may be partially known."};

}  // namespace

int64_t DimensionObject::Known() const {
  if (value < 0) throw ValueError("Cannot convert an unknown Dimension to a Tensor: ?");
  return value;
}

const TypeInfo DimensionObject::kType = {.name = "Dimension",
                                         .module = "tensorflow.python.framework.tensor_shape",
                                         .methods = kDimensionMethods,
                                         .properties = kDimensionProperties,
                                         .construct = &kNewDimension,
                                         .repr = DimensionRepr,
                                         .str = DimensionStr,
                                         .hash = DimensionHash,
                                         .compare = DimensionCompare,
                                         .binary = DimensionBinary,
                                         .index = DimensionIndex,
                                         .to_int = DimensionIndex,
                                         .to_float = DimensionToFloat};

const TypeInfo ShapeObject::kType = {.name = "TensorShape",
                                     .module = "tensorflow.python.framework.tensor_shape",
                                     .methods = kShapeMethods,
                                     .properties = kShapeProperties,
                                     .construct = &kNewShape,
                                     .repr = ShapeRepr,
                                     .str = ShapeStr,
                                     .truth = ShapeTruth,
                                     .hash = ShapeHash,
                                     .compare = ShapeCompare,
                                     .len = ShapeLen,
                                     .getitem = ShapeGetItem,
                                     .iter = ShapeIter};

bool ShapeObject::IsFullyDefined() const {
  if (!known_rank_) return false;
  for (int64_t d : dims_) {
    if (d < 0) return false;
  }
  return true;
}

void ShapeObject::CheckFullyDefined() const {
  if (IsFullyDefined()) return;
  throw ValueError("Cannot convert a partially known TensorShape to a Tensor: " + Text());
}

std::string ShapeObject::Text() const { return ShapeText(dims_, known_rank_); }

std::string ShapeText(Dims dims, bool known_rank) {
  if (!known_rank) return "<unknown>";
  std::string out = "(";
  for (size_t i = 0; i < dims.size(); ++i) {
    if (i) out += ", ";
    out += ExtentText(dims[i]);
  }
  return out + (dims.size() == 1 ? ",)" : ")");
}

Value ShapeValue(const ShapeInfo& info) {
  if (info.rank < 0) return New<ShapeObject>();
  return New<ShapeObject>(std::vector<int64_t>(info.dims().begin(), info.dims().end()));
}

Value DimensionValue(int64_t extent) { return New<DimensionObject>(extent); }

int64_t ToExtent(const Value& v) {
  if (v.is_none()) return -1;
  if (auto* d = As<DimensionObject>(v)) return d->value;
  if (As<TensorObject>(v) || As<VariableObject>(v)) {
    throw TypeError("Dimension value must be integer or None or have an __index__ method, got " +
                    Repr(v));
  }
  const int64_t n = ToIndex(v);
  if (n < -1) throw ValueError("Dimension " + std::to_string(n) + " must be >= 0");
  return n;
}

namespace {

Ref<ShapeObject> ShapeOfMessage(ProtoMessage& message) {
  const Encoded encoded = message.Bytes();
  std::vector<int64_t> dims;
  WireReader in(encoded.bytes);
  while (in.Next()) {
    if (in.field() == 3 && in.varint() != 0) return New<ShapeObject>();
    if (in.field() != 2) continue;
    int64_t extent = 0;
    WireReader dim(in.bytes());
    while (dim.Next())
      if (dim.field() == 1) extent = std::max<int64_t>(dim.integer(), -1);
    dims.push_back(extent);
  }
  if (dims.size() > TSH_MAX_RANK)
    throw ValueError("Shapes have at most " + std::to_string(TSH_MAX_RANK) + " dimensions, got " +
                     std::to_string(dims.size()));
  return New<ShapeObject>(std::move(dims));
}

}  // namespace

Ref<ShapeObject> ToShape(const Value& v) {
  if (v.is_none() || v.is_null()) return New<ShapeObject>();
  if (auto* s = As<ShapeObject>(v)) return Ref<ShapeObject>(s);
  if (auto* message = AsMessage(v, TensorShapeSchema())) return ShapeOfMessage(*message);
  std::vector<int64_t> dims;
  if (IsStr(v)) throw TypeError("Cannot convert " + Repr(v) + " to a TensorShape");
  if (v.is_int() || As<DimensionObject>(v) || (IsArray(v) && FromArray(v).rank() == 0)) {
    dims.push_back(ToExtent(v));
  } else {
    for (const Value& item : ToVector(v)) dims.push_back(ToExtent(item));
  }
  if (dims.size() > TSH_MAX_RANK) {
    throw ValueError("Shapes have at most " + std::to_string(TSH_MAX_RANK) + " dimensions, got " +
                     std::to_string(dims.size()));
  }
  return New<ShapeObject>(std::move(dims));
}

}  // namespace tensh::shell::tf
