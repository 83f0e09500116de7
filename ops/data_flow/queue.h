#pragma once
// Queues of tuples of tensors, shared by the steps of a session: FIFO, with padding, shuffled, or
// by priority. A step that must wait blocks its thread.
//
// 1. Waiting enqueues, and waiting dequeues, are served in order of arrival.
// 2. A dequeue of many elements takes them as they arrive. If it cannot get all, it puts them back.
//    A priority queue waits until all are there, so that they are the first ones in order.
// 3. A closed queue accepts no further elements; its remaining ones can still be dequeued.
//
// Thread-safe.
#include <deque>
#include <string>
#include <vector>

#include "ops/data_flow/step_wait.h"
#include "runtime/core/resource.h"

namespace tensh::ops {

using QueueRow = std::vector<Tensor>;

struct QueueSpec {
  std::string kind;  // such as "FIFOQueue"; for messages
  std::string name;
  std::vector<DType> types;
  std::vector<Shape> shapes;  // one per component, or empty
  int64_t capacity = 0;
  int64_t min_after_dequeue = 0;  // of a RandomShuffleQueue
};

class Queue : public Resource {
 public:
  explicit Queue(QueueSpec spec) : spec_(std::move(spec)) {}
  const QueueSpec& spec() const { return spec_; }

  Status Enqueue(KernelCtx& c, QueueRow row);
  // Stores n rows in *rows, or, if `less_will_do` is set and the queue is closed, between 1 and n.
  Status Dequeue(KernelCtx& c, int64_t n, bool less_will_do, std::vector<QueueRow>* rows);
  Status Close(bool cancel_pending_enqueues);  // Cancelled if the queue is closed already
  int64_t size();
  bool closed();
  void Cancel() override { (void)Close(true); }
  // True if the components of a batch are padded to the largest shape among its rows.
  virtual bool pads() const { return false; }

 protected:
  // Called with the mutex held. Take requires CanTake().
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
  // True if elements that are dequeued together must be in the queue at the same time.
  virtual bool takes_at_once() const { return false; }
  bool closed_ = false;

 private:
  Status CheckRow(const QueueRow& row) const;

  const QueueSpec spec_;
  std::mutex mu_;
  std::condition_variable changed_;
  std::deque<QueueRow> rows_;
  bool cancel_enqueues_ = false;
  uint64_t next_ticket_ = 0;
  std::deque<uint64_t> enqueuers_, dequeuers_;  // tickets of the waiting and the served threads
};

// The variable behind the handle of a queue op without V2. Before resource handles, such handles
// were references to strings.
class QueueReference : public Variable {
 public:
  std::shared_ptr<Queue> queue;
};

// Returns the queue that the handle in input i refers to. Returns InvalidArgument if it refers to
// something else.
Result<Queue*> QueueAt(KernelCtx& c, int i);

}  // namespace tensh::ops
