#pragma once
// Graph: an append-only store of nodes as arrays of ids, shared by sessions and counted by them.
//
// 1. A node never changes once appended (its asked-for device and what is known of its outputs'
// shapes excepted),
//    takes inputs only from earlier nodes, and keeps its id; so no compiled plan can be invalidated
//    by an Append. The one exception closes a loop: an input of a Merge may come from a later
//    NextIteration, given behind the Merge in one Append or set afterwards (SetInput).
// 2. Append is all-or-nothing and costs O(new nodes). Only inputs are stored; consumers are derived
// where needed.
// 3. One writer at a time (the lock is inside); readers use ids below size() and take no lock.
// 4. Rollback forgets the nodes since Begin; observers (sessions) drop the plans that used them.
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

// One node to append. Views: valid during the call. Attributes that follow from the inputs or have
// defaults may be left out; an empty name is the op's, made unique.
struct NodeSpec {
  std::string_view op, name, device;
  std::span<const Output> inputs;
  std::span<const NodeId> controls;
  std::span<const NamedAttr> attrs;
  uint32_t source = 0;  // the caller's tag: a line, a cell
};

class Graph {
 public:
  explicit Graph(const OpRegistry& ops);
  // The body of a function: owned by who makes it, not among the live graphs.
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
  std::string_view device(NodeId n) const { return devices_.Get(device_[Index(n)]); }
  Attrs attrs(NodeId n) const { return attr_sets_.Get(attrs_[Index(n)]); }
  uint32_t source(NodeId n) const { return source_[Index(n)]; }
  uint32_t num_inputs(NodeId n) const { return n_inputs_[Index(n)]; }
  ValueId input(NodeId n, uint32_t i) const { return ValueId{edges_[in_begin_[Index(n)] + i]}; }
  uint32_t num_controls(NodeId n) const { return n_controls_[Index(n)]; }
  NodeId control(NodeId n, uint32_t i) const {
    return NodeId{edges_[in_begin_[Index(n)] + n_inputs_[Index(n)] + i]};
  }
  uint32_t num_outputs(NodeId n) const { return n_outputs_[Index(n)]; }
  ValueId output(NodeId n, uint32_t i) const { return ValueId{out_begin_[Index(n)] + i}; }
  NodeId node_of(ValueId v) const { return NodeId{value_node_[Index(v)]}; }
  uint32_t index_of(ValueId v) const { return Index(v) - out_begin_[value_node_[Index(v)]]; }
  DType dtype(ValueId v) const { return dtype_[Index(v)]; }
  const Shape& shape(ValueId v) const { return *shapes_.Get(shape_[Index(v)]); }
  // "name:1", as messages and feeds write it.
  std::string ValueName(ValueId v) const;
  NodeId Find(std::string_view name) const;  // kNoNode: none
  // The value when it is known before any run; null otherwise.
  Tensor Constant(ValueId v) const;
  // What is known of the value of v, an integer vector, taken as a shape; Unknown() when nothing
  // is.
  Shape ConstantAsShape(ValueId v) const;  // of a handle: the shape of its variable
  const OpRegistry& ops() const { return ops_; }
  // The functions that nodes of this graph may call, by name as an op or through an attribute.
  FunctionLibrary& functions() const { return *functions_; }
  const std::shared_ptr<FunctionLibrary>& shared_functions() const { return functions_; }
  // An op of the registry or a function; null when there is neither.
  const OpDef* FindOp(std::string_view name) const;
  size_t bytes() const;

  // ---- writing ----
  // The first new node; the others follow in order. A spec may take inputs from earlier specs of
  // the call.
  Result<NodeId> Append(std::span<const NodeSpec> specs);
  // Runs fn, which appends; what it appended is gone again when it fails. fn returns a Result or
  // Status-like.
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
  // The back edge of a loop: input i of a Merge becomes an output of a NextIteration. Plans that
  // used the Merge are dropped.
  Status SetInput(NodeId merge, uint32_t i, const Output& from);
  // A plan was made of nodes up to n.
  void NotePlanned(uint32_t n) const;
  Status SetDevice(NodeId n, std::string_view device);
  void Finalize() { finalized_ = true; }
  // A command: Begin, appends, then Commit (a new version if nodes came) or Rollback. Not nested.
  void Begin();
  void Commit();
  void Rollback();
  uint32_t generation() const { return generation_; }
  // Nodes below this index are still what they were at `generation`.
  uint32_t valid_below(uint32_t generation) const;

  // ---- sharing ----
  void Ref() { refs_.fetch_add(1, std::memory_order_relaxed); }
  void Unref();  // the last one deletes the graph
  int refs() const { return refs_.load(); }
  std::atomic<int> sessions{0};
  // Called with the first dropped index when nodes are rolled back, with the node when its device
  // changes; it may neither add nor remove observers. After RemoveObserver it runs no more.
  using Observer = std::function<void(uint32_t first_dropped)>;
  uint64_t AddObserver(Observer observer);
  void RemoveObserver(uint64_t token);
  // Every live graph, in the order of creation.
  static void ForEachLive(const std::function<void(const Graph&)>& fn);

 private:
  friend class Appender;
  // Sizes to go back to.
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
  Chunked<uint32_t> edges_;  // inputs as ValueId, then controls as NodeId
  struct BackEdge {
    uint32_t edge, before;
  };
  std::vector<BackEdge> back_edges_;          // what SetInput changed, to undo it
  mutable std::atomic<uint32_t> planned_{0};  // nodes below may be part of a plan
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
  // Taken before a session's locks, never while mu_ is held: a session that compiles reads the
  // graph.
  std::mutex observers_mu_;
  std::map<uint64_t, Observer> observers_;
  uint64_t next_observer_ = 1;
};

// d(sum ys)/d(xs), as tf.gradients makes it.
struct GradientRequest {
  std::span<const Output> ys, xs, grad_ys;  // grad_ys empty: ones
  std::string scope;      // name scope of the new nodes, already unique, no trailing slash
  bool gate_ops = false;  // an op's gradients wait for each other (Optimizer.GATE_OP)
  uint32_t source = 0;
  std::span<const Output> stops = {};  // taken as constants (stop_gradients)
  // Where the gradient of a gather may stay a list of rows (tf.IndexedSlices): an entry an x, with
  // indices.node kNoNode where the gradient is dense. Null: all are made dense.
  struct Rows {
    Output indices{}, dense_shape{};
  };
  std::vector<Rows>* rows = nullptr;
};
// One entry an x; node kNoNode where x does not reach ys. All or nothing.
Result<std::vector<Output>> AddGradients(Graph& graph, const GradientRequest& request);

}  // namespace tensh
