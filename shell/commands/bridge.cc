#include "shell/commands/bridge.h"

#include "shell/client/client.h"
#include "shell/commands/pyplot.h"
#include "shell/commands/side_runs.h"
#include "shell/numpy/module.h"
#include "shell/python/values/containers.h"
#include "shell/python/values/error.h"
#include "shell/python/values/ops.h"
#include "shell/python/vm/interp.h"
#include "shell/python/vm/threads.h"
#include "shell/tensorflow/graph/arrays.h"
#include "shell/tensorflow/graph/convert.h"
#include "shell/tensorflow/graph/graph.h"
#include "shell/tensorflow/graph/last_run.h"
#include "shell/tensorflow/graph/session.h"
#include "shell/tensorflow/graph/state.h"
#include "shell/tensorflow/graph/variable.h"
#include "shell/tensorflow/names/tf.h"

namespace tensh::shell::bridge {
namespace {

int g_cpus = 2;

// The session chosen with `session use`, or null for the default one.
Value& Chosen() {
  static Value chosen;
  return chosen;
}

std::string DeviceConfig() {
  return "{\"device_count\": {\"CPU\": " + std::to_string(g_cpus) + "}}";
}

tf::SessionObject& SessionObjectOf(const Value& value) {
  auto* session = As<tf::SessionObject>(value);
  if (session == nullptr) throw TypeError("'" + TypeName(value) + "' object is not a tf.Session");
  session->CheckOpen();
  return *session;
}

}  // namespace

namespace {

// Each thread has its own default graph and its own stacks of graphs and sessions, as in
// TensorFlow.
class DefaultStacks : public threads::PerThread {
 public:
  void Swap() override {
    std::swap(global_graph_, tf::State().global_graph);
    graphs_.swap(tf::State().graph_stack);
    sessions_.swap(tf::State().session_stack);
  }

 private:
  Ref<tf::GraphObject> global_graph_;
  std::vector<Ref<tf::GraphObject>> graphs_;
  std::vector<Ref<tf::SessionObject>> sessions_;
};

}  // namespace

void AddModules() {
  threads::AddPerThread(
      []() -> std::unique_ptr<threads::PerThread> { return std::make_unique<DefaultStacks>(); });
  threads::SetCancel(CancelAllSessions);
  Interp& interp = Interp::Current();
  Chosen() = Value();
  tf::AddTensorFlow(interp);
  interp.AddModule("numpy", NumpyCatalogue().root());
  interp.AddModule("_lapack", np::kLapackModule);
  interp.AddBuiltinModule("np", "numpy");
  AddPyplot(interp);
}

void SetDefaultDevices(int cpus) {
  g_cpus = cpus;
  tf::State().shell_config = DeviceConfig();
}

int DefaultDevices() { return g_cpus; }

GraphHandle CurrentGraph() { return tf::DefaultGraph().handle(); }

bool HasGraph() { return !tf::State().graphs.empty(); }

std::string GraphSeed() {
  const tf::GraphObject& graph = tf::DefaultGraph();
  return graph.seed ? std::to_string(*graph.seed) : "";
}

void BeginAll(uint32_t source, bool is_cell) {
  tf::State().source = source;
  tf::State().source_is_cell = is_cell;
  for (tf::GraphObject* graph : tf::State().graphs) tsh_graph_begin(graph->raw());
}

void CommitAll() {
  for (tf::GraphObject* graph : tf::State().graphs) tsh_graph_commit(graph->raw());
}

void RollbackAll() {
  for (tf::GraphObject* graph : tf::State().graphs) {
    tsh_graph_rollback(graph->raw());
    graph->Sync();
  }
}

Value CurrentSession() {
  if (!Chosen().is_null() && !As<tf::SessionObject>(Chosen())->closed()) return Chosen();
  tf::SessionObject* session = tf::DefaultSession();
  if (session == nullptr) throw RuntimeError("there is no session").Hint("Type: session new");
  return Value(session);
}

Value NewSession() {
  return tf::MakeSession(tf::SessionObject::kType, Ref<tf::GraphObject>(&tf::DefaultGraph()), "",
                         DeviceConfig());
}

void UseSession(const Value& session) {
  if (!session.is_null()) SessionObjectOf(session);
  Chosen() = session;
}

void StopUsing(const Value& session) {
  if (Chosen().Is(session)) Chosen() = Value();
}

tsh_session* SessionOf(const Value& session) { return SessionObjectOf(session).handle().get(); }

Fetch AsFetch(const Value& value) {
  Fetch fetch;
  if (auto* tensor = As<tf::TensorObject>(value)) {
    tensor->graph().CheckLive(tensor->out().node, tensor->generation(), "tensor");
    return {Fetch::Kind::kTensor, tensor->out(), tensor->out().node, tensor->graph().handle()};
  }
  if (auto* operation = As<tf::OperationObject>(value)) {
    operation->graph().CheckLive(operation->node(), operation->generation(), "operation");
    return {
        Fetch::Kind::kOperation, {TSH_NO_NODE, 0}, operation->node(), operation->graph().handle()};
  }
  if (auto* variable = As<tf::VariableObject>(value)) {
    return {Fetch::Kind::kTensor, variable->Element(), variable->Element().node,
            variable->graph().handle()};
  }
  return fetch;
}

bool IsRunnable(const Value& value) {
  if (value.is_null() || !value.is_object()) return false;
  if (As<tf::TensorObject>(value) || As<tf::OperationObject>(value) ||
      As<tf::VariableObject>(value))
    return true;
  RecursionGuard guard(" while looking for tensors");
  if (const std::vector<Value>* items = Sequence(value)) {
    for (const Value& item : *items) {
      if (IsRunnable(item)) return true;
    }
  }
  if (auto* dict = As<DictObject>(value)) {
    for (size_t i = 0; const Dict::Entry* entry = dict->dict.At(&i);) {
      if (IsRunnable(entry->value)) return true;
    }
  }
  return false;
}

Value FindByName(std::string_view name) {
  tf::GraphObject& graph = tf::DefaultGraph();
  const size_t colon = name.rfind(':');
  const std::string node_name(name.substr(0, colon));
  const tsh_node node = tsh_graph_find(graph.raw(), node_name.c_str());
  if (node == TSH_NO_NODE) return Value();
  const size_t outputs = tsh_node_num_outputs(graph.raw(), node);
  uint32_t index = 0;
  if (colon != std::string_view::npos) {
    for (const char c : name.substr(colon + 1)) {
      if (c < '0' || c > '9' || index > outputs) return Value();
      index = index * 10 + static_cast<uint32_t>(c - '0');
    }
    if (index >= outputs) return Value();
  }
  return outputs == 0 ? graph.Operation(node) : graph.Tensor({node, index});
}

std::string RunTraced(tsh_session* session, const tsh_run& run,
                      std::vector<TensorHandle>* fetched) {
  Status status;
  std::vector<tsh_tensor*> raw(run.n_fetches, nullptr);
  char* report = nullptr;
  if (Recording()) {
    tsh_step* step = nullptr;
    if (tsh_session_run_recorded(session, &run, raw.data(), &step, status) == 0) status.Check();
    tf::Last().step.reset(step);
    report = tsh_step_report(step);
  } else if (tsh_session_run_traced(session, &run, raw.data(), &report, status) == 0) {
    status.Check();
  }
  for (tsh_tensor* tensor : raw) fetched->push_back(TensorHandle::Adopt(tensor));
  return TakeText(report);
}

uint64_t RunNumber() { return tf::Last().number; }

std::string ExplainLastRun(size_t max_pruned, std::string* request) {
  return tf::ExplainLast(max_pruned, request);
}

void RecordSteps(bool on) {
  tf::Last().recording = on;
  if (!on) tf::Last().step.reset();
}

SideRuns::SideRuns() : before_(tf::Last().paused) { tf::Last().paused = true; }
SideRuns::~SideRuns() { tf::Last().paused = before_; }

bool Recording() { return tf::Last().recording; }

std::string RecordedReport() {
  return tf::Last().step ? TakeText(tsh_step_report(tf::Last().step.get())) : "";
}

std::vector<RecordedValue> RecordedValues() {
  std::vector<RecordedValue> values;
  const tsh_step* step = tf::Last().step.get();
  const size_t count = step == nullptr ? 0 : tsh_step_num_values(step);
  for (size_t i = 0; i < count; ++i) {
    RecordedValue& value = values.emplace_back();
    value.tensor = TensorHandle::Adopt(tsh_step_value(step, i, &value.of, &value.times));
  }
  return values;
}

TensorHandle FeedTensor(const Value& value, int dtype, const std::string& name) {
  return tf::ToFeed(value, tf::BaseType(dtype), name);
}

Value FromTensor(const TensorHandle& tensor) { return tf::ToValue(tensor); }

Value FindTfName(std::string_view name) {
  const Value module = Interp::Current().Import("tensorflow");
  if (!tf::TensorFlowCatalogue().FindRow(name)) return tf::OpByPythonName(name);
  return FindAttr(module, Intern(name));
}

}  // namespace tensh::shell::bridge
