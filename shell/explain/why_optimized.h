#pragma once
// The reasons why nodes of an optimized plan do not run as separate kernels.
#include <string>

#include "shell/explain/report.h"

namespace tensh::shell {

// Returns "it passes on mul:0", or "the kernel of y computes it as well", for example, or "" if the node has its own kernel.
std::string WhyNoKernel(const Report& report, const std::string& name);

}  // namespace tensh::shell
