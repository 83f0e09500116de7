#pragma once
// Makes Eigen cancellable; include it before Eigen. It redefines Eigen's assertion, which is
// evaluated often during a decomposition, as a check for cancellation.
#include "ops/support/stop.h"

#define eigen_assert(condition) ::tensh::ops::StopIfCancelled()
