// Functions of tf for variables: assignment, initialization and lists. Also the state of the
// TensorFlow layer.
#include "shell/tensorflow/graph/state.h"

#include "shell/python/values/error.h"
#include "shell/python/values/ops.h"
#include "shell/python/vm/threads.h"
#include "shell/tensorflow/graph/build.h"
#include "shell/tensorflow/graph/names.h"
#include "shell/tensorflow/graph/rows.h"
#include "shell/tensorflow/graph/session.h"
#include "shell/tensorflow/graph/shape.h"
#include "shell/tensorflow/graph/variable.h"

namespace tensh::shell::tf {

LayerState& State() {
  // never destroyed, because its values must not outlive the interpreter
  static auto* state = new LayerState();
  return *state;
}

namespace {

class ThreadState : public threads::PerThread {
 public:
  void Swap() override {
    std::swap(global_graph_, State().global_graph);
    graphs_.swap(State().graph_stack);
    sessions_.swap(State().session_stack);
  }

 private:
  Ref<GraphObject> global_graph_;
  std::vector<Ref<GraphObject>> graphs_;
  std::vector<Ref<SessionObject>> sessions_;
};

std::unique_ptr<threads::PerThread> MakeThreadState() { return std::make_unique<ThreadState>(); }

}  // namespace

void KeepStatePerThread() { threads::AddPerThread(MakeThreadState); }

bool ValueIsLive(const Value& v) {
  if (auto* t = As<TensorObject>(v)) return t->graph().Live(t->out().node, t->generation());
  if (auto* op = As<OperationObject>(v)) return op->graph().Live(op->node(), op->generation());
  if (auto* var = As<VariableObject>(v)) return var->IsLive();
  return true;
}

namespace {

// Returns the variable if `v` is a resource variable, whose updates are methods; otherwise returns
// null.
VariableObject* ResourceOf(const Value& v) {
  auto* var = As<VariableObject>(v);
  return var && var->is_resource() ? var : nullptr;
}

Value AssignFn(Args& a) {
  if (VariableObject* var = ResourceOf(a[0]))
    return UpdateResource(*var, "AssignVariableOp", a[1], NameText(a[4]), true);
  GraphObject& g = GraphOf({&a[0], &a[1]});
  OpCall call(g, "Assign", NameText(a[4]));
  call.In(a[0]).In(a[1]);
  if (!a[2].is_none()) call.attrs().Bool("validate_shape", Truth(a[2]));
  if (!a[3].is_none()) call.attrs().Bool("use_locking", Truth(a[3]));
  return call.AddValue();
}

// assign_add and assign_sub. The row's data is the op.
Value UpdateFn(Args& a) {
  const std::string op = static_cast<const char*>(a.row().data);
  if (VariableObject* var = ResourceOf(a[0]))
    return UpdateResource(*var, (op + "VariableOp").c_str(), a[1], NameText(a[3]), true);
  GraphObject& g = GraphOf({&a[0], &a[1]});
  OpCall call(g, op, NameText(a[3]));
  call.In(a[0]).In(a[1]);
  if (!a[2].is_none()) call.attrs().Bool("use_locking", Truth(a[2]));
  return call.AddValue();
}

Value InitializerOf(const std::vector<Value>& variables, std::string_view name) {
  GraphObject* found = nullptr;
  std::vector<Node> nodes;
  for (const Value& v : variables) {
    auto* var = As<VariableObject>(v);
    if (!var) throw TypeError("Expected a tf.Variable, got " + Repr(v));
    nodes.push_back(var->Initializer());
    found = &var->graph();
  }
  GraphObject& g = found ? *found : DefaultGraph();
  return g.Operation(nodes.empty() ? NoOp(g, name) : Group(g, nodes, name));
}

Value GlobalInit(Args&) {
  return InitializerOf(VariablesOf(DefaultGraph(), kGlobalVariables), "init");
}
Value LocalInit(Args&) {
  return InitializerOf(VariablesOf(DefaultGraph(), kLocalVariables), "init");
}
Value VariablesInit(Args& a) { return InitializerOf(ToVector(a[0]), NameOr(a[1], "init")); }

// global_variables() and similar functions. The row's data is the collection.
Value ListFn(Args& a) {
  return MakeList([&] {
    std::vector<Value> items = VariablesOf(DefaultGraph(), static_cast<const char*>(a.row().data));
    if (!a[0].is_none()) {
      const std::string prefix = ToText(a[0], "scope");
      std::erase_if(items, [&](const Value& v) {
        auto* var = As<VariableObject>(v);
        return !var || var->OpName().rfind(prefix, 0) != 0;
      });
    }
    return items;
  }());
}

Value IsInitialized(Args& a) {
  GraphObject& g = GraphOf({&a[0]});
  if (VariableObject* var = ResourceOf(a[0]))
    return g.Tensor(Op(g, "VarIsInitializedOp", {var->Reference()}));
  return g.Tensor(
      Op(g, "IsVariableInitialized", {a[0]}, NameText(a.size() > 1 ? a[1] : Value::None())));
}

// Returns the names of uninitialized variables, built as in TensorFlow: a mask over a constant with
// all names.
Value ReportUninitialized(Args& a) {
  GraphObject& g = DefaultGraph();
  std::vector<Value> variables = a[0].is_none() ? VariablesOf(g, kGlobalVariables) : ToVector(a[0]);
  if (a[0].is_none()) {
    for (const Value& v : VariablesOf(g, kLocalVariables)) variables.push_back(v);
  }
  NameScope scope(g, NameOr(a[1], "report_uninitialized_variables"));
  if (variables.empty()) {
    return g.Tensor(Constant(g, TensorHandle::Strings({}), "Const"));
  }
  std::vector<Out> initialized;
  std::vector<std::string> names;
  for (const Value& v : variables) {
    auto* var = As<VariableObject>(v);
    if (!var) throw TypeError("Expected a tf.Variable, got " + Repr(v));
    initialized.push_back(Op(g, var->is_resource() ? "VarIsInitializedOp" : "IsVariableInitialized",
                             {var->Reference()}));
    names.push_back(var->OpName());
  }
  OpCall pack(g, GetOp("Pack"), "", "stack");
  const Out mask = Op(g, "LogicalNot", {pack.InList(std::span<const Out>(initialized)).Add()});
  const Out all = Constant(g, TensorHandle::Strings(names), "Const");
  NameScope inner(g, "boolean_mask");
  const int64_t flat[] = {-1}, last[] = {1};
  OpCall squeeze(g, "Squeeze");
  squeeze.In(Op(g, "Where", {ReshapeTo(g, mask, flat)})).attrs().Ints("squeeze_dims", last);
  return g.Tensor(Op(g, "GatherV2", {all, squeeze.Add(), Arg(Value::Int(0))}));
}

Value AssertInitialized(Args& a) {
  std::vector<Value> variables =
      a[0].is_none() ? VariablesOf(DefaultGraph(), kGlobalVariables) : ToVector(a[0]);
  // The rank of a variable is read with its value, which fails if the variable is uninitialized.
  GraphObject& g = DefaultGraph();
  if (variables.empty()) return Value::None();
  std::vector<Out> ranks;
  for (const Value& v : variables) ranks.push_back(Op(g, "Rank", {v}));
  if (ranks.size() == 1) return g.Tensor(ranks[0]);
  OpCall stack(g, "Pack", "stack");
  return stack.InList(std::span<const Out>(ranks)).AddValue();
}

constexpr const char* kUpdate = "ref, value, use_locking=None, name=None";

const FunctionRow kRows[] = {
    {"assign", "ref, value, validate_shape=None, use_locking=None, name=None", AssignFn,
     "Assigns a new value to a variable."},
    {"assign_add", kUpdate, UpdateFn, "Adds to a variable.", "AssignAdd"},
    {"assign_sub", kUpdate, UpdateFn, "Subtracts from a variable.", "AssignSub"},
    {"global_variables_initializer", "", GlobalInit, "Runs every global variable's initializer."},
    {"initialize_all_variables", "", GlobalInit, "The old name of global_variables_initializer."},
    {"local_variables_initializer", "", LocalInit, "Runs every local variable's initializer."},
    {"initialize_local_variables", "", LocalInit, "The old name of local_variables_initializer."},
    {"variables_initializer", "var_list, name='init'", VariablesInit,
     "Runs these variables' initializers."},
    {"initialize_variables", "var_list, name='init'", VariablesInit,
     "The old name of variables_initializer."},
    {"global_variables", "scope=None", ListFn, "The global variables.", kGlobalVariables},
    {"all_variables", "scope=None", ListFn, "The old name of global_variables.", kGlobalVariables},
    {"local_variables", "scope=None", ListFn, "The local variables.", kLocalVariables},
    {"model_variables", "scope=None", ListFn, "The model variables.", kModelVariables},
    {"trainable_variables", "scope=None", ListFn, "The variables that training changes.",
     kTrainableVariables},
    {"is_variable_initialized", "variable", IsInitialized, "True if the variable has a value."},
    {"report_uninitialized_variables", "var_list=None, name='report_uninitialized_variables'",
     ReportUninitialized, "The names of uninitialized variables."},
    {"assert_variables_initialized", "var_list=None", AssertInitialized,
     "Fails unless all variables are initialized."},
};

}  // namespace

std::span<const FunctionRow> StateRows() { return kRows; }

}  // namespace tensh::shell::tf
