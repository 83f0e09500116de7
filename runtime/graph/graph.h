#pragma once
// An append-only store of nodes, as arrays of ids. Sessions share a graph and count its references.
//
// 1. A node never changes after it was appended, except for its requested device and the known part
//    of its output shapes. It takes inputs only from earlier nodes and keeps its id. Therefore
//    Append cannot invalidate a compiled plan. There is one exception, which closes a loop: an input
//    of a Merge may come from a later NextIteration, appended in the same call or set afterwards
//    (SetInput).
// 2. Append adds all nodes or none, and costs O(new nodes). Only inputs are stored; consumers are
//    derived where they are needed.
// 3. There is one writer at a time (the lock is internal). Readers use ids below size() and take no
//    lock.
// 4. Rollback removes the nodes added since Begin. Observers (sessions) drop the plans that used
//    them.
#include <atomic>
#include <functional>
#include <map>
#include <mutex>
#include <span>
#include <string>
#include <string_view>

#include "runtime/core/op_registry.h"
#include "runtime/graph/attr_sets.h"
#include "runtime/graph/chunked.h"
#include "runtime/graph/function.h"
#include "runtime/graph/ids.h"
#include "runtime/graph/names.h"

namespace tensh {

struct Output {
  NodeId node = kNoNode;
  uint32_t index = 0;
};

// A node to append. The views must be valid during the call. Attributes that follow from the inputs
// or have defaults may be omitted. An empty name stands for the name of the op, made unique.
struct NodeSpec {
  std::string_view op, name, device;
  std::span<const Output> inputs;
  std::span<const NodeId> controls;
  std::span<const NamedAttr> attrs;
  uint32_t source = 0;  // A tag of the caller, such as a line or a cell.
};

class Graph {
 public:
  explicit Graph(const OpRegistry& ops);
  // Makes the graph of a function body. Its creator owns it, and it is not among the live graphs.
  Graph(const OpRegistry& ops, std::shared_ptr<FunctionLibrary> functions);
  ~Graph();
  Graph(const Graph&) = delete;
  Graph& operator=(const Graph&) = delete;

  // ---- reading (any thread, ids below size()) ----
  uint64_t id() const { return id_; }
  uint32_t size() const { return size_.load(std::memory_order_acquire); }
  uint64_t version() const { return version_.load(std::memory_order_acquire); }
  const OpDef& op(NodeId n) const {
    const uint16_t id = op_[Index(n)];
    return __builtin_expect(id < kFunctionOps, 1) ? ops_.Get(id) : functions_->op(id);
  }
  std::string_view name(NodeId n) const { return names_.Get(Index(n)); }
  std::string_view device(NodeId n) const { return devices_.Get(Read(device_, Index(n))); }
  Attrs attrs(NodeId n) const { return attr_sets_.Get(attrs_[Index(n)]); }
  uint32_t source(NodeId n) const { return source_[Index(n)]; }
  uint32_t num_inputs(NodeId n) const { return n_inputs_[Index(n)]; }
  ValueId input(NodeId n, uint32_t i) const {
    return ValueId{Read(edges_, in_begin_[Index(n)] + i)};
  }
  uint32_t num_controls(NodeId n) const { return n_controls_[Index(n)]; }
  NodeId control(NodeId n, uint32_t i) const {
    return NodeId{edges_[in_begin_[Index(n)] + n_inputs_[Index(n)] + i]};
  }
  uint32_t num_outputs(NodeId n) const { return n_outputs_[Index(n)]; }
  ValueId output(NodeId n, uint32_t i) const { return ValueId{out_begin_[Index(n)] + i}; }
  NodeId node_of(ValueId v) const { return NodeId{value_node_[Index(v)]}; }
  uint32_t index_of(ValueId v) const { return Index(v) - out_begin_[value_node_[Index(v)]]; }
  DType dtype(ValueId v) const { return dtype_[Index(v)]; }
  const Shape& shape(ValueId v) const { return *shapes_.Get(Read(shape_, Index(v))); }
  // Returns "name:1", the form used in messages and feeds.
  std::string ValueName(ValueId v) const;
  NodeId Find(std::string_view name) const;  // Returns kNoNode if it does not exist.
  // Returns the value if it is known before any run; otherwise null.
  Tensor Constant(ValueId v) const;
  // Interprets the value v, an integer vector, as a shape, as far as it is known. Returns Unknown()
  // if nothing is known. For a handle, returns the shape of its variable.
  Shape ConstantAsShape(ValueId v) const;
  const OpRegistry& ops() const { return ops_; }
  // The functions that nodes of this graph may call, either as an op or by an attribute.
  FunctionLibrary& functions() const { return *functions_; }
  const std::shared_ptr<FunctionLibrary>& shared_functions() const { return functions_; }
  // Returns an op of the registry or a function, or null if neither exists.
  const OpDef* FindOp(std::string_view name) const;
  size_t bytes() const;

  // ---- writing ----
  // Appends nodes in order and returns the first one. A node may take inputs from earlier nodes of
  // the same call.
  Result<NodeId> Append(std::span<const NodeSpec> specs);
  // Runs fn, which appends nodes. If it fails, the nodes are removed again. fn returns a Result or
  // a type like Status.
  template <class Fn>
  auto AllOrNothing(Fn fn) {
    std::lock_guard lock(mu_);
    Mark before = Here();
    auto result = fn();
    if (!result.ok()) Truncate(before);
    return result;
  }
  std::string UniqueName(std::string_view name, bool mark_as_used);
  Status SetShape(ValueId v, const Shape& shape);
  // Sets the back edge of a loop: input i of a Merge becomes an output of a NextIteration. Plans
  // that used the Merge are dropped.
  Status SetInput(NodeId merge, uint32_t i, const Output& from);
  // Records that a plan was made of nodes below n.
  void NotePlanned(uint32_t n) const;
  Status SetDevice(NodeId n, std::string_view device);
  void Finalize() { finalized_ = true; }
  // A command calls Begin, appends nodes, and then calls Commit (which makes a new version if there
  // are new nodes) or Rollback. Commands are not nested.
  void Begin();
  void Commit();
  void Rollback();
  uint32_t generation() const { return generation_; }
  // Returns the index below which nodes are unchanged since `generation`.
  uint32_t valid_below(uint32_t generation) const;

  // ---- sharing ----
  void Ref() { refs_.fetch_add(1, std::memory_order_relaxed); }
  void Unref();  // The last reference deletes the graph.
  int refs() const { return refs_.load(); }
  std::atomic<int> sessions{0};
  // Called with the first removed index when nodes are rolled back, and with the node when its
  // device changes. It must not add or remove observers. It is not called after RemoveObserver.
  using Observer = std::function<void(uint32_t first_dropped)>;
  uint64_t AddObserver(Observer observer);
  void RemoveObserver(uint64_t token);
  // Calls fn for every live graph, in order of creation.
  static void ForEachLive(const std::function<void(const Graph&)>& fn);

 private:
  // Read and write an entry that a setter may change while other threads read it: a device, a shape or an edge.
  static uint32_t Read(const Chunked<uint32_t>& column, uint32_t i) {
    return std::atomic_ref(const_cast<uint32_t&>(column[i])).load(std::memory_order_acquire);
  }
  static void Write(Chunked<uint32_t>& column, uint32_t i, uint32_t value) {
    std::atomic_ref(column[i]).store(value, std::memory_order_release);
  }

  friend class Appender;
  // Sizes to return to.
  struct Mark {
    uint32_t nodes, edges, values, attr_sets;
    size_t back_edges;
  };
  Mark Here() const {
    return {op_.size(), edges_.size(), dtype_.size(), attr_sets_.size(), back_edges_.size()};
  }
  void Truncate(const Mark& mark);
  void Notify(uint32_t first_dropped);
  Tensor ConstantAtDepth(ValueId v, int depth) const;
  Shape ShapeAtDepth(ValueId v, int depth) const;
  Shape HandleShape(ValueId v) const;

  const OpRegistry& ops_;
  const std::shared_ptr<FunctionLibrary> functions_;
  const uint64_t id_;
  std::atomic<int> refs_{1};
  std::atomic<uint32_t> size_{0};
  std::atomic<uint64_t> version_{0};
  std::atomic<bool> finalized_{false};

  Chunked<uint16_t> op_;
  Chunked<uint32_t> device_, attrs_, source_, in_begin_, n_inputs_, n_controls_, out_begin_,
      n_outputs_;
  Chunked<uint32_t> edges_;  // Inputs as ValueId, followed by controls as NodeId.
  struct BackEdge {
    uint32_t edge, before;
  };
  std::vector<BackEdge> back_edges_;          // The changes of SetInput, to undo them.
  mutable std::atomic<uint32_t> planned_{0};  // Nodes below this may be part of a plan.
  Chunked<uint32_t> value_node_, shape_;
  Chunked<DType> dtype_;
  Names names_;
  StringPool devices_;
  AttrSets attr_sets_;
  ShapePool shapes_;

  mutable std::recursive_mutex mu_;
  bool in_command_ = false;
  Mark mark_{};
  struct RollbackEvent {
    uint32_t generation, size;
  };
  std::vector<RollbackEvent> rollbacks_;
  std::atomic<uint32_t> generation_{0};
  // Locked before a session's locks and never while mu_ is held, because a session that compiles
  // reads the graph.
  std::mutex observers_mu_;
  std::map<uint64_t, Observer> observers_;
  uint64_t next_observer_ = 1;
};

// A request for d(sum ys)/d(xs), as in tf.gradients.
struct GradientRequest {
  std::span<const Output> ys, xs, grad_ys;  // If grad_ys is empty, ones are used.
  std::string scope;      // Name scope of the new nodes; already unique, without trailing slash.
  bool gate_ops = false;  // The gradients of an op wait for each other (Optimizer.GATE_OP).
  // The gradient of a node shares its device (colocate_gradients_with_ops).
  bool colocate = false;
  uint32_t source = 0;
  std::span<const Output> stops = {};  // Treated as constants (stop_gradients).
  // If not null, the gradient of a gather may remain a list of rows (tf.IndexedSlices). There is
  // one entry for each x; indices.node is kNoNode if its gradient is dense. If null, all gradients
  // are dense.
  struct Rows {
    Output indices{}, dense_shape{};
  };
  std::vector<Rows>* rows = nullptr;
};
// Returns one output for each x; its node is kNoNode if x does not affect ys. Adds all nodes or
// none.
Result<std::vector<Output>> AddGradients(Graph& graph, const GradientRequest& request);

}  // namespace tensh
