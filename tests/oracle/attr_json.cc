#include "tests/oracle/attr_json.h"

#include <stdexcept>

namespace tensh::oracle {
namespace {

int64_t Integer(const std::string& type, const Json& value) {
  if (type == "type") return tsh_dtype_parse(value.get<std::string>().c_str());
  return value.is_boolean() ? value.get<bool>() : value.get<int64_t>();
}

tsh_attr_kind KindOf(const std::string& type) {
  constexpr std::pair<const char*, tsh_attr_kind> kKinds[] = {
      {"int", TSH_ATTR_INT},       {"float", TSH_ATTR_FLOAT}, {"bool", TSH_ATTR_BOOL},
      {"type", TSH_ATTR_TYPE},     {"shape", TSH_ATTR_SHAPE}, {"string", TSH_ATTR_STRING},
      {"tensor", TSH_ATTR_TENSOR},
  };
  for (const auto& [name, kind] : kKinds) {
    if (type == name) return kind;
  }
  throw std::runtime_error("oracle: attribute kind " + type);
}

}  // namespace

void AttrList::FillOne(const std::string& type, const Json& value, Storage* s, tsh_attr* a) {
  switch (a->kind) {
    case TSH_ATTR_FLOAT:
      a->f = value.get<double>();
      return;
    case TSH_ATTR_STRING:
      s->text = value.get<std::string>();
      a->string = s->text.c_str();
      a->length = s->text.size();
      return;
    case TSH_ATTR_SHAPE:
      if (value.is_array()) s->dims = value.get<std::vector<int64_t>>();
      a->dims = s->dims.data();
      a->rank = value.is_array() ? static_cast<int>(s->dims.size()) : -1;
      return;
    case TSH_ATTR_TENSOR:
      s->tensor = ParseTensor(value.get<std::string>());
      a->tensor = s->tensor.get();
      return;
    default:
      a->i = Integer(type, value);
  }
}

void AttrList::FillList(const std::string& type, const Json& value, Storage* s, tsh_attr* a) {
  a->is_list = 1;
  a->n = value.size();
  for (const Json& one : value) {
    if (a->kind == TSH_ATTR_FLOAT) {
      s->floats.push_back(one.get<double>());
    } else if (a->kind == TSH_ATTR_STRING) {
      s->strings.push_back(one.get<std::string>());
    } else if (a->kind == TSH_ATTR_SHAPE) {
      s->ints.push_back(one.is_array() ? static_cast<int64_t>(one.size()) : -1);
      if (one.is_array()) {
        for (const Json& d : one) s->dims.push_back(d.get<int64_t>());
      }
    } else {
      s->ints.push_back(Integer(type, one));
    }
  }
  for (const std::string& text : s->strings) {
    s->pointers.push_back(text.c_str());
    s->lengths.push_back(text.size());
  }
  a->ints = s->ints.data();
  a->dims = s->dims.data();
  a->floats = s->floats.data();
  a->strings = s->pointers.data();
  a->lengths = s->lengths.data();
}

void AttrList::Add(const std::string& name, const std::string& type, const Json& value) {
  const bool list = type.rfind("list(", 0) == 0;
  const std::string element = list ? type.substr(5, type.size() - 6) : type;
  storage_.emplace_back();
  Storage& s = storage_.back();
  s.name = name;
  tsh_attr a{};
  a.name = s.name.c_str();
  a.kind = KindOf(element);
  list ? FillList(element, value, &s, &a) : FillOne(element, value, &s, &a);
  attrs_.push_back(a);
}

void AttrList::AddAll(const Json& definition, const Json& values) {
  for (const Json& attr : definition["attrs"]) {
    const std::string name = attr["name"];
    if (values.contains(name)) Add(name, attr["type"], values[name]);
  }
}

}  // namespace tensh::oracle
