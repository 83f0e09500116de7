// Picking by given probabilities, as np.random's choice() does with every generator.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "shell/np/draws.h"
#include "shell/values/value.h"

namespace tensh::shell::np {

// The argument p of choice() from n things, `wanted` of them. ValueError as numpy's; `quote` stands
// around names of arguments in its texts.
std::vector<double> Probabilities(const Value& v, int64_t n, int64_t wanted, bool replace,
                                  const std::string& quote);
std::vector<double> Cumulative(std::span<const double> p);
int64_t Pick(std::span<const double> cumulative, double u);
// Without replacement: draws what is missing, drops repeats in the order of drawing.
void PickDistinct(Draws& g, std::vector<double> p, int64_t n, int64_t* out);

}  // namespace tensh::shell::np
