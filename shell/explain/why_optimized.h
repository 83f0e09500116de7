#pragma once
// The reasons why nodes of an optimized plan have no kernel of their own.
#include <string>

#include "shell/explain/report.h"

namespace tensh::shell {

// Returns "it passes on mul:0", or "that of y computes it as well", for example, or "" if the node has a kernel.
std::string WhyNoKernel(const Report& report, const std::string& name);

}  // namespace tensh::shell
