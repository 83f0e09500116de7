// tf.Session and tf.InteractiveSession as the language sees them, and ConfigProto's way to the
// runtime.
#include "shell/tf/config.h"
#include "shell/tf/context.h"
#include "shell/tf/records.h"
#include "shell/tf/session.h"
#include "shell/tf/shape.h"
#include "shell/tf/state.h"
#include "shell/values/error.h"
#include "shell/values/ops.h"

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

// InteractiveSession is the default session from the start.
Value NewInteractive(Args& a) {
  Value made = Make(SessionObject::kInteractiveType, a);
  PushSession(Ref<SessionObject>(&Self(made)));
  return made;
}

// What RunOptions say of one step's time.
class StepTime {
 public:
  StepTime(SessionObject& session, const Value& options) : session_(session) {
    session_.timeout_ms = RunTimeoutMs(options);
  }
  ~StepTime() { session_.timeout_ms = 0; }

 private:
  SessionObject& session_;
};

Value Run(Args& a) {
  const StepTime time(Self(a), a[2]);
  if (a[3].is_none()) return Self(a).Run(a[0], a[1]);
  std::string report;
  Value fetched = Self(a).RunTraced(a[0], a[1], &report);
  SetRunMetadata(a[3], std::move(report));
  return fetched;
}

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

// make_callable(fetches, feed_list): a function of the feeds.
Value CallCallable(const Value& self, const CallArgs& args);

class CallableObject : public TrackedObject {
 public:
  static const TypeInfo kType;
  CallableObject(Ref<SessionObject> session, Value fetches, std::vector<Value> feeds)
      : TrackedObject(kType),
        session(std::move(session)),
        fetches(std::move(fetches)),
        feeds(std::move(feeds)) {}
  void DropRefs() override {
    session = {};
    fetches = Value();
    feeds.clear();
  }
  Ref<SessionObject> session;
  Value fetches;
  std::vector<Value> feeds;
};
const TypeInfo CallableObject::kType = {.name = "function", .call = CallCallable};

Value CallCallable(const Value& self, const CallArgs& args) {
  auto& callable = *As<CallableObject>(self);
  if (args.positional() != callable.feeds.size()) {
    throw ValueError("Expected " + std::to_string(callable.feeds.size()) + " feed values, got " +
                     std::to_string(args.positional()));
  }
  Value feeds = MakeDict();
  for (size_t i = 0; i < callable.feeds.size(); ++i)
    SetItem(feeds, callable.feeds[i], args.args[i]);
  return callable.session->Run(callable.fetches, feeds);
}

Value MakeCallable(Args& a) {
  Self(a).CheckOpen();
  std::vector<Value> feeds;
  if (!a[1].is_none()) feeds = ToVector(a[1]);
  return New<CallableObject>(Ref<SessionObject>(&Self(a)), a[0], std::move(feeds));
}

const FunctionRow kMethods[] = {
    {"run", "fetches, feed_dict=None, options=None, run_metadata=None", Run,
     "Runs what the fetches need and gives their values."},
    {"list_devices", "",
     [](Args& a) -> Value {
       Self(a).CheckOpen();
       return DevicesOf(Self(a).handle());
     },
     "The devices it can place nodes on."},
    {"close", "", Close, "Frees what the session holds."},
    {"as_default", "", AsDefault, "`with sess.as_default():` makes eval() and run() use it."},
    {"make_callable", "fetches, feed_list=None, accept_options=False", MakeCallable,
     "A function that runs the fetches."},
    {"reset", "*args, **kwargs", [](Args&) { return Value::None(); }, "Does nothing in process."},
};
const PropertyRow kProperties[] = {
    {"graph", [](const Value& v) { return Value(&Self(v).graph()); }},
    {"sess_str", [](const Value& v) { return MakeStr(Self(v).target); }},
};

constexpr const char* kSignature = "target='', graph=None, config=None";
const FunctionRow kNewSession = {"Session", kSignature, NewSession, "Runs parts of a graph."};
const FunctionRow kNewInteractive = {"InteractiveSession", kSignature, NewInteractive,
                                     "A session that is the default one at once."};

}  // namespace

const TypeInfo SessionObject::kType = {.name = "Session",
                                       .module = "tensorflow.python.client.session",
                                       .doc = "Runs parts of a graph.",
                                       .methods = kMethods,
                                       .properties = kProperties,
                                       .construct = &kNewSession,
                                       .enter = Enter,
                                       .exit = Exit};

const TypeInfo SessionObject::kInteractiveType = {
    .name = "InteractiveSession",
    .base = &SessionObject::kType,
    .module = "tensorflow.python.client.session",
    .doc = "A session that is the default one at once.",
    .construct = &kNewInteractive};

}  // namespace tensh::shell::tf
