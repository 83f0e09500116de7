#include "ops/data_flow/queue.h"

#include <algorithm>

namespace tensh::ops {
namespace {

// A position in a queue of waiting threads. The destructor leaves the queue.
class Ticket {
 public:
  Ticket(std::deque<uint64_t>& line, uint64_t number, std::condition_variable& changed)
      : line_(line), number_(number), changed_(changed) {
    line_.push_back(number);
  }
  ~Ticket() {
    line_.erase(std::find(line_.begin(), line_.end(), number_));
    changed_.notify_all();
  }
  Ticket(const Ticket&) = delete;
  bool first() const { return line_.front() == number_; }

 private:
  std::deque<uint64_t>& line_;
  const uint64_t number_;
  std::condition_variable& changed_;
};

}  // namespace

Status Queue::CheckRow(const QueueRow& row) const {
  if (row.size() != spec_.types.size())
    return InvalidArgument("Wrong number of components in tuple. Expected ", spec_.types.size(),
                           ", got ", row.size());
  for (size_t i = 0; i < row.size(); ++i) {
    if (row[i].dtype() != spec_.types[i])
      return InvalidArgument("Type mismatch in tuple component ", i, ". Expected ",
                             SignatureName(spec_.types[i]), ", got ",
                             SignatureName(row[i].dtype()));
    if (spec_.shapes.empty()) continue;
    if (!spec_.shapes[i].IsCompatibleWith(row[i].shape()))
      return InvalidArgument("Shape mismatch in tuple component ", i, ". Expected ",
                             spec_.shapes[i], ", got ", row[i].shape());
  }
  return {};
}

Status Queue::Enqueue(KernelCtx& c, QueueRow row) {
  TENSH_RETURN_IF_ERROR(CheckRow(row));
  StepWait wait(c, mu_, changed_);
  std::unique_lock lock(mu_);
  if (closed_) return Cancelled(spec_.kind, " '_0_", spec_.name, "' is closed.");
  Ticket ticket(enqueuers_, next_ticket_++, changed_);
  TENSH_RETURN_IF_ERROR(wait.Until(lock, [&] {
    return cancel_enqueues_ || (ticket.first() && static_cast<int64_t>(Size()) < spec_.capacity);
  }));
  if (cancel_enqueues_) return Cancelled("Enqueue operation was cancelled");
  Put(std::move(row));
  changed_.notify_all();
  return {};
}

Status Queue::Dequeue(KernelCtx& c, int64_t n, bool less_will_do, std::vector<QueueRow>* rows) {
  StepWait wait(c, mu_, changed_);
  std::unique_lock lock(mu_);
  Ticket ticket(dequeuers_, next_ticket_++, changed_);
  Status status;
  while (status.ok() && static_cast<int64_t>(rows->size()) < n) {
    // A closed queue is not at its end while enqueues are still waiting: their elements still
    // arrive.
    auto at_end = [&] { return closed_ && enqueuers_.empty() && Size() == 0; };
    // Elements that do not fit in the queue together are taken in several parts.
    const int64_t left = n - static_cast<int64_t>(rows->size());
    auto enough = [&] {
      return !takes_at_once() || closed_ ||
             static_cast<int64_t>(Size()) >= std::min(left, spec_.capacity);
    };
    status =
        wait.Until(lock, [&] { return ticket.first() && ((CanTake() && enough()) || at_end()); });
    if (!status.ok()) break;
    if (CanTake()) {
      rows->push_back(Take());
      changed_.notify_all();
    } else if (less_will_do && !rows->empty()) {
      return {};
    } else {
      const int64_t got = static_cast<int64_t>(rows->size());
      PutBack(std::exchange(*rows, {}));
      status = OutOfRange(spec_.kind, " '_0_", spec_.name,
                          "' is closed and has insufficient elements (requested ", n,
                          ", current size ", got, ")");
    }
  }
  if (!status.ok()) PutBack(std::exchange(*rows, {}));
  return status;
}

Status Queue::Close(bool cancel_pending_enqueues) {
  std::lock_guard lock(mu_);
  if (closed_ && !cancel_pending_enqueues)
    return Cancelled("Queue '_0_", spec_.name, "' is already closed.");
  closed_ = true;
  cancel_enqueues_ |= cancel_pending_enqueues;
  changed_.notify_all();
  return {};
}

int64_t Queue::size() {
  std::lock_guard lock(mu_);
  return static_cast<int64_t>(Size());
}

bool Queue::closed() {
  std::lock_guard lock(mu_);
  return closed_;
}

Result<Queue*> QueueAt(KernelCtx& c, int i) {
  Queue* queue = nullptr;
  if (c.in(i).dtype() == DType::kResource && c.in(i).num_elements() == 1) {
    Resource* resource = c.in(i).data<ResourceHandle>()->resource.get();
    auto* old = dynamic_cast<QueueReference*>(resource);
    queue = old ? old->queue.get() : dynamic_cast<Queue*>(resource);
  }
  if (queue) return queue;
  return InvalidArgument("Trying to access a resource that is not a queue");
}

}  // namespace tensh::ops
