// A step of a session, moment by moment: after each event of its timeline which nodes have run,
// which could, which values are on their way and what the rendezvous holds. Pure functions of the
// report and of the values that were fetched with it.
#pragma once

#include <string>
#include <unordered_map>
#include <vector>

#include "shell/explain/report.h"

namespace tensh::shell {

// Values by tensor ("add:0"), printed.
using ValueTexts = std::unordered_map<std::string, std::string>;

struct Moment {
  std::string what;                     // "cpu:1 runs add (AddV2)"
  std::string node;                     // that it is about, or ""
  int64_t at_ns = 0;                    // when it ended
  std::vector<std::string> done;        // nodes, in the order they ran
  std::vector<std::string> ready;       // nodes whose inputs are all there
  std::vector<std::string> in_flight;   // tensors that somebody has still to take
  std::vector<std::string> rendezvous;  // "a:0 cpu:0 → cpu:1: sent", a line a transfer
};

// Moment 0 is before the first event. Waits are no moments of their own: nothing happens in them.
std::vector<Moment> Moments(const Report& report);

std::string RenderMoment(const Moment& moment, size_t number, size_t count,
                         const ValueTexts& values);
// One page that needs no network: buttons and arrow keys go through the moments.
std::string RenderPlayer(const Report& report, const std::vector<Moment>& moments,
                         const ValueTexts& values, const std::string& title);

}  // namespace tensh::shell
