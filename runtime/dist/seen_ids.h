#pragma once
// The ids of recent requests, used to run a request only once if it is sent twice. Thread-safe.
#include <cstdint>
#include <mutex>
#include <unordered_set>

namespace tensh::dist {

class SeenIds {
 public:
  // Returns false if a request with this id came before. Id 0 means that a request has no id.
  bool FirstTime(int64_t id) {
    if (id == 0) return true;
    std::lock_guard lock(mu_);
    if (before_.count(id) || !latest_.insert(id).second) return false;
    if (latest_.size() >= kKept) {
      before_.swap(latest_);
      latest_.clear();
    }
    return true;
  }

 private:
  static constexpr size_t kKept = 100'000;
  std::mutex mu_;
  std::unordered_set<int64_t> latest_, before_;
};

}  // namespace tensh::dist
