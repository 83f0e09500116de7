// RandomUniform, RandomStandardNormal, TruncatedNormal and RandomUniformInt. The numbers are
// TensorFlow's for the same seeds.
#include "ops/op_file.h"
#include "ops/random/distributions.h"
#include "ops/random/random_inputs.h"
#include "ops/support/shape_util.h"

namespace tensh::ops {
namespace {

// Returns the node's generator and advances it by the blocks for all elements of `out`.
Philox Reserve(KernelCtx& c, const Tensor& out) {
  return c.state<RandomState>().generator->Reserve(static_cast<uint64_t>(out.num_elements()) *
                                                   kBlocksPerNumber);
}

struct RandomUniform {
  template <class T>
  Status operator()(KernelCtx& c) const {
    TENSH_ASSIGN(Shape shape, ShapeFromTensor(c.in(0)));
    TENSH_OUTPUT(out, c.Output(0, shape));
    FillGroups<T>(c, Reserve(c, *out), *out, Uniform<T>{}, 8);
    return {};
  }
};

struct RandomStandardNormal {
  template <class T>
  Status operator()(KernelCtx& c) const {
    TENSH_ASSIGN(Shape shape, ShapeFromTensor(c.in(0)));
    TENSH_OUTPUT(out, c.Output(0, shape));
    FillGroups<T>(c, Reserve(c, *out), *out, Normal<T>{}, 50);
    return {};
  }
};

struct TruncatedNormal {
  template <class T>
  Status operator()(KernelCtx& c) const {
    TENSH_ASSIGN(Shape shape, ShapeFromTensor(c.in(0)));
    TENSH_OUTPUT(out, c.Output(0, shape));
    FillTruncated<T>(c, Reserve(c, *out), *out);
    return {};
  }
};

struct RandomUniformInt {
  template <class T>
  Status operator()(KernelCtx& c) const {
    using U = std::make_unsigned_t<T>;
    const Tensor &minval = c.in(1), &maxval = c.in(2);
    TENSH_ASSIGN(Shape shape, ShapeFromTensor(c.in(0)));
    TENSH_OUTPUT(out, c.Output(0, shape));
    if (!out->num_elements()) return {};
    T low = *minval.data<T>(), high = *maxval.data<T>();
    if (low >= high) return InvalidArgument("Need minval < maxval, got ", low, " >= ", high);
    U range = static_cast<U>(static_cast<U>(high) - static_cast<U>(low));
    FillGroups<T>(c, Reserve(c, *out), *out, UniformInt<T>{low, range}, 12);
    return {};
  }
};

constexpr char kSeedDoc[] =
    " seed and seed2 determine the random stream unless both are 0; each run of the node continues "
    "it.";

OpSpec FloatSpec(const char* name, const char* doc, Example example) {
  return {.name = name,
          .inputs = "shape: T",
          .outputs = "output: dtype",
          .attrs =
              "seed: int = 0, seed2: int = 0, dtype: {half, bfloat16, float, double}, "
              "T: {int32, int64}",
          .doc = StrCat(doc, kSeedDoc),
          .contract = "shape: vector",
          .shape = RandomShape,
          .no_gradient = true,
          .stateful = true,
          .never_waits = true,
          .examples = {example}};
}

}  // namespace

Status RandomShape(ShapeCtx& c) {
  TENSH_ASSIGN(Shape out, ShapeInput(c, 0));
  c.Set(0, out);
  return {};
}

TENSH_OPS(random_random) {
  constexpr KernelOptions kOptions = {.prepare = PrepareRandom, .type_attr = "dtype"};
  r.Op(FloatSpec("RandomUniform",
                 "Uniform random numbers in [0, 1). shape, a vector of type T, is the shape of "
                 "output, whose type is dtype.",
                 {"tf.random_uniform([2], seed=1)", "[0.2390374  0.92039955]"}))
      .Cpu<float, double, Half, Bfloat16>(RandomUniform{}, kOptions);
  r.Op(FloatSpec("RandomStandardNormal",
                 "Normal random numbers with mean 0 and standard deviation 1. shape, a vector of "
                 "type T, is the shape of output, whose type is dtype.",
                 {"tf.random_normal([2], seed=1)", "[-0.8113182  1.4845988]"}))
      .Cpu<float, double>(RandomStandardNormal{}, kOptions);
  r.Op(FloatSpec("TruncatedNormal",
                 "Normal random numbers with mean 0 and standard deviation 1, within (-2, 2). "
                 "shape, a vector of type T, is the shape of output, whose type is dtype.",
                 {"tf.truncated_normal([2], seed=1)", "[-0.8113182  1.4845988]"}))
      .Cpu<float, double>(TruncatedNormal{}, kOptions);
  r.Op({.name = "RandomUniformInt",
        .inputs = "shape: T, minval: Tout, maxval: Tout",
        .outputs = "output: Tout",
        .attrs = "seed: int = 0, seed2: int = 0, Tout: {int32, int64}, T: {int32, int64}",
        .doc = StrCat("Uniform random integers in [minval, maxval), which are scalars of type "
                      "Tout. shape, a vector of type T, is the shape of output.",
                      kSeedDoc),
        .contract = "shape: vector, minval: scalar, maxval: scalar",
        .shape = RandomShape,
        .no_gradient = true,
        .stateful = true,
        .never_waits = true,
        .examples = {{"tf.random_uniform([3], 0, 10, dtype=tf.int32, seed=1)", "[7 9 3]"}}})
      .Cpu<int32_t, int64_t>(RandomUniformInt{}, {.prepare = PrepareRandom, .type_attr = "Tout"});
}

}  // namespace tensh::ops
