// The Python classes tf.Session and tf.InteractiveSession, and passing a ConfigProto to the
// runtime.
#include <algorithm>
#include <string>
#include <vector>

#include "shell/python/values/error.h"
#include "shell/python/values/ops.h"
#include "shell/python/vm/library.h"
#include "shell/tensorflow/graph/exchange/config.h"
#include "shell/tensorflow/graph/exchange/records.h"
#include "shell/tensorflow/graph/fetch.h"
#include "shell/tensorflow/graph/session.h"
#include "shell/tensorflow/graph/shape.h"
#include "shell/tensorflow/graph/state.h"
#include "shell/tensorflow/graph/types/context.h"
#include "tensh/tensh_server.h"

namespace tensh::shell::tf {
namespace {

SessionObject& Self(const Value& v) { return *As<SessionObject>(v); }
SessionObject& Self(Args& a) { return Self(a.self()); }

Ref<GraphObject> GraphGiven(const Value& v) {
  if (v.is_none()) return Ref<GraphObject>(&DefaultGraph());
  auto* g = As<GraphObject>(v);
  if (!g) throw TypeError("graph must be a tf.Graph, but got " + Repr(TypeValue(TypeOf(v))));
  return Ref<GraphObject>(g);
}

Value Make(const TypeInfo& type, Args& a) {
  std::string target;
  if (!a[0].is_none()) {
    if (!IsStr(a[0]) && !As<BytesObject>(a[0])) {
      throw TypeError("target must be a string, but got " + Repr(TypeValue(TypeOf(a[0]))));
    }
    target = Str(a[0]);
  }
  Ref<SessionObject> made = MakeSession(type, GraphGiven(a[1]), target, ConfigJson(a[2]));
  made->config = a[2];
  return made;
}

Value NewSession(Args& a) { return Make(SessionObject::kType, a); }

// An InteractiveSession becomes the default session when it is created.
Value NewInteractive(Args& a) {
  Value made = Make(SessionObject::kInteractiveType, a);
  PushSession(Ref<SessionObject>(&Self(made)));
  return made;
}

// The time limit of one step, from RunOptions.
class StepTime {
 public:
  StepTime(SessionObject& session, const Value& options) : session_(session) {
    session_.timeout_ms = RunTimeoutMs(options);
  }
  ~StepTime() { session_.timeout_ms = 0; }

 private:
  SessionObject& session_;
};

Value RunIn(SessionObject& session, const Value& fetches, const Value& feeds, const Value& options,
            const Value& metadata) {
  const StepTime time(session, options);
  if (metadata.is_none()) return session.Run(fetches, feeds);
  std::string report;
  Value fetched = session.RunTraced(fetches, feeds, &report);
  SetRunMetadata(metadata, report);
  return fetched;
}

Value Run(Args& a) { return RunIn(Self(a), a[0], a[1], a[2], a[3]); }

Value Close(Args& a) {
  PopSession(Self(a));
  Self(a).Close();
  return Value::None();
}

Value AsDefault(Args& a) {
  Ref<SessionObject> session(&Self(a));
  return New<ContextObject>(
      [session] {
        PushSession(session);
        return Value(session);
      },
      [session] { PopSession(*session); });
}

Value Enter(const Value& v) {
  Ref<SessionObject> session(&Self(v));
  PushGraph(Ref<GraphObject>(&session->graph()));
  PushSession(session);
  return v;
}

bool Exit(const Value& v, const Value&) {
  PopSession(Self(v));
  PopGraph();
  Self(v).Close();
  return false;
}

// The result of make_callable(fetches, feed_list). With a feed_list, it takes the values of the
// feeds and the run options. Otherwise it takes no argument, or only the options if they are
// accepted.
Value CallCallable(const Value& self, const CallArgs& args);

class CallableObject : public TrackedObject {
 public:
  static const TypeInfo kType;
  CallableObject(Ref<SessionObject> session, Value fetches)
      : TrackedObject(kType), session(std::move(session)), fetches(std::move(fetches)) {}
  void Visit(HeldVisitor& visit) const override {
    visit(session), visit(fetches);
    for (const Value& feed : feeds) visit(feed);
  }
  void DropRefs() override {
    session = {};
    fetches = Value();
    feeds.clear();
  }
  const char* name() const {
    return As<OperationObject>(fetches) ? "_single_operation_run"
           : As<TensorObject>(fetches)  ? "_single_tensor_run"
                                        : "_fetch_handler_run";
  }
  Ref<SessionObject> session;
  Value fetches;
  std::vector<Value> feeds;
  bool takes_feeds = false, takes_options = false;
};
const TypeInfo CallableObject::kType = {.name = "function", .call = CallCallable};

[[noreturn]] void TooManyArguments(const CallableObject& callable, size_t given) {
  throw TypeError(std::string(callable.name()) + "() takes 0 positional arguments but " +
                  std::to_string(given) + (given == 1 ? " was given" : " were given"));
}

Value CallCallable(const Value& self, const CallArgs& args) {
  auto& callable = *As<CallableObject>(self);
  const size_t given = args.positional();
  if (!callable.takes_feeds && given) TooManyArguments(callable, given);
  Value options = Value::None(), metadata = Value::None();
  for (size_t i = 0; i < args.keyword_count(); ++i) {
    const std::string_view key = args.keyword(i);
    const bool known = key == "options" || key == "run_metadata";
    if (!known || !(callable.takes_feeds || callable.takes_options))
      throw TypeError(std::string(callable.takes_feeds ? "run" : callable.name()) +
                      "() got an unexpected keyword argument '" + std::string(key) + "'");
    (key == "options" ? options : metadata) = args.args[given + i];
  }
  Value feeds = MakeDict();
  for (size_t i = 0; i < std::min(given, callable.feeds.size()); ++i)
    SetItem(feeds, callable.feeds[i], args.args[i]);
  return RunIn(*callable.session, callable.fetches, feeds, options, metadata);
}

Value MakeCallable(Args& a) {
  Self(a).CheckOpen();
  Ref<CallableObject> made = New<CallableObject>(Ref<SessionObject>(&Self(a)), a[0]);
  made->takes_options = Truth(a[2]);
  if (!a[1].is_none()) {
    if (!As<ListObject>(a[1]) && !As<TupleObject>(a[1]))
      throw TypeError("`feed_list` must be a list or tuple.");
    made->feeds = ToVector(a[1]);
    made->takes_feeds = true;
  } else {
    FetchPlan(Self(a).graph(), a[0]);  // reports unfetchable values at once
  }
  return made;
}

Value MakeCallableFromOptions(Args& a) {
  Self(a).CheckOpen();
  return Call(FromLibrary("session_callable", Intern("_make_callable_from_options")),
              {a.self(), a[0]});
}

const FunctionRow kMethods[] = {
    {"run", "fetches, feed_dict=None, options=None, run_metadata=None", Run,
     "Runs the fetches and returns their values."},
    {"list_devices", "",
     [](Args& a) -> Value {
       Self(a).CheckOpen();
       return DevicesOf(Self(a).handle());
     },
     "Returns the devices of the session."},
    {"close", "", Close, "Closes the session and frees its resources."},
    {"as_default", "", AsDefault,
     "`with sess.as_default():` makes eval() and run() use the session."},
    {"make_callable", "fetches, feed_list=None, accept_options=False", MakeCallable,
     "Returns a function that runs the fetches."},
    {"_make_callable_from_options", "callable_options", MakeCallableFromOptions,
     "Returns a function of the values of callable_options.feed."},
    {"partial_run_setup", "fetches, feeds=None",
     [](Args& a) { return Self(a).SetUpPartial(a[0], a[1]); },
     "Returns a handle to a step that partial_run feeds and fetches in several calls."},
    {"partial_run", "handle, fetches, feed_dict=None",
     [](Args& a) { return Self(a).RunPartial(a[0], a[1], a[2]); },
     "Continues a step that was set up. Each feed and fetch is used once."},
};

// Sessions of this process share nothing that outlives them.
Value Reset(Args& a) {
  const std::string target = ToText(a[0], "target");
  if (!target.starts_with("grpc://")) return Value::None();
  std::vector<std::string> names;
  if (!a[1].is_none())
    for (const Value& each : ToVector(a[1])) names.push_back(ToText(each, "container"));
  std::vector<const char*> containers;
  for (const std::string& name : names) containers.push_back(name.c_str());
  tsh_status* status = ScratchStatus();
  if (!tsh_server_reset(target.c_str(), containers.data(), containers.size(), status))
    ThrowStatus(status);
  return Value::None();
}
const FunctionRow kStatics[] = {
    {"reset", "target, containers=None, config=None", Reset,
     "Closes all sessions of a server, and frees the variables, queues and other resources in the "
     "containers on all of its tasks. Has no effect for sessions in this process."},
};
const PropertyRow kProperties[] = {
    {"graph", [](const Value& v) { return Value(&Self(v).graph()); }},
    {"graph_def",
     [](const Value& v) { return CallMethod(Value(&Self(v).graph()), "as_graph_def", {}); }},
    {"sess_str", [](const Value& v) { return MakeStr(Self(v).target); }},
};

constexpr const char* kSignature = "target='', graph=None, config=None";
const FunctionRow kNewSession = {"Session", kSignature, NewSession, "Runs parts of a graph."};
const FunctionRow kNewInteractive = {"InteractiveSession", kSignature, NewInteractive,
                                     "A session that becomes the default session at once."};

}  // namespace

const TypeInfo SessionObject::kType = {.name = "Session",
                                       .module = "tensorflow.python.client.session",
                                       .doc = "Runs parts of a graph.",
                                       .methods = kMethods,
                                       .properties = kProperties,
                                       .statics = kStatics,
                                       .construct = &kNewSession,
                                       .enter = Enter,
                                       .exit = Exit};

const TypeInfo SessionObject::kInteractiveType = {
    .name = "InteractiveSession",
    .base = &SessionObject::kType,
    .module = "tensorflow.python.client.session",
    .doc = "A session that becomes the default session at once.",
    .construct = &kNewInteractive};

}  // namespace tensh::shell::tf
