#pragma once
// The request ids that came lately: what is asked for twice is run once. Any thread may call.
#include <cstdint>
#include <mutex>
#include <unordered_set>

namespace tensh::dist {

class SeenIds {
 public:
  // False: a request of this id came before. 0 is no id.
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
