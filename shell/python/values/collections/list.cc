// The type list.
#include <algorithm>

#include "shell/python/values/class.h"
#include "shell/python/values/collections/iterator.h"
#include "shell/python/values/collections/sequence.h"
#include "shell/python/values/collections/sort.h"
#include "shell/python/values/containers.h"
#include "shell/python/values/error.h"
#include "shell/python/values/ops.h"

namespace tensh::shell {
namespace {

ListObject& L(const Value& v) { return *static_cast<ListObject*>(v.object()); }
std::vector<Value>& Items(const Value& v) { return L(v).items; }
int64_t Size(const Value& v) { return static_cast<int64_t>(Items(v).size()); }

std::string ListRepr(const Value& v) {
  ReprGuard guard(v.object());
  return guard.again() ? "[...]" : "[" + JoinReprs(Items(v)) + "]";
}

Value ListCompare(CompareOp op, const Value& a, const Value& b) {
  auto *x = As<ListObject>(a), *y = As<ListObject>(b);
  return x && y ? CompareItems(op, x->items, y->items) : Value::NotImplemented();
}

Value ListBinary(BinaryOp op, const Value& a, const Value& b, bool reflected) {
  if (op == BinaryOp::kAdd && !reflected) {
    auto* y = As<ListObject>(b);
    if (!y) return Value::NotImplemented();
    std::vector<Value> out = Items(a);
    out.insert(out.end(), y->items.begin(), y->items.end());
    return MakeList(std::move(out));
  }
  if (op == BinaryOp::kMul) {
    const Value &list = reflected ? b : a, &times = reflected ? a : b;
    if (!IsIndex(times) || TypeOf(times).len) return Value::NotImplemented();
    return MakeList(RepeatItems(Items(list), times));
  }
  return Value::NotImplemented();
}

void Extend(const Value& list, const Value& more) {
  std::vector<Value> items = ToVector(more);
  auto& mine = Items(list);
  mine.insert(mine.end(), std::make_move_iterator(items.begin()),
              std::make_move_iterator(items.end()));
}

Value ListInplace(BinaryOp op, const Value& a, const Value& b) {
  if (op == BinaryOp::kAdd) {
    Extend(a, b);
    return a;
  }
  if (op == BinaryOp::kMul && IsIndex(b)) {
    Items(a) = RepeatItems(Items(a), b);
    return a;
  }
  return Value::NotImplemented();
}

Value ListGetItem(const Value& v, const Value& key) {
  if (key.is_int()) {
    auto& items = Items(v);
    int64_t i = key.as_int() < 0 ? key.as_int() + static_cast<int64_t>(items.size()) : key.as_int();
    if (static_cast<uint64_t>(i) >= items.size()) throw IndexError("list index out of range");
    return items[static_cast<size_t>(i)];
  }
  if (auto* slice = As<SliceObject>(key)) return MakeList(SliceItems(Items(v), *slice));
  if (!IsIndex(key)) ThrowIndexType("list", key);
  return Items(v)[static_cast<size_t>(CheckIndex(key, Size(v), "list"))];
}

void SetSlice(const Value& v, const SliceObject& slice, std::vector<Value> items) {
  int64_t first, last, stride;
  const int64_t n = slice.Indices(Size(v), &first, &last, &stride);
  auto& mine = Items(v);
  if (stride == 1) {
    std::vector<Value> gone(std::make_move_iterator(mine.begin() + first),
                            std::make_move_iterator(mine.begin() + first + n));
    mine.erase(mine.begin() + first, mine.begin() + first + n);
    mine.insert(mine.begin() + first, items.begin(), items.end());
    return;
  }
  if (static_cast<int64_t>(items.size()) != n) {
    throw ValueError("attempt to assign sequence of size " + std::to_string(items.size()) +
                     " to extended slice of size " + std::to_string(n));
  }
  for (int64_t i = 0; i < n; ++i)
    mine[static_cast<size_t>(first + i * stride)].swap(items[static_cast<size_t>(i)]);
}

void ListSetItem(const Value& v, const Value& key, const Value& value) {
  if (auto* slice = As<SliceObject>(key)) {
    if (!FindSlot(TypeOf(value), &TypeInfo::iter) && !FindSlot(TypeOf(value), &TypeInfo::getitem)) {
      int64_t first, last, stride;
      slice->Indices(Size(v), &first, &last, &stride);
      throw TypeError(stride == 1 ? "can only assign an iterable"
                                  : "must assign iterable to extended slice");
    }
    SetSlice(v, *slice, ToVector(value));
    return;
  }
  if (!IsIndex(key)) ThrowIndexType("list", key);
  Value item = value;
  Items(v)[static_cast<size_t>(CheckIndex(key, Size(v), "list assignment"))].swap(item);
}

void ListDelItem(const Value& v, const Value& key) {
  auto& mine = Items(v);
  if (auto* slice = As<SliceObject>(key)) {
    int64_t first, last, stride;
    int64_t n = slice->Indices(Size(v), &first, &last, &stride);
    if (n == 0) return;
    if (stride < 0) first += (n - 1) * stride, stride = -stride;
    std::vector<Value> kept, gone;
    for (int64_t i = 0, next = first; i < static_cast<int64_t>(mine.size()); ++i) {
      bool drop = n > 0 && i == next;
      (drop ? gone : kept).push_back(std::move(mine[static_cast<size_t>(i)]));
      if (drop) next += stride, --n;
    }
    mine.swap(kept);
    return;
  }
  if (!IsIndex(key)) ThrowIndexType("list", key);
  int64_t i = CheckIndex(key, Size(v), "list assignment");
  Value gone = std::move(mine[static_cast<size_t>(i)]);
  mine.erase(mine.begin() + i);
}

bool ListContains(const Value& v, const Value& item) {
  // Iterates by index, because == may change the list.
  for (size_t i = 0; i < Items(v).size(); ++i) {
    Value held = Items(v)[i];
    if (Equal(held, item)) return true;
  }
  return false;
}

// ---- methods ----

Value Append(Args& a) {
  Items(a.self()).push_back(std::move(a[0]));
  return Value::None();
}
Value ExtendMethod(Args& a) {
  Extend(a.self(), a[0]);
  return Value::None();
}
Value Insert(Args& a) {
  int64_t i = ToSize(a[0]), n = Size(a.self());
  if (i < 0) i = std::max<int64_t>(0, i + n);
  Items(a.self()).insert(Items(a.self()).begin() + std::min(i, n), a[1]);
  return Value::None();
}
Value Pop(Args& a) {
  int64_t i = ToSize(a[0]), n = Size(a.self());
  if (n == 0) throw IndexError("pop from empty list");
  if (i < 0) i += n;
  if (i < 0 || i >= n) throw IndexError("pop index out of range");
  auto& items = Items(a.self());
  Value v = std::move(items[static_cast<size_t>(i)]);
  items.erase(items.begin() + i);
  return v;
}
Value Remove(Args& a) {
  int64_t i = FindItem(Items(a.self()), a[0], 0, INT64_MAX);
  if (i < 0) throw ValueError("list.remove(x): x not in list");
  Value gone = std::move(Items(a.self())[static_cast<size_t>(i)]);
  Items(a.self()).erase(Items(a.self()).begin() + i);
  return Value::None();
}
Value Clear(Args& a) {
  std::vector<Value> gone;
  gone.swap(Items(a.self()));
  return Value::None();
}
Value Copy(Args& a) { return MakeList(Items(a.self())); }
Value Reverse(Args& a) {
  std::reverse(Items(a.self()).begin(), Items(a.self()).end());
  return Value::None();
}
Value Sort(Args& a) {
  if (!As<TupleObject>(a[0])->items.empty())
    throw TypeError("sort() takes no positional arguments");
  // The items are moved out during the sort, so that a key function that accesses the list cannot
  // invalidate them.
  std::vector<Value> items;
  items.swap(Items(a.self()));
  try {
    SortValues(&items, a[1], Truth(a[2]));
  } catch (...) {
    items.swap(Items(a.self()));
    throw;
  }
  bool changed = !Items(a.self()).empty();
  Items(a.self()) = std::move(items);
  if (changed) throw ValueError("list modified during sort");
  return Value::None();
}
Value Init(Args& a) {
  std::vector<Value> items;
  if (a.has(0)) items = ToVector(a[0]);
  Items(a.self()).swap(items);
  return Value::None();
}
Value Make(Args& a) { return MakeList(a.has(0) ? ToVector(a[0]) : std::vector<Value>()); }
Value SubclassNew(const TypeInfo& cls, const CallArgs&) {
  return New<Extended<ListObject>>(cls, std::vector<Value>());
}

const FunctionRow kMake = {"list", "iterable=..., /", Make};
const FunctionRow kMethods[] = {
    {"__init__", "iterable=..., /", Init},
    {"append", "object, /", Append, "Append object to the end of the list."},
    {"extend", "iterable, /", ExtendMethod, "Extend list by appending elements from the iterable."},
    {"insert", "index, object, /", Insert, "Insert object before index."},
    {"pop", "index=-1, /", Pop, "Remove and return item at index (default last)."},
    {"remove", "value, /", Remove, "Remove first occurrence of value."},
    {"clear", "/", Clear, "Remove all items from list."},
    {"copy", "/", Copy, "Return a shallow copy of the list."},
    {"reverse", "/", Reverse, "Reverse in place."},
    {"index", "value, start=0, stop=9223372036854775807, /", SequenceIndex,
     "Return first index of value."},
    {"count", "value, /", SequenceCount, "Return number of occurrences of value."},
    {"sort", "*args, key=None, reverse=False", Sort, "Sort the list in ascending order, stably."},
};

}  // namespace

Value SequenceIndex(Args& a) {
  const auto& items = *Sequence(a.self());
  auto n = static_cast<int64_t>(items.size());
  int64_t from = ToIndex(a[1]), to = ToIndex(a[2]);
  if (from < 0) from = std::max<int64_t>(0, from + n);
  if (to < 0) to = std::max<int64_t>(0, to + n);
  int64_t i = FindItem(items, a[0], from, to);
  if (i >= 0) return Value::Int(i);
  if (As<TupleObject>(a.self())) throw ValueError("tuple.index(x): x not in tuple");
  throw ValueError(Repr(a[0]) + " is not in list");
}
Value SequenceCount(Args& a) {
  int64_t count = 0;
  const auto& items = *Sequence(a.self());
  for (size_t i = 0; i < items.size(); ++i) {
    Value held = items[i];
    count += Equal(held, a[0]);
  }
  return Value::Int(count);
}

const TypeInfo ListObject::kType = {.name = "list",
                                    .methods = kMethods,
                                    .construct = &kMake,
                                    .subclass_new = SubclassNew,
                                    .repr = ListRepr,
                                    .unhashable = true,
                                    .compare = ListCompare,
                                    .binary = ListBinary,
                                    .inplace = ListInplace,
                                    .len = Size,
                                    .getitem = ListGetItem,
                                    .setitem = ListSetItem,
                                    .delitem = ListDelItem,
                                    .contains = ListContains,
                                    .iter = IterList};

Value MakeList(std::vector<Value> items) { return New<ListObject>(std::move(items)); }

}  // namespace tensh::shell
