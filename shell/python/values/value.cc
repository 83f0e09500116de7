#include "shell/python/values/value.h"

#include <algorithm>
#include <memory>
#include <new>
#include <numeric>
#include <unordered_map>

#include "shell/python/values/dict.h"
#include "shell/python/values/islands.h"
#include "shell/python/values/type.h"

namespace tensh::shell {
namespace {

// A stack of pointers that grows by one block at a time. Even a large one needs only a little memory
// to grow, which is there when a MemoryError is handled.
template <class T>
class BlockStack {
 public:
  size_t size() const { return size_; }
  T*& operator[](size_t i) { return blocks_[i / kBlock][i % kBlock]; }
  T*& back() { return (*this)[size_ - 1]; }
  void push_back(T* p) {
    if (size_ == blocks_.size() * kBlock)
      blocks_.push_back(std::make_unique_for_overwrite<T*[]>(kBlock));
    (*this)[size_++] = p;
  }
  void pop_back() {
    if (--size_ + 2 * kBlock == blocks_.size() * kBlock) blocks_.pop_back();
  }

 private:
  static constexpr size_t kBlock = 4096;
  std::vector<std::unique_ptr<T*[]>> blocks_;
  size_t size_ = 0;
};

// These statics are never destroyed, because values held by other statics may be destroyed later.
BlockStack<Object>& Pending() {
  static auto* pending = new BlockStack<Object>;
  return *pending;
}
BlockStack<TrackedObject>& Tracked() {
  static auto* tracked = new BlockStack<TrackedObject>;
  return *tracked;
}
bool draining = false;

}  // namespace

namespace heap {

void Dispose(Object* object) noexcept {
  if (draining) {
    try {
      Pending().push_back(object);
    } catch (const std::bad_alloc&) {
      // The object leaks. To delete it here could overflow the stack.
    }
    return;
  }
  draining = true;
  delete object;
  auto& pending = Pending();
  while (pending.size() != 0) {
    Object* next = pending.back();
    pending.pop_back();
    delete next;
  }
  draining = false;
}

void ReclaimCycles() {
  ForgetLookups();
  std::vector<Ref<Object>> all;
  try {
    all.reserve(Tracked().size());
  } catch (const std::bad_alloc&) {
    return;  // The process ends, and its memory with it.
  }
  for (size_t i = 0; i < Tracked().size(); ++i) all.emplace_back(Tracked()[i]);
  for (auto& o : all) o->DropRefs();
}

namespace {

constexpr size_t kFirstCollection = 20000;
size_t collect_at = kFirstCollection;
size_t pressure = 0;

// Trial deletion. An object is held from outside if its count exceeds the number of references to
// it from tracked objects. Everything reachable from such an object is alive; the rest is garbage.
// The objects are numbered: first the tracked ones, then the holders of a border.
class Collector {
 public:
  explicit Collector(const Border& border) : border_(border) {
    auto& tracked = Tracked();
    outside_.reserve(tracked.size() + border.holders.size());
    for (size_t i = 0; i < tracked.size(); ++i) outside_.push_back(tracked[i]->refs());
    for (Object* holder : border.holders) {
      numbers_[holder] = outside_.size();
      outside_.push_back(holder->refs());
    }
    Each shown_once(this, [this](size_t i) { --outside_[i]; });
    for (size_t i = 0; i < tracked.size(); ++i) tracked[i]->Visit(shown_once);
    for (Object* held : border.held) shown_once.See(*held);
    std::vector<size_t> reached;
    for (size_t i = 0; i < tracked.size(); ++i) {
      if (outside_[i] != 0) reached.push_back(i);
    }
    Each reach(this, [&](size_t i) {
      if (outside_[i] != 0) return;
      outside_[i] = 1;
      if (i < tracked.size()) reached.push_back(i);
    });
    while (!reached.empty()) {
      const size_t i = reached.back();
      reached.pop_back();
      tracked[i]->Visit(reach);
    }
  }

  // Returns the objects that only other objects of the result keep alive.
  std::vector<Ref<Object>> Unreachable() {
    std::vector<Ref<Object>> rest;
    for (size_t i = 0; i < Tracked().size(); ++i) {
      if (outside_[i] == 0) rest.emplace_back(Tracked()[i]);
    }
    return rest;
  }

  std::vector<size_t> Islands() {
    islands_.resize(outside_.size());
    std::iota(islands_.begin(), islands_.end(), size_t{0});
    for (size_t i = 0; i < Tracked().size(); ++i) {
      if (outside_[i] != 0) continue;
      Each join(this, [&](size_t other) {
        if (outside_[other] == 0) islands_[Island(other)] = Island(i);
      });
      Tracked()[i]->Visit(join);
    }
    std::vector<size_t> found;
    for (const auto* objects : {&border_.held, &border_.holders}) {
      for (const Object* each : *objects) {
        const size_t i = Number(*each);
        found.push_back(i == SIZE_MAX || outside_[i] != 0 ? SIZE_MAX : Island(i));
      }
    }
    return found;
  }

 private:
  template <class F>
  class Each : public HeldVisitor {
   public:
    Each(Collector* collector, F f) : collector_(collector), f_(std::move(f)) {}
    void See(Object& held) override {
      const size_t i = collector_->Number(held);
      if (i != SIZE_MAX) f_(i);
    }

   private:
    Collector* collector_;
    F f_;
  };

  size_t Number(const Object& object) const {
    const size_t i = object.tracked_index();
    if (i != SIZE_MAX || numbers_.empty()) return i;
    const auto found = numbers_.find(&object);
    return found == numbers_.end() ? SIZE_MAX : found->second;
  }

  size_t Island(size_t i) {
    while (islands_[i] != i) i = islands_[i] = islands_[islands_[i]];
    return i;
  }

  const Border& border_;
  std::unordered_map<const Object*, size_t> numbers_;  // of the holders
  std::vector<uint32_t> outside_;                      // 0 if the object is not alive
  std::vector<size_t> islands_;                        // A forest; the root is the island.
};

}  // namespace

void CollectCycles() {
  collection_due = false;
  pressure = 0;
  ForgetLookups();
  try {
    const Border none;
    for (auto& o : Collector(none).Unreachable()) o->DropRefs();
  } catch (const std::bad_alloc&) {
    // The collection is left out.
  }
  collect_at = std::max(kFirstCollection, 2 * Tracked().size());
}

std::vector<size_t> FindIslands(const Border& border) {
  std::vector<size_t> none(border.held.size() + border.holders.size(), SIZE_MAX);
  if (draining) return none;  // an object that is half destroyed must not be visited
  try {
    return Collector(border).Islands();
  } catch (const std::bad_alloc&) {
    return none;
  }
}

void AddPressure(size_t objects) {
  pressure += objects;
  collection_due |= Tracked().size() + pressure >= collect_at;
}

size_t LiveTracked() { return Tracked().size(); }

}  // namespace heap

TrackedObject::TrackedObject(const TypeInfo& type) : Object(type) {
  auto& tracked = Tracked();
  track_index_ = static_cast<uint32_t>(tracked.size());
  tracked.push_back(this);
  heap::collection_due |= tracked.size() + heap::pressure >= heap::collect_at;
}

size_t Object::tracked_index() const {
  auto& tracked = Tracked();
  return track_index_ < tracked.size() && tracked[track_index_] == this ? track_index_ : SIZE_MAX;
}

void HeldVisitor::operator()(const Dict& dict) {
  size_t i = 0;
  while (const Dict::Entry* entry = dict.At(&i)) {
    (*this)(entry->key);
    (*this)(entry->value);
  }
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
    case Value::Tag::kNone:
      return kNoneType;
    case Value::Tag::kBool:
      return kBoolType;
    case Value::Tag::kInt:
      return kIntType;
    case Value::Tag::kFloat:
      return kFloatType;
    case Value::Tag::kNotImplemented:
      return kNotImplementedType;
    case Value::Tag::kEllipsis:
      return kEllipsisType;
    case Value::Tag::kObject:
      return v.object()->type();
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
