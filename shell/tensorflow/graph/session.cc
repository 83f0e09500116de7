#include "shell/tensorflow/graph/session.h"

#include <algorithm>

#include "shell/python/values/error.h"
#include "shell/python/values/ops.h"
#include "shell/python/vm/interp.h"
#include "shell/python/vm/library.h"
#include "shell/python/vm/threads.h"
#include "shell/tensorflow/graph/arrays.h"
#include "shell/tensorflow/graph/build.h"
#include "shell/tensorflow/graph/convert.h"
#include "shell/tensorflow/graph/errors.h"
#include "shell/tensorflow/graph/fetch.h"
#include "shell/tensorflow/graph/last_run.h"
#include "shell/tensorflow/graph/needs.h"
#include "shell/tensorflow/graph/shape.h"
#include "shell/tensorflow/graph/state.h"
#include "shell/tensorflow/graph/variable.h"

namespace tensh::shell::tf {
namespace {

constexpr uint32_t kRunsBeforeCallable = 2;
constexpr size_t kMaxSignatures = 256;

void AppendKey(std::string* key, const void* data, size_t bytes) {
  const uint32_t n = static_cast<uint32_t>(bytes);
  key->append(reinterpret_cast<const char*>(&n), sizeof n);
  key->append(static_cast<const char*>(data), bytes);
}

std::string SignatureKey(const FlatRun& run) {
  std::string key;
  AppendKey(&key, run.fetches.data(), run.fetches.size() * sizeof(Out));
  AppendKey(&key, run.targets.data(), run.targets.size() * sizeof(Node));
  AppendKey(&key, run.feeds.data(), run.feeds.size() * sizeof(Out));
  return key;
}

// Replaces the op name in an error by the operation, and sets node_def.
void NameOperation(GraphObject& graph, ExceptionObject& error) {
  Value* name = error.attrs()->Find("_op");
  if (name == nullptr || !IsStr(*name)) return;
  const tsh_node node = graph.handle().Find(std::string(StrView(*name)));
  if (node == TSH_NO_NODE) {
    error.attrs()->Set("_op", Value::None());
    return;
  }
  const Value operation = graph.Operation(node);
  error.attrs()->Set("_op", operation);
  error.attrs()->Set("_node_def", GetAttr(operation, "node_def"));
}

// Returns a dict display with a zero for each placeholder: "'x:0': [0., 0.]".
std::string ZeroDict(const GraphHandle& graph, const std::vector<std::string>& names) {
  std::string out;
  for (const std::string& name : names)
    out += (out.empty() ? "'" : ", '") + name + ":0': " + ZeroText(graph, {graph.Find(name), 0});
  return out;
}

// Returns "in 'sub' (Sub) from line 10" or "in 'Assign' (Assign to w) from line 3", or "" if the runtime does not name a node of the graph.
std::string FailedAt(const GraphHandle& graph, const std::string& name) {
  const Node node = name.empty() ? TSH_NO_NODE : graph.Find(name);
  if (node == TSH_NO_NODE) return "";
  const std::string place = Places(graph, {name}), op = graph.NodeOp(node);
  const std::string variable = op.starts_with("Assign")
                                   ? " to " + std::string(graph.NodeName(graph.Input(node, 0).node))
                                   : "";
  return "in '" + name + "' (" + op + variable + ")" +
         (place.empty() ? "" : place.substr(name.size()));
}

// Throws the error of a run of Session.run, which names the operation that failed and the source
// locations of placeholders that were not fed.
[[noreturn]] void ThrowSessionError(const SessionObject& session, const tsh_run& run,
                                    const tsh_status* status) {
  try {
    ThrowRunError(session.handle().get(), run, status);
  } catch (PyError& error) {
    const GraphHandle& graph = session.graph().handle();
    const std::vector<std::string>& missing = error.exception().missing_feeds;
    const std::string places = Places(graph, missing);
    if (!missing.empty())
      error.Hint("pass feed_dict={" + ZeroDict(graph, missing) + "}" +
                 (places.empty() ? "" : " (" + places + ")"));
    if (error.exception().hint.empty()) error.Hint(FailedAt(graph, tsh_status_node(status)));
    NameOperation(session.graph(), error.exception());
    throw;
  }
}

}  // namespace

tsh_run FlatRun::run() const {
  raw_.clear();
  for (const TensorHandle& t : values) raw_.push_back(t.get());
  tsh_run run{};
  run.feeds = feeds.data();
  run.values = raw_.data();
  run.n_feeds = feeds.size();
  run.fetches = fetches.data();
  run.n_fetches = fetches.size();
  run.targets = targets.data();
  run.n_targets = targets.size();
  return run;
}

// A session and its graph count as this many small objects for the garbage collector.
constexpr size_t kSessionPressure = 1000;

SessionObject::SessionObject(const TypeInfo& type, Ref<GraphObject> graph, SessionHandle handle)
    : TrackedObject(type), graph_(std::move(graph)), handle_(std::move(handle)) {}

SessionObject::~SessionObject() {
  DropPartials();
  signatures_.clear();
  ForgetSession(*this);
}

void SessionObject::DropRefs() {
  config = Value();
  entered = {};
}

bool SessionObject::closed() const { return handle_.closed(); }

void SessionObject::Close() {
  DropPartials();
  signatures_.clear();
  if (closed()) return;
  handle_.Close();
  heap::AddPressure(kSessionPressure);
}

void SessionObject::CheckOpen() const {
  if (!closed()) return;
  throw RuntimeError("Attempted to use a closed Session.")
      .Explain(kWhyClosed)
      .Hint("Open another: sess = tf.Session()");
}

bool SessionObject::RunOnce(const FlatRun& flat, const tsh_run& run, tsh_tensor** fetched,
                            tsh_status* status) {
  if (Last().recording && !Last().paused) {
    tsh_step* step = nullptr;
    bool ok = false;
    {
      const threads::Unlocked unlocked;
      ok = tsh_session_run_recorded(handle_.get(), &run, fetched, &step, status) != 0;
    }
    Last().step.reset(step);
    return ok;
  }
  // A signature that ran a few times gets a callable, which skips the checks of the request and the
  // look-up of its plan.
  Signature& signature = signatures_[SignatureKey(flat)];
  if (!signature.callable && ++signature.seen > kRunsBeforeCallable) {
    if (tsh_callable* made = tsh_callable_new(handle_.get(), &run, status))
      signature.callable.reset(made, tsh_callable_unref);
  }
  const std::shared_ptr<tsh_callable> callable = signature.callable;
  const threads::Unlocked unlocked;
  if (callable && !run.timeout_ms)
    return tsh_callable_run(callable.get(), run.values, fetched, status) != 0;
  return tsh_session_run(handle_.get(), &run, fetched, status) != 0;
}

std::vector<TensorHandle> SessionObject::RunFlat(const FlatRun& flat) {
  CheckOpen();
  const uint32_t generation = graph_->handle().generation();
  if (generation != generation_ || signatures_.size() > kMaxSignatures) signatures_.clear();
  generation_ = generation;
  tsh_run run = flat.run();
  run.timeout_ms = timeout_ms;
  tsh_status* status = ScratchStatus();
  std::vector<tsh_tensor*> raw(run.n_fetches, nullptr);
  if (!RunOnce(flat, run, raw.data(), status)) ThrowSessionError(*this, run, status);
  NoteRun(*this, run);
  std::vector<TensorHandle> fetched;
  fetched.reserve(raw.size());
  for (tsh_tensor* t : raw) fetched.push_back(TensorHandle::Adopt(t));
  return fetched;
}

Value SessionObject::Run(const Value& fetches, const Value& feed_dict) {
  CheckRuns();
  // The runtime prints the placements, which must follow what the program printed before.
  const bool configured = !config.is_null() && !config.is_none();
  if (configured && Truth(GetAttr(config, "log_device_placement"))) Interp::Current().Flush();
  FetchPlan plan(*graph_, fetches);
  FlatRun flat;
  flat.fetches = plan.fetches();
  flat.targets = plan.targets();
  FlatRun own;  // only the feeds of the program
  const Value feeds = WithElements(fetches, feed_dict);
  FlattenFeeds(*graph_, feeds, &flat);
  if (flat.empty()) return plan.Rebuild({});
  if (!feeds.Is(feed_dict)) FlattenFeeds(*graph_, feed_dict, &own);
  Value result = plan.Rebuild(RunFlat(flat), feeds.Is(feed_dict) ? flat.feeds : own.feeds);
  NoteResult(result);
  return result;
}

std::vector<HostFunction> HostFunctions(const GraphObject& graph) {
  std::vector<HostFunction> functions;
  const auto outs = [](const Value& tensors) {
    std::vector<Out> list;
    const std::vector<Value>* items = Sequence(tensors);
    for (size_t i = 0; items != nullptr && i < items->size(); ++i)
      if (auto* tensor = As<TensorObject>((*items)[i])) list.push_back(tensor->out());
    return list;
  };
  for (const auto& [name, hosted] : graph.collections) {
    if (name != "__host" || hosted->items.empty()) continue;
    // The list also has tf.data's iterators, which have no such attributes.
    for (const Value& each : hosted->items) {
      const Value outputs = FindAttr(each, Intern("outputs"));
      const Value inputs = FindAttr(each, Intern("_inputs"));
      if (!outputs.is_null() && !inputs.is_null())
        functions.push_back({outs(outputs), outs(inputs)});
    }
  }
  return functions;
}

Value SessionObject::WithElements(const Value& fetches, const Value& feed_dict) {
  for (const auto& [name, hosted] : graph().collections) {
    if (name != "__host" || hosted->items.empty()) continue;
    return Call(FromLibrary("data", Intern("_feed")),
                {Value(this), Value(hosted), fetches, feed_dict});
  }
  return feed_dict;
}

Value SessionObject::RunTraced(const Value& fetches, const Value& feed_dict, std::string* report) {
  CheckOpen();
  FetchPlan plan(*graph_, fetches);
  FlatRun flat;
  flat.fetches = plan.fetches();
  flat.targets = plan.targets();
  FlattenFeeds(*graph_, WithElements(fetches, feed_dict), &flat);
  tsh_run run = flat.run();
  run.timeout_ms = timeout_ms;
  std::vector<TensorHandle> fetched;
  *report = handle_.RunTraced(run, &fetched);
  return plan.Rebuild(fetched);
}

void SessionObject::RunFeeding(Node target, Out feed, const Value& value) {
  FlatRun flat;
  flat.targets = {target};
  flat.feeds = {feed};
  flat.values = {
      ToFeed(value, BaseType(graph_->handle().DType(feed)), graph_->handle().NodeName(feed.node))};
  RunFlat(flat);
}

// ---- default sessions ----

void PushSession(const Ref<SessionObject>& session) { State().session_stack.push_back(session); }

void PopSession(SessionObject& session) {
  auto& stack = State().session_stack;
  for (size_t i = stack.size(); i-- > 0;) {
    if (stack[i].get() != &session) continue;
    stack.erase(stack.begin() + static_cast<std::ptrdiff_t>(i));
    return;
  }
}

SessionObject* DefaultSession() {
  auto& stack = State().session_stack;
  if (!stack.empty()) return stack.back().get();
  return State().shell_config.empty() ? nullptr : &ShellSession(DefaultGraph());
}

SessionObject& SessionFor(const Value& session, GraphObject& graph, const char* missing) {
  if (!session.is_none() && !session.is_null()) {
    auto* given = As<SessionObject>(session);
    if (!given) throw TypeError("session must be a tf.Session, got " + Repr(session));
    if (&given->graph() != &graph) {
      throw ValueError(
          "Cannot use the given session to evaluate tensor: the tensor's graph is "
          "different from the session's graph.");
    }
    return *given;
  }
  auto& stack = State().session_stack;
  if (stack.empty())
    throw ValueError(missing).Hint("The verbs use the shell's session: eval x, run op");
  SessionObject* found = stack.back().get();
  if (&found->graph() != &graph) {
    throw ValueError(
        "Cannot use the default session to evaluate tensor: the tensor's graph is "
        "different from the session's graph. Pass an explicit session to "
        "`eval(session=sess)`.");
  }
  return *found;
}

Value EvalTensor(const Value& tensor, const Value& feed_dict, const Value& session) {
  GraphObject& g = GraphOf({&tensor});
  SessionObject& s = SessionFor(
      session, g,
      "Cannot evaluate tensor using `eval()`: No default session is registered. Use `with "
      "sess.as_default()` or pass an explicit session to `eval(session=sess)`");
  return s.Run(tensor, feed_dict);
}

Ref<SessionObject> MakeSession(const TypeInfo& type, const Ref<GraphObject>& graph,
                               const std::string& target, const std::string& config_json) {
  Ref<SessionObject> made =
      New<SessionObject>(type, graph, SessionHandle::Make(graph->handle(), target, config_json));
  made->target = target;
  made->config_json = config_json;
  return made;
}

// There is one session per graph, so that variables survive while another graph is the default. The
// session of a graph that is no longer a default graph is released.
SessionObject& ShellSession(GraphObject& graph) {
  LayerState& state = State();
  std::erase_if(state.shell_sessions, [&](const Ref<SessionObject>& session) {
    const GraphObject* of = &session->graph();
    const bool stacked =
        std::any_of(state.graph_stack.begin(), state.graph_stack.end(),
                    [of](const Ref<GraphObject>& each) { return each.get() == of; });
    return session->closed() || (of != &graph && of != state.global_graph.get() && !stacked);
  });
  for (const Ref<SessionObject>& session : state.shell_sessions) {
    if (&session->graph() == &graph) return *session;
  }
  state.shell_sessions.push_back(
      MakeSession(SessionObject::kType, Ref<GraphObject>(&graph), "", state.shell_config));
  return *state.shell_sessions.back();
}

}  // namespace tensh::shell::tf
