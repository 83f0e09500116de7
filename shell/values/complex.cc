// complex: enough of it for expressions that leave the real line.
#include <cmath>
#include <complex>

#include "shell/values/containers.h"
#include "shell/values/error.h"
#include "shell/values/format.h"
#include "shell/values/ops.h"

namespace tensh::shell {
namespace {

using Complex = std::complex<double>;

bool ToComplex(const Value& v, Complex* out) {
  if (auto* c = As<ComplexObject>(v)) {
    *out = {c->re, c->im};
  } else if (v.is_float() || IsInt(v)) {
    *out = {ToDouble(v), 0};
  } else {
    return false;
  }
  return true;
}

Value From(Complex c) { return MakeComplex(c.real(), c.imag()); }

std::string Part(double d) {
  std::string s = FloatRepr(d);
  if (s.size() > 2 && s.substr(s.size() - 2) == ".0") s.resize(s.size() - 2);
  return s;
}

std::string ComplexRepr(const Value& v) {
  auto* c = static_cast<ComplexObject*>(v.object());
  std::string im = Part(c->im) + "j";
  if (c->re == 0 && !std::signbit(c->re)) return im;
  if (im[0] != '-') im = "+" + im;
  return "(" + Part(c->re) + im + ")";
}

bool ComplexTruth(const Value& v) {
  auto* c = static_cast<ComplexObject*>(v.object());
  return c->re != 0 || c->im != 0;
}

uint64_t ComplexHash(const Value& v) {
  auto* c = static_cast<ComplexObject*>(v.object());
  return Hash(Value::Float(c->re)) + 1000003 * (c->im == 0 ? 0 : Hash(Value::Float(c->im)));
}

Value ComplexCompare(CompareOp op, const Value& a, const Value& b) {
  Complex x, y;
  if (!ToComplex(a, &x) || !ToComplex(b, &y)) return Value::NotImplemented();
  if (op == CompareOp::kEq) return Value::Bool(x == y);
  if (op == CompareOp::kNe) return Value::Bool(x != y);
  return Value::NotImplemented();
}

Value ComplexBinary(BinaryOp op, const Value& a, const Value& b, bool) {
  Complex x, y;
  if (!ToComplex(a, &x) || !ToComplex(b, &y)) return Value::NotImplemented();
  switch (op) {
    case BinaryOp::kAdd: return From(x + y);
    case BinaryOp::kSub: return From(x - y);
    case BinaryOp::kMul: return From({x.real() * y.real() - x.imag() * y.imag(),
                                      x.real() * y.imag() + x.imag() * y.real()});
    case BinaryOp::kTrueDiv:
      if (y == Complex(0)) throw ZeroDivisionError("complex division by zero");
      return From(x / y);
    case BinaryOp::kPow: {
      if (y.imag() == 0 && y.real() == std::floor(y.real()) && std::fabs(y.real()) <= 100) {
        Complex r(1), base = x;
        int n = std::abs(static_cast<int>(y.real()));
        for (; n; n >>= 1, base *= base) {
          if (n & 1) r *= base;
        }
        if (y.real() < 0 && x == Complex(0)) {
          throw ZeroDivisionError("0.0 to a negative or complex power");
        }
        return From(y.real() < 0 ? 1.0 / r : r);
      }
      return From(std::pow(x, y));
    }
    default: return Value::NotImplemented();
  }
}

Value ComplexUnary(UnaryOp op, const Value& v) {
  auto* c = static_cast<ComplexObject*>(v.object());
  if (op == UnaryOp::kNeg) return MakeComplex(-c->re, -c->im);
  if (op == UnaryOp::kPos) return v;
  if (op == UnaryOp::kAbs) return Value::Float(std::hypot(c->re, c->im));
  return Value::NotImplemented();
}

Value Real(const Value& v) { return Value::Float(static_cast<ComplexObject*>(v.object())->re); }
Value Imag(const Value& v) { return Value::Float(static_cast<ComplexObject*>(v.object())->im); }
Value Conjugate(Args& a) {
  auto* c = static_cast<ComplexObject*>(a.self().object());
  return MakeComplex(c->re, -c->im);
}

Value ConstructComplex(Args& a) {
  Complex re, im;
  if (!ToComplex(a[0], &re)) {
    throw TypeError("complex() first argument must be a string or a number, not '" + TypeName(a[0]) + "'");
  }
  if (!ToComplex(a[1], &im)) {
    throw TypeError("complex() second argument must be a number, not '" + TypeName(a[1]) + "'");
  }
  return MakeComplex(re.real() - im.imag(), re.imag() + im.real());
}

const PropertyRow kProperties[] = {{"real", Real}, {"imag", Imag}};
const FunctionRow kMethods[] = {{"conjugate", "/", Conjugate}};
const FunctionRow kConstruct = {"complex", "real=0, imag=0", ConstructComplex};

}  // namespace

const TypeInfo ComplexObject::kType = {.name = "complex",
                                       .methods = kMethods,
                                       .properties = kProperties,
                                       .construct = &kConstruct,
                                       .repr = ComplexRepr,
                                       .truth = ComplexTruth,
                                       .hash = ComplexHash,
                                       .compare = ComplexCompare,
                                       .binary = ComplexBinary,
                                       .unary = ComplexUnary};

Value MakeComplex(double re, double im) { return New<ComplexObject>(re, im); }

}  // namespace tensh::shell
