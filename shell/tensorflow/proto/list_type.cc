// The types of repeated fields: RepeatedScalarContainer and RepeatedCompositeContainer.
#include "shell/python/values/collections/iterator.h"
#include "shell/python/values/collections/sequence.h"
#include "shell/python/values/error.h"
#include "shell/python/values/ops.h"
#include "shell/tensorflow/proto/message.h"
#include "shell/tensorflow/proto/message_class.h"
#include "shell/tensorflow/proto/scalar.h"

namespace tensh::shell::tf {
namespace {

constexpr const char* kModule = "google._upb._message";

ProtoList& List(const Value& v) { return *static_cast<ProtoList*>(v.object()); }
ProtoList& List(Args& a) { return List(a.self()); }
int64_t ListLen(const Value& v) { return static_cast<int64_t>(List(v).size()); }

class ProtoListIterator final : public Iterator {
 public:
  static const TypeInfo kType;
  explicit ProtoListIterator(const Value& list) : Iterator(kType), list_(list) {}
  void DropRefs() override { list_ = Value(); }
  // Checks the index each time, because a loop may remove elements of the list.
  bool Step(Value* out) override {
    if (list_.is_null() || at_ >= List(list_).size()) return false;
    *out = List(list_).At(at_++);
    return true;
  }
  Position position() const override {
    return {static_cast<int64_t>(at_), list_.is_null() ? -1 : ListLen(list_)};
  }

 private:
  Value list_;
  size_t at_ = 0;
};
const TypeInfo ProtoListIterator::kType = IteratorType("iterator");

Value IterProtoList(const Value& v) { return New<ProtoListIterator>(v); }

std::string ListRepr(const Value& v) { return "[" + JoinReprs(List(v).Items()) + "]"; }

size_t IndexIn(const Value& v, const Value& key) {
  if (!IsIndex(key)) throw TypeError("list indices must be integers");
  const Value index = Value::Int(ToIndex(key));  // The __index__ of a program may change the list.
  return static_cast<size_t>(CheckIndex(index, ListLen(v), "list"));
}

// Returns the indices that a slice selects.
std::vector<size_t> IndicesIn(const Value& v, const SliceObject& slice) {
  int64_t first, last, stride;
  const int64_t n = slice.Indices(ListLen(v), &first, &last, &stride);
  std::vector<size_t> indices;
  for (int64_t i = 0; i < n; ++i) {
    const auto at = static_cast<size_t>(first + i * stride);
    if (at < List(v).size()) indices.push_back(at);  // See IndexIn.
  }
  return indices;
}

Value ListGet(const Value& v, const Value& key) {
  const auto* slice = As<SliceObject>(key);
  if (!slice) return List(v).At(IndexIn(v, key));
  std::vector<Value> items;
  for (const size_t i : IndicesIn(v, *slice)) items.push_back(List(v).At(i));
  return MakeList(std::move(items));
}

void ListSet(const Value& v, const Value& key, const Value& value) {
  const auto* slice = As<SliceObject>(key);
  if (!slice) return List(v).Set(IndexIn(v, key), value);
  int64_t first, last, stride;
  const int64_t n = slice->Indices(ListLen(v), &first, &last, &stride);
  if (stride == 1) return List(v).Splice(static_cast<size_t>(first), static_cast<size_t>(n), value);
  const std::vector<Value> values = ToVector(value);
  if (static_cast<int64_t>(values.size()) != n) {
    throw ValueError("attempt to assign sequence of size " + std::to_string(values.size()) +
                     " to extended slice of size " + std::to_string(n));
  }
  for (int64_t i = 0; i < n; ++i)
    List(v).Set(static_cast<size_t>(first + i * stride), values[static_cast<size_t>(i)]);
}

void MessagesSet(const Value&, const Value&, const Value&) {
  throw TypeError("does not support assignment");
}

void ListDelete(const Value& v, const Value& key) {
  const auto* slice = As<SliceObject>(key);
  const std::vector<size_t> indices =
      slice ? IndicesIn(v, *slice) : std::vector<size_t>{IndexIn(v, key)};
  std::vector<bool> gone(List(v).size(), false);
  for (const size_t i : indices) gone[i] = true;
  List(v).Erase(gone);
}

// Returns the index of the first element that equals the value, or the size.
size_t IndexOf(const Value& list, const Value& value) {
  size_t i = 0;
  while (i < List(list).size() && !Equal(List(list).At(i), value)) ++i;
  return i;
}

bool ListContains(const Value& v, const Value& item) { return IndexOf(v, item) < List(v).size(); }

Value ListCompare(CompareOp op, const Value& a, const Value& b) {
  if (op != CompareOp::kEq && op != CompareOp::kNe) return Value::NotImplemented();
  bool equal = false;
  if (auto* other = As<ProtoList>(b)) {
    equal = List(a).Equals(*other);
  } else if (auto* list = As<ListObject>(b)) {
    equal = CompareItems(CompareOp::kEq, List(a).Items(), list->items).as_bool();
  } else {
    return Value::NotImplemented();
  }
  return Value::Bool(equal == (op == CompareOp::kEq));
}

// ---- methods ----

Value Append(Args& a) {
  List(a).Insert(List(a).size(), a[0]);
  return Value::None();
}

Value Extend(Args& a) {
  const bool iterates =
      FindSlot(TypeOf(a[0]), &TypeInfo::iter) || FindSlot(TypeOf(a[0]), &TypeInfo::getitem);
  if (!iterates) throw TypeError("must assign iterable");
  List(a).Extend(a[0]);
  return Value::None();
}

Value Insert(Args& a) {
  int64_t i = ToSize(a[0]);
  const int64_t n = ListLen(a.self());
  if (i < 0) i = std::max<int64_t>(0, i + n);
  List(a).Insert(static_cast<size_t>(std::min(i, n)), a[1]);
  return Value::None();
}

Value Pop(Args& a) {
  const int64_t wanted = ToSize(a[0]), n = ListLen(a.self());
  const int64_t i = wanted < 0 ? wanted + n : wanted;
  if (n == 0) throw IndexError("pop from empty list");
  if (i < 0 || i >= n) throw IndexError("pop index out of range");
  Value popped = List(a).At(static_cast<size_t>(i));
  ListDelete(a.self(), Value::Int(i));
  return popped;
}

Value Remove(Args& a) {
  const size_t i = IndexOf(a.self(), a[0]);
  if (i == List(a).size()) throw ValueError("remove(x): x not in container");
  ListDelete(a.self(), Value::Int(static_cast<int64_t>(i)));
  return Value::None();
}

Value Index(Args& a) {
  const size_t i = IndexOf(a.self(), a[0]);
  if (i == List(a).size()) throw ValueError(Repr(a[0]) + " is not in list");
  return Value::Int(static_cast<int64_t>(i));
}

Value Clear(Args& a) { return List(a).Clear(), Value::None(); }
Value Reverse(Args& a) { return List(a).Reverse(), Value::None(); }
Value Sort(Args& a) {
  List(a).Sort(a[0], Truth(a[1]));
  return Value::None();
}

// Returns the elements as a list, for copy.deepcopy. The copies of messages are messages.
Value DeepCopy(Args& a) {
  Ref<ProtoList> copy = New<ProtoList>(List(a).field());
  copy->Extend(a.self());
  return copy;
}

// Arguments: the fields of the new message.
Value AddMessage(Args& a) {
  if (!As<TupleObject>(a[0])->items.empty()) throw TypeError("No positional arguments allowed");
  const Value made = MakeMessage(*List(a).field().message);
  InitMessage(made, a[1]);
  Value added = List(a).Add();
  if (As<DictObject>(a[1])->dict.size() > 0)
    As<ProtoMessage>(added)->CopyFrom(*As<ProtoMessage>(made));
  return added;
}

const FunctionRow kListMethods[] = {
    {"append", "object, /", Append, "Appends a value; a message is copied."},
    {"extend", "iterable, /", Extend, "Appends several values."},
    {"MergeFrom", "iterable, /", Extend, "Appends several values."},
    {"insert", "index, object, /", Insert, "Inserts a value before an index."},
    {"pop", "index=-1, /", Pop, "Removes and returns the value at an index."},
    {"remove", "value, /", Remove, "Removes the first value that is equal."},
    {"index", "value, /", Index, "Returns the index of the first value that is equal."},
    {"clear", "/", Clear, "Removes all values."},
    {"reverse", "/", Reverse, "Reverses the order."},
    {"sort", "key=None, reverse=False", Sort, "Sorts the values."},
    {"__deepcopy__", "memo=None, /", DeepCopy, "Returns a copy."},
};
const FunctionRow kMessagesMethods[] = {
    {"add", "*args, **kwargs", AddMessage, "Appends a message with these fields, and returns it."},
};

}  // namespace

const TypeInfo ProtoList::kType = {.name = "RepeatedScalarContainer",
                                   .module = kModule,
                                   .doc = "A repeated field of a message.",
                                   .methods = kListMethods,
                                   .repr = ListRepr,
                                   .unhashable = true,
                                   .compare = ListCompare,
                                   .len = ListLen,
                                   .getitem = ListGet,
                                   .setitem = ListSet,
                                   .delitem = ListDelete,
                                   .contains = ListContains,
                                   .iter = IterProtoList};

const TypeInfo ProtoList::kMessagesType = {.name = "RepeatedCompositeContainer",
                                           .base = &ProtoList::kType,
                                           .module = kModule,
                                           .doc = "A repeated field of a message.",
                                           .methods = kMessagesMethods,
                                           .setitem = MessagesSet};

}  // namespace tensh::shell::tf
