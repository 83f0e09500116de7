// np.random: RandomState and the module's functions, which share one hidden RandomState.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "shell/lang/library.h"
#include "shell/np/convert.h"
#include "shell/np/methods.h"
#include "shell/np/module.h"
#include "shell/np/mt19937.h"
#include "shell/np/ufunc.h"
#include "shell/values/containers.h"
#include "shell/values/error.h"
#include "shell/values/ops.h"

namespace tensh::shell::np {
namespace {

class RandomState : public Object {
 public:
  static const TypeInfo kType;
  RandomState() : Object(kType) {}
  Mt19937 generator;
};

// The receiver's generator, or the module's own.
Mt19937& Generator(Args& a) {
  static Mt19937 shared;
  auto* state = a.self().is_null() ? nullptr : As<RandomState>(a.self());
  return state ? state->generator : shared;
}

void SeedWith(Mt19937& g, const Value& seed) {
  constexpr const char* kRange = "Seed must be between 0 and 2**32 - 1";
  if (seed.is_null() || seed.is_none()) {
    g = Mt19937();
    return;
  }
  const auto check = [&](int64_t v) {
    if (v < 0 || v > 0xffffffffll) throw ValueError(kRange);
    return static_cast<uint32_t>(v);
  };
  if (IsIndex(seed) && !As<NdArray>(seed)) return g.Seed(check(ToIndex(seed)));
  const Array given = ToArray(seed);
  if (given.rank == 0 && Category(given.dtype) == 2)
    throw TypeError(
        "Cannot cast scalar from dtype('float64') to dtype('int64') according to the rule "
        "'safe'");
  const Array key = Contiguous(Cast(Flat(given), TSH_INT64));
  if (key.size() == 0) throw ValueError("Seed must be non-empty");
  std::vector<uint32_t> words;
  for (int64_t i = 0; i < key.size(); ++i) words.push_back(check(key.as<int64_t>()[i]));
  g.Seed(words);
}

Value SeedFunction(Args& a) {
  SeedWith(Generator(a), a[0]);
  return Value::None();
}

// n draws as an array of the size asked for, or one number.
template <class F>
Value Draw(const Value& size, F draw) {
  if (size.is_null() || size.is_none()) return Value::Float(draw());
  const Array out = Empty(TSH_DOUBLE, ShapeArgument(size));
  double* to = out.writable<double>();
  for (int64_t i = 0; i < out.size(); ++i) to[i] = draw();
  return MakeArray(out);
}

// Two parameters, numbers or arrays that broadcast to the size.
template <class F>
Value Draw2(const Value& first, const Value& second, const Value& size, F draw) {
  const Array a = Cast(ToArray(first), TSH_DOUBLE), b = Cast(ToArray(second), TSH_DOUBLE);
  if (a.rank == 0 && b.rank == 0) {
    const double x = *a.as<double>(), y = *b.as<double>();
    return Draw(size, [&] { return draw(x, y); });
  }
  Extents dims;
  if (!BroadcastDims(a.dims(), b.dims(), &dims))
    throw ValueError("shape mismatch: objects cannot be broadcast to a single shape");
  if (!size.is_null() && !size.is_none()) dims = ShapeArgument(size);
  Array x, y;
  if (!BroadcastTo(a, dims, &x) || !BroadcastTo(b, dims, &y))
    throw ValueError("Output size " + ShapeText(dims) +
                     " is not compatible with broadcast "
                     "dimensions of inputs.");
  x = Contiguous(x);
  y = Contiguous(y);
  const Array out = Empty(TSH_DOUBLE, dims);
  double* to = out.writable<double>();
  for (int64_t i = 0; i < out.size(); ++i) to[i] = draw(x.as<double>()[i], y.as<double>()[i]);
  return MakeArray(out);
}

Value RandFunction(Args& a) {
  Mt19937& g = Generator(a);
  const bool none = Sequence(a[0])->empty();
  return Draw(none ? Value() : a[0], [&] { return g.NextDouble(); });
}
Value RandnFunction(Args& a) {
  Mt19937& g = Generator(a);
  const bool none = Sequence(a[0])->empty();
  return Draw(none ? Value() : a[0], [&] { return g.NextGauss(); });
}
Value SampleFunction(Args& a) {
  Mt19937& g = Generator(a);
  return Draw(a[0], [&] { return g.NextDouble(); });
}
Value StandardNormal(Args& a) {
  Mt19937& g = Generator(a);
  return Draw(a[0], [&] { return g.NextGauss(); });
}
Value NormalFunction(Args& a) {
  Mt19937& g = Generator(a);
  return Draw2(a[0], a[1], a[2], [&](double loc, double scale) {
    if (scale < 0 || std::signbit(scale)) throw ValueError("scale < 0");
    return loc + scale * g.NextGauss();
  });
}
Value LognormalFunction(Args& a) {
  Mt19937& g = Generator(a);
  return Draw2(a[0], a[1], a[2], [&](double mean, double sigma) {
    if (sigma < 0) throw ValueError("sigma < 0");
    return std::exp(mean + sigma * g.NextGauss());
  });
}
Value UniformFunction(Args& a) {
  Mt19937& g = Generator(a);
  return Draw2(a[0], a[1], a[2], [&](double low, double high) {
    if (!std::isfinite(high - low)) throw OverflowError("Range exceeds valid bounds");
    return low + (high - low) * g.NextDouble();
  });
}
Value ExponentialFunction(Args& a) {
  Mt19937& g = Generator(a);
  return Draw2(a[0], Value::Float(0), a[1], [&](double scale, double) {
    if (scale < 0) throw ValueError("scale < 0");
    return scale * g.NextExponential();
  });
}
Value GammaFunction(Args& a) {
  Mt19937& g = Generator(a);
  return Draw2(a[0], a[1], a[2], [&](double shape, double scale) {
    if (shape < 0) throw ValueError("shape < 0");
    return scale * g.NextGamma(shape);
  });
}
Value BetaFunction(Args& a) {
  Mt19937& g = Generator(a);
  return Draw2(a[0], a[1], a[2], [&](double x, double y) {
    if (!(x > 0)) throw ValueError("a <= 0");
    if (!(y > 0)) throw ValueError("b <= 0");
    return g.NextBeta(x, y);
  });
}

// Draws of whole numbers travel as doubles, which hold them exactly here.
Value AsIntegers(const Value& v) {
  if (auto* a = As<NdArray>(v)) return MakeArray(Cast(a->array, TSH_INT64));
  return Value::Int(static_cast<int64_t>(v.as_float()));
}
Value PoissonFunction(Args& a) {
  Mt19937& g = Generator(a);
  return AsIntegers(Draw2(a[0], Value::Float(0), a[1], [&](double lambda, double) {
    if (!(lambda >= 0)) throw ValueError("lam < 0 or lam is NaN");
    if (lambda > 9.2e18) throw ValueError("lam value too large");
    return static_cast<double>(g.NextPoisson(lambda));
  }));
}
Value BinomialFunction(Args& a) {
  Mt19937& g = Generator(a);
  return AsIntegers(Draw2(a[0], a[1], a[2], [&](double n, double p) {
    if (!(n >= 0) || n > 9e15) throw ValueError("n < 0");
    if (!(p >= 0)) throw ValueError("p < 0");
    if (p > 1) throw ValueError("p > 1");
    return static_cast<double>(g.NextBinomial(static_cast<int64_t>(n), p));
  }));
}

Array Integers(Mt19937& g, int64_t low, int64_t high, Dims dims) {
  if (low > high) throw ValueError("low >= high");
  const uint64_t range = static_cast<uint64_t>(high) - static_cast<uint64_t>(low);
  const Array out = Empty(TSH_INT64, dims);
  int64_t* to = out.writable<int64_t>();
  for (int64_t i = 0; i < out.size(); ++i)
    to[i] = static_cast<int64_t>(static_cast<uint64_t>(low) + g.NextBounded(range));
  return out;
}

// Types of 8 and 16 bits take several numbers from one draw of 32.
Array NarrowIntegers(Mt19937& g, int64_t low, int64_t high, Dims dims, int bits) {
  if (low > high) throw ValueError("low >= high");
  const uint32_t range = static_cast<uint32_t>(high - low);
  uint32_t mask = range;
  for (int shift = 1; shift < 32; shift *= 2) mask |= mask >> shift;
  const Array out = Empty(TSH_INT64, dims);
  int64_t* to = out.writable<int64_t>();
  uint32_t word = 0;
  int left = 0;
  for (int64_t i = 0; i < out.size(); ++i) {
    uint32_t v = 0;
    do {
      if (range == 0) break;
      if (left == 0) {
        word = g.Next32();
        left = 32 / bits;
      }
      v = word & ((1u << bits) - 1) & mask;
      word >>= bits;
      --left;
    } while (v > range);
    to[i] = low + v;
  }
  return out;
}

// low, high, size, dtype
Value RandintFunction(Args& a) {
  Mt19937& g = Generator(a);
  const bool one = a[1].is_none();
  const auto bound = [](const Value& v) {
    return v.is_float() ? static_cast<int64_t>(v.as_float()) : ToIndex(v);
  };
  const int64_t low = one ? 0 : bound(a[0]), high = bound(one ? a[0] : a[1]);
  if (low >= high) throw ValueError(one ? "high <= 0" : "low >= high");
  const bool scalar = a[2].is_none();
  const Extents dims = scalar ? Extents{} : ShapeArgument(a[2]);
  const int dtype = DTypeArgument(a[3]) ? DTypeArgument(a[3]) : +TSH_INT64;
  if (Category(dtype) > 1)
    throw TypeError("Unsupported dtype " + Repr(DTypeValue(dtype)) + " for randint");
  const int64_t bytes = ItemSize(dtype);
  Array out;
  if (dtype == TSH_BOOL) {
    out = NarrowIntegers(g, low, std::min<int64_t>(high - 1, 1), dims, 1);
  } else if (bytes < 4) {
    const int64_t limit = int64_t{1} << (8 * bytes);
    if (low < -limit || high > limit)
      throw ValueError("high is out of bounds for " + std::string(GetType(dtype).name));
    out = NarrowIntegers(g, low, high - 1, dims, static_cast<int>(8 * bytes));
  } else {
    out = Integers(g, low, high - 1, dims);
  }
  if (!scalar) return MakeArray(Cast(out, dtype));
  return DTypeArgument(a[3]) ? ArrayOrScalar(Cast(out, dtype)) : PythonElement(out, out.offset);
}

void ShuffleRows(Mt19937& g, const Array& a) {
  const Array held = Empty(a.dtype, a.dims().subspan(1));
  for (int64_t i = a.dim(0) - 1; i > 0; --i) {
    const int64_t j = static_cast<int64_t>(g.NextInterval(static_cast<uint64_t>(i)));
    if (i == j) continue;
    const Array x = DropAxis(a, 0, i), y = DropAxis(a, 0, j);
    Assign(held, y);
    Assign(y, x);
    Assign(x, held);
  }
}

Array Shuffled(Mt19937& g, int64_t n) {
  const Array out = Empty(TSH_INT64, {&n, 1});
  int64_t* to = out.writable<int64_t>();
  std::iota(to, to + n, 0);
  for (int64_t i = n - 1; i > 0; --i)
    std::swap(to[i], to[g.NextInterval(static_cast<uint64_t>(i))]);
  return out;
}

Value ShuffleFunction(Args& a) {
  Mt19937& g = Generator(a);
  if (auto* array = As<NdArray>(a[0])) {
    if (array->array.rank == 0) throw TypeError("len() of unsized object");
    ShuffleRows(g, array->array);
    return Value::None();
  }
  auto* list = As<ListObject>(a[0]);
  if (!list) throw TypeError("'" + TypeName(a[0]) + "' object does not support item assignment");
  for (size_t i = list->items.size(); i-- > 1;)
    list->items[i].swap(list->items[static_cast<size_t>(g.NextInterval(i))]);
  return Value::None();
}

Value PermutationFunction(Args& a) {
  Mt19937& g = Generator(a);
  if (IsIndex(a[0]) && !As<NdArray>(a[0]))
    return MakeArray(Shuffled(g, std::max<int64_t>(0, ToIndex(a[0]))));
  const Array x = ToArray(a[0]);
  if (x.rank == 0) throw IndexError("x must be an integer or at least 1-dimensional");
  if (x.rank == 1) {
    const Array out = Copy(x);
    ShuffleRows(g, out);
    return MakeArray(out);
  }
  return MakeArray(Take(x, Shuffled(g, x.dim(0)), 0));
}

std::vector<double> Cumulative(std::span<const double> p) {
  std::vector<double> cdf(p.size());
  std::partial_sum(p.begin(), p.end(), cdf.begin());
  const double total = cdf.empty() ? 1 : cdf.back();
  for (double& c : cdf) c /= total;
  return cdf;
}

int64_t Pick(std::span<const double> cdf, double u) {
  const auto at = std::upper_bound(cdf.begin(), cdf.end(), u) - cdf.begin();
  return std::min<int64_t>(at, static_cast<int64_t>(cdf.size()) - 1);
}

// Without replacement: draws what is missing, drops repeats in the order of drawing.
void PickDistinct(Mt19937& g, std::vector<double> p, int64_t n, int64_t* out) {
  int64_t found = 0;
  while (found < n) {
    std::vector<double> u(static_cast<size_t>(n - found));
    for (double& v : u) v = g.NextDouble();
    for (int64_t i = 0; i < found; ++i) p[static_cast<size_t>(out[i])] = 0;
    const std::vector<double> cdf = Cumulative(p);
    const int64_t before = found;
    for (double v : u) {
      const int64_t pick = Pick(cdf, v);
      if (std::find(out + before, out + found, pick) == out + found) out[found++] = pick;
    }
  }
}

// How far the sum may be from 1: what rounding in the array's own type may leave.
double SumTolerance(const Value& p) {
  auto* array = As<NdArray>(p);
  const int dtype = array == nullptr ? TSH_DOUBLE : array->array.dtype;
  const double epsilon = dtype == TSH_FLOAT  ? std::numeric_limits<float>::epsilon()
                         : dtype == TSH_HALF ? 0x1p-10
                                             : std::numeric_limits<double>::epsilon();
  return std::sqrt(epsilon);
}

std::vector<double> Probabilities(const Value& v, int64_t n, int64_t wanted, bool replace) {
  const Array p = Contiguous(Cast(ToArray(v), TSH_DOUBLE));
  if (p.rank != 1) throw ValueError("'p' must be 1-dimensional");
  if (p.size() != n) throw ValueError("'a' and 'p' must have same size");
  std::vector<double> out(p.as<double>(), p.as<double>() + n);
  double sum = 0;
  int64_t nonzero = 0;
  for (double x : out) {
    if (std::isnan(x)) throw ValueError("probabilities contain NaN");
    if (x < 0) throw ValueError("probabilities are not non-negative");
    nonzero += x > 0;
    sum += x;
  }
  if (std::fabs(sum - 1) > SumTolerance(v)) throw ValueError("probabilities do not sum to 1");
  if (!replace && nonzero < wanted) throw ValueError("Fewer non-zero entries in p than size");
  return out;
}

// a, size, replace, p
Value ChoiceFunction(Args& a) {
  Mt19937& g = Generator(a);
  const bool number = IsIndex(a[0]) && !As<NdArray>(a[0]);
  const Array from = number ? Array() : ToArray(a[0]);
  if (!number && from.rank != 1) throw ValueError("'a' must be 1-dimensional");
  const int64_t n = number ? ToIndex(a[0]) : from.size();
  const bool scalar = a[1].is_none(), replace = Truth(a[2]);
  const Extents dims = scalar ? Extents{} : ShapeArgument(a[1]);
  const int64_t count = Product(dims);
  if (n <= 0 && count != 0) {
    throw ValueError(number ? "a must be greater than 0 unless no samples are taken"
                            : "'a' cannot be empty unless no samples are taken");
  }
  if (!replace && count > n)
    throw ValueError("Cannot take a larger sample than population when 'replace=False'");
  Array index = Empty(TSH_INT64, dims);
  int64_t* to = index.writable<int64_t>();
  if (!a[3].is_none()) {
    const std::vector<double> p = Probabilities(a[3], n, count, replace);
    if (replace) {
      const std::vector<double> cdf = Cumulative(p);
      for (int64_t i = 0; i < count; ++i) to[i] = Pick(cdf, g.NextDouble());
    } else {
      PickDistinct(g, p, count, to);
    }
  } else if (replace) {
    if (count) index = Integers(g, 0, n - 1, dims);
  } else {
    const Array order = Shuffled(g, n);
    std::copy(order.as<int64_t>(), order.as<int64_t>() + count, to);
  }
  if (number) return scalar ? PythonElement(index, index.offset) : MakeArray(index);
  return ArrayOrScalar(Take(from, index, 0));
}

Value BytesFunction(Args& a) {
  Mt19937& g = Generator(a);
  const int64_t n = ToIndex(a[0]);
  if (n < 0 || n > (int64_t{1} << 31)) throw ValueError("negative dimensions are not allowed");
  std::string out;
  while (static_cast<int64_t>(out.size()) < n) {
    const uint32_t word = g.Next32();
    for (int k = 0; k < 4; ++k) out += static_cast<char>(word >> (8 * k));
  }
  out.resize(static_cast<size_t>(n));
  return MakeBytes(std::move(out));
}

Value ConstructState(Args& a) {
  const Ref<RandomState> state = New<RandomState>();
  SeedWith(state->generator, a[0]);
  return state;
}
constexpr FunctionRow kConstruct = {"RandomState", "seed=None", ConstructState,
                                    "A generator of its own: MT19937."};

constexpr FunctionRow kRows[] = {
    {"seed", "seed=None", SeedFunction, "Starts the stream anew."},
    {"rand", "*args", RandFunction, "Uniform in [0, 1), of a shape."},
    {"randn", "*args", RandnFunction, "Standard normal, of a shape."},
    {"random", "size=None", SampleFunction, "Uniform in [0, 1)."},
    {"random_sample", "size=None", SampleFunction, "Uniform in [0, 1)."},
    {"ranf", "size=None", SampleFunction, "Uniform in [0, 1)."},
    {"sample", "size=None", SampleFunction, "Uniform in [0, 1)."},
    {"standard_normal", "size=None", StandardNormal, "Standard normal."},
    {"normal", "loc=0.0, scale=1.0, size=None", NormalFunction, "Normal."},
    {"lognormal", "mean=0.0, sigma=1.0, size=None", LognormalFunction, "Log-normal."},
    {"uniform", "low=0.0, high=1.0, size=None", UniformFunction, "Uniform in [low, high)."},
    {"exponential", "scale=1.0, size=None", ExponentialFunction, "Exponential."},
    {"gamma", "shape, scale=1.0, size=None", GammaFunction, "Gamma."},
    {"beta", "a, b, size=None", BetaFunction, "Beta."},
    {"poisson", "lam=1.0, size=None", PoissonFunction, "Poisson."},
    {"binomial", "n, p, size=None", BinomialFunction, "Binomial."},
    {"randint", "low, high=None, size=None, dtype=None", RandintFunction,
     "Integers in [low, high)."},
    {"choice", "a, size=None, replace=True, p=None", ChoiceFunction,
     "A sample of an array or range."},
    {"shuffle", "x", ShuffleFunction, "Reorders in place."},
    {"permutation", "x", PermutationFunction, "A reordered copy, or range."},
    {"bytes", "length", BytesFunction, "Random bytes."},
};

const TypeInfo RandomState::kType = {
    .name = "RandomState",
    .module = "numpy.random.mtrand",
    .doc = "A generator of random numbers: MT19937.",
    .methods = kRows,
    .construct = &kConstruct,
    .repr = [](const Value&) -> std::string { return "RandomState(MT19937)"; },
};

constexpr ConstantRow kConstants[] = {
    {"RandomState", [] { return TypeValue(RandomState::kType); }},
};

}  // namespace

const ModuleDef kRandomModule = {
    .name = "numpy.random",
    .functions = kRows,
    .constants = kConstants,
    .missing = [](StrObject* name) { return FromLibrary("numpy_random", name); },
    .doc = "Random numbers: numpy's legacy streams."};

}  // namespace tensh::shell::np
