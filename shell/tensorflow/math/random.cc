// tf.random_*. Seeds are taken at the same points as in TensorFlow, so that the same program draws
// the same numbers.
#include "shell/tensorflow/math/random.h"
#include "shell/python/values/error.h"
#include "shell/python/values/ops.h"
#include "shell/tensorflow/graph/arrays.h"
#include "shell/tensorflow/graph/build.h"
#include "shell/tensorflow/graph/rows.h"
#include "shell/tensorflow/graph/shape.h"

namespace tensh::shell::tf {
namespace {

Out ShapeTensor(GraphObject& g, const Value& shape) {
  ConvertOptions options;
  const auto* items = Sequence(shape);
  if (items && items->empty()) options.dtype = TSH_INT32;
  return Convert(g, shape, "shape", options);
}

Out RandomOp(GraphObject& g, const char* op, Out shape, int dtype, const Value& seed) {
  const Seeds seeds = NextSeeds(g, seed);
  OpCall call(g, op);
  call.In(shape).Type("dtype", dtype).attrs().Int("seed", seeds.graph).Int("seed2", seeds.op);
  return call.Add();
}

}  // namespace

Out RandomNormal(GraphObject& g, const char* op, std::string_view name, const RandomSpec& spec) {
  NameScope scope(g, name);
  const Out shape = ShapeTensor(g, spec.shape);
  const Out mean = Convert(g, spec.a, "mean", {.dtype = spec.dtype});
  const Out stddev = Convert(g, spec.b, "stddev", {.dtype = spec.dtype});
  const Out random = RandomOp(g, op, shape, spec.dtype, spec.seed);
  const Out scaled = MulOp(g, random, stddev);
  return Op(g, "AddV2", {scaled, mean}, g.scope);
}

Out RandomUniform(GraphObject& g, std::string_view name, const RandomSpec& spec) {
  NameScope scope(g, name);
  const bool integers = IsInteger(spec.dtype);
  if (spec.b.is_none() && integers) {
    throw ValueError("Must specify maxval for integer dtype " + Repr(DTypeValue(spec.dtype)));
  }
  const Out shape = ShapeTensor(g, spec.shape);
  const Value top = spec.b.is_none() ? Value::Int(1) : spec.b;
  const Out low = Convert(g, spec.a, "min", {.dtype = spec.dtype});
  const Out high = Convert(g, top, "max", {.dtype = spec.dtype});
  if (integers) {
    const Seeds seeds = NextSeeds(g, spec.seed);
    OpCall call(g, "RandomUniformInt", g.scope);
    call.In(shape).In(low).In(high).attrs().Int("seed", seeds.graph).Int("seed2", seeds.op);
    return call.Add();
  }
  const Out random = RandomOp(g, "RandomUniform", shape, spec.dtype, spec.seed);
  const Out width = SubOp(g, high, low);
  return Op(g, "AddV2", {MulOp(g, random, width), low}, g.scope);
}

namespace {

Value NormalFn(Args& a) {
  static constexpr std::pair<const char*, const char*> kNames[] = {
      {"RandomStandardNormal", "random_normal"}, {"TruncatedNormal", "truncated_normal"}};
  const auto& [op, name] = kNames[a.row().data ? 1 : 0];
  GraphObject& g = GraphOf({&a[0], &a[1], &a[2]});
  return g.Tensor(
      RandomNormal(g, op, NameOr(a[5], name), {a[0], a[1], a[2], BaseType(ToDType(a[3])), a[4]}));
}

Value UniformFn(Args& a) {
  GraphObject& g = GraphOf({&a[0], &a[1], &a[2]});
  return g.Tensor(RandomUniform(g, NameOr(a[5], "random_uniform"),
                                {a[0], a[1], a[2], BaseType(ToDType(a[3])), a[4]}));
}

Value Shuffle(Args& a) {
  GraphObject& g = GraphOf({&a[0]});
  const Seeds seeds = NextSeeds(g, a[1]);
  OpCall call(g, "RandomShuffle", NameText(a[2]));
  call.In(a[0]).attrs().Int("seed", seeds.graph).Int("seed2", seeds.op);
  return call.AddValue();
}

Value SetRandomSeed(Args& a) {
  GraphObject& g = DefaultGraph();
  if (a[0].is_none()) {
    g.seed.reset();
  } else {
    g.seed = ToIndex(a[0]);
  }
  return Value::None();
}

constexpr const char* kNormal =
    "shape, mean=0.0, stddev=1.0, dtype='float32', seed=None, name=None";

const FunctionRow kRows[] = {
    {"random_normal", kNormal, NormalFn, "Random numbers of a normal distribution."},
    {"truncated_normal", kNormal, NormalFn,
     "Random numbers of a normal distribution truncated at two standard deviations.", "truncated"},
    {"random_uniform", "shape, minval=0, maxval=None, dtype='float32', seed=None, name=None",
     UniformFn, "Random numbers that are uniform in [minval, maxval)."},
    {"random_shuffle", "value, seed=None, name=None", Shuffle, "Shuffles the rows."},
    {"set_random_seed", "seed", SetRandomSeed, "Sets the seed of the graph's random ops."},
    {"get_seed", "op_seed",
     [](Args& a) -> Value {
       const Seeds s = NextSeeds(DefaultGraph(), a[0]);
       return MakeTuple({Value::Int(s.graph), Value::Int(s.op)});
     },
     "The two seeds of the next random op."},
};

}  // namespace

std::span<const FunctionRow> RandomRows() { return kRows; }

}  // namespace tensh::shell::tf
