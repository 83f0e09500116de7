#include "shell/python/values/collections/sequence.h"

#include <algorithm>

#include "shell/python/values/bigint.h"
#include "shell/python/values/error.h"
#include "shell/python/values/number_subclass.h"
#include "shell/python/values/ops.h"

namespace tensh::shell {
namespace {

std::vector<const Object*> showing;
constexpr size_t kMaxItems = size_t{1} << 31;

}  // namespace

ReprGuard::ReprGuard(const Object* object)
    : again_(std::find(showing.begin(), showing.end(), object) != showing.end()) {
  showing.push_back(object);
}
ReprGuard::~ReprGuard() { showing.pop_back(); }

int64_t ToSize(const Value& v) {
  if (IsBigInt(v)) throw OverflowError("Python int too large to convert to C ssize_t");
  return ToIndex(v);
}

int64_t CheckIndex(const Value& key, int64_t length, const char* what) {
  int64_t i = ToIndex(key);
  if (i < 0) i += length;
  if (i < 0 || i >= length) throw IndexError(std::string(what) + " index out of range");
  return i;
}

void ThrowIndexType(const char* what, const Value& key) {
  throw TypeError(std::string(what) + " indices must be integers or slices, not " + TypeName(key));
}

int64_t SliceObject::Indices(int64_t length, int64_t* first, int64_t* last, int64_t* stride) const {
  auto bound = [](const Value& v) {
    if (IsBigInt(v)) return BigNegative(v) ? INT64_MIN + 1 : INT64_MAX;
    if (!IsIndex(v))
      throw TypeError("slice indices must be integers or None or have an __index__ method");
    return ToIndex(v);
  };
  *stride = step.is_none() ? 1 : bound(step);
  if (*stride == 0) throw ValueError("slice step cannot be zero");
  if (*stride == INT64_MIN) *stride = -INT64_MAX;
  const int64_t low = *stride < 0 ? -1 : 0, high = *stride < 0 ? length - 1 : length;
  auto clip = [&](const Value& v, int64_t none) {
    if (v.is_none()) return none;
    int64_t i = bound(v);
    if (i < 0) i = std::max<int64_t>(i + length, low);
    return std::clamp(i, low, std::max(high, low));
  };
  *first = clip(start, *stride < 0 ? high : low);
  *last = clip(stop, *stride < 0 ? low : high);
  if (*stride < 0) return *first > *last ? (*first - *last - 1) / -*stride + 1 : 0;
  return *last > *first ? (*last - *first - 1) / *stride + 1 : 0;
}

std::vector<Value> SliceItems(const std::vector<Value>& items, const SliceObject& slice) {
  int64_t first, last, stride;
  const int64_t n = slice.Indices(static_cast<int64_t>(items.size()), &first, &last, &stride);
  std::vector<Value> out;
  out.reserve(static_cast<size_t>(n));
  for (int64_t i = 0; i < n; ++i) out.push_back(items[static_cast<size_t>(first + i * stride)]);
  return out;
}

Value CompareItems(CompareOp op, const std::vector<Value>& a, const std::vector<Value>& b) {
  if (a.size() != b.size() && (op == CompareOp::kEq || op == CompareOp::kNe)) {
    return Value::Bool(op == CompareOp::kNe);
  }
  for (size_t i = 0; i < a.size() && i < b.size(); ++i) {
    Value x = a[i], y = b[i];  // Copies keep them alive, because == may change the lists.
    if (Equal(x, y)) continue;
    if (op == CompareOp::kEq || op == CompareOp::kNe) return Value::Bool(op == CompareOp::kNe);
    return Compare(op, x, y);
  }
  return Compare(op, Value::Int(static_cast<int64_t>(a.size())),
                 Value::Int(static_cast<int64_t>(b.size())));
}

size_t RepeatCount(const Value& times, size_t size) {
  if (IsBigInt(PlainNumber(times))) {
    throw OverflowError("cannot fit '" + TypeName(times) + "' into an index-sized integer");
  }
  int64_t n = ToIndex(times);
  if (n <= 0 || size == 0) return 0;
  if (static_cast<uint64_t>(n) > kMaxItems / size) throw MakeError(kMemoryError, "");
  return static_cast<size_t>(n);
}

std::vector<Value> RepeatItems(const std::vector<Value>& items, const Value& times) {
  const size_t n = RepeatCount(times, items.size());
  if (n * items.size() > (size_t{1} << 28)) throw MakeError(kMemoryError, "");
  std::vector<Value> out;
  out.reserve(n * items.size());
  for (size_t i = 0; i < n; ++i) out.insert(out.end(), items.begin(), items.end());
  return out;
}

std::string JoinReprs(const std::vector<Value>& items) {
  std::string out;
  for (size_t i = 0; i < items.size(); ++i) {
    if (i) out += ", ";
    Value held = items[i];
    out += Repr(held);
  }
  return out;
}

int64_t FindItem(const std::vector<Value>& items, const Value& v, int64_t from, int64_t to) {
  for (int64_t i = from; i < to && i < static_cast<int64_t>(items.size()); ++i) {
    Value held = items[static_cast<size_t>(i)];
    if (Equal(held, v)) return i;
  }
  return -1;
}

namespace {

std::string SliceRepr(const Value& v) {
  auto* s = static_cast<SliceObject*>(v.object());
  return "slice(" + Repr(s->start) + ", " + Repr(s->stop) + ", " + Repr(s->step) + ")";
}

Value SliceCompare(CompareOp op, const Value& a, const Value& b) {
  auto *x = As<SliceObject>(a), *y = As<SliceObject>(b);
  if (!x || !y) return Value::NotImplemented();
  return CompareItems(op, {x->start, x->stop, x->step}, {y->start, y->stop, y->step});
}

Value MakeSlice(Args& a) {
  const auto& items = As<TupleObject>(a[0])->items;
  if (items.empty() || items.size() > 3) {
    throw TypeError("slice expected at " + std::string(items.empty() ? "least 1" : "most 3") +
                    " argument" + (items.empty() ? "" : "s") + ", got " +
                    std::to_string(items.size()));
  }
  if (items.size() == 1) return New<SliceObject>(Value::None(), items[0], Value::None());
  return New<SliceObject>(items[0], items[1], items.size() > 2 ? items[2] : Value::None());
}

Value SliceIndices(Args& a) {
  int64_t first, last, stride;
  const int64_t length = ToIndex(a[0]);
  if (length < 0) throw ValueError("length should not be negative");
  static_cast<SliceObject*>(a.self().object())->Indices(length, &first, &last, &stride);
  return MakeTuple({Value::Int(first), Value::Int(last), Value::Int(stride)});
}

Value SliceStart(const Value& v) { return static_cast<SliceObject*>(v.object())->start; }
Value SliceStop(const Value& v) { return static_cast<SliceObject*>(v.object())->stop; }
Value SliceStep(const Value& v) { return static_cast<SliceObject*>(v.object())->step; }

const FunctionRow kMakeSlice = {"slice", "*args", MakeSlice};
const FunctionRow kSliceMethods[] = {{"indices", "length, /", SliceIndices}};
const PropertyRow kSliceProperties[] = {
    {"start", SliceStart}, {"stop", SliceStop}, {"step", SliceStep}};

}  // namespace

const TypeInfo SliceObject::kType = {.name = "slice",
                                     .methods = kSliceMethods,
                                     .properties = kSliceProperties,
                                     .construct = &kMakeSlice,
                                     .repr = SliceRepr,
                                     .unhashable = true,
                                     .compare = SliceCompare};

}  // namespace tensh::shell
