#pragma once
// The edges between a step and other processes: values that arrive, and values that are sent,
// through the exchange of the step. Each partition uses it from its own thread; values arrive in
// any thread.
#include <string>
#include <vector>

#include "runtime/exec/channel.h"
#include "runtime/exec/loop_keys.h"
#include "runtime/exec/turns.h"

namespace tensh {

class Arrivals {
 public:
  // The plan must have a Program. All arguments must outlive the step.
  Arrivals(const Plan& plan, const StepOptions& options, Turns& turns, StepError& error);

  // Requests every value that arrives outside of loops, all at once: other processes then produce
  // them while this one works.
  void Begin();
  // Tells the other processes of a failure, and returns when no value can arrive any more.
  void End();

  // Takes the value of edge k. Returns false if it is not there yet; the partition becomes ready when
  // it arrives. Inside a loop the first call of an iteration requests the value.
  bool Take(uint32_t k, Tensor& value);
  // Sends the value in the slot of a kKeySend, or a dead token if a guard is empty. Returns false
  // after a failure.
  bool Send(const PartitionCode& code, const Instr& instr, std::vector<Tensor>& slots);
  // Follows a loop instruction of a partition. At the test of a loop, sends a dead token for every
  // value that this iteration does not produce, so that the receivers do not wait for it. Returns
  // false after a failure.
  bool FollowLoop(const Instr& instr, uint16_t part, bool again);

 private:
  void Request(uint32_t k);
  void Arrived(uint32_t k, Status status, Tensor value);
  std::string KeyOf(uint32_t k) const {
    return keys_[edges_[k].part].Key(edges_[k].key, edges_[k].frame);
  }

  const Plan& plan_;
  const std::vector<Keyed>& edges_;
  const StepOptions& options_;
  Turns& turns_;
  StepError& error_;
  std::vector<Channel> inbox_;   // by edge
  std::vector<char> requested_;  // by edge in a loop: requested in this iteration
  std::vector<LoopKeys> keys_;   // by partition
};

}  // namespace tensh
