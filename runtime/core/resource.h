#pragma once
// What outlives a step: variables, queues, generators. Owned by a session's resource table under
// the node's name (or its shared name), freed when the session closes. Thread-safe.
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "runtime/core/tensor.h"

namespace tensh {

class Resource {
 public:
  virtual ~Resource() = default;
  // A step is cancelled or the session closes: wake whoever waits on this.
  virtual void Cancel() {}
};

// A variable's value. Its buffer is the variable's own, and updates write in place, so a tensor
// read earlier in a step sees what a later update of the step did (TensorFlow's reference variables
// do that, and scripts that order an identity behind an assign rely on it). What leaves a step is
// copied: a fetched value never changes.
class Variable : public Resource {
 public:
  std::mutex mu;
  Tensor value;  // null until initialised; guarded by mu
  std::string name;
  DType dtype = DType::kInvalid;

  Tensor Read() {
    std::lock_guard lock(mu);
    return value;
  }
};

// An element of type resource: what a handle op gives out and other ops take. Copies share.
struct ResourceHandle {
  std::shared_ptr<Resource> resource;
  std::string name;
};
template <>
inline constexpr DType kDTypeOf<ResourceHandle> = DType::kResource;

class ResourceTable {
 public:
  // The resource of this kind and name, made by `make` the first time.
  template <class R>
  std::shared_ptr<R> FindOrMake(const std::string& name,
                                const std::function<std::shared_ptr<R>()>& make) {
    std::lock_guard lock(mu_);
    auto& slot = table_[name];
    if (!slot) slot = make();
    return std::dynamic_pointer_cast<R>(slot);
  }
  template <class Fn>
  void ForEach(Fn fn) {
    std::lock_guard lock(mu_);
    for (auto& [name, resource] : table_) fn(name, *resource);
  }
  // The resource of that name, or null.
  std::shared_ptr<Resource> Find(const std::string& name) {
    std::lock_guard lock(mu_);
    auto it = table_.find(name);
    return it == table_.end() ? nullptr : it->second;
  }
  void Erase(const std::string& name) {
    std::lock_guard lock(mu_);
    table_.erase(name);
  }
  void Clear() {
    std::lock_guard lock(mu_);
    table_.clear();
  }

 private:
  std::mutex mu_;
  std::map<std::string, std::shared_ptr<Resource>> table_;
};

}  // namespace tensh
