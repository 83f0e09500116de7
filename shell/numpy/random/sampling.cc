#include "shell/numpy/random/sampling.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "shell/numpy/array.h"
#include "shell/numpy/ndarray.h"
#include "shell/python/values/error.h"

namespace tensh::shell::np {
namespace {

// Returns how far the sum may differ from 1: the rounding error of the array's type.
double SumTolerance(const Value& p) {
  auto* array = As<NdArray>(p);
  const int dtype = array == nullptr ? TSH_DOUBLE : array->array.dtype;
  const double epsilon = dtype == TSH_FLOAT  ? std::numeric_limits<float>::epsilon()
                         : dtype == TSH_HALF ? 0x1p-10
                                             : std::numeric_limits<double>::epsilon();
  return std::sqrt(epsilon);
}

}  // namespace

std::vector<double> Cumulative(std::span<const double> p) {
  std::vector<double> cdf(p.size());
  std::partial_sum(p.begin(), p.end(), cdf.begin());
  const double total = cdf.empty() ? 1 : cdf.back();
  for (double& c : cdf) c /= total;
  return cdf;
}

int64_t Pick(std::span<const double> cdf, double u) {
  const auto at = std::upper_bound(cdf.begin(), cdf.end(), u) - cdf.begin();
  return std::min<int64_t>(at, static_cast<int64_t>(cdf.size()) - 1);
}

void PickDistinct(Draws& g, std::vector<double> p, int64_t n, int64_t* out) {
  int64_t found = 0;
  while (found < n) {
    std::vector<double> u(static_cast<size_t>(n - found));
    for (double& v : u) v = g.NextDouble();
    for (int64_t i = 0; i < found; ++i) p[static_cast<size_t>(out[i])] = 0;
    const std::vector<double> cdf = Cumulative(p);
    const int64_t before = found;
    for (double v : u) {
      const int64_t pick = Pick(cdf, v);
      if (std::find(out + before, out + found, pick) == out + found) out[found++] = pick;
    }
  }
}

std::vector<double> Probabilities(const Value& v, int64_t n, int64_t wanted, bool replace,
                                  const std::string& quote) {
  const Array p = Contiguous(Cast(ToArray(v), TSH_DOUBLE));
  if (p.rank != 1) throw ValueError(quote + "p" + quote + " must be 1-dimensional");
  if (p.size() != n) {
    throw ValueError(quote + "a" + quote + " and " + quote + "p" + quote + " must have same size");
  };
  std::vector<double> out(p.as<double>(), p.as<double>() + n);
  double sum = 0;
  int64_t nonzero = 0;
  for (double x : out) {
    if (std::isnan(x)) throw ValueError("probabilities contain NaN");
    if (x < 0) throw ValueError("probabilities are not non-negative");
    nonzero += x > 0;
    sum += x;
  }
  if (std::fabs(sum - 1) > SumTolerance(v)) throw ValueError("probabilities do not sum to 1");
  if (!replace && nonzero < wanted) throw ValueError("Fewer non-zero entries in p than size");
  return out;
}

}  // namespace tensh::shell::np
