#pragma once
// A channel between two partitions of a step. It belongs to the step; `mu` guards it against the
// step's threads, and callers lock it.
#include <mutex>
#include <utility>
#include <vector>

#include "runtime/core/tensor.h"

namespace tensh {

// A queue of values from one partition to another. Outside loops it carries a single value, in a
// loop one for each iteration. A sender that is too far ahead stops until the receiver has caught
// up. All partitions follow the same order, so the one that is furthest behind never waits and a
// bounded queue cannot deadlock.
struct Channel {
  static constexpr size_t kMost = 64;  // values in `more`
  std::mutex mu;
  bool sent = false;  // `tensor` holds the first value
  bool receiver_waits = false, sender_waits = false;
  Tensor tensor;
  std::vector<Tensor> more;  // the values after the first, from `taken` on
  size_t taken = 0;

  bool full() const { return more.size() - taken >= kMost; }
  // Appends a value. Returns true if a receiver waits for it.
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
  // Removes the first value. Requires `sent`.
  Tensor Pop() {
    Tensor value = std::move(tensor);
    sent = taken < more.size();
    if (sent) tensor = std::move(more[taken++]);
    if (taken == more.size()) more.clear(), taken = 0;
    return value;
  }
};

}  // namespace tensh
