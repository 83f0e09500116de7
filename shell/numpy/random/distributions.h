// Functions of np.random that draw every element from one distribution, as table rows shared by
// RandomState and Generator. Parameters are numbers or arrays that broadcast; the last argument is
// the size. Only the thread that holds the interpreter's lock may call them.
#pragma once

#include <array>

#include "shell/numpy/array.h"
#include "shell/numpy/random/draws.h"
#include "shell/python/values/native.h"

namespace tensh::shell::np {

// An object that owns a generator: RandomState or Generator.
class DrawSource : public Object {
 public:
  using Object::Object;
  virtual Draws& draws() = 0;
};
// Returns the receiver's draws, or those of np.random itself.
Draws& DrawsOf(Args& a);
Draws& ModuleDraws();

// The valid range of a parameter. numpy's error messages differ for numbers and arrays.
enum class Limit : uint8_t {
  kAny,
  kNonNegative,
  kPositive,
  kProbability,          // [0, 1]
  kPositiveProbability,  // (0, 1]
  kBelowOne,             // [0, 1)
  kAboveOne,
  kRate,  // The rate of poisson.
};

struct DrawParameter {
  const char* name = "";
  Limit limit = Limit::kAny;
};

// One distribution: its parameters and the function that draws a value.
struct Distribution {
  std::array<DrawParameter, 3> parameters;
  double (*real)(Draws&, const double* p) = nullptr;
  int64_t (*whole)(Draws&, const double* p) = nullptr;  // Exactly one of real and whole is set.
  // Checks parameters that depend on each other; may be null. `arrays` selects the error message.
  void (*check)(const double* p, bool arrays) = nullptr;
};

// Returns the shape of all parameters broadcast against each other and, if `size` is not null,
// against the requested size. Throws numpy's error if they do not fit.
Extents CommonShape(std::span<const Array> parameters, const Extents* size);

Value DrawFunction(Args& a);  // row().data is a Distribution.

extern const Distribution kUnitUniform, kStandardNormal, kStandardExponential, kNormal, kLognormal,
    kExponential, kStandardGamma, kGamma, kBeta, kChisquare, kNoncentralChisquare, kF, kNoncentralF,
    kStandardCauchy, kStandardT, kWeibull, kLaplace, kLogistic, kGumbel, kTriangular, kWald,
    kPoisson, kBinomial, kNegativeBinomial, kZipf;
// Distributions for which RandomState keeps an older formula than Generator.
extern const Distribution kUniform, kPareto, kPower, kRayleigh, kGeometric, kLogseries, kVonmises;
extern const Distribution kLegacyUniform, kLegacyPareto, kLegacyPower, kLegacyRayleigh,
    kLegacyGeometric, kLegacyLogseries, kLegacyVonmises;

inline constexpr FunctionRow kDistributionRows[] = {
    {"normal", "loc=0.0, scale=1.0, size=None", DrawFunction, "Draw from the normal distribution.",
     &kNormal},
    {"lognormal", "mean=0.0, sigma=1.0, size=None", DrawFunction,
     "Draw from the log-normal distribution.", &kLognormal},
    {"exponential", "scale=1.0, size=None", DrawFunction, "Draw from the exponential distribution.",
     &kExponential},
    {"gamma", "shape, scale=1.0, size=None", DrawFunction, "Draw from the gamma distribution.",
     &kGamma},
    {"beta", "a, b, size=None", DrawFunction, "Draw from the beta distribution.", &kBeta},
    {"chisquare", "df, size=None", DrawFunction, "Draw from the chi-square distribution.",
     &kChisquare},
    {"noncentral_chisquare", "df, nonc, size=None", DrawFunction,
     "Draw from the noncentral chi-square distribution.", &kNoncentralChisquare},
    {"f", "dfnum, dfden, size=None", DrawFunction, "Draw from Fisher's F distribution.", &kF},
    {"noncentral_f", "dfnum, dfden, nonc, size=None", DrawFunction,
     "Draw from the noncentral F distribution.", &kNoncentralF},
    {"standard_cauchy", "size=None", DrawFunction, "Draw from the standard Cauchy distribution.",
     &kStandardCauchy},
    {"standard_t", "df, size=None", DrawFunction, "Draw from Student's t distribution.",
     &kStandardT},
    {"weibull", "a, size=None", DrawFunction, "Draw from the Weibull distribution.", &kWeibull},
    {"laplace", "loc=0.0, scale=1.0, size=None", DrawFunction,
     "Draw from the Laplace distribution.", &kLaplace},
    {"logistic", "loc=0.0, scale=1.0, size=None", DrawFunction,
     "Draw from the logistic distribution.", &kLogistic},
    {"gumbel", "loc=0.0, scale=1.0, size=None", DrawFunction, "Draw from the Gumbel distribution.",
     &kGumbel},
    {"triangular", "left, mode, right, size=None", DrawFunction,
     "Draw from the triangular distribution.", &kTriangular},
    {"wald", "mean, scale, size=None", DrawFunction,
     "Draw from the Wald (inverse Gaussian) distribution.", &kWald},
    {"poisson", "lam=1.0, size=None", DrawFunction, "Draw from the Poisson distribution.",
     &kPoisson},
    {"binomial", "n, p, size=None", DrawFunction, "Draw from the binomial distribution.",
     &kBinomial},
    {"negative_binomial", "n, p, size=None", DrawFunction,
     "Draw from the negative binomial distribution.", &kNegativeBinomial},
    {"zipf", "a, size=None", DrawFunction, "Draw from the Zipf distribution.", &kZipf},
};

template <size_t A, size_t B>
constexpr std::array<FunctionRow, A + B> Join(const FunctionRow (&a)[A],
                                              const FunctionRow (&b)[B]) {
  std::array<FunctionRow, A + B> out{};
  for (size_t i = 0; i < A; ++i) out[i] = a[i];
  for (size_t i = 0; i < B; ++i) out[A + i] = b[i];
  return out;
}

}  // namespace tensh::shell::np
