// tf.nn: activations, cross entropies, and functions that layers use.
#include "shell/python/values/containers.h"
#include "shell/python/values/error.h"
#include "shell/python/values/ops.h"
#include "shell/python/vm/library.h"
#include "shell/tensorflow/graph/arrays.h"
#include "shell/tensorflow/graph/build.h"
#include "shell/tensorflow/graph/rows.h"
#include "shell/tensorflow/graph/scatter.h"
#include "shell/tensorflow/graph/shape.h"
#include "shell/tensorflow/graph/variable.h"
#include "shell/tensorflow/math/random.h"

namespace tensh::shell::tf {
namespace {

// ---- softmax ----

// Computes a softmax over an axis other than the last by swapping axes before and after.
Out OverAxis(GraphObject& g, const char* op, Out x, int64_t axis, std::string_view name) {
  const ShapeInfo shape = g.handle().Shape(x);
  const int rank = shape.rank;
  if (axis == -1 || rank < 0 || axis == rank - 1) return Op(g, op, {x}, name);
  if (axis < -rank || axis >= rank) {
    throw MakeError(kValueError, "Cannot use an axis of " + std::to_string(axis) +
                                     " with a tensor of rank " + std::to_string(rank));
  }
  std::vector<int64_t> order(static_cast<size_t>(rank));
  for (size_t i = 0; i < order.size(); ++i) order[i] = static_cast<int64_t>(i);
  std::swap(order[static_cast<size_t>(axis < 0 ? axis + rank : axis)], order.back());
  const Out perm = Constant(g, TensorHandle::Int32s(order), "transpose/perm");
  const Out swapped = Op(g, "Transpose", {x, perm}, "transpose");
  return Op(g, "Transpose", {Op(g, op, {swapped}), perm}, name);
}

Value SoftmaxFn(Args& a) {
  const char* op = static_cast<const char*>(a.row().data);
  if (!a[1].is_none() && !a[3].is_none()) throw ValueError("Cannot specify both 'dim' and 'axis'.");
  const Value& axis = a[1].is_none() ? a[3] : a[1];
  GraphObject& g = GraphOf({&a[0]});
  const Out x = Convert(g, a[0], "logits");
  return g.Tensor(OverAxis(g, op, x, axis.is_none() ? -1 : ToIndex(axis), NameText(a[2])));
}

// ---- cross entropies ----

void CheckSentinel(const char* function, const Value& sentinel, const Value& labels,
                   const Value& logits) {
  if (!sentinel.is_none()) {
    throw ValueError(std::string("Only call `") + function +
                     "` with named arguments (labels=..., logits=..., ...)");
  }
  if (labels.is_none() || logits.is_none())
    throw ValueError("Both labels and logits must be provided.");
}

// [a, b, c] → [a*b, c].
Out FlattenOuter(GraphObject& g, Out x) {
  const ShapeInfo shape = g.handle().Shape(x);
  const Out rank = RankOf(g, x);
  const Out dims = ShapeOf(g, x);
  const Out last = Op(g, "Sub", {rank, Arg(Value::Int(1))});
  const Value begin = MakeList({g.Tensor(last)}), size = MakeList({Value::Int(1)});
  const Out last_size = Op(g, "Slice", {dims, begin, size});
  const Value parts = MakeList({MakeList({Value::Int(-1)}), g.Tensor(last_size)});
  const Out flat_shape =
      OpCall(g, GetOp("ConcatV2"), "", "concat").In(parts).In(Arg(Value::Int(0))).Add();
  const Out flat = Reshape(g, x, flat_shape);
  if (shape.rank <= 0) return flat;
  int64_t rows = 1;
  for (int i = 0; i + 1 < shape.rank; ++i) {
    const int64_t d = shape.extents[static_cast<size_t>(i)];
    rows = d < 0 || rows < 0 ? -1 : rows * d;
  }
  const int64_t known[] = {rows, shape.extents[static_cast<size_t>(shape.rank - 1)]};
  g.handle().NarrowShape(flat, known);
  return flat;
}

Out SoftmaxCrossEntropy(GraphObject& g, Out labels, Out logits) {
  labels = Cast(g, labels, BaseType(g.handle().DType(logits)));
  const ShapeInfo shape = g.handle().Shape(logits);
  const Out rank = RankOf(g, logits);
  const Out dims = ShapeOf(g, logits);
  const Out flat_logits = FlattenOuter(g, logits), flat_labels = FlattenOuter(g, labels);
  const Out cost = Op(g, "SoftmaxCrossEntropyWithLogits", {flat_logits, flat_labels}, g.scope);
  const Out outer = Op(g, "Sub", {rank, Arg(Value::Int(1))});
  const Value begin = MakeList({Value::Int(0)}), size = MakeList({g.Tensor(outer)});
  const Out made = Reshape(g, cost, Op(g, "Slice", {dims, begin, size}));
  if (shape.rank > 0) {
    g.handle().NarrowShape(made, shape.dims().first(static_cast<size_t>(shape.rank) - 1));
  }
  return made;
}

Value SoftmaxCrossEntropyFn(Args& a) {
  const bool stop = a.row().data != nullptr;
  CheckSentinel(a.row().name, a[0], a[1], a[2]);
  GraphObject& g = GraphOf({&a[1], &a[2]});
  Value labels_given = a[1];
  if (stop) {
    // In version 1, no gradient flows into the labels.
    NameScope outer(g, NameOr(a[4], "softmax_cross_entropy_with_logits_sg"));
    const Out stopped = Op(g, "StopGradient", {a[1]}, "labels_stop_gradient");
    const std::string scope = g.scope;
    NameScope inner(g, scope);
    const Out logits = Convert(g, a[2], "logits");
    return g.Tensor(SoftmaxCrossEntropy(g, stopped, logits));
  }
  NameScope scope(g, NameOr(a[4], "softmax_cross_entropy_with_logits"));
  const Out logits = Convert(g, a[2], "logits");
  const Out labels = Convert(g, a[1], "labels");
  return g.Tensor(SoftmaxCrossEntropy(g, labels, logits));
}

Value SparseCrossEntropy(Args& a) {
  CheckSentinel(a.row().name, a[0], a[1], a[2]);
  GraphObject& g = GraphOf({&a[1], &a[2]});
  // As in TensorFlow, the op has the name of the scope again: xentropy/xentropy.
  const std::string name(NameOr(a[3], "SparseSoftmaxCrossEntropyWithLogits"));
  NameScope scope(g, name);
  const Out labels = Convert(g, a[1], "labels");
  const Out logits = Convert(g, a[2], "logits");
  const Out labels_shape = ShapeOf(g, labels);
  const ShapeInfo l = g.handle().Shape(labels), x = g.handle().Shape(logits);
  if (x.rank == 0) {
    throw ValueError("Logits cannot be scalars - received shape " + ShapeText(x) + ".");
  }
  if (x.rank > 0 && l.rank >= 0 && l.rank != x.rank - 1) {
    throw ValueError("Rank mismatch: Rank of labels (received " + std::to_string(l.rank) +
                     ") should equal rank of logits minus 1 (received " + std::to_string(x.rank) +
                     ").")
        .Hint(
            "The labels are numbers of classes. One-hot labels: "
            "tf.nn.softmax_cross_entropy_with_logits"
            "(labels=labels, logits=logits)");
  }
  if (x.rank == 2) {
    return g.Tensor(Op(g, "SparseSoftmaxCrossEntropyWithLogits", {logits, labels}, name));
  }
  const Out last = SubOp(g, RankOf(g, logits), Value::Int(1));
  const Out classes = Op(g, "GatherV2", {ShapeOf(g, logits), last, Arg(Value::Int(0))});
  const Value flat_shape = MakeList({Value::Int(-1), g.Tensor(classes)}),
              flat = MakeList({Value::Int(-1)});
  const Out cost = Op(g, "SparseSoftmaxCrossEntropyWithLogits",
                      {Reshape(g, logits, flat_shape), Reshape(g, labels, flat)}, name);
  const Out shaped = Reshape(g, cost, labels_shape);
  g.handle().NarrowShape(shaped, l);
  return g.Tensor(shaped);
}

Value SigmoidCrossEntropy(Args& a) {
  CheckSentinel(a.row().name, a[0], a[1], a[2]);
  GraphObject& g = GraphOf({&a[1], &a[2]});
  NameScope scope(g, NameOr(a[3], "logistic_loss"));
  const Out x = Convert(g, a[2], "logits");
  const Out z = Convert(g, a[1], "labels");
  const ShapeInfo xs = g.handle().Shape(x), zs = g.handle().Shape(z);
  bool same = xs.rank < 0 || zs.rank < 0 || xs.rank == zs.rank;
  for (int i = 0; same && i < std::min(xs.rank, zs.rank); ++i) {
    const int64_t d = xs.extents[static_cast<size_t>(i)], e = zs.extents[static_cast<size_t>(i)];
    same = d < 0 || e < 0 || d == e;
  }
  if (!same) {
    throw ValueError("logits and labels must have the same shape (" + ShapeText(xs) + " vs " +
                     ShapeText(zs) + ")");
  }
  const Out zeros = FilledLike(g, x, 0, 0, "zeros_like");
  const Out positive = Op(g, "GreaterEqual", {x, zeros});
  const Out relu = Op(g, "Select", {positive, x, zeros});
  const Out neg_abs = Op(g, "Select", {positive, Op(g, "Neg", {x}), x});
  const Out product = MulOp(g, x, z);
  const Out linear = SubOp(g, relu, product);
  const Out log = Op(g, "Log1p", {Op(g, "Exp", {neg_abs})});
  return g.Tensor(Op(g, "AddV2", {linear, log}, g.scope));
}

Value WeightedCrossEntropy(Args& a) {
  const Value& targets = a[0].is_none() ? a[4] : a[0];
  GraphObject& g = GraphOf({&targets, &a[1], &a[2]});
  NameScope scope(g, NameOr(a[3], "logistic_loss"));
  const Out x = Convert(g, a[1], "logits"), z = Convert(g, targets, "targets");
  const Value less =
      // for numbers, no node is created, as in TensorFlow
      Binary(BinaryOp::kSub, a[2], Value::Int(1));
  const Out weight = AddOp(g, Value::Int(1), MulOp(g, less, z));
  const Out linear = MulOp(g, SubOp(g, Value::Int(1), z), x);
  const Out log = Op(g, "Log1p", {Op(g, "Exp", {Op(g, "Neg", {Op(g, "Abs", {x})})})});
  const Out relu = Op(g, "Relu", {Op(g, "Neg", {x})});
  return g.Tensor(Op(g, "AddV2", {linear, MulOp(g, weight, AddOp(g, log, relu))}, g.scope));
}

// ---- parts of layers ----

Value BiasAdd(Args& a) {
  GraphObject& g = GraphOf({&a[0], &a[1]});
  NameScope scope(g, NameOr(a[3], "BiasAdd"));
  const Out value = Convert(g, a[0], "input");
  const Out bias = Convert(g, a[1], "bias", {.dtype = BaseType(g.handle().DType(value))});
  OpCall call(g, "BiasAdd", g.scope);
  call.In(value).In(bias);
  if (!a[2].is_none()) call.attrs().String("data_format", StrView(a[2]));
  return call.AddValue();
}

Value XwPlusB(Args& a) {
  GraphObject& g = GraphOf({&a[0], &a[1], &a[2]});
  NameScope scope(g, NameOr(a[3], a.row().data ? "relu_layer" : "xw_plus_b"));
  const Out x = Convert(g, a[0], "x"), w = Convert(g, a[1], "weights"),
            b = Convert(g, a[2], "biases");
  const Out product = Op(g, "MatMul", {x, w});
  if (!a.row().data) return g.Tensor(Op(g, "BiasAdd", {product, b}, g.scope));
  return g.Tensor(Op(g, "Relu", {Op(g, "BiasAdd", {product, b})}, g.scope));
}

Value Dropout(Args& a) {
  Value rate = a[5];
  if (rate.is_none() && a[1].is_none()) throw ValueError("You must provide a rate to dropout.");
  if (!rate.is_none() && !a[1].is_none())
    throw ValueError("Cannot specify both 'keep_prob' and 'rate'.");
  GraphObject& g = GraphOf({&a[0], &a[1], &a[5]});
  if (rate.is_none()) rate = Binary(BinaryOp::kSub, Value::Float(1), a[1]);
  NameScope scope(g, NameOr(a[4], "dropout"));
  if (rate.is_float() || rate.is_int()) {
    const double r = ToDouble(rate);
    if (r < 0 || r >= 1) {
      throw ValueError("rate must be a scalar tensor or a float in the range [0, 1), got " +
                       Repr(rate));
    }
  }
  const Out x = Convert(g, a[0], "x");
  const int dtype = BaseType(g.handle().DType(x));
  if (!IsFloating(dtype)) {
    throw ValueError("x has to be a floating point tensor since it's going to be scaled. Got a " +
                     Repr(DTypeValue(dtype)) + " tensor instead.");
  }
  if (rate.is_float() && rate.as_float() == 0) return g.Tensor(x);
  const Out rate_out = Convert(g, rate, "rate", {.dtype = dtype});
  const Value shape = a[2].is_none() ? g.Tensor(ShapeOf(g, x)) : a[2];
  const Out random =
      RandomUniform(g, "random_uniform", {shape, Value::Int(0), Value::None(), dtype, a[3]});
  const Out keep = SubOp(g, Value::Int(1), rate_out);
  const Out scale = Operator(g, BinaryOp::kTrueDiv, Value::Int(1), keep);
  const Out mask = Op(g, "GreaterEqual", {random, rate_out});
  // The rate may be a placeholder of any shape, but the result always has the shape of x.
  const Value dropped = g.Tensor(MulOp(g, MulOp(g, x, scale), Cast(g, mask, dtype)));
  CallMethod(dropped, "set_shape", {GetAttr(g.Tensor(x), "shape")});
  return dropped;
}

Value EmbeddingLookup(Args& a) {
  Value params = a[0];
  const auto* items = Sequence(params);
  // The parameter is a list of parts or a partitioned variable.
  if ((items && items->size() != 1) || IsConvertedByUser(params) || !a[5].is_none()) {
    return Call(FromLibrary("nn_embedding", Intern("embedding_lookup_parts")),
                {params, a[1], a[2], a[3], a[5]});
  }
  if (items) params = (*items)[0];
  GraphObject& g = GraphOf({&params, &a[1]});
  NameScope scope(g, NameOr(a[3], "embedding_lookup"));
  auto* var = As<VariableObject>(params);
  const Out ids = Convert(g, a[1], "ids");
  if (var && var->is_resource()) {
    Out rows;
    {
      ColocateScope with(g, var->Reference().node);
      rows = GatherResource(*var, g.Tensor(ids), g.scope);
    }
    return g.Tensor(Op(g, "Identity", {rows}));
  }
  const Out table = Convert(g, params, "params");
  Out rows;
  {
    ColocateScope with(g, table.node);
    OpCall gather(g, "GatherV2", g.scope);
    rows = gather.In(table).In(ids).In(Arg(Value::Int(0))).Add();
  }
  return g.Tensor(Op(g, "Identity", {rows}));
}

Value Moments(Args& a) {
  GraphObject& g = GraphOf({&a[0]});
  const Value& keep = a[4].is_none() ? a[5] : a[4];
  NameScope scope(g, NameOr(a[3], "moments"));
  const Out x = Convert(g, a[0], "x");
  Out mean = ReduceOut(g, "Mean", x, a[1], true, "mean");
  const Out squares = Op(g, "SquaredDifference", {x, Op(g, "StopGradient", {mean})});
  Out variance = ReduceOut(g, "Mean", squares, a[1], true, "variance");
  if (keep.is_none() || !Truth(keep)) {
    for (Out* o : {&mean, &variance}) {
      OpCall squeeze(g, "Squeeze");
      *o = squeeze.In(*o).Attr("squeeze_dims", a[1]).Add();
    }
  }
  return MakeTuple({g.Tensor(mean), g.Tensor(variance)});
}

Value BatchNormalization(Args& a) {
  GraphObject& g = GraphOf({&a[0], &a[1], &a[2], &a[3], &a[4]});
  NameScope scope(g, NameOr(a[6], "batchnorm"));
  const Out x = Convert(g, a[0], "x"), mean = Convert(g, a[1], "mean");
  Out inv = Op(g, "Rsqrt", {AddOp(g, Convert(g, a[2], "variance"), a[5])});
  if (!a[4].is_none()) inv = MulOp(g, inv, a[4]);
  const Out scaled = MulOp(g, x, inv);
  const Out shift =
      a[3].is_none() ? Op(g, "Neg", {MulOp(g, mean, inv)}) : SubOp(g, a[3], MulOp(g, mean, inv));
  return g.Tensor(AddOp(g, scaled, shift));
}

Value LeakyRelu(Args& a) {
  GraphObject& g = GraphOf({&a[0]});
  NameScope scope(g, NameOr(a[2], "LeakyRelu"));
  Out x = Convert(g, a[0], "features");
  if (IsInteger(BaseType(g.handle().DType(x)))) x = Cast(g, x, TSH_FLOAT);
  OpCall call(g, "LeakyRelu", g.scope);
  call.In(x).attrs().Float("alpha", ToDouble(a[1]));
  return call.AddValue();
}

Value L2Normalize(Args& a) {
  const Value& axis = a[1].is_none() ? a[4] : a[1];
  GraphObject& g = GraphOf({&a[0]});
  NameScope scope(g, NameOr(a[3], "l2_normalize"));
  const Out x = Convert(g, a[0], "x");
  const Out sum = ReduceOut(g, "Sum", Op(g, "Square", {x}), axis, true);
  const Out inv = Op(g, "Rsqrt", {Op(g, "Maximum", {sum, a[2]})});
  return g.Tensor(Op(g, "Mul", {x, inv}, g.scope));
}

Value LogSigmoid(Args& a) {
  GraphObject& g = GraphOf({&a[0]});
  NameScope scope(g, NameOr(a[1], "LogSigmoid"));
  const Out x = Convert(g, a[0], "x");
  return g.Tensor(Op(g, "Neg", {Op(g, "Softplus", {Op(g, "Neg", {x})})}, g.scope));
}

constexpr const char* kEntropy = "_sentinel=None, labels=None, logits=None, name=None";
constexpr const char* kSoftmaxEntropy =
    "_sentinel=None, labels=None, logits=None, dim=-1, name=None, axis=None";

const FunctionRow kRows[] = {
    {"relu", "features, name=None", CallOp, "max(x, 0).", "Relu"},
    {"relu6", "features, name=None", CallOp, "min(max(x, 0), 6).", "Relu6"},
    {"elu", "features, name=None", CallOp, "x, or exp(x) - 1 for negative x.", "Elu"},
    {"selu", "features, name=None", CallOp, "The scaled exponential linear unit.", "Selu"},
    {"softplus", "features, name=None", CallOp, "log(exp(x) + 1).", "Softplus"},
    {"softsign", "features, name=None", CallOp, "x / (|x| + 1).", "Softsign"},
    {"leaky_relu", "features, alpha=0.2, name=None", LeakyRelu, "x, or alpha * x for negative x."},
    {"sigmoid", "x, name=None", CallOp, "1 / (1 + exp(-x)).", "Sigmoid"},
    {"tanh", "x, name=None", CallOp, "The hyperbolic tangent.", "Tanh"},
    {"log_sigmoid", "x, name=None", LogSigmoid, "log(sigmoid(x))."},
    {"softmax", "logits, axis=None, name=None, dim=None", SoftmaxFn, "exp(x) / sum(exp(x)).",
     "Softmax"},
    {"log_softmax", "logits, axis=None, name=None, dim=None", SoftmaxFn, "log(softmax(x)).",
     "LogSoftmax"},
    {"softmax_cross_entropy_with_logits", kSoftmaxEntropy, SoftmaxCrossEntropyFn,
     "The cross entropy of softmax(logits) and the labels.", "stop"},
    {"softmax_cross_entropy_with_logits_v2", "labels, logits, axis=None, name=None, dim=None",
     [](Args& a) -> Value {
       Value slots[] = {Value::None(), a[0], a[1], a[4].is_none() ? Value::Int(-1) : a[4],
                        a[3],          a[2]};
       Args given(a.row(), a.self(), slots, 6);
       return SoftmaxCrossEntropyFn(given);
     },
     "Like the first version, but with gradients for the labels."},
    {"sparse_softmax_cross_entropy_with_logits", kEntropy, SparseCrossEntropy,
     "The cross entropy of softmax(logits) and class numbers."},
    {"sigmoid_cross_entropy_with_logits", kEntropy, SigmoidCrossEntropy,
     "The cross entropy of sigmoid(logits) and the labels."},
    {"weighted_cross_entropy_with_logits",
     "labels=None, logits=None, pos_weight=None, name=None, targets=None", WeightedCrossEntropy,
     "sigmoid_cross_entropy_with_logits with a weight for the positive class."},
    {"bias_add", "value, bias, data_format=None, name=None", BiasAdd,
     "Adds a bias to the last dimension."},
    {"xw_plus_b", "x, weights, biases, name=None", XwPlusB, "matmul(x, weights) + biases."},
    {"relu_layer", "x, weights, biases, name=None", XwPlusB, "relu(matmul(x, weights) + biases).",
     "relu"},
    {"l2_loss", "t, name=None", CallOp, "sum(t ** 2) / 2.", "L2Loss"},
    {"l2_normalize", "x, axis=None, epsilon=1e-12, name=None, dim=None", L2Normalize,
     "Scales x to norm 1."},
    {"dropout", "x, keep_prob=None, noise_shape=None, seed=None, name=None, rate=None", Dropout,
     "Sets random elements to zero and scales the others."},
    {"embedding_lookup",
     "params, ids, partition_strategy='mod', name=None, validate_indices=True, max_norm=None",
     EmbeddingLookup, "Looks up rows of a table."},
    {"moments", "x, axes, shift=None, name=None, keep_dims=None, keepdims=None", Moments,
     "Mean and variance."},
    {"batch_normalization", "x, mean, variance, offset, scale, variance_epsilon, name=None",
     BatchNormalization, "Normalizes x with mean and variance."},
};

}  // namespace

std::span<const FunctionRow> NnRows() { return kRows; }

}  // namespace tensh::shell::tf
