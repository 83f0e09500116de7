#pragma once
// Queued tasks of several clients, which take turns: a client with many tasks delays those of the
// others only by its share. Not thread-safe.
#include <deque>
#include <functional>
#include <unordered_map>

namespace tensh::dist {

class FairQueue {
 public:
  using Task = std::function<void()>;
  bool empty() const { return size_ == 0; }
  size_t size() const { return size_; }
  // `client` is only compared.
  void Push(Task task, const void* client) {
    std::deque<Task>& queue = queues_[client];
    if (queue.empty()) turns_.push_back(client);
    queue.push_back(std::move(task));
    ++size_;
  }
  // Requires that a task is queued.
  Task Pop() {
    const auto next = queues_.find(turns_.front());
    turns_.pop_front();
    Task task = std::move(next->second.front());
    next->second.pop_front();
    if (next->second.empty())
      queues_.erase(next);
    else
      turns_.push_back(next->first);
    --size_;
    return task;
  }

 private:
  std::unordered_map<const void*, std::deque<Task>> queues_;  // None is empty.
  std::deque<const void*> turns_;                             // Each client with a queue, once.
  size_t size_ = 0;
};

}  // namespace tensh::dist
