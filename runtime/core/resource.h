#pragma once
// Objects that outlive a step, such as variables, queues and random generators. A session's
// resource table owns them under the name of the node (or its shared name) and frees them when the
// session closes. Thread-safe.
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
  // Wakes the threads that wait on this resource. Called when a step is cancelled or the session
  // closes.
  virtual void Cancel() {}
};

// The value of a variable. Updates write into its buffer in place, so a tensor that was read
// earlier in a step sees a later update of the step. TensorFlow's reference variables behave the
// same way, and scripts that order an identity after an assign rely on it. Values that leave a step
// are copied, so a fetched value never changes.
class Variable : public Resource {
 public:
  std::mutex mu;
  Tensor value;  // Null until initialised. Guarded by mu.
  std::string name;
  DType dtype = DType::kInvalid;

  Tensor Read() {
    std::lock_guard lock(mu);
    return value;
  }
};

// FailedPrecondition with kUninitialized: the error of every read of a variable without a value.
Status Uninitialized(const Variable& variable);

// An element of type resource: the output of a handle op and the input of other ops. Copies share
// the resource.
struct ResourceHandle {
  std::shared_ptr<Resource> resource;
  std::string name;
};
template <>
inline constexpr DType kDTypeOf<ResourceHandle> = DType::kResource;

// The resources of one session, by name. Thread-safe.
class ResourceTable {
 public:
  // Returns the resource with this name, made by `make` at the first call. Returns null if it
  // exists but is of another class.
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
  // Returns the resource with this name, or null.
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
