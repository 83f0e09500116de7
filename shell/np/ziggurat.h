// Normal and exponential draws by numpy's ziggurats of 256 layers, table for table.
#pragma once

#include "shell/np/draws.h"

namespace tensh::shell::np {

double ZigguratNormal(Draws& g);
float ZigguratNormalFloat(Draws& g);
double ZigguratExponential(Draws& g);
float ZigguratExponentialFloat(Draws& g);

}  // namespace tensh::shell::np
