// The tensh side of the benchmark, which uses only the C API. bench.py describes the cases.

#include <cstring>
#include <string>
#include <vector>

#include "tensh/tensh.h"
#include "tests/bench/graph_file.h"
#include "tests/bench/measure.h"

namespace tensh::bench {
namespace {

constexpr double kMicro = 1e6, kNano = 1e9;

struct Session {
  tsh_status* status = tsh_status_new();
  tsh_graph* graph = tsh_graph_new();
  tsh_session* session = nullptr;

  Session() { Open(); }
  ~Session() {
    tsh_session_unref(session);
    tsh_graph_unref(graph);
    tsh_status_free(status);
  }
  void Open() {
    session = tsh_session_new(
        graph, "", R"({"intra_op_parallelism_threads":1,"inter_op_parallelism_threads":1})",
        status);
    if (!session) Fail("session", tsh_status_message(status));
  }
  tsh_output Add(const char* op, const char* name, std::vector<tsh_output> inputs,
                 std::vector<tsh_attr> attrs = {}) {
    tsh_node_spec spec{};
    spec.op = op;
    spec.name = name;
    spec.device = "";
    spec.inputs = inputs.data();
    spec.n_inputs = inputs.size();
    spec.attrs = attrs.data();
    spec.n_attrs = attrs.size();
    tsh_node node = TSH_NO_NODE;
    if (!tsh_graph_add(graph, &spec, 1, &node, status)) Fail(op, tsh_status_message(status));
    return {node, 0};
  }
  tsh_tensor* Scalar(float value) {
    tsh_tensor* t = tsh_tensor_new(TSH_FLOAT, nullptr, 0, status);
    *static_cast<float*>(tsh_tensor_data(t)) = value;
    return t;
  }
  tsh_output Const(const char* name, float value) {
    tsh_tensor* t = Scalar(value);
    tsh_attr attr = FloatType("dtype"), tensor{};
    tensor.name = "value";
    tensor.kind = TSH_ATTR_TENSOR;
    tensor.tensor = t;
    const tsh_output out = Add("Const", name, {}, {attr, tensor});
    tsh_tensor_unref(t);
    return out;
  }
  static tsh_attr FloatType(const char* name) {
    tsh_attr attr{};
    attr.name = name;
    attr.kind = TSH_ATTR_TYPE;
    attr.i = TSH_FLOAT;
    return attr;
  }
  static tsh_attr ScalarShape() {
    tsh_attr attr{};
    attr.name = "shape";
    attr.kind = TSH_ATTR_SHAPE;
    return attr;
  }
  void Run(const tsh_run& run, tsh_tensor** fetched) {
    if (!tsh_session_run(session, &run, fetched, status)) Fail("run", tsh_status_message(status));
  }
  void Fetch(const tsh_output& output) {
    tsh_run run{};
    run.fetches = &output;
    run.n_fetches = 1;
    tsh_tensor* value = nullptr;
    Run(run, &value);
    tsh_tensor_unref(value);
  }
};

// A placeholder and n adds of a constant, of which the last one is fetched.
Timing Chain(int n, int batches, int batch, bool callable) {
  Session s;
  const tsh_output x =
      s.Add("Placeholder", "x", {}, {Session::FloatType("dtype"), Session::ScalarShape()});
  const tsh_output c = s.Const("c", 1);
  tsh_output y = x;
  for (int i = 0; i < n; ++i) y = s.Add("AddV2", ("a" + std::to_string(i)).c_str(), {y, c});
  tsh_tensor* in = s.Scalar(2);
  tsh_run run{};
  run.feeds = &x;
  run.values = &in;
  run.n_feeds = 1;
  run.fetches = &y;
  run.n_fetches = 1;
  tsh_callable* held = callable ? tsh_callable_new(s.session, &run, s.status) : nullptr;
  const Timing t = Measure(batches, batch, [&] {
    tsh_tensor* out = nullptr;
    if (!held) {
      s.Run(run, &out);
    } else if (!tsh_callable_run(held, &in, &out, s.status)) {
      Fail("callable", tsh_status_message(s.status));
    }
    tsh_tensor_unref(out);
  });
  if (held) tsh_callable_unref(held);
  tsh_tensor_unref(in);
  return t;
}

void AssignAdd() {
  Session s;
  const tsh_output v =
      s.Add("VariableV2", "v", {}, {Session::FloatType("dtype"), Session::ScalarShape()});
  const tsh_output init = s.Add("Assign", "init", {v, s.Const("zero", 0)});
  const tsh_output add = s.Add("AssignAdd", "add", {v, s.Const("one", 1)});
  tsh_run run{};
  run.targets = &init.node;
  run.n_targets = 1;
  s.Run(run, nullptr);
  run.targets = &add.node;
  Print("assign_add", Measure(200, 500, [&] { s.Run(run, nullptr); }), kMicro);
}

// Groups of ten nodes: one Const and nine chained adds of it. The session stays open throughout.
tsh_output Grow(Session* s, long n) {
  tsh_output base = s->Const("base", 1), k = base, y = base;
  for (long i = 1; i < n; ++i) {
    const std::string name = "n" + std::to_string(i);
    if (i % 10 == 1) {
      k = y = s->Const(name.c_str(), 1);
    } else {
      y = s->Add("AddV2", name.c_str(), {y, k});
    }
  }
  s->Fetch(base);
  return base;
}

void Extend(const std::string& name, long n) {
  Session s;
  const tsh_output base = Grow(&s, n);
  std::vector<double> seconds;
  for (int i = 0; i < 300; ++i) {
    const double start = Now();
    s.Fetch(s.Add("Neg", ("new" + std::to_string(i)).c_str(), {base}));
    seconds.push_back(Now() - start);
  }
  Print(name, Summarize(seconds), kMicro);
}

void Signature() {
  Session s;
  Grow(&s, 100000);
  std::vector<double> seconds;
  for (int i = 0; i < 300; ++i) {
    const tsh_node node = tsh_graph_find(s.graph, ("n" + std::to_string(50002 + 10 * i)).c_str());
    const double start = Now();
    s.Fetch({node, 0});
    seconds.push_back(Now() - start);
  }
  Print("signature_100k", Summarize(seconds), kMicro);
}

void Memory() {
  constexpr long kNodes = 1000000;
  Session s;
  s.Fetch(s.Const("warm", 1));
  const double before = ResidentBytes();
  Grow(&s, kNodes);
  const double each = (ResidentBytes() - before) / kNodes;
  Print("memory", {each, each}, 1);
}

void Train(const std::string& name, const char* file, int batch, int batches, int per_batch) {
  Session s;
  GraphFile graph(s.graph, file);
  const tsh_node init = graph.Node("init"), train = graph.Node("train");
  tsh_run run{};
  run.targets = &init;
  run.n_targets = 1;
  s.Run(run, nullptr);
  const tsh_output feeds[] = {{graph.Node("x"), 0}, {graph.Node("y"), 0}};
  const int64_t x_dims[] = {batch, 784}, y_dims[] = {batch, 10};
  tsh_tensor* values[] = {tsh_tensor_new(TSH_FLOAT, x_dims, 2, s.status),
                          tsh_tensor_new(TSH_FLOAT, y_dims, 2, s.status)};
  float* x = static_cast<float*>(tsh_tensor_data(values[0]));
  float* y = static_cast<float*>(tsh_tensor_data(values[1]));
  for (int i = 0; i < batch * 784; ++i) x[i] = static_cast<float>(drand48() * 2 - 1);
  for (int i = 0; i < batch * 10; ++i) y[i] = i % 10 == (i / 10) % 10 ? 1.0f : 0.0f;
  run.targets = &train;
  run.feeds = feeds;
  run.values = values;
  run.n_feeds = 2;
  Print(name, Measure(batches, per_batch, [&] { s.Run(run, nullptr); }), kMicro);
  for (tsh_tensor* value : values) tsh_tensor_unref(value);
}

struct Row {
  const char* name;
  void (*run)(const std::string& name);
};

constexpr Row kRows[] = {
    {"step", [](const std::string& n) { Print(n, Chain(1, 200, 500, false), kMicro); }},
    {"step_callable", [](const std::string& n) { Print(n, Chain(1, 200, 500, true), kMicro); }},
    {"chain_1000",
     [](const std::string& n) { Print(n, Chain(1000, 200, 10, false), kNano / 1000); }},
    {"assign_add", [](const std::string&) { AssignAdd(); }},
    {"extend_10", [](const std::string& n) { Extend(n, 10); }},
    {"extend_1k", [](const std::string& n) { Extend(n, 1000); }},
    {"extend_100k", [](const std::string& n) { Extend(n, 100000); }},
    {"extend_1M", [](const std::string& n) { Extend(n, 1000000); }},
    {"signature_100k", [](const std::string&) { Signature(); }},
    {"memory", [](const std::string&) { Memory(); }},
    {"mlp_32", [](const std::string& n) { Train(n, "mlp", 32, 100, 20); }},
    {"mlp_128", [](const std::string& n) { Train(n, "mlp", 128, 100, 8); }},
    {"logistic_32", [](const std::string& n) { Train(n, "logistic", 32, 100, 50); }},
};

}  // namespace
}  // namespace tensh::bench

int main(int argc, char** argv) {
  for (int i = 1; i < argc; ++i) {
    for (const auto& row : tensh::bench::kRows) {
      if (std::strcmp(row.name, argv[i]) == 0) row.run(row.name);
    }
  }
}
