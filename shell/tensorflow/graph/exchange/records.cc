#include "shell/tensorflow/graph/exchange/records.h"

#include "shell/python/values/containers.h"
#include "shell/python/values/error.h"
#include "shell/python/values/ops.h"
#include "shell/tensorflow/graph/arrays.h"
#include "shell/tensorflow/graph/convert.h"
#include "shell/tensorflow/graph/shape.h"
#include "shell/text/json.h"

namespace tensh::shell::tf {
namespace {

std::string RecordRepr(const Value& v) {
  auto& record = *As<RecordObject>(v);
  std::string out = std::string(record.name) + "(";
  bool first = true;
  for (size_t i = 0; const Dict::Entry* e = record.fields.At(&i);) {
    out += (first ? "" : ", ") + std::string(StrView(e->key)) + "=" + Repr(e->value);
    first = false;
  }
  return out + ")";
}

Value ShapeFromText(const std::string& text) {
  if (text.find('[') == text.npos) return New<ShapeObject>();
  std::vector<int64_t> dims;
  size_t at = text.find('[') + 1;
  while (at < text.size() && text[at] != ']') {
    const size_t end = text.find_first_of(",]", at);
    const std::string item = text.substr(at, end - at);
    dims.push_back(item == "?" ? -1 : std::atoll(item.c_str()));
    at = text[end] == ',' ? end + 1 : end;
  }
  return New<ShapeObject>(std::move(dims));
}

Value ShapeFromJson(const Json& shape) {
  if (shape.is_string()) return ShapeFromText(shape.as_string());
  if (!shape.is_array()) return New<ShapeObject>();
  std::vector<int64_t> dims;
  for (const Json& d : shape.items()) dims.push_back(d.as_int(-1));
  return New<ShapeObject>(std::move(dims));
}

}  // namespace

const TypeInfo RecordObject::kType = {.name = "Record", .module = "tensorflow", .repr = RecordRepr};

Value MakeRecord(const char* name,
                 std::initializer_list<std::pair<std::string_view, Value>> fields) {
  Ref<RecordObject> made = New<RecordObject>(name);
  for (const auto& [key, value] : fields) made->fields.Set(key, value);
  return made;
}

Value ValueOf(const Json& json) {
  switch (json.kind()) {
    case Json::Kind::kArray: {
      std::vector<Value> items;
      for (const Json& item : json.items()) items.push_back(ValueOf(item));
      return MakeList(std::move(items));
    }
    case Json::Kind::kObject: {
      const Value dict = MakeDict();
      for (size_t i = 0; i < json.size(); ++i)
        SetItem(dict, MakeStr(json.keys()[i]), ValueOf(json.items()[i]));
      return dict;
    }
    case Json::Kind::kString:
      return MakeStr(json.as_string());
    case Json::Kind::kInt:
      return Value::Int(json.as_int());
    case Json::Kind::kFloat:
      return Value::Float(json.as_float());
    default:
      return json.is_null() ? Value::None() : Value::Bool(json.as_bool());
  }
}

Value DevicesOf(const SessionHandle& session) {
  const Json devices = Json::Parse(TakeText(tsh_session_devices_json(session.get())));
  std::vector<Value> out;
  for (const Json& d : devices.items()) {
    out.push_back(MakeRecord("_DeviceAttributes",
                             {{"name", MakeStr(d["name"].as_string())},
                              {"device_type", MakeStr(d["type"].as_string())},
                              {"memory_limit_bytes", Value::Int(d["memory_limit"].as_int())},
                              {"incarnation", Value::Int(d["incarnation"].as_int())}}));
  }
  return MakeList(std::move(out));
}

namespace {

// A list of numbers, booleans or texts is written as in JSON; the text of another list stays a str.
Value ListFromText(const std::string& text) {
  bool ok = false;
  const Json list = Json::Parse(text, &ok);
  if (!ok || !list.is_array()) return MakeStr(text);
  std::vector<Value> items;
  for (const Json& item : list.items()) {
    if (item.is_string())
      items.push_back(MakeBytes(item.as_string()));
    else if (item.kind() == Json::Kind::kBool)
      items.push_back(Value::Bool(item.as_bool()));
    else
      items.push_back(item.kind() == Json::Kind::kInt ? Value::Int(item.as_int())
                                                      : Value::Float(item.as_float()));
  }
  return MakeList(std::move(items));
}

}  // namespace

Value AttrOf(GraphObject& g, Node node, const std::string& name) {
  const Json attrs = Json::Parse(g.handle().AttrsJson(node));
  const Json& attr = attrs[name];
  if (attr.is_null()) {
    throw ValueError("Operation '" + std::string(g.handle().NodeName(node)) +
                     "' has no attr named '" + name + "'.");
  }
  const std::string& kind = attr.keys().empty() ? name : attr.keys()[0];
  const Json& value = attr[kind];
  if (kind == "int") return Value::Int(value.as_int());
  if (kind == "float") return Value::Float(value.as_float());
  if (kind == "bool") return Value::Bool(value.as_bool());
  if (kind == "type") return DTypeValue(tsh_dtype_parse(value.as_string().c_str()));
  if (kind == "string") return MakeBytes(value.as_string());
  if (kind == "shape") return ShapeFromJson(value);
  if (kind == "tensor") {
    const TensorHandle t = TensorHandle::Adopt(tsh_node_attr_tensor(g.raw(), node, name.c_str()));
    return t ? ToValue(t) : Value::None();
  }
  return ListFromText(value.as_string());
}

}  // namespace tensh::shell::tf
