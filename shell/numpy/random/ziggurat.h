// Normal and exponential draws by the ziggurat method with 256 layers. The tables equal numpy's.
#pragma once

#include "shell/numpy/random/draws.h"

namespace tensh::shell::np {

double ZigguratNormal(Draws& g);
float ZigguratNormalFloat(Draws& g);
double ZigguratExponential(Draws& g);
float ZigguratExponentialFloat(Draws& g);

}  // namespace tensh::shell::np
