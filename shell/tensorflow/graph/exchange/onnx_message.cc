#include "shell/tensorflow/graph/exchange/onnx_message.h"

#include <filesystem>

#include "runtime/base/utf8.h"
#include "runtime/base/wire.h"
#include "shell/python/values/containers.h"
#include "shell/python/values/error.h"
#include "shell/python/values/ops.h"
#include "shell/python/vm/file.h"
#include "shell/python/vm/interp.h"
#include "shell/tensorflow/graph/arrays.h"
#include "shell/tensorflow/graph/exchange/graph_def.h"
#include "shell/tensorflow/graph/exchange/onnx_tensor.h"
#include "shell/tensorflow/graph/exchange/records.h"

namespace tensh::shell::tf {
namespace {

// Limits that protect against hostile files: each message becomes an object of some 500 bytes.
constexpr int kMaxDepth = 64;
constexpr int kMaxMessages = 2'000'000;

enum class Kind : uint8_t { kInt, kFloat, kText, kBytes, kMessage, kTensor };
struct Schema;
struct Field {
  int number;
  const char* name;
  Kind kind;
  bool repeated = false;
  const Schema* message = nullptr;
};
struct Schema {
  const char* name;
  std::span<const Field> fields;
};

using K = Kind;
extern const Schema kGraph, kType, kNode;
const Schema kTensor{"TensorProto", {}};

const Field kEntryFields[] = {{1, "key", K::kText}, {2, "value", K::kText}};
const Schema kEntry{"StringStringEntryProto", kEntryFields};
const Field kDimFields[] = {{1, "dim_value", K::kInt}, {2, "dim_param", K::kText}};
const Schema kDim{"Dimension", kDimFields};
const Field kShapeFields[] = {{1, "dim", K::kMessage, true, &kDim}};
const Schema kShape{"TensorShapeProto", kShapeFields};
const Field kTensorTypeFields[] = {{1, "elem_type", K::kInt},
                                   {2, "shape", K::kMessage, false, &kShape}};
const Schema kTensorType{"Tensor", kTensorTypeFields};
const Field kOfTypeFields[] = {{1, "elem_type", K::kMessage, false, &kType}};
const Schema kOfType{"Sequence", kOfTypeFields};
const Field kTypeFields[] = {{1, "tensor_type", K::kMessage, false, &kTensorType},
                             {4, "sequence_type", K::kMessage, false, &kOfType},
                             {9, "optional_type", K::kMessage, false, &kOfType}};
const Schema kType{"TypeProto", kTypeFields};
const Field kValueFields[] = {{1, "name", K::kText}, {2, "type", K::kMessage, false, &kType}};
const Schema kValue{"ValueInfoProto", kValueFields};
const Field kSparseFields[] = {
    {1, "values", K::kTensor}, {2, "indices", K::kTensor}, {3, "dims", K::kInt, true}};
const Schema kSparse{"SparseTensorProto", kSparseFields};
const Field kAttributeFields[] = {{1, "name", K::kText},
                                  {2, "f", K::kFloat},
                                  {3, "i", K::kInt},
                                  {4, "s", K::kBytes},
                                  {5, "t", K::kTensor},
                                  {6, "g", K::kMessage, false, &kGraph},
                                  {7, "floats", K::kFloat, true},
                                  {8, "ints", K::kInt, true},
                                  {9, "strings", K::kBytes, true},
                                  {14, "tp", K::kMessage, false, &kType},
                                  {20, "type", K::kInt},
                                  {21, "ref_attr_name", K::kText},
                                  {22, "sparse_tensor", K::kMessage, false, &kSparse}};
const Schema kAttribute{"AttributeProto", kAttributeFields};
const Field kNodeFields[] = {{1, "input", K::kText, true},
                             {2, "output", K::kText, true},
                             {3, "name", K::kText},
                             {4, "op_type", K::kText},
                             {5, "attribute", K::kMessage, true, &kAttribute},
                             {7, "domain", K::kText}};
const Schema kNode{"NodeProto", kNodeFields};
const Field kGraphFields[] = {{1, "node", K::kMessage, true, &kNode},
                              {2, "name", K::kText},
                              {5, "initializer", K::kTensor, true},
                              {11, "input", K::kMessage, true, &kValue},
                              {12, "output", K::kMessage, true, &kValue},
                              {13, "value_info", K::kMessage, true, &kValue},
                              {15, "sparse_initializer", K::kMessage, true, &kSparse}};
const Schema kGraph{"GraphProto", kGraphFields};
const Field kOpsetFields[] = {{1, "domain", K::kText}, {2, "version", K::kInt}};
const Schema kOpset{"OperatorSetIdProto", kOpsetFields};
const Field kFunctionFields[] = {{1, "name", K::kText},
                                 {4, "input", K::kText, true},
                                 {5, "output", K::kText, true},
                                 {6, "attribute", K::kText, true},
                                 {7, "node", K::kMessage, true, &kNode},
                                 {9, "opset_import", K::kMessage, true, &kOpset},
                                 {10, "domain", K::kText},
                                 {11, "attribute_proto", K::kMessage, true, &kAttribute}};
const Schema kFunction{"FunctionProto", kFunctionFields};
const Field kModelFields[] = {{1, "ir_version", K::kInt},
                              {2, "producer_name", K::kText},
                              {3, "producer_version", K::kText},
                              {7, "graph", K::kMessage, false, &kGraph},
                              {8, "opset_import", K::kMessage, true, &kOpset},
                              {14, "metadata_props", K::kMessage, true, &kEntry},
                              {25, "functions", K::kMessage, true, &kFunction}};
const Schema kModel{"ModelProto", kModelFields};
const Field kSequenceFields[] = {{1, "name", K::kText}, {3, "tensor_values", K::kTensor, true}};
const Schema kSequence{"SequenceProto", kSequenceFields};
const Field kOptionalFields[] = {{1, "name", K::kText},
                                 {2, "elem_type", K::kInt},
                                 {3, "tensor_value", K::kTensor},
                                 {5, "sequence_value", K::kMessage, false, &kSequence}};
const Schema kOptional{"OptionalProto", kOptionalFields};

class Parser {
 public:
  Value Message(const Schema& schema, std::string_view text, int depth) {
    if (&schema == &kTensor) return Tensor(text);
    if (depth > kMaxDepth)
      throw ValueError("its messages nest more than " + std::to_string(kMaxDepth) + " deep");
    Count();
    Ref<RecordObject> made = New<RecordObject>(schema.name);
    std::vector<std::vector<Value>> lists(schema.fields.size());
    for (const Field& field : schema.fields)
      if (!field.repeated) made->fields.Set(field.name, Default(field));
    WireReader in(text);
    while (in.Next()) {
      for (size_t i = 0; i < schema.fields.size(); ++i) {
        const Field& field = schema.fields[i];
        if (field.number != in.field()) continue;
        if (field.repeated && in.is_bytes() && field.kind <= K::kFloat)
          Packed(field, in.bytes(), &lists[i]);
        else if (field.repeated)
          lists[i].push_back(One(field, in, depth));
        else
          made->fields.Set(field.name, One(field, in, depth));
      }
    }
    if (!in.ok()) Fail(schema.name);
    for (size_t i = 0; i < schema.fields.size(); ++i)
      if (schema.fields[i].repeated)
        made->fields.Set(schema.fields[i].name, MakeList(std::move(lists[i])));
    return made;
  }

 private:
  [[noreturn]] static void Fail(const char* message) {
    throw ValueError(std::string("it ends within a ") + message + ", or is damaged there");
  }

  void Count() {
    if (++messages_ > kMaxMessages)
      throw ValueError("it has more than " + std::to_string(kMaxMessages) + " messages");
    if (messages_ % 4096 == 0) Interp::Current().CheckInterrupt();
  }

  static Value Default(const Field& field) {
    switch (field.kind) {
      case K::kInt:
        return Value::Int(0);
      case K::kFloat:
        return Value::Float(0);
      case K::kText:
        return MakeStr("");
      case K::kBytes:
        return MakeBytes("");
      default:
        return Value::None();
    }
  }

  Value One(const Field& field, const WireReader& in, int depth) {
    switch (field.kind) {
      case K::kInt:
        return Value::Int(in.integer());
      case K::kFloat:
        return Value::Float(static_cast<double>(in.as_float()));
      case K::kText:
        return Text(in.bytes());
      case K::kBytes:
        return MakeBytes(in.text());
      case K::kTensor:
        return Tensor(in.bytes());
      default:
        return Message(*field.message, in.bytes(), depth + 1);
    }
  }

  static Value Text(std::string_view text) {
    std::string checked(text);
    for (size_t at; (at = FindInvalidUtf8(checked)) < checked.size();) checked[at] = '?';
    return MakeStr(std::move(checked));
  }

  static void Packed(const Field& field, std::string_view bytes, std::vector<Value>* to) {
    if (field.kind == K::kFloat) {
      for (; bytes.size() >= 4; bytes.remove_prefix(4)) {
        float v;
        std::memcpy(&v, bytes.data(), sizeof v);
        to->push_back(Value::Float(static_cast<double>(v)));
      }
    } else {
      for (uint64_t v; TakeVarint(bytes, v);) to->push_back(Value::Int(static_cast<int64_t>(v)));
    }
    if (!bytes.empty()) Fail("list of numbers");
  }

  // Appends integers in the layout of raw_data.
  static void Ints(const WireReader& in, size_t size, std::string* to) {
    std::string_view bytes = in.bytes();
    uint64_t v = in.varint();
    bool more = !in.is_bytes() || TakeVarint(bytes, v);
    while (more) {
      to->append(reinterpret_cast<const char*>(&v), size);
      more = in.is_bytes() && TakeVarint(bytes, v);
    }
    if (!bytes.empty()) Fail("list of numbers");
  }

  static void Floats(const WireReader& in, size_t size, std::string* to) {
    const uint64_t bits = size == 4 ? in.fixed32() : in.fixed64();
    if (in.is_bytes())
      to->append(in.bytes());
    else
      to->append(reinterpret_cast<const char*>(&bits), size);
  }

  // Returns the bytes of a number in the typed lists, or 0 if there is no dtype for the type.
  static size_t NumberSize(int64_t type) {
    if (type >= 17 && type <= 23) return 1;  // floats and integers of 8 and 4 bits
    const int dtype = DTypeOfOnnx(type);
    const bool pairs = dtype == TSH_COMPLEX64 || dtype == TSH_COMPLEX128;
    return tsh_dtype_size(dtype) / (pairs ? 2 : 1);
  }

  // Reads a field with elements. Returns false if it is another field.
  static bool Elements(const WireReader& in, size_t size, OnnxTensor* t) {
    const int field = in.field();
    if (field == 6)
      t->strings.push_back(in.bytes());
    else if (field == 9)
      t->raw = in.bytes(), t->has_raw = true;
    else if (field == TSH_REFERENCE_FIELD)
      t->reference = in.bytes();
    else if (field == 5 || field == 7 || field == 11)
      Ints(in, size, &t->numbers);
    else if (field == 4 || field == 10)
      Floats(in, size, &t->numbers);
    else
      return false;
    return true;
  }

  Value Tensor(std::string_view text) {
    Count();
    OnnxTensor t;
    std::vector<Value> dims, entries;
    bool external = false;
    for (WireReader in(text); in.Next();)
      if (in.field() == 2) t.type = in.integer();  // it may follow the elements
    const size_t size = NumberSize(t.type);
    WireReader in(text);
    while (in.Next()) {
      if (Elements(in, size, &t)) continue;
      if (in.field() == 1 && in.is_bytes()) Packed({1, "dims", K::kInt}, in.bytes(), &dims);
      if (in.field() == 1 && !in.is_bytes()) dims.push_back(Value::Int(in.integer()));
      if (in.field() == 8) t.name = in.text();
      if (in.field() == 13) entries.push_back(Message(kEntry, in.bytes(), 0));
      if (in.field() == 14) external = in.integer() == 1;
    }
    if (!in.ok()) Fail("TensorProto");
    for (const Value& d : dims) t.dims.push_back(ToIndex(d));
    const TensorHandle made = external ? TensorHandle() : MakeOnnxTensor(t);
    return MakeRecord("TensorProto", {{"name", Text(t.name)},
                                      {"data_type", Value::Int(t.type)},
                                      {"dims", MakeList(std::move(dims))},
                                      {"value", made ? ToValue(made) : Value::None()},
                                      {"external", Value::Bool(external)},
                                      {"external_data", MakeList(std::move(entries))}});
  }

  int messages_ = 0;
};

// path
Value ReadModel(Args& a) {
  namespace fs = std::filesystem;
  const std::string path = ToText(a[0], "path");
  CheckPathToRead(path);
  std::error_code error;
  if (!fs::is_regular_file(path, error)) throw ValueError("it is not a regular file");
  return Parser().Message(kModel, ReadMessageFile(path, TSH_MESSAGE_ONNX), 0);
}

// data, kind
Value ParseMessage(Args& a) {
  const auto* bytes = As<BytesObject>(a[0]);
  if (!bytes) throw TypeError("a message is bytes, not " + TypeName(a[0]));
  const std::string kind = ToText(a[1], "kind");
  for (const Schema* schema : {&kModel, &kTensor, &kSequence, &kOptional, &kType})
    if (kind == schema->name) return Parser().Message(*schema, bytes->data, 0);
  throw ValueError("unknown message " + kind);
}

// name, data_type, dims, folder, location, offset, length
Value ReadExternal(Args& a) {
  OnnxTensor t;
  t.name = ToText(a[0], "name");
  t.type = ToIndex(a[1]);
  for (const Value& d : ToVector(a[2])) t.dims.push_back(ToIndex(d));
  const TensorHandle made = ReadExternalTensor(t, ToText(a[3], "folder"), ToText(a[4], "location"),
                                               ToIndex(a[5]), ToIndex(a[6]));
  return made ? ToValue(made) : Value::None();
}

const FunctionRow kRows[] = {
    {"read", "path, /", ReadModel, "Reads the ModelProto of a file."},
    {"parse", "data, kind, /", ParseMessage, "Parses a message of this kind."},
    {"external", "name, data_type, dims, folder, location, offset, length, /", ReadExternal,
     "Reads the elements of a tensor from a file in the folder."}};

}  // namespace

const ModuleDef kOnnxModule = {.name = "_onnx", .functions = kRows};

}  // namespace tensh::shell::tf
