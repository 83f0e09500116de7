#include "ops/math/special/special_functions.h"

#include "ops/math/special/special_on_device.h"

namespace tensh::ops {

double Digamma(double x) { return special::Digamma(x); }
double Zeta(double s, double q) { return special::Zeta(s, q); }
double Polygamma(double n, double x) { return special::Polygamma(n, x); }
double Erfinv(double x) { return special::Erfinv(x); }
double Ndtri(double p) { return special::Ndtri(p); }
double IgammaLower(double a, double x) { return special::IgammaLower(a, x); }
double IgammaSlope(double a, double x) { return special::IgammaSlope(a, x); }
double IgammaUpper(double a, double x) { return special::IgammaUpper(a, x); }
double Betainc(double a, double b, double x) { return special::Betainc(a, b, x); }
double BesselI0e(double x) { return special::BesselI0e(x); }
double BesselI1e(double x) { return special::BesselI1e(x); }
double GammaSlope(double a, double x) { return special::GammaSlope(a, x); }

Result<Shape> BetaincOutput(const Tensor& a, const Tensor& b, const Tensor& x) {
  Shape shape;
  for (const Tensor* t : {&a, &b, &x})
    if (t->rank() > 0) shape = t->shape();
  for (const Tensor* t : {&a, &b, &x})
    if (t->rank() > 0 && !(t->shape() == shape))
      return InvalidArgument("Shapes of a, b and x are inconsistent: ", a.shape(), ", ", b.shape(),
                             ", ", x.shape());
  return shape;
}

}  // namespace tensh::ops
