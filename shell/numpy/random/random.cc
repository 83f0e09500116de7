// np.random: RandomState and the module's functions, which share a hidden RandomState.
#include <algorithm>
#include <numeric>

#include "shell/numpy/convert.h"
#include "shell/numpy/methods.h"
#include "shell/numpy/module.h"
#include "shell/numpy/random/distributions.h"
#include "shell/numpy/random/generator.h"
#include "shell/numpy/random/mt19937.h"
#include "shell/numpy/random/sampling.h"
#include "shell/python/values/containers.h"
#include "shell/python/values/error.h"
#include "shell/python/values/ops.h"
#include "shell/python/vm/library.h"

namespace tensh::shell::np {
namespace {

class RandomState : public DrawSource {
 public:
  static const TypeInfo kType;
  RandomState() : DrawSource(kType) {}
  Draws& draws() override { return generator; }
  Mt19937 generator;
};

Mt19937& SharedGenerator() {
  static Mt19937 shared;
  return shared;
}

// Returns the receiver's generator, or the module's.
Mt19937& Generator(Args& a) {
  auto* state = a.self().is_null() ? nullptr : As<RandomState>(a.self());
  return state ? state->generator : SharedGenerator();
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

// Draws one number, or an array of the requested size.
template <class F>
Value Draw(const Value& size, F draw) {
  if (size.is_null() || size.is_none()) return Value::Float(draw());
  const Array out = Empty(TSH_DOUBLE, ShapeArgument(size));
  double* to = out.writable<double>();
  for (int64_t i = 0; i < out.size(); ++i) to[i] = draw();
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

Array Integers(Mt19937& g, int64_t low, int64_t high, Dims dims) {
  if (low > high) throw ValueError("low >= high");
  const uint64_t range = static_cast<uint64_t>(high) - static_cast<uint64_t>(low);
  const Array out = Empty(TSH_INT64, dims);
  int64_t* to = out.writable<int64_t>();
  for (int64_t i = 0; i < out.size(); ++i)
    to[i] = static_cast<int64_t>(static_cast<uint64_t>(low) + g.NextBounded(range));
  return out;
}

// For types of 8 and 16 bits, one 32-bit draw yields several numbers.
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

// Arguments: low, high, size, dtype.
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

// Arguments: a, size, replace, p.
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
    const std::vector<double> p = Probabilities(a[3], n, count, replace, "'");
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

Value GetStateFunction(Args& a) {
  const Mt19937::State& s = Generator(a).state();
  const int64_t count[] = {static_cast<int64_t>(s.words.size())};
  const Array words = Empty(TSH_UINT32, count);
  std::copy(s.words.begin(), s.words.end(), words.writable<uint32_t>());
  const Value name = MakeStr("MT19937"), key = MakeArray(words);
  const Value at = Value::Int(static_cast<int64_t>(s.at));
  const Value has_gauss = Value::Int(s.has_gauss), gauss = Value::Float(s.gauss);
  if (Truth(a[0])) return MakeTuple({name, key, at, has_gauss, gauss});
  return MakeDict({{"bit_generator", name},
                   {"state", MakeDict({{"key", key}, {"pos", at}})},
                   {"has_gauss", has_gauss},
                   {"gauss", gauss}});
}

// Returns the parts of a state in the order of its tuple.
std::vector<Value> PartsOfState(const Value& state) {
  if (!As<DictObject>(state)) {
    if (!Sequence(state)) throw TypeError("state must be a dict or a tuple.");
    return ToVector(state);
  }
  try {
    const auto part = [](const Value& of, const char* name) { return GetItem(of, MakeStr(name)); };
    const Value words = part(state, "state");
    return {part(state, "bit_generator"), part(words, "key"), part(words, "pos"),
            part(state, "has_gauss"), part(state, "gauss")};
  } catch (const PyError& error) {
    if (error.Is(kKeyboardInterrupt)) throw;
    throw ValueError("state dictionary is not valid.");
  }
}

Value SetStateFunction(Args& a) {
  const std::vector<Value> parts = PartsOfState(a[0]);
  if (parts.size() != 3 && parts.size() != 5)
    throw ValueError("state must have 3 or 5 parts, as np.random.get_state() returns them");
  if (!Equal(parts[0], MakeStr("MT19937")))
    throw ValueError("set_state can only be used with legacy MT19937 state instances.");
  const Array words = Contiguous(Cast(Flat(ToArray(parts[1])), TSH_UINT32));
  Mt19937::State state;
  if (words.size() != static_cast<int64_t>(state.words.size()))
    throw ValueError("state must have 624 words, got " + std::to_string(words.size()));
  std::copy_n(words.as<uint32_t>(), state.words.size(), state.words.begin());
  const int64_t at = ToIndex(parts[2]);
  if (at < 0 || at > static_cast<int64_t>(state.words.size()))
    throw ValueError("the position in a state must be between 0 and 624, got " +
                     std::to_string(at));
  state.at = static_cast<size_t>(at);
  if (parts.size() == 5) {
    state.has_gauss = Truth(parts[3]);
    state.gauss = ToDouble(parts[4]);
  }
  Generator(a).set_state(state);
  return Value::None();
}

Value ConstructState(Args& a) {
  const Ref<RandomState> state = New<RandomState>();
  SeedWith(state->generator, a[0]);
  return state;
}
constexpr FunctionRow kConstruct = {"RandomState", "seed=None", ConstructState,
                                    "A separate random generator of the type MT19937."};

constexpr FunctionRow kOwnRows[] = {
    {"seed", "seed=None", SeedFunction, "Restart the stream of random numbers from a seed."},
    {"get_state", "legacy=True", GetStateFunction,
     "Return the state of the stream, which set_state restores."},
    {"set_state", "state", SetStateFunction, "Continue the stream from a state of get_state."},
    {"rand", "*args", RandFunction, "Draw uniformly from [0, 1), in the given shape."},
    {"randn", "*args", RandnFunction,
     "Draw from the standard normal distribution, in the given shape."},
    {"random", "size=None", DrawFunction, "Draw uniformly from [0, 1).", &kUnitUniform},
    {"random_sample", "size=None", DrawFunction, "Draw uniformly from [0, 1).", &kUnitUniform},
    {"ranf", "size=None", DrawFunction, "Draw uniformly from [0, 1).", &kUnitUniform},
    {"sample", "size=None", DrawFunction, "Draw uniformly from [0, 1).", &kUnitUniform},
    {"standard_normal", "size=None", DrawFunction, "Draw from the standard normal distribution.",
     &kStandardNormal},
    {"standard_exponential", "size=None", DrawFunction,
     "Draw from the exponential distribution with scale 1.", &kStandardExponential},
    {"standard_gamma", "shape, size=None", DrawFunction,
     "Draw from the gamma distribution with scale 1.", &kStandardGamma},
    {"uniform", "low=0.0, high=1.0, size=None", DrawFunction, "Draw uniformly from [low, high).",
     &kLegacyUniform},
    {"pareto", "a, size=None", DrawFunction, "Draw from the Pareto II (Lomax) distribution.",
     &kLegacyPareto},
    {"power", "a, size=None", DrawFunction, "Draw from the power distribution.", &kLegacyPower},
    {"rayleigh", "scale=1.0, size=None", DrawFunction, "Draw from the Rayleigh distribution.",
     &kLegacyRayleigh},
    {"geometric", "p, size=None", DrawFunction, "Draw from the geometric distribution.",
     &kLegacyGeometric},
    {"logseries", "p, size=None", DrawFunction, "Draw from the logarithmic series distribution.",
     &kLegacyLogseries},
    {"vonmises", "mu, kappa, size=None", DrawFunction, "Draw from the von Mises distribution.",
     &kLegacyVonmises},
    {"randint", "low, high=None, size=None, dtype=None", RandintFunction,
     "Draw integers from [low, high)."},
    {"choice", "a, size=None, replace=True, p=None", ChoiceFunction,
     "Draw a random sample from an array or range."},
    {"shuffle", "x", ShuffleFunction, "Shuffle an array or list in place."},
    {"permutation", "x", PermutationFunction,
     "Return a shuffled copy of an array, or a shuffled range."},
    {"bytes", "length", BytesFunction, "Return random bytes."},
};
constexpr auto kRows = Join(kOwnRows, kDistributionRows);

const TypeInfo RandomState::kType = {
    .name = "RandomState",
    .module = "numpy.random.mtrand",
    .doc = "A random generator of the type MT19937.",
    .methods = kRows,
    .construct = &kConstruct,
    .repr = [](const Value&) -> std::string { return "RandomState(MT19937)"; },
    .getattr = [](const Value& v,
                  StrObject* name) { return LibraryMethod("numpy_state", v, name); },
};

constexpr ConstantRow kConstants[] = {
    {"RandomState", [] { return TypeValue(RandomState::kType); }},
    {"Generator", [] { return TypeValue(kGeneratorType); }},
    {"PCG64", [] { return TypeValue(kPcg64Type); }},
};

}  // namespace

Draws& ModuleDraws() { return SharedGenerator(); }

std::span<const FunctionRow> RandomFunctions() { return kRows; }
std::span<const ConstantRow> RandomConstants() { return kConstants; }
std::span<const FunctionRow> GeneratorFunctions() { return kGeneratorFunctions; }

}  // namespace tensh::shell::np
