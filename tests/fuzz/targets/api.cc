// Reads the input as a sequence of calls of the C API, with few graphs, sessions, tensors and outputs, which later calls use. The
// calls follow the API's rules: pointers are valid or NULL, and everything else is arbitrary.
#include <cstdint>
#include <string>
#include <vector>

#include "tensh/tensh.h"

namespace {

class Input {
 public:
  Input(const uint8_t* data, size_t size) : at_(data), end_(data + size) {}
  bool empty() const { return at_ == end_; }
  int Byte() { return empty() ? 0 : *at_++; }
  // Mostly small, sometimes extreme.
  int64_t Number() {
    const int kind = Byte();
    if (kind < 200) return kind % 8;
    if (kind < 220) return -(kind % 8);
    const uint64_t power = uint64_t{1} << (kind % 64);
    return static_cast<int64_t>(power - static_cast<uint64_t>(Byte() & 1));
  }
  std::string Text() {
    std::string text;
    for (int n = Byte() % 12; n > 0; --n) text += static_cast<char>(Byte());
    return text;
  }
  template <class T>
  T& Pick(std::vector<T>& items) {
    return items[static_cast<size_t>(Byte()) % items.size()];
  }

 private:
  const uint8_t *at_, *end_;
};

constexpr const char* kOps[] = {
    "Const",    "Placeholder", "AddV2",          "MatMul",        "Neg",      "Switch",
    "Merge",    "Enter",       "Exit",           "NextIteration", "Identity", "Reshape",
    "ConcatV2", "VarHandleOp", "ReadVariableOp", "NoOp",          "Pack",     "Sum",
    "Cast",     "FIFOQueueV2", "Assign",         "VariableV2",    "Nothing"};
constexpr const char* kAttrs[] = {"T",      "dtype", "value", "shape",     "N", "frame_name",
                                  "Tshape", "SrcT",  "DstT",  "container", "x"};

class Player {
 public:
  explicit Player(Input in) : in_(in), status_(tsh_status_new()) {
    graphs_ = {tsh_graph_new(), tsh_graph_new()};
    sessions_ = {nullptr};
    tensors_ = {nullptr};
  }
  ~Player() {
    for (tsh_session* session : sessions_) tsh_session_unref(session);
    for (tsh_tensor* tensor : tensors_) tsh_tensor_unref(tensor);
    for (tsh_graph* graph : graphs_) tsh_graph_unref(graph);
    tsh_status_free(status_);
  }

  void Play() {
    for (int calls = 0; !in_.empty() && calls < 200; ++calls) Call(in_.Byte() % 14);
  }

 private:
  tsh_output Output() {
    return {static_cast<tsh_node>(in_.Number()), static_cast<uint32_t>(in_.Byte() % 4)};
  }
  std::vector<int64_t> Dims() {
    std::vector<int64_t> dims(static_cast<size_t>(in_.Byte() % 4));
    for (int64_t& d : dims) d = in_.Number();
    return dims;
  }
  void Keep(tsh_tensor* tensor) {
    if (tensors_.size() < 16)
      tensors_.push_back(tensor);
    else
      tsh_tensor_unref(tensor);
  }

  void Add(tsh_graph* graph) {
    std::vector<tsh_output> inputs(static_cast<size_t>(in_.Byte() % 4));
    for (tsh_output& input : inputs) input = Output();
    std::vector<tsh_node> controls(static_cast<size_t>(in_.Byte() % 2));
    for (tsh_node& control : controls) control = static_cast<tsh_node>(in_.Number());
    std::vector<tsh_attr> attrs(static_cast<size_t>(in_.Byte() % 4));
    const std::vector<int64_t> dims = Dims();
    const std::string text = in_.Text(), name = in_.Text(),
                      device = in_.Byte() % 4 == 0 ? in_.Text() : "";
    for (tsh_attr& attr : attrs) {
      attr.name = kAttrs[static_cast<size_t>(in_.Byte()) % std::size(kAttrs)];
      attr.kind = static_cast<tsh_attr_kind>(in_.Byte() % 8);
      attr.i = in_.Byte() % 24;
      attr.string = text.c_str();
      attr.length = text.size();
      attr.dims = dims.data();
      attr.rank = static_cast<int>(dims.size());
      attr.tensor = in_.Pick(tensors_);
      if (attr.kind == TSH_ATTR_TENSOR && attr.tensor == nullptr) attr.kind = TSH_ATTR_TYPE;
      attr.is_list = in_.Byte() % 8 == 0;
      attr.ints = dims.data();
      attr.n = attr.kind == TSH_ATTR_INT || attr.kind == TSH_ATTR_TYPE ? dims.size() : 0;
    }
    tsh_node_spec spec = TSH_NODE_SPEC_INIT;
    spec.op = kOps[static_cast<size_t>(in_.Byte()) % std::size(kOps)];
    spec.name = name.c_str();
    spec.device = device.c_str();
    spec.inputs = inputs.data();
    spec.n_inputs = inputs.size();
    spec.controls = controls.data();
    spec.n_controls = controls.size();
    spec.attrs = attrs.data();
    spec.n_attrs = attrs.size();
    tsh_node first = 0;
    tsh_graph_add(graph, &spec, 1, &first, status_);
  }

  void Run(tsh_session* session) {
    if (session == nullptr) return;
    std::vector<tsh_output> feeds(static_cast<size_t>(in_.Byte() % 3)),
        fetches(static_cast<size_t>(in_.Byte() % 3));
    std::vector<tsh_tensor*> values;
    for (tsh_output& feed : feeds) {
      feed = Output();
      values.push_back(tensors_.back());
    }
    for (tsh_tensor* value : values)
      if (value == nullptr) return;
    for (tsh_output& fetch : fetches) fetch = Output();
    const tsh_node target = static_cast<tsh_node>(in_.Number());
    tsh_run run = TSH_RUN_INIT;
    run.feeds = feeds.data();
    run.values = values.data();
    run.n_feeds = feeds.size();
    run.fetches = fetches.data();
    run.n_fetches = fetches.size();
    run.targets = &target;
    run.n_targets = static_cast<size_t>(in_.Byte() % 2);
    run.timeout_ms = 200;
    std::vector<tsh_tensor*> fetched(fetches.size(), nullptr);
    char* report = nullptr;
    switch (in_.Byte() % 4) {
      case 0:
        tsh_session_run_traced(session, &run, fetched.data(), &report, status_);
        tsh_free(report);
        break;
      case 1:
        tsh_free(tsh_session_explain(session, &run, 10, status_));
        break;
      case 2:
        if (tsh_callable* callable = tsh_callable_new(session, &run, status_)) {
          tsh_callable_run(callable, values.data(), fetched.data(), status_);
          tsh_callable_unref(callable);
        }
        break;
      default:
        tsh_session_run(session, &run, fetched.data(), status_);
    }
    for (tsh_tensor* tensor : fetched)
      if (tensor != nullptr) Keep(tensor);
  }

  void Gradients(tsh_graph* graph) {
    const tsh_output y = Output(), x = Output();
    tsh_gradients request = TSH_GRADIENTS_INIT;
    request.ys = &y;
    request.n_ys = 1;
    request.xs = &x;
    request.n_xs = 1;
    tsh_gradient dx;
    tsh_graph_gradients(graph, &request, &dx, status_);
  }

  void Tensor() {
    const std::vector<int64_t> dims = Dims();
    const int dtype = in_.Byte() % 25;
    double elements = 1;
    for (const int64_t d : dims) elements *= static_cast<double>(d);
    if (elements > 1e5) return;  // the caller of this function chooses the size
    const double bytes = elements * static_cast<double>(tsh_dtype_size(dtype));
    tsh_tensor* tensor = tsh_tensor_new(dtype, dims.data(), static_cast<int>(dims.size()), status_);
    if (tensor == nullptr) return;
    auto* data = static_cast<uint8_t*>(tsh_tensor_data(tensor));
    for (double i = 0; data != nullptr && i < bytes; ++i)
      *data++ = static_cast<uint8_t>(in_.Byte() % 4);
    Keep(tensor);
  }

  void Look(tsh_graph* graph) {
    const auto node = static_cast<tsh_node>(in_.Number());
    int64_t dims[TSH_MAX_RANK];
    tsh_node_name(graph, node);
    tsh_node_op(graph, node);
    tsh_node_num_inputs(graph, node);
    tsh_node_input(graph, node, static_cast<size_t>(in_.Byte() % 3));
    tsh_free(tsh_node_attrs_json(graph, node));
    tsh_output_dtype(graph, Output());
    tsh_output_shape(graph, Output(), dims);
    tsh_tensor_unref(tsh_output_constant(graph, Output()));
    tsh_graph_find(graph, in_.Text().c_str());
  }

  void Call(int which) {
    tsh_graph* graph = in_.Pick(graphs_);
    switch (which) {
      case 0:
        return Tensor();
      case 1:
      case 2:
      case 3:
        return Add(graph);
      case 4:
        if (sessions_.size() < 4)
          if (tsh_session* session = tsh_session_new(
                  graph, "", in_.Byte() % 4 == 0 ? in_.Text().c_str() : nullptr, status_))
            sessions_.push_back(session);
        return;
      case 5:
      case 6:
        return Run(in_.Pick(sessions_));
      case 7:
        return Gradients(graph);
      case 8:
        return Look(graph);
      case 9:
        if (tsh_session* session = in_.Pick(sessions_)) tsh_session_close(session, status_);
        return;
      case 10:
        tsh_graph_begin(graph);
        Add(graph);
        in_.Byte() % 2 == 0 ? tsh_graph_commit(graph) : tsh_graph_rollback(graph);
        return;
      case 11: {
        const std::vector<int64_t> dims = Dims();
        tsh_output_set_shape(graph, Output(), dims.data(), static_cast<int>(dims.size()), status_);
        return;
      }
      case 12:
        tsh_node_set_device(graph, static_cast<tsh_node>(in_.Number()), in_.Text().c_str(),
                            status_);
        return;
      default:
        tsh_graph_set_input(graph, static_cast<tsh_node>(in_.Number()),
                            static_cast<uint32_t>(in_.Byte() % 3), Output(), status_);
    }
  }

  Input in_;
  tsh_status* status_;
  std::vector<tsh_graph*> graphs_;
  std::vector<tsh_session*> sessions_;
  std::vector<tsh_tensor*> tensors_;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  Player(Input(data, size)).Play();
  return 0;
}
