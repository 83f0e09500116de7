// Value and Object: what every name, stack slot and container element of the language holds.
//
// A Value is 16 bytes: a tag and either an immediate (None, bool, int64, double, the two
// singletons) or a pointer to a reference-counted Object. The null Value means "absent" and never
// reaches the user. Ownership: a Value or Ref<T> owns one reference. Threads: the interpreter's
// thread only; counts are not atomic. Invariants:
//   1. An Object dies when its last reference goes, never by recursion: a chain of a million lists
//   is
//      released by a queue (heap::Dispose).
//   2. An Object that can hold Values derives from TrackedObject and implements DropRefs, so that
//      cycles are reclaimed when the interpreter ends (heap::ReclaimCycles). One that also
//      implements Visit is reclaimed while the interpreter runs (heap::CollectCycles).
// To add a type: a class derived from Object (or TrackedObject) with `static const TypeInfo
// kType;`, see type.h.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tensh::shell {

class Object;
class Dict;
struct TypeInfo;

namespace heap {
void Dispose(Object* object) noexcept;  // The last reference went.
void ReclaimCycles();                   // Drops what every tracked object holds; at shutdown.
size_t LiveTracked();                   // For tests.
// Frees what only cycles keep alive. Only between two instructions, where every object in use is
// held by a frame.
void CollectCycles();
inline bool collection_due = false;  // Asks the interpreter for one.
// Something that holds more than its object tells was let go: the next collection comes sooner.
void AddPressure(size_t objects);
}  // namespace heap

class HeldVisitor;

class Object {
 public:
  explicit Object(const TypeInfo& type) : type_(&type) {}
  Object(const Object&) = delete;
  Object& operator=(const Object&) = delete;
  virtual ~Object() = default;

  const TypeInfo& type() const { return *type_; }
  void Retain() { ++refs_; }
  void Release() {
    if (--refs_ == 0) heap::Dispose(this);
  }
  uint32_t refs() const { return refs_; }
  size_t tracked_index() const;  // SIZE_MAX: not a TrackedObject
  // Gives up every Value held; called once, when the interpreter ends or only a cycle holds this.
  virtual void DropRefs() {}
  // Shows references held, each once for every count it holds. Those not shown keep their objects.
  virtual void Visit(HeldVisitor&) const {}
  // The instance attributes (obj.__dict__), or null for a type that has none.
  virtual Dict* attrs() { return nullptr; }

 protected:
  void set_type(const TypeInfo& type) { type_ = &type; }
  uint32_t track_index_ = 0;  // Used by TrackedObject; here because it fills the padding.

 private:
  uint32_t refs_ = 0;
  const TypeInfo* type_;
};

class TrackedObject : public Object {
 public:
  explicit TrackedObject(const TypeInfo& type);
  ~TrackedObject() override;
};

template <class T>
class Ref {
 public:
  Ref() = default;
  explicit Ref(T* p) : p_(p) {
    if (p_) p_->Retain();
  }
  Ref(const Ref& o) : Ref(o.p_) {}
  Ref(Ref&& o) noexcept : p_(std::exchange(o.p_, nullptr)) {}
  template <class U>
  Ref(const Ref<U>& o) : Ref(o.get()) {}
  ~Ref() {
    if (p_) p_->Release();
  }
  Ref& operator=(Ref o) noexcept {
    std::swap(p_, o.p_);
    return *this;
  }
  T* get() const { return p_; }
  T* operator->() const { return p_; }
  T& operator*() const { return *p_; }
  explicit operator bool() const { return p_ != nullptr; }

 private:
  T* p_ = nullptr;
};

template <class T, class... A>
Ref<T> New(A&&... args) {
  return Ref<T>(new T(std::forward<A>(args)...));
}

class Value {
 public:
  enum class Tag : uint8_t {
    kNull,
    kNone,
    kBool,
    kInt,
    kFloat,
    kNotImplemented,
    kEllipsis,
    kObject
  };

  Value() { u_.i = 0; }
  Value(const Value& o) : tag_(o.tag_), u_(o.u_) {
    if (tag_ == Tag::kObject) u_.o->Retain();
  }
  Value(Value&& o) noexcept : tag_(o.tag_), u_(o.u_) { o.tag_ = Tag::kNull; }
  template <class T>
  Value(const Ref<T>& r) : Value(static_cast<Object*>(r.get())) {}
  explicit Value(Object* o) : tag_(o ? Tag::kObject : Tag::kNull) {
    u_.o = o;
    if (o) o->Retain();
  }
  ~Value() {
    if (tag_ == Tag::kObject) u_.o->Release();
  }
  Value& operator=(const Value& o) {
    Value copy(o);
    swap(copy);
    return *this;
  }
  Value& operator=(Value&& o) noexcept {
    Value taken(std::move(o));
    swap(taken);
    return *this;
  }
  void swap(Value& o) noexcept {
    std::swap(tag_, o.tag_);
    std::swap(u_, o.u_);
  }

  static Value None() { return Value(Tag::kNone); }
  static Value NotImplemented() { return Value(Tag::kNotImplemented); }
  static Value Ellipsis() { return Value(Tag::kEllipsis); }
  static Value Bool(bool b) {
    Value v(Tag::kBool);
    v.u_.i = b;
    return v;
  }
  static Value Int(int64_t i) {
    Value v(Tag::kInt);
    v.u_.i = i;
    return v;
  }
  static Value Float(double f) {
    Value v(Tag::kFloat);
    v.u_.f = f;
    return v;
  }

  Tag tag() const { return tag_; }
  bool is_null() const { return tag_ == Tag::kNull; }
  bool is_none() const { return tag_ == Tag::kNone; }
  bool is_bool() const { return tag_ == Tag::kBool; }
  bool is_int() const {
    return tag_ == Tag::kInt;
  }  // An int that fits 64 bits; see bigint.h for others.
  bool is_float() const { return tag_ == Tag::kFloat; }
  bool is_not_implemented() const { return tag_ == Tag::kNotImplemented; }
  bool is_ellipsis() const { return tag_ == Tag::kEllipsis; }
  bool is_object() const { return tag_ == Tag::kObject; }
  bool as_bool() const { return u_.i != 0; }
  int64_t as_int() const { return u_.i; }
  double as_float() const { return u_.f; }
  Object* object() const { return u_.o; }  // Only when is_object().
  // The same object, as Python's `is`.
  bool Is(const Value& o) const { return tag_ == o.tag_ && u_.i == o.u_.i; }

 private:
  explicit Value(Tag tag) : tag_(tag) { u_.i = 0; }

  Tag tag_ = Tag::kNull;
  union Payload {
    int64_t i;
    double f;
    Object* o;
  } u_;
};

static_assert(sizeof(Value) == 16);

// The type of any Value, immediates included. `v` is not null.
const TypeInfo& TypeOf(const Value& v);
// True when `type` is `base` or derives from it (C++ layout inheritance).
bool DerivesFrom(const TypeInfo& type, const TypeInfo& base);

// The object as a T, or null when it is something else: `if (auto* list = As<ListObject>(v))`.
template <class T>
T* As(const Value& v) {
  if (!v.is_object()) return nullptr;
  const TypeInfo& type = v.object()->type();
  if (&type != &T::kType && !DerivesFrom(type, T::kType)) return nullptr;
  return static_cast<T*>(v.object());
}

// Called by Object::Visit with each reference.
class HeldVisitor {
 public:
  virtual ~HeldVisitor() = default;
  virtual void See(Object& held) = 0;

  void operator()(const Value& v) {
    if (v.is_object()) See(*v.object());
  }
  template <class T>
  void operator()(const Ref<T>& r) {
    if (r) See(*r);
  }
  template <class T>
  void operator()(const std::vector<T>& values) {
    for (const T& v : values) (*this)(v);
  }
  template <class K, class T, class C>
  void operator()(const std::map<K, T, C>& values) {
    for (const auto& [key, v] : values) (*this)(v);
  }
  void operator()(const Dict& dict);
};

}  // namespace tensh::shell
