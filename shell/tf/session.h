// tf.Session and tf.InteractiveSession: what a run is asked for in Python (nested fetches, feeds by
// tensor or name) brought to the runtime's flat form and back.
//
// Ownership: a SessionObject owns its runtime session and its graph object. Compiled signatures are
// kept by what they fetch and feed, so a loop pays for the structure once. Threads: the
// interpreter's only; the step itself may be cancelled from another thread through the C API.
#pragma once

#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "shell/tf/graph.h"

struct tsh_partial;  // runtime/api/tensh_partial.h

namespace tensh::shell::tf {

// What a fetch structure flattens to.
struct FlatRun {
  std::vector<Out> fetches;
  std::vector<Node> targets;
  std::vector<Out> feeds;
  std::vector<TensorHandle> values;  // one a feed
};
// The same for the C API; it points into `flat` and into `values`, which it fills.
tsh_run ToRun(const FlatRun& flat, std::vector<tsh_tensor*>* values);

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
  void CheckOpen() const;  // RuntimeError('Attempted to use a closed Session.')

  Value Run(const Value& fetches, const Value& feed_dict);
  Value RunTraced(const Value& fetches, const Value& feed_dict, std::string* report);
  // A handle, as a string; what a partial run gives (session_partial.cc).
  Value SetUpPartial(const Value& fetches, const Value& feeds);
  Value RunPartial(const Value& handle, const Value& fetches, const Value& feed_dict);
  void RunFeeding(Node target, Out feed, const Value& value);  // Variable.load
  std::vector<TensorHandle> RunFlat(const FlatRun& run);

  int64_t timeout_ms = 0;  // of the run at hand, from its options; 0: the session's
  std::string target, config_json;
  Value config = Value::None();
  Ref<SessionObject> entered;  // keeps itself while it is on the stack of defaults

 private:
  // Shared with the steps in flight: another thread may extend the graph or close the session.
  struct Signature {
    std::shared_ptr<tsh_callable> callable;
    uint32_t seen = 0;
  };

  void DropPartials();
  void CheckRuns() const;  // open, and there is something to run
  bool RunOnce(const FlatRun& flat, const tsh_run& run, tsh_tensor** fetched, tsh_status* status);

  Ref<GraphObject> graph_;
  SessionHandle handle_;
  std::unordered_map<std::string, tsh_partial*> partials_;  // by handle
  uint64_t partials_made_ = 0;
  std::unordered_map<std::string, Signature> signatures_;
  uint32_t generation_ = 0;  // of the graph, when the signatures were made
};

// The default session of the thread, the shell's own if there is none; null: no session at all.
SessionObject* DefaultSession();
// `session` as given, or the default one; `missing` is the ValueError's text. Checks the graph.
SessionObject& SessionFor(const Value& session, GraphObject& graph, const char* missing);
Value EvalTensor(const Value& tensor, const Value& feed_dict, const Value& session);
void PushSession(const Ref<SessionObject>& session);
void PopSession(SessionObject& session);
Ref<SessionObject> MakeSession(const TypeInfo& type, const Ref<GraphObject>& graph,
                               const std::string& target, const std::string& config_json);

// Feeds as Python gives them, into run->feeds and run->values.
void FlattenFeeds(GraphObject& g, const Value& feed_dict, FlatRun* run);
// The output or operation that a fetch or feed key names.
struct Element {
  Out out = kNoOut;         // a tensor, or
  Node node = TSH_NO_NODE;  // an operation
};
Element ToElement(GraphObject& g, const Value& v, const char* role);

}  // namespace tensh::shell::tf
