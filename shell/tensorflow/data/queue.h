// tf.FIFOQueue and similar queues, and the threads that fill them: tf.train.Coordinator and
// QueueRunner.
//
// The interpreter stays on its own thread. The thread of a runner only runs prepared steps through
// the C API, and communicates with a Coordinator through a state that both own. It touches no
// Value.
#pragma once

#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "shell/python/values/native.h"
#include "shell/tensorflow/graph/graph.h"
#include "shell/tensorflow/graph/session.h"

namespace tensh::shell::tf {

class QueueObject : public TrackedObject {
 public:
  static const TypeInfo kType;
  QueueObject(const TypeInfo& type, GraphObject& g) : TrackedObject(type), graph(&g) {}
  void DropRefs() override { names.clear(); }

  Node Enqueue(const Value& vals, bool many, std::string_view name);
  std::vector<Out> Dequeue(const char* op, const Value* n, std::string_view name);
  Node Close(bool cancel_pending, std::string_view name);
  Out Size(std::string_view name);
  std::string Name() const;  // the name of the node without its scopes
  Value Result(const std::vector<Out>& outs) const;

  Ref<GraphObject> graph;
  Out ref = kNoOut;
  std::vector<int> dtypes;
  std::vector<ShapeInfo> shapes;   // one per component, or empty
  std::vector<std::string> names;  // of the components, or empty
};

struct QueueSpec {
  const char* op = "FIFOQueueV2";
  std::string name = "fifo_queue";
  int64_t capacity = 0;
  std::vector<int> dtypes;
  std::vector<ShapeInfo> shapes;
  std::vector<std::string> names;
  std::string shared_name;
  int64_t min_after_dequeue = 0;  // for RandomShuffleQueueV2
  Value seed = Value::None();
};
Ref<QueueObject> MakeQueue(GraphObject& g, const QueueSpec& spec);

// ---- coordinator.cc ----

// The state that the Python object of a Coordinator and its threads share.
struct StopState {
  std::mutex mu;
  std::condition_variable changed;
  bool stop = false;                  // guarded by mu
  std::optional<ClientError> failed;  // the first failure of a thread; guarded by mu
  void RequestStop(const ClientError* error);
  bool ShouldStop();
};

// The operations that fill one queue and those that close it.
class QueueRunnerObject : public TrackedObject {
 public:
  static const TypeInfo kType;
  QueueRunnerObject() : TrackedObject(kType) {}
  void DropRefs() override {
    graph = {};
    queue = Value();
  }
  Ref<GraphObject> graph;
  Value queue = Value::None();  // None if the runner comes from a saved graph
  std::string name;
  std::string queue_node;  // the name of the queue's node, if `queue` is None
  std::vector<Node> enqueue_ops;
  Node close_op = TSH_NO_NODE, cancel_op = TSH_NO_NODE;
};
std::string QueueName(const QueueObject& queue);  // the name of the node without its scopes
Ref<QueueRunnerObject> MakeQueueRunner(QueueObject& queue, std::vector<Node> enqueue_ops);
void AddQueueRunner(const Ref<QueueRunnerObject>& runner);

std::span<const FunctionRow> QueueRunnerRows();   // start_queue_runners …
std::span<const ConstantRow> QueueRunnerTypes();  // Coordinator, QueueRunner
std::span<const FunctionRow> QueueRows();         // tf.FIFOQueue …

}  // namespace tensh::shell::tf
