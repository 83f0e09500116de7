#pragma once
// Queues of tuples of tensors, which the steps of a session share: first in first out, with
// padding, shuffled, or by priority. Steps that must wait hold their thread and sleep. Thread-safe.
//
// 1. Waiting enqueues, and waiting dequeues, are served in the order of arrival.
// 2. A dequeue of many takes elements as they come; when it cannot get them all, they go back.
// 3. Closed: nothing more comes in; what is there may be taken.
#include <deque>
#include <string>
#include <vector>

#include "ops/support/step_wait.h"
#include "runtime/core/resource.h"

namespace tensh::ops {

using QueueRow = std::vector<Tensor>;

struct QueueSpec {
  std::string kind;  // "FIFOQueue", for messages
  std::string name;
  std::vector<DType> types;
  std::vector<Shape> shapes;  // one a component, or none
  int64_t capacity = 0;
};

class Queue : public Resource {
 public:
  explicit Queue(QueueSpec spec) : spec_(std::move(spec)) {}
  const QueueSpec& spec() const { return spec_; }

  Status Enqueue(KernelCtx& c, QueueRow row);
  // Between 1 (when less is allowed) and n rows, n otherwise.
  Status Dequeue(KernelCtx& c, int64_t n, bool less_will_do, std::vector<QueueRow>* rows);
  Status Close(bool cancel_pending_enqueues);  // Cancelled: it is closed already
  int64_t size();
  bool closed();
  void Cancel() override { (void)Close(true); }
  // The shapes that a batch's components have at least: whether rows are padded to the largest.
  virtual bool pads() const { return false; }

 protected:
  // Called with the mutex held; Take only when CanTake.
  virtual void Put(QueueRow row) { rows_.push_back(std::move(row)); }
  virtual QueueRow Take() {
    QueueRow row = std::move(rows_.front());
    rows_.pop_front();
    return row;
  }
  virtual void PutBack(std::vector<QueueRow> rows) {
    for (size_t i = rows.size(); i-- > 0;) rows_.push_front(std::move(rows[i]));
  }
  virtual size_t Size() const { return rows_.size(); }
  virtual bool CanTake() const { return Size() > 0; }
  bool closed_ = false;

 private:
  Status CheckRow(const QueueRow& row) const;

  const QueueSpec spec_;
  std::mutex mu_;
  std::condition_variable changed_;
  std::deque<QueueRow> rows_;
  bool cancel_enqueues_ = false;
  uint64_t next_ticket_ = 0;
  std::deque<uint64_t> enqueuers_, dequeuers_;  // tickets of those who wait, and who are served
};

// What the handle of an op without V2 refers to: a string, as it was before resources.
class QueueReference : public Variable {
 public:
  std::shared_ptr<Queue> queue;
};

// The queue behind input i, or null.
inline Queue* QueueAt(KernelCtx& c, int i) {
  if (c.in(i).dtype() != DType::kResource || c.in(i).num_elements() != 1) return nullptr;
  Resource* resource = c.in(i).data<ResourceHandle>()->resource.get();
  if (auto* old = dynamic_cast<QueueReference*>(resource)) return old->queue.get();
  return dynamic_cast<Queue*>(resource);
}

}  // namespace tensh::ops
