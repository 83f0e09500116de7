// Predicts the cost of a run: simulates the plan of an `explain` with the costs of kernels and
// transfers measured in an earlier run. Nothing is executed.
#pragma once

#include <string>
#include <unordered_map>

#include "shell/explain/report.h"

namespace tensh::shell {

struct MeasuredCosts {
  std::unordered_map<std::string, int64_t> node_ns;  // Compute time by node name.
  // Mean time of an op, for nodes that were not measured.
  std::unordered_map<std::string, int64_t> op_ns;
  int64_t send_ns = 0, recv_ns = 0;  // Cost of a Send and of a Recv.
  bool transfers_measured = false;
  size_t measured = 0;

  void Learn(const Report& ran);
};

// Fills events, wall_ns and the critical path of `plan`. Returns the number of nodes without a
// measured cost, which count as zero.
size_t PredictStep(const MeasuredCosts& costs, Report* plan);

// Returns "transfers 3 → 1, bytes 24 B → 8 B, …" for two plans of the same fetches.
std::string CompareReports(const Report& before, const Report& after, bool predicted);

}  // namespace tensh::shell
