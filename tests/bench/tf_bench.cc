// The TensorFlow side of the benchmark, over TensorFlow's C API in its fastest configuration: one
// thread, the step in the caller's thread, and the optimizer off except for training. bench.py
// compiles it against an installed wheel. Usage: tf_bench GRAPH_DIR CASE…, where GRAPH_DIR contains
// mlp.pb and logistic.pb.

#include <tensorflow/c/c_api.h>

#include <cstring>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "tests/bench/measure.h"

namespace tensh::bench {
namespace {

constexpr double kMicro = 1e6, kNano = 1e9;
std::string graph_dir;

TF_Status* Status() {
  static TF_Status* status = TF_NewStatus();
  return status;
}

void Check(const char* what) {
  if (TF_GetCode(Status()) != TF_OK) Fail(what, TF_Message(Status()));
}

TF_Tensor* Scalar(float value) {
  TF_Tensor* t = TF_AllocateTensor(TF_FLOAT, nullptr, 0, sizeof value);
  std::memcpy(TF_TensorData(t), &value, sizeof value);
  return t;
}

struct Session {
  TF_Graph* graph = TF_NewGraph();
  TF_Session* session = nullptr;

  ~Session() {
    if (session) {
      TF_CloseSession(session, Status());
      TF_DeleteSession(session, Status());
    }
    TF_DeleteGraph(graph);
  }
  // A ConfigProto in binary form: intra-op threads 1, inter-op threads -1 (the caller's thread),
  // and disable_meta_optimizer if requested.
  void Open(bool optimizer) {
    std::string config("\x10\x01\x28\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", 13);
    if (!optimizer) config += std::string("\x52\x05\x52\x03\x98\x01\x01", 7);
    TF_SessionOptions* options = TF_NewSessionOptions();
    TF_SetConfig(options, config.data(), config.size(), Status());
    Check("config");
    session = TF_NewSession(graph, options, Status());
    Check("session");
    TF_DeleteSessionOptions(options);
  }
  TF_Output Add(const char* op, const char* name, std::vector<TF_Output> inputs) {
    TF_OperationDescription* d = TF_NewOperation(graph, op, name);
    for (TF_Output input : inputs) TF_AddInput(d, input);
    return Finish(d, op);
  }
  TF_Output Finish(TF_OperationDescription* d, const char* what) {
    TF_Operation* operation = TF_FinishOperation(d, Status());
    Check(what);
    return {operation, 0};
  }
  TF_Output Const(const char* name, float value) {
    TF_OperationDescription* d = TF_NewOperation(graph, "Const", name);
    TF_Tensor* t = Scalar(value);
    TF_SetAttrTensor(d, "value", t, Status());
    TF_SetAttrType(d, "dtype", TF_FLOAT);
    TF_DeleteTensor(t);
    return Finish(d, "Const");
  }
  TF_Output OfScalarShape(const char* op, const char* name) {
    TF_OperationDescription* d = TF_NewOperation(graph, op, name);
    TF_SetAttrType(d, "dtype", TF_FLOAT);
    TF_SetAttrShape(d, "shape", nullptr, 0);
    return Finish(d, op);
  }
  void Target(const TF_Operation* target) {
    TF_SessionRun(session, nullptr, nullptr, nullptr, 0, nullptr, nullptr, 0, &target, 1, nullptr,
                  Status());
    Check("run");
  }
  void Fetch(TF_Output output) {
    TF_Tensor* value = nullptr;
    TF_SessionRun(session, nullptr, nullptr, nullptr, 0, &output, &value, 1, nullptr, 0, nullptr,
                  Status());
    Check("run");
    TF_DeleteTensor(value);
  }
};

Timing Chain(int n, int batches, int batch) {
  Session s;
  const TF_Output x = s.OfScalarShape("Placeholder", "x"), c = s.Const("c", 1);
  TF_Output y = x;
  for (int i = 0; i < n; ++i) y = s.Add("AddV2", ("a" + std::to_string(i)).c_str(), {y, c});
  s.Open(false);
  TF_Tensor* in = Scalar(2);
  const Timing t = Measure(batches, batch, [&] {
    TF_Tensor* out = nullptr;
    TF_SessionRun(s.session, nullptr, &x, &in, 1, &y, &out, 1, nullptr, 0, nullptr, Status());
    Check("run");
    TF_DeleteTensor(out);
  });
  TF_DeleteTensor(in);
  return t;
}

void AssignAdd() {
  Session s;
  const TF_Output v = s.OfScalarShape("VariableV2", "v");
  const TF_Output init = s.Add("Assign", "init", {v, s.Const("zero", 0)});
  const TF_Output add = s.Add("AssignAdd", "add", {v, s.Const("one", 1)});
  s.Open(false);
  s.Target(init.oper);
  Print("assign_add", Measure(200, 200, [&] { s.Target(add.oper); }), kMicro);
}

TF_Output Grow(Session* s, long n) {
  TF_Output base = s->Const("base", 1), k = base, y = base;
  for (long i = 1; i < n; ++i) {
    const std::string name = "n" + std::to_string(i);
    if (i % 10 == 1) {
      k = y = s->Const(name.c_str(), 1);
    } else {
      y = s->Add("AddV2", name.c_str(), {y, k});
    }
  }
  s->Open(false);
  s->Fetch(base);
  return base;
}

void Extend(const std::string& name, long n, int reps) {
  Session s;
  const TF_Output base = Grow(&s, n);
  std::vector<double> seconds;
  for (int i = 0; i < reps; ++i) {
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
  for (int i = 0; i < 5; ++i) {
    TF_Operation* node =
        TF_GraphOperationByName(s.graph, ("n" + std::to_string(50002 + 10 * i)).c_str());
    const double start = Now();
    s.Fetch({node, 0});
    seconds.push_back(Now() - start);
  }
  Print("signature_100k", Summarize(seconds), kMicro);
}

void Memory() {
  constexpr long kNodes = 100000;
  {
    Session warm;
    const TF_Output c = warm.Const("warm", 1);
    warm.Open(false);
    warm.Fetch(c);
  }
  Session s;
  const double before = ResidentBytes();
  Grow(&s, kNodes);
  const double each = (ResidentBytes() - before) / kNodes;
  Print("memory", {each, each}, 1);
}

void Train(const std::string& name, const char* file, int batch, int batches, int per_batch) {
  Session s;
  std::ifstream stream(graph_dir + "/" + file + ".pb", std::ios::binary);
  const std::string bytes((std::istreambuf_iterator<char>(stream)), {});
  TF_Buffer* buffer = TF_NewBufferFromString(bytes.data(), bytes.size());
  TF_ImportGraphDefOptions* options = TF_NewImportGraphDefOptions();
  TF_GraphImportGraphDef(s.graph, buffer, options, Status());
  Check("import");
  s.Open(true);
  s.Target(TF_GraphOperationByName(s.graph, "init"));
  const TF_Operation* train = TF_GraphOperationByName(s.graph, "train");
  const TF_Output feeds[] = {{TF_GraphOperationByName(s.graph, "x"), 0},
                             {TF_GraphOperationByName(s.graph, "y"), 0}};
  const int64_t x_dims[] = {batch, 784}, y_dims[] = {batch, 10};
  TF_Tensor* values[] = {TF_AllocateTensor(TF_FLOAT, x_dims, 2, sizeof(float) * batch * 784),
                         TF_AllocateTensor(TF_FLOAT, y_dims, 2, sizeof(float) * batch * 10)};
  float* x = static_cast<float*>(TF_TensorData(values[0]));
  float* y = static_cast<float*>(TF_TensorData(values[1]));
  for (int i = 0; i < batch * 784; ++i) x[i] = static_cast<float>(drand48() * 2 - 1);
  for (int i = 0; i < batch * 10; ++i) y[i] = i % 10 == (i / 10) % 10 ? 1.0f : 0.0f;
  Print(name,
        Measure(batches, per_batch,
                [&] {
                  TF_SessionRun(s.session, nullptr, feeds, values, 2, nullptr, nullptr, 0, &train,
                                1, nullptr, Status());
                  Check("step");
                }),
        kMicro);
}

struct Row {
  const char* name;
  void (*run)(const std::string& name);
};

constexpr Row kRows[] = {
    {"step", [](const std::string& n) { Print(n, Chain(1, 200, 200), kMicro); }},
    {"chain_1000", [](const std::string& n) { Print(n, Chain(1000, 100, 10), kNano / 1000); }},
    {"assign_add", [](const std::string&) { AssignAdd(); }},
    {"extend_10", [](const std::string& n) { Extend(n, 10, 100); }},
    {"extend_1k", [](const std::string& n) { Extend(n, 1000, 50); }},
    {"extend_100k", [](const std::string& n) { Extend(n, 100000, 3); }},
    {"extend_1M", [](const std::string& n) { Extend(n, 1000000, 1); }},
    {"signature_100k", [](const std::string&) { Signature(); }},
    {"memory", [](const std::string&) { Memory(); }},
    {"mlp_32", [](const std::string& n) { Train(n, "mlp", 32, 100, 20); }},
    {"mlp_128", [](const std::string& n) { Train(n, "mlp", 128, 100, 8); }},
    {"logistic_32", [](const std::string& n) { Train(n, "logistic", 32, 100, 50); }},
};

}  // namespace
}  // namespace tensh::bench

int main(int argc, char** argv) {
  if (argc > 1) tensh::bench::graph_dir = argv[1];
  for (int i = 2; i < argc; ++i) {
    for (const auto& row : tensh::bench::kRows) {
      if (std::strcmp(row.name, argv[i]) == 0) row.run(row.name);
    }
  }
}
