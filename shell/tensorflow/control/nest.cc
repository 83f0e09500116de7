#include "shell/tensorflow/control/nest.h"

#include <algorithm>

#include "shell/python/values/error.h"
#include "shell/python/values/ops.h"

namespace tensh::shell::tf {
namespace {

std::vector<const Dict::Entry*> Sorted(DictObject& dict) {
  std::vector<const Dict::Entry*> entries;
  for (size_t i = 0; const Dict::Entry* e = dict.dict.At(&i);) entries.push_back(e);
  std::stable_sort(entries.begin(), entries.end(), [](const Dict::Entry* a, const Dict::Entry* b) {
    return CompareTruth(CompareOp::kLt, a->key, b->key);
  });
  return entries;
}

void FlattenInto(const Value& v, std::vector<Value>* out) {
  RecursionGuard guard;
  if (const auto* items = Sequence(v)) {
    for (const Value& item : *items) FlattenInto(item, out);
  } else if (auto* dict = As<DictObject>(v)) {
    for (const Dict::Entry* e : Sorted(*dict)) FlattenInto(e->value, out);
  } else {
    out->push_back(v);
  }
}

Value PackFrom(const Value& structure, std::span<const Value> leaves, size_t* next) {
  RecursionGuard guard;
  if (auto* dict = As<DictObject>(structure)) {
    Value made =
        &dict->type() == &DictObject::kType ? MakeDict() : Call(TypeValue(dict->type()), {});
    std::vector<std::pair<Value, Value>> packed;
    for (const Dict::Entry* e : Sorted(*dict))
      packed.emplace_back(e->key, PackFrom(e->value, leaves, next));
    for (size_t i = 0; const Dict::Entry* e = dict->dict.At(&i);) {
      for (auto& [key, value] : packed) {
        if (Equal(key, e->key)) SetItem(made, e->key, value);
      }
    }
    return made;
  }
  const auto* items = Sequence(structure);
  if (!items) {
    if (*next >= leaves.size())
      throw ValueError("Structure had more elements than the flat sequence has.");
    return leaves[(*next)++];
  }
  std::vector<Value> made;
  for (const Value& item : *items) made.push_back(PackFrom(item, leaves, next));
  if (As<ListObject>(structure)) return MakeList(std::move(made));
  const TypeInfo& type = TypeOf(structure);
  if (&type == &TupleObject::kType) return MakeTuple(std::move(made));
  return Call(TypeValue(type), std::span<const Value>(made));  // a named tuple
}

[[noreturn]] void ThrowDiffer(const Value& a, const Value& b, const std::string& why) {
  throw ValueError("The two structures don't have the same nested structure.\n\nFirst structure: " +
                   Repr(a) + "\n\nSecond structure: " + Repr(b) + "\n\nMore specifically: " + why);
}

void CheckPart(const Value& a, const Value& b, const Value& whole_a, const Value& whole_b) {
  RecursionGuard guard;
  if (IsNested(a) != IsNested(b)) {
    const Value& nested = IsNested(a) ? a : b;
    const Value& leaf = IsNested(a) ? b : a;
    ThrowDiffer(whole_a, whole_b,
                "Substructure \"type=" + TypeName(nested) + " str=" + Str(nested) +
                    "\" is a sequence, while substructure \"type=" + TypeName(leaf) +
                    " str=" + Str(leaf) + "\" is not");
  }
  if (!IsNested(a)) return;
  if (&TypeOf(a) != &TypeOf(b)) {
    throw TypeError(
        "The two structures don't have the same sequence type. Input structure has type " +
        Repr(TypeValue(TypeOf(a))) + ", while shallow structure has type " +
        Repr(TypeValue(TypeOf(b))) + ".");
  }
  if (Len(a) != Len(b)) {
    ThrowDiffer(whole_a, whole_b,
                "The two structures don't have the same number of elements. First structure: " +
                    Repr(a) + ". Second structure: " + Repr(b));
  }
  if (const auto* items = Sequence(a)) {
    for (size_t i = 0; i < items->size(); ++i)
      CheckPart((*items)[i], (*Sequence(b))[i], whole_a, whole_b);
    return;
  }
  auto keys_a = Sorted(*As<DictObject>(a)), keys_b = Sorted(*As<DictObject>(b));
  for (size_t i = 0; i < keys_a.size(); ++i) {
    if (!Equal(keys_a[i]->key, keys_b[i]->key))
      ThrowDiffer(whole_a, whole_b, "The two dictionaries don't have the same set of keys.");
    CheckPart(keys_a[i]->value, keys_b[i]->value, whole_a, whole_b);
  }
}

}  // namespace

bool IsNested(const Value& v) { return Sequence(v) || As<DictObject>(v); }

std::vector<Value> Flatten(const Value& v) {
  std::vector<Value> out;
  FlattenInto(v, &out);
  return out;
}

Value PackAs(const Value& structure, std::span<const Value> leaves) {
  size_t next = 0;
  return PackFrom(structure, leaves, &next);
}

Value MapLeaves(const Value& v, const std::function<Value(const Value&)>& fn) {
  std::vector<Value> leaves = Flatten(v);
  for (Value& leaf : leaves) leaf = fn(leaf);
  return PackAs(v, leaves);
}

void CheckSameStructure(const Value& a, const Value& b) { CheckPart(a, b, a, b); }

}  // namespace tensh::shell::tf
