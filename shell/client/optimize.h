// Joining the kernels of several nodes (tensh_optimize.h).
#pragma once

#include "tensh/tensh_optimize.h"
