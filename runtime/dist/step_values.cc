#include "runtime/dist/step_values.h"

#include <vector>

namespace tensh::dist {
namespace {

// In a loop, the number of keys grows with the iterations, so a received value is forgotten.
// Outside of loops its key is kept, to detect a second send.
bool InLoop(std::string_view key) { return !key.ends_with(";0:0"); }

}  // namespace

Status StepValues::Send(const std::string& key, TensorPtr value) {
  Done waiter;
  {
    std::lock_guard lock(mu_);
    if (!aborted_.ok()) return aborted_;
    Entry& entry = entries_[key];
    if (entry.sent) return Aborted("Duplicated send: ", key);
    entry.sent = true;
    if (!entry.waiter) {
      entry.value = std::move(value);
      return {};
    }
    entry.taken = true;
    waiter = std::move(entry.waiter);
    entry.waiter = nullptr;
    if (InLoop(key)) entries_.erase(key);
  }
  waiter({}, std::move(value));
  return {};
}

void StepValues::Receive(const std::string& key, Done done, uint64_t* token) {
  Status status;
  TensorPtr value;
  {
    std::lock_guard lock(mu_);
    status = aborted_;
    if (status.ok()) {
      Entry& entry = entries_[key];
      if (entry.taken || entry.waiter) {
        status = Aborted("Duplicated receive: ", key);
      } else if (!entry.sent) {
        entry.waiter = std::move(done);
        entry.token = next_++;
        if (token) *token = entry.token;
        return;
      } else {
        entry.taken = true;
        value = std::move(entry.value);
        if (InLoop(key)) entries_.erase(key);
      }
    }
  }
  done(status, std::move(value));
}

void StepValues::Forget(const std::string& key, uint64_t token) {
  Done waiter;
  {
    std::lock_guard lock(mu_);
    auto found = entries_.find(key);
    if (found == entries_.end() || !found->second.waiter || found->second.token != token) return;
    waiter = std::move(found->second.waiter);
    entries_.erase(found);
  }
  waiter(Cancelled("no receiver waits for this value"), nullptr);
}

bool StepValues::TakeNow(const std::string& key, TensorPtr* value) {
  std::lock_guard lock(mu_);
  auto found = entries_.find(key);
  if (found == entries_.end() || !found->second.sent || found->second.taken) return false;
  found->second.taken = true;
  *value = std::move(found->second.value);
  return true;
}

bool StepValues::Idle() {
  std::lock_guard lock(mu_);
  return aborted_.ok() && entries_.empty() && on_abort_.empty();
}

void StepValues::Abort(const Status& why) {
  std::vector<Done> waiters;
  std::unordered_map<uint64_t, std::function<void()>> others;
  {
    std::lock_guard lock(mu_);
    if (!aborted_.ok()) return;
    aborted_ = why.ok() ? Aborted("the step was ended") : why;
    for (auto& [key, entry] : entries_)
      if (entry.waiter) waiters.push_back(std::move(entry.waiter));
    entries_.clear();
    others.swap(on_abort_);
  }
  for (Done& waiter : waiters) waiter(aborted_, nullptr);
  for (auto& [token, fn] : others) fn();
}

uint64_t StepValues::OnAbort(std::function<void()> fn) {
  {
    std::lock_guard lock(mu_);
    if (aborted_.ok()) {
      on_abort_.emplace(next_, std::move(fn));
      return next_++;
    }
  }
  fn();
  return 0;
}

void StepValues::RemoveOnAbort(uint64_t token) {
  std::lock_guard lock(mu_);
  on_abort_.erase(token);
}

}  // namespace tensh::dist
