// The question whether another task is alive, for calls to it that take long.
//
// A task that sends a large value over a slow link is alive, but an answer on the same connection arrives only
// after that value. Therefore the question has its own connection. As the connection of the values could also be dead
// while the task lives, for example if a router has forgotten it, a second question goes over that one,
// and has much more time.
//
// Thread-safe. Shared by the calls that wait for the task, which may outlive the cluster.
#pragma once

#include <grpcpp/channel.h>

#include <chrono>
#include <functional>
#include <memory>
#include <mutex>

namespace tensh::dist {

class Liveness : public std::enable_shared_from_this<Liveness> {
 public:
  using Clock = std::chrono::steady_clock;
  using Milliseconds = std::chrono::milliseconds;
  // `values` is the connection that is watched, and `own` that of the questions.
  Liveness(std::shared_ptr<grpc::Channel> values, std::shared_ptr<grpc::Channel> own,
           Milliseconds timeout)
      : values_(std::move(values)), own_(std::move(own)), timeout_(timeout) {}

  // The interval between two questions. Each of them has this time for its answer, so that a task is lost when it
  // has not answered for the timeout.
  Milliseconds period() const { return timeout_ / 2; }
  // Calls done(true) if the task answers within a period, unless the connection of values was found
  // dead after `since`, when the call that waits for the task began.
  void Ask(Clock::time_point since, std::function<void(bool)> done);

 private:
  // A connection of values may need this many timeouts to answer: a minute by default, in which a link of 1 Mbit/s
  // transfers what the buffers of a connection hold.
  static constexpr int kConnectionTimeouts = 6;
  void AskOverValues();

  const std::shared_ptr<grpc::Channel> values_, own_;
  const Milliseconds timeout_;
  std::mutex mu_;
  // Of the connection of values. Guarded by mu_.
  bool asking_ = false;
  Clock::time_point found_dead_ = Clock::time_point::min();
};

}  // namespace tensh::dist
