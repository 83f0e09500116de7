#pragma once
// Connects a part that runs in this task with the rest of its step. Values that it sends go into
// the step's table, from which other tasks fetch them. Values of other tasks are fetched from them.
#include <memory>

#include "runtime/dist/cluster.h"
#include "runtime/dist/step_values.h"

namespace tensh::dist {

class StepExchange {
 public:
  StepExchange(Cluster& cluster, std::string task, int64_t step, std::shared_ptr<StepValues> values)
      : cluster_(cluster), task_(std::move(task)), step_(step), values_(std::move(values)) {}
  tsh_exchange table();

 private:
  void Receive(const std::string& key, tsh_arrival* arrival);
  void Fetch(std::string_view task, const std::string& key, tsh_arrival* arrival);

  Cluster& cluster_;
  const std::string task_;
  const int64_t step_;
  const std::shared_ptr<StepValues> values_;
};

int64_t RandomId();  // Returns a positive random number.

}  // namespace tensh::dist
