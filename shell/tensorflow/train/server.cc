// The server that tf.train.Server starts in this process. It runs until the program ends.
#include <poll.h>

#include "shell/python/values/error.h"
#include "shell/python/values/ops.h"
#include "shell/python/vm/interp.h"
#include "shell/tensorflow/graph/errors.h"
#include "shell/tensorflow/graph/rows.h"
#include "shell/tensorflow/graph/state.h"
#include "shell/tensorflow/graph/types/context.h"
#include "shell/tensorflow/train/server.h"
#include "tensh/tensh_server.h"

namespace tensh::shell::tf {
namespace {

class ServerObject : public Object {
 public:
  static const TypeInfo kType;
  explicit ServerObject(tsh_server* server) : Object(kType), server(server) {}
  ~ServerObject() override { tsh_server_free(server); }
  tsh_server* const server;
};

ServerObject& S(const Value& v) { return *As<ServerObject>(v); }

Value StartServer(Args& a) {
  const std::string cluster = ToText(a[0], "cluster"), job = ToText(a[1], "job_name");
  tsh_server_options options{};
  options.host = "";
  options.port = cluster.empty() ? 0 : -1;
  options.cluster = cluster.c_str();
  options.job = job.c_str();
  options.task = static_cast<int>(ToIndex(a[2]));
  tsh_status* status = ScratchStatus();
  tsh_server* server = tsh_server_new(&options, status);
  if (!server) ThrowStatus(status);
  // A server serves its task until the program ends, also when the script no longer refers to it.
  static auto* started = new std::vector<Value>();
  started->push_back(New<ServerObject>(server));
  return started->back();
}

// Blocks until Ctrl-C.
Value Join(Args& a) {
  (void)S(a.self());
  for (;;) {
    ::poll(nullptr, 0, 50);
    PollInterrupt();
  }
}

const FunctionRow kMethods[] = {{"join", "", Join, "Serves until the program is stopped."}};
const PropertyRow kProperties[] = {{"target", [](const Value& v) {
                                      return MakeStr("grpc://127.0.0.1:" +
                                                     std::to_string(tsh_server_port(S(v).server)));
                                    }}};

const FunctionRow kRows[] = {
    {"_serve", "cluster, job_name, task_index", StartServer, "Serves one task of a cluster."}};

}  // namespace

const TypeInfo ServerObject::kType = {.name = "_Server",
                                      .module = "tensorflow.python.training.server_lib",
                                      .doc = "A server of this process.",
                                      .methods = kMethods,
                                      .properties = kProperties};

std::span<const FunctionRow> ServerRows() { return kRows; }

}  // namespace tensh::shell::tf
