#include "shell/tensorflow/graph/exchange/config.h"

#include <algorithm>

#include "shell/python/values/containers.h"
#include "shell/python/values/error.h"
#include "shell/python/values/ops.h"
#include "shell/python/vm/library.h"
#include "shell/tensorflow/graph/convert.h"
#include "shell/tensorflow/graph/exchange/records.h"

namespace tensh::shell::tf {
namespace {

// The description of one kind of message: its fields, and which of them are messages or maps.
struct MessageKind;
struct Field {
  const char* name;
  const MessageKind* message = nullptr;
  bool is_map = false;
  bool is_text = false;
  bool is_list = false;
};
struct MessageKind {
  const char* name;
  std::span<const Field> fields;
  const Field* Find(std::string_view field) const {
    for (const Field& f : fields) {
      if (field == f.name) return &f;
    }
    return nullptr;
  }
};

const Field kGpuFields[] = {{"per_process_gpu_memory_fraction"},
                            {"allocator_type", nullptr, false, true},
                            {"deferred_deletion_bytes"},
                            {"allow_growth"},
                            {"visible_device_list", nullptr, false, true},
                            {"polling_active_delay_usecs"},
                            {"force_gpu_compatible"}};
const MessageKind kGpuOptions{"GPUOptions", kGpuFields};
const Field kOptimizerFields[] = {{"do_common_subexpression_elimination"},
                                  {"do_constant_folding"},
                                  {"opt_level"},
                                  {"do_function_inlining"},
                                  {"global_jit_level"}};
const MessageKind kOptimizerOptions{"OptimizerOptions", kOptimizerFields};
const Field kRewriteFields[] = {{"constant_folding"},    {"arithmetic_optimization"},
                                {"layout_optimizer"},    {"disable_meta_optimizer"},
                                {"memory_optimization"}, {"remapping"}};
const MessageKind kRewriterConfig{"RewriterConfig", kRewriteFields};
const Field kGraphFields[] = {{"optimizer_options", &kOptimizerOptions},
                              {"rewrite_options", &kRewriterConfig},
                              {"build_cost_model"},
                              {"infer_shapes"},
                              {"place_pruned_graph"}};
const MessageKind kGraphOptions{"GraphOptions", kGraphFields};
// Fields are in the order of their numbers, in which messages are printed.
const Field kConfigFields[] = {{"device_count", nullptr, true},
                               {"intra_op_parallelism_threads"},
                               {"placement_period"},
                               {"device_filters", nullptr, false, false, true},
                               {"inter_op_parallelism_threads"},
                               {"gpu_options", &kGpuOptions},
                               {"allow_soft_placement"},
                               {"log_device_placement"},
                               {"use_per_session_threads"},
                               {"graph_options", &kGraphOptions},
                               {"operation_timeout_in_ms"},
                               {"isolate_session_state"},
                               {"share_cluster_devices_in_session"}};
const MessageKind kConfigProto{"ConfigProto", kConfigFields};
const Field kRunOptionFields[] = {{"trace_level"},
                                  {"timeout_in_ms"},
                                  {"inter_op_thread_pool"},
                                  {"output_partition_graphs"},
                                  {"report_tensor_allocations_upon_oom"}};
const MessageKind kRunOptions{"RunOptions", kRunOptionFields};
const Field kMetadataFields[] = {
    {"step_stats"}, {"cost_graph"}, {"partition_graphs"}, {"report", nullptr, false, true}};
const MessageKind kRunMetadata{"RunMetadata", kMetadataFields};

class MessageObject : public TrackedObject {
 public:
  static const TypeInfo kType;
  explicit MessageObject(const MessageKind& kind) : TrackedObject(kType), kind(kind) {}
  void DropRefs() override { fields.Clear(); }
  Value Get(const Field& f) {
    if (Value* v = fields.Find(f.name)) return *v;
    Value made;
    if (f.message) {
      made = New<MessageObject>(*f.message);
    } else if (f.is_map) {
      made = MakeDict();
    } else if (f.is_list) {
      made = MakeList();
    } else {
      return f.is_text ? MakeStr("") : Value::Int(0);
    }
    fields.Set(f.name, made);
    return made;
  }
  const MessageKind& kind;
  Dict fields;
};

MessageObject& Self(const Value& v) { return *As<MessageObject>(v); }

void Assign(MessageObject& m, std::string_view name, const Value& value) {
  const Field* field = m.kind.Find(name);
  if (!field) {
    throw ValueError("Protocol message " + std::string(m.kind.name) + " has no \"" +
                     std::string(name) + "\" field.");
  }
  m.fields.Set(field->name, value);
}

Value GetField(const Value& v, StrObject* name) {
  const Field* field = Self(v).kind.Find(name->view());
  return field ? Self(v).Get(*field) : Value();
}

bool SetField(const Value& v, StrObject* name, const Value& value) {
  const Field* field = Self(v).kind.Find(name->view());
  if (!field) {
    throw AttributeError("Assignment not allowed (no field \"" + name->text() +
                         "\" in protocol message object).");
  }
  Self(v).fields.Set(field->name, value);
  return true;
}

void AppendMap(const char* name, Dict& map, const std::string& indent, std::string* out) {
  for (size_t i = 0; const Dict::Entry* e = map.At(&i);) {
    *out += indent + name + " {\n" + indent + "  key: \"" + Str(e->key) + "\"\n" + indent +
            "  value: " + Str(e->value) + "\n" + indent + "}\n";
  }
}

void AppendText(MessageObject& m, const std::string& indent, std::string* out) {
  for (const Field& field : m.kind.fields) {
    Value* found = m.fields.Find(Intern(field.name));
    if (!found) continue;
    const Value value = *found;
    if (auto* inner = As<MessageObject>(value)) {
      if (inner->fields.size() == 0) continue;  // the field was read but never set
      *out += indent + field.name + " {\n";
      AppendText(*inner, indent + "  ", out);
      *out += indent + "}\n";
    } else if (auto* map = As<DictObject>(value)) {
      AppendMap(field.name, map->dict, indent, out);
    } else if (field.is_list) {
      for (const Value& item : ToVector(value))
        *out += indent + field.name + ": \"" + Str(item) + "\"\n";
    } else {
      const std::string text = IsStr(value) ? '"' + Str(value) + '"' : Str(value);
      *out += indent + field.name + ": " +
              (value.is_bool() ? std::string(value.as_bool() ? "true" : "false") : text) + "\n";
    }
  }
}

std::string MessageRepr(const Value& v) {
  std::string out;
  AppendText(Self(v), "", &out);
  return out;
}

// The Python class of one kind of message. Calling it creates a message.
class MessageClass : public Object {
 public:
  static const TypeInfo kType;
  explicit MessageClass(const MessageKind& kind) : Object(kType), kind(kind) {}
  const MessageKind& kind;
};

Value Construct(const Value& self, const CallArgs& args) {
  const MessageKind& kind = As<MessageClass>(self)->kind;
  if (args.positional() > 0) throw TypeError("__init__() takes no positional arguments");
  Ref<MessageObject> made = New<MessageObject>(kind);
  for (size_t i = 0; i < args.keyword_count(); ++i) {
    const Value& v = args.args[args.positional() + i];
    if (!v.is_none()) Assign(*made, args.keyword(i), v);
  }
  return made;
}

Value ClassConstant(const Value& self, StrObject* name) {
  static constexpr std::pair<std::string_view, int64_t> kConstants[] = {{"NO_TRACE", 0},
                                                                        {"SOFTWARE_TRACE", 1},
                                                                        {"HARDWARE_TRACE", 2},
                                                                        {"FULL_TRACE", 3},
                                                                        {"L0", -1},
                                                                        {"L1", 0},
                                                                        {"OFF", 2},
                                                                        {"ON_1", 1},
                                                                        {"ON_2", 2},
                                                                        {"DEFAULT", 0}};
  for (const auto& [key, value] : kConstants) {
    if (name->view() == key) return Value::Int(value);
  }
  if (name->view() == "__name__") return MakeStr(As<MessageClass>(self)->kind.name);
  return Value();
}

std::string ClassRepr(const Value& v) {
  return "<class 'tensorflow.core.protobuf.config_pb2." +
         std::string(As<MessageClass>(v)->kind.name) + "'>";
}

template <const MessageKind& kKind>
Value ClassOf() {
  return New<MessageClass>(kKind);
}

const ConstantRow kConstants[] = {
    {"ConfigProto", ClassOf<kConfigProto>, "Options of a session."},
    {"GPUOptions", ClassOf<kGpuOptions>, "Options of the GPUs."},
    {"GraphOptions", ClassOf<kGraphOptions>, "Options of how graphs are run."},
    {"OptimizerOptions", ClassOf<kOptimizerOptions>,
     "Options of graph optimizations: opt_level L0 keeps the kernel of each node separate."},
    {"RunOptions", ClassOf<kRunOptions>, "Options of one run."},
    {"RunMetadata", ClassOf<kRunMetadata>, "The report of a run."},
};

void AppendJson(std::string* out, const std::string& item) {
  *out += (out->size() > 1 ? "," : "") + item;
}

}  // namespace

const TypeInfo MessageObject::kType = {.name = "Message",
                                       .module = "tensorflow.core.protobuf.config_pb2",
                                       .repr = MessageRepr,
                                       .getattr = GetField,
                                       .setattr = SetField};
const TypeInfo MessageClass::kType = {.name = "GeneratedProtocolMessageType",
                                      .module = "google.protobuf.pyext.cpp_message",
                                      .repr = ClassRepr,
                                      .getattr = ClassConstant,
                                      .call = Construct};

namespace {

// Returns the text in quotes, without the characters that names of devices cannot have.
std::string Quoted(const Value& value, const char* field) {
  std::string text = ToText(value, field);
  std::erase_if(text, [](char c) { return c == '"' || c == '\\' || (c >= 0 && c < ' '); });
  return '"' + text + '"';
}

// Returns the parts of gpu_options that devices use, as JSON.
std::string GpuJson(MessageObject& gpu) {
  std::string out = "{";
  if (Value* v = gpu.fields.Find("per_process_gpu_memory_fraction"))
    AppendJson(&out, "\"per_process_gpu_memory_fraction\":" + std::to_string(ToDouble(*v)));
  if (Value* v = gpu.fields.Find("allow_growth"))
    AppendJson(&out, std::string("\"allow_growth\":") + (Truth(*v) ? "true" : "false"));
  if (Value* v = gpu.fields.Find("visible_device_list")) {
    AppendJson(&out, "\"visible_device_list\":" + Quoted(*v, "visible_device_list"));
  }
  return out + "}";
}

// Returns the patterns of devices that a session in a cluster may use, as JSON.
std::string FiltersJson(const Value& filters) {
  if (IsStr(filters)) throw TypeError("device_filters must be a list of str, got a str");
  std::string out = "[";
  for (const Value& filter : ToVector(filters)) AppendJson(&out, Quoted(filter, "device_filters"));
  return out + "]";
}

// Returns true if graph_options forbid what tensh optimizes, in one of TensorFlow's ways.
bool ForbidsOptimizing(MessageObject& graph_options) {
  constexpr int64_t kOff = 2;  // RewriterConfig.OFF
  const auto number = [&](const char* message, const char* field) -> int64_t {
    Value* inner = graph_options.fields.Find(message);
    auto* m = inner ? As<MessageObject>(*inner) : nullptr;
    const Value* v = m ? m->fields.Find(field) : nullptr;
    return v ? ToIndex(*v) : 0;
  };
  return number("optimizer_options", "opt_level") == -1 ||
         number("rewrite_options", "disable_meta_optimizer") != 0 ||
         number("rewrite_options", "remapping") == kOff;
}

}  // namespace

std::string ConfigJson(const Value& config) {
  if (config.is_none() || config.is_null()) return "";
  auto* m = As<MessageObject>(config);
  if (!m || &m->kind != &kConfigProto) {
    throw TypeError("config must be a tf.ConfigProto, but got " + Repr(TypeValue(TypeOf(config))));
  }
  std::string out = "{";
  for (const char* name :
       {"allow_soft_placement", "log_device_placement", "isolate_session_state"}) {
    if (Value* v = m->fields.Find(name)) {
      AppendJson(&out, std::string("\"") + name + "\":" + (Truth(*v) ? "true" : "false"));
    }
  }
  for (const char* name : {"intra_op_parallelism_threads", "inter_op_parallelism_threads",
                           "operation_timeout_in_ms"}) {
    if (Value* v = m->fields.Find(name)) {
      AppendJson(&out, std::string("\"") + name + "\":" + std::to_string(ToIndex(*v)));
    }
  }
  if (Value* v = m->fields.Find("gpu_options")) {
    if (auto* gpu = As<MessageObject>(*v)) AppendJson(&out, "\"gpu_options\":" + GpuJson(*gpu));
  }
  if (Value* v = m->fields.Find("device_filters"))
    AppendJson(&out, "\"device_filters\":" + FiltersJson(*v));
  if (Value* v = m->fields.Find("graph_options")) {
    auto* options = As<MessageObject>(*v);
    if (options && ForbidsOptimizing(*options)) AppendJson(&out, "\"optimize\":false");
  }
  if (Value* v = m->fields.Find("device_count")) {
    auto* dict = As<DictObject>(*v);
    if (!dict) throw TypeError("device_count must be a dict, got " + Repr(*v));
    std::string counts = "{";
    for (size_t i = 0; const Dict::Entry* e = dict->dict.At(&i);) {
      const std::string type = ToText(e->key, "device_count");
      if (type.find_first_not_of(
              "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_0123456789") != type.npos) {
        throw ValueError("device_count: " + Repr(e->key) + " is not a device type");
      }
      AppendJson(&counts, "\"" + type + "\":" + std::to_string(ToIndex(e->value)));
    }
    AppendJson(&out, "\"device_count\":" + counts + "}");
  }
  return out + "}";
}

int64_t RunTimeoutMs(const Value& options) {
  auto* m = As<MessageObject>(options);
  if (!m || &m->kind != &kRunOptions) return 0;
  const Value* v = m->fields.Find("timeout_in_ms");
  return v ? std::max<int64_t>(ToIndex(*v), 0) : 0;
}

void SetRunMetadata(const Value& metadata, std::string report_json) {
  auto* m = As<MessageObject>(metadata);
  if (!m || &m->kind != &kRunMetadata)
    throw TypeError("run_metadata must be a tf.RunMetadata, got " + Repr(metadata));
  m->fields.Set("step_stats", StepStatsOf(report_json));
  m->fields.Set("report", MakeStr(std::move(report_json)));
}

std::string ReportOf(const Value& metadata) {
  auto* m = As<MessageObject>(metadata);
  if (!m || &m->kind != &kRunMetadata)
    throw TypeError("run_metadata must be a tf.RunMetadata, got " + Repr(metadata));
  const Value* report = m->fields.Find("report");
  return report ? std::string(StrView(*report)) : "";
}

std::span<const ConstantRow> ConfigConstants() { return kConstants; }

}  // namespace tensh::shell::tf
