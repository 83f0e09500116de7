// Stateless random numbers: a pure function of the seed, independent of the steps and ops that run
// before. The first family of ops takes the seed; V2 takes a key and a counter derived from it.
#include "ops/op_file.h"
#include "ops/random/distributions.h"
#include "ops/random/random_inputs.h"
#include "ops/support/shape_util.h"

namespace tensh::ops {
namespace {

constexpr int32_t kPhilox = 1, kAutoSelect = 3;  // TensorFlow's numbers for the algorithms

}  // namespace

Result<PhiloxPlace> PlaceOfKey(KernelCtx& c) {
  const Tensor &key = c.in(1), &counter = c.in(2), &alg = c.in(3);
  const int32_t algorithm = *alg.data<int32_t>();
  if (algorithm != kPhilox && algorithm != kAutoSelect)
    return Unimplemented("Unsupported algorithm id: ", algorithm);
  if (key.dim(0) != 1)
    return InvalidArgument("key must have shape [1], not ", key.shape(),
                           ". (Note that batched keys are not supported yet.)");
  if (counter.dim(0) < 2)
    return InvalidArgument(
        "The size of counter for the Philox algorithm must be at least 2, but got ",
        counter.dim(0));
  const uint64_t* at = counter.data<uint64_t>();
  return PhiloxPlace{*key.data<uint64_t>(), at[0], at[1]};
}

namespace {

enum class Kind : uint8_t { kUniform, kNormal, kTruncated, kFull };

template <Kind kind, bool keyed>
struct Stateless {
  template <class T>
  Status operator()(KernelCtx& c) const {
    TENSH_ASSIGN(const PhiloxPlace place, keyed ? PlaceOfKey(c) : PlaceOfSeed(c.in(1)));
    TENSH_ASSIGN(Shape shape, ShapeFromTensor(c.in(0)));
    TENSH_OUTPUT(out, c.Output(0, shape));
    if constexpr (kind == Kind::kUniform)
      FillGroups<T>(c, place.Start(), *out, Uniform<T>{}, 8);
    else if constexpr (kind == Kind::kNormal)
      FillGroups<T>(c, place.Start(), *out, Normal<T>{}, 50);
    else if constexpr (kind == Kind::kTruncated)
      FillTruncated<T>(c, place.Start(), *out);
    else
      FillGroups<T>(c, place.Start(), *out, FullInt<T>{}, 8);
    return {};
  }
};

template <bool keyed>
struct StatelessInt {
  template <class T>
  Status operator()(KernelCtx& c) const {
    using U = std::make_unsigned_t<T>;
    TENSH_ASSIGN(const PhiloxPlace place, keyed ? PlaceOfKey(c) : PlaceOfSeed(c.in(1)));
    TENSH_ASSIGN(Shape shape, ShapeFromTensor(c.in(0)));
    const Tensor &minval = c.in(keyed ? 4 : 2), &maxval = c.in(keyed ? 5 : 3);
    TENSH_OUTPUT(out, c.Output(0, shape));
    if (!out->num_elements()) return {};
    const T low = *minval.data<T>(), high = *maxval.data<T>();
    if (low >= high) return InvalidArgument("Need minval < maxval, got ", low, " >= ", high);
    const U range = static_cast<U>(static_cast<U>(high) - static_cast<U>(low));
    FillGroups<T>(c, place.Start(), *out, UniformInt<T>{low, range}, 12);
    return {};
  }
};

// ---- keys ----

Status SetWords(KernelCtx& c, int output, std::initializer_list<uint64_t> words) {
  TENSH_OUTPUT(out, c.Output(output, Shape({static_cast<int64_t>(words.size())})));
  std::copy(words.begin(), words.end(), out->data<uint64_t>());
  return {};
}

Status SetAlgorithm(KernelCtx& c, int output) {
  TENSH_OUTPUT(out, c.Output(output, Shape()));
  *out->data<int32_t>() = kPhilox;
  return {};
}

Status KeyCounter(KernelCtx& c) {
  const PhiloxPlace place = PlaceOfSeed(c.in(0));
  TENSH_RETURN_IF_ERROR(SetWords(c, 0, {place.key}));
  TENSH_RETURN_IF_ERROR(SetWords(c, 1, {place.low, place.high}));
  return c.num_outputs() > 2 ? SetAlgorithm(c, 2) : Status();
}

Status Algorithm(KernelCtx& c) { return SetAlgorithm(c, 0); }

Status KeyShape(ShapeCtx& c) {
  c.Set(0, Shape({1}));
  c.Set(1, Shape({2}));
  if (c.num_outputs() > 2) c.Set(2, Shape());
  return {};
}

// ---- registrations ----

Status SetShape(ShapeCtx& c) {
  TENSH_ASSIGN(Shape out, ShapeInput(c, 0));
  c.Set(0, out);
  return {};
}

constexpr char kScalarBounds[] = ", minval: scalar, maxval: scalar";

OpSpec Seeded(OpText name, OpText types, OpText more, OpText what, OpText t_default) {
  return {.name = name,
          .inputs = StrCat("shape: T, seed: Tseed", more),
          .outputs = "output: dtype",
          .attrs = StrCat("dtype: ", types, ", T: {int32, int64}", t_default,
                          ", Tseed: {int32, int64} = int64"),
          .doc = StrCat(
              what,
              ", as a function of the seed. shape: the shape of output, a vector of type T. seed: "
              "two integers of type Tseed. dtype: the type of output.",
              more.empty()
                  ? ""
                  : " minval, maxval: the lower bound, and the upper bound, which is excluded."),
          .contract = StrCat("shape: vector, seed: vector of 2", more.empty() ? "" : kScalarBounds),
          .shape = SetShape,
          .no_gradient = true};
}

OpSpec Keyed(OpText name, OpText types, OpText more, OpText what) {
  return {.name = name,
          .inputs = StrCat("shape: Tshape, key: uint64, counter: uint64, alg: int32", more),
          .outputs = "output: dtype",
          .attrs = StrCat("dtype: ", types, ", Tshape: {int32, int64} = int32"),
          .doc = StrCat(
              what,
              ", as a function of key and counter. shape: the shape of output, a vector of type "
              "Tshape. key: one word. counter: two words, the start in the stream. alg: the "
              "generator; 1 is Philox. dtype: the type of output.",
              more.empty()
                  ? ""
                  : " minval, maxval: the lower bound, and the upper bound, which is excluded."),
          .contract = StrCat("shape: vector, key: vector, counter: vector, alg: scalar",
                             more.empty() ? "" : kScalarBounds),
          .shape = SetShape,
          .no_gradient = true};
}

constexpr KernelOptions kByDtype = {.type_attr = "dtype"};
constexpr char kFloats[] = "{half, bfloat16, float, double} = float";
constexpr char kBounds[] = ", minval: dtype, maxval: dtype";

void RegisterSeeded(OpRegistry& r) {
  auto with = [](OpSpec spec, Example example) {
    spec.examples = {example};
    return spec;
  };
  r.Op(with(Seeded("StatelessRandomUniform", kFloats, "", "Uniform random numbers in [0, 1)",
                   " = int32"),
            {"tf.raw_ops.StatelessRandomUniform(shape=[0], seed=[1, 2])", "[]"}))
      .Cpu<float, double, Half, Bfloat16>(Stateless<Kind::kUniform, false>{}, kByDtype);
  r.Op(with(Seeded("StatelessRandomNormal", kFloats, "",
                   "Normal random numbers with mean 0 and standard deviation 1", " = int32"),
            {"tf.raw_ops.StatelessRandomNormal(shape=[0], seed=[1, 2])", "[]"}))
      .Cpu<float, double>(Stateless<Kind::kNormal, false>{}, kByDtype);
  r.Op(with(Seeded("StatelessTruncatedNormal", kFloats, "",
                   "Normal random numbers with mean 0 and standard deviation 1, within (-2, 2)",
                   " = int32"),
            {"tf.raw_ops.StatelessTruncatedNormal(shape=[0], seed=[1, 2])", "[]"}))
      .Cpu<float, double>(Stateless<Kind::kTruncated, false>{}, kByDtype);
  r.Op(with(Seeded("StatelessRandomUniformInt", "{int32, int64}", kBounds,
                   "Uniform random integers in [minval, maxval)", ""),
            {"tf.raw_ops.StatelessRandomUniformInt(shape=[1], seed=[1, 2], minval=0, maxval=1)",
             "[0]"}))
      .Cpu<int32_t, int64_t>(StatelessInt<false>{}, kByDtype);
}

constexpr char kKey[] =
    ", key=tf.constant([1], tf.uint64), counter=tf.constant([2, 3], tf.uint64), alg=1";

void RegisterKeyed(OpRegistry& r) {
  auto with = [](OpSpec spec, std::string_view more, OpText dims, std::string result) {
    spec.examples = {
        {StrCat("tf.raw_ops.", spec.name, "(shape=[", dims, "]", kKey, more, ")"), result}};
    return spec;
  };
  r.Op(with(Keyed("StatelessRandomUniformV2", kFloats, "", "Uniform random numbers in [0, 1)"), "",
            "0", "[]"))
      .Cpu<float, double, Half, Bfloat16>(Stateless<Kind::kUniform, true>{}, kByDtype);
  r.Op(with(Keyed("StatelessRandomNormalV2", kFloats, "",
                  "Normal random numbers with mean 0 and standard deviation 1"),
            "", "0", "[]"))
      .Cpu<float, double>(Stateless<Kind::kNormal, true>{}, kByDtype);
  r.Op(with(Keyed("StatelessTruncatedNormalV2", kFloats, "",
                  "Normal random numbers with mean 0 and standard deviation 1, within (-2, 2)"),
            "", "0", "[]"))
      .Cpu<float, double>(Stateless<Kind::kTruncated, true>{}, kByDtype);
  r.Op(with(Keyed("StatelessRandomUniformIntV2", "{int32, int64, uint32, uint64}", kBounds,
                  "Uniform random integers in [minval, maxval)"),
            ", minval=0, maxval=1", "2", "[0 0]"))
      .Cpu<int32_t, int64_t>(StatelessInt<true>{}, kByDtype);
  r.Op(with(Keyed("StatelessRandomUniformFullIntV2", "{int32, int64, uint32, uint64} = uint64", "",
                  "Uniform random integers over all values of the type"),
            "", "0", "[]"))
      .Cpu<int32_t, int64_t, uint32_t, uint64_t>(Stateless<Kind::kFull, true>{}, kByDtype);
}

}  // namespace

TENSH_OPS(random_stateless) {
  RegisterSeeded(r);
  RegisterKeyed(r);
  r.Op({.name = "StatelessRandomGetKeyCounter",
        .inputs = "seed: Tseed",
        .outputs = "key: uint64, counter: uint64",
        .attrs = "Tseed: {int32, int64} = int64",
        .doc = "The key and the counter derived from a seed. seed: two integers of type Tseed.",
        .contract = "seed: vector of 2",
        .shape = KeyShape,
        .no_gradient = true,
        .examples = {{"tf.raw_ops.StatelessRandomGetKeyCounter(seed=[0, 0])[1][0]", "0"}}})
      .CpuAny(KeyCounter);
  r.Op({.name = "StatelessRandomGetKeyCounterAlg",
        .inputs = "seed: Tseed",
        .outputs = "key: uint64, counter: uint64, alg: int32",
        .attrs = "Tseed: {int32, int64} = int64",
        .doc = "The key, the counter and the generator derived from a seed. seed: two integers of "
               "type Tseed.",
        .contract = "seed: vector of 2",
        .shape = KeyShape,
        .no_gradient = true,
        .examples = {{"tf.raw_ops.StatelessRandomGetKeyCounterAlg(seed=[0, 0])[2]", "1"}}})
      .CpuAny(KeyCounter);
  r.Op({.name = "StatelessRandomGetAlg",
        .outputs = "alg: int32",
        .doc = "The number of this device's generator: 1, Philox.",
        .shape = ScalarOutput,
        .no_gradient = true,
        .stateful = true,
        .examples = {{"tf.raw_ops.StatelessRandomGetAlg()", "1"}}})
      .CpuAny(Algorithm);
}

}  // namespace tensh::ops
