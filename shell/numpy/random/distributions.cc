#include "shell/numpy/random/distributions.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "shell/numpy/methods.h"
#include "shell/numpy/ndarray.h"
#include "shell/python/values/containers.h"
#include "shell/python/values/error.h"
#include "shell/python/values/ops.h"

namespace tensh::shell::np {
namespace {

constexpr double kPi = 3.14159265358979323846;

// ---- parameters ----

void CheckParameter(const DrawParameter& p, double v, bool array) {
  const std::string name = p.name;
  const std::string nan = array ? " contains NaNs" : " is NaN";
  const auto check = [](bool good, const std::string& text) {
    if (!good) throw ValueError(text);
  };
  switch (p.limit) {
    case Limit::kAny:
      break;
    case Limit::kNonNegative:
      check(std::isnan(v) || !std::signbit(v), name + " < 0");
      break;
    case Limit::kPositive:
      check(v > 0, name + " <= 0");
      break;
    case Limit::kProbability:
      check(v >= 0 && v <= 1, name + " < 0, " + name + " > 1 or " + name + nan);
      break;
    case Limit::kPositiveProbability:
      check(v > 0 && v <= 1, name + " <= 0, " + name + " > 1 or " + name + " contains NaNs");
      break;
    case Limit::kBelowOne:
      check(v >= 0 && v < 1, name + " < 0, " + name + " >= 1 or " + name + nan);
      break;
    case Limit::kAboveOne:
      check(v > 1, name + " <= 1 or " + name + nan);
      break;
    case Limit::kRate:
      check(v >= 0, name + " < 0 or " + name + nan);
      check(v <= 9.223372006484771e18, name + " value too large");
      break;
  }
}

void Check(const Distribution& d, const double* p, size_t count, bool arrays) {
  for (size_t k = 0; k < count; ++k) CheckParameter(d.parameters[k], p[k], arrays);
  if (d.check) d.check(p, arrays);
}

template <class T, class F>
Value FillWith(int dtype, const Extents& dims, F draw) {
  const Array out = Empty(dtype, dims);
  T* to = out.writable<T>();
  for (int64_t i = 0; i < out.size(); ++i) {
    if ((i & 0xffff) == 0xffff) PollInterrupt();
    to[i] = draw(static_cast<size_t>(i));
  }
  return MakeArray(out);
}

template <class F>
Value Fill(const Distribution& d, Draws& g, const Extents& dims, F parameters_of) {
  if (d.real) {
    return FillWith<double>(TSH_DOUBLE, dims,
                            [&](size_t i) { return d.real(g, parameters_of(i)); });
  }
  return FillWith<int64_t>(TSH_INT64, dims, [&](size_t i) { return d.whole(g, parameters_of(i)); });
}

// ---- distributions ----

double Normal(Draws& g, const double* p) { return p[0] + p[1] * g.NextGauss(); }
double ChiSquare(Draws& g, double df) { return 2.0 * g.NextGamma(df / 2.0); }

double NoncentralChiSquare(Draws& g, double df, double nonc) {
  if (std::isnan(nonc)) return nonc;
  if (nonc == 0) return ChiSquare(g, df);
  if (df > 1) {
    const double chi2 = ChiSquare(g, df - 1), n = g.NextGauss() + std::sqrt(nonc);
    return chi2 + n * n;
  }
  const int64_t i = g.NextPoisson(nonc / 2.0);
  return ChiSquare(g, df + 2 * static_cast<double>(i));
}

double Laplace(Draws& g, const double* p) {
  for (;;) {
    const double u = g.NextDouble();
    if (u >= 0.5) return p[0] - p[1] * std::log(2.0 - u - u);
    if (u > 0.0) return p[0] + p[1] * std::log(u + u);
  }
}
double Logistic(Draws& g, const double* p) {
  for (;;) {
    const double u = g.NextDouble();
    if (u > 0.0) return p[0] + p[1] * std::log(u / (1.0 - u));
  }
}
double Gumbel(Draws& g, const double* p) {
  for (;;) {
    const double u = 1.0 - g.NextDouble();
    if (u < 1.0) return p[0] - p[1] * std::log(-std::log(u));
  }
}
double Triangular(Draws& g, const double* p) {
  const double left = p[0], mode = p[1], right = p[2], base = right - left;
  const double left_base = mode - left, ratio = left_base / base;
  const double u = g.NextDouble();
  if (u <= ratio) return left + std::sqrt(u * (left_base * base));
  return right - std::sqrt((1.0 - u) * ((right - mode) * base));
}
void CheckTriangular(const double* p, bool) {
  if (p[0] > p[1]) throw ValueError("left > mode");
  if (p[1] > p[2]) throw ValueError("mode > right");
  if (p[0] == p[2]) throw ValueError("left == right");
}
double Uniform(Draws& g, const double* p) { return p[0] + (p[1] - p[0]) * g.NextDouble(); }
void CheckLegacyUniform(const double* p, bool) {
  if (!std::isfinite(p[1] - p[0])) throw OverflowError("Range exceeds valid bounds");
}
void CheckUniform(const double* p, bool arrays) {
  if (!arrays && !std::isfinite(p[1] - p[0]))
    throw OverflowError("high - low range exceeds valid bounds");
  CheckLegacyUniform(p, arrays);
  CheckParameter({"high - low", Limit::kNonNegative}, p[1] - p[0], arrays);
}
double Wald(Draws& g, const double* p) {
  const double mean = p[0], scale = p[1], half = mean / (2 * scale);
  const double gauss = g.NextGauss(), y = mean * gauss * gauss;
  const double x = mean + half * (y - std::sqrt(4 * scale * y + y * y));
  return g.NextDouble() <= mean / (mean + x) ? x : mean * mean / x;
}

template <bool kLegacy>
double VonMises(Draws& g, const double* p) {
  const double mu = p[0], kappa = p[1];
  if (std::isnan(kappa)) return kappa;
  if (kappa < 1e-8) return kPi * (2 * g.NextDouble() - 1);
  double s;
  if (kappa < 1e-5) {
    s = 1.0 / kappa + kappa;
  } else if (kLegacy || kappa <= 1e6) {
    const double r = 1 + std::sqrt(1 + 4 * kappa * kappa);
    const double rho = (r - std::sqrt(2 * r)) / (2 * kappa);
    s = (1 + rho * rho) / (2 * rho);
  } else {  // The distribution is so narrow that a wrapped normal is close enough.
    const double x = mu + std::sqrt(1.0 / kappa) * g.NextGauss();
    return x < -kPi ? x + 2 * kPi : x > kPi ? x - 2 * kPi : x;
  }
  double w;
  for (;;) {
    const double z = std::cos(kPi * g.NextDouble());
    w = (1 + s * z) / (s + z);
    const double y = kappa * (s - w), v = g.NextDouble();
    if (y * (2 - y) - v >= 0 || std::log(y / v) + 1 - y >= 0) break;
  }
  double x = std::acos(w);
  if (g.NextDouble() < 0.5) x = -x;
  x += mu;
  const double wrapped = std::fmod(std::fabs(x) + kPi, 2 * kPi) - kPi;
  return x < 0 ? -wrapped : wrapped;
}

template <bool kLegacy>
int64_t Geometric(Draws& g, const double* p) {
  const double chance = p[0], q = 1.0 - chance;
  if (chance >= 0.333333333333333333333333) {
    int64_t x = 1;
    double sum = chance, term = chance;
    for (const double u = g.NextDouble(); u > sum; ++x) {
      term *= q;
      sum += term;
    }
    return x;
  }
  if (kLegacy) {
    const double u = g.NextDouble();
    return static_cast<int64_t>(std::ceil(std::log1p(-u) / std::log(q)));
  }
  const double z = std::ceil(-g.NextExponential() / std::log1p(-chance));
  return z >= 9.223372036854776e18 ? INT64_MAX : static_cast<int64_t>(z);
}

template <bool kLegacy>
int64_t Logseries(Draws& g, const double* p) {
  const double chance = p[0];
  const double r = kLegacy ? std::log(1.0 - chance) : std::log1p(-chance);
  for (;;) {
    const double v = g.NextDouble();
    if (v >= chance) return 1;
    const double u = g.NextDouble();
    const double q = kLegacy ? 1.0 - std::exp(r * u) : -std::expm1(r * u);
    if (v <= q * q) {
      const double x = std::floor(1 + std::log(v) / std::log(q));
      if (x < 1 || v == 0.0) continue;
      return static_cast<int64_t>(x);
    }
    return v >= q ? 1 : 2;
  }
}

int64_t Zipf(Draws& g, const double* p) {
  if (p[0] >= 1025) return 1;
  const double less = p[0] - 1.0, b = std::pow(2.0, less);
  for (;;) {
    const double u = 1.0 - g.NextDouble(), v = g.NextDouble();
    const double x = std::floor(std::pow(u, -1.0 / less));
    if (x > 9223372036854775807.0 || x < 1.0) continue;
    const double t = std::pow(1.0 + 1.0 / x, less);
    if (v * x * (t - 1.0) / (b - 1.0) <= t / b) return static_cast<int64_t>(x);
  }
}

int64_t Binomial(Draws& g, const double* p) {
  return g.NextBinomial(static_cast<int64_t>(p[0]), p[1]);
}

constexpr Limit kNonNegative = Limit::kNonNegative, kPositive = Limit::kPositive;

}  // namespace

const Distribution kUnitUniform = {{}, [](Draws& g, const double*) { return g.NextDouble(); }};
const Distribution kStandardNormal = {{}, [](Draws& g, const double*) { return g.NextGauss(); }};
const Distribution kStandardExponential = {
    {}, [](Draws& g, const double*) { return g.NextExponential(); }};
const Distribution kNormal = {{{{"loc"}, {"scale", kNonNegative}}}, Normal};
const Distribution kLognormal = {{{{"mean"}, {"sigma", kNonNegative}}},
                                 [](Draws& g, const double* p) { return std::exp(Normal(g, p)); }};
const Distribution kExponential = {{{{"scale", kNonNegative}}}, [](Draws& g, const double* p) {
                                     return p[0] * g.NextExponential();
                                   }};
const Distribution kStandardGamma = {{{{"shape", kNonNegative}}},
                                     [](Draws& g, const double* p) { return g.NextGamma(p[0]); }};
const Distribution kGamma = {{{{"shape", kNonNegative}, {"scale", kNonNegative}}},
                             [](Draws& g, const double* p) { return p[1] * g.NextGamma(p[0]); }};
const Distribution kBeta = {{{{"a", kPositive}, {"b", kPositive}}},
                            [](Draws& g, const double* p) { return g.NextBeta(p[0], p[1]); }};
const Distribution kChisquare = {{{{"df", kPositive}}},
                                 [](Draws& g, const double* p) { return ChiSquare(g, p[0]); }};
const Distribution kNoncentralChisquare = {
    {{{"df", kPositive}, {"nonc", kNonNegative}}},
    [](Draws& g, const double* p) { return NoncentralChiSquare(g, p[0], p[1]); }};
const Distribution kF = {{{{"dfnum", kPositive}, {"dfden", kPositive}}},
                         [](Draws& g, const double* p) {
                           const double above = ChiSquare(g, p[0]) * p[1];
                           return above / (ChiSquare(g, p[1]) * p[0]);
                         }};
const Distribution kNoncentralF = {
    {{{"dfnum", kPositive}, {"dfden", kPositive}, {"nonc", kNonNegative}}},
    [](Draws& g, const double* p) {
      const double above = NoncentralChiSquare(g, p[0], p[2]) * p[1];
      return above / (ChiSquare(g, p[1]) * p[0]);
    }};
const Distribution kStandardCauchy = {{}, [](Draws& g, const double*) {
                                        const double above = g.NextGauss();
                                        return above / g.NextGauss();
                                      }};
const Distribution kStandardT = {{{{"df", kPositive}}}, [](Draws& g, const double* p) {
                                   const double n = g.NextGauss(), d = g.NextGamma(p[0] / 2);
                                   return std::sqrt(p[0] / 2) * n / std::sqrt(d);
                                 }};
const Distribution kWeibull = {{{{"a", kNonNegative}}}, [](Draws& g, const double* p) {
                                 return p[0] == 0.0 ? 0.0
                                                    : std::pow(g.NextExponential(), 1.0 / p[0]);
                               }};
const Distribution kLaplace = {{{{"loc"}, {"scale", kNonNegative}}}, Laplace};
const Distribution kLogistic = {{{{"loc"}, {"scale", kNonNegative}}}, Logistic};
const Distribution kGumbel = {{{{"loc"}, {"scale", kNonNegative}}}, Gumbel};
const Distribution kTriangular = {
    {{{"left"}, {"mode"}, {"right"}}}, Triangular, nullptr, CheckTriangular};
const Distribution kWald = {{{{"mean", kPositive}, {"scale", kPositive}}}, Wald};
const Distribution kPoisson = {{{{"lam", Limit::kRate}}}, nullptr, [](Draws& g, const double* p) {
                                 return g.NextPoisson(p[0]);
                               }};
const Distribution kBinomial = {
    {{{"n", kNonNegative}, {"p", Limit::kProbability}}}, nullptr, Binomial};
const Distribution kNegativeBinomial = {
    {{{"n", kPositive}, {"p", Limit::kPositiveProbability}}},
    nullptr,
    [](Draws& g, const double* p) { return g.NextPoisson((1 - p[1]) / p[1] * g.NextGamma(p[0])); }};
const Distribution kZipf = {{{{"a", Limit::kAboveOne}}}, nullptr, Zipf};

const Distribution kUniform = {{{{"low"}, {"high"}}}, Uniform, nullptr, CheckUniform};
const Distribution kLegacyUniform = {{{{"low"}, {"high"}}}, Uniform, nullptr, CheckLegacyUniform};
const Distribution kPareto = {{{{"a", kPositive}}}, [](Draws& g, const double* p) {
                                return std::expm1(g.NextExponential() / p[0]);
                              }};
const Distribution kLegacyPareto = {{{{"a", kPositive}}}, [](Draws& g, const double* p) {
                                      return std::exp(g.NextExponential() / p[0]) - 1;
                                    }};
const Distribution kPower = {{{{"a", kPositive}}}, [](Draws& g, const double* p) {
                               return std::pow(-std::expm1(-g.NextExponential()), 1.0 / p[0]);
                             }};
const Distribution kLegacyPower = {{{{"a", kPositive}}}, [](Draws& g, const double* p) {
                                     return std::pow(1 - std::exp(-g.NextExponential()),
                                                     1.0 / p[0]);
                                   }};
const Distribution kRayleigh = {{{{"scale", kNonNegative}}}, [](Draws& g, const double* p) {
                                  return p[0] * std::sqrt(2.0 * g.NextExponential());
                                }};
const Distribution kLegacyRayleigh = {{{{"scale", kNonNegative}}}, [](Draws& g, const double* p) {
                                        return p[0] * std::sqrt(-2.0 * std::log1p(-g.NextDouble()));
                                      }};
const Distribution kGeometric = {{{{"p", Limit::kPositiveProbability}}}, nullptr, Geometric<false>};
const Distribution kLegacyGeometric = {
    {{{"p", Limit::kPositiveProbability}}}, nullptr, Geometric<true>};
const Distribution kLogseries = {{{{"p", Limit::kBelowOne}}}, nullptr, Logseries<false>};
const Distribution kLegacyLogseries = {{{{"p", Limit::kBelowOne}}}, nullptr, Logseries<true>};
const Distribution kVonmises = {{{{"mu"}, {"kappa", kNonNegative}}}, VonMises<false>};
const Distribution kLegacyVonmises = {{{{"mu"}, {"kappa", kNonNegative}}}, VonMises<true>};

Extents CommonShape(std::span<const Array> parameters, const Extents* size) {
  std::vector<Extents> shapes;
  if (size) shapes.push_back(*size);
  for (const Array& a : parameters) {
    const Dims dims = a.dims();
    shapes.emplace_back(dims.begin(), dims.end());
  }
  size_t rank = 0;
  for (const Extents& s : shapes) rank = std::max(rank, s.size());
  Extents out(rank, 1);
  std::vector<size_t> from(rank, 0);
  for (size_t k = 0; k < shapes.size(); ++k) {
    const size_t skip = rank - shapes[k].size();
    for (size_t i = 0; i < shapes[k].size(); ++i) {
      const int64_t n = shapes[k][i];
      if (n == 1 || n == out[skip + i]) continue;
      if (out[skip + i] != 1) {
        const size_t other = from[skip + i];
        throw ValueError(
            "shape mismatch: objects cannot be broadcast to a single shape.  Mismatch is between "
            "arg " +
            std::to_string(other) + " with shape " + ShapeText(shapes[other]) + " and arg " +
            std::to_string(k) + " with shape " + ShapeText(shapes[k]) + ".");
      }
      out[skip + i] = n;
      from[skip + i] = k;
    }
  }
  if (size && *size != out) {
    throw ValueError("Output size " + ShapeText(*size) +
                     " is not compatible with broadcast dimensions of inputs " + ShapeText(out) +
                     ".");
  }
  return out;
}

Draws& DrawsOf(Args& a) {
  if (a.self().is_null()) return ModuleDraws();
  return static_cast<DrawSource*>(a.self().object())->draws();
}

// Scalar parameters take a fast path. Arrays are broadcast first, and all parameters are checked
// before the first draw, so that an error does not advance the stream.
Value DrawFunction(Args& a) {
  const auto& d = *static_cast<const Distribution*>(a.row().data);
  Draws& g = DrawsOf(a);
  std::vector<Array> parameters;
  bool arrays = false;
  while (parameters.size() < 3 && *d.parameters[parameters.size()].name) {
    parameters.push_back(Cast(ToArray(a[parameters.size()]), TSH_DOUBLE));
    arrays |= parameters.back().rank > 0;
  }
  const size_t count = parameters.size();
  const Value& size = a[count];
  const bool sized = !size.is_null() && !size.is_none();
  const Extents given = sized ? ShapeArgument(size) : Extents();
  std::array<double, 3> p{};
  if (!arrays) {
    for (size_t k = 0; k < count; ++k) p[k] = *parameters[k].as<double>();
    Check(d, p.data(), count, false);
    if (sized) return Fill(d, g, given, [&](size_t) { return p.data(); });
    return d.real ? Value::Float(d.real(g, p.data())) : Value::Int(d.whole(g, p.data()));
  }
  const Extents dims = CommonShape(parameters, sized ? &given : nullptr);
  for (Array& v : parameters) {
    Array spread;
    BroadcastTo(v, dims, &spread);
    v = Contiguous(spread);
  }
  const auto parameters_of = [&](size_t i) {
    for (size_t k = 0; k < count; ++k) p[k] = parameters[k].as<double>()[i];
    return p.data();
  };
  const size_t total = static_cast<size_t>(Product(dims));
  for (size_t i = 0; i < total; ++i) Check(d, parameters_of(i), count, true);
  return Fill(d, g, dims, parameters_of);
}

}  // namespace tensh::shell::np
