#pragma once
// Where a value waits between two partitions of a step: part of the step, shared by its threads
// under the channel's own lock.
#include <mutex>
#include <utility>
#include <vector>

#include "runtime/core/tensor.h"

namespace tensh {

// Values on their way between two partitions of one step, first come first: outside loops there is
// one. A sender that is far ahead stops; it goes on when room is made. As all partitions have one
// order of what they do, the one that is furthest back never waits.
struct Channel {
  static constexpr size_t kMost = 64;
  std::mutex mu;
  bool sent = false;  // `tensor` is there
  bool receiver_waits = false, sender_waits = false;
  Tensor tensor;
  std::vector<Tensor> more;  // behind it, from `taken` on
  size_t taken = 0;

  bool full() const { return more.size() - taken >= kMost; }
  // True: a receiver waits for it.
  bool Push(Tensor value) {
    if (sent) {
      more.push_back(std::move(value));
    } else {
      tensor = std::move(value);
      sent = true;
    }
    return std::exchange(receiver_waits, false);
  }
  // Returns false if there is no value; the receiver then waits for one.
  bool Take(Tensor& value) {
    receiver_waits = !sent;
    if (sent) value = Pop();
    return !receiver_waits;
  }
  Tensor Pop() {
    Tensor value = std::move(tensor);
    sent = taken < more.size();
    if (sent) tensor = std::move(more[taken++]);
    if (taken == more.size()) more.clear(), taken = 0;
    return value;
  }
};

}  // namespace tensh
