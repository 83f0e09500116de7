#pragma once
// The update rules of the optimizers for one element; see register_apply.h. All devices share them:
// nvcc compiles constexpr functions as device code.
#include <algorithm>

#include "ops/train/register_apply.h"

namespace tensh::ops {

template <class T>
TENSH_ALWAYS_INLINE constexpr T Sign(T x) {
  return static_cast<T>((x > T(0)) - (x < T(0)));
}

struct GradientDescentRule {
  static constexpr int kVars = 1, kGrad = 2;
  static constexpr const char* kNames[] = {"var", "delta"};
  static constexpr NamedInput kScalars[] = {{"alpha", 1}};
  template <class T>
  TENSH_ALWAYS_INLINE static constexpr void Update(const T* s, T* const* v, int64_t i, T g, bool) {
    v[0][i] -= g * s[0];
  }
};

struct MomentumRule {
  static constexpr int kVars = 2, kGrad = 3;
  static constexpr const char* kNames[] = {"var", "accum", "grad"};
  static constexpr NamedInput kScalars[] = {{"lr", 2}, {"momentum", 4}};
  template <class T>
  TENSH_ALWAYS_INLINE static constexpr void Update(const T* s, T* const* v, int64_t i, T g,
                                                   bool nesterov) {
    T& accum = v[1][i];
    accum = accum * s[1] + g;
    v[0][i] -= nesterov ? g * s[0] + accum * s[1] * s[0] : accum * s[0];
  }
};

struct KerasMomentumRule {
  static constexpr int kVars = 2, kGrad = 3;
  static constexpr const char* kNames[] = {"var", "accum", "grad"};
  static constexpr NamedInput kScalars[] = {{"lr", 2}, {"momentum", 4}};
  template <class T>
  TENSH_ALWAYS_INLINE static constexpr void Update(const T* s, T* const* v, int64_t i, T g,
                                                   bool nesterov) {
    T& accum = v[1][i];
    accum = accum * s[1] - g * s[0];
    v[0][i] += nesterov ? accum * s[1] - g * s[0] : accum;
  }
};

struct AdamRule {
  static constexpr int kVars = 3, kGrad = 9;
  static constexpr const char* kNames[] = {"var", "m", "v", "grad"};
  static constexpr NamedInput kScalars[] = {{"beta1_power", 3}, {"beta2_power", 4}, {"lr", 5},
                                            {"beta1", 6},       {"beta2", 7},       {"epsilon", 8}};
  template <class T>
  TENSH_ALWAYS_INLINE static constexpr void Update(const T* s, T* const* v, int64_t i, T g,
                                                   bool nesterov) {
    T &m = v[1][i], &u = v[2][i];
    const T alpha = s[2] * std::sqrt(T(1) - s[1]) / (T(1) - s[0]);
    m += (g - m) * (T(1) - s[3]);
    u += (g * g - u) * (T(1) - s[4]);
    const T direction = nesterov ? g * (T(1) - s[3]) + s[3] * m : m;
    v[0][i] -= direction * alpha / (std::sqrt(u) + s[5]);
  }
};

struct AmsgradRule {
  static constexpr int kVars = 4, kGrad = 10;
  static constexpr const char* kNames[] = {"var", "m", "v", "vhat", "grad"};
  static constexpr NamedInput kScalars[] = {{"beta1_power", 4}, {"beta2_power", 5}, {"lr", 6},
                                            {"beta1", 7},       {"beta2", 8},       {"epsilon", 9}};
  template <class T>
  TENSH_ALWAYS_INLINE static constexpr void Update(const T* s, T* const* v, int64_t i, T g, bool) {
    T &m = v[1][i], &u = v[2][i], &most = v[3][i];
    const T alpha = s[2] * std::sqrt(T(1) - s[1]) / (T(1) - s[0]);
    m += (g - m) * (T(1) - s[3]);
    u += (g * g - u) * (T(1) - s[4]);
    most = u > most ? u : most;
    v[0][i] -= m * alpha / (std::sqrt(most) + s[5]);
  }
};

struct AdagradRule {
  static constexpr int kVars = 2, kGrad = 3;
  static constexpr const char* kNames[] = {"var", "accum", "grad"};
  static constexpr NamedInput kScalars[] = {{"lr", 2}};
  template <class T>
  TENSH_ALWAYS_INLINE static constexpr void Update(const T* s, T* const* v, int64_t i, T g,
                                                   bool update_slots) {
    if (update_slots) v[1][i] += g * g;
    v[0][i] -= g * s[0] * (T(1) / std::sqrt(v[1][i]));
  }
};

struct AdagradV2Rule {
  static constexpr int kVars = 2, kGrad = 4;
  static constexpr const char* kNames[] = {"var", "accum", "grad"};
  static constexpr NamedInput kScalars[] = {{"lr", 2}, {"epsilon", 3}};
  template <class T>
  TENSH_ALWAYS_INLINE static constexpr void Update(const T* s, T* const* v, int64_t i, T g,
                                                   bool update_slots) {
    if (update_slots) v[1][i] += g * g;
    v[0][i] -= g * s[0] / (std::sqrt(v[1][i]) + s[1]);
  }
};

struct AdadeltaRule {
  static constexpr int kVars = 3, kGrad = 6;
  static constexpr const char* kNames[] = {"var", "accum", "accum_update", "grad"};
  static constexpr NamedInput kScalars[] = {{"lr", 3}, {"rho", 4}, {"epsilon", 5}};
  template <class T>
  TENSH_ALWAYS_INLINE static constexpr void Update(const T* s, T* const* v, int64_t i, T g, bool) {
    T &accum = v[1][i], &moved = v[2][i];
    accum = accum * s[1] + g * g * (T(1) - s[1]);
    const T update = std::sqrt(moved + s[2]) * (T(1) / std::sqrt(accum + s[2])) * g;
    v[0][i] -= update * s[0];
    moved = moved * s[1] + update * update * (T(1) - s[1]);
  }
};

struct RmsPropRule {
  static constexpr int kVars = 3, kGrad = 7;
  static constexpr const char* kNames[] = {"var", "ms", "mom", "grad"};
  static constexpr NamedInput kScalars[] = {{"lr", 3}, {"rho", 4}, {"momentum", 5}, {"epsilon", 6}};
  template <class T>
  TENSH_ALWAYS_INLINE static constexpr void Update(const T* s, T* const* v, int64_t i, T g, bool) {
    T &ms = v[1][i], &mom = v[2][i];
    ms += (g * g - ms) * (T(1) - s[1]);
    mom = mom * s[2] + g * s[0] / std::sqrt(ms + s[3]);
    v[0][i] -= mom;
  }
};

// TensorFlow's sparse op evaluates the formula in another order than its dense op. The results
// differ visibly when rho is small, hence kSparse.
template <bool kSparse>
struct CenteredRmsPropRule {
  static constexpr int kVars = 4, kGrad = 8;
  static constexpr const char* kNames[] = {"var", "mg", "ms", "mom", "grad"};
  static constexpr NamedInput kScalars[] = {{"lr", 4}, {"rho", 5}, {"momentum", 6}, {"epsilon", 7}};
  template <class T>
  TENSH_ALWAYS_INLINE static constexpr void Update(const T* s, T* const* v, int64_t i, T g, bool) {
    T &mg = v[1][i], &ms = v[2][i], &mom = v[3][i];
    if (kSparse) {
      ms = ms * s[1] + g * g * (T(1) - s[1]);
      mg = mg * s[1] + g * (T(1) - s[1]);
    } else {
      ms += (g * g - ms) * (T(1) - s[1]);
      mg += (g - mg) * (T(1) - s[1]);
    }
    const T denominator = kSparse ? (ms + s[3]) - mg * mg : (ms - mg * mg) + s[3];
    mom = mom * s[2] + g * s[0] / std::sqrt(denominator);
    v[0][i] -= mom;
  }
};

// The FTRL update; `shrinkage` is zero except in V2. kRoot says that lr_power is -0.5. The sparse form clamps `linear`, so that a NaN
// in it reaches the variable; the dense form compares, and yields 0 for NaN. TensorFlow does the
// same.
template <bool kSparse, bool kRoot, class T>
TENSH_ALWAYS_INLINE constexpr void Ftrl(T lr, T l1, T l2, T shrinkage, T lr_power, T* const* v,
                                        int64_t i, T g, bool multiply) {
  T &var = v[0][i], &accum = v[1][i], &linear = v[2][i];
  const T next = accum + g * g;
  const bool root = kRoot || lr_power == T(-0.5);
  const T now = root ? std::sqrt(next) : std::pow(next, -lr_power);
  const T before = root ? std::sqrt(accum) : std::pow(accum, -lr_power);
  const T shrunk = g + T(2) * shrinkage * var;
  if (multiply) {
    linear += shrunk * lr - (now - before) * var;
    l1 *= lr;
  } else {
    linear += shrunk - (now - before) / lr * var;
  }
  const T y = multiply ? now + T(2) * l2 * lr : now / lr + T(2) * l2;
  if (kSparse)
    var = (std::max(std::min(linear, l1), -l1) - linear) / y;
  else
    var = std::abs(linear) > l1 ? (l1 * Sign(linear) - linear) / y : T(0);
  accum = next;
}

template <bool kSparse, bool kRoot = false>
struct FtrlRule {
  static constexpr int kVars = 3, kGrad = 3;
  static constexpr const char* kNames[] = {"var", "accum", "linear", "grad"};
  static constexpr NamedInput kScalars[] = {{"lr", 4}, {"l1", 5}, {"l2", 6}, {"lr_power", 7}};
  using Usual = FtrlRule<kSparse, true>;
  template <class T>
  static constexpr bool IsUsual(const T* s) {
    return s[3] == T(-0.5);
  }
  template <class T>
  TENSH_ALWAYS_INLINE static constexpr void Update(const T* s, T* const* v, int64_t i, T g,
                                                   bool multiply) {
    Ftrl<kSparse, kRoot>(s[0], s[1], s[2], T(0), s[3], v, i, g, multiply);
  }
};

template <bool kSparse, bool kRoot = false>
struct FtrlV2Rule {
  static constexpr int kVars = 3, kGrad = 3;
  static constexpr const char* kNames[] = {"var", "accum", "linear", "grad"};
  static constexpr NamedInput kScalars[] = {
      {"lr", 4}, {"l1", 5}, {"l2", 6}, {"l2_shrinkage", 7}, {"lr_power", 8}};
  using Usual = FtrlV2Rule<kSparse, true>;
  template <class T>
  static constexpr bool IsUsual(const T* s) {
    return s[4] == T(-0.5);
  }
  template <class T>
  TENSH_ALWAYS_INLINE static constexpr void Update(const T* s, T* const* v, int64_t i, T g,
                                                   bool multiply) {
    Ftrl<kSparse, kRoot>(s[0], s[1], s[2], s[3], s[4], v, i, g, multiply);
  }
};

// The proximal operator of the penalties l1 and l2: moves x towards zero.
template <class T>
TENSH_ALWAYS_INLINE constexpr T Shrink(T x, T lr, T l1, T l2) {
  if (l1 > T(0)) return Sign(x) * std::max(std::abs(x) - lr * l1, T(0)) / (T(1) + l2 * lr);
  return x / (T(1) + l2 * lr);
}

struct ProximalGradientDescentRule {
  static constexpr int kVars = 1, kGrad = 4;
  static constexpr const char* kNames[] = {"var", "delta"};
  static constexpr NamedInput kScalars[] = {{"alpha", 1}, {"l1", 2}, {"l2", 3}};
  template <class T>
  TENSH_ALWAYS_INLINE static constexpr void Update(const T* s, T* const* v, int64_t i, T g, bool) {
    v[0][i] = Shrink(v[0][i] - g * s[0], s[0], s[1], s[2]);
  }
};

struct ProximalAdagradRule {
  static constexpr int kVars = 2, kGrad = 5;
  static constexpr const char* kNames[] = {"var", "accum", "grad"};
  static constexpr NamedInput kScalars[] = {{"lr", 2}, {"l1", 3}, {"l2", 4}};
  template <class T>
  TENSH_ALWAYS_INLINE static constexpr void Update(const T* s, T* const* v, int64_t i, T g, bool) {
    v[1][i] += g * g;
    const T rate = s[0] * (T(1) / std::sqrt(v[1][i]));
    v[0][i] = Shrink(v[0][i] - g * rate, rate, s[1], s[2]);
  }
};

struct AdagradDaRule {
  static constexpr int kVars = 3, kGrad = 3;
  static constexpr const char* kNames[] = {"var", "gradient_accumulator",
                                           "gradient_squared_accumulator", "grad"};
  static constexpr NamedInput kScalars[] = {{"lr", 4}, {"l1", 5}, {"l2", 6}, {"global_step", 7}};
  template <class T>
  TENSH_ALWAYS_INLINE static constexpr void Update(const T* s, T* const* v, int64_t i, T g, bool) {
    T &sum = v[1][i], &squares = v[2][i];
    sum += g;
    squares += g * g;
    const T below = s[2] * s[3] * s[0] + std::sqrt(squares);
    const T above = s[1] > T(0) ? Sign(sum) * std::max(std::abs(sum) - s[1] * s[3], T(0)) : sum;
    v[0][i] = -s[0] * above / below;
  }
};

struct AdaMaxRule {
  static constexpr int kVars = 3, kGrad = 8;
  static constexpr const char* kNames[] = {"var", "m", "v", "grad"};
  static constexpr NamedInput kScalars[] = {
      {"beta1_power", 3}, {"lr", 4}, {"beta1", 5}, {"beta2", 6}, {"epsilon", 7}};
  template <class T>
  TENSH_ALWAYS_INLINE static constexpr void Update(const T* s, T* const* v, int64_t i, T g, bool) {
    T &m = v[1][i], &u = v[2][i];
    m += (g - m) * (T(1) - s[2]);
    u = std::max(s[3] * u, std::abs(g));
    v[0][i] -= s[1] / (T(1) - s[0]) * (m / (u + s[4]));
  }
};

template <bool kPower>
struct SignRule {
  static constexpr int kVars = 2, kGrad = 6;
  static constexpr const char* kNames[] = {"var", "m", "grad"};
  static constexpr NamedInput kScalars[] = {
      {"lr", 2}, {kPower ? "logbase" : "alpha", 3}, {"sign_decay", 4}, {"beta", 5}};
  template <class T>
  TENSH_ALWAYS_INLINE static constexpr void Update(const T* s, T* const* v, int64_t i, T g, bool) {
    T& m = v[1][i];
    m = m * s[3] + g * (T(1) - s[3]);
    const T agree = Sign(g) * Sign(m);
    const T scale = kPower ? std::exp(s[1] * s[2] * agree) : s[1] + s[2] * agree;
    v[0][i] -= s[0] * scale * g;
  }
};

}  // namespace tensh::ops
