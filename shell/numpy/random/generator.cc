#include "shell/numpy/random/generator.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <numeric>

#include "shell/numpy/convert.h"
#include "shell/numpy/element.h"
#include "shell/numpy/methods.h"
#include "shell/numpy/random/bounded.h"
#include "shell/numpy/random/distributions.h"
#include "shell/numpy/random/pcg64.h"
#include "shell/numpy/random/sampling.h"
#include "shell/numpy/random/ziggurat.h"
#include "shell/numpy/ufunc.h"
#include "shell/python/values/bigint.h"
#include "shell/python/values/class.h"
#include "shell/python/values/error.h"
#include "shell/python/values/ops.h"
#include "shell/python/vm/library.h"

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
  Value sequence;  // The SeedSequence.
};

Value Seeds(const char* name) { return FromLibrary("numpy_seeds", Intern(name)); }

// Makes a source from a SeedSequence or from an argument of SeedSequence.
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
// Returns a copy that is far ahead in the stream. Each jump advances by the period divided by the
// golden ratio.
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
constexpr FunctionRow kConstructSource = {"PCG64", "seed=None", ConstructSource,
                                          "A PCG64 bit generator, initialized with a seed."};

constexpr FunctionRow kSourceMethods[] = {
    {"random_raw", "size=None", RandomRaw, "Draw random integers of 64 bits."},
    {"advance", "delta", AdvanceFunction,
     "Advance the generator as if delta numbers had been drawn."},
    {"jumped", "jumps=1", JumpedFunction, "Return a copy that is far ahead in the stream."},
};
constexpr PropertyRow kSourceProperties[] = {
    {"state", GetState, SetState, "The state as a dict."},
    {"seed_seq", [](const Value& v) { return As<BitSource>(v)->sequence; }, nullptr,
     "The SeedSequence that it was made from."},
};

const TypeInfo BitSource::kType = {
    .name = "PCG64",
    .module = "numpy.random._pcg64",
    .doc = "The bit generator that default_rng() uses.",
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
                                             "A random generator that uses a bit generator."};

std::string GeneratorRepr(const Value& v) {
  char address[32];
  std::snprintf(address, sizeof address, "0x%llX",
                static_cast<unsigned long long>(reinterpret_cast<uintptr_t>(v.object())));
  return std::string("Generator(PCG64) at ") + address;
}

// Returns the dtype argument, or `fallback` if it was omitted.
int DTypeOr(const Value& v, int fallback) {
  const int dtype = v.is_null() ? 0 : DTypeArgument(v);
  return dtype ? dtype : fallback;
}

// Draws float64 or float32 numbers, given size and out. `what` is the function's name in errors.
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

// Arguments: size, dtype, out.
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
// Arguments: size, dtype, method, out.
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

// The smallest and the largest value of an integer type.
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

// Bounds as a list of Python ints, with their shape.
struct Bounds {
  std::vector<Value> values;
  Array shape;  // Only the shape is used, not the elements.
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

// Refuses bounds that the type cannot represent.
void CheckBounds(const Bounds& low, const Bounds& high, int dtype) {
  const IntRange range = RangeOf(dtype);
  const std::string name = GetType(dtype).name;
  for (const Value& v : low.values)
    if (IntCompare(v, range.low) < 0) throw ValueError("low is out of bounds for " + name);
  for (const Value& v : high.values)
    if (IntCompare(v, range.high) > 0) throw ValueError("high is out of bounds for " + name);
}

// Returns the index of its bound for each element of the result.
Array BoundIndices(const Bounds& bounds, const Extents& dims) {
  Array at = Empty(TSH_INT64, bounds.shape.dims()), spread;
  std::iota(at.writable<int64_t>(), at.writable<int64_t>() + at.size(), 0);
  BroadcastTo(at, dims, &spread);
  return Contiguous(spread);
}

[[noreturn]] void ThrowEmptyInterval(const Bounds& low, bool endpoint) {
  const bool zero = std::all_of(low.values.begin(), low.values.end(),
                                [](const Value& v) { return v.is_int() && v.as_int() == 0; });
  const std::string sign = zero ? " <" : " >";
  const std::string tail = (endpoint ? " " : "= ") + std::string(zero ? "0" : "high");
  throw ValueError((zero ? "high" : "low") + sign + tail);
}

// Fills an array with integers from [low, high]. The bounds of an element are checked when it is
// drawn.
Array DrawIntegers(Draws& g, int dtype, const Extents& dims, const Bounds& low, const Bounds& high,
                   bool endpoint) {
  const bool arrays = low.shape.rank > 0 || high.shape.rank > 0;
  const Array low_at = BoundIndices(low, dims), high_at = BoundIndices(high, dims);
  const auto bound = [&](const Bounds& b, const Array& at, int64_t i) -> const Value& {
    return b.values[static_cast<size_t>(arrays ? at.as<int64_t>()[i] : 0)];
  };
  BoundedDraws bounded(g, dtype == TSH_BOOL ? 1 : static_cast<int>(8 * ItemSize(dtype)));
  const Array out = Empty(dtype, dims);
  char* to = out.WritableData();
  const int64_t size = ItemSize(dtype), count = out.size();
  uint64_t base = 0, span = 0;
  for (int64_t i = 0; i < count || (i == 0 && !arrays); ++i) {
    if (i == 0 || arrays) {
      const Value &from = bound(low, low_at, i), &until = bound(high, high_at, i);
      if (IntCompare(from, until) > 0) ThrowEmptyInterval(low, endpoint);
      base = static_cast<uint64_t>(ToBits128(from));
      span = static_cast<uint64_t>(ToBits128(until)) - base;
    }
    if (i == count) break;
    if ((i & 0xffff) == 0xffff) PollInterrupt();
    const uint64_t v = base + bounded.Next(span);
    std::memcpy(to + i * size, &v, static_cast<size_t>(size));
  }
  return out;
}

// Arguments: low, high, size, dtype, endpoint.
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
  // An empty result does not check the bounds.
  if (Product(dims) == 0) return MakeArray(Empty(dtype, dims));
  CheckBounds(low, high, dtype);

  const bool arrays = low.shape.rank > 0 || high.shape.rank > 0;
  if (arrays) {
    const Array shapes[] = {low.shape, high.shape};
    dims = CommonShape(shapes, sized ? &dims : nullptr);
  }
  const Array out = DrawIntegers(g, dtype, dims, low, high, endpoint);
  if (sized || arrays) return MakeArray(out);
  const bool python =
      !a[3].is_null() && (a[3].Is(TypeValue(kIntType)) || a[3].Is(TypeValue(kBoolType)));
  return python ? PythonElement(out, out.offset) : ArrayOrScalar(out);
}

// ---- permutations and samples ----

// Fisher-Yates shuffle: swaps each element from the last to the second with one at or before it.
template <class F>
void ShuffleAll(Draws& g, int64_t n, F swap) {
  for (int64_t i = n - 1; i > 0; --i)
    swap(i, static_cast<int64_t>(g.NextInterval(static_cast<uint64_t>(i))));
}

// Shuffles the picks of choice(). Unlike ShuffleAll, draws by multiplication and stops at `first`.
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

// Arguments: x, axis.
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

// Arguments: x, axis.
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

// Arguments: x, axis, out.
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
  // Shuffles each line along the axis independently, in C order of the other axes.
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

// Picks `count` different numbers of [0, n): the tail of a shuffled range, or Floyd's algorithm.
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

// Returns the number of items that choice() picks from: a number, or the extent along the axis.
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

// Arguments: a, size, replace, p, axis, shuffle.
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
    {"random", "size=None, dtype=np.float64, out=None", RandomFunction,
     "Draw uniformly from [0, 1)."},
    {"standard_normal", "size=None, dtype=np.float64, out=None", StandardNormalFunction,
     "Draw from the standard normal distribution."},
    {"standard_exponential", "size=None, dtype=np.float64, method='zig', out=None",
     StandardExponentialFunction, "Draw from the exponential distribution with scale 1."},
    {"standard_gamma", "shape, size=None", DrawFunction,
     "Draw from the gamma distribution with scale 1.", &kStandardGamma},
    {"uniform", "low=0.0, high=1.0, size=None", DrawFunction, "Draw uniformly from [low, high).",
     &kUniform},
    {"pareto", "a, size=None", DrawFunction, "Draw from the Pareto II (Lomax) distribution.",
     &kPareto},
    {"power", "a, size=None", DrawFunction, "Draw from the power distribution.", &kPower},
    {"rayleigh", "scale=1.0, size=None", DrawFunction, "Draw from the Rayleigh distribution.",
     &kRayleigh},
    {"geometric", "p, size=None", DrawFunction, "Draw from the geometric distribution.",
     &kGeometric},
    {"logseries", "p, size=None", DrawFunction, "Draw from the logarithmic series distribution.",
     &kLogseries},
    {"vonmises", "mu, kappa, size=None", DrawFunction, "Draw from the von Mises distribution.",
     &kVonmises},
    {"integers", "low, high=None, size=None, dtype=np.int64, endpoint=False", IntegersFunction,
     "Draw integers from [low, high), or from [low, high] if endpoint is true."},
    {"choice", "a, size=None, replace=True, p=None, axis=0, shuffle=True", ChoiceFunction,
     "Draw a random sample from an array or range."},
    {"shuffle", "x, axis=0", ShuffleFunction, "Shuffle an array or list in place."},
    {"permutation", "x, axis=0", PermutationFunction,
     "Return a shuffled copy of an array, or a shuffled range."},
    {"permuted", "x, axis=None, out=None", PermutedFunction,
     "Return a copy in which each line along the axis is shuffled independently."},
};
constexpr auto kGeneratorRows = Join(kOwnRows, kDistributionRows);

constexpr PropertyRow kGeneratorProperties[] = {
    {"bit_generator", [](const Value& v) -> Value { return As<GeneratorObject>(v)->source; },
     nullptr, "The bit generator, which is the source of random bits."},
};

const TypeInfo GeneratorObject::kType = {
    .name = "Generator",
    .module = "numpy.random._generator",
    .doc = "A random generator that uses a bit generator. default_rng() makes one.",
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

Value DefaultRng(Args& a) {
  if (As<GeneratorObject>(a[0])) return a[0];
  auto* source = As<BitSource>(a[0]);
  return New<GeneratorObject>(source ? Ref<BitSource>(source) : MakeSource(a[0]));
}

}  // namespace tensh::shell::np
