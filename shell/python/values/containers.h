// The common containers: str, bytes, list, tuple, dict, set and slice, with functions that make and
// read them. Each kind has a .cc with its slots and its method table.
//
// Containers are reference counted. Only the thread that holds the interpreter's lock may use them.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "shell/python/values/dict.h"
#include "shell/python/values/type.h"
#include "shell/python/values/value.h"

namespace tensh::shell {

// Immutable text in UTF-8. A lone surrogate is stored as three bytes.
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
  uint64_t hash_ = 0;  // 0 if not computed yet.
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
  // Implements slice.indices: clips the slice to a sequence of `length` elements and returns the
  // number of elements selected.
  int64_t Indices(int64_t length, int64_t* first, int64_t* last, int64_t* stride) const;
  Value start, stop, step;  // None if omitted.
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

// Functions that make a value.
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

// Returns the unique StrObject of this text, which lives as long as the process. Use it for
// identifiers only.
StrObject* Intern(std::string_view text);

// Functions that read a value. They return null or false if `v` has another type.
inline bool IsStr(const Value& v) { return As<StrObject>(v) != nullptr; }
inline std::string_view StrView(const Value& v) {  // `v` must be a str.
  return static_cast<StrObject*>(v.object())->view();
}
// Returns the elements of a list or tuple; otherwise null.
const std::vector<Value>* Sequence(const Value& v);
// Returns all elements of an iterable as a vector. Throws TypeError if `iterable` is not iterable.
std::vector<Value> ToVector(const Value& iterable);

}  // namespace tensh::shell
