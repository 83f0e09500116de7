#include "shell/values/value.h"

#include "shell/values/type.h"

namespace tensh::shell {
namespace {

// Plain statics, never destroyed: values held by other statics may outlive any order we could choose.
std::vector<Object*>& Pending() {
  static auto* pending = new std::vector<Object*>;
  return *pending;
}
std::vector<TrackedObject*>& Tracked() {
  static auto* tracked = new std::vector<TrackedObject*>;
  return *tracked;
}
bool draining = false;

}  // namespace

namespace heap {

void Dispose(Object* object) noexcept {
  if (draining) {
    Pending().push_back(object);
    return;
  }
  draining = true;
  delete object;
  auto& pending = Pending();
  while (!pending.empty()) {
    Object* next = pending.back();
    pending.pop_back();
    delete next;
  }
  draining = false;
}

void ReclaimCycles() {
  ForgetLookups();
  std::vector<Ref<Object>> all;
  all.reserve(Tracked().size());
  for (TrackedObject* o : Tracked()) all.emplace_back(o);
  for (auto& o : all) o->DropRefs();
}

size_t LiveTracked() { return Tracked().size(); }

}  // namespace heap

TrackedObject::TrackedObject(const TypeInfo& type) : Object(type) {
  auto& tracked = Tracked();
  track_index_ = static_cast<uint32_t>(tracked.size());
  tracked.push_back(this);
}

TrackedObject::~TrackedObject() {
  auto& tracked = Tracked();
  tracked[track_index_] = tracked.back();
  tracked[track_index_]->track_index_ = track_index_;
  tracked.pop_back();
}

const TypeInfo& TypeOf(const Value& v) {
  switch (v.tag()) {
    case Value::Tag::kNull:
    case Value::Tag::kNone: return kNoneType;
    case Value::Tag::kBool: return kBoolType;
    case Value::Tag::kInt: return kIntType;
    case Value::Tag::kFloat: return kFloatType;
    case Value::Tag::kNotImplemented: return kNotImplementedType;
    case Value::Tag::kEllipsis: return kEllipsisType;
    case Value::Tag::kObject: return v.object()->type();
  }
  return kNoneType;
}

bool DerivesFrom(const TypeInfo& type, const TypeInfo& base) {
  for (const TypeInfo* t = &type; t; t = t->base) {
    if (t == &base) return true;
  }
  return &base == &kObjectType;
}

}  // namespace tensh::shell
