// The module random. It uses the Mersenne Twister 19937 and draws from it as CPython does, so that
// seeded scripts print the same numbers.
#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <unordered_set>

#include "shell/python/modules/modules.h"
#include "shell/python/values/bigint.h"
#include "shell/python/values/collections/set.h"
#include "shell/python/values/containers.h"
#include "shell/python/values/error.h"
#include "shell/python/values/ops.h"

namespace tensh::shell {
namespace {

constexpr size_t kN = 624, kM = 397;

class Twister {
 public:
  void SeedByArray(const std::vector<uint32_t>& key) {
    SeedByOne(19650218u);
    size_t i = 1, j = 0;
    for (size_t k = std::max(kN, key.size()); k; --k) {
      state_[i] = (state_[i] ^ ((state_[i - 1] ^ (state_[i - 1] >> 30)) * 1664525u)) + key[j] +
                  static_cast<uint32_t>(j);
      if (++i >= kN) state_[0] = state_[kN - 1], i = 1;
      if (++j >= key.size()) j = 0;
    }
    for (size_t k = kN - 1; k; --k) {
      state_[i] = (state_[i] ^ ((state_[i - 1] ^ (state_[i - 1] >> 30)) * 1566083941u)) -
                  static_cast<uint32_t>(i);
      if (++i >= kN) state_[0] = state_[kN - 1], i = 1;
    }
    state_[0] = 0x80000000u;
    index_ = kN;
    has_gauss_ = false;
  }

  uint32_t Next32() {
    if (index_ >= kN) Refill();
    uint32_t y = state_[index_++];
    y ^= y >> 11;
    y ^= (y << 7) & 0x9d2c5680u;
    y ^= (y << 15) & 0xefc60000u;
    return y ^ (y >> 18);
  }

  double NextDouble() {
    const uint32_t a = Next32() >> 5, b = Next32() >> 6;
    return (a * 67108864.0 + b) * (1.0 / 9007199254740992.0);
  }

  // Returns k random bits, least significant word first, like getrandbits.
  Value Bits(int64_t k) {
    if (k <= 0) return Value::Int(0);
    if (k <= 32) return Value::Int(Next32() >> (32 - k));
    Value r = Value::Int(0);
    for (int64_t at = 0; k > 0; at += 32, k -= 32) {
      uint32_t word = Next32();
      if (k < 32) word >>= 32 - k;
      r = IntBinary(BinaryOp::kOr, r,
                    IntBinary(BinaryOp::kLShift, Value::Int(word), Value::Int(at)));
    }
    return r;
  }

  // Returns an unbiased random integer in [0, n), for n > 0. Rejects draws that are too large.
  Value Below(const Value& n) {
    const int64_t k = BitLength(n);
    for (;;) {
      Value r = Bits(k);
      if (IntCompare(r, n) < 0) return r;
    }
  }
  size_t Below(size_t n) {
    return static_cast<size_t>(Below(Value::Int(static_cast<int64_t>(n))).as_int());
  }

  double Gauss(double mu, double sigma) {
    double z;
    if (has_gauss_) {
      has_gauss_ = false;
      z = gauss_;
    } else {
      const double angle = NextDouble() * 2 * M_PI,
                   radius = std::sqrt(-2.0 * std::log(1.0 - NextDouble()));
      z = std::cos(angle) * radius;
      gauss_ = std::sin(angle) * radius;
      has_gauss_ = true;
    }
    return mu + z * sigma;
  }

  std::array<uint32_t, kN> state_;
  size_t index_ = kN;
  bool has_gauss_ = false;
  double gauss_ = 0;

 private:
  void SeedByOne(uint32_t s) {
    state_[0] = s;
    for (size_t i = 1; i < kN; ++i) {
      state_[i] = 1812433253u * (state_[i - 1] ^ (state_[i - 1] >> 30)) + static_cast<uint32_t>(i);
    }
    index_ = kN;
  }

  void Refill() {
    auto twist = [&](size_t i, size_t next, size_t from) {
      const uint32_t y = (state_[i] & 0x80000000u) | (state_[next] & 0x7fffffffu);
      state_[i] = state_[from] ^ (y >> 1) ^ ((y & 1) ? 0x9908b0dfu : 0u);
    };
    for (size_t i = 0; i < kN; ++i) twist(i, (i + 1) % kN, (i + kM) % kN);
    index_ = 0;
  }
};

// SHA-512, which CPython uses to turn a string into a seed.
class Sha512 {
 public:
  static std::string Digest(std::string data) {
    const uint64_t bits = data.size() * 8;
    data += '\x80';
    while (data.size() % 128 != 112) data += '\0';
    data.append(8, '\0');
    for (int i = 7; i >= 0; --i) data += static_cast<char>(bits >> (8 * i));
    std::array<uint64_t, 8> h = Roots<8>(2);
    const auto k = Roots<80>(3);
    for (size_t block = 0; block < data.size(); block += 128) Block(data.data() + block, k, &h);
    std::string out;
    for (uint64_t word : h) {
      for (int i = 7; i >= 0; --i) out += static_cast<char>(word >> (8 * i));
    }
    return out;
  }

 private:
  // Returns the first 64 fractional bits of the square or cube roots of the first primes, which are
  // the constants of SHA-512.
  template <size_t Count>
  static std::array<uint64_t, Count> Roots(int power) {
    std::array<uint64_t, Count> out;
    size_t n = 0;
    for (uint64_t p = 2; n < Count; ++p) {
      bool prime = true;
      for (uint64_t d = 2; d * d <= p; ++d) prime = prime && p % d != 0;
      if (!prime) continue;
      // Computes floor(root(p) * 2^64) bit by bit, comparing big integers exactly.
      Value low = Value::Int(0);
      const Value target =
          IntBinary(BinaryOp::kLShift, Value::Int(static_cast<int64_t>(p)), Value::Int(64 * power));
      for (int bit = 69; bit >= 0; --bit) {
        Value trial = IntBinary(BinaryOp::kOr, low,
                                IntBinary(BinaryOp::kLShift, Value::Int(1), Value::Int(bit)));
        if (IntCompare(IntBinary(BinaryOp::kPow, trial, Value::Int(power)), target) <= 0)
          low = trial;
      }
      const Value mask = IntFromU64(UINT64_MAX);
      IntToU64(IntBinary(BinaryOp::kAnd, low, mask), &out[n++]);
    }
    return out;
  }

  static uint64_t Rotate(uint64_t x, int n) { return x >> n | x << (64 - n); }

  static void Block(const char* data, const std::array<uint64_t, 80>& k,
                    std::array<uint64_t, 8>* h) {
    std::array<uint64_t, 80> w;
    for (size_t i = 0; i < 16; ++i) {
      w[i] = 0;
      for (size_t j = 0; j < 8; ++j) w[i] = w[i] << 8 | static_cast<unsigned char>(data[i * 8 + j]);
    }
    for (size_t i = 16; i < 80; ++i) {
      const uint64_t a = w[i - 15], b = w[i - 2];
      w[i] = w[i - 16] + (Rotate(a, 1) ^ Rotate(a, 8) ^ (a >> 7)) + w[i - 7] +
             (Rotate(b, 19) ^ Rotate(b, 61) ^ (b >> 6));
    }
    std::array<uint64_t, 8> v = *h;
    for (size_t i = 0; i < 80; ++i) {
      const uint64_t s1 = Rotate(v[4], 14) ^ Rotate(v[4], 18) ^ Rotate(v[4], 41);
      const uint64_t t1 = v[7] + s1 + ((v[4] & v[5]) ^ (~v[4] & v[6])) + k[i] + w[i];
      const uint64_t s0 = Rotate(v[0], 28) ^ Rotate(v[0], 34) ^ Rotate(v[0], 39);
      const uint64_t t2 = s0 + ((v[0] & v[1]) ^ (v[0] & v[2]) ^ (v[1] & v[2]));
      for (size_t j = 7; j > 0; --j) v[j] = v[j - 1];
      v[4] += t1;
      v[0] = t1 + t2;
    }
    for (size_t i = 0; i < 8; ++i) (*h)[i] += v[i];
  }
};

void SeedFrom(Twister* t, const Value& seed) {
  Value n = seed;
  if (seed.is_none()) {
    n = Value::Int(std::chrono::steady_clock::now().time_since_epoch().count() ^
                   std::chrono::system_clock::now().time_since_epoch().count());
  } else if (IsStr(seed) || As<BytesObject>(seed)) {
    std::string data = IsStr(seed) ? std::string(StrView(seed)) : As<BytesObject>(seed)->data;
    n = IntFromBytes(data + Sha512::Digest(data), false, false);
  } else if (seed.is_float()) {
    n = Value::Int(static_cast<int64_t>(Hash(seed)));
  } else if (!IsInt(seed)) {
    throw TypeError(
        "The only supported seed types are: None,\nint, float, str, bytes, and bytearray.");
  }
  n = Unary(UnaryOp::kAbs, n);
  std::vector<uint32_t> key;
  const Value mask = Value::Int(0xffffffff), shift = Value::Int(32);
  do {
    key.push_back(static_cast<uint32_t>(IntBinary(BinaryOp::kAnd, n, mask).as_int()));
    n = IntBinary(BinaryOp::kRShift, n, shift);
  } while (Truth(n));
  t->SeedByArray(key);
}

class RandomObject : public Object {
 public:
  static const TypeInfo kType;
  RandomObject() : Object(kType) {}
  Twister twister;
};

// Returns the generator of the Random instance, or the module's shared generator.
Twister& T(Args& a) {
  if (!a.self().is_null() && As<RandomObject>(a.self())) return As<RandomObject>(a.self())->twister;
  static Twister* shared = [] {
    auto* t = new Twister;
    SeedFrom(t, Value::None());
    return t;
  }();
  return *shared;
}

Value Seed(Args& a) {
  SeedFrom(&T(a), a[0]);
  return Value::None();
}
Value Random(Args& a) { return Value::Float(T(a).NextDouble()); }
Value GetRandBits(Args& a) {
  const int64_t k = ToIndex(a[0]);
  if (k < 0) throw ValueError("number of bits must be non-negative");
  if (k > (1 << 20)) throw OverflowError("too many bits");
  return T(a).Bits(k);
}
Value IndexOf(const Value& v) {
  if (IsInt(v)) return v;
  if (v.is_float() && v.as_float() == std::floor(v.as_float())) return IntFromDouble(v.as_float());
  if (v.is_float()) throw ValueError("non-integer arg 1 for randrange()");
  return Value::Int(ToIndex(v));
}
Value Range(Twister& t, const Value& start, const Value& stop, const Value& step) {
  Value width = IntBinary(BinaryOp::kSub, stop, start), zero = Value::Int(0);
  if (!Truth(step)) throw ValueError("zero step for randrange()");
  auto empty = [&] {
    throw ValueError("empty range for randrange() (" + Repr(start) + ", " + Repr(stop) + ", " +
                     Repr(width) + ")");
  };
  if (step.is_int() && step.as_int() == 1) {
    if (IntCompare(width, zero) <= 0) empty();
    return IntBinary(BinaryOp::kAdd, start, t.Below(width));
  }
  const int sign = IntCompare(step, zero);
  Value n = IntBinary(BinaryOp::kFloorDiv,
                      IntBinary(BinaryOp::kAdd, width,
                                IntBinary(BinaryOp::kSub, step, Value::Int(sign > 0 ? 1 : -1))),
                      step);
  if (IntCompare(n, zero) <= 0) throw ValueError("empty range for randrange()");
  return IntBinary(BinaryOp::kAdd, start, IntBinary(BinaryOp::kMul, step, t.Below(n)));
}
Value RandRange(Args& a) {
  if (a[1].is_none()) {
    Value stop = IndexOf(a[0]);
    if (IntCompare(stop, Value::Int(0)) <= 0) throw ValueError("empty range for randrange()");
    return T(a).Below(stop);
  }
  return Range(T(a), IndexOf(a[0]), IndexOf(a[1]), IndexOf(a[2]));
}
Value RandInt(Args& a) {
  return Range(T(a), IndexOf(a[0]), IntBinary(BinaryOp::kAdd, IndexOf(a[1]), Value::Int(1)),
               Value::Int(1));
}
Value Uniform(Args& a) {
  const double x = ToDouble(a[0]), y = ToDouble(a[1]);
  return Value::Float(x + (y - x) * T(a).NextDouble());
}
Value Choice(Args& a) {
  const int64_t n = Len(a[0]);
  if (n == 0) throw IndexError("Cannot choose from an empty sequence");
  return GetItem(a[0], Value::Int(static_cast<int64_t>(T(a).Below(static_cast<size_t>(n)))));
}
Value Shuffle(Args& a) {
  Twister& t = T(a);
  for (int64_t i = Len(a[0]) - 1; i > 0; --i) {
    Value j = Value::Int(static_cast<int64_t>(t.Below(static_cast<size_t>(i) + 1))),
          at = Value::Int(i);
    Value x = GetItem(a[0], at), y = GetItem(a[0], j);
    SetItem(a[0], at, y);
    SetItem(a[0], j, x);
  }
  return Value::None();
}
Value Sample(Args& a) {
  if (IsSet(a[0]) || As<DictObject>(a[0])) {
    throw TypeError("Population must be a sequence.  For dicts or sets, use sorted(d).");
  }
  std::vector<Value> pool = ToVector(a[0]), out;
  const auto n = static_cast<int64_t>(pool.size()), k = ToIndex(a[1]);
  if (k < 0 || k > n) throw ValueError("Sample larger than population or is negative");
  Twister& t = T(a);
  int64_t set_size = 21;
  if (k > 5)
    set_size += static_cast<int64_t>(
        std::pow(4, std::ceil(std::log(static_cast<double>(k * 3)) / std::log(4.0))));
  if (n <= set_size) {
    for (int64_t i = 0; i < k; ++i) {
      const size_t j = t.Below(static_cast<size_t>(n - i));
      out.push_back(pool[j]);
      pool[j] = pool[static_cast<size_t>(n - i - 1)];
    }
    return MakeList(std::move(out));
  }
  std::unordered_set<size_t> chosen;
  for (int64_t i = 0; i < k; ++i) {
    size_t j;
    do j = t.Below(static_cast<size_t>(n));
    while (!chosen.insert(j).second);
    out.push_back(pool[j]);
  }
  return MakeList(std::move(out));
}
// As in CPython, each pick takes one draw: the floor of a multiple without weights, and a bisection
// of the cumulative weights otherwise.
Value Choices(Args& a) {
  std::vector<Value> pool = ToVector(a[0]), out;
  const int64_t k = ToIndex(a[3]);
  Twister& t = T(a);
  if (pool.empty()) throw IndexError("list index out of range");
  if (k > (int64_t{1} << 28)) throw MakeError(kMemoryError, "");
  std::vector<double> cumulative;
  const Value& weights = a[1].is_none() ? a[2] : a[1];
  if (!weights.is_none()) {
    double total = 0;
    for (const Value& w : ToVector(weights)) {
      total = a[1].is_none() ? ToDouble(w) : total + ToDouble(w);
      cumulative.push_back(total);
    }
    if (cumulative.size() != pool.size())
      throw ValueError("The number of weights does not match the population");
    if (total <= 0) throw ValueError("Total of weights must be greater than zero");
  }
  for (int64_t i = 0; i < k; ++i) {
    if (cumulative.empty()) {
      out.push_back(
          pool[static_cast<size_t>(std::floor(t.NextDouble() * static_cast<double>(pool.size())))]);
      continue;
    }
    const double x = t.NextDouble() * cumulative.back();
    auto at = std::upper_bound(cumulative.begin(), cumulative.end() - 1, x) - cumulative.begin();
    out.push_back(pool[static_cast<size_t>(at)]);
  }
  return MakeList(std::move(out));
}
Value Gauss(Args& a) { return Value::Float(T(a).Gauss(ToDouble(a[0]), ToDouble(a[1]))); }
Value NormalVariate(Args& a) {
  const double magic = 4 * std::exp(-0.5) / std::sqrt(2.0);
  for (;;) {
    const double u1 = T(a).NextDouble(), u2 = 1.0 - T(a).NextDouble(), z = magic * (u1 - 0.5) / u2;
    if (z * z / 4.0 <= -std::log(u2)) return Value::Float(ToDouble(a[0]) + z * ToDouble(a[1]));
  }
}
Value Exponential(Args& a) {
  return Value::Float(-std::log(1.0 - T(a).NextDouble()) / ToDouble(a[0]));
}
Value Triangular(Args& a) {
  double low = ToDouble(a[0]), high = ToDouble(a[1]), u = T(a).NextDouble();
  double c = a[2].is_none() ? 0.5 : high == low ? 0 : (ToDouble(a[2]) - low) / (high - low);
  if (u > c) {
    u = 1 - u;
    c = 1 - c;
    std::swap(low, high);
  }
  return Value::Float(low + (high - low) * std::sqrt(u * c));
}

// Algorithms of Cheng (1977) for alpha > 1, and GS of Ahrens and Dieter (1974) below. Random
// numbers are drawn in CPython's order.
double Gamma(Twister& t, double alpha, double beta) {
  if (!(alpha > 0 && beta > 0)) throw ValueError("gammavariate: alpha and beta must be > 0.0");
  if (alpha == 1) return -std::log(1.0 - t.NextDouble()) * beta;
  if (alpha > 1) {
    const double root = std::sqrt(2.0 * alpha - 1.0), b = alpha - std::log(4.0), c = alpha + root;
    for (;;) {
      const double u1 = t.NextDouble();
      if (!(1e-7 < u1 && u1 < 0.9999999)) continue;
      const double u2 = 1.0 - t.NextDouble(), v = std::log(u1 / (1.0 - u1)) / root;
      const double x = alpha * std::exp(v), z = u1 * u1 * u2, r = b + c * v - x;
      if (r + (1.0 + std::log(4.5)) - 4.5 * z >= 0.0 || r >= std::log(z)) return x * beta;
    }
  }
  for (;;) {
    const double b = (M_E + alpha) / M_E, p = b * t.NextDouble();
    const double x = p <= 1.0 ? std::pow(p, 1.0 / alpha) : -std::log((b - p) / alpha);
    const double u1 = t.NextDouble();
    if (p > 1.0 ? u1 <= std::pow(x, alpha - 1.0) : u1 <= std::exp(-x)) return x * beta;
  }
}
Value GammaVariate(Args& a) { return Value::Float(Gamma(T(a), ToDouble(a[0]), ToDouble(a[1]))); }
Value BetaVariate(Args& a) {
  const double y = Gamma(T(a), ToDouble(a[0]), 1.0);
  return Value::Float(y != 0 ? y / (y + Gamma(T(a), ToDouble(a[1]), 1.0)) : 0.0);
}
Value LogNormal(Args& a) { return Value::Float(std::exp(NormalVariate(a).as_float())); }
Value Pareto(Args& a) {
  return Value::Float(std::pow(1.0 - T(a).NextDouble(), -1.0 / ToDouble(a[0])));
}
Value Weibull(Args& a) {
  const double u = 1.0 - T(a).NextDouble();
  return Value::Float(ToDouble(a[0]) * std::pow(-std::log(u), 1.0 / ToDouble(a[1])));
}

Value MakeRandom(Args& a) {
  auto r = New<RandomObject>();
  SeedFrom(&r->twister, a[0]);
  return r;
}
const FunctionRow kMakeRandom = {"Random", "x=None", MakeRandom};

const FunctionRow kRows[] = {
    {"seed", "a=None, version=2", Seed},
    {"random", "/", Random},
    {"getrandbits", "k, /", GetRandBits},
    {"randrange", "start, stop=None, step=1", RandRange},
    {"randint", "a, b", RandInt},
    {"uniform", "a, b", Uniform},
    {"choice", "seq", Choice},
    {"shuffle", "x", Shuffle},
    {"sample", "population, k", Sample},
    {"choices", "population, weights=None, *, cum_weights=None, k=1", Choices},
    {"gauss", "mu=0.0, sigma=1.0", Gauss},
    {"normalvariate", "mu=0.0, sigma=1.0", NormalVariate},
    {"expovariate", "lambd=1.0", Exponential},
    {"gammavariate", "alpha, beta", GammaVariate},
    {"betavariate", "alpha, beta", BetaVariate},
    {"lognormvariate", "mu, sigma", LogNormal},
    {"paretovariate", "alpha", Pareto},
    {"weibullvariate", "alpha, beta", Weibull},
    {"triangular", "low=0.0, high=1.0, mode=None", Triangular},
};

Value RandomClass() { return TypeValue(RandomObject::kType); }
const ConstantRow kConstants[] = {{"Random", RandomClass}};

}  // namespace

const TypeInfo RandomObject::kType = {
    .name = "Random", .module = "random", .methods = kRows, .construct = &kMakeRandom};

const ModuleDef kRandomModule = {.name = "random", .functions = kRows, .constants = kConstants};

}  // namespace tensh::shell
