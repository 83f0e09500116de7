#include "shell/tf/graph_def.h"

#include "shell/print/float_text.h"
#include "shell/tf/records.h"
#include "shell/tf/state.h"
#include "shell/tf/wire.h"
#include "shell/values/error.h"
#include "shell/values/ops.h"

namespace tensh::shell::tf {

std::string ExportedGraph(GraphObject& g) {
  size_t size = 0;
  char* text = tsh_graph_export(g.raw(), 0, UINT32_MAX, nullptr, nullptr, &size);
  if (!text) throw MakeError(kMemoryError, "out of memory for the graph's message");
  std::string message(text, size);
  tsh_free(text);
  return message;
}

void ImportGraph(GraphObject& g, std::string_view message, const ImportOptions& options) {
  std::vector<const char*> names;
  std::vector<tsh_output> outputs;
  for (const auto& [name, out] : options.input_map) {
    names.push_back(name.c_str());
    outputs.push_back(out);
  }
  const tsh_import how{options.prefix.c_str(), options.clear_devices, 0,
                       names.data(),           outputs.data(),        names.size(),
                       State().source};
  tsh_status* status = ScratchStatus();
  if (!tsh_graph_import(g.raw(), message.data(), message.size(), &how, nullptr, status))
    ThrowBuildStatus(status);
}

namespace {

// ---- the text form ----

enum class Kind : uint8_t { kInt, kBool, kEnum, kFloat, kDouble, kString, kMessage };
struct Schema;
struct Field {
  int number;
  const char* name;
  Kind kind;
  const Schema* message = nullptr;
};
struct Schema {
  std::span<const Field> fields;
};

extern const Schema kAttrValue;
const Field kDimFields[] = {{1, "size", Kind::kInt}, {2, "name", Kind::kString}};
const Schema kDim{kDimFields};
const Field kShapeFields[] = {{2, "dim", Kind::kMessage, &kDim}, {3, "unknown_rank", Kind::kBool}};
const Schema kShape{kShapeFields};
const Field kTensorFields[] = {{1, "dtype", Kind::kEnum},
                               {2, "tensor_shape", Kind::kMessage, &kShape},
                               {4, "tensor_content", Kind::kString},
                               {5, "float_val", Kind::kFloat},
                               {6, "double_val", Kind::kDouble},
                               {7, "int_val", Kind::kInt},
                               {8, "string_val", Kind::kString},
                               {10, "int64_val", Kind::kInt},
                               {11, "bool_val", Kind::kBool}};
const Schema kTensor{kTensorFields};
const Field kListFields[] = {
    {2, "s", Kind::kString},          {3, "i", Kind::kInt},
    {4, "f", Kind::kFloat},           {5, "b", Kind::kBool},
    {6, "type", Kind::kEnum},         {7, "shape", Kind::kMessage, &kShape},
    {8, "tensor", Kind::kMessage, &kTensor}};
const Schema kList{kListFields};
const Field kAttrFields[] = {
    {1, "list", Kind::kMessage, &kList}, {2, "s", Kind::kString},
    {3, "i", Kind::kInt},                {4, "f", Kind::kFloat},
    {5, "b", Kind::kBool},               {6, "type", Kind::kEnum},
    {7, "shape", Kind::kMessage, &kShape}, {8, "tensor", Kind::kMessage, &kTensor}};
const Schema kAttrValue{kAttrFields};
const Field kEntryFields[] = {{1, "key", Kind::kString},
                              {2, "value", Kind::kMessage, &kAttrValue}};
const Schema kEntry{kEntryFields};
const Field kNodeFields[] = {{1, "name", Kind::kString},
                             {2, "op", Kind::kString},
                             {3, "input", Kind::kString},
                             {4, "device", Kind::kString},
                             {5, "attr", Kind::kMessage, &kEntry}};
const Schema kNode{kNodeFields};
const Field kVersionFields[] = {{1, "producer", Kind::kInt}, {2, "min_consumer", Kind::kInt}};
const Schema kVersions{kVersionFields};
const Field kGraphFields[] = {{1, "node", Kind::kMessage, &kNode},
                              {4, "versions", Kind::kMessage, &kVersions}};
const Schema kGraph{kGraphFields};

std::string Escaped(std::string_view text) {
  std::string out = "\"";
  for (char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    switch (c) {
      case '\n':
        out += "\\n";
        break;
      case '\r':
        out += "\\r";
        break;
      case '\t':
        out += "\\t";
        break;
      case '"':
        out += "\\\"";
        break;
      case '\'':
        out += "\\'";
        break;
      case '\\':
        out += "\\\\";
        break;
      default:
        if (byte >= 32 && byte < 127) {
          out += c;
        } else {
          char octal[8];
          std::snprintf(octal, sizeof octal, "\\%03o", byte);
          out += octal;
        }
    }
  }
  return out + "\"";
}

// "DT_FLOAT" of 1
std::string TypeConstant(int64_t type) {
  const int base = static_cast<int>(type > 100 ? type - 100 : type);
  std::string name = tsh_dtype_name(base);
  if (base == TSH_FLOAT) name = "float";
  if (base == TSH_DOUBLE) name = "double";
  if (base == TSH_HALF) name = "half";
  for (char& c : name) c = static_cast<char>(c >= 'a' && c <= 'z' ? c - 'a' + 'A' : c);
  return "DT_" + name + (type > 100 ? "_REF" : "");
}

std::string ScalarText(Kind kind, const MessageIn& in) {
  switch (kind) {
    case Kind::kInt:
      return std::to_string(in.integer());
    case Kind::kBool:
      return in.number() ? "true" : "false";
    case Kind::kEnum:
      return TypeConstant(in.integer());
    case Kind::kFloat:
      return FloatScalarText(static_cast<double>(in.as_float()), FloatWidth::kSingle);
    case Kind::kDouble:
      return Repr(Value::Float(in.as_double()));
    default:
      return Escaped(in.bytes());
  }
}

constexpr int kMaxDepth = 32;

void Print(const Schema& schema, std::string_view message, const std::string& indent, int depth,
           std::string* out) {
  // In the order of the fields' numbers, as protocol buffers print; within one, of the message.
  for (const Field& field : schema.fields) {
    MessageIn in(message);
    while (in.Next()) {
      if (in.field() != field.number) continue;
      if (field.kind == Kind::kMessage) {
        *out += indent + field.name + " {\n";
        if (depth < kMaxDepth) Print(*field.message, in.bytes(), indent + "  ", depth + 1, out);
        *out += indent + "}\n";
      } else if (in.type() == 2 && field.kind != Kind::kString) {
        // Packed numbers are not what ExportGraphDef writes; show that they are there.
        *out += indent + field.name + ": ...\n";
      } else {
        *out += indent + field.name + ": " + ScalarText(field.kind, in) + "\n";
      }
    }
  }
}

// ---- tf.GraphDef ----

GraphDefObject& Self(const Value& v) { return *As<GraphDefObject>(v); }

Value Nodes(const Value& v) {
  std::vector<Value> nodes;
  MessageIn in(Self(v).message);
  while (in.Next()) {
    if (in.field() != 1) continue;
    std::string name, op, device;
    std::vector<Value> inputs;
    MessageIn node(in.bytes());
    while (node.Next()) {
      if (node.field() == 1) name = node.text();
      if (node.field() == 2) op = node.text();
      if (node.field() == 3) inputs.push_back(MakeStr(node.text()));
      if (node.field() == 4) device = node.text();
    }
    nodes.push_back(MakeRecord("NodeDef", {{"name", MakeStr(name)},
                                           {"op", MakeStr(op)},
                                           {"input", MakeList(std::move(inputs))},
                                           {"device", MakeStr(device)}}));
  }
  return MakeList(std::move(nodes));
}

Value Parse(Args& a) {
  auto* bytes = As<BytesObject>(a[0]);
  if (!bytes) throw TypeError("ParseFromString takes bytes, got " + TypeName(a[0]));
  MessageIn in(bytes->data);
  while (in.Next()) {
  }
  if (!in.ok()) throw ValueError("Error parsing message: this is no GraphDef");
  Self(a.self()).message = bytes->data;
  return Value::Int(static_cast<int64_t>(bytes->data.size()));
}

const FunctionRow kMethods[] = {
    {"SerializeToString", "", [](Args& a) { return MakeBytes(Self(a.self()).message); },
     "The message as bytes."},
    {"ParseFromString", "serialized", Parse, "Takes the message from bytes."},
    {"ByteSize", "",
     [](Args& a) { return Value::Int(static_cast<int64_t>(Self(a.self()).message.size())); },
     "The length of the message."},
};
const PropertyRow kProperties[] = {{"node", Nodes}};
const FunctionRow kNewGraphDef = {"GraphDef", "",
                                  [](Args&) -> Value { return New<GraphDefObject>(""); },
                                  "A graph as a message."};

}  // namespace

std::string GraphDefText(std::string_view message) {
  std::string out;
  Print(kGraph, message, "", 0, &out);
  return out;
}

const TypeInfo GraphDefObject::kType = {
    .name = "GraphDef",
    .module = "tensorflow.core.framework.graph_pb2",
    .doc = "A graph as a message.",
    .methods = kMethods,
    .properties = kProperties,
    .construct = &kNewGraphDef,
    .repr = [](const Value& v) { return GraphDefText(Self(v).message); }};

}  // namespace tensh::shell::tf
