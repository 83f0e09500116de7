#pragma once
// Special functions in double precision, by published series and rational approximations. Kernels
// for float also compute in double, so that their results are accurate to one unit in the last
// place.
#include "runtime/core/tensor.h"

namespace tensh::ops {

double Digamma(double x);
double Zeta(double s, double q);       // the Hurwitz zeta function
double Polygamma(double n, double x);  // n = 0, 1, 2, …
double Erfinv(double x);
double Ndtri(double p);                        // the quantile function of the normal distribution
double IgammaLower(double a, double x);        // P(a, x), regularized
double IgammaSlope(double a, double x);        // dP/da
double IgammaUpper(double a, double x);        // Q(a, x), regularized
double Betainc(double a, double b, double x);  // regularized
// Returns the shape of Betainc's output. The inputs must be scalars or have equal shapes.
Result<Shape> BetaincOutput(const Tensor& a, const Tensor& b, const Tensor& x);
double BesselI0e(double x);  // exp(-|x|) * I0(x)
double BesselI1e(double x);
double BesselY(int order, double x);   // the second kind, order 0 or 1
double BesselKe(int order, double x);  // exp(x) * K(x), order 0 or 1
double Dawson(double x);
double ExponentialIntegral(double x);  // Ei(x)
double FresnelC(double x);
double FresnelS(double x);
double Dilogarithm(double x);           // Li2(1 - x), Spence's integral
double GammaSlope(double a, double x);  // d sample / d a for a gamma-distributed sample x

}  // namespace tensh::ops
