#pragma once
// The channels between the partitions of a step in this process. Shared by the threads of the step.
#include <vector>

#include "runtime/exec/channel.h"
#include "runtime/exec/turns.h"

namespace tensh {

class Transfers {
 public:
  // Creates one channel for each transfer. All arguments must outlive the step.
  Transfers(const std::vector<Transfer>& transfers, Turns& turns)
      : transfers_(transfers), turns_(turns), channels_(transfers.size()) {}

  // Returns false if the channel is full. The receiver then makes the sending partition ready again.
  bool Send(uint32_t transfer, Tensor value) {
    Channel& channel = channels_[transfer];
    bool wake;
    {
      std::lock_guard lock(channel.mu);
      channel.sender_waits = channel.full();
      if (channel.sender_waits) return false;
      wake = channel.Push(std::move(value));
    }
    if (wake) turns_.Ready(transfers_[transfer].to);
    return true;
  }
  // Returns false if there is no value yet. The sender then makes the receiving partition ready
  // again.
  bool Receive(uint32_t transfer, Tensor& value) {
    Channel& channel = channels_[transfer];
    bool wake;
    {
      std::lock_guard lock(channel.mu);
      if (!channel.Take(value)) return false;
      wake = std::exchange(channel.sender_waits, false);
    }
    if (wake) turns_.Ready(transfers_[transfer].from);
    return true;
  }

 private:
  const std::vector<Transfer>& transfers_;
  Turns& turns_;
  std::vector<Channel> channels_;
};

}  // namespace tensh
