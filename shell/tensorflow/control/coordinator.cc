// tf.train.Coordinator, QueueRunner and start_queue_runners: threads that run steps.
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <functional>
#include <system_error>
#include <thread>

#include "shell/python/values/error.h"
#include "shell/python/values/ops.h"
#include "shell/python/vm/interp.h"
#include "shell/python/vm/threads.h"
#include "shell/tensorflow/data/queue.h"
#include "shell/tensorflow/graph/errors.h"
#include "shell/tensorflow/graph/names.h"
#include "shell/tensorflow/graph/state.h"
#include "shell/tensorflow/graph/types/context.h"

namespace tensh::shell::tf {

void StopState::RequestStop(const ClientError* error) {
  constexpr int kOutOfRange = 11;  // the end of the input is not a failure
  std::lock_guard lock(mu);
  if (!stop && error && error->code() != kOutOfRange && !failed) failed = *error;
  stop = true;
  changed.notify_all();
}

bool StopState::ShouldStop() {
  std::lock_guard lock(mu);
  return stop;
}

namespace {

constexpr auto kSlice = std::chrono::milliseconds(20);  // interval between checks for Ctrl-C

// A step that a thread runs repeatedly. Keeps the session alive.
class Callable {
 public:
  Callable(tsh_session* session, Node target) {
    tsh_run run{};
    run.targets = &target;
    run.n_targets = 1;
    Status status;
    handle_ = tsh_callable_new(session, &run, status);
    status.Check();
  }
  ~Callable() { tsh_callable_unref(handle_); }
  Callable(const Callable&) = delete;
  int Run(ClientError* error) const {
    tsh_status* status = ScratchStatus();
    if (tsh_callable_run(handle_, nullptr, nullptr, status)) return 0;
    *error = DescribeStatus(status);
    return error->code() ? error->code() : 2;
  }

 private:
  tsh_callable* handle_;
};

// The state that the threads of one runner in one session share.
struct RunnerState {
  std::unique_ptr<Callable> close, cancel;
  std::shared_ptr<StopState> stop;  // of the coordinator, or null
  std::atomic<int> running{0};
};

struct Worker {
  std::function<void()> body;
  std::thread thread;
  std::atomic<bool> done{false}, ending{false};
  tsh_session* session = nullptr;  // kept alive by the callables of `body`
  std::string name;
};

// All threads that were started. The process waits for them before it exits.
struct Workers {
  std::mutex mu;
  std::vector<std::shared_ptr<Worker>> all;
};
Workers& TheWorkers() {
  static auto* workers = new Workers;
  return *workers;
}

void EndAll() {
  std::vector<std::shared_ptr<Worker>> all;
  {
    std::lock_guard lock(TheWorkers().mu);
    all.swap(TheWorkers().all);
  }
  for (auto& worker : all) worker->ending = true;
  for (auto& worker : all) {
    if (!worker->done) tsh_session_close(worker->session, nullptr);
    if (worker->thread.joinable()) worker->thread.join();
    // release values before the static objects of the process are destroyed
    worker->body = nullptr;
  }
}

void Start(const std::shared_ptr<Worker>& worker) {
  static const bool registered = std::atexit(EndAll) == 0;
  (void)registered;
  std::lock_guard lock(TheWorkers().mu);
  try {
    worker->thread = std::thread([w = worker.get()] {
      w->body();
      w->done = true;
    });
  } catch (const std::system_error&) {
    throw RuntimeError("can't start new thread").Hint("The system allows no more: ulimit -u");
  }
  TheWorkers().all.push_back(worker);
}

void RunEnqueues(const Callable& enqueue, RunnerState& state, const std::atomic<bool>& ending) {
  constexpr int kOutOfRange = 11;
  ClientError error;
  while (!ending && !(state.stop && state.stop->ShouldStop())) {
    const int code = enqueue.Run(&error);
    if (code == 0) continue;
    if (code == kOutOfRange) {
      // The runner's last thread closes the queue.
      if (--state.running == 0) state.close->Run(&error);
      return;
    }
    if (state.stop) state.stop->RequestStop(&error);
    break;
  }
  --state.running;
}

void CloseOnStop(RunnerState& state, const std::atomic<bool>& ending) {
  {
    std::unique_lock lock(state.stop->mu);
    while (!state.stop->stop && !ending) state.stop->changed.wait_for(lock, kSlice);
  }
  ClientError error;
  state.cancel->Run(&error);
}

// ---- Thread ----

class ThreadObject : public Object {
 public:
  static const TypeInfo kType;
  explicit ThreadObject(std::shared_ptr<Worker> worker)
      : Object(kType), worker(std::move(worker)) {}
  bool Alive() const { return started && !worker->done; }
  std::shared_ptr<Worker> worker;
  bool started = false;
};

ThreadObject& T(const Value& v) { return *As<ThreadObject>(v); }

// Waits for a moment without the interpreter's lock, and checks for Ctrl-C.
void Pause(std::chrono::milliseconds time) {
  PollInterrupt();
  const threads::Unlocked unlocked;
  std::this_thread::sleep_for(time);
}

// Waits until the thread has ended or the time has passed.
void WaitFor(ThreadObject& thread, double seconds) {
  Interp::Current().Flush();
  const auto end =
      std::chrono::steady_clock::now() + std::chrono::duration<double>(std::min(seconds, 1e8));
  while (thread.Alive() && std::chrono::steady_clock::now() < end) {
    Pause(std::chrono::milliseconds(1));
  }
}

// Returns true for a live thread of a queue runner or of the program.
bool IsAlive(const Value& v) {
  if (auto* thread = As<ThreadObject>(v)) return thread->Alive();
  return Truth(Call(GetAttr(v, Intern("is_alive")), CallArgs{}));
}
std::string NameOf(const Value& v) {
  auto* thread = As<ThreadObject>(v);
  return thread ? thread->worker->name : Str(GetAttr(v, Intern("name")));
}

Value StartThread(Args& a) {
  if (T(a.self()).started) throw RuntimeError("threads can only be started once");
  T(a.self()).started = true;
  Start(T(a.self()).worker);
  return Value::None();
}

std::string ReprOfThread(const Value& v) {
  const char* state = !T(v).started ? "initial" : T(v).Alive() ? "started" : "stopped";
  return "<Thread(" + T(v).worker->name + ", " + state + " daemon " +
         std::to_string(reinterpret_cast<uintptr_t>(T(v).worker.get())) + ")>";
}

const FunctionRow kThreadMethods[] = {
    {"start", "", StartThread, "Starts the thread."},
    {"join", "timeout=None",
     [](Args& a) -> Value {
       WaitFor(T(a.self()), a[0].is_none() ? 1e8 : ToDouble(a[0]));
       return Value::None();
     },
     "Waits until the thread ends."},
    {"is_alive", "", [](Args& a) { return Value::Bool(T(a.self()).Alive()); },
     "Returns true while the thread runs."},
    {"isAlive", "", [](Args& a) { return Value::Bool(T(a.self()).Alive()); },
     "Returns true while the thread runs."},
};
const PropertyRow kThreadProperties[] = {
    {"name", [](const Value& v) { return MakeStr(T(v).worker->name); }},
    {"daemon", [](const Value&) { return Value::Bool(true); }},
};

}  // namespace

const TypeInfo ThreadObject::kType = {.name = "Thread",
                                      .module = "threading",
                                      .doc = "A thread that runs steps.",
                                      .methods = kThreadMethods,
                                      .properties = kThreadProperties,
                                      .repr = ReprOfThread};

// ---- Coordinator ----

namespace {

class CoordinatorObject : public TrackedObject {
 public:
  static const TypeInfo kType;
  CoordinatorObject() : TrackedObject(kType), state(std::make_shared<StopState>()) {}
  void DropRefs() override {
    raised = Value();
    threads.clear();
  }
  std::shared_ptr<StopState> state;
  Value raised;  // an exception that the program passed in, or null
  std::vector<Value> threads, clean;
};

CoordinatorObject& Self(Args& a) { return *As<CoordinatorObject>(a.self()); }

bool IsClean(const CoordinatorObject& self, const Value& exception) {
  if (self.clean.empty()) return DerivesFrom(TypeOf(exception), ErrorTypeOf(11));
  for (const Value& type : self.clean) {
    if (IsInstance(exception, type)) return true;
  }
  return false;
}

void RequestStop(CoordinatorObject& self, const Value& ex) {
  Value exception = ex;
  if (const auto* info = Sequence(ex); info && info->size() >= 2) exception = (*info)[1];
  const bool stopped = self.state->ShouldStop();
  if (!stopped && As<ExceptionObject>(exception) && !IsClean(self, exception)) {
    self.raised = exception;
  }
  self.state->RequestStop(nullptr);
}

void RaiseRequested(CoordinatorObject& self) {
  if (!self.raised.is_null()) throw PyError(std::exchange(self.raised, Value()));
  std::optional<ClientError> failed;
  {
    std::lock_guard lock(self.state->mu);
    failed.swap(self.state->failed);
  }
  if (failed) throw ErrorFromStatus(*failed);
}

// Arguments: threads, stop_grace_period_secs, ignore_live_threads.
Value Join(Args& a) {
  CoordinatorObject& self = Self(a);
  std::vector<Value> threads = self.threads;
  if (!a[0].is_none()) {
    for (const Value& t : ToVector(a[0])) threads.push_back(t);
  }
  auto alive = [&] {
    for (const Value& t : threads) {
      if (IsAlive(t)) return true;
    }
    return false;
  };
  Interp::Current().Flush();
  constexpr auto kPause = std::chrono::milliseconds(2);
  while (alive() && !self.state->ShouldStop()) Pause(kPause);
  self.state->RequestStop(nullptr);
  const double grace = ToDouble(a[1]);
  const auto end =
      std::chrono::steady_clock::now() + std::chrono::duration<double>(std::min(grace, 1e8));
  while (alive() && std::chrono::steady_clock::now() < end) Pause(kPause);
  RaiseRequested(self);
  if (!alive() || Truth(a[2])) return Value::None();
  std::string names;
  for (const Value& t : threads) {
    if (IsAlive(t)) names += (names.empty() ? "" : " ") + NameOf(t);
  }
  throw RuntimeError("Coordinator stopped with threads still running: " + names);
}

Value WaitForStop(Args& a) {
  CoordinatorObject& self = Self(a);
  const double seconds = a[0].is_none() ? 1e8 : ToDouble(a[0]);
  const auto end =
      std::chrono::steady_clock::now() + std::chrono::duration<double>(std::min(seconds, 1e8));
  while (!self.state->ShouldStop() && std::chrono::steady_clock::now() < end) {
    PollInterrupt();
    const threads::Unlocked unlocked;
    std::unique_lock lock(self.state->mu);
    if (!self.state->stop) self.state->changed.wait_for(lock, kSlice);
  }
  return Value::Bool(self.state->ShouldStop());
}

// `with coord.stop_on_exception():` hands an exception of its block to the coordinator.
class StopOnException : public TrackedObject {
 public:
  static const TypeInfo kType;
  explicit StopOnException(Ref<CoordinatorObject> c) : TrackedObject(kType), of(std::move(c)) {}
  void DropRefs() override { of = {}; }
  Ref<CoordinatorObject> of;
};

const FunctionRow kMethods[] = {
    {"request_stop", "ex=None", [](Args& a) { return RequestStop(Self(a), a[0]), Value::None(); },
     "Requests the threads to stop."},
    {"should_stop", "", [](Args& a) { return Value::Bool(Self(a).state->ShouldStop()); },
     "Returns true after a stop was requested."},
    {"clear_stop", "",
     [](Args& a) -> Value {
       std::lock_guard lock(Self(a).state->mu);
       Self(a).state->stop = false;
       Self(a).state->failed.reset();
       Self(a).raised = Value();
       return Value::None();
     },
     "Clears the stop request."},
    {"register_thread", "thread",
     [](Args& a) { return Self(a).threads.push_back(a[0]), Value::None(); },
     "Makes join() wait for this thread too."},
    {"join", "threads=None, stop_grace_period_secs=120, ignore_live_threads=False", Join,
     "Waits for the threads, and raises the error of a failed one."},
    {"wait_for_stop", "timeout=None", WaitForStop, "Waits until a stop is requested."},
    {"raise_requested_exception", "",
     [](Args& a) { return RaiseRequested(Self(a)), Value::None(); },
     "Raises the exception that a thread passed in."},
    {"stop_on_exception", "",
     [](Args& a) -> Value { return New<StopOnException>(Ref<CoordinatorObject>(&Self(a))); },
     "A `with` block whose exceptions request a stop."},
};
const PropertyRow kProperties[] = {
    {"joined",
     [](const Value& v) { return Value::Bool(As<CoordinatorObject>(v)->state->ShouldStop()); }}};

Value NewCoordinator(Args& a) {
  Ref<CoordinatorObject> made = New<CoordinatorObject>();
  if (!a[0].is_none()) made->clean = ToVector(a[0]);
  return made;
}
const FunctionRow kNewCoordinator = {"Coordinator", "clean_stop_exception_types=None",
                                     NewCoordinator, "Stops a group of threads together."};

}  // namespace

const TypeInfo CoordinatorObject::kType = {.name = "Coordinator",
                                           .module = "tensorflow.python.training.coordinator",
                                           .doc = "Stops a group of threads together.",
                                           .methods = kMethods,
                                           .properties = kProperties,
                                           .construct = &kNewCoordinator};
const TypeInfo StopOnException::kType = {.name = "_GeneratorContextManager",
                                         .module = "contextlib",
                                         .enter = [](const Value&) { return Value::None(); },
                                         .exit =
                                             [](const Value& v, const Value& exc) {
                                               if (!exc.is_none())
                                                 RequestStop(*As<StopOnException>(v)->of, exc);
                                               return !exc.is_none();
                                             }};

// ---- QueueRunner ----

namespace {

std::shared_ptr<RunnerState> StateFor(const QueueRunnerObject& runner, SessionObject& session,
                                      CoordinatorObject* coord) {
  auto state = std::make_shared<RunnerState>();
  tsh_session* raw = session.handle().get();
  state->close = std::make_unique<Callable>(raw, runner.close_op);
  state->cancel = std::make_unique<Callable>(raw, runner.cancel_op);
  if (coord) state->stop = coord->state;
  state->running = static_cast<int>(runner.enqueue_ops.size());
  return state;
}

std::vector<Value> CreateThreads(const QueueRunnerObject& runner, SessionObject& session,
                                 CoordinatorObject* coord, bool start) {
  std::vector<Value> threads;
  const std::shared_ptr<RunnerState> state = StateFor(runner, session, coord);
  auto add = [&](const std::shared_ptr<Worker>& worker, const std::string& name) {
    worker->session = session.handle().get();
    worker->name = "QueueRunnerThread-" + runner.name + "-" + name;
    Ref<ThreadObject> thread = New<ThreadObject>(worker);
    if (start) {
      thread->started = true;
      Start(worker);
    }
    threads.push_back(thread);
    if (coord) coord->threads.push_back(thread);
  };
  for (Node op : runner.enqueue_ops) {
    auto worker = std::make_shared<Worker>();
    auto enqueue = std::make_shared<Callable>(session.handle().get(), op);
    worker->body = [state, enqueue, w = worker.get()] { RunEnqueues(*enqueue, *state, w->ending); };
    add(worker, session.graph().handle().NodeName(op));
  }
  if (coord) {
    auto worker = std::make_shared<Worker>();
    worker->body = [state, w = worker.get()] { CloseOnStop(*state, w->ending); };
    add(worker, "close_on_stop");
  }
  return threads;
}

CoordinatorObject* CoordinatorOf(const Value& v) {
  if (v.is_none()) return nullptr;
  auto* coord = As<CoordinatorObject>(v);
  if (!coord) throw TypeError("coord must be a Coordinator, got " + Repr(v));
  return coord;
}

// Arguments: sess, coord, daemon, start, collection.
Value StartQueueRunners(Args& a) {
  SessionObject* session = a[0].is_none() ? DefaultSession() : As<SessionObject>(a[0]);
  if (!session) {
    if (!a[0].is_none())
      throw TypeError("sess must be a `tf.Session` object. Given class: " +
                      Repr(TypeValue(TypeOf(a[0]))));
    throw ValueError(
        "Cannot start queue runners: No default session is registered. Use `with "
        "sess.as_default()` or pass an explicit session to "
        "tf.start_queue_runners(sess=sess)");
  }
  std::vector<Value> threads;
  for (const Value& v : session->graph().Collection(ToText(a[4], "collection"))) {
    auto* runner = As<QueueRunnerObject>(v);
    if (!runner) continue;
    for (Value& t : CreateThreads(*runner, *session, CoordinatorOf(a[1]), Truth(a[3])))
      threads.push_back(std::move(t));
  }
  return MakeList(std::move(threads));
}

Value CreateThreadsFn(Args& a) {
  auto* session = As<SessionObject>(a[0]);
  if (!session) throw TypeError("sess must be a tf.Session, got " + Repr(a[0]));
  return MakeList(
      CreateThreads(*As<QueueRunnerObject>(a.self()), *session, CoordinatorOf(a[1]), Truth(a[3])));
}

Node NodeIn(const Value& v) {
  if (auto* op = As<OperationObject>(v)) return op->node();
  if (auto* t = As<TensorObject>(v)) return t->out().node;
  throw TypeError("a QueueRunner takes operations, got " + Repr(v));
}

// Arguments: queue, enqueue_ops, close_op, cancel_op, …
Value NewQueueRunner(Args& a) {
  auto* queue = As<QueueObject>(a[0]);
  if (!queue || a[1].is_none()) throw ValueError("Must provide queue and enqueue_ops.");
  std::vector<Node> ops;
  for (const Value& v : ToVector(a[1])) ops.push_back(NodeIn(v));
  if (ops.empty()) throw ValueError("Must provide queue and enqueue_ops.");
  Ref<QueueRunnerObject> made = New<QueueRunnerObject>();
  made->graph = queue->graph;
  made->queue = a[0];
  made->name = QueueName(*queue);
  made->enqueue_ops = std::move(ops);
  made->close_op = a[2].is_none() ? queue->Close(false, {}) : NodeIn(a[2]);
  made->cancel_op = a[3].is_none() ? queue->Close(true, {}) : NodeIn(a[3]);
  return made;
}

const FunctionRow kRunnerMethods[] = {
    {"create_threads", "sess, coord=None, daemon=False, start=False", CreateThreadsFn,
     "Creates the threads that fill the queue in a session."},
};
Value EnqueueOps(const Value& v) {
  auto* runner = As<QueueRunnerObject>(v);
  std::vector<Value> ops;
  for (Node op : runner->enqueue_ops) ops.push_back(runner->graph->Operation(op));
  return MakeList(std::move(ops));
}
template <Node QueueRunnerObject::*kOp>
Value OpOfRunner(const Value& v) {
  auto* runner = As<QueueRunnerObject>(v);
  return runner->graph->Operation(runner->*kOp);
}
const PropertyRow kRunnerProperties[] = {
    {"queue", [](const Value& v) { return As<QueueRunnerObject>(v)->queue; }},
    {"enqueue_ops", EnqueueOps},
    {"close_op", OpOfRunner<&QueueRunnerObject::close_op>},
    {"cancel_op", OpOfRunner<&QueueRunnerObject::cancel_op>},
    {"name", [](const Value& v) { return MakeStr(As<QueueRunnerObject>(v)->name); }},
};
const FunctionRow kNewRunner = {
    "QueueRunner",
    "queue=None, enqueue_ops=None, close_op=None, cancel_op=None, "
    "queue_closed_exception_types=None, queue_runner_def=None, import_scope=None",
    NewQueueRunner, "Fills a queue from threads."};

const FunctionRow kRows[] = {
    {"start_queue_runners",
     "sess=None, coord=None, daemon=True, start=True, collection='queue_runners'",
     StartQueueRunners, "Starts the threads of all queue runners of the graph."},
    {"add_queue_runner", "qr, collection='queue_runners'",
     [](Args& a) -> Value {
       DefaultGraph().Collection(ToText(a[1], "collection")).push_back(a[0]);
       return Value::None();
     },
     "Adds a queue runner to the graph."},
};

const ConstantRow kTypes[] = {
    {"Coordinator", [] { return TypeValue(CoordinatorObject::kType); }},
    {"QueueRunner", [] { return TypeValue(QueueRunnerObject::kType); }},
};

}  // namespace

const TypeInfo QueueRunnerObject::kType = {.name = "QueueRunner",
                                           .module = "tensorflow.python.training.queue_runner_impl",
                                           .doc = "Fills a queue from threads.",
                                           .methods = kRunnerMethods,
                                           .properties = kRunnerProperties,
                                           .construct = &kNewRunner};

Ref<QueueRunnerObject> MakeQueueRunner(QueueObject& queue, std::vector<Node> enqueue_ops) {
  Ref<QueueRunnerObject> made = New<QueueRunnerObject>();
  made->graph = queue.graph;
  made->name = QueueName(queue);
  made->queue = Value(&queue);
  made->enqueue_ops = std::move(enqueue_ops);
  made->close_op = queue.Close(false, {});
  made->cancel_op = queue.Close(true, {});
  return made;
}

void AddQueueRunner(const Ref<QueueRunnerObject>& runner) {
  runner->graph->Collection(kQueueRunners).push_back(runner);
}

std::span<const FunctionRow> QueueRunnerRows() { return kRows; }
std::span<const ConstantRow> QueueRunnerTypes() { return kTypes; }

}  // namespace tensh::shell::tf
