// tf.losses: a loss over a batch, weighted, kept in the collection of losses.
#include "shell/tf/build.h"
#include "shell/tf/names.h"
#include "shell/tf/rows.h"
#include "shell/tf/shape.h"
#include "shell/values/error.h"
#include "shell/values/ops.h"

namespace tensh::shell::tf {
namespace {

// sum(losses * weights) / number of losses with a weight, as SUM_BY_NONZERO_WEIGHTS.
Out Weighted(GraphObject& g, Out losses, const Value& weights, const std::string& reduction) {
  const Out w = Cast(g, Convert(g, weights, "weights"), TSH_FLOAT);
  const Out weighted = Op(g, "Mul", {Cast(g, losses, TSH_FLOAT), w});
  if (reduction == "none") return weighted;
  const Out total = ReduceOut(g, "Sum", weighted, Value::None(), false);
  if (reduction == "weighted_sum") return total;
  Out count;
  if (reduction == "weighted_sum_over_batch_size") {
    const Out ones = FilledLike(g, weighted, 1, 0, "ones_like");
    count = ReduceOut(g, "Sum", ones, Value::None(), false, "num_elements");
  } else {
    NameScope scope(g, "num_present");
    const Out zero = ScalarConstant(g, 0, TSH_FLOAT, "Equal/y");
    const Out present =
        Op(g, "Select",
           {Op(g, "Equal", {w, zero}, "Equal"), FilledLike(g, w, 0, 0, "zeros_like"),
            FilledLike(g, w, 1, 0, "ones_like")});
    const Out spread =
        Op(g, "Mul", {present, FilledLike(g, weighted, 1, 0, "broadcast_weights/ones_like")},
           "broadcast_weights");
    count = ReduceOut(g, "Sum", reduction == "weighted_mean" ? Op(g, "Mul", {spread, w}) : spread,
                      Value::None(), false, g.scope);
  }
  const Out safe = Op(g, "Maximum", {count, ScalarConstant(g, 1e-30, TSH_FLOAT, "value/epsilon")},
                      "value/denominator");
  return Op(g, "RealDiv", {total, safe}, "value");
}

Value Finish(GraphObject& g, Out losses, const Value& weights, const Value& collection,
             const Value& reduction) {
  const Out loss = Weighted(g, losses, weights, ToText(reduction, "reduction"));
  Value made = g.Tensor(loss);
  if (!collection.is_none()) g.Collection(ToText(collection, "loss_collection")).push_back(made);
  return made;
}

struct Pair {
  Out labels, predictions;
};
Pair Floats(GraphObject& g, const Value& labels, const Value& predictions) {
  Out p = Cast(g, Convert(g, predictions, "predictions"), TSH_FLOAT);
  Out l = Cast(g, Convert(g, labels, "labels"), TSH_FLOAT);
  const Value ps = ShapeValue(g.handle().Shape(p)), ls = ShapeValue(g.handle().Shape(l));
  CallMethod(ps, "assert_is_compatible_with", {ls});
  return {l, p};
}

Out Squared(GraphObject& g, const Pair& x) {
  return Op(g, "SquaredDifference", {x.predictions, x.labels});
}
Out Absolute(GraphObject& g, const Pair& x) {
  return Op(g, "Abs", {SubOp(g, x.predictions, x.labels)});
}

Out Log(GraphObject& g, const Pair& x, const Value& epsilon) {
  const Out up = MulOp(g, x.labels, Op(g, "Log", {AddOp(g, x.predictions, epsilon)}));
  const Out rest = SubOp(g, Value::Int(1), x.labels);
  const Out down = Op(g, "Log", {AddOp(g, SubOp(g, Value::Int(1), x.predictions), epsilon)});
  return SubOp(g, Op(g, "Neg", {up}), MulOp(g, rest, down));
}

Out Huber(GraphObject& g, const Pair& x, const Value& delta) {
  const Out error = Op(g, "Abs", {Op(g, "Sub", {x.predictions, x.labels})});
  const Out small = Op(g, "Minimum", {error, delta});
  const Out large = Op(g, "Sub", {error, small});
  const Out half = Op(g, "Mul", {Arg(Value::Float(0.5)), Op(g, "Mul", {small, small})});
  return Op(g, "AddV2", {half, Op(g, "Mul", {delta, large})});
}

// labels, predictions, weights, scope, loss_collection, reduction
template <Out (*kLoss)(GraphObject&, const Pair&)>
Value Simple(Args& a) {
  GraphObject& g = GraphOf({&a[0], &a[1]});
  NameScope scope(g, NameOr(a[3], a.row().name));
  return Finish(g, kLoss(g, Floats(g, a[0], a[1])), a[2], a[4], a[5]);
}

// labels, predictions, weights, parameter, scope, loss_collection, reduction
template <Out (*kLoss)(GraphObject&, const Pair&, const Value&)>
Value WithParameter(Args& a) {
  GraphObject& g = GraphOf({&a[0], &a[1]});
  NameScope scope(g, NameOr(a[4], a.row().name));
  return Finish(g, kLoss(g, Floats(g, a[0], a[1]), a[3]), a[2], a[5], a[6]);
}

const FunctionRow* FindRow(std::span<const FunctionRow> rows, std::string_view name) {
  for (const FunctionRow& row : rows) {
    if (name == row.name) return &row;
  }
  return nullptr;
}

Value Entropy(const char* function, const Value& labels, const Value& logits) {
  const FunctionRow* row = FindRow(NnRows(), function);
  Value fn = New<NativeFunction>(*row, nullptr);
  return Call(fn, {Value::None(), labels, logits});
}

// onehot_labels, logits, weights, label_smoothing, scope, loss_collection, reduction
Value SoftmaxEntropy(Args& a) {
  GraphObject& g = GraphOf({&a[0], &a[1]});
  NameScope scope(g, NameOr(a[4], "softmax_cross_entropy_loss"));
  const Out logits = Convert(g, a[1], "logits");
  const Out labels = Cast(g, Convert(g, a[0], "onehot_labels"), BaseType(g.handle().DType(logits)));
  const Value stopped = g.Tensor(Op(g, "StopGradient", {labels}, "labels_stop_gradient"));
  const Value each = Entropy("softmax_cross_entropy_with_logits_v2", stopped, g.Tensor(logits));
  return Finish(g, As<TensorObject>(each)->out(), a[2], a[5], a[6]);
}

Value SigmoidEntropy(Args& a) {
  GraphObject& g = GraphOf({&a[0], &a[1]});
  NameScope scope(g, NameOr(a[4], "sigmoid_cross_entropy_loss"));
  const Out logits = Convert(g, a[1], "logits");
  const Out labels =
      Cast(g, Convert(g, a[0], "multi_class_labels"), BaseType(g.handle().DType(logits)));
  const Value each =
      Entropy("sigmoid_cross_entropy_with_logits", g.Tensor(labels), g.Tensor(logits));
  return Finish(g, As<TensorObject>(each)->out(), a[2], a[5], a[6]);
}

// labels, logits, weights, scope, loss_collection, reduction
Value SparseEntropy(Args& a) {
  GraphObject& g = GraphOf({&a[0], &a[1]});
  NameScope scope(g, NameOr(a[3], "sparse_softmax_cross_entropy_loss"));
  const Value each = Entropy("sparse_softmax_cross_entropy_with_logits", a[0], a[1]);
  return Finish(g, As<TensorObject>(each)->out(), a[2], a[4], a[5]);
}

Value TotalLoss(Args& a) {
  GraphObject& g = DefaultGraph();
  std::vector<Value> losses = g.Collection(kLosses);
  if (Truth(a[0])) {
    for (const Value& v : g.Collection(kRegularizationLosses)) losses.push_back(v);
  }
  OpCall add(g, "AddN", NameOr(a[1], "total_loss"));
  return add.InList(std::span<const Value>(losses)).AddValue();
}

#define TENSH_REDUCTION "loss_collection='losses', reduction='weighted_sum_by_nonzero_weights'"
constexpr const char* kSimple = "labels, predictions, weights=1.0, scope=None, " TENSH_REDUCTION;

const FunctionRow kRows[] = {
    {"mean_squared_error", kSimple, Simple<Squared>, "The mean of (predictions - labels) ** 2."},
    {"absolute_difference", kSimple, Simple<Absolute>, "The mean of |predictions - labels|."},
    {"log_loss", "labels, predictions, weights=1.0, epsilon=1e-07, scope=None, " TENSH_REDUCTION,
     WithParameter<Log>, "The log loss of probabilities."},
    {"huber_loss", "labels, predictions, weights=1.0, delta=1.0, scope=None, " TENSH_REDUCTION,
     WithParameter<Huber>, "Squares near 0, absolute values beyond delta."},
    {"softmax_cross_entropy",
     "onehot_labels, logits, weights=1.0, label_smoothing=0, scope=None, " TENSH_REDUCTION,
     SoftmaxEntropy, "The mean cross entropy with one-hot labels."},
    {"sigmoid_cross_entropy",
     "multi_class_labels, logits, weights=1.0, label_smoothing=0, scope=None, " TENSH_REDUCTION,
     SigmoidEntropy, "The mean cross entropy of sigmoids."},
    {"sparse_softmax_cross_entropy", "labels, logits, weights=1.0, scope=None, " TENSH_REDUCTION,
     SparseEntropy, "The mean cross entropy with class numbers."},
    {"get_losses", "scope=None, loss_collection='losses'",
     [](Args& a) -> Value {
       return MakeList(DefaultGraph().Collection(ToText(a[1], "loss_collection")));
     },
     "The losses so far."},
    {"get_regularization_losses", "scope=None",
     [](Args&) -> Value { return MakeList(DefaultGraph().Collection(kRegularizationLosses)); },
     "The regularization losses so far."},
    {"get_total_loss", "add_regularization_losses=True, name='total_loss'", TotalLoss,
     "The sum of all losses."},
    {"add_loss", "loss, loss_collection='losses'",
     [](Args& a) -> Value {
       if (!a[1].is_none())
         DefaultGraph().Collection(ToText(a[1], "loss_collection")).push_back(a[0]);
       return Value::None();
     },
     "Adds a loss to the collection."},
};

}  // namespace

std::span<const FunctionRow> LossRows() { return kRows; }

}  // namespace tensh::shell::tf
