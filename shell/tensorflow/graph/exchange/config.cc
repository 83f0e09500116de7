#include "shell/tensorflow/graph/exchange/config.h"

#include <algorithm>
#include <chrono>

#include "shell/python/values/containers.h"
#include "shell/python/values/error.h"
#include "shell/python/values/ops.h"
#include "shell/python/vm/library.h"
#include "shell/tensorflow/graph/convert.h"
#include "shell/tensorflow/graph/exchange/records.h"
#include "shell/tensorflow/io/config_schema.h"
#include "shell/tensorflow/proto/message.h"
#include "shell/tensorflow/proto/message_class.h"

namespace tensh::shell::tf {
namespace {

template <const MessageSchema& (*Schema)()>
Value ClassOf() {
  return MessageClass(Schema());
}

const ConstantRow kConstants[] = {
    {"ConfigProto", ClassOf<ConfigProtoSchema>, "Options of a session."},
    {"GPUOptions", ClassOf<GPUOptionsSchema>, "Options of the GPUs."},
    {"GraphOptions", ClassOf<GraphOptionsSchema>, "Options of how graphs are run."},
    {"OptimizerOptions", ClassOf<OptimizerOptionsSchema>,
     "Options of graph optimizations: opt_level L0 keeps the kernel of each node separate."},
    {"RunOptions", ClassOf<RunOptionsSchema>, "Options of one run."},
    {"RunMetadata", ClassOf<RunMetadataSchema>, "The report of a run."},
};

void AppendJson(std::string* out, const std::string& item) {
  *out += (out->size() > 1 ? "," : "") + item;
}

// The fields of a message by name.
class Reader {
 public:
  explicit Reader(const Value& message) : message_(*As<ProtoMessage>(message)) {}
  bool Has(const char* name) const { return message_.Has(message_.schema().Find(name)); }
  Value Get(const char* name) const { return message_.Get(message_.schema().Find(name)); }
  Reader Part(const char* name) const { return Reader(Get(name)); }
  int64_t Int(const char* name) const { return ToIndex(Get(name)); }

 private:
  ProtoMessage& message_;
};

// Returns the text in quotes, without the characters that names of devices cannot have.
std::string Quoted(const Value& value, const char* field) {
  std::string text = ToText(value, field);
  std::erase_if(text, [](char c) { return c == '"' || c == '\\' || (c >= 0 && c < ' '); });
  return '"' + text + '"';
}

// Returns the parts of gpu_options that devices use, as JSON.
std::string GpuJson(const Reader& gpu) {
  std::string out = "{";
  if (gpu.Has("per_process_gpu_memory_fraction"))
    AppendJson(&out, "\"per_process_gpu_memory_fraction\":" +
                         std::to_string(ToDouble(gpu.Get("per_process_gpu_memory_fraction"))));
  if (gpu.Has("allow_growth")) AppendJson(&out, "\"allow_growth\":true");
  if (gpu.Has("visible_device_list")) {
    AppendJson(&out, "\"visible_device_list\":" +
                         Quoted(gpu.Get("visible_device_list"), "visible_device_list"));
  }
  return out + "}";
}

// Returns the patterns of devices that a session in a cluster may use, as JSON.
std::string FiltersJson(const Value& filters) {
  std::string out = "[";
  for (const Value& filter : ToVector(filters)) AppendJson(&out, Quoted(filter, "device_filters"));
  return out + "]";
}

std::string CountsJson(const Value& counts) {
  std::string out = "{";
  for (const Value& key : ToVector(counts)) {
    const std::string type = ToText(key, "device_count");
    if (type.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_0123456789") !=
        type.npos) {
      throw ValueError("device_count: " + Repr(key) + " is not a device type");
    }
    AppendJson(&out, "\"" + type + "\":" + std::to_string(ToIndex(GetItem(counts, key))));
  }
  return out + "}";
}

// Returns true if graph_options forbid what tensh optimizes, in one of TensorFlow's ways.
bool ForbidsOptimizing(const Reader& graph_options) {
  constexpr int64_t kL0 = -1, kOff = 2;
  const Reader optimizer = graph_options.Part("optimizer_options"),
               rewriter = graph_options.Part("rewrite_options");
  return optimizer.Int("opt_level") == kL0 || rewriter.Int("disable_meta_optimizer") != 0 ||
         rewriter.Int("remapping") == kOff;
}

}  // namespace

std::string ConfigJson(const Value& config) {
  if (config.is_none() || config.is_null()) return "";
  if (!AsMessage(config, ConfigProtoSchema())) {
    throw TypeError("config must be a tf.ConfigProto, but got " + Repr(TypeValue(TypeOf(config))));
  }
  const Reader m(config);
  std::string out = "{";
  for (const char* name : {"allow_soft_placement", "log_device_placement", "isolate_session_state"})
    if (m.Has(name)) AppendJson(&out, std::string("\"") + name + "\":true");
  for (const char* name : {"intra_op_parallelism_threads", "inter_op_parallelism_threads",
                           "operation_timeout_in_ms"}) {
    if (m.Has(name))
      AppendJson(&out, std::string("\"") + name + "\":" + std::to_string(m.Int(name)));
  }
  if (m.Has("gpu_options")) AppendJson(&out, "\"gpu_options\":" + GpuJson(m.Part("gpu_options")));
  if (m.Has("device_filters"))
    AppendJson(&out, "\"device_filters\":" + FiltersJson(m.Get("device_filters")));
  if (m.Has("graph_options") && ForbidsOptimizing(m.Part("graph_options")))
    AppendJson(&out, "\"optimize\":false");
  if (m.Has("device_count"))
    AppendJson(&out, "\"device_count\":" + CountsJson(m.Get("device_count")));
  return out + "}";
}

int64_t RunTimeoutMs(const Value& options) {
  if (!AsMessage(options, RunOptionsSchema())) return 0;
  return std::max<int64_t>(Reader(options).Int("timeout_in_ms"), 0);
}

void SetRunMetadata(const Value& metadata, const std::string& report_json) {
  using std::chrono::microseconds;
  ProtoMessage* message = AsMessage(metadata, RunMetadataSchema());
  if (!message) throw TypeError("run_metadata must be a tf.RunMetadata, got " + Repr(metadata));
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  const Value bytes = Call(FromLibrary("tensorboard", Intern("run_metadata")),
                           {ValueOf(Json::Parse(report_json)),
                            Value::Int(std::chrono::duration_cast<microseconds>(now).count())});
  message->Clear();
  message->Merge(Encoded(Ref<BytesObject>(As<BytesObject>(bytes))));
}

std::span<const ConstantRow> ConfigConstants() { return kConstants; }

}  // namespace tensh::shell::tf
