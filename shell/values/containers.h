// The everyday containers: str, bytes, list, tuple, dict, set, slice; how native code makes them
// and reads them. One .cc per kind holds the kind's slots and its method table.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "shell/values/dict.h"
#include "shell/values/type.h"
#include "shell/values/value.h"

namespace tensh::shell {

// Text, as UTF-8 (lone surrogates as three bytes). Immutable.
class StrObject : public Object {
 public:
  static const TypeInfo kType;
  explicit StrObject(std::string text, const TypeInfo& type = kType)
      : Object(type), text_(std::move(text)) {}
  const std::string& text() const { return text_; }
  std::string_view view() const { return text_; }
  uint64_t hash();
  int64_t length();  // In code points.
  bool ascii() { return length() == static_cast<int64_t>(text_.size()); }
  bool interned() const { return interned_; }

 private:
  std::string text_;
  uint64_t hash_ = 0;  // 0: not computed yet.
  int64_t length_ = -1;
  bool interned_ = false;
  friend StrObject* Intern(std::string_view text);
};

class BytesObject : public Object {
 public:
  static const TypeInfo kType;
  explicit BytesObject(std::string data) : Object(kType), data(std::move(data)) {}
  const std::string data;
};

class ListObject : public TrackedObject {
 public:
  static const TypeInfo kType;
  explicit ListObject(std::vector<Value> items = {}, const TypeInfo& type = kType)
      : TrackedObject(type), items(std::move(items)) {}
  void DropRefs() override { items.clear(); }
  void Visit(HeldVisitor& visit) const override { visit(items); }
  std::vector<Value> items;
};

class TupleObject : public TrackedObject {
 public:
  static const TypeInfo kType;
  explicit TupleObject(std::vector<Value> items = {}, const TypeInfo& type = kType)
      : TrackedObject(type), items(std::move(items)) {}
  void DropRefs() override { items.clear(); }
  void Visit(HeldVisitor& visit) const override { visit(items); }
  std::vector<Value> items;
};

class DictObject : public TrackedObject {
 public:
  static const TypeInfo kType;
  explicit DictObject(const TypeInfo& type = kType) : TrackedObject(type) {}
  void DropRefs() override { dict.Clear(); }
  void Visit(HeldVisitor& visit) const override { visit(dict); }
  Dict dict;
};

class SliceObject : public TrackedObject {
 public:
  static const TypeInfo kType;
  SliceObject(Value start, Value stop, Value step)
      : TrackedObject(kType),
        start(std::move(start)),
        stop(std::move(stop)),
        step(std::move(step)) {}
  void DropRefs() override { start = stop = step = Value(); }
  // As Python's slice.indices: clips to a sequence of `length`, returns the number of elements.
  int64_t Indices(int64_t length, int64_t* first, int64_t* last, int64_t* stride) const;
  Value start, stop, step;  // None when left out.
};

class RangeObject : public Object {
 public:
  static const TypeInfo kType;
  RangeObject(int64_t start, int64_t stop, int64_t step);
  int64_t start, stop, step, length;
};

class ComplexObject : public Object {
 public:
  static const TypeInfo kType;
  ComplexObject(double re, double im) : Object(kType), re(re), im(im) {}
  double re, im;
};

// Makers.
Value MakeStr(std::string text);
Value MakeStr(std::string_view text);
inline Value MakeStr(const char* text) { return MakeStr(std::string_view(text)); }
Value MakeBytes(std::string data);
Value MakeList(std::vector<Value> items = {});
Value MakeTuple(std::vector<Value> items = {});
Value MakeDict();
Value MakeDict(std::initializer_list<std::pair<std::string_view, Value>> items);
Value MakeSet(const std::vector<Value>& items);
Value MakeComplex(double re, double im);

// The one StrObject of a name; lives for the process. For identifiers only.
StrObject* Intern(std::string_view text);

// Readers; each null/false when `v` is something else.
inline bool IsStr(const Value& v) { return As<StrObject>(v) != nullptr; }
inline std::string_view StrView(const Value& v) {  // `v` is a str.
  return static_cast<StrObject*>(v.object())->view();
}
// The elements of a list or tuple, else null.
const std::vector<Value>* Sequence(const Value& v);
// All elements of any iterable, as a vector; TypeError when it is none.
std::vector<Value> ToVector(const Value& iterable);

}  // namespace tensh::shell
