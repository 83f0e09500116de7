// tf.Session and tf.InteractiveSession. Converts the arguments of a run in Python (nested fetches,
// feeds by tensor or name) to the runtime's flat form, and its results back.
//
// A SessionObject owns its runtime session and its graph object. Compiled signatures are cached by
// fetches and feeds, so a loop converts the structure only once. Only the interpreter's thread may
// use it; another thread may cancel a step through the C API.
#pragma once

#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "shell/tensorflow/graph/graph.h"

struct tsh_partial;

namespace tensh::shell::tf {

// One step: the flat form of a structure of fetches and feeds.
struct FlatRun {
  std::vector<Out> fetches;
  std::vector<Node> targets;
  std::vector<Out> feeds;
  std::vector<TensorHandle> values;  // one per feed

  bool empty() const { return fetches.empty() && targets.empty(); }
  // Returns the step for the C API, which refers to this object and is valid until it changes.
  tsh_run run() const;

 private:
  mutable std::vector<tsh_tensor*> raw_;  // of `values`
};

// A Python function (tf.py_func), which the shell calls before a step that needs its results.
struct HostFunction {
  std::vector<Out> outputs, inputs;
};
// Returns the Python functions of a graph, in the order in which they were added.
std::vector<HostFunction> HostFunctions(const GraphObject& graph);

class SessionObject : public TrackedObject {
 public:
  static const TypeInfo kType;
  static const TypeInfo kInteractiveType;
  SessionObject(const TypeInfo& type, Ref<GraphObject> graph, SessionHandle handle);
  ~SessionObject() override;
  void DropRefs() override;
  void Visit(HeldVisitor& visit) const override { visit(graph_), visit(config), visit(entered); }

  GraphObject& graph() const { return *graph_; }
  const SessionHandle& handle() const { return handle_; }
  bool closed() const;
  void Close();
  void CheckOpen() const;  // throws RuntimeError('Attempted to use a closed Session.')

  Value Run(const Value& fetches, const Value& feed_dict);
  Value RunTraced(const Value& fetches, const Value& feed_dict, std::string* report);
  // The handle of a partial run is a string (session_partial.cc).
  Value SetUpPartial(const Value& fetches, const Value& feeds);
  Value RunPartial(const Value& handle, const Value& fetches, const Value& feed_dict);
  // Returns the feeds of a step together with those that the shell makes for it: the next elements of
  // tf.data's iterators, which it advances, and the results of tf.py_func. `feed_dict` is None or a
  // dict.
  Value WithElements(const Value& fetches, const Value& feed_dict);
  void RunFeeding(Node target, Out feed, const Value& value);  // for Variable.load
  std::vector<TensorHandle> RunFlat(const FlatRun& run);

  int64_t timeout_ms = 0;  // of the current run, from its options; 0 means that of the session
  std::string target, config_json;
  Value config = Value::None();
  // keeps the session alive while it is on the stack of default sessions
  Ref<SessionObject> entered;

 private:
  // Shared with the steps in flight, because another thread may extend the graph or close the
  // session.
  struct Signature {
    std::shared_ptr<tsh_callable> callable;
    uint32_t seen = 0;
  };

  void DropPartials();
  void CheckRuns() const;  // checks that the session is open and its graph not empty
  bool RunOnce(const FlatRun& flat, const tsh_run& run, tsh_tensor** fetched, tsh_status* status);

  Ref<GraphObject> graph_;
  SessionHandle handle_;
  std::unordered_map<std::string, tsh_partial*> partials_;  // by handle
  uint64_t partials_made_ = 0;
  std::unordered_map<std::string, Signature> signatures_;
  uint32_t generation_ = 0;  // generation of the graph when the signatures were compiled
};

// Returns the default session of the thread, or the shell's own session, or null.
SessionObject* DefaultSession();
// Returns `session` or the default one. Throws ValueError with the text `missing` if there is none.
// Checks the graph.
SessionObject& SessionFor(const Value& session, GraphObject& graph, const char* missing);
Value EvalTensor(const Value& tensor, const Value& feed_dict, const Value& session);
void PushSession(const Ref<SessionObject>& session);
void PopSession(SessionObject& session);
Ref<SessionObject> MakeSession(const TypeInfo& type, const Ref<GraphObject>& graph,
                               const std::string& target, const std::string& config_json);

// Converts feeds from Python into run->feeds and run->values.
void FlattenFeeds(GraphObject& g, const Value& feed_dict, FlatRun* run);
// The output or operation that is named by a fetch or the key of a feed.
struct Element {
  Out out = kNoOut;         // a tensor, or
  Node node = TSH_NO_NODE;  // an operation
};
Element ToElement(GraphObject& g, const Value& v, const char* role);

}  // namespace tensh::shell::tf
