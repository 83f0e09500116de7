// What a run would cost: the plan of an explain, played through with what kernels and transfers
// took in an earlier one. Nothing runs.
#pragma once

#include <string>
#include <unordered_map>

#include "shell/explain/report.h"

namespace tensh::shell {

struct MeasuredCosts {
  std::unordered_map<std::string, int64_t> node_ns;  // compute, by name
  std::unordered_map<std::string, int64_t> op_ns;    // the mean of an op, for nodes never measured
  int64_t send_ns = 0, recv_ns = 0;                  // of a pair
  bool transfers_measured = false;
  size_t measured = 0;

  void Learn(const Report& ran);
};

// Fills events, wall_ns and the critical path of `plan`. Returns how many nodes had no measured
// cost and count as nothing.
size_t PredictStep(const MeasuredCosts& costs, Report* plan);

// "transfers 3 → 1, bytes 24 B → 8 B, …": two plans of the same fetches.
std::string CompareReports(const Report& before, const Report& after, bool predicted);

}  // namespace tensh::shell
