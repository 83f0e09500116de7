// Value and Object: the contents of every name, stack slot and container element of the language.
//
// A Value is 16 bytes: a tag, and either an immediate (None, bool, int64, double or one of two
// singletons) or a pointer to a reference-counted Object. The null Value means "absent" and is
// never visible to the user.
//
// Ownership: a Value or Ref<T> owns one reference. Threads: only the thread that holds the
// interpreter's lock may use Values; counts are not atomic. Invariants:
//   1. An Object dies when its last reference is released, but not by recursion: a queue releases a
//      chain of a million lists (heap::Dispose).
//   2. An Object that can hold Values derives from TrackedObject and implements DropRefs, so that
//      cycles are reclaimed when the interpreter ends (heap::ReclaimCycles). One that also
//      implements Visit is reclaimed while the interpreter runs (heap::CollectCycles).
//
// To add a type, derive a class from Object (or TrackedObject) with `static const TypeInfo kType;`.
// See type.h.
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
void Dispose(Object* object) noexcept;  // Called when the last reference was released.
void ReclaimCycles();  // Makes every tracked object drop its references; called at shutdown.
size_t LiveTracked();  // For tests.
// Frees objects that only cycles keep alive. Call it only between two instructions, when frames
// hold every object in use.
void CollectCycles();
inline bool collection_due = false;  // Requests a collection from the interpreter.
// Reports that an object was released that held more memory than its size shows. The next
// collection then comes sooner.
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
  size_t tracked_index() const;  // SIZE_MAX if this is not a TrackedObject.
  // Drops every Value held. Called once, when the interpreter ends or when only a cycle holds this.
  virtual void DropRefs() {}
  // Passes each reference to `visit`, once for each count that it holds. References not passed keep
  // their objects alive.
  virtual void Visit(HeldVisitor&) const {}
  // Returns the instance attributes (obj.__dict__), or null if the type has none.
  virtual Dict* attrs() { return nullptr; }

 protected:
  void set_type(const TypeInfo& type) { type_ = &type; }
  uint32_t track_index_ = 0;  // Used by TrackedObject; declared here because it fills padding.

 private:
  uint32_t refs_ = 0;
  const TypeInfo* type_;
};

// An Object that may be part of a reference cycle. The collector keeps a list of all of them.
class TrackedObject : public Object {
 public:
  explicit TrackedObject(const TypeInfo& type);
  ~TrackedObject() override;
};

// A counted reference to an Object; may be null.
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

// A value of the language; see above. Copying it retains the object it refers to.
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
  // True for an int that fits 64 bits; bigint.h has the others.
  bool is_int() const { return tag_ == Tag::kInt; }
  bool is_float() const { return tag_ == Tag::kFloat; }
  bool is_not_implemented() const { return tag_ == Tag::kNotImplemented; }
  bool is_ellipsis() const { return tag_ == Tag::kEllipsis; }
  bool is_object() const { return tag_ == Tag::kObject; }
  bool as_bool() const { return u_.i != 0; }
  int64_t as_int() const { return u_.i; }
  double as_float() const { return u_.f; }
  Object* object() const { return u_.o; }  // Valid only if is_object().
  // Returns true if both are the same object, as Python's `is`.
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

// Returns the type of a Value, including immediates. `v` must not be null.
const TypeInfo& TypeOf(const Value& v);
// Returns true if `type` is `base` or derives from it, by C++ inheritance.
bool DerivesFrom(const TypeInfo& type, const TypeInfo& base);

// Returns the object as a T, or null if it has another type: `if (auto* list = As<ListObject>(v))`.
template <class T>
T* As(const Value& v) {
  if (!v.is_object()) return nullptr;
  const TypeInfo& type = v.object()->type();
  if (&type != &T::kType && !DerivesFrom(type, T::kType)) return nullptr;
  return static_cast<T*>(v.object());
}

// Receives each reference that Object::Visit reports.
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
