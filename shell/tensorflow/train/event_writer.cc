// tf.summary.FileWriter, which writes event files for TensorBoard, and tf.Summary as a message.
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <set>

#include "runtime/base/wire.h"
#include "shell/python/values/containers.h"
#include "shell/python/values/error.h"
#include "shell/python/values/ops.h"
#include "shell/python/vm/file.h"
#include "shell/tensorflow/graph/arrays.h"
#include "shell/tensorflow/graph/exchange/graph_def.h"
#include "shell/tensorflow/graph/exchange/records.h"
#include "shell/tensorflow/graph/rows.h"
#include "shell/tensorflow/graph/session.h"
#include "shell/tensorflow/graph/variable.h"
#include "shell/tensorflow/train/saver.h"

namespace tensh::shell::tf {
namespace {

double Now() {
  return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
}

// ---- FileWriter ----

class WriterObject : public Object {
 public:
  static const TypeInfo kType;
  explicit WriterObject(std::string directory, const std::string& suffix)
      : Object(kType), directory(std::move(directory)) {
    char host[256] = "localhost";
    ::gethostname(host, sizeof host - 1);
    char time[32];
    std::snprintf(time, sizeof time, "%010lld", static_cast<long long>(Now()));
    path_ = this->directory + "/events.out.tfevents." + time + "." + host + suffix;
    WireWriter first;
    first.AlwaysDouble(1, Now());
    first.AlwaysBytes(3, "brain.Event:2");
    Append(first.text());
  }

  void Add(int field, std::string_view message, const Value& step) {
    if (closed) Reopen();
    WireWriter event;
    event.AlwaysDouble(1, Now());
    if (!step.is_none()) event.AlwaysInt(2, ToIndex(CallMethod(step, "__int__", {})));
    event.AlwaysBytes(field, message);
    Append(event.text());
  }
  void Append(const std::string& record) {
    tsh_status* status = ScratchStatus();
    if (!tsh_record_append(path_.c_str(), record.data(), record.size(), status))
      ThrowStatus(status);
  }
  void Reopen() { closed = false; }

  const std::string directory;
  bool closed = false;
  std::set<std::string> tags;  // of run metadata

 private:
  std::string path_;
};

WriterObject& Self(Args& a) { return *As<WriterObject>(a.self()); }

constexpr int kGraphDefField = 4, kSummaryField = 5, kRunMetadataField = 8, kMetaGraphField = 9;

void AddGraph(WriterObject& writer, const Value& graph, const Value& step) {
  auto* g = As<GraphObject>(graph);
  auto* session = As<SessionObject>(graph);
  if (session) g = &session->graph();
  std::string message;
  if (g) {
    message = ExportedGraph(*g);
  } else if (auto* def = AsMessage(graph, GraphDefSchema())) {
    message = def->Bytes().bytes;
  } else {
    throw TypeError("The passed graph must be an instance of `Graph` or the deprecated `GraphDef`");
  }
  writer.Add(kGraphDefField, message, step);
  if (!g) return;
  WireWriter meta;
  meta.AlwaysBytes(2, message);
  writer.Add(kMetaGraphField, meta.text(), step);
}

// Arguments: logdir, graph, max_queue, flush_secs, graph_def, filename_suffix, session.
Value NewWriter(Args& a) {
  const std::string directory = PathText(a[0], "logdir");
  std::error_code error;
  std::filesystem::create_directories(directory, error);
  if (error) throw MakeError(kOSError, directory + ": " + error.message());
  Ref<WriterObject> made =
      New<WriterObject>(directory, a[5].is_none() ? "" : ToText(a[5], "filename_suffix"));
  const Value& graph = a[1].is_none() ? a[4] : a[1];
  if (!graph.is_none()) AddGraph(*made, graph, Value::None());
  return made;
}

// Returns the bytes of a message: the result of a summary op, or of an object that serializes
// itself.
std::string MessageBytes(const Value& v, const char* what) {
  if (auto* bytes = As<BytesObject>(v)) return bytes->data;
  const Value serialize = FindAttr(v, Intern("SerializeToString"));
  if (serialize.is_null())
    throw TypeError(std::string("summary must be bytes or a tf.").append(what) + ", got " +
                    Repr(v));
  const Value made = Call(serialize, {});
  auto* bytes = As<BytesObject>(made);
  return bytes == nullptr ? "" : bytes->data;
}

// Arguments: summary, global_step.
Value AddSummary(Args& a) {
  Self(a).Add(kSummaryField, MessageBytes(a[0], "Summary"), a[1]);
  return Value::None();
}

Value AddEvent(Args& a) {
  Self(a).Append(MessageBytes(a[0], "Event"));
  return Value::None();
}

// Arguments: run_metadata, tag, global_step.
Value AddRunMetadata(Args& a) {
  WriterObject& writer = Self(a);
  const std::string tag = ToText(a[1], "tag");
  if (!writer.tags.insert(tag).second)
    throw ValueError("The provided tag was already used for this event type");
  WireWriter tagged;
  tagged.Bytes(1, tag);
  tagged.Bytes(2, MessageBytes(a[0], "RunMetadata"));
  writer.Add(kRunMetadataField, tagged.text(), a[2]);
  return Value::None();
}

Value Nothing(Args&) { return Value::None(); }

const FunctionRow kWriterMethods[] = {
    {"add_summary", "summary, global_step=None", AddSummary, "Writes the result of a summary op."},
    {"add_event", "event", AddEvent, "Writes a tf.Event."},
    {"add_graph", "graph, global_step=None, graph_def=None",
     [](Args& a) -> Value {
       AddGraph(Self(a), a[0].is_none() ? a[2] : a[0], a[1]);
       return Value::None();
     },
     "Writes the graph."},
    {"add_meta_graph", "meta_graph_def, global_step=None",
     [](Args& a) -> Value {
       auto* bytes = As<BytesObject>(a[0]);
       if (!bytes) throw TypeError("meta_graph_def must be type MetaGraphDef");
       Self(a).Add(kMetaGraphField, bytes->data, a[1]);
       return Value::None();
     },
     "Writes a meta graph."},
    {"add_session_log", "session_log, global_step=None", Nothing, "Accepted without effect."},
    {"add_run_metadata", "run_metadata, tag, global_step=None", AddRunMetadata,
     "Writes the times and the memory of a run's nodes."},
    {"flush", "", Nothing, "Does nothing, because events are written at once."},
    {"close", "", [](Args& a) { return Self(a).closed = true, Value::None(); }, "Closes the file."},
    {"reopen", "", [](Args& a) { return Self(a).Reopen(), Value::None(); }, "Reopens the file."},
    {"get_logdir", "", [](Args& a) { return MakeStr(Self(a).directory); },
     "Returns the directory."},
};
const FunctionRow kNewWriter = {
    "FileWriter",
    "logdir, graph=None, max_queue=10, flush_secs=120, graph_def=None, filename_suffix=None, "
    "session=None",
    NewWriter, "Writes event files."};

}  // namespace

const TypeInfo WriterObject::kType = {
    .name = "FileWriter",
    .module = "tensorflow.python.summary.writer.writer",
    .doc = "Writes event files for TensorBoard.",
    .methods = kWriterMethods,
    .construct = &kNewWriter,
    .enter = [](const Value& v) { return v; },
    .exit = [](const Value& v, const Value&) { return As<WriterObject>(v)->closed = true, false; }};

std::span<const ConstantRow> SummaryConstants() {
  static const ConstantRow rows[] = {{"FileWriter", [] { return TypeValue(WriterObject::kType); }}};
  return rows;
}

}  // namespace tensh::shell::tf
