// tf.*_initializer: the initial values of variables.
#include <cmath>

#include "shell/python/values/error.h"
#include "shell/python/values/ops.h"
#include "shell/python/vm/library.h"
#include "shell/tensorflow/graph/build.h"
#include "shell/tensorflow/graph/rows.h"
#include "shell/tensorflow/graph/shape.h"
#include "shell/tensorflow/train/initializers.h"
#include "shell/tensorflow/train/variable_scope.h"

namespace tensh::shell::tf {
namespace {

using Kind = InitializerObject::Kind;

Value ShapeList(const std::vector<int64_t>& dims) {
  std::vector<Value> items;
  for (int64_t d : dims) items.push_back(Value::Int(d));
  return MakeList(std::move(items));
}

// The numbers of inputs and outputs that a weight of this shape connects.
struct Fans {
  double in = 1, out = 1;
};
Fans FansOf(const std::vector<int64_t>& dims) {
  const size_t n = dims.size();
  if (n < 1) return {1, 1};
  if (n == 1) return {static_cast<double>(dims[0]), static_cast<double>(dims[0])};
  double field = 1;
  for (size_t i = 0; i + 2 < n; ++i) field *= static_cast<double>(dims[i]);
  return {static_cast<double>(dims[n - 2]) * field, static_cast<double>(dims[n - 1]) * field};
}

Out MakeScaled(GraphObject& g, const InitializerObject& init, const std::vector<int64_t>& dims,
               int dtype) {
  const Fans fans = FansOf(dims);
  double scale = init.scale;
  if (init.mode == "fan_in") {
    scale /= std::max(1.0, fans.in);
  } else if (init.mode == "fan_out") {
    scale /= std::max(1.0, fans.out);
  } else {
    scale /= std::max(1.0, (fans.in + fans.out) / 2.0);
  }
  RandomSpec spec{ShapeList(dims), Value::Float(0), Value::None(), dtype, init.seed};
  if (init.distribution == "uniform") {
    const double limit = std::sqrt(3.0 * scale);
    spec.a = Value::Float(-limit);
    spec.b = Value::Float(limit);
    return RandomUniform(g, "random_uniform", spec);
  }
  const bool truncated = init.distribution != "untruncated_normal";
  // The standard deviation of a normal distribution that is truncated at two standard deviations.
  constexpr double kTruncatedDeviation = .87962566103423978;
  spec.b = Value::Float(std::sqrt(scale) / (truncated ? kTruncatedDeviation : 1));
  return truncated ? RandomNormal(g, "TruncatedNormal", "truncated_normal", spec)
                   : RandomNormal(g, "RandomStandardNormal", "random_normal", spec);
}

}  // namespace

Out InitializerObject::Make(GraphObject& g, const std::vector<int64_t>& dims, int wanted_dtype) {
  const int type = wanted_dtype ? wanted_dtype : dtype;
  const Value shape = ShapeList(dims);
  switch (kind) {
    case Kind::kZeros:
      return Filled(g, shape, 0, type, "zeros");
    case Kind::kOnes:
      return Filled(g, shape, 1, type, "ones");
    case Kind::kConstant:
      return Constant(g, ToConstant(value, type, dims), "Const");
    case Kind::kNormal:
      return RandomNormal(g, "RandomStandardNormal", "random_normal", {shape, a, b, type, seed});
    case Kind::kTruncated:
      return RandomNormal(g, "TruncatedNormal", "truncated_normal", {shape, a, b, type, seed});
    case Kind::kUniform:
      return RandomUniform(g, "random_uniform", {shape, a, b, type, seed});
    case Kind::kScaling:
      return MakeScaled(g, *this, dims, type);
    case Kind::kIdentity:
    case Kind::kOrthogonal:
      break;
  }
  throw NotImplementedError("This initializer is not implemented.")
      .Hint("Try tf.random_normal_initializer()");
}

namespace {

Value CallInitializer(const Value& self, const CallArgs& args) {
  auto& init = *As<InitializerObject>(self);
  Value shape, dtype = Value::None();
  if (args.positional() > 0) shape = args.args[0];
  if (args.positional() > 1) dtype = args.args[1];
  for (size_t i = 0; i < args.keyword_count(); ++i) {
    const Value& v = args.args[args.positional() + i];
    if (args.keyword(i) == "shape") shape = v;
    if (args.keyword(i) == "dtype") dtype = v;
  }
  if (shape.is_null())
    throw TypeError("__call__() missing 1 required positional argument: 'shape'");
  GraphObject& g = DefaultGraph();
  Ref<ShapeObject> dims = ToShape(shape);
  dims->CheckFullyDefined();
  return g.Tensor(init.Make(g, dims->dims(), dtype.is_none() ? 0 : BaseType(ToDType(dtype))));
}

Ref<InitializerObject> New_(Kind kind, const Value& dtype) {
  Ref<InitializerObject> made = New<InitializerObject>(kind);
  if (!dtype.is_none()) made->dtype = BaseType(ToDType(dtype));
  return made;
}

Value Zeros(Args& a) { return New_(a.row().data ? Kind::kOnes : Kind::kZeros, a[0]); }

Value ConstantInitializer(Args& a) {
  Ref<InitializerObject> made = New_(Kind::kConstant, a[1]);
  made->value = a[0];
  return made;
}

template <Kind kKind>
Value TwoNumbers(Args& a) {
  Ref<InitializerObject> made = New_(kKind, a[3]);
  made->a = a[0];
  made->b = a[1];
  made->seed = a[2];
  return made;
}

Value Scaling(Args& a) {
  Ref<InitializerObject> made = New_(Kind::kScaling, a[4]);
  made->scale = ToDouble(a[0]);
  made->mode = ToText(a[1], "mode");
  made->distribution = ToText(a[2], "distribution");
  made->seed = a[3];
  if (made->scale <= 0) throw ValueError("`scale` must be positive float.");
  if (made->mode != "fan_in" && made->mode != "fan_out" && made->mode != "fan_avg") {
    throw ValueError("Invalid `mode` argument: " + made->mode);
  }
  return made;
}

struct Preset {
  double scale;
  const char* mode;
  const char* distribution;
};
const Preset kGlorotUniform{1, "fan_avg", "uniform"},
    kGlorotNormal{1, "fan_avg", "truncated_normal"}, kHeUniform{2, "fan_in", "uniform"},
    kHeNormal{2, "fan_in", "truncated_normal"}, kLecunUniform{1, "fan_in", "uniform"},
    kLecunNormal{1, "fan_in", "truncated_normal"};

Value Preset_(Args& a) {
  const auto& preset = *static_cast<const Preset*>(a.row().data);
  Ref<InitializerObject> made = New_(Kind::kScaling, a.size() > 1 ? a[1] : Value::None());
  made->scale = preset.scale;
  made->mode = preset.mode;
  made->distribution = preset.distribution;
  made->seed = a[0];
  return made;
}

constexpr const char* kNormal = "mean=0.0, stddev=1.0, seed=None, dtype='float32'";
constexpr const char* kUniform = "minval=0, maxval=None, seed=None, dtype='float32'";
constexpr const char* kScaling =
    "scale=1.0, mode='fan_in', distribution='truncated_normal', seed=None, dtype='float32'";

// Each initializer has its names in tf, tf.initializers and tf.keras.initializers.
const FunctionRow kRows[] = {
    {"zeros_initializer", "dtype='float32'", Zeros, "Fills with zeros."},
    {"ones_initializer", "dtype='float32'", Zeros, "Fills with ones.", "ones"},
    {"constant_initializer", "value=0, dtype=None, verify_shape=False", ConstantInitializer,
     "Fills with a value."},
    {"random_normal_initializer", kNormal, TwoNumbers<Kind::kNormal>,
     "Draws from a normal distribution."},
    {"truncated_normal_initializer", kNormal, TwoNumbers<Kind::kTruncated>,
     "Draws from a normal distribution truncated at two standard deviations."},
    {"random_uniform_initializer", kUniform, TwoNumbers<Kind::kUniform>,
     "Draws uniformly from [minval, maxval)."},
    {"variance_scaling_initializer", kScaling, Scaling,
     "Draws with a variance that depends on the shape."},
    {"glorot_uniform_initializer", "seed=None, dtype='float32'", Preset_,
     "Glorot's (Xavier's) uniform initializer.", &kGlorotUniform},
    {"glorot_normal_initializer", "seed=None, dtype='float32'", Preset_,
     "Glorot's (Xavier's) normal initializer.", &kGlorotNormal},
};

const FunctionRow kShortRows[] = {
    {"zeros", "dtype='float32'", Zeros, "Fills with zeros."},
    {"ones", "dtype='float32'", Zeros, "Fills with ones.", "ones"},
    {"constant", "value=0, dtype=None, verify_shape=False", ConstantInitializer,
     "Fills with a value."},
    {"random_normal", kNormal, TwoNumbers<Kind::kNormal>, "Draws from a normal distribution."},
    {"truncated_normal", kNormal, TwoNumbers<Kind::kTruncated>,
     "Draws from a normal distribution truncated at two standard deviations."},
    {"random_uniform", kUniform, TwoNumbers<Kind::kUniform>,
     "Draws uniformly from [minval, maxval)."},
    {"variance_scaling", kScaling, Scaling, "Draws with a variance that depends on the shape."},
    {"glorot_uniform", "seed=None, dtype='float32'", Preset_, "Glorot's uniform initializer.",
     &kGlorotUniform},
    {"glorot_normal", "seed=None, dtype='float32'", Preset_, "Glorot's normal initializer.",
     &kGlorotNormal},
    {"he_uniform", "seed=None", Preset_, "He's uniform initializer.", &kHeUniform},
    {"he_normal", "seed=None", Preset_, "He's normal initializer.", &kHeNormal},
    {"lecun_uniform", "seed=None", Preset_, "LeCun's uniform initializer.", &kLecunUniform},
    {"lecun_normal", "seed=None", Preset_, "LeCun's normal initializer.", &kLecunNormal},
};

}  // namespace

const TypeInfo InitializerObject::kType = {
    .name = "Initializer", .module = "tensorflow.python.ops.init_ops", .call = CallInitializer};

std::span<const FunctionRow> InitializerRows() { return kRows; }

std::span<const FunctionRow> ShortInitializerRows() { return kShortRows; }

Ref<InitializerObject> DefaultInitializer(int dtype) {
  if (!IsFloating(dtype)) return New<InitializerObject>(Kind::kZeros);
  Ref<InitializerObject> made = New<InitializerObject>(Kind::kScaling);
  made->mode = "fan_avg";
  made->distribution = "uniform";
  return made;
}

}  // namespace tensh::shell::tf
