#pragma once
// Passes values between this part of a step and its parts in other processes. Keys are those of
// TensorFlow's protocol: sender;incarnation;receiver;name;frame:iteration, with 0:0 outside loops.
//
// Implemented by the code that runs the part, and borrowed by the step. Thread-safe.
#include <functional>
#include <string>

#include "runtime/core/tensor.h"

namespace tensh {

class Exchange {
 public:
  // Receives the value, or an error. An empty tensor without an error is a dead token: the value
  // lies on a branch that was not taken.
  using Done = std::function<void(Status, Tensor)>;
  virtual ~Exchange() = default;
  virtual Status Send(const std::string& key, const Tensor& value) = 0;
  // Requests a value. `done` is called exactly once, by any thread, possibly before Receive
  // returns.
  virtual void Receive(const std::string& key, Done done) = 0;
  // Tells all parts that the step failed. Every pending Receive, here and at the other ends, then
  // completes soon.
  virtual void Abort(const Status& why) = 0;
};

}  // namespace tensh
