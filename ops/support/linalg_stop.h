#pragma once
// To be included before Eigen: where it would check its arguments it looks at the step instead,
// again and again while it takes a matrix apart.
#include "ops/support/stop.h"

#define eigen_assert(condition) ::tensh::ops::StopIfCancelled()
