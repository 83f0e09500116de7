#include "shell/np/generator.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <numeric>

#include "shell/lang/library.h"
#include "shell/np/bounded.h"
#include "shell/np/convert.h"
#include "shell/np/distributions.h"
#include "shell/np/element.h"
#include "shell/np/methods.h"
#include "shell/np/pcg64.h"
#include "shell/np/sampling.h"
#include "shell/np/ufunc.h"
#include "shell/np/ziggurat.h"
#include "shell/values/bigint.h"
#include "shell/values/class.h"
#include "shell/values/error.h"
#include "shell/values/ops.h"

namespace tensh::shell::np {
namespace {

// ---- PCG64 ----

class BitSource : public TrackedObject {
 public:
  static const TypeInfo kType;
  BitSource(const std::array<uint64_t, 4>& seed, Value sequence)
      : TrackedObject(kType), bits(seed), sequence(std::move(sequence)) {}
  void DropRefs() override { sequence = Value(); }
  void Visit(HeldVisitor& visit) const override { visit(sequence); }
  Pcg64 bits;
  Value sequence;  // the SeedSequence
};

Value Seeds(const char* name) { return FromLibrary("numpy_seeds", Intern(name)); }

// From a SeedSequence, or what one is made of.
Ref<BitSource> MakeSource(const Value& seed) {
  const Value cls = Seeds("SeedSequence");
  const Value sequence = IsInstance(seed, cls) ? seed : Call(cls, {seed});
  const Value state =
      CallMethod(sequence, "generate_state", {Value::Int(4), DTypeValue(TSH_UINT64)});
  const Array words = Contiguous(ToArray(state, TSH_UINT64));
  std::array<uint64_t, 4> seed_words{};
  std::copy_n(words.as<uint64_t>(), 4, seed_words.begin());
  return New<BitSource>(seed_words, sequence);
}

Value FromBits128(Bits128 v) {
  const Value high = IntFromU64(static_cast<uint64_t>(v >> 64));
  const Value low = IntFromU64(static_cast<uint64_t>(v));
  return IntBinary(BinaryOp::kOr, IntBinary(BinaryOp::kLShift, high, Value::Int(64)), low);
}
Bits128 ToBits128(const Value& v) {
  const Value mask = IntFromU64(UINT64_MAX);
  uint64_t low = 0, high = 0;
  IntToU64(IntBinary(BinaryOp::kAnd, v, mask), &low);
  const Value above = IntBinary(BinaryOp::kRShift, v, Value::Int(64));
  IntToU64(IntBinary(BinaryOp::kAnd, above, mask), &high);
  return static_cast<Bits128>(high) << 64 | low;
}

Pcg64& BitsOf(const Value& v) { return As<BitSource>(v)->bits; }

Value GetState(const Value& v) {
  const Pcg64::State& s = BitsOf(v).state();
  return MakeDict(
      {{"bit_generator", MakeStr("PCG64")},
       {"state", MakeDict({{"state", FromBits128(s.state)}, {"inc", FromBits128(s.increment)}})},
       {"has_uint32", Value::Int(s.has_half)},
       {"uinteger", Value::Int(s.half)}});
}
void SetState(const Value& v, const Value& state) {
  if (!As<DictObject>(state)) throw TypeError("state must be a dict");
  if (!Equal(GetItem(state, MakeStr("bit_generator")), MakeStr("PCG64")))
    throw ValueError("state must be for a PCG64 RNG");
  const Value words = GetItem(state, MakeStr("state"));
  BitsOf(v).set_state(
      {.state = ToBits128(GetItem(words, MakeStr("state"))),
       .increment = ToBits128(GetItem(words, MakeStr("inc"))),
       .has_half = Truth(GetItem(state, MakeStr("has_uint32"))),
       .half = static_cast<uint32_t>(ToIndex(GetItem(state, MakeStr("uinteger"))))});
}

Value RandomRaw(Args& a) {
  Pcg64& bits = BitsOf(a.self());
  if (a[0].is_none()) return IntFromU64(bits.Next64());
  const Array out = Empty(TSH_UINT64, ShapeArgument(a[0]));
  uint64_t* to = out.writable<uint64_t>();
  for (int64_t i = 0; i < out.size(); ++i) to[i] = bits.Next64();
  return MakeArray(out);
}
Value AdvanceFunction(Args& a) {
  BitsOf(a.self()).Advance(ToBits128(a[0]));
  return a.self();
}
// A copy far ahead: by the golden ratio of the period, as often as asked.
Value JumpedFunction(Args& a) {
  constexpr uint64_t kHigh = 0x9e3779b97f4a7c15u, kLow = 0xf39cc0605cedc835u;
  const auto& from = *As<BitSource>(a.self());
  const Ref<BitSource> out = New<BitSource>(std::array<uint64_t, 4>{}, from.sequence);
  out->bits.set_state(from.bits.state());
  const Bits128 step = static_cast<Bits128>(kHigh) << 64 | kLow;
  out->bits.Advance(step * static_cast<Bits128>(ToIndex(a[0])));
  return out;
}
Value ConstructSource(Args& a) { return MakeSource(a[0]); }
constexpr FunctionRow kConstructSource = {"PCG64", "seed=None", ConstructSource, "From a seed."};

constexpr FunctionRow kSourceMethods[] = {
    {"random_raw", "size=None", RandomRaw, "Draws of 64 bits."},
    {"advance", "delta", AdvanceFunction, "As if that many draws were made."},
    {"jumped", "jumps=1", JumpedFunction, "A copy as if very many draws were made."},
};
constexpr PropertyRow kSourceProperties[] = {
    {"state", GetState, SetState, "The state as a dict."},
    {"seed_seq", [](const Value& v) { return As<BitSource>(v)->sequence; }, nullptr,
     "The SeedSequence it came from."},
};

const TypeInfo BitSource::kType = {
    .name = "PCG64",
    .module = "numpy.random._pcg64",
    .doc = "The source of bits under default_rng().",
    .methods = kSourceMethods,
    .properties = kSourceProperties,
    .construct = &kConstructSource,
};

// ---- Generator ----

class GeneratorObject : public DrawSource {
 public:
  static const TypeInfo kType;
  explicit GeneratorObject(Ref<BitSource> source) : DrawSource(kType), source(std::move(source)) {}
  Draws& draws() override { return source->bits; }
  Ref<BitSource> source;
};

Value ConstructGenerator(Args& a) {
  auto* source = As<BitSource>(a[0]);
  if (!source) throw AttributeError("'" + TypeName(a[0]) + "' object has no attribute 'capsule'");
  return New<GeneratorObject>(Ref<BitSource>(source));
}
constexpr FunctionRow kConstructGenerator = {"Generator", "bit_generator", ConstructGenerator,
                                             "Over a bit generator."};

std::string GeneratorRepr(const Value& v) {
  char address[32];
  std::snprintf(address, sizeof address, "0x%llX",
                static_cast<unsigned long long>(reinterpret_cast<uintptr_t>(v.object())));
  return std::string("Generator(PCG64) at ") + address;
}

// The argument of a parameter whose default is not a literal: null when it was left out.
int DTypeOr(const Value& v, int fallback) {
  const int dtype = v.is_null() ? 0 : DTypeArgument(v);
  return dtype ? dtype : fallback;
}

// Draws of float64 or float32 with size and out. `what` names the function in texts.
template <class F, class G>
Value FillFloats(const char* what, const Value& size, const Value& dtype_given, const Value& out,
                 F draw, G draw_float) {
  const int dtype = DTypeOr(dtype_given, TSH_DOUBLE);
  if (dtype != TSH_DOUBLE && dtype != TSH_FLOAT)
    throw TypeError("Unsupported dtype " + Repr(DTypeValue(dtype)) + " for " + what);
  const bool wide = dtype == TSH_DOUBLE;
  if (size.is_none() && out.is_none())
    return Value::Float(wide ? draw() : static_cast<double>(draw_float()));
  Array to;
  if (auto* given = As<NdArray>(out)) {
    to = given->array;
    if (to.dtype != dtype) {
      throw TypeError("Supplied output array has the wrong type. Expected " +
                      std::string(GetType(dtype).name) + ", got " + GetType(to.dtype).name);
    }
    if (!size.is_none() && !SameDims(ShapeArgument(size), to.dims()))
      throw ValueError("size must match out.shape when used together");
  } else if (!out.is_none()) {
    throw TypeError("Argument 'out' has incorrect type (expected numpy.ndarray, got " +
                    TypeName(out) + ")");
  } else {
    to = Empty(dtype, ShapeArgument(size));
  }
  char* data = to.WritableData() - to.offset;
  uint32_t drawn = 0;
  ForEachOffset(to, [&](int64_t at) {
    if ((++drawn & 0xffff) == 0) PollInterrupt();
    if (wide) {
      *reinterpret_cast<double*>(data + at) = draw();
    } else {
      *reinterpret_cast<float*>(data + at) = draw_float();
    }
  });
  return out.is_none() ? MakeArray(to) : out;
}

// size, dtype, out
Value RandomFunction(Args& a) {
  Draws& g = DrawsOf(a);
  return FillFloats(
      "random", a[0], a[1], a[2], [&] { return g.NextDouble(); }, [&] { return g.NextFloat(); });
}
Value StandardNormalFunction(Args& a) {
  Draws& g = DrawsOf(a);
  return FillFloats(
      "standard_normal", a[0], a[1], a[2], [&] { return g.NextGauss(); },
      [&] { return ZigguratNormalFloat(g); });
}
// size, dtype, method, out
Value StandardExponentialFunction(Args& a) {
  Draws& g = DrawsOf(a);
  if (Equal(a[2], MakeStr("zig"))) {
    return FillFloats(
        "standard_exponential", a[0], a[1], a[3], [&] { return g.NextExponential(); },
        [&] { return ZigguratExponentialFloat(g); });
  }
  return FillFloats(
      "standard_exponential", a[0], a[1], a[3], [&] { return -std::log1p(-g.NextDouble()); },
      [&] { return -std::log1p(-g.NextFloat()); });
}

// The scalars' bounds of a type of integers.
struct IntRange {
  Value low, high;
};
IntRange RangeOf(int dtype) {
  if (dtype == TSH_BOOL) return {Value::Int(0), Value::Int(1)};
  const int bits = static_cast<int>(8 * ItemSize(dtype));
  if (KindOf(dtype) == Kind::kUnsigned)
    return {Value::Int(0), IntFromU64(UINT64_MAX >> (64 - bits))};
  const int64_t top = INT64_MAX >> (64 - bits);
  return {Value::Int(-top - 1), Value::Int(top)};
}

// The bounds as a list of Python ints, with the shape they have.
struct Bounds {
  std::vector<Value> values;
  Array shape;  // its elements do not matter
};
Bounds ReadBounds(const Value& v) {
  const Value to_int = TypeValue(kIntType);
  Bounds out;
  if (!As<NdArray>(v) && !Sequence(v)) {
    out.values.push_back(IsInt(v) ? v : Call(to_int, {v}));
    out.shape = Zeros(TSH_BOOL, {});
    return out;
  }
  const Array a = ToArray(v);
  out.shape = Zeros(TSH_BOOL, a.dims());
  ForEachOffset(a, [&](int64_t at) {
    const Value element = PythonElement(a, at);
    out.values.push_back(IsInt(element) ? element : Call(to_int, {element}));
  });
  return out;
}

// low, high, size, dtype, endpoint
Value IntegersFunction(Args& a) {
  Draws& g = DrawsOf(a);
  const bool one = a[1].is_none(), endpoint = Truth(a[4]);
  const Bounds low = ReadBounds(one ? Value::Int(0) : a[0]);
  Bounds high = ReadBounds(one ? a[0] : a[1]);
  if (!endpoint)
    for (Value& v : high.values) v = IntBinary(BinaryOp::kSub, v, Value::Int(1));
  const int dtype = DTypeOr(a[3], TSH_INT64);
  if (Category(dtype) > 1)
    throw TypeError("Unsupported dtype " + Repr(DTypeValue(dtype)) + " for integers");
  const bool sized = !a[2].is_none();
  Extents dims = sized ? ShapeArgument(a[2]) : Extents();
  if (Product(dims) == 0) return MakeArray(Empty(dtype, dims));  // whatever the bounds
  const IntRange range = RangeOf(dtype);
  const std::string name = GetType(dtype).name;
  for (const Value& v : low.values)
    if (IntCompare(v, range.low) < 0) throw ValueError("low is out of bounds for " + name);
  for (const Value& v : high.values)
    if (IntCompare(v, range.high) > 0) throw ValueError("high is out of bounds for " + name);

  const bool arrays = low.shape.rank > 0 || high.shape.rank > 0;
  if (arrays) {
    const Array shapes[] = {low.shape, high.shape};
    dims = CommonShape(shapes, sized ? &dims : nullptr);
  }
  // Which bound element i of the output has.
  const auto index = [&](const Bounds& b) {
    Array at = Empty(TSH_INT64, b.shape.dims()), spread;
    std::iota(at.writable<int64_t>(), at.writable<int64_t>() + at.size(), 0);
    BroadcastTo(at, dims, &spread);
    return Contiguous(spread);
  };
  const Array low_at = index(low), high_at = index(high);
  const int bits = dtype == TSH_BOOL ? 1 : static_cast<int>(8 * ItemSize(dtype));
  BoundedDraws bounded(g, bits);
  const Array out = Empty(dtype, dims);
  char* to = out.WritableData();
  const int64_t size = ItemSize(dtype), count = out.size();
  const bool low_is_zero = std::all_of(low.values.begin(), low.values.end(), [](const Value& v) {
    return v.is_int() && v.as_int() == 0;
  });
  const auto refuse = [&] {
    const std::string sign = low_is_zero ? " <" : " >";
    const std::string tail = (endpoint ? " " : "= ") + std::string(low_is_zero ? "0" : "high");
    throw ValueError((low_is_zero ? "high" : "low") + sign + tail);
  };
  uint64_t base = 0, span = 0;
  for (int64_t i = 0; i < count || (i == 0 && !arrays); ++i) {
    if (i == 0 || arrays) {
      const Value& from = low.values[static_cast<size_t>(arrays ? low_at.as<int64_t>()[i] : 0)];
      const Value& until = high.values[static_cast<size_t>(arrays ? high_at.as<int64_t>()[i] : 0)];
      if (IntCompare(from, until) > 0) refuse();
      base = static_cast<uint64_t>(ToBits128(from));
      span = static_cast<uint64_t>(ToBits128(until)) - base;
    }
    if (i == count) break;
    if ((i & 0xffff) == 0xffff) PollInterrupt();
    const uint64_t v = base + bounded.Next(span);
    std::memcpy(to + i * size, &v, static_cast<size_t>(size));
  }
  if (sized || arrays) return MakeArray(out);
  const bool python =
      !a[3].is_null() && (a[3].Is(TypeValue(kIntType)) || a[3].Is(TypeValue(kBoolType)));
  return python ? PythonElement(out, out.offset) : ArrayOrScalar(out);
}

// ---- orders and samples ----

// Swaps each from the last down to the second with one up to itself.
template <class F>
void ShuffleAll(Draws& g, int64_t n, F swap) {
  for (int64_t i = n - 1; i > 0; --i)
    swap(i, static_cast<int64_t>(g.NextInterval(static_cast<uint64_t>(i))));
}

// The same for the picks of choice(), which draw by multiplication, and down to `first`.
void ShufflePicks(Draws& g, std::span<int64_t> picks, int64_t first) {
  BoundedDraws bounded(g, 64);
  for (size_t i = picks.size(); i-- > static_cast<size_t>(first);)
    std::swap(picks[i], picks[static_cast<size_t>(bounded.Next(i))]);
}

void ShuffleAxis(Draws& g, const Array& a, int axis) {
  const Array first = a.dim(axis) ? DropAxis(a, axis, 0) : a;
  const Array held = Empty(a.dtype, first.dims());
  ShuffleAll(g, a.dim(axis), [&](int64_t i, int64_t j) {
    if (i == j) return;
    const Array x = DropAxis(a, axis, i), y = DropAxis(a, axis, j);
    Assign(held, y);
    Assign(y, x);
    Assign(x, held);
  });
}

Array ShuffledRange(Draws& g, int64_t n) {
  const Array out = Empty(TSH_INT64, {&n, 1});
  int64_t* to = out.writable<int64_t>();
  std::iota(to, to + n, 0);
  ShuffleAll(g, n, [&](int64_t i, int64_t j) { std::swap(to[i], to[j]); });
  return out;
}

// x, axis
Value ShuffleFunction(Args& a) {
  Draws& g = DrawsOf(a);
  if (auto* array = As<NdArray>(a[0])) {
    if (array->array.rank == 0) throw TypeError("len() of unsized object");
    ShuffleAxis(g, array->array, AxisArgument(a[1], array->array.rank));
    return Value::None();
  }
  if (ToIndex(a[1]) != 0)
    throw NotImplementedError("Axis argument is only supported on ndarray objects");
  ShuffleAll(g, Len(a[0]), [&](int64_t i, int64_t j) {
    const Value x = GetItem(a[0], Value::Int(i)), y = GetItem(a[0], Value::Int(j));
    SetItem(a[0], Value::Int(i), y);
    SetItem(a[0], Value::Int(j), x);
  });
  return Value::None();
}

// x, axis
Value PermutationFunction(Args& a) {
  Draws& g = DrawsOf(a);
  if (IsIndex(a[0]) && !As<NdArray>(a[0]))
    return MakeArray(ShuffledRange(g, std::max<int64_t>(0, ToIndex(a[0]))));
  const Array x = ToArray(a[0]);
  if (x.rank == 0) {
    throw MakeError(kAxisError,
                    "axis " + Repr(a[1]) + " is out of bounds for array of dimension 0");
  }
  const int axis = AxisArgument(a[1], x.rank);
  return MakeArray(Take(x, ShuffledRange(g, x.dim(axis)), axis));
}

// x, axis, out
Value PermutedFunction(Args& a) {
  Draws& g = DrawsOf(a);
  const Array x = ToArray(a[0]);
  auto* given = As<NdArray>(a[2]);
  if (!given && !a[2].is_none()) throw TypeError("out must be a numpy array");
  if (given && !SameDims(given->array.dims(), x.dims()))
    throw ValueError("out must have the same shape as x");
  if (x.rank == 0) throw TypeError("len() of unsized object");
  const Array out = given ? given->array : Copy(x);
  if (given) Assign(out, x);
  if (a[1].is_none()) {
    const Array flat = Copy(Flat(out));
    ShuffleAxis(g, flat, 0);
    Assign(out, Reshaped(flat, out.dims()));
    return given ? a[2] : MakeArray(out);
  }
  // Each line along the axis on its own, in C order of the others.
  const int axis = AxisArgument(a[1], out.rank);
  std::vector<int> order;
  for (int i = 0; i < out.rank; ++i)
    if (i != axis) order.push_back(i);
  order.push_back(axis);
  const Array lines = Transposed(out, order);
  const auto each = [&](const auto& self, const Array& rest) -> void {
    if (rest.rank == 1) return ShuffleAxis(g, rest, 0);
    for (int64_t i = 0; i < rest.dim(0); ++i) self(self, DropAxis(rest, 0, i));
  };
  each(each, lines);
  return given ? a[2] : MakeArray(out);
}

// `count` different ones of 0 … n - 1: the tail of a shuffled range, or Floyd's algorithm.
void PickWithout(Draws& g, int64_t n, int64_t count, bool shuffle, int64_t* out) {
  BoundedDraws bounded(g, 64);
  if (n > 10000 && count > n / (shuffle ? 50 : 20)) {
    std::vector<int64_t> all(static_cast<size_t>(n));
    std::iota(all.begin(), all.end(), 0);
    ShufflePicks(g, all, std::max<int64_t>(n - count, 1));
    std::copy(all.end() - count, all.end(), out);
    return;
  }
  std::vector<bool> taken(static_cast<size_t>(n));
  for (int64_t j = n - count; j < n; ++j) {
    int64_t pick = static_cast<int64_t>(bounded.Next(static_cast<uint64_t>(j)));
    if (taken[static_cast<size_t>(pick)]) pick = j;
    taken[static_cast<size_t>(pick)] = true;
    out[j - (n - count)] = pick;
  }
  if (shuffle) ShufflePicks(g, {out, static_cast<size_t>(count)}, 1);
}

// The population of choice(): a number, or an array's extent along the axis.
int64_t Population(const Value& given, const Array& from, int axis, int64_t wanted) {
  if (from.rank == 0) {
    const Value number = PythonElement(from, from.offset);
    if (!IsIndex(number)) {
      throw ValueError("a must be a sequence or an integer, not " + Repr(TypeValue(TypeOf(given))));
    }
    const int64_t n = ToIndex(number);
    if (n <= 0 && wanted != 0)
      throw ValueError("a must be a positive integer unless no samples are taken");
    return n;
  }
  if (from.dim(axis) == 0 && wanted != 0)
    throw ValueError("a cannot be empty unless no samples are taken");
  return from.dim(axis);
}

// a, size, replace, p, axis, shuffle
Value ChoiceFunction(Args& a) {
  Draws& g = DrawsOf(a);
  const Array from = ToArray(a[0]);
  const bool scalar = a[1].is_none(), replace = Truth(a[2]);
  const Extents dims = scalar ? Extents{} : ShapeArgument(a[1]);
  const int64_t count = Product(dims);
  const int64_t asked = ToIndex(a[4]);
  if (from.rank > 0 && (asked >= from.rank || asked < -from.rank))
    throw IndexError("tuple index out of range");
  const int axis = from.rank == 0 ? 0 : AxisArgument(a[4], from.rank);
  const int64_t n = Population(a[0], from, axis, count);
  std::vector<double> p;
  if (!a[3].is_none()) p = Probabilities(a[3], n, count, true, "");
  if (!replace && count > n)
    throw ValueError("Cannot take a larger sample than population when replace is False");
  const Array index = Empty(TSH_INT64, dims);
  int64_t* to = index.writable<int64_t>();
  if (!p.empty() && replace) {
    const std::vector<double> sums = Cumulative(p);
    for (int64_t i = 0; i < count; ++i) to[i] = Pick(sums, g.NextDouble());
  } else if (!p.empty()) {
    if (std::count_if(p.begin(), p.end(), [](double v) { return v > 0; }) < count)
      throw ValueError("Fewer non-zero entries in p than size");
    PickDistinct(g, p, count, to);
  } else if (replace) {
    BoundedDraws bounded(g, 64);
    for (int64_t i = 0; i < count; ++i)
      to[i] = static_cast<int64_t>(bounded.Next(static_cast<uint64_t>(n - 1)));
  } else {
    PickWithout(g, n, count, Truth(a[5]), to);
  }
  if (from.rank == 0) return scalar ? PythonElement(index, index.offset) : MakeArray(index);
  const Array picked = Take(from, index, axis);
  if (!scalar && dims.empty() && picked.rank > 0) {
    throw ValueError("could not broadcast input array from shape " + ShapeText(picked.dims()) +
                     " into shape ()");
  }
  return scalar ? ArrayOrScalar(picked) : MakeArray(picked);
}

constexpr FunctionRow kOwnRows[] = {
    {"random", "size=None, dtype=np.float64, out=None", RandomFunction, "Uniform in [0, 1)."},
    {"standard_normal", "size=None, dtype=np.float64, out=None", StandardNormalFunction,
     "Standard normal."},
    {"standard_exponential", "size=None, dtype=np.float64, method='zig', out=None",
     StandardExponentialFunction, "Exponential, of scale 1."},
    {"standard_gamma", "shape, size=None", DrawFunction, "Gamma, of scale 1.", &kStandardGamma},
    {"uniform", "low=0.0, high=1.0, size=None", DrawFunction, "Uniform in [low, high).", &kUniform},
    {"pareto", "a, size=None", DrawFunction, "Pareto II (Lomax).", &kPareto},
    {"power", "a, size=None", DrawFunction, "Power.", &kPower},
    {"rayleigh", "scale=1.0, size=None", DrawFunction, "Rayleigh.", &kRayleigh},
    {"geometric", "p, size=None", DrawFunction, "Geometric.", &kGeometric},
    {"logseries", "p, size=None", DrawFunction, "Logarithmic series.", &kLogseries},
    {"vonmises", "mu, kappa, size=None", DrawFunction, "Von Mises.", &kVonmises},
    {"integers", "low, high=None, size=None, dtype=np.int64, endpoint=False", IntegersFunction,
     "Integers in [low, high), or [low, high] with endpoint."},
    {"choice", "a, size=None, replace=True, p=None, axis=0, shuffle=True", ChoiceFunction,
     "A sample of an array or range."},
    {"shuffle", "x, axis=0", ShuffleFunction, "Reorders in place."},
    {"permutation", "x, axis=0", PermutationFunction, "A reordered copy, or range."},
    {"permuted", "x, axis=None, out=None", PermutedFunction,
     "A copy with each line along the axis in an order of its own."},
};
constexpr auto kGeneratorRows = Join(kOwnRows, kDistributionRows);

constexpr PropertyRow kGeneratorProperties[] = {
    {"bit_generator", [](const Value& v) -> Value { return As<GeneratorObject>(v)->source; },
     nullptr, "Where the bits come from."},
};

const TypeInfo GeneratorObject::kType = {
    .name = "Generator",
    .module = "numpy.random._generator",
    .doc = "Random numbers over a bit generator; default_rng() makes one.",
    .methods = kGeneratorRows,
    .properties = kGeneratorProperties,
    .construct = &kConstructGenerator,
    .repr = GeneratorRepr,
    .str = [](const Value&) -> std::string { return "Generator(PCG64)"; },
    .getattr = [](const Value& v,
                  StrObject* name) { return LibraryMethod("numpy_generator", v, name); },
};

}  // namespace

const TypeInfo &kGeneratorType = GeneratorObject::kType, &kPcg64Type = BitSource::kType;

Value LibraryMethod(std::string_view file, const Value& self, StrObject* name) {
  if (name->view().empty() || name->view()[0] == '_') return Value();
  const Value function = FromLibrary(file, name);
  return function.is_null() ? Value() : Value(New<BoundMethod>(function, self));
}

Value DefaultRng(Args& a) {
  if (As<GeneratorObject>(a[0])) return a[0];
  auto* source = As<BitSource>(a[0]);
  return New<GeneratorObject>(source ? Ref<BitSource>(source) : MakeSource(a[0]));
}

}  // namespace tensh::shell::np
