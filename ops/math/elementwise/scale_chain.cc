#include "ops/math/elementwise/scale_chain.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "ops/math/elementwise/scale_steps.h"
#include "ops/support/isa.h"
#include "runtime/core/op_registry.h"

namespace tensh::ops {
namespace {

constexpr int64_t kBlock = 256;     // elements that go through all steps at once
constexpr int64_t kMostRow = 8192;  // the longest vector of constants
constexpr size_t kMostSteps = 16;

// A tensor, or rows that are made of it, and the steps between them and the end of the chain or the
// sum.
struct Side {
  DType type = DType::kInvalid;
  std::shared_ptr<const IntegerRows> rows;
  std::vector<Step> steps;
};

struct ChainState : KernelState {
  enum Combine : uint8_t { kSum, kDifference, kProduct };
  std::vector<Side> sides;  // one, or two that are combined
  std::vector<Step> steps;  // after that
  Combine combine = kSum;
  std::unique_ptr<Integers> integers;
  DType to = DType::kInvalid;
  int64_t row = 0;     // length of the vectors in the graph; 0 if there are only scalars
  int64_t period = 0;  // length to which they are repeated; 0 likewise
};

// ---- the kernel ----

template <class T>
TENSH_ALWAYS_INLINE void LoadAs(const void* from, int64_t begin, double* x, int64_t n) {
  const T* in = static_cast<const T*>(from) + begin;
  TENSH_VECTORIZE
  for (int64_t i = 0; i < n; ++i) x[i] = static_cast<double>(in[i]);
}

TENSH_ALWAYS_INLINE void Load(DType type, const void* from, int64_t begin, double* x, int64_t n) {
  switch (type) {
    case DType::kInt8:
      return LoadAs<int8_t>(from, begin, x, n);
    case DType::kUint8:
      return LoadAs<uint8_t>(from, begin, x, n);
    case DType::kInt16:
      return LoadAs<int16_t>(from, begin, x, n);
    case DType::kInt32:
      return LoadAs<int32_t>(from, begin, x, n);
    case DType::kFloat:
      return LoadAs<float>(from, begin, x, n);
    default:
      return LoadAs<double>(from, begin, x, n);
  }
}

template <class T>
TENSH_ALWAYS_INLINE void StoreAs(void* to, int64_t begin, const double* x, int64_t n) {
  T* out = static_cast<T*>(to) + begin;
  if constexpr (std::is_same_v<T, float>) {
    TENSH_VECTORIZE
    for (int64_t i = 0; i < n; ++i) out[i] = static_cast<float>(x[i]);
  } else {
    int32_t whole[kBlock];
    TENSH_VECTORIZE
    for (int64_t i = 0; i < n; ++i) whole[i] = static_cast<int32_t>(x[i]);
    TENSH_VECTORIZE
    for (int64_t i = 0; i < n; ++i) out[i] = static_cast<T>(whole[i]);
  }
}

TENSH_ALWAYS_INLINE void Store(DType type, void* to, int64_t begin, const double* x, int64_t n) {
  switch (type) {
    case DType::kInt8:
      return StoreAs<int8_t>(to, begin, x, n);
    case DType::kUint8:
      return StoreAs<uint8_t>(to, begin, x, n);
    case DType::kInt16:
      return StoreAs<int16_t>(to, begin, x, n);
    default:
      return StoreAs<float>(to, begin, x, n);
  }
}

TENSH_ALWAYS_INLINE double SignOf(double x) { return x > 0 ? 1.0 : x < 0 ? -1.0 : x; }

// Calls fn(x, a) for n elements.
template <class Fn>
TENSH_ALWAYS_INLINE void Each(double* x, const std::vector<double>& a, int64_t at, int64_t n,
                              Fn fn) {
  if (a.size() == 1) {
    const double s = a[0];
    TENSH_VECTORIZE
    for (int64_t i = 0; i < n; ++i) x[i] = fn(x[i], s);
  } else {
    const double* v = a.data() + at;
    TENSH_VECTORIZE
    for (int64_t i = 0; i < n; ++i) x[i] = fn(x[i], v[i]);
  }
}

TENSH_ALWAYS_INLINE void FixedPoint(const Step& s, double* x, int64_t at, int64_t n) {
  const double d = s.d;
  if (s.a.size() == 1) {
    const double a = s.a[0], b = s.b[0], c = s.c[0];
    TENSH_VECTORIZE
    for (int64_t i = 0; i < n; ++i) x[i] = std::floor((x[i] * a + std::floor(x[i] * b)) * c + d);
  } else {
    const double *a = s.a.data() + at, *b = s.b.data() + at, *c = s.c.data() + at;
    TENSH_VECTORIZE
    for (int64_t i = 0; i < n; ++i)
      x[i] = std::floor((x[i] * a[i] + std::floor(x[i] * b[i])) * c[i] + d);
  }
}

// `at` is the position in the vectors of constants.
TENSH_ALWAYS_INLINE void Apply(const Step& s, double* x, int64_t at, int64_t n) {
  const double d = s.d;
  switch (s.kind) {
    case Step::kAdd:
      return Each(x, s.a, at, n, [](double v, double a) { return v + a; });
    case Step::kMul:
      return Each(x, s.a, at, n, [](double v, double a) { return v * a; });
    case Step::kAtLeast:
      return Each(x, s.a, at, n, [](double v, double a) { return v > a ? v : a; });
    case Step::kAtMost:
      return Each(x, s.a, at, n, [](double v, double a) { return v < a ? v : a; });
    case Step::kFixedPoint:
      return FixedPoint(s, x, at, n);
    case Step::kHalfAway:
      return Each(x, s.a, at, n,
                  [d](double v, double a) { return std::floor(std::abs(v) * a + d) * SignOf(v); });
  }
}

TENSH_ALWAYS_INLINE void Combine(ChainState::Combine how, double* x, const double* y, int64_t n) {
  if (how == ChainState::kProduct) {
    TENSH_VECTORIZE
    for (int64_t i = 0; i < n; ++i) x[i] = x[i] * y[i];
  } else {
    const double sign = how == ChainState::kSum ? 1 : -1;
    TENSH_VECTORIZE
    for (int64_t i = 0; i < n; ++i) x[i] = x[i] + sign * y[i];
  }
}

// Computes elements [begin, end) of `out`. `first` begins with element `base` of the first side.
struct RunChain {
  TENSH_ALWAYS_INLINE static void Run(const ChainState* s, const void* first, int64_t base,
                                      const void* second, void* out, int64_t begin, int64_t end) {
    double x[kBlock], y[kBlock];
    while (begin < end) {
      const int64_t at = s->period ? begin % s->period : 0;
      const int64_t room = s->period ? std::min(kBlock, s->period - at) : kBlock;
      const int64_t n = std::min(room, end - begin);
      Load(s->sides[0].type, first, begin - base, x, n);
      for (const Step& step : s->sides[0].steps) Apply(step, x, at, n);
      if (second) {
        Load(s->sides[1].type, second, begin, y, n);
        for (const Step& step : s->sides[1].steps) Apply(step, y, at, n);
        Combine(s->combine, x, y, n);
        for (const Step& step : s->steps) Apply(step, x, at, n);
      }
      Store(s->to, out, begin, x, n);
      begin += n;
    }
  }
};

// Continues with rows of integers while they are in the cache.
Status ScaleRows(KernelCtx& c) {
  const auto& s = c.state<ChainState>();
  const IntegerRows& rows = *s.sides[0].rows;
  TENSH_ASSIGN(const Shape shape, rows.ShapeFor(c.in(0)));
  TENSH_OUTPUT(out, c.Output(0, shape));
  struct Target {
    const ChainState* state;
    void* out;
    int64_t columns;
  } target{&s, out->raw(), rows.columns()};
  const auto take = [](void* context, int64_t first, int64_t count, const int32_t* sums) {
    const auto& t = *static_cast<Target*>(context);
    if (t.state->integers) {
      uint8_t* to = static_cast<uint8_t*>(t.out) + first * t.columns;
      for (int64_t i = 0; i < count; ++i, sums += t.columns, to += t.columns)
        ScaleIntegers(*t.state->integers, sums, t.columns, to);
      return;
    }
    const int64_t begin = first * t.columns, end = begin + count * t.columns;
    Dispatch<RunChain>(t.state, static_cast<const void*>(sums), begin,
                       static_cast<const void*>(nullptr), t.out, begin, end);
  };
  rows.Run(c, c.in(0), take, &target);
  return {};
}

Status ScaleChain(KernelCtx& c) {
  const auto& s = c.state<ChainState>();
  const Tensor& x = c.in(0);
  TENSH_OUTPUT(out, c.Output(0, x.shape()));
  const void* second = s.sides.size() > 1 ? c.in(1).raw() : nullptr;
  void* to = out->raw();
  const double ns = 0.2 * static_cast<double>(s.sides[0].steps.size() + s.steps.size() + 2);
  c.ParallelFor(x.num_elements(), ns, [&](int64_t begin, int64_t end) {
    Dispatch<RunChain>(&s, x.raw(), int64_t{0}, second, to, begin, end);
  });
  return {};
}

// ---- the pattern ----

bool IsSmallInt(DType t) { return t == DType::kInt8 || t == DType::kUint8 || t == DType::kInt16; }

class Matcher {
 public:
  Matcher(const NodesBefore& nodes, JoinedKernel& made) : g_(nodes), made_(made) {}

  std::shared_ptr<ChainState> Match(uint32_t cast) {
    auto state = std::make_shared<ChainState>();
    state->to = BaseType(g_.TypeOf(cast));
    const uint32_t top = g_.InputOf(cast, 0);
    const bool ok = state->to == DType::kFloat ? MatchShift(top, *state) : MatchScale(top, *state);
    if (!ok || !FitsShapes(*state)) return nullptr;
    if (state->sides[0].rows && state->to != DType::kInt16)
      state->integers = MakeIntegers(state->sides[0].steps, state->sides[0].rows->columns());
    Repeat(*state);
    return state;
  }

 private:
  // True if the node of v is this op, in which case v is part of the pattern.
  bool Is(uint32_t v, std::string_view op) {
    const OpDef* def = g_.OpOf(v);
    if (!def || def->name != op) return false;
    made_.inner.push_back(v);
    return true;
  }

  // Small integers minus a constant, as floats.
  bool MatchShift(uint32_t top, ChainState& s) {
    if (g_.TypeOf(top) != DType::kInt32) return false;
    s.sides.emplace_back();
    return MatchIntegers(top, s.sides[0]) && IsSmallInt(s.sides[0].type) &&
           limit_ <= double{1 << 24};
  }

  bool MatchScale(uint32_t top, ChainState& s) {
    if (!IsSmallInt(s.to) || g_.TypeOf(top) != DType::kDouble) return false;
    if (!MatchDoubles(top, s, true)) return false;
    if (s.sides.size() == 1) s.sides[0].steps = std::exchange(s.steps, {});
    return HasLimits(s.sides.size() == 1 ? s.sides[0].steps : s.steps, s.to);
  }

  // True if the last two steps keep the values in the range of the type.
  static bool HasLimits(const std::vector<Step>& steps, DType to) {
    const size_t n = steps.size();
    if (n < 3 || steps[n - 2].kind != Step::kAtLeast || steps[n - 1].kind != Step::kAtMost)
      return false;
    const double low = steps[n - 2].a[0], high = steps[n - 1].a[0];
    const bool scalars = steps[n - 2].a.size() == 1 && steps[n - 1].a.size() == 1;
    const double least = to == DType::kUint8 ? 0 : to == DType::kInt8 ? -128 : -32768;
    const double most = to == DType::kUint8 ? 255 : to == DType::kInt8 ? 127 : 32767;
    return scalars && low >= least && high <= most && low <= high;
  }

  // The steps that lead to a float64 value, in order. At most one sum of two tensors.
  bool MatchDoubles(uint32_t v, ChainState& s, bool may_sum) {
    std::vector<Step> back;
    while (back.size() <= kMostSteps) {
      Step step;
      const uint32_t x = MatchStep(v, step);
      if (x == UINT32_MAX) break;
      back.push_back(std::move(step));
      v = x;
    }
    std::reverse(back.begin(), back.end());
    Side side;
    if ((may_sum && MatchRows(v, side)) || (!IsProduct(v) && MatchSource(v, side))) {
      side.steps.insert(side.steps.end(), back.begin(), back.end());
      s.sides.push_back(std::move(side));
      if (may_sum) s.steps = std::exchange(s.sides[0].steps, {});
      return true;
    }
    if (!may_sum || !MatchTwo(v, s)) return false;
    s.steps = std::move(back);
    return true;
  }

  // True if the value is a product of two tensors of integers, which is not a tensor itself here.
  bool IsProduct(uint32_t v) const {
    const OpDef* cast = g_.OpOf(v);
    if (!cast || cast->name != "Cast") return false;
    const uint32_t in = g_.InputOf(v, 0);
    const OpDef* mul = g_.OpOf(in);
    return mul && mul->name == "Mul" && g_.TypeOf(in) == DType::kInt32 &&
           !g_.ConstantOf(g_.InputOf(in, 1)) && g_.ShapeOf(g_.InputOf(in, 0)).IsFullyKnown() &&
           g_.ShapeOf(g_.InputOf(in, 0)) == g_.ShapeOf(g_.InputOf(in, 1));
  }

  // Two tensors that are added in float64, or multiplied as integers.
  bool MatchTwo(uint32_t v, ChainState& s) {
    const bool sum = Is(v, "AddV2");
    if (sum || Is(v, "Sub")) {
      ChainState left, right;
      if (!MatchDoubles(g_.InputOf(v, 0), left, false) ||
          !MatchDoubles(g_.InputOf(v, 1), right, false))
        return false;
      s.combine = sum ? ChainState::kSum : ChainState::kDifference;
      s.sides = {std::move(left.sides[0]), std::move(right.sides[0])};
      return true;
    }
    if (!Is(v, "Cast")) return false;
    v = g_.InputOf(v, 0);
    Side left, right;
    if (g_.TypeOf(v) != DType::kInt32 || !Is(v, "Mul") || !MatchIntegers(g_.InputOf(v, 0), left) ||
        !IsSmallInt(left.type))
      return false;
    const double limit = limit_;
    if (!MatchIntegers(g_.InputOf(v, 1), right) || !IsSmallInt(right.type) ||
        limit * limit_ >= 2147483648.0)
      return false;
    s.combine = ChainState::kProduct;
    s.sides = {std::move(left), std::move(right)};
    return true;
  }

  // One step before v, or several that are one. Returns its input, or UINT32_MAX.
  uint32_t MatchStep(uint32_t v, Step& s) {
    const OpDef* op = g_.OpOf(v);
    if (!op) return UINT32_MAX;
    if (op->name == "Floor") return MatchFixedPoint(v, s);
    if (op->name == "Mul")
      if (const uint32_t x = MatchHalfAway(v, s); x != UINT32_MAX) return x;
    static constexpr std::pair<std::string_view, Step::Kind> kBinary[] = {
        {"AddV2", Step::kAdd},
        {"Mul", Step::kMul},
        {"Maximum", Step::kAtLeast},
        {"Minimum", Step::kAtMost}};
    for (const auto& [name, kind] : kBinary)
      if (op->name == name && Constants(g_.InputOf(v, 1), s.a)) {
        s.kind = kind;
        made_.inner.push_back(v);
        return g_.InputOf(v, 0);
      }
    return UINT32_MAX;
  }

  // floor((x a + floor(x b)) c + d), for a scalar d.
  uint32_t MatchFixedPoint(uint32_t v, Step& s) {
    if (!Is(v, "Floor")) return UINT32_MAX;
    const uint32_t moved = g_.InputOf(v, 0);
    if (!Is(moved, "AddV2") || !Scalar(g_.InputOf(moved, 1), s.d)) return UINT32_MAX;
    const uint32_t scaled = g_.InputOf(moved, 0);
    if (!Is(scaled, "Mul") || !Constants(g_.InputOf(scaled, 1), s.c)) return UINT32_MAX;
    const uint32_t sum = g_.InputOf(scaled, 0);
    if (!Is(sum, "AddV2")) return UINT32_MAX;
    const uint32_t high = g_.InputOf(sum, 0), floor = g_.InputOf(sum, 1);
    if (!Is(high, "Mul") || !Is(floor, "Floor")) return UINT32_MAX;
    const uint32_t low = g_.InputOf(floor, 0), x = g_.InputOf(high, 0);
    if (!Is(low, "Mul") || g_.InputOf(low, 0) != x || !Constants(g_.InputOf(high, 1), s.a) ||
        !Constants(g_.InputOf(low, 1), s.b))
      return UINT32_MAX;
    const size_t n = std::max({s.a.size(), s.b.size(), s.c.size()});
    for (std::vector<double>* v : {&s.a, &s.b, &s.c})
      if (v->size() != n) v->resize(n, (*v)[0]);
    s.kind = Step::kFixedPoint;
    return x;
  }

  // floor(|x| a + d) sign(x), for a scalar d. The factor may be missing.
  uint32_t MatchHalfAway(uint32_t v, Step& s) {
    const uint32_t floor = g_.InputOf(v, 0), sign = g_.InputOf(v, 1);
    const OpDef *left = g_.OpOf(floor), *right = g_.OpOf(sign);
    if (!left || !right || left->name != "Floor" || right->name != "Sign") return UINT32_MAX;
    const uint32_t moved = g_.InputOf(floor, 0), x = g_.InputOf(sign, 0);
    if (!Is(moved, "AddV2") || !Scalar(g_.InputOf(moved, 1), s.d)) return UINT32_MAX;
    uint32_t size = g_.InputOf(moved, 0);
    if (!Is(size, "Mul"))
      s.a = {1};
    else if (const uint32_t scaled = size; Constants(g_.InputOf(scaled, 1), s.a))
      size = g_.InputOf(scaled, 0);
    if (!Is(size, "Abs") || g_.InputOf(size, 0) != x) return UINT32_MAX;
    made_.inner.insert(made_.inner.end(), {v, floor, sign});
    s.kind = Step::kHalfAway;
    return x;
  }

  // The sums of a layer that multiplies integers as floats, perhaps in two parts: high * 16 + low.
  bool MatchRows(uint32_t v, Side& side) {
    uint32_t high = UINT32_MAX;
    if (double unit = 0; Is(v, "AddV2") && Is(g_.InputOf(v, 0), "Mul")) {
      const uint32_t scaled = g_.InputOf(v, 0), wide = g_.InputOf(scaled, 0);
      if (!Scalar(g_.InputOf(scaled, 1), unit) || unit != 16 || !Is(wide, "Cast")) return false;
      high = g_.InputOf(wide, 0);
      v = g_.InputOf(v, 1);
    }
    if (!Is(v, "Cast") || g_.TypeOf(g_.InputOf(v, 0)) != DType::kFloat) return false;
    const uint32_t sums = g_.InputOf(v, 0);
    const std::shared_ptr<const KernelState> state = g_.StateOf(sums);
    const auto* joined = dynamic_cast<const JoinedState*>(state.get());
    if (!joined || !joined->integers) return false;
    side.rows = joined->integers(g_, sums, high, made_);
    side.type = DType::kInt32;
    return side.rows != nullptr;
  }

  // A tensor of another type that a Cast makes float64.
  bool MatchSource(uint32_t v, Side& side) {
    if (g_.TypeOf(v) != DType::kDouble || !Is(v, "Cast")) return false;
    const uint32_t in = g_.InputOf(v, 0);
    if (g_.TypeOf(in) == DType::kInt32) return MatchIntegers(in, side);
    if (g_.TypeOf(in) != DType::kFloat && !IsSmallInt(g_.TypeOf(in))) return false;
    return Source(in, side);
  }

  // Integers of 32 bits: small ones that constants are added to or multiplied with, if no result can
  // wrap around. Other integers are a source.
  bool MatchIntegers(uint32_t v, Side& side) {
    const size_t inner = made_.inner.size();
    const uint32_t top = v;
    std::vector<Step> back;
    while (back.size() < 4 && g_.OpOf(v) && g_.OpOf(v)->name != "Cast") {
      Step step;
      const bool sub = g_.OpOf(v)->name == "Sub", mul = g_.OpOf(v)->name == "Mul";
      if ((!sub && !mul && g_.OpOf(v)->name != "AddV2") || !Constants(g_.InputOf(v, 1), step.a))
        break;
      step.kind = mul ? Step::kMul : Step::kAdd;
      if (sub)
        for (double& a : step.a) a = -a;
      made_.inner.push_back(v);
      back.push_back(std::move(step));
      v = g_.InputOf(v, 0);
    }
    const bool small =
        g_.OpOf(v) && g_.OpOf(v)->name == "Cast" && IsSmallInt(g_.TypeOf(g_.InputOf(v, 0)));
    if (small) {
      std::reverse(back.begin(), back.end());
      limit_ = g_.TypeOf(g_.InputOf(v, 0)) == DType::kInt16 ? 32768 : 255;
      for (const Step& step : back) {
        double most = 0;
        for (const double a : step.a) most = std::max(most, std::abs(a));
        limit_ = step.kind == Step::kMul ? limit_ * most : limit_ + most;
      }
      if (limit_ < 2147483648.0) {
        made_.inner.push_back(v);
        side.steps = std::move(back);
        return Source(g_.InputOf(v, 0), side);
      }
    }
    made_.inner.resize(inner);
    return Source(top, side);
  }

  bool Source(uint32_t v, Side& side) {
    side.type = g_.TypeOf(v);
    made_.inputs.push_back(v);
    return true;
  }

  bool Scalar(uint32_t v, double& to) {
    const Tensor* t = g_.ConstantOf(v);
    if (!t || t->dtype() != DType::kDouble || t->num_elements() != 1) return false;
    ranks_ = std::max(ranks_, t->rank());
    to = t->data<double>()[0];
    return true;
  }

  // The elements of a scalar or a vector: a constant, or a Cast of one to float64.
  bool Constants(uint32_t v, std::vector<double>& to) {
    const Tensor* t = g_.ConstantOf(v);
    if (!t) {
      const OpDef* op = g_.OpOf(v);
      if (!op || op->name != "Cast" || g_.TypeOf(v) != DType::kDouble) return false;
      t = g_.ConstantOf(g_.InputOf(v, 0));
      if (!t || t->dtype() != DType::kInt32) return false;
      made_.inner.push_back(v);
    }
    const int64_t n = t->num_elements();
    if (n < 1 || n > kMostRow || (n > 1 && t->dim(t->rank() - 1) != n)) return false;
    if (n > 1 && vectors_ > 1 && vectors_ != n) return false;
    if (t->dtype() != DType::kDouble && t->dtype() != DType::kInt32) return false;
    vectors_ = std::max(vectors_, n);
    ranks_ = std::max(ranks_, t->rank());
    to.resize(static_cast<size_t>(n));
    for (int64_t i = 0; i < n; ++i)
      to[static_cast<size_t>(i)] = t->dtype() == DType::kDouble
                                       ? t->data<double>()[i]
                                       : static_cast<double>(t->data<int32_t>()[i]);
    return true;
  }

  // The constants must not make the result larger than the tensors.
  bool FitsShapes(ChainState& s) const {
    const Shape& shape = g_.ShapeOf(made_.inputs[0]);
    if (made_.inputs.size() != s.sides.size()) return false;
    if (s.sides.size() > 1 && (!shape.IsFullyKnown() || !(shape == g_.ShapeOf(made_.inputs[1]))))
      return false;
    if (ranks_ > 0 && (!shape.has_rank() || shape.rank() < ranks_)) return false;
    if (vectors_ == 1) return true;
    const IntegerRows* rows = s.sides[0].rows.get();
    s.row = rows ? rows->columns() : shape[shape.rank() - 1];
    return s.row == vectors_;
  }

  // Repeats the vectors, so that short ones fill a block.
  static void Repeat(ChainState& s) {
    if (!s.row) return;
    s.period = s.row * ((kBlock + s.row - 1) / s.row);
    const auto repeat = [&](std::vector<double>& v) {
      if (v.size() < 2) return;
      v.resize(static_cast<size_t>(s.period));
      for (size_t i = static_cast<size_t>(s.row); i < v.size(); ++i)
        v[i] = v[i - static_cast<size_t>(s.row)];
    };
    const auto repeat_all = [&](std::vector<Step>& steps) {
      for (Step& step : steps) repeat(step.a), repeat(step.b), repeat(step.c);
    };
    for (Side& side : s.sides) repeat_all(side.steps);
    repeat_all(s.steps);
  }

  const NodesBefore& g_;
  JoinedKernel& made_;
  int64_t vectors_ = 1;  // length of the vectors of constants
  int ranks_ = 0;        // the largest rank of a constant
  double limit_ = 0;     // the largest |x| of integers
};

}  // namespace

bool JoinScaleChain(const NodesBefore& nodes, uint32_t value, JoinedKernel& made) {
  const std::shared_ptr<const ChainState> state = Matcher(nodes, made).Match(value);
  if (!state) return false;
  made.fn = state->sides[0].rows ? ScaleRows : ScaleChain;
  made.state = state;
  return true;
}

}  // namespace tensh::ops
