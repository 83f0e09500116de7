#include "shell/session/sessions.h"

#include "shell/python/values/error.h"
#include "shell/tensorflow/graph/session.h"
#include "shell/tensorflow/graph/state.h"

namespace tensh::shell {
namespace {

std::string DeviceConfig(int cpus) {
  return "{\"device_count\": {\"CPU\": " + std::to_string(cpus) + "}}";
}

}  // namespace

Sessions::Sessions(int cpus) : cpus_(cpus) { tf::State().shell_config = DeviceConfig(cpus); }

Value Sessions::Current() const {
  if (!chosen_.is_null() && !As<tf::SessionObject>(chosen_)->closed()) return chosen_;
  tf::SessionObject* session = tf::DefaultSession();
  if (session == nullptr) throw RuntimeError("there is no session").Type("session new");
  return Value(session);
}

Value Sessions::New() const {
  return tf::MakeSession(tf::SessionObject::kType, Ref<tf::GraphObject>(&tf::DefaultGraph()), "",
                         DeviceConfig(cpus_));
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

}  // namespace tensh::shell
