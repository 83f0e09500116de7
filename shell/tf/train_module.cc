// tf.train: its functions, and what else it has.
#include <vector>

#include "shell/lang/library.h"
#include "shell/tf/build.h"
#include "shell/tf/context.h"
#include "shell/tf/names.h"
#include "shell/tf/queue.h"
#include "shell/tf/rows.h"
#include "shell/tf/saver.h"
#include "shell/tf/server.h"
#include "shell/tf/summary.h"
#include "shell/tf/train.h"
#include "shell/tf/variable_scope.h"
#include "shell/values/error.h"
#include "shell/values/ops.h"

namespace tensh::shell::tf {
namespace {

// ---- functions ----

// learning_rate * decay_rate ^ (step / decay_steps)
Value ExponentialDecay(Args& a) {
  if (a[1].is_none()) throw ValueError("global_step is required for exponential_decay.");
  GraphObject& g = GraphOf({&a[0], &a[1], &a[2], &a[3]});
  NameScope scope(g, NameOr(a[5], "ExponentialDecay"));
  const Out rate = Convert(g, a[0], "learning_rate");
  const int dtype = BaseType(g.handle().DType(rate));
  const Out steps = Cast(g, Convert(g, a[2], "Cast/x"), dtype);
  const Out decay = Cast(g, Convert(g, a[3], "Cast_1/x"), dtype);
  const Out now = Cast(g, Convert(g, a[1], "Cast_2/x"), dtype);
  Out p = Operator(g, BinaryOp::kTrueDiv, now, steps);
  if (Truth(a[4])) p = Op(g, "Floor", {p});
  return g.Tensor(Op(g, "Mul", {rate, Op(g, "Pow", {decay, p})}, g.scope));
}

Value GetGlobalStep(Args& a) {
  GraphObject& g = a[0].is_none() ? DefaultGraph() : *As<GraphObject>(a[0]);
  for (const Value& v : g.Collection(kGlobalStep)) return v;
  return Value::None();
}

Value CreateGlobalStep(Args& a) {
  Value found = GetGlobalStep(a);
  if (!found.is_none()) {
    if (a.row().data) return found;
    throw ValueError("\"global_step\" already exists.");
  }
  GraphObject& g = a[0].is_none() ? DefaultGraph() : *As<GraphObject>(a[0]);
  GetVariableSpec spec;
  spec.name = "global_step";
  spec.shape = MakeList();
  spec.dtype = TSH_INT64;
  spec.trainable = Value::Bool(false);
  // Its own, whatever initializer the variable scope has.
  spec.initializer = New<InitializerObject>(InitializerObject::Kind::kZeros);
  spec.collections = std::vector<std::string>{kGlobalVariables, kGlobalStep};
  return GetVariable(g, spec);
}

const FunctionRow kRows[] = {
    {"exponential_decay",
     "learning_rate, global_step, decay_steps, decay_rate, staircase=False, name=None",
     ExponentialDecay, "A rate that falls with the step."},
    {"get_global_step", "graph=None", GetGlobalStep, "The variable that counts steps, or None."},
    {"create_global_step", "graph=None", CreateGlobalStep, "Makes the variable that counts steps."},
    {"get_or_create_global_step", "graph=None", CreateGlobalStep, "The variable that counts steps.",
     "get"},
    {"global_step", "sess, global_step_tensor",
     [](Args& a) -> Value { return Call(GetAttr(a[0], "run"), {a[1]}); },
     "How many steps there were."},
};

const ConstantRow kConstants[] = {
    {"Saver", [] { return TypeValue(SaverObject::kType); }},
    {"SummaryWriter", FileWriterType},
};

Value Missing(StrObject* name) {
  for (const ConstantRow& row : QueueRunnerTypes()) {
    if (name->view() == row.name) return row.make();
  }
  static constexpr const char* files[] = {
      "input",   "train",     "hooks", "monitored_session",
      "cluster", "train_more"};  // which takes of the others, so is last
  if (name->view() == kDirName) return LibraryDir(files);
  if (name->view() == "summary_iterator") return FromLibrary("messages", name);
  for (const char* message :
       {"Example", "Features", "Feature", "BytesList", "FloatList", "Int64List", "FeatureList",
        "FeatureLists", "SequenceExample", "_Message", "_shown"}) {
    if (name->view() == message) return FromLibrary("example", name);
  }
  for (const char* file : files) {
    if (Value found = FromLibrary(file, name); !found.is_null()) return found;
  }
  return Value();
}

}  // namespace

const ModuleDef& TrainModule() {
  static const std::vector<ConstantRow> constants = [] {
    std::vector<ConstantRow> rows(std::begin(kConstants), std::end(kConstants));
    rows.insert(rows.end(), OptimizerTypes().begin(), OptimizerTypes().end());
    return rows;
  }();
  static const ModuleDef module = {
      .name = "tensorflow.train",
      .functions = kRows,
      .constants = constants,
      .missing = Missing,
      .short_name = "tf.train",
      .more_functions = {CheckpointRows(), MetaGraphRows(), QueueRunnerRows(), ServerRows()}};
  return module;
}

}  // namespace tensh::shell::tf
