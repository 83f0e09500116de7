// Sampling with given probabilities, as choice() does for every generator of np.random.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "shell/numpy/random/draws.h"
#include "shell/python/values/value.h"

namespace tensh::shell::np {

// Checks the argument p of choice(), which picks `wanted` of n items. Throws numpy's ValueError,
// with `quote` around the names of arguments.
std::vector<double> Probabilities(const Value& v, int64_t n, int64_t wanted, bool replace,
                                  const std::string& quote);
std::vector<double> Cumulative(std::span<const double> p);
int64_t Pick(std::span<const double> cumulative, double u);
// Samples without replacement: draws the missing picks, drops repeated ones in the order of
// drawing, and repeats this until all are found.
void PickDistinct(Draws& g, std::vector<double> p, int64_t n, int64_t* out);

}  // namespace tensh::shell::np
