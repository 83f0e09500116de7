#include "runtime/dist/attr_codec.h"

#include <limits>
#include <string_view>

#include "runtime/dist/tensor_codec.h"

namespace tensh::dist {
namespace {

using tensorflow::AttrValue;
using ListValue = AttrValue::ListValue;

struct KindRow {
  std::string_view word;
  int kind;
};
// How a signature spells a kind; a set of types "{float, int32}" is a type too.
constexpr KindRow kKinds[] = {
    {"int", TSH_ATTR_INT},       {"float", TSH_ATTR_FLOAT},    {"bool", TSH_ATTR_BOOL},
    {"type", TSH_ATTR_TYPE},     {"string", TSH_ATTR_STRING},  {"shape", TSH_ATTR_SHAPE},
    {"tensor", TSH_ATTR_TENSOR}, {"func", OpAttrs::kFunction},
};

std::string_view Trim(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

int KindOf(std::string_view type) {
  if (type.starts_with("list(")) type.remove_prefix(5);
  for (const KindRow& row : kKinds)
    if (type.starts_with(row.word)) return row.kind;
  return type.starts_with("{'") || type.starts_with("{\"") ? TSH_ATTR_STRING : TSH_ATTR_TYPE;
}

// True where `text` at i is inside no bracket and no quotes; keeps count from call to call.
class TopLevel {
 public:
  bool Next(char c) {
    if (quote_) {
      if (c == quote_) quote_ = 0;
      return false;
    }
    if (c == '\'' || c == '"') quote_ = c;
    if (c == '(' || c == '[' || c == '{') ++depth_;
    if (c == ')' || c == ']' || c == '}') --depth_;
    return depth_ == 0 && !quote_;
  }

 private:
  int depth_ = 0;
  char quote_ = 0;
};

tsh_attr Named(const std::string& name, int kind) {
  tsh_attr a{};
  a.name = name.c_str();
  a.kind = static_cast<tsh_attr_kind>(kind);
  return a;
}

void SetShape(const std::vector<int64_t>& dims, int rank, AttrStore* store, tsh_attr* a) {
  a->rank = rank;
  a->dims = store->ints.emplace_back(dims).data();
}

// What an op of a later TensorFlow says when it means what this one does.
bool SaysNothing(const AttrValue& v) {
  switch (v.value_case()) {
    case AttrValue::kS:
      return v.s().empty();
    case AttrValue::kI:
      return v.i() == 0 || v.i() == -1;
    case AttrValue::kF:
      return v.f() == 0;
    case AttrValue::kB:
      return !v.b();
    case AttrValue::kList:
      return v.list().ByteSizeLong() == 0;
    case AttrValue::VALUE_NOT_SET:
      return true;
    default:
      return false;
  }
}

template <class List>
void SetInts(const List& list, int kind, AttrStore* store, tsh_attr* a) {
  a->kind = static_cast<tsh_attr_kind>(kind);
  a->n = static_cast<size_t>(list.size());
  a->ints = store->ints.emplace_back(list.begin(), list.end()).data();
}

Status SetShapes(const ListValue& list, AttrStore* store, tsh_attr* a) {
  auto& ranks = store->ints.emplace_back();
  auto& all = store->ints.emplace_back();
  std::vector<int64_t> dims;
  for (const auto& shape : list.shape()) {
    int rank = 0;
    TENSH_RETURN_IF_ERROR(DecodeShape(shape, &dims, &rank));
    ranks.push_back(rank);
    all.insert(all.end(), dims.begin(), dims.end());
  }
  a->kind = TSH_ATTR_SHAPE;
  a->n = ranks.size();
  a->ints = ranks.data();
  a->dims = all.data();
  return {};
}

void SetStrings(const ListValue& list, AttrStore* store, tsh_attr* a) {
  auto& strings = store->strings.emplace_back();
  auto& lengths = store->lengths.emplace_back();
  for (const std::string& s : list.s()) strings.push_back(s.data()), lengths.push_back(s.size());
  a->kind = TSH_ATTR_STRING;
  a->n = strings.size();
  a->strings = strings.data();
  a->lengths = lengths.data();
}

Status CheckTypes(const google::protobuf::RepeatedField<int32_t>& types) {
  for (int32_t t : types)
    if (t <= 0 || t > 255) return InvalidArgument("there is no data type ", t);
  return {};
}

Status DecodeList(const ListValue& list, int kind, AttrStore* store, tsh_attr* a) {
  a->is_list = 1;
  if (list.i_size()) return SetInts(list.i(), TSH_ATTR_INT, store, a), Status();
  if (list.b_size()) return SetInts(list.b(), TSH_ATTR_BOOL, store, a), Status();
  if (list.type_size()) {
    TENSH_RETURN_IF_ERROR(CheckTypes(list.type()));
    return SetInts(list.type(), TSH_ATTR_TYPE, store, a), Status();
  }
  if (list.s_size()) return SetStrings(list, store, a), Status();
  if (list.shape_size()) return SetShapes(list, store, a);
  if (list.f_size()) {
    a->kind = TSH_ATTR_FLOAT;
    a->n = static_cast<size_t>(list.f_size());
    a->floats = store->floats.emplace_back(list.f().begin(), list.f().end()).data();
    return {};
  }
  if (list.tensor_size() || list.func_size())
    return Unimplemented("attribute ", a->name, ": a list of tensors or functions");
  a->kind = static_cast<tsh_attr_kind>(kind);  // empty: the op knows of what
  return {};
}

Status DecodeSingle(const AttrValue& value, AttrStore* store, tsh_attr* a) {
  switch (value.value_case()) {
    case AttrValue::kS:
      a->kind = TSH_ATTR_STRING;
      a->string = value.s().data();
      a->length = value.s().size();
      return {};
    case AttrValue::kI:
      a->kind = TSH_ATTR_INT;
      a->i = value.i();
      return {};
    case AttrValue::kF:
      a->kind = TSH_ATTR_FLOAT;
      a->f = value.f();
      return {};
    case AttrValue::kB:
      a->kind = TSH_ATTR_BOOL;
      a->i = value.b();
      return {};
    case AttrValue::kType:
      a->kind = TSH_ATTR_TYPE;
      a->i = value.type();
      if (a->i > 0 && a->i <= 255) return {};
      return InvalidArgument("attribute ", a->name, ": there is no data type ", a->i);
    case AttrValue::kShape: {
      std::vector<int64_t> dims;
      int rank = 0;
      a->kind = TSH_ATTR_SHAPE;
      TENSH_RETURN_IF_ERROR(DecodeShape(value.shape(), &dims, &rank));
      SetShape(dims, rank, store, a);
      return {};
    }
    case AttrValue::kTensor: {
      TENSH_ASSIGN(TensorPtr tensor, DecodeTensor(value.tensor()));
      a->kind = TSH_ATTR_TENSOR;
      a->tensor = store->tensors.emplace_back(std::move(tensor)).get();
      return {};
    }
    default:
      return Unimplemented("attribute ", a->name, ": functions are not possible here");
  }
}

void EncodeList(const tsh_attr& a, ListValue* list) {
  const int64_t* dims = a.dims;
  for (size_t i = 0; i < a.n; ++i) {
    if (a.kind == TSH_ATTR_INT) list->add_i(a.ints[i]);
    if (a.kind == TSH_ATTR_BOOL) list->add_b(a.ints[i] != 0);
    if (a.kind == TSH_ATTR_TYPE) list->add_type(static_cast<int32_t>(a.ints[i]));
    if (a.kind == TSH_ATTR_FLOAT) list->add_f(static_cast<float>(a.floats[i]));
    if (a.kind == TSH_ATTR_STRING) list->add_s(a.strings[i], a.lengths[i]);
    if (a.kind == TSH_ATTR_SHAPE) {
      EncodeShape(dims, static_cast<int>(a.ints[i]), list->add_shape());
      dims += a.ints[i] > 0 ? a.ints[i] : 0;
    }
  }
}

}  // namespace

OpAttrs::OpAttrs(const char* op) {
  const char *inputs = "", *outputs = "", *attrs = "";
  if (!tsh_op_signature(op, &inputs, &outputs, &attrs)) return;
  std::string_view text = attrs;
  TopLevel top;
  size_t begin = 0;
  for (size_t i = 0; i <= text.size(); ++i) {
    if (i < text.size() && !(top.Next(text[i]) && text[i] == ',')) continue;
    const std::string_view one = Trim(text.substr(begin, i - begin));
    begin = i + 1;
    const size_t colon = one.find(':');
    if (colon == one.npos) continue;
    kinds_[std::string(Trim(one.substr(0, colon)))] = KindOf(Trim(one.substr(colon + 1)));
  }
}

int OpAttrs::Kind(const std::string& name) const {
  auto found = kinds_.find(name);
  return found == kinds_.end() ? -1 : found->second;
}

Status DecodeAttr(const OpAttrs& op, const std::string& name, const AttrValue& value,
                  AttrStore* store, std::vector<tsh_attr>* attrs) {
  const int kind = op.Kind(name);
  const bool annotation = !name.empty() && name[0] == '_';
  if (kind < 0 && name != "_class") {
    if (annotation || SaysNothing(value)) return {};
    // Append says which op has no such attribute.
  }
  if (kind == OpAttrs::kFunction)
    return Unimplemented("attribute ", name, ": functions are not possible here");
  tsh_attr a = Named(name, kind < 0 ? TSH_ATTR_STRING : kind);
  TENSH_RETURN_IF_ERROR(value.value_case() == AttrValue::kList
                            ? DecodeList(value.list(), static_cast<int>(a.kind), store, &a)
                            : DecodeSingle(value, store, &a));
  attrs->push_back(a);
  return {};
}

void EncodeAttr(const tsh_attr& a, AttrValue* value) {
  if (a.is_list) return EncodeList(a, value->mutable_list());
  switch (a.kind) {
    case TSH_ATTR_INT:
      return value->set_i(a.i);
    case TSH_ATTR_FLOAT:
      return value->set_f(static_cast<float>(a.f));
    case TSH_ATTR_BOOL:
      return value->set_b(a.i != 0);
    case TSH_ATTR_TYPE:
      return value->set_type(static_cast<int32_t>(a.i));
    case TSH_ATTR_STRING:
      return value->set_s(a.string, a.length);
    case TSH_ATTR_SHAPE:
      return EncodeShape(a.dims, a.rank, value->mutable_shape());
    case TSH_ATTR_TENSOR:
      return EncodeTensor(a.tensor, value->mutable_tensor());
  }
}

}  // namespace tensh::dist
