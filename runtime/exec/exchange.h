#pragma once
// Where the values of a step come from and go to whose other parts run elsewhere: in other
// partitions' terms a channel, under the key of TensorFlow's wire
// (sender;incarnation;receiver;name;frame:iteration, 0:0 outside loops). Made by whoever runs the
// part; the step borrows it. Any thread may call anything.
#include <functional>
#include <string>

#include "runtime/core/tensor.h"

namespace tensh {

class Exchange {
 public:
  // An empty tensor without an error: the value is on a branch that was not taken.
  using Done = std::function<void(Status, Tensor)>;
  virtual ~Exchange() = default;
  virtual Status Send(const std::string& key, const Tensor& value) = 0;
  // done is called once, from any thread, perhaps before this returns.
  virtual void Receive(const std::string& key, Done done) = 0;
  // The step failed: every Receive is done soon, here and at the other ends.
  virtual void Abort(const Status& why) = 0;
};

}  // namespace tensh
