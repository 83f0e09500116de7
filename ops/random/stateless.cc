// Random numbers from a place in the stream of a generator that the inputs give. The numbers of the stateless
// ops are a pure function of it: the first family of ops takes a seed, and V2 a key and a counter derived from it.
// The stateful ops take a variable with the counter and the key, and advance it.
#include "ops/op_file.h"
#include "ops/random/distributions.h"
#include "ops/random/random_inputs.h"
#include "ops/state/handle_example.h"
#include "ops/support/shape_util.h"
#include "ops/support/var_update.h"

namespace tensh::ops {
namespace {

constexpr int64_t kPhilox = 1, kThreeFry = 2,
                  kAutoSelect = 3;  // TensorFlow's numbers for the algorithms

Status CheckAlgorithm(int64_t algorithm) {
  if (algorithm == kPhilox || algorithm == kAutoSelect) return {};
  if (algorithm == kThreeFry)
    return Unimplemented("Non-XLA devices don't support the ThreeFry algorithm.");
  return InvalidArgument("Unsupported algorithm id: ", algorithm);
}

}  // namespace

Result<PhiloxPlace> PlaceOfKey(KernelCtx& c) {
  const Tensor &key = c.in(1), &counter = c.in(2), &alg = c.in(3);
  TENSH_RETURN_IF_ERROR(CheckAlgorithm(*alg.data<int32_t>()));
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

// The words of a generator's state.
constexpr int kCounterLow = 0, kCounterHigh = 1, kStateKey = 2, kWords = 3;

// Returns the place in the variable of input 0, and advances it by `blocks`. `before` receives the words before.
Result<PhiloxPlace> Advance(KernelCtx& c, uint64_t blocks, uint64_t* before = nullptr) {
  LockedVariables<1> vars(c);
  TENSH_RETURN_IF_ERROR(vars.CheckInitialized());
  const Tensor& state = vars[0];
  if (state.dtype() != DType::kInt64)
    return InvalidArgument("dtype of RNG state variable must be int64, not ", Name(state.dtype()));
  if (state.rank() != 1)
    return InvalidArgument("RNG state must have one and only one dimension, not ", state.rank());
  if (state.dim(0) < kWords)
    return InvalidArgument("For the Philox algorithm, the size of state must be at least 3; got ",
                           state.dim(0));
  auto* words = reinterpret_cast<uint64_t*>(vars.variable(0).value.data<int64_t>());
  if (before) std::copy_n(words, kWords, before);
  const PhiloxPlace place{words[kStateKey], words[kCounterLow], words[kCounterHigh]};
  words[kCounterLow] += blocks;
  words[kCounterHigh] += words[kCounterLow] < blocks;
  return place;
}

bool IsStateful(KernelCtx& c) { return c.in(0).dtype() == DType::kResource; }

// Input 0 is the shape of the output, or the variable, which the algorithm may follow before the shape.
const Tensor& ShapeOfNumbers(KernelCtx& c) {
  return c.in(!IsStateful(c) ? 0 : c.num_inputs() == 2 ? 1 : 2);
}

}  // namespace

Result<PhiloxPlace> PlaceOf(KernelCtx& c, int64_t n) {
  if (IsStateful(c)) {
    if (c.num_inputs() > 2) TENSH_RETURN_IF_ERROR(CheckAlgorithm(*c.in(1).data<int64_t>()));
    return Advance(c, static_cast<uint64_t>(n) * kBlocksPerNumber);
  }
  if (c.num_inputs() == 1) {
    const SeedPair seeds = SeedsOrSystems(0, 0);
    return PhiloxPlace{seeds.first, 0, seeds.second};
  }
  return c.in(1).dtype() == DType::kUint64 ? PlaceOfKey(c) : PlaceOfSeed(c.in(1));
}

namespace {

enum class Kind : uint8_t { kUniform, kNormal, kTruncated, kFull };

template <Kind kind>
struct Numbers {
  template <class T>
  Status operator()(KernelCtx& c) const {
    TENSH_ASSIGN(Shape shape, ShapeFromTensor(ShapeOfNumbers(c)));
    TENSH_OUTPUT(out, c.Output(0, shape));
    TENSH_ASSIGN(const PhiloxPlace place, PlaceOf(c, out->num_elements()));
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

struct Integers {
  template <class T>
  Status operator()(KernelCtx& c) const {
    using U = std::make_unsigned_t<T>;
    TENSH_ASSIGN(Shape shape, ShapeFromTensor(ShapeOfNumbers(c)));
    const Tensor &minval = c.in(c.num_inputs() - 2), &maxval = c.in(c.num_inputs() - 1);
    TENSH_OUTPUT(out, c.Output(0, shape));
    const T low = *minval.data<T>(), high = *maxval.data<T>();
    if (low >= high && (out->num_elements() || IsStateful(c)))
      return InvalidArgument("Need minval < maxval, got ", low, " >= ", high);
    TENSH_ASSIGN(const PhiloxPlace place, PlaceOf(c, out->num_elements()));
    const U range = static_cast<U>(static_cast<U>(high) - static_cast<U>(low));
    FillGroups<T>(c, place.Start(), *out, UniformInt<T>{low, range}, 12);
    return {};
  }
};

// RngReadAndSkip and RngSkip, which has no output.
Status SkipNumbers(KernelCtx& c) {
  const Tensor &alg = c.in(1), &delta = c.in(2);
  TENSH_RETURN_IF_ERROR(
      CheckAlgorithm(alg.dtype() == DType::kInt32 ? *alg.data<int32_t>() : *alg.data<int64_t>()));
  const uint64_t numbers = delta.dtype() == DType::kUint64
                               ? *delta.data<uint64_t>()
                               : static_cast<uint64_t>(*delta.data<int64_t>());
  uint64_t before[kWords] = {};
  TENSH_ASSIGN([[maybe_unused]] const PhiloxPlace place,
               Advance(c, numbers * kBlocksPerNumber, before));
  if (!c.num_outputs()) return {};
  TENSH_OUTPUT(out, c.Output(0, Shape({kWords})));
  std::copy_n(before, kWords, out->data<int64_t>());
  return {};
}

// ---- keys ----

Status SetWords(KernelCtx& c, int output, std::initializer_list<uint64_t> words) {
  TENSH_OUTPUT(out, c.Output(output, Shape({static_cast<int64_t>(words.size())})));
  std::copy(words.begin(), words.end(), out->data<uint64_t>());
  return {};
}

Status SetAlgorithm(KernelCtx& c, int output) {
  TENSH_OUTPUT(out, c.Output(output, Shape()));
  *out->data<int32_t>() = static_cast<int32_t>(kPhilox);
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
          .shape = RandomShape,
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
          .shape = RandomShape,
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
      .Cpu<float, double, Half, Bfloat16>(Numbers<Kind::kUniform>{}, kByDtype);
  r.Op(with(Seeded("StatelessRandomNormal", kFloats, "",
                   "Normal random numbers with mean 0 and standard deviation 1", " = int32"),
            {"tf.raw_ops.StatelessRandomNormal(shape=[0], seed=[1, 2])", "[]"}))
      .Cpu<float, double>(Numbers<Kind::kNormal>{}, kByDtype);
  r.Op(with(Seeded("StatelessTruncatedNormal", kFloats, "",
                   "Normal random numbers with mean 0 and standard deviation 1, within (-2, 2)",
                   " = int32"),
            {"tf.raw_ops.StatelessTruncatedNormal(shape=[0], seed=[1, 2])", "[]"}))
      .Cpu<float, double>(Numbers<Kind::kTruncated>{}, kByDtype);
  r.Op(with(Seeded("StatelessRandomUniformInt", "{int32, int64}", kBounds,
                   "Uniform random integers in [minval, maxval)", ""),
            {"tf.raw_ops.StatelessRandomUniformInt(shape=[1], seed=[1, 2], minval=0, maxval=1)",
             "[0]"}))
      .Cpu<int32_t, int64_t>(Integers{}, kByDtype);
  r.Op(with(Seeded("StatelessRandomUniformFullInt", "{int32, int64, uint32, uint64} = uint64", "",
                   "Uniform random integers over all values of the type", " = int32"),
            {"tf.raw_ops.StatelessRandomUniformFullInt(shape=[0], seed=[1, 2])", "[]"}))
      .Cpu<int32_t, int64_t, uint32_t, uint64_t>(Numbers<Kind::kFull>{}, kByDtype);
}

// ---- the ops with a variable ----

template <int kInput>
Status ShapeFromInput(ShapeCtx& c) {
  TENSH_ASSIGN(Shape out, ShapeInput(c, kInput));
  c.Set(0, out);
  return {};
}

constexpr char kVariableDoc[] =
    " resource: a variable with three integers of int64, the counter and the key of the "
    "generator, which the op advances.";

OpSpec Held(std::string_view name, std::string_view types, std::string_view more,
            std::string_view what) {
  const bool old = name == "StatefulStandardNormal";
  const std::string call =
      StrCat("tf.raw_ops.", name, "(resource=", HandleExample("np.int64([1, 2, 3])"),
             old ? "" : ", algorithm=1");
  return {.name = name,
          .inputs = StrCat("resource: resource", old ? "" : ", algorithm: int64",
                           ", shape: shape_dtype", more),
          .outputs = "output: dtype",
          .attrs = StrCat("dtype: type = ", types, ", shape_dtype: type = int64"),
          .doc = StrCat(
              what, ", from a generator whose state is a variable.", kVariableDoc,
              old ? "" : " algorithm: the generator; 1 is Philox.",
              " shape: the shape of output, a vector of type shape_dtype. dtype: the "
              "type of output.",
              more.empty()
                  ? ""
                  : " minval, maxval: the lower bound, and the upper bound, which is excluded."),
          .contract = StrCat("resource: scalar", old ? "" : ", algorithm: scalar",
                             ", shape: vector", more.empty() ? "" : kScalarBounds),
          .shape = old ? ShapeFromInput<1> : ShapeFromInput<2>,
          .no_gradient = true,
          .stateful = true,
          .examples = {
              {StrCat(call, more.empty() ? ", shape=[0], dtype=tf." : ", shape=[2], minval=np.",
                      more.empty() ? (types == "float" ? "float32)" : "uint64)")
                                   : "int64(4), maxval=np.int64(5))"),
               more.empty() ? "[]" : "[4 4]"}}};
}

OpSpec Skips(bool reads) {
  return {
      .name = reads ? "RngReadAndSkip" : "RngSkip",
      .inputs = reads ? "resource: resource, alg: int32, delta: uint64"
                      : "resource: resource, algorithm: int64, delta: int64",
      .outputs = reads ? "value: int64" : "",
      .doc = StrCat("Advances a generator by delta numbers.", kVariableDoc,
                    reads ? " alg" : " algorithm", ": the generator; 1 is Philox. delta: a scalar.",
                    reads ? " value: the state before." : ""),
      .contract =
          StrCat("resource: scalar, ", reads ? "alg" : "algorithm", ": scalar, delta: scalar"),
      .shape = [](ShapeCtx& c) -> Status {
        if (c.num_outputs()) c.Set(0, Shape({kWords}));
        return {};
      },
      .no_gradient = true,
      .stateful = true,
      .examples = {{StrCat("tf.raw_ops.", reads ? "RngReadAndSkip" : "RngSkip",
                           "(resource=", HandleExample("np.int64([1, 2, 3])"),
                           reads ? ", alg=1, delta=np.uint64(1))" : ", algorithm=1, delta=1)"),
                    reads ? "[1 2 3]" : ""}}};
}

void RegisterHeld(OpRegistry& r) {
  r.Op(Held("StatefulUniform", "float", "", "Uniform random numbers in [0, 1)"))
      .Cpu<float, double, Half, Bfloat16>(Numbers<Kind::kUniform>{}, kByDtype);
  for (const char* name : {"StatefulStandardNormal", "StatefulStandardNormalV2"})
    r.Op(Held(name, "float", "", "Normal random numbers with mean 0 and standard deviation 1"))
        .Cpu<float, double>(Numbers<Kind::kNormal>{}, kByDtype);
  r.Op(Held("StatefulTruncatedNormal", "float", "",
            "Normal random numbers with mean 0 and standard deviation 1, within (-2, 2)"))
      .Cpu<float, double>(Numbers<Kind::kTruncated>{}, kByDtype);
  r.Op(Held("StatefulUniformInt", "int64", ", minval: dtype, maxval: dtype",
            "Uniform random integers in [minval, maxval)"))
      .Cpu<int32_t, int64_t>(Integers{}, kByDtype);
  r.Op(Held("StatefulUniformFullInt", "uint64", "",
            "Uniform random integers over all values of the type"))
      .Cpu<int32_t, int64_t, uint32_t, uint64_t>(Numbers<Kind::kFull>{}, kByDtype);
  for (const bool reads : {false, true}) r.Op(Skips(reads)).CpuAny(SkipNumbers);
  r.Op({.name = "NonDeterministicInts",
        .inputs = "shape: shape_dtype",
        .outputs = "output: dtype",
        .attrs = "dtype: type = int64, shape_dtype: type = int64",
        .doc = "Random integers over all values of the type, which no seed determines. shape: the "
               "shape of output, a vector of type shape_dtype. dtype: the type of output.",
        .contract = "shape: vector",
        .shape = RandomShape,
        .no_gradient = true,
        .stateful = true,
        .examples = {{"tf.raw_ops.NonDeterministicInts(shape=[0])", "[]"}}})
      .Cpu<int32_t, int64_t, uint32_t, uint64_t>(Numbers<Kind::kFull>{}, kByDtype);
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
      .Cpu<float, double, Half, Bfloat16>(Numbers<Kind::kUniform>{}, kByDtype);
  r.Op(with(Keyed("StatelessRandomNormalV2", kFloats, "",
                  "Normal random numbers with mean 0 and standard deviation 1"),
            "", "0", "[]"))
      .Cpu<float, double>(Numbers<Kind::kNormal>{}, kByDtype);
  r.Op(with(Keyed("StatelessTruncatedNormalV2", kFloats, "",
                  "Normal random numbers with mean 0 and standard deviation 1, within (-2, 2)"),
            "", "0", "[]"))
      .Cpu<float, double>(Numbers<Kind::kTruncated>{}, kByDtype);
  r.Op(with(Keyed("StatelessRandomUniformIntV2", "{int32, int64, uint32, uint64}", kBounds,
                  "Uniform random integers in [minval, maxval)"),
            ", minval=0, maxval=1", "2", "[0 0]"))
      .Cpu<int32_t, int64_t>(Integers{}, kByDtype);
  r.Op(with(Keyed("StatelessRandomUniformFullIntV2", "{int32, int64, uint32, uint64} = uint64", "",
                  "Uniform random integers over all values of the type"),
            "", "0", "[]"))
      .Cpu<int32_t, int64_t, uint32_t, uint64_t>(Numbers<Kind::kFull>{}, kByDtype);
}

}  // namespace

TENSH_OPS(random_stateless) {
  RegisterSeeded(r);
  RegisterKeyed(r);
  RegisterHeld(r);
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
