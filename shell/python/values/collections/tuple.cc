// The types tuple and range.
#include "shell/python/values/bigint.h"
#include "shell/python/values/class.h"
#include "shell/python/values/collections/iterator.h"
#include "shell/python/values/collections/sequence.h"
#include "shell/python/values/containers.h"
#include "shell/python/values/error.h"
#include "shell/python/values/ops.h"

namespace tensh::shell {
namespace {

const std::vector<Value>& Items(const Value& v) {
  return static_cast<TupleObject*>(v.object())->items;
}
int64_t Size(const Value& v) { return static_cast<int64_t>(Items(v).size()); }

std::string TupleRepr(const Value& v) {
  ReprGuard guard(v.object());
  if (guard.again()) return "(...)";
  return "(" + JoinReprs(Items(v)) + (Items(v).size() == 1 ? ",)" : ")");
}

uint64_t TupleHash(const Value& v) {
  uint64_t h = 0x27d4eb2f165667c5u;
  for (const Value& item : Items(v)) {
    h += Hash(item) * 0xc2b2ae3d27d4eb4fu;
    h = (h << 31 | h >> 33) * 0x9e3779b185ebca87u;
  }
  return h + (Items(v).size() ^ (0x27d4eb2f165667c5u ^ 3527539u));
}

Value TupleCompare(CompareOp op, const Value& a, const Value& b) {
  auto *x = As<TupleObject>(a), *y = As<TupleObject>(b);
  return x && y ? CompareItems(op, x->items, y->items) : Value::NotImplemented();
}

Value TupleBinary(BinaryOp op, const Value& a, const Value& b, bool reflected) {
  if (op == BinaryOp::kAdd && !reflected) {
    auto* y = As<TupleObject>(b);
    if (!y) return Value::NotImplemented();
    std::vector<Value> out = Items(a);
    out.insert(out.end(), y->items.begin(), y->items.end());
    return MakeTuple(std::move(out));
  }
  if (op == BinaryOp::kMul) {
    const Value &tuple = reflected ? b : a, &times = reflected ? a : b;
    if (!IsIndex(times) || TypeOf(times).len) return Value::NotImplemented();
    return MakeTuple(RepeatItems(Items(tuple), times));
  }
  return Value::NotImplemented();
}

Value TupleGetItem(const Value& v, const Value& key) {
  if (auto* slice = As<SliceObject>(key)) return MakeTuple(SliceItems(Items(v), *slice));
  if (!IsIndex(key)) ThrowIndexType("tuple", key);
  return Items(v)[static_cast<size_t>(CheckIndex(key, Size(v), "tuple"))];
}

bool TupleContains(const Value& v, const Value& item) {
  return FindItem(Items(v), item, 0, INT64_MAX) >= 0;
}

Value Make(Args& a) {
  if (!a.has(0)) return MakeTuple();
  if (a[0].is_object() && &a[0].object()->type() == &TupleObject::kType) return a[0];
  return MakeTuple(ToVector(a[0]));
}

Value SubclassNew(const TypeInfo& cls, const CallArgs& args) {
  if (args.args.size() > 1) {
    throw TypeError("tuple expected at most 1 argument, got " + std::to_string(args.args.size()));
  }
  return New<Extended<TupleObject>>(
      cls, args.args.empty() ? std::vector<Value>() : ToVector(args.args[0]));
}

const FunctionRow kMake = {"tuple", "iterable=..., /", Make};
const FunctionRow kMethods[] = {
    {"index", "value, start=0, stop=9223372036854775807, /", SequenceIndex,
     "Return first index of value."},
    {"count", "value, /", SequenceCount, "Return number of occurrences of value."},
};

// ---- range ----

RangeObject& R(const Value& v) { return *static_cast<RangeObject*>(v.object()); }

std::string RangeRepr(const Value& v) {
  std::string out = "range(" + std::to_string(R(v).start) + ", " + std::to_string(R(v).stop);
  return out + (R(v).step == 1 ? "" : ", " + std::to_string(R(v).step)) + ")";
}

int64_t RangeLen(const Value& v) { return R(v).length; }

Value RangeGetItem(const Value& v, const Value& key) {
  const RangeObject& r = R(v);
  if (auto* slice = As<SliceObject>(key)) {
    int64_t first, last, stride;
    slice->Indices(r.length, &first, &last, &stride);
    return New<RangeObject>(r.start + first * r.step, r.start + last * r.step, r.step * stride);
  }
  if (!IsIndex(key)) ThrowIndexType("range", key);
  if (IsBigInt(key)) throw IndexError("range object index out of range");
  int64_t i = ToIndex(key);
  if (i < 0) i += r.length;
  if (i < 0 || i >= r.length) throw IndexError("range object index out of range");
  return Value::Int(r.start + i * r.step);
}

bool RangeHolds(const RangeObject& r, const Value& item, int64_t* at) {
  if (!item.is_int() && !item.is_bool()) return false;
  __int128 offset = static_cast<__int128>(item.as_int()) - r.start;
  if (offset % r.step != 0) return false;
  *at = static_cast<int64_t>(offset / r.step);
  return *at >= 0 && *at < r.length;
}

bool RangeContains(const Value& v, const Value& item) {
  int64_t at;
  if (item.is_float()) {
    return item.as_float() == static_cast<double>(static_cast<int64_t>(item.as_float())) &&
           RangeHolds(R(v), Value::Int(static_cast<int64_t>(item.as_float())), &at);
  }
  return RangeHolds(R(v), item, &at);
}

Value RangeCompare(CompareOp op, const Value& a, const Value& b) {
  auto *x = As<RangeObject>(a), *y = As<RangeObject>(b);
  if (!x || !y || (op != CompareOp::kEq && op != CompareOp::kNe)) return Value::NotImplemented();
  bool same = x->length == y->length &&
              (x->length == 0 || (x->start == y->start && (x->length == 1 || x->step == y->step)));
  return Value::Bool(same == (op == CompareOp::kEq));
}

uint64_t RangeHash(const Value& v) {
  return static_cast<uint64_t>(R(v).length * 31 + (R(v).length ? R(v).start * 17 : 0));
}

Value MakeRange(Args& a) {
  auto as_int = [](const Value& v) {
    if (IsBigInt(v)) throw OverflowError("Python int too large to convert to C ssize_t");
    return ToIndex(v);
  };
  const int64_t first = as_int(a[0]);
  if (!a.has(1)) return New<RangeObject>(0, first, 1);
  const int64_t step = a.has(2) ? as_int(a[2]) : 1;
  if (step == 0) throw ValueError("range() arg 3 must not be zero");
  return New<RangeObject>(first, as_int(a[1]), step);
}

Value RangeStart(const Value& v) { return Value::Int(R(v).start); }
Value RangeStop(const Value& v) { return Value::Int(R(v).stop); }
Value RangeStep(const Value& v) { return Value::Int(R(v).step); }
Value RangeIndex(Args& a) {
  int64_t at;
  if (RangeHolds(R(a.self()), a[0], &at)) return Value::Int(at);
  throw ValueError(Repr(a[0]) + " is not in range");
}
Value RangeCount(Args& a) {
  int64_t at;
  return Value::Int(RangeHolds(R(a.self()), a[0], &at) ? 1 : 0);
}

const FunctionRow kMakeRange = {"range", "start, stop=..., step=..., /", MakeRange};
const FunctionRow kRangeMethods[] = {{"index", "value, /", RangeIndex},
                                     {"count", "value, /", RangeCount}};
const PropertyRow kRangeProperties[] = {
    {"start", RangeStart}, {"stop", RangeStop}, {"step", RangeStep}};

}  // namespace

const TypeInfo TupleObject::kType = {.name = "tuple",
                                     .methods = kMethods,
                                     .construct = &kMake,
                                     .subclass_new = SubclassNew,
                                     .repr = TupleRepr,
                                     .hash = TupleHash,
                                     .compare = TupleCompare,
                                     .binary = TupleBinary,
                                     .len = Size,
                                     .getitem = TupleGetItem,
                                     .contains = TupleContains,
                                     .iter = IterTuple};

const TypeInfo RangeObject::kType = {.name = "range",
                                     .methods = kRangeMethods,
                                     .properties = kRangeProperties,
                                     .construct = &kMakeRange,
                                     .repr = RangeRepr,
                                     .hash = RangeHash,
                                     .compare = RangeCompare,
                                     .len = RangeLen,
                                     .getitem = RangeGetItem,
                                     .contains = RangeContains,
                                     .iter = IterRange};

RangeObject::RangeObject(int64_t start, int64_t stop, int64_t step)
    : Object(kType), start(start), stop(stop), step(step), length(0) {
  using Wide = __int128;
  Wide span = step > 0 ? Wide(stop) - start : Wide(start) - stop,
       stride = step > 0 ? Wide(step) : -Wide(step);
  if (span > 0) length = static_cast<int64_t>(std::min<Wide>((span - 1) / stride + 1, INT64_MAX));
}

Value MakeTuple(std::vector<Value> items) {
  // The empty tuple is a single object, which scripts may observe with `is`.
  static TupleObject* empty = [] {
    auto* t = new TupleObject;
    t->Retain();
    return t;
  }();
  return items.empty() ? Value(empty) : Value(New<TupleObject>(std::move(items)));
}

}  // namespace tensh::shell
