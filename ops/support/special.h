#pragma once
// Special functions in double precision, by published series and rational approximations. Kernels
// for float go through double too: the result is then exact to a unit in the last place.
#include "runtime/core/tensor.h"

namespace tensh::ops {

double Digamma(double x);
double Zeta(double s, double q);       // the Hurwitz zeta function
double Polygamma(double n, double x);  // n = 0, 1, 2 …
double Erfinv(double x);
double Ndtri(double p);                        // the inverse of the normal distribution
double IgammaLower(double a, double x);        // regularised, P(a, x)
double IgammaSlope(double a, double x);        // dP/da
double IgammaUpper(double a, double x);        // regularised, Q(a, x)
double Betainc(double a, double b, double x);  // regularised
// The shape of Betainc's inputs: scalars, or all of one shape.
Result<Shape> BetaincOutput(const Tensor& a, const Tensor& b, const Tensor& x);
double BesselI0e(double x);  // exp(-|x|) * I0(x)
double BesselI1e(double x);
double BesselY(int order, double x);   // of the second kind, order 0 or 1
double BesselKe(int order, double x);  // exp(x) * K, order 0 or 1
double Dawson(double x);
double ExponentialIntegral(double x);  // Ei
double FresnelC(double x);
double FresnelS(double x);
double Dilogarithm(double x);           // of 1 - x: Spence's integral
double GammaSlope(double a, double x);  // d sample / d a of gamma samples

}  // namespace tensh::ops
