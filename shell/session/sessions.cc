#include "shell/session/sessions.h"

#include "shell/python/values/error.h"
#include "shell/python/values/ops.h"
#include "shell/tensorflow/graph/session.h"
#include "shell/tensorflow/graph/state.h"

namespace tensh::shell {
namespace {

constexpr size_t kMostOthers = 4;

bool Runs(const Value& value, const tsh_graph* graph) {
  auto* session = As<tf::SessionObject>(value);
  return !session->closed() && session->graph().raw() == graph;
}

std::string DeviceConfig(int cpus) {
  return "{\"device_count\": {\"CPU\": " + std::to_string(cpus) + "}}";
}

}  // namespace

Sessions::Sessions(int cpus) : cpus_(cpus) { tf::State().shell_config = DeviceConfig(cpus); }

Value Sessions::Current() const {
  if (!chosen_.is_null() && !As<tf::SessionObject>(chosen_)->closed()) return chosen_;
  if (tf::State().session_stack.empty()) {
    const tsh_graph* graph = tf::DefaultGraph().raw();
    for (const Value& other : others_)
      if (Runs(other, graph)) return other;
  }
  tf::SessionObject* session = tf::DefaultSession();
  if (session == nullptr) throw RuntimeError("there is no session").Type("session new");
  return Value(session);
}

Value Sessions::New() const {
  return tf::MakeSession(tf::SessionObject::kType, Ref<tf::GraphObject>(&tf::DefaultGraph()), "",
                         DeviceConfig(cpus_));
}

Value Sessions::Over(const GraphHandle& graph) const {
  const Value current = Current();
  if (Runs(current, graph.get()) || current.Is(chosen_)) return current;
  for (const Ref<tf::SessionObject>& session : tf::State().session_stack)
    if (Runs(Value(session.get()), graph.get())) return Value(session.get());
  for (const Value& other : others_)
    if (Runs(other, graph.get())) return other;
  return Value();
}

Value Sessions::OpenOver(const GraphHandle& graph) {
  std::erase_if(others_, [](const Value& other) { return As<tf::SessionObject>(other)->closed(); });
  if (others_.size() >= kMostOthers) others_.erase(others_.begin());
  for (tf::GraphObject* each : tf::State().graphs) {
    if (each->raw() != graph.get()) continue;
    others_.push_back(tf::MakeSession(tf::SessionObject::kType, Ref<tf::GraphObject>(each), "",
                                      DeviceConfig(cpus_)));
    return others_.back();
  }
  throw RuntimeError("the graph no longer exists").Hint("`graphs` lists the graphs");
}

void Sessions::Keep() {
  const Value current = Current();
  chosen_ = Value();
  for (const Value& other : others_)
    if (other.Is(current)) return;
  if (others_.size() >= kMostOthers) others_.erase(others_.begin());
  others_.push_back(current);
}

void Sessions::Reset() {
  chosen_ = Value();
  others_.clear();
}

void Sessions::Use(const Value& session) {
  if (!session.is_null()) SessionOf(session);
  chosen_ = session;
}

void Sessions::StopUsing(const Value& session) {
  if (chosen_.Is(session)) chosen_ = Value();
}

tsh_session* SessionOf(const Value& value) {
  auto* session = As<tf::SessionObject>(value);
  if (session == nullptr) throw TypeError("'" + TypeName(value) + "' object is not a tf.Session");
  session->CheckOpen();
  return session->handle().get();
}

std::string TargetOf(const Value& session) { return Str(GetAttr(session, Intern("sess_str"))); }

}  // namespace tensh::shell
