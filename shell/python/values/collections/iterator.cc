#include "shell/python/values/collections/iterator.h"

#include "shell/python/values/bigint.h"
#include "shell/python/values/class.h"
#include "shell/python/values/containers.h"
#include "shell/python/values/error.h"
#include "shell/python/values/format.h"
#include "shell/python/values/number_subclass.h"
#include "shell/python/values/ops.h"

namespace tensh::shell {

Value IteratorSelf(const Value& v) { return v; }
bool IteratorNext(const Value& v, Value* out) {
  return static_cast<Iterator*>(v.object())->Step(out);
}

const Iterator* AsIterator(const Value& v) {
  return v.is_object() && TypeOf(v).next == IteratorNext ? static_cast<Iterator*>(v.object())
                                                         : nullptr;
}

namespace {

const TypeInfo kListIterator = IteratorType("list_iterator");
const TypeInfo kTupleIterator = IteratorType("tuple_iterator");
const TypeInfo kStrIterator = IteratorType("str_iterator");
const TypeInfo kAsciiIterator = IteratorType("str_ascii_iterator");
const TypeInfo kBytesIterator = IteratorType("bytes_iterator");
const TypeInfo kListReverse = IteratorType("list_reverseiterator");
const TypeInfo kDictReverse = IteratorType("dict_reversekeyiterator");
const TypeInfo kRangeIterator = IteratorType("range_iterator");
const TypeInfo kSequenceIterator = IteratorType("iterator");
const TypeInfo kCallableIterator = IteratorType("callable_iterator");

Iterator::Position PositionOf(const Value& v) {
  const Iterator* it = AsIterator(v);
  return it == nullptr ? Iterator::Position() : it->position();
}

template <class Container>
class ItemIterator : public Iterator {
 public:
  ItemIterator(const TypeInfo& type, const Value& v) : Iterator(type), held_(v) {}
  void DropRefs() override { held_ = Value(); }
  bool Step(Value* out) override {
    if (held_.is_null()) return false;
    auto& items = static_cast<Container*>(held_.object())->items;
    if (at_ < items.size()) {
      *out = items[at_++];
      return true;
    }
    held_ = Value();
    return false;
  }
  Position position() const override {
    if (held_.is_null()) return {};
    const auto& items = static_cast<Container*>(held_.object())->items;
    return {static_cast<int64_t>(at_), static_cast<int64_t>(items.size())};
  }

 private:
  Value held_;
  size_t at_ = 0;
};

class StringIterator : public Iterator {
 public:
  explicit StringIterator(const Value& v)
      : Iterator(As<StrObject>(v)->ascii() ? kAsciiIterator : kStrIterator), held_(v) {}
  bool Step(Value* out) override {
    std::string_view text = StrView(held_);
    if (at_ >= text.size()) return false;
    size_t begin = at_;
    DecodeUtf8(text, &at_);
    *out = MakeStr(text.substr(begin, at_ - begin));
    return true;
  }

 private:
  Value held_;
  size_t at_ = 0;
};

class RangeIterator : public Iterator {
 public:
  RangeIterator(int64_t start, int64_t step, int64_t count)
      : Iterator(kRangeIterator), at_(start), step_(step), count_(count), left_(count) {}
  bool Step(Value* out) override {
    if (left_ <= 0) return false;
    --left_;
    *out = Value::Int(at_);
    at_ = static_cast<int64_t>(static_cast<uint64_t>(at_) + static_cast<uint64_t>(step_));
    return true;
  }
  Position position() const override { return {count_ - left_, count_}; }

 private:
  int64_t at_, step_, count_, left_;
};

// The old iteration protocol: calls __getitem__ with 0, 1, 2, … until it raises IndexError.
class SequenceIterator : public Iterator {
 public:
  SequenceIterator(const Value& v, int64_t from, int64_t step, const TypeInfo& type)
      : Iterator(type), held_(v), at_(from), step_(step) {}
  void DropRefs() override { held_ = Value(); }
  bool Step(Value* out) override {
    if (held_.is_null() || at_ < 0) return false;
    try {
      *out = GetItem(held_, Value::Int(at_));
    } catch (const PyError& e) {
      if (!e.Is(kIndexError) && !e.Is(kStopIteration)) throw;
      held_ = Value();
      return false;
    }
    at_ += step_;
    return true;
  }

 private:
  Value held_;
  int64_t at_, step_;
};

class CallableIterator : public Iterator {
 public:
  CallableIterator(Value f, Value sentinel)
      : Iterator(kCallableIterator), f_(std::move(f)), sentinel_(std::move(sentinel)) {}
  void DropRefs() override { f_ = sentinel_ = Value(); }
  bool Step(Value* out) override {
    if (f_.is_null()) return false;
    *out = Call(f_, CallArgs{});
    if (!Equal(*out, sentinel_)) return true;
    f_ = Value();
    return false;
  }

 private:
  Value f_, sentinel_;
};

class EnumerateIterator : public Iterator {
 public:
  EnumerateIterator(Value it, Value at)
      : Iterator(kEnumerate), it_(std::move(it)), at_(std::move(at)) {}
  void DropRefs() override { it_ = Value(); }
  bool Step(Value* out) override {
    Value v;
    if (!Next(it_, &v)) return false;
    Value now = at_;
    at_ = at_.is_int() && at_.as_int() < INT64_MAX ? Value::Int(at_.as_int() + 1)
                                                   : IntBinary(BinaryOp::kAdd, at_, Value::Int(1));
    *out = MakeTuple({std::move(now), std::move(v)});
    return true;
  }
  Position position() const override { return PositionOf(it_); }

 private:
  Value it_;
  Value at_;
};

class ZipIterator : public Iterator {
 public:
  ZipIterator(std::vector<Value> its, bool strict)
      : Iterator(kZip), its_(std::move(its)), strict_(strict) {}
  void DropRefs() override { its_.clear(); }
  bool Step(Value* out) override {
    if (its_.empty()) return false;
    std::vector<Value> items(its_.size());
    for (size_t i = 0; i < its_.size(); ++i) {
      if (Next(its_[i], &items[i])) continue;
      if (strict_) CheckEnds(i);
      return false;
    }
    *out = MakeTuple(std::move(items));
    return true;
  }
  Position position() const override {  // of the shortest
    Position found;
    for (const Value& it : its_) {
      const Position each = PositionOf(it);
      if (each.total >= 0 && (found.total < 0 || each.total < found.total)) found = each;
    }
    return found;
  }

 private:
  void CheckEnds(size_t short_one) {
    auto which = [](size_t n) { return n == 1 ? std::string(" 1") : "s 1-" + std::to_string(n); };
    if (short_one > 0) {
      throw ValueError("zip() argument " + std::to_string(short_one + 1) +
                       " is shorter than argument" + which(short_one));
    }
    Value v;
    for (size_t i = 1; i < its_.size(); ++i) {
      if (Next(its_[i], &v)) {
        throw ValueError("zip() argument " + std::to_string(i + 1) + " is longer than argument" +
                         which(i));
      }
    }
  }

  std::vector<Value> its_;
  bool strict_;
};

class MapIterator : public Iterator {
 public:
  MapIterator(Value f, std::vector<Value> its)
      : Iterator(kMap), f_(std::move(f)), its_(std::move(its)) {}
  void DropRefs() override {
    f_ = Value();
    its_.clear();
  }
  bool Step(Value* out) override {
    std::vector<Value> items(its_.size());
    for (size_t i = 0; i < its_.size(); ++i) {
      if (!Next(its_[i], &items[i])) return false;
    }
    if (items.empty()) return false;
    *out = Call(f_, items);
    return true;
  }

 private:
  Value f_;
  std::vector<Value> its_;
};

class FilterIterator : public Iterator {
 public:
  FilterIterator(Value f, Value it) : Iterator(kFilter), f_(std::move(f)), it_(std::move(it)) {}
  void DropRefs() override { f_ = it_ = Value(); }
  bool Step(Value* out) override {
    while (Next(it_, out)) {
      if (f_.is_none() ? Truth(*out) : Truth(Call(f_, {*out}))) return true;
    }
    return false;
  }

 private:
  Value f_, it_;
};

Value MakeEnumerate(Args& a) {
  if (!IsIndex(a[1])) ToIndex(a[1]);  // Throws the error for this type.
  Value start = PlainNumber(a[1]);
  if (!IsBigInt(start)) start = Value::Int(ToIndex(start));
  return New<EnumerateIterator>(Iter(a[0]), std::move(start));
}

std::vector<Value> Iters(const Value& tuple) {
  std::vector<Value> its;
  for (const Value& v : As<TupleObject>(tuple)->items) its.push_back(Iter(v));
  return its;
}

Value MakeZip(Args& a) {
  std::vector<Value> its;
  const auto& items = As<TupleObject>(a[0])->items;
  for (const Value& v : items) its.push_back(Iter(v));
  return New<ZipIterator>(std::move(its), Truth(a[1]));
}
Value MakeMap(Args& a) {
  if (As<TupleObject>(a[1])->items.empty())
    throw TypeError("map() must have at least two arguments.");
  return New<MapIterator>(a[0], Iters(a[1]));
}
Value MakeFilter(Args& a) { return New<FilterIterator>(a[0], Iter(a[1])); }
Value MakeReversed(Args& a) { return Reversed(a[0]); }

const FunctionRow kMakeEnumerate = {"enumerate", "iterable, start=0", MakeEnumerate};
const FunctionRow kMakeZip = {"zip", "*iterables, strict=False", MakeZip};
const FunctionRow kMakeMap = {"map", "func, *iterables", MakeMap};
const FunctionRow kMakeFilter = {"filter", "function, iterable, /", MakeFilter};
const FunctionRow kMakeReversed = {"reversed", "sequence, /", MakeReversed};

}  // namespace

const TypeInfo kEnumerate = IteratorType("enumerate", &kMakeEnumerate);
const TypeInfo kZip = IteratorType("zip", &kMakeZip);
const TypeInfo kMap = IteratorType("map", &kMakeMap);
const TypeInfo kFilter = IteratorType("filter", &kMakeFilter);
const TypeInfo kReversed = IteratorType("reversed", &kMakeReversed);

Value IterList(const Value& v) { return New<ItemIterator<ListObject>>(kListIterator, v); }
Value IterTuple(const Value& v) { return New<ItemIterator<TupleObject>>(kTupleIterator, v); }
Value IterString(const Value& v) { return New<StringIterator>(v); }
Value IterBytes(const Value& v) { return New<SequenceIterator>(v, 0, 1, kBytesIterator); }
Value IterRange(const Value& v) {
  auto* r = static_cast<RangeObject*>(v.object());
  return New<RangeIterator>(r->start, r->step, r->length);
}

Value Iter(const Value& v) {
  if (auto slot = FindSlot(TypeOf(v), &TypeInfo::iter)) return slot(v);
  if (FindSlot(TypeOf(v), &TypeInfo::getitem))
    return New<SequenceIterator>(v, 0, 1, kSequenceIterator);
  throw TypeError("'" + TypeName(v) + "' object is not iterable");
}

Value IterCallable(const Value& f, const Value& sentinel) {
  if (!IsCallable(f)) throw TypeError("iter(v, w): v must be callable");
  return New<CallableIterator>(f, sentinel);
}

Value Reversed(const Value& v) {
  if (Value f = FindAttr(v, Intern("__reversed__")); !f.is_null()) return Call(f, CallArgs{});
  if (auto* r = As<RangeObject>(v)) {
    return New<RangeIterator>(r->start + (r->length - 1) * r->step, -r->step, r->length);
  }
  if (!FindSlot(TypeOf(v), &TypeInfo::getitem) || !FindSlot(TypeOf(v), &TypeInfo::len)) {
    throw TypeError("'" + TypeName(v) + "' object is not reversible");
  }
  if (auto* d = As<DictObject>(v)) {
    std::vector<Value> keys;
    for (size_t i = 0; const Dict::Entry* e = d->dict.At(&i);) keys.push_back(e->key);
    Value list = MakeList({keys.rbegin(), keys.rend()});
    return New<ItemIterator<ListObject>>(kDictReverse, list);
  }
  return New<SequenceIterator>(v, Len(v) - 1, -1, As<ListObject>(v) ? kListReverse : kReversed);
}

const std::vector<Value>* Sequence(const Value& v) {
  if (auto* list = As<ListObject>(v)) return &list->items;
  if (auto* tuple = As<TupleObject>(v)) return &tuple->items;
  return nullptr;
}

std::vector<Value> ToVector(const Value& iterable) {
  // A user's subclass may define its own __iter__.
  if (const auto* items = Sequence(iterable);
      items && TypeOf(iterable).iter && !UserClass::Of(iterable)) {
    return *items;
  }
  std::vector<Value> out;
  constexpr size_t kMost = size_t{1} << 28;  // 4 GiB of Values.
  if (auto* range = As<RangeObject>(iterable);
      range && range->length > static_cast<int64_t>(kMost)) {
    throw MakeError(kMemoryError, "");
  }
  Value it = Iter(iterable), v;
  while (Next(it, &v)) {
    if (out.size() >= kMost) throw MakeError(kMemoryError, "");
    out.push_back(std::move(v));
  }
  return out;
}

}  // namespace tensh::shell
