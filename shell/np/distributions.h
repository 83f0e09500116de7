// Functions of np.random that draw every element from one distribution, as table rows shared by
// RandomState and Generator: parameters are numbers or arrays that broadcast, the last argument is
// the size. Interpreter's thread.
#pragma once

#include <array>

#include "shell/np/array.h"
#include "shell/np/draws.h"
#include "shell/values/native.h"

namespace tensh::shell::np {

// What holds a generator: RandomState, Generator.
class DrawSource : public Object {
 public:
  using Object::Object;
  virtual Draws& draws() = 0;
};
// The receiver's, or np.random's own.
Draws& DrawsOf(Args& a);
Draws& ModuleDraws();

// What a parameter may be; numpy's texts tell numbers from arrays.
enum class Limit : uint8_t {
  kAny,
  kNonNegative,
  kPositive,
  kProbability,          // 0 … 1
  kPositiveProbability,  // without 0
  kBelowOne,             // 0 … 1, without 1
  kAboveOne,
  kRate,  // of poisson
};

struct DrawParameter {
  const char* name = "";
  Limit limit = Limit::kAny;
};

struct Distribution {
  std::array<DrawParameter, 3> parameters;
  double (*real)(Draws&, const double* p) = nullptr;
  int64_t (*whole)(Draws&, const double* p) = nullptr;  // the other one is null
  // Of parameters together; null: nothing to check. `arrays` as for the texts.
  void (*check)(const double* p, bool arrays) = nullptr;
};

// The shape of parameters broadcast against each other and the output's (null: none was asked for),
// with numpy's text when they do not fit.
Extents CommonShape(std::span<const Array> parameters, const Extents* size);

Value DrawFunction(Args& a);  // row().data is a Distribution

extern const Distribution kUnitUniform, kStandardNormal, kStandardExponential, kNormal, kLognormal,
    kExponential, kStandardGamma, kGamma, kBeta, kChisquare, kNoncentralChisquare, kF, kNoncentralF,
    kStandardCauchy, kStandardT, kWeibull, kLaplace, kLogistic, kGumbel, kTriangular, kWald,
    kPoisson, kBinomial, kNegativeBinomial, kZipf;
// Where RandomState kept older formulas.
extern const Distribution kUniform, kPareto, kPower, kRayleigh, kGeometric, kLogseries, kVonmises;
extern const Distribution kLegacyUniform, kLegacyPareto, kLegacyPower, kLegacyRayleigh,
    kLegacyGeometric, kLegacyLogseries, kLegacyVonmises;

inline constexpr FunctionRow kDistributionRows[] = {
    {"normal", "loc=0.0, scale=1.0, size=None", DrawFunction, "Normal.", &kNormal},
    {"lognormal", "mean=0.0, sigma=1.0, size=None", DrawFunction, "Log-normal.", &kLognormal},
    {"exponential", "scale=1.0, size=None", DrawFunction, "Exponential.", &kExponential},
    {"gamma", "shape, scale=1.0, size=None", DrawFunction, "Gamma.", &kGamma},
    {"beta", "a, b, size=None", DrawFunction, "Beta.", &kBeta},
    {"chisquare", "df, size=None", DrawFunction, "Chi-square.", &kChisquare},
    {"noncentral_chisquare", "df, nonc, size=None", DrawFunction, "Noncentral chi-square.",
     &kNoncentralChisquare},
    {"f", "dfnum, dfden, size=None", DrawFunction, "Fisher's F.", &kF},
    {"noncentral_f", "dfnum, dfden, nonc, size=None", DrawFunction, "Noncentral F.", &kNoncentralF},
    {"standard_cauchy", "size=None", DrawFunction, "Standard Cauchy.", &kStandardCauchy},
    {"standard_t", "df, size=None", DrawFunction, "Student's t.", &kStandardT},
    {"weibull", "a, size=None", DrawFunction, "Weibull.", &kWeibull},
    {"laplace", "loc=0.0, scale=1.0, size=None", DrawFunction, "Laplace.", &kLaplace},
    {"logistic", "loc=0.0, scale=1.0, size=None", DrawFunction, "Logistic.", &kLogistic},
    {"gumbel", "loc=0.0, scale=1.0, size=None", DrawFunction, "Gumbel.", &kGumbel},
    {"triangular", "left, mode, right, size=None", DrawFunction, "Triangular.", &kTriangular},
    {"wald", "mean, scale, size=None", DrawFunction, "Wald (inverse Gaussian).", &kWald},
    {"poisson", "lam=1.0, size=None", DrawFunction, "Poisson.", &kPoisson},
    {"binomial", "n, p, size=None", DrawFunction, "Binomial.", &kBinomial},
    {"negative_binomial", "n, p, size=None", DrawFunction, "Negative binomial.",
     &kNegativeBinomial},
    {"zipf", "a, size=None", DrawFunction, "Zipf.", &kZipf},
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
