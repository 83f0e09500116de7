// Calls of the C API that bytes choose, with few graphs, sessions, tensors and outputs, which later calls use. The calls follow the
// API's rules: pointers are valid or NULL, and everything else is arbitrary. Several players, each in its own thread, may share a
// World: they close, cancel and run the same sessions, and extend the same graphs.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <iterator>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "tensh/tensh.h"

namespace tensh::fuzz {

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

inline constexpr const char* kOps[] = {
    "Const",    "Placeholder", "AddV2",          "MatMul",        "Neg",      "Switch",
    "Merge",    "Enter",       "Exit",           "NextIteration", "Identity", "Reshape",
    "ConcatV2", "VarHandleOp", "ReadVariableOp", "NoOp",          "Pack",     "Sum",
    "Cast",     "FIFOQueueV2", "Assign",         "VariableV2",    "Nothing"};
inline constexpr const char* kAttrs[] = {"T",      "dtype", "value", "shape",     "N", "frame_name",
                                         "Tshape", "SrcT",  "DstT",  "container", "x"};

// A few objects of one kind, which the players share. Released at the end, because a handle must not
// be released while another thread uses it. Thread-safe.
template <class T>
class Few {
 public:
  // Takes over the reference. Returns false if there was no space; the caller then keeps it.
  bool Keep(T* object) {
    std::lock_guard lock(mu_);
    if (!object || objects_.size() == 4) return false;
    objects_.push_back(object);
    return true;
  }
  T* Pick(Input& in) {
    std::lock_guard lock(mu_);
    return in.Pick(objects_);
  }
  void Release(void (*unref)(T*)) {
    for (T* object : objects_) unref(object);
  }

 private:
  std::mutex mu_;
  std::vector<T*> objects_{nullptr};
};

// The objects that the players use: two graphs, of which the first one has nodes that steps can run, also steps that wait.
struct World {
  World() : graphs{tsh_graph_new(), tsh_graph_new()} {
    const float one = 1;
    tsh_tensor* value = tsh_tensor_new(TSH_FLOAT, nullptr, 0, nullptr);
    *static_cast<float*>(tsh_tensor_data(value)) = one;
    tsh_attr constant = TSH_ATTR_INIT, dtype = Type("dtype"), types = Type("component_types");
    constant.name = "value";
    constant.kind = TSH_ATTR_TENSOR;
    constant.tensor = value;
    const int64_t type = TSH_FLOAT;
    types.is_list = 1;
    types.ints = &type;
    types.n = 1;
    Add("Const", {}, {constant, dtype});
    Add("Placeholder", {}, {dtype});
    Add("AddV2", {{0, 0}, {1, 0}}, {});
    Add("FIFOQueueV2", {}, {types});
    Add("QueueDequeueV2", {{3, 0}}, {types});
    Add("QueueEnqueueV2", {{3, 0}, {0, 0}}, {});
    Add("VarHandleOp", {}, {dtype, Scalar()});
    Add("ReadVariableOp", {{6, 0}}, {dtype});
    Add("AssignVariableOp", {{6, 0}, {0, 0}}, {});
    tsh_tensor_unref(value);
  }
  ~World() {
    partials.Release(tsh_partial_unref);
    callables.Release(tsh_callable_unref);
    sessions.Release(tsh_session_unref);
    for (tsh_graph* graph : graphs) tsh_graph_unref(graph);
  }
  World(const World&) = delete;

  tsh_graph* const graphs[2];
  Few<tsh_session> sessions;
  Few<tsh_callable> callables;  // each with the two feeds and fetches of Player::Run at most
  Few<tsh_partial> partials;
  // A transaction belongs to one thread at a time, as tensh.h says.
  std::mutex transaction;

 private:
  static tsh_attr Type(const char* name) {
    tsh_attr attr = TSH_ATTR_INIT;
    attr.name = name;
    attr.kind = TSH_ATTR_TYPE;
    attr.i = TSH_FLOAT;
    return attr;
  }
  static tsh_attr Scalar() {
    tsh_attr attr = TSH_ATTR_INIT;
    attr.name = "shape";
    attr.kind = TSH_ATTR_SHAPE;
    return attr;
  }
  void Add(const char* op, std::vector<tsh_output> inputs, std::vector<tsh_attr> attrs) {
    tsh_node_spec spec = TSH_NODE_SPEC_INIT;
    spec.op = op;
    spec.inputs = inputs.data();
    spec.n_inputs = inputs.size();
    spec.attrs = attrs.data();
    spec.n_attrs = attrs.size();
    tsh_node node = 0;
    if (!tsh_graph_add(graphs[0], &spec, 1, &node, nullptr)) std::abort();
  }
};

// One thread's calls.
class Player {
 public:
  Player(World& world, Input in, int64_t timeout_ms = 200)
      : world_(world), in_(in), timeout_ms_(timeout_ms), status_(tsh_status_new()) {}
  ~Player() {
    for (tsh_tensor* tensor : tensors_) tsh_tensor_unref(tensor);
    tsh_status_free(status_);
  }
  Player(const Player&) = delete;

  void Play() {
    for (int calls = 0; !in_.empty() && calls < 200; ++calls) Call(in_.Byte() % 18);
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
    run.timeout_ms = timeout_ms_;
    std::vector<tsh_tensor*> fetched(fetches.size(), nullptr);
    char* report = nullptr;
    switch (in_.Byte() % 6) {
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
      case 3:
        Partial(session, run, fetched.data());
        break;
      default:
        tsh_session_run(session, &run, fetched.data(), status_);
    }
    for (tsh_tensor* tensor : fetched)
      if (tensor != nullptr) Keep(tensor);
  }

  // Sets up a partial run and makes the first call, or calls one that another player set up.
  void Partial(tsh_session* session, const tsh_run& run, tsh_tensor** fetched) {
    tsh_partial* made = tsh_partial_new(session, &run, status_);
    tsh_partial* partial = made && world_.partials.Keep(made) ? made : world_.partials.Pick(in_);
    if (partial) tsh_partial_run(partial, &run, fetched, status_);
    tsh_partial_done(partial);
    if (made != partial) tsh_partial_unref(made);
  }

  // A callable has no limit of its own, so that every session needs one.
  void Open(tsh_graph* graph) {
    std::string config = in_.Byte() % 8 == 0 ? in_.Text() : "";
    if (config.empty())
      config = "{\"operation_timeout_in_ms\": " + std::to_string(timeout_ms_) + "}";
    tsh_session* session = tsh_session_new(graph, "", config.c_str(), status_);
    if (!world_.sessions.Keep(session)) tsh_session_unref(session);
  }

  void Callable() {
    tsh_session* session = world_.sessions.Pick(in_);
    const tsh_output fetch = Output();
    tsh_run run = TSH_RUN_INIT;
    run.fetches = &fetch;
    run.n_fetches = 1;
    tsh_callable* made = session ? tsh_callable_new(session, &run, status_) : nullptr;
    if (!world_.callables.Keep(made)) tsh_callable_unref(made);
    tsh_callable* callable = world_.callables.Pick(in_);
    tsh_tensor* fetched = nullptr;
    if (callable && tsh_callable_run(callable, nullptr, &fetched, status_)) Keep(fetched);
  }

  // Looks at what the others change.
  void Watch(tsh_graph* graph) {
    tsh_session* session = world_.sessions.Pick(in_);
    tsh_free(tsh_sessions_json());
    tsh_free(tsh_graphs_json());
    if (session) {
      tsh_session_id(session);
      tsh_session_closed(session);
      tsh_free(tsh_session_devices_json(session));
      tsh_free(tsh_session_variables_json(session));
    }
    size_t size = 0;
    tsh_free(tsh_graph_export(graph, 0, TSH_NO_NODE, nullptr, nullptr, &size));
    tsh_free(tsh_graph_json(graph));
    tsh_graph_valid_below(graph, static_cast<uint32_t>(in_.Number()));
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
    tsh_graph* graph = world_.graphs[in_.Byte() % 2];
    switch (which) {
      case 0:
        return Tensor();
      case 1:
      case 2:
      case 3:
        return Add(graph);
      case 4:
        Open(graph);
        return;
      case 5:
      case 6:
        return Run(world_.sessions.Pick(in_));
      case 7:
        return Gradients(graph);
      case 8:
        return Look(graph);
      case 9:
        if (tsh_session* session = world_.sessions.Pick(in_)) tsh_session_close(session, status_);
        return;
      case 10: {
        std::lock_guard lock(world_.transaction);
        tsh_graph_begin(graph);
        Add(graph);
        in_.Byte() % 2 == 0 ? tsh_graph_commit(graph) : tsh_graph_rollback(graph);
        return;
      }
      case 11: {
        const std::vector<int64_t> dims = Dims();
        tsh_output_set_shape(graph, Output(), dims.data(), static_cast<int>(dims.size()), status_);
        return;
      }
      case 12:
        tsh_node_set_device(graph, static_cast<tsh_node>(in_.Number()), in_.Text().c_str(),
                            status_);
        return;
      case 13:
        if (tsh_session* session = world_.sessions.Pick(in_)) tsh_session_cancel(session);
        return;
      case 14:
        return Callable();
      case 15:
        return Watch(graph);
      case 16:
        if (in_.Byte() == 0) tsh_graph_finalize(graph);
        return;
      default:
        tsh_graph_set_input(graph, static_cast<tsh_node>(in_.Number()),
                            static_cast<uint32_t>(in_.Byte() % 3), Output(), status_);
    }
  }

  World& world_;
  Input in_;
  const int64_t timeout_ms_;
  tsh_status* status_;
  std::vector<tsh_tensor*> tensors_{nullptr};
};

// Plays equal parts of the bytes at the same time. The first byte chooses the number of threads, 2 to 4.
inline void PlayInThreads(const uint8_t* data, size_t size) {
  if (size == 0) return;
  const size_t threads = 2 + data[0] % 3, part = (size - 1) / threads;
  World world;
  std::vector<std::thread> players;
  for (size_t t = 0; t < threads; ++t) {
    const Input in(data + 1 + t * part, part);
    players.emplace_back([&world, in] { Player(world, in, 20).Play(); });
  }
  for (std::thread& player : players) player.join();
}

}  // namespace tensh::fuzz
