#include <cmath>

#include "ops/op_file.h"
#include "ops/support/philox.h"
#include "ops/support/shape_util.h"

namespace tensh::ops {
namespace {

// Blocks of 128 bits set aside for each number, whether used or not: TensorFlow's, part of the
// stream.
constexpr uint64_t kBlocksPerNumber = 256;

// Numbers one block of 128 bits gives.
template <class T>
constexpr int64_t kPerBlock = 16 / sizeof(T);

template <class T>
struct Uniform {
  void operator()(Philox& philox, T* out) const {
    Philox::Block bits = philox.Next();
    if constexpr (sizeof(T) == 4)
      for (int i = 0; i < 4; ++i) out[i] = UnitFloat(bits[i]);
    else
      for (int i = 0; i < 2; ++i) out[i] = UnitDouble(bits[2 * i], bits[2 * i + 1]);
  }
};

template <class T>
struct Normal {
  void operator()(Philox& philox, T* out) const {
    Philox::Block bits = philox.Next();
    NormalPair(bits.data(), out);
    if constexpr (sizeof(T) == 4) NormalPair(bits.data() + 2, out + 2);
  }
};

template <class T>
struct UniformInt {
  T low;
  std::make_unsigned_t<T> range;
  void operator()(Philox& philox, T* out) const {
    using U = std::make_unsigned_t<T>;
    Philox::Block bits = philox.Next();
    for (int64_t i = 0; i < kPerBlock<T>; ++i) {
      U x = static_cast<U>(bits[static_cast<size_t>(i)]);
      if constexpr (sizeof(T) == 8)
        x = bits[static_cast<size_t>(2 * i)] | uint64_t{bits[static_cast<size_t>(2 * i + 1)]} << 32;
      out[i] = static_cast<T>(static_cast<U>(low) + x % range);
    }
  }
};

// Fills from a distribution that takes one block a group: group i comes from block i, so that it
// does not matter which thread makes it.
template <class T, class Distribution>
void FillGroups(KernelCtx& c, Tensor& out, Distribution distribution, double ns_per_group) {
  constexpr int64_t kGroup = kPerBlock<T>;
  int64_t n = out.num_elements();
  const Philox start =
      c.state<RandomState>().generator->Reserve(static_cast<uint64_t>(n) * kBlocksPerNumber);
  T* y = out.data<T>();
  c.ParallelFor((n + kGroup - 1) / kGroup, ns_per_group, [&](int64_t begin, int64_t end) {
    Philox philox = start;
    philox.Skip(static_cast<uint64_t>(begin));
    for (int64_t g = begin; g < end; ++g) {
      T group[kGroup];
      distribution(philox, group);
      for (int64_t i = 0; i < kGroup && g * kGroup + i < n; ++i) y[g * kGroup + i] = group[i];
    }
  });
}

Result<Shape> RandomShapeOf(const Tensor& shape) {
  if (!IsVector(shape))
    return InvalidArgument("shape must be a vector of {int32,int64}, got shape ", shape.shape());
  return ShapeFromTensor(shape);
}

struct RandomUniform {
  template <class T>
  Status operator()(KernelCtx& c) const {
    TENSH_ASSIGN(Shape shape, RandomShapeOf(c.in(0)));
    TENSH_OUTPUT(out, c.Output(0, shape));
    FillGroups<T>(c, *out, Uniform<T>{}, 8);
    return {};
  }
};

struct RandomStandardNormal {
  template <class T>
  Status operator()(KernelCtx& c) const {
    TENSH_ASSIGN(Shape shape, RandomShapeOf(c.in(0)));
    TENSH_OUTPUT(out, c.Output(0, shape));
    FillGroups<T>(c, *out, Normal<T>{}, 50);
    return {};
  }
};

// Normal numbers again and again until the group is full of ones within two deviations.
template <class T>
void TruncatedGroup(Philox32 bits, T* out) {
  constexpr int64_t kGroup = kPerBlock<T>;
  constexpr int kWords = sizeof(T) / 2;
  int64_t found = 0;
  while (true) {
    uint32_t words[kWords];
    for (uint32_t& w : words) w = bits.Next();
    T pair[2];
    NormalPair(words, pair);
    for (T x : pair) {
      if (!(std::abs(x) < T(2))) continue;
      out[found++] = x;
      if (found == kGroup) return;
    }
  }
}

struct TruncatedNormal {
  template <class T>
  Status operator()(KernelCtx& c) const {
    constexpr int64_t kGroup = kPerBlock<T>;
    constexpr uint64_t kBlocksPerGroup = kGroup * kBlocksPerNumber / 4;
    TENSH_ASSIGN(Shape shape, RandomShapeOf(c.in(0)));
    TENSH_OUTPUT(out, c.Output(0, shape));
    int64_t n = out->num_elements();
    const Philox start =
        c.state<RandomState>().generator->Reserve(static_cast<uint64_t>(n) * kBlocksPerNumber);
    T* y = out->data<T>();
    c.ParallelFor((n + kGroup - 1) / kGroup, 60, [&](int64_t begin, int64_t end) {
      for (int64_t g = begin; g < end; ++g) {
        Philox philox = start;
        philox.Skip(static_cast<uint64_t>(g) * kBlocksPerGroup);
        T group[kGroup];
        TruncatedGroup(Philox32(philox), group);
        for (int64_t i = 0; i < kGroup && g * kGroup + i < n; ++i) y[g * kGroup + i] = group[i];
      }
    });
    return {};
  }
};

struct RandomUniformInt {
  template <class T>
  Status operator()(KernelCtx& c) const {
    using U = std::make_unsigned_t<T>;
    const Tensor &minval = c.in(1), &maxval = c.in(2);
    if (minval.rank() != 0)
      return InvalidArgument("minval must be 0-D, got shape ", minval.shape());
    if (maxval.rank() != 0)
      return InvalidArgument("maxval must be 0-D, got shape ", maxval.shape());
    TENSH_ASSIGN(Shape shape, RandomShapeOf(c.in(0)));
    TENSH_OUTPUT(out, c.Output(0, shape));
    if (!out->num_elements()) return {};
    T low = *minval.data<T>(), high = *maxval.data<T>();
    if (low >= high) return InvalidArgument("Need minval < maxval, got ", low, " >= ", high);
    U range = static_cast<U>(static_cast<U>(high) - static_cast<U>(low));
    FillGroups<T>(c, *out, UniformInt<T>{low, range}, 12);
    return {};
  }
};

Status RandomShape(ShapeCtx& c) {
  TENSH_RETURN_IF_ERROR(c.WithRank(0, 1));
  for (int i = 1; i < c.num_inputs(); ++i) TENSH_RETURN_IF_ERROR(c.WithRank(i, 0));
  TENSH_ASSIGN(Shape out, ShapeInput(c, 0));
  c.Set(0, out);
  return {};
}

constexpr char kSeedDoc[] =
    " seed and seed2, when not both 0, fix the stream; each run of the node goes on in it.";

OpSpec FloatSpec(const char* name, const char* doc, Example example) {
  return {.name = name,
          .inputs = "shape: T",
          .outputs = "output: dtype",
          .attrs =
              "seed: int = 0, seed2: int = 0, dtype: {half, bfloat16, float, double}, "
              "T: {int32, int64}",
          .doc = StrCat(doc, kSeedDoc),
          .shape = RandomShape,
          .no_gradient = true,
          .stateful = true,
          .examples = {std::move(example)}};
}

}  // namespace

TENSH_OPS(random_random) {
  constexpr KernelOptions kOptions = {.prepare = PrepareRandom, .type_attr = "dtype"};
  r.Op(FloatSpec("RandomUniform",
                 "Random numbers, uniform in [0, 1). shape, a vector of type T, is the shape of "
                 "output, whose type is dtype.",
                 {"tf.random_uniform([2], seed=1)", "[0.2390374  0.92039955]"}))
      .Cpu<float, double>(RandomUniform{}, kOptions);
  r.Op(FloatSpec(
           "RandomStandardNormal",
           "Random numbers, normal with mean 0 and deviation 1. shape, a vector of type T, is "
           "the shape of output, whose type is dtype.",
           {"tf.random_normal([2], seed=1)", "[-0.8113182  1.4845988]"}))
      .Cpu<float, double>(RandomStandardNormal{}, kOptions);
  r.Op(FloatSpec("TruncatedNormal",
                 "Random numbers, normal with mean 0 and deviation 1, but none further than 2 from "
                 "0. shape, a vector of type T, is the shape of output, whose type is dtype.",
                 {"tf.truncated_normal([2], seed=1)", "[-0.8113182  1.4845988]"}))
      .Cpu<float, double>(TruncatedNormal{}, kOptions);
  r.Op({.name = "RandomUniformInt",
        .inputs = "shape: T, minval: Tout, maxval: Tout",
        .outputs = "output: Tout",
        .attrs = "seed: int = 0, seed2: int = 0, Tout: {int32, int64}, T: {int32, int64}",
        .doc =
            StrCat("Random integers, uniform in [minval, maxval), which are scalars of type Tout. "
                   "shape, a vector of type T, is the shape of output.",
                   kSeedDoc),
        .shape = RandomShape,
        .no_gradient = true,
        .stateful = true,
        .examples = {{"tf.random_uniform([3], 0, 10, dtype=tf.int32, seed=1)", "[7 9 3]"}}})
      .Cpu<int32_t, int64_t>(RandomUniformInt{}, {.prepare = PrepareRandom, .type_attr = "Tout"});
}

}  // namespace tensh::ops
