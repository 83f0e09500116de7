#include "shell/tensorflow/io/message_text.h"

#include <algorithm>
#include <cstdio>
#include <vector>

#include "runtime/base/wire.h"
#include "shell/client/client.h"
#include "shell/python/values/ops.h"
#include "shell/text/float_text.h"

namespace tensh::shell::tf {
namespace {

using K = FieldKind;
using F = MessageField;

extern const MessageSchema kAttrEntry, kNode;

const F kDimFields[] = {{1, "size", K::kInt}, {2, "name", K::kString}};
const MessageSchema kDim{kDimFields};
const F kShapeFields[] = {{2, "dim", K::kMessage, &kDim}, {3, "unknown_rank", K::kBool}};
const MessageSchema kShape{kShapeFields};
const F kTensorFields[] = {
    {1, "dtype", K::kEnum},         {2, "tensor_shape", K::kMessage, &kShape},
    {3, "version_number", K::kInt}, {4, "tensor_content", K::kString},
    {5, "float_val", K::kFloat},    {6, "double_val", K::kDouble},
    {7, "int_val", K::kInt},        {8, "string_val", K::kString},
    {9, "scomplex_val", K::kFloat}, {10, "int64_val", K::kInt},
    {11, "bool_val", K::kBool},     {12, "dcomplex_val", K::kDouble},
    {13, "half_val", K::kInt},      {16, "uint32_val", K::kInt},
    {17, "uint64_val", K::kInt}};
const MessageSchema kTensor{kTensorFields};
const F kFuncFields[] = {{1, "name", K::kString}, {2, "attr", K::kMessage, &kAttrEntry}};
const MessageSchema kFunc{kFuncFields};
const F kListFields[] = {{2, "s", K::kString},
                         {3, "i", K::kInt},
                         {4, "f", K::kFloat},
                         {5, "b", K::kBool},
                         {6, "type", K::kEnum},
                         {7, "shape", K::kMessage, &kShape},
                         {8, "tensor", K::kMessage, &kTensor},
                         {9, "func", K::kMessage, &kFunc}};
const MessageSchema kList{kListFields};
const F kAttrFields[] = {{1, "list", K::kMessage, &kList},
                         {2, "s", K::kString},
                         {3, "i", K::kInt},
                         {4, "f", K::kFloat},
                         {5, "b", K::kBool},
                         {6, "type", K::kEnum},
                         {7, "shape", K::kMessage, &kShape},
                         {8, "tensor", K::kMessage, &kTensor},
                         {9, "placeholder", K::kString},
                         {10, "func", K::kMessage, &kFunc}};
const MessageSchema kAttrValue{kAttrFields};
const F kAttrEntryFields[] = {{1, "key", K::kString}, {2, "value", K::kMessage, &kAttrValue}};
const MessageSchema kAttrEntry{kAttrEntryFields};
const F kNodeFields[] = {{1, "name", K::kString},
                         {2, "op", K::kString},
                         {3, "input", K::kString},
                         {4, "device", K::kString},
                         {5, "attr", K::kMessage, &kAttrEntry}};
const MessageSchema kNode{kNodeFields};
const F kVersionFields[] = {
    {1, "producer", K::kInt}, {2, "min_consumer", K::kInt}, {3, "bad_consumers", K::kInt}};
const MessageSchema kVersions{kVersionFields};

// ---- functions ----

const F kArgFields[] = {{1, "name", K::kString},        {2, "description", K::kString},
                        {3, "type", K::kEnum},          {4, "type_attr", K::kString},
                        {5, "number_attr", K::kString}, {6, "type_list_attr", K::kString},
                        {16, "is_ref", K::kBool}};
const MessageSchema kArg{kArgFields};
const F kAttrDefFields[] = {{1, "name", K::kString},
                            {2, "type", K::kString},
                            {3, "default_value", K::kMessage, &kAttrValue},
                            {4, "description", K::kString},
                            {5, "has_minimum", K::kBool},
                            {6, "minimum", K::kInt},
                            {7, "allowed_values", K::kMessage, &kAttrValue}};
const MessageSchema kAttrDef{kAttrDefFields};
const F kOpDefFields[] = {{1, "name", K::kString},
                          {2, "input_arg", K::kMessage, &kArg},
                          {3, "output_arg", K::kMessage, &kArg},
                          {4, "attr", K::kMessage, &kAttrDef},
                          {5, "summary", K::kString},
                          {6, "description", K::kString},
                          {16, "is_aggregate", K::kBool},
                          {17, "is_stateful", K::kBool},
                          {18, "is_commutative", K::kBool},
                          {19, "allows_uninitialized_input", K::kBool},
                          {20, "control_output", K::kString}};
const MessageSchema kOpDef{kOpDefFields};
const F kNamePairFields[] = {{1, "key", K::kString}, {2, "value", K::kString}};
const MessageSchema kNamePair{kNamePairFields};
const F kArgAttrsFields[] = {{1, "attr", K::kMessage, &kAttrEntry}};
const MessageSchema kArgAttrs{kArgAttrsFields};
const F kArgAttrEntryFields[] = {{1, "key", K::kInt}, {2, "value", K::kMessage, &kArgAttrs}};
const MessageSchema kArgAttrEntry{kArgAttrEntryFields};
const F kFunctionFields[] = {
    {1, "signature", K::kMessage, &kOpDef},      {3, "node_def", K::kMessage, &kNode},
    {4, "ret", K::kMessage, &kNamePair},         {5, "attr", K::kMessage, &kAttrEntry},
    {6, "control_ret", K::kMessage, &kNamePair}, {7, "arg_attr", K::kMessage, &kArgAttrEntry}};
const MessageSchema kFunction{kFunctionFields};
const F kGradientFields[] = {{1, "function_name", K::kString}, {2, "gradient_func", K::kString}};
const MessageSchema kGradient{kGradientFields};
const F kLibraryFields[] = {{1, "function", K::kMessage, &kFunction},
                            {2, "gradient", K::kMessage, &kGradient}};
const MessageSchema kLibrary{kLibraryFields};
const F kGraphFields[] = {{1, "node", K::kMessage, &kNode},
                          {2, "library", K::kMessage, &kLibrary},
                          {3, "version", K::kInt},
                          {4, "versions", K::kMessage, &kVersions}};
const MessageSchema kGraph{kGraphFields};

// ---- meta graphs and SavedModels ----

const F kOpListFields[] = {{1, "op", K::kMessage, &kOpDef}};
const MessageSchema kOpList{kOpListFields};
const F kMetaInfoFields[] = {{1, "meta_graph_version", K::kString},
                             {2, "stripped_op_list", K::kMessage, &kOpList},
                             {4, "tags", K::kString},
                             {5, "tensorflow_version", K::kString},
                             {6, "tensorflow_git_version", K::kString},
                             {7, "stripped_default_attrs", K::kBool},
                             {8, "function_aliases", K::kMessage, &kNamePair}};
const MessageSchema kMetaInfo{kMetaInfoFields};
// The version of the checkpoint format is left out: it is the only field whose value is the name of
// an enumeration other than a type, and only the nodes of the Saver depend on it.
const F kSaverFields[] = {{1, "filename_tensor_name", K::kString},
                          {2, "save_tensor_name", K::kString},
                          {3, "restore_op_name", K::kString},
                          {4, "max_to_keep", K::kInt},
                          {5, "sharded", K::kBool},
                          {6, "keep_checkpoint_every_n_hours", K::kFloat}};
const MessageSchema kSaver{kSaverFields};
const F kTextsFields[] = {{1, "value", K::kString}};
const MessageSchema kTexts{kTextsFields};
const F kIntsFields[] = {{1, "value", K::kInt}};
const MessageSchema kInts{kIntsFields};
const F kFloatsFields[] = {{1, "value", K::kFloat}};
const MessageSchema kFloats{kFloatsFields};
const F kCollectionFields[] = {{1, "node_list", K::kMessage, &kTexts},
                               {2, "bytes_list", K::kMessage, &kTexts},
                               {3, "int64_list", K::kMessage, &kInts},
                               {4, "float_list", K::kMessage, &kFloats}};
const MessageSchema kCollection{kCollectionFields};
const F kCollectionEntryFields[] = {{1, "key", K::kString},
                                    {2, "value", K::kMessage, &kCollection}};
const MessageSchema kCollectionEntry{kCollectionEntryFields};
const F kTensorInfoFields[] = {
    {1, "name", K::kString}, {2, "dtype", K::kEnum}, {3, "tensor_shape", K::kMessage, &kShape}};
const MessageSchema kTensorInfo{kTensorInfoFields};
const F kTensorInfoEntryFields[] = {{1, "key", K::kString},
                                    {2, "value", K::kMessage, &kTensorInfo}};
const MessageSchema kTensorInfoEntry{kTensorInfoEntryFields};
const F kSignatureFields[] = {{1, "inputs", K::kMessage, &kTensorInfoEntry},
                              {2, "outputs", K::kMessage, &kTensorInfoEntry},
                              {3, "method_name", K::kString}};
const MessageSchema kSignature{kSignatureFields};
const F kSignatureEntryFields[] = {{1, "key", K::kString}, {2, "value", K::kMessage, &kSignature}};
const MessageSchema kSignatureEntry{kSignatureEntryFields};
const F kAssetFields[] = {{1, "tensor_info", K::kMessage, &kTensorInfo},
                          {2, "filename", K::kString}};
const MessageSchema kAsset{kAssetFields};
const F kMetaGraphFields[] = {{1, "meta_info_def", K::kMessage, &kMetaInfo},
                              {2, "graph_def", K::kMessage, &kGraph},
                              {3, "saver_def", K::kMessage, &kSaver},
                              {4, "collection_def", K::kMessage, &kCollectionEntry},
                              {5, "signature_def", K::kMessage, &kSignatureEntry},
                              {6, "asset_file_def", K::kMessage, &kAsset}};
const MessageSchema kMetaGraph{kMetaGraphFields};
const F kSavedModelFields[] = {{1, "saved_model_schema_version", K::kInt},
                               {2, "meta_graphs", K::kMessage, &kMetaGraph}};
const MessageSchema kSavedModel{kSavedModelFields};

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

std::string ScalarText(FieldKind kind, const WireReader& in) {
  switch (kind) {
    case FieldKind::kInt:
      return std::to_string(in.integer());
    case FieldKind::kBool:
      return in.varint() ? "true" : "false";
    case FieldKind::kEnum:
      return TypeConstant(in.integer());
    case FieldKind::kFloat:
      return FloatScalarText(static_cast<double>(in.as_float()), FloatWidth::kSingle);
    case FieldKind::kDouble:
      return Repr(Value::Float(in.as_double()));
    default:
      return Escaped(in.bytes());
  }
}

// Prints a packed field with one line per number.
void PrintPacked(const MessageField& field, std::string_view bytes, const std::string& indent,
                 std::string* out) {
  const bool fixed = field.kind == FieldKind::kFloat || field.kind == FieldKind::kDouble;
  const size_t size = field.kind == FieldKind::kDouble ? 8 : 4;
  while (!bytes.empty()) {
    // Encodes each number as a message with one field, which WireReader can read.
    std::string one(1, static_cast<char>(fixed ? (size == 8 ? 9 : 13) : 8));
    size_t n = fixed ? size : 1;
    while (!fixed && n < bytes.size() && bytes[n - 1] & 0x80) ++n;
    one += bytes.substr(0, n);
    WireReader in(one);
    if (n > bytes.size() || !in.Next()) return;
    *out += indent + field.name + ": " + ScalarText(field.kind, in) + "\n";
    bytes.remove_prefix(n);
  }
}

constexpr int kMaxDepth = 32;

bool IsMap(const MessageField& field) {
  return field.kind == FieldKind::kMessage &&
         std::string_view(field.message->fields[0].name) == "key";
}
std::string KeyOf(std::string_view entry) {
  WireReader in(entry);
  while (in.Next())
    if (in.field() == 1) return in.type() == 2 ? in.text() : std::to_string(in.integer());
  return {};
}

void Print(const MessageSchema& schema, std::string_view message, const std::string& indent,
           int depth, std::string* out) {
  // Protocol buffers print fields in the order of their numbers. Values of one field stay in the
  // order of the message, and maps are sorted by key.
  for (const MessageField& field : schema.fields) {
    std::vector<std::string_view> messages;
    WireReader in(message);
    while (in.Next()) {
      if (in.field() != field.number) continue;
      if (field.kind == FieldKind::kMessage) {
        messages.push_back(in.bytes());
      } else if (in.type() == 2 && field.kind != FieldKind::kString) {
        PrintPacked(field, in.bytes(), indent, out);
      } else {
        *out += indent + field.name + ": " + ScalarText(field.kind, in) + "\n";
      }
    }
    if (IsMap(field))
      std::stable_sort(messages.begin(), messages.end(),
                       [](auto a, auto b) { return KeyOf(a) < KeyOf(b); });
    for (const std::string_view inner : messages) {
      *out += indent + field.name + " {\n";
      if (depth < kMaxDepth) Print(*field.message, inner, indent + "  ", depth + 1, out);
      *out += indent + "}\n";
    }
  }
}

}  // namespace

const MessageSchema& GraphDefSchema() { return kGraph; }
const MessageSchema& MetaGraphDefSchema() { return kMetaGraph; }
const MessageSchema& SavedModelSchema() { return kSavedModel; }

std::string TypeConstant(int64_t type) {
  const int base = static_cast<int>(type > 100 ? type - 100 : type);
  std::string name = tsh_dtype_name(base);
  if (base == TSH_FLOAT) name = "float";
  if (base == TSH_DOUBLE) name = "double";
  if (base == TSH_HALF) name = "half";
  for (char& c : name) c = static_cast<char>(c >= 'a' && c <= 'z' ? c - 'a' + 'A' : c);
  return "DT_" + name + (type > 100 ? "_REF" : "");
}

int64_t TypeOfConstant(std::string_view name) {
  for (int64_t type = 1; type < 64; ++type) {
    if (TypeConstant(type) == name) return type;
    if (TypeConstant(type + 100) == name) return type + 100;
  }
  return 0;
}

std::string MessageText(const MessageSchema& schema, std::string_view message) {
  std::string out;
  Print(schema, message, "", 0, &out);
  return out;
}

}  // namespace tensh::shell::tf
