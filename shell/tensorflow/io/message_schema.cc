#include "shell/tensorflow/io/message_schema.h"

#include "shell/client/client.h"

namespace tensh::shell::tf {
namespace {

using K = FieldKind;
using F = MessageField;
using enum FieldLabel;

constexpr const char *kAttrModule = "tensorflow.core.framework.attr_value_pb2",
                     *kFunctionModule = "tensorflow.core.framework.function_pb2",
                     *kMetaModule = "tensorflow.core.protobuf.meta_graph_pb2",
                     *kNodeModule = "tensorflow.core.framework.node_def_pb2",
                     *kOpModule = "tensorflow.core.framework.op_def_pb2",
                     *kResourceModule = "tensorflow.core.framework.resource_handle_pb2",
                     *kShapeModule = "tensorflow.core.framework.tensor_shape_pb2",
                     *kTensorModule = "tensorflow.core.framework.tensor_pb2";

extern const MessageSchema kAttrEntry, kNode, kTensor;

// ---- tensors ----

const F kDimFields[] = {{1, "size", K::kInt64}, {2, "name", K::kString}};
const MessageSchema kDim{kDimFields, "TensorShapeProto.Dim", kShapeModule};
const F kShapeFields[] = {{2, "dim", K::kMessage, kRepeated, &kDim}, {3, "unknown_rank", K::kBool}};
const MessageSchema kShape{kShapeFields, "TensorShapeProto", kShapeModule};
const F kTypeAndShapeFields[] = {{1, "dtype", K::kEnum},
                                 {2, "shape", K::kMessage, kSingular, &kShape}};
const MessageSchema kTypeAndShape{kTypeAndShapeFields, "ResourceHandleProto.DtypeAndShape",
                                  kResourceModule};
const F kResourceFields[] = {{1, "device", K::kString},
                             {2, "container", K::kString},
                             {3, "name", K::kString},
                             {4, "hash_code", K::kUint64},
                             {5, "maybe_type_name", K::kString},
                             {6, "dtypes_and_shapes", K::kMessage, kRepeated, &kTypeAndShape}};
const MessageSchema kResource{kResourceFields, "ResourceHandleProto", kResourceModule};
const F kVariantFields[] = {{1, "type_name", K::kString},
                            {2, "metadata", K::kBytes},
                            {3, "tensors", K::kMessage, kRepeated, &kTensor}};
const MessageSchema kVariant{kVariantFields, "VariantTensorDataProto", kTensorModule};
const F kTensorFields[] = {{1, "dtype", K::kEnum},
                           {2, "tensor_shape", K::kMessage, kSingular, &kShape},
                           {3, "version_number", K::kInt32},
                           {4, "tensor_content", K::kBytes},
                           {5, "float_val", K::kFloat, kRepeated},
                           {6, "double_val", K::kDouble, kRepeated},
                           {7, "int_val", K::kInt32, kRepeated},
                           {8, "string_val", K::kBytes, kRepeated},
                           {9, "scomplex_val", K::kFloat, kRepeated},
                           {10, "int64_val", K::kInt64, kRepeated},
                           {11, "bool_val", K::kBool, kRepeated},
                           {12, "dcomplex_val", K::kDouble, kRepeated},
                           {13, "half_val", K::kInt32, kRepeated},
                           {14, "resource_handle_val", K::kMessage, kRepeated, &kResource},
                           {15, "variant_val", K::kMessage, kRepeated, &kVariant},
                           {16, "uint32_val", K::kUint32, kRepeated},
                           {17, "uint64_val", K::kUint64, kRepeated},
                           {18, "float8_val", K::kBytes}};
const MessageSchema kTensor{kTensorFields, "TensorProto", kTensorModule};

// ---- attributes and nodes ----

const F kFuncFields[] = {{1, "name", K::kString}, {2, "attr", K::kMessage, kMap, &kAttrEntry}};
const MessageSchema kFunc{kFuncFields, "NameAttrList", kAttrModule};
const F kListFields[] = {{2, "s", K::kBytes, kRepeated},
                         {3, "i", K::kInt64, kRepeated},
                         {4, "f", K::kFloat, kRepeated},
                         {5, "b", K::kBool, kRepeated},
                         {6, "type", K::kEnum, kRepeated},
                         {7, "shape", K::kMessage, kRepeated, &kShape},
                         {8, "tensor", K::kMessage, kRepeated, &kTensor},
                         {9, "func", K::kMessage, kRepeated, &kFunc}};
const MessageSchema kList{kListFields, "AttrValue.ListValue", kAttrModule};
const F kAttrFields[] = {{1, "list", K::kMessage, kOneof, &kList},
                         {2, "s", K::kBytes, kOneof},
                         {3, "i", K::kInt64, kOneof},
                         {4, "f", K::kFloat, kOneof},
                         {5, "b", K::kBool, kOneof},
                         {6, "type", K::kEnum, kOneof},
                         {7, "shape", K::kMessage, kOneof, &kShape},
                         {8, "tensor", K::kMessage, kOneof, &kTensor},
                         {9, "placeholder", K::kString, kOneof},
                         {10, "func", K::kMessage, kOneof, &kFunc}};
const MessageSchema kAttrValue{kAttrFields, "AttrValue", kAttrModule, "value"};
const F kAttrEntryFields[] = {{1, "key", K::kString},
                              {2, "value", K::kMessage, kSingular, &kAttrValue}};
const MessageSchema kAttrEntry{kAttrEntryFields};
const F kDebugInfoFields[] = {{1, "original_node_names", K::kString, kRepeated},
                              {2, "original_func_names", K::kString, kRepeated}};
const MessageSchema kDebugInfo{kDebugInfoFields, "NodeDef.ExperimentalDebugInfo", kNodeModule};
const F kNodeFields[] = {{1, "name", K::kString},
                         {2, "op", K::kString},
                         {3, "input", K::kString, kRepeated},
                         {4, "device", K::kString},
                         {5, "attr", K::kMessage, kMap, &kAttrEntry},
                         {6, "experimental_debug_info", K::kMessage, kSingular, &kDebugInfo}};
const MessageSchema kNode{kNodeFields, "NodeDef", kNodeModule};
const F kVersionFields[] = {{1, "producer", K::kInt32},
                            {2, "min_consumer", K::kInt32},
                            {3, "bad_consumers", K::kInt32, kRepeated}};
const MessageSchema kVersions{kVersionFields, "VersionDef",
                              "tensorflow.core.framework.versions_pb2"};

// ---- functions ----

const F kArgFields[] = {{1, "name", K::kString},
                        {2, "description", K::kString},
                        {3, "type", K::kEnum},
                        {4, "type_attr", K::kString},
                        {5, "number_attr", K::kString},
                        {6, "type_list_attr", K::kString},
                        {7, "handle_data", K::kMessage, kRepeated, &kTypeAndShape},
                        {16, "is_ref", K::kBool}};
const MessageSchema kArg{kArgFields, "OpDef.ArgDef", kOpModule};
const F kAttrDefFields[] = {{1, "name", K::kString},
                            {2, "type", K::kString},
                            {3, "default_value", K::kMessage, kSingular, &kAttrValue},
                            {4, "description", K::kString},
                            {5, "has_minimum", K::kBool},
                            {6, "minimum", K::kInt64},
                            {7, "allowed_values", K::kMessage, kSingular, &kAttrValue}};
const MessageSchema kAttrDef{kAttrDefFields, "OpDef.AttrDef", kOpModule};
const F kDeprecationFields[] = {{1, "version", K::kInt32}, {2, "explanation", K::kString}};
const MessageSchema kDeprecation{kDeprecationFields, "OpDeprecation", kOpModule};
const F kOpDefFields[] = {{1, "name", K::kString},
                          {2, "input_arg", K::kMessage, kRepeated, &kArg},
                          {3, "output_arg", K::kMessage, kRepeated, &kArg},
                          {4, "attr", K::kMessage, kRepeated, &kAttrDef},
                          {5, "summary", K::kString},
                          {6, "description", K::kString},
                          {8, "deprecation", K::kMessage, kSingular, &kDeprecation},
                          {16, "is_aggregate", K::kBool},
                          {17, "is_stateful", K::kBool},
                          {18, "is_commutative", K::kBool},
                          {19, "allows_uninitialized_input", K::kBool},
                          {20, "control_output", K::kString, kRepeated},
                          {21, "is_distributed_communication", K::kBool}};
const MessageSchema kOpDef{kOpDefFields, "OpDef", kOpModule};
const F kOpListFields[] = {{1, "op", K::kMessage, kRepeated, &kOpDef}};
const MessageSchema kOpList{kOpListFields, "OpList", kOpModule};
const F kNamePairFields[] = {{1, "key", K::kString}, {2, "value", K::kString}};
const MessageSchema kNamePair{kNamePairFields};
const F kArgAttrsFields[] = {{1, "attr", K::kMessage, kMap, &kAttrEntry}};
const MessageSchema kArgAttrs{kArgAttrsFields, "FunctionDef.ArgAttrs", kFunctionModule};
const F kArgAttrEntryFields[] = {{1, "key", K::kUint32},
                                 {2, "value", K::kMessage, kSingular, &kArgAttrs}};
const MessageSchema kArgAttrEntry{kArgAttrEntryFields};
const F kArgIdEntryFields[] = {{1, "key", K::kUint32}, {2, "value", K::kUint32}};
const MessageSchema kArgIdEntry{kArgIdEntryFields};
const F kFunctionFields[] = {{1, "signature", K::kMessage, kSingular, &kOpDef},
                             {3, "node_def", K::kMessage, kRepeated, &kNode},
                             {4, "ret", K::kMessage, kMap, &kNamePair},
                             {5, "attr", K::kMessage, kMap, &kAttrEntry},
                             {6, "control_ret", K::kMessage, kMap, &kNamePair},
                             {7, "arg_attr", K::kMessage, kMap, &kArgAttrEntry},
                             {8, "resource_arg_unique_id", K::kMessage, kMap, &kArgIdEntry}};
const MessageSchema kFunction{kFunctionFields, "FunctionDef", kFunctionModule};
const F kGradientFields[] = {{1, "function_name", K::kString}, {2, "gradient_func", K::kString}};
const MessageSchema kGradient{kGradientFields, "GradientDef", kFunctionModule};
const F kRegisteredFields[] = {{1, "gradient_func", K::kString},
                               {2, "registered_op_type", K::kString}};
const MessageSchema kRegistered{kRegisteredFields, "RegisteredGradient", kFunctionModule};
const F kLibraryFields[] = {{1, "function", K::kMessage, kRepeated, &kFunction},
                            {2, "gradient", K::kMessage, kRepeated, &kGradient},
                            {3, "registered_gradients", K::kMessage, kRepeated, &kRegistered}};
const MessageSchema kLibrary{kLibraryFields, "FunctionDefLibrary", kFunctionModule};
const F kGraphFields[] = {{1, "node", K::kMessage, kRepeated, &kNode},
                          {2, "library", K::kMessage, kSingular, &kLibrary},
                          {3, "version", K::kInt32},
                          {4, "versions", K::kMessage, kSingular, &kVersions}};
const MessageSchema kGraph{kGraphFields, "GraphDef", "tensorflow.core.framework.graph_pb2"};

// ---- meta graphs and SavedModels ----

const F kAnyFields[] = {{1, "type_url", K::kString}, {2, "value", K::kBytes}};
const MessageSchema kAny{kAnyFields, "Any", "google.protobuf.any_pb2"};
const F kMetaInfoFields[] = {{1, "meta_graph_version", K::kString},
                             {2, "stripped_op_list", K::kMessage, kSingular, &kOpList},
                             {3, "any_info", K::kMessage, kSingular, &kAny},
                             {4, "tags", K::kString, kRepeated},
                             {5, "tensorflow_version", K::kString},
                             {6, "tensorflow_git_version", K::kString},
                             {7, "stripped_default_attrs", K::kBool},
                             {8, "function_aliases", K::kMessage, kMap, &kNamePair}};
const MessageSchema kMetaInfo{kMetaInfoFields, "MetaGraphDef.MetaInfoDef", kMetaModule};
const F kSaverFields[] = {
    {1, "filename_tensor_name", K::kString},
    {2, "save_tensor_name", K::kString},
    {3, "restore_op_name", K::kString},
    {4, "max_to_keep", K::kInt32},
    {5, "sharded", K::kBool},
    {6, "keep_checkpoint_every_n_hours", K::kFloat},
    {7, "version", K::kEnum, kSingular, nullptr, MessageEnum::kCheckpointVersion}};
const MessageSchema kSaver{kSaverFields, "SaverDef", "tensorflow.core.protobuf.saver_pb2"};
const F kNodeListFields[] = {{1, "value", K::kString, kRepeated}};
const MessageSchema kNodeList{kNodeListFields, "CollectionDef.NodeList", kMetaModule};
const F kBytesListFields[] = {{1, "value", K::kBytes, kRepeated}};
const MessageSchema kBytesList{kBytesListFields, "CollectionDef.BytesList", kMetaModule};
const F kIntsFields[] = {{1, "value", K::kInt64, kRepeated}};
const MessageSchema kInts{kIntsFields, "CollectionDef.Int64List", kMetaModule};
const F kFloatsFields[] = {{1, "value", K::kFloat, kRepeated}};
const MessageSchema kFloats{kFloatsFields, "CollectionDef.FloatList", kMetaModule};
const F kAnysFields[] = {{1, "value", K::kMessage, kRepeated, &kAny}};
const MessageSchema kAnys{kAnysFields, "CollectionDef.AnyList", kMetaModule};
const F kCollectionFields[] = {{1, "node_list", K::kMessage, kOneof, &kNodeList},
                               {2, "bytes_list", K::kMessage, kOneof, &kBytesList},
                               {3, "int64_list", K::kMessage, kOneof, &kInts},
                               {4, "float_list", K::kMessage, kOneof, &kFloats},
                               {5, "any_list", K::kMessage, kOneof, &kAnys}};
const MessageSchema kCollection{kCollectionFields, "CollectionDef", kMetaModule, "kind"};
const F kCollectionEntryFields[] = {{1, "key", K::kString},
                                    {2, "value", K::kMessage, kSingular, &kCollection}};
const MessageSchema kCollectionEntry{kCollectionEntryFields};
const F kSparseFields[] = {{1, "values_tensor_name", K::kString},
                           {2, "indices_tensor_name", K::kString},
                           {3, "dense_shape_tensor_name", K::kString}};
const MessageSchema kSparse{kSparseFields, "TensorInfo.CooSparse", kMetaModule};
const F kTensorInfoFields[] = {{1, "name", K::kString, kOneof},
                               {2, "dtype", K::kEnum},
                               {3, "tensor_shape", K::kMessage, kSingular, &kShape},
                               {4, "coo_sparse", K::kMessage, kOneof, &kSparse}};
const MessageSchema kTensorInfo{kTensorInfoFields, "TensorInfo", kMetaModule, "encoding"};
const F kTensorInfoEntryFields[] = {{1, "key", K::kString},
                                    {2, "value", K::kMessage, kSingular, &kTensorInfo}};
const MessageSchema kTensorInfoEntry{kTensorInfoEntryFields};
const F kTensorEntryFields[] = {{1, "key", K::kString},
                                {2, "value", K::kMessage, kSingular, &kTensor}};
const MessageSchema kTensorEntry{kTensorEntryFields};
const F kSignatureFields[] = {{1, "inputs", K::kMessage, kMap, &kTensorInfoEntry},
                              {2, "outputs", K::kMessage, kMap, &kTensorInfoEntry},
                              {3, "method_name", K::kString},
                              {4, "defaults", K::kMessage, kMap, &kTensorEntry}};
const MessageSchema kSignature{kSignatureFields, "SignatureDef", kMetaModule};
const F kSignatureEntryFields[] = {{1, "key", K::kString},
                                   {2, "value", K::kMessage, kSingular, &kSignature}};
const MessageSchema kSignatureEntry{kSignatureEntryFields};
const F kAssetFields[] = {{1, "tensor_info", K::kMessage, kSingular, &kTensorInfo},
                          {2, "filename", K::kString}};
const MessageSchema kAsset{kAssetFields, "AssetFileDef", kMetaModule};
const F kMetaGraphFields[] = {{1, "meta_info_def", K::kMessage, kSingular, &kMetaInfo},
                              {2, "graph_def", K::kMessage, kSingular, &kGraph},
                              {3, "saver_def", K::kMessage, kSingular, &kSaver},
                              {4, "collection_def", K::kMessage, kMap, &kCollectionEntry},
                              {5, "signature_def", K::kMessage, kMap, &kSignatureEntry},
                              {6, "asset_file_def", K::kMessage, kRepeated, &kAsset}};
const MessageSchema kMetaGraph{kMetaGraphFields, "MetaGraphDef", kMetaModule};
const F kSavedModelFields[] = {{1, "saved_model_schema_version", K::kInt64},
                               {2, "meta_graphs", K::kMessage, kRepeated, &kMetaGraph}};
const MessageSchema kSavedModel{kSavedModelFields, "SavedModel",
                                "tensorflow.core.protobuf.saved_model_pb2"};

constexpr EnumConstant kCheckpointVersions[] = {{"LEGACY", 0}, {"V1", 1}, {"V2", 2}};
constexpr EnumConstant kToggles[] = {
    {"DEFAULT", 0},          {"ON", 1}, {"OFF", 2}, {"AGGRESSIVE", 3}, {"EXPERIMENTAL_MLIR", 4},
    {"EXPERIMENTAL_BOTH", 5}};
constexpr EnumConstant kMemoryTypes[] = {{"DEFAULT_MEM_OPT", 0},
                                         {"NO_MEM_OPT", 1},
                                         {"MANUAL", 2},
                                         {"SWAPPING_HEURISTICS", 4},
                                         {"RECOMPUTATION_HEURISTICS", 5},
                                         {"SCHEDULING_HEURISTICS", 6},
                                         {"HEURISTICS", 3}};
constexpr EnumConstant kIterationCounts[] = {{"DEFAULT_NUM_ITERS", 0}, {"ONE", 1}, {"TWO", 2}};
constexpr EnumConstant kOptimizerLevels[] = {{"L1", 0}, {"L0", -1}};
constexpr EnumConstant kJitLevels[] = {{"DEFAULT", 0}, {"OFF", -1}, {"ON_1", 1}, {"ON_2", 2}};
constexpr EnumConstant kTraceLevels[] = {
    {"NO_TRACE", 0}, {"SOFTWARE_TRACE", 1}, {"HARDWARE_TRACE", 2}, {"FULL_TRACE", 3}};

constexpr EnumConstant kSessionStatuses[] = {
    {"STATUS_UNSPECIFIED", 0}, {"START", 1}, {"STOP", 2}, {"CHECKPOINT", 3}};

// In the order of MessageEnum.
struct EnumTable {
  const char* name;
  std::span<const EnumConstant> constants;
};
constexpr EnumTable kEnums[] = {{"DataType", {}},
                                {"CheckpointFormatVersion", kCheckpointVersions},
                                {"Toggle", kToggles},
                                {"MemOptType", kMemoryTypes},
                                {"NumIterationsType", kIterationCounts},
                                {"Level", kOptimizerLevels},
                                {"GlobalJitLevel", kJitLevels},
                                {"TraceLevel", kTraceLevels},
                                {"SessionStatus", kSessionStatuses}};

constexpr int64_t kFirstReference = 100, kMostTypes = 64;

// Returns "" for a number that is no type.
std::string TypeConstant(int64_t type) {
  if (type == 0) return "DT_INVALID";
  const bool is_reference = type > kFirstReference;
  const int64_t base = is_reference ? type - kFirstReference : type;
  if (base <= 0 || base >= kMostTypes) return "";
  std::string name = tsh_dtype_name(static_cast<int>(base));
  if (name == tsh_dtype_name(0)) return "";
  if (base == TSH_FLOAT) name = "float";
  if (base == TSH_DOUBLE) name = "double";
  if (base == TSH_HALF) name = "half";
  for (char& c : name) c = static_cast<char>(c >= 'a' && c <= 'z' ? c - 'a' + 'A' : c);
  return "DT_" + name + (is_reference ? "_REF" : "");
}

}  // namespace

const MessageField& MessageField::key() const { return message->fields[0]; }
const MessageField& MessageField::value() const { return message->fields[1]; }

size_t MessageSchema::Find(std::string_view wanted) const {
  size_t i = 0;
  while (i < fields.size() && wanted != fields[i].name) ++i;
  return i;
}

size_t MessageSchema::Find(int number) const {
  size_t i = 0;
  while (i < fields.size() && number != fields[i].number) ++i;
  return i;
}

const MessageSchema& AssetFileDefSchema() { return kAsset; }
const MessageSchema& AttrValueSchema() { return kAttrValue; }
const MessageSchema& CollectionDefSchema() { return kCollection; }
const MessageSchema& FunctionDefLibrarySchema() { return kLibrary; }
const MessageSchema& FunctionDefSchema() { return kFunction; }
const MessageSchema& GradientDefSchema() { return kGradient; }
const MessageSchema& GraphDefSchema() { return kGraph; }
const MessageSchema& MetaGraphDefSchema() { return kMetaGraph; }
const MessageSchema& NameAttrListSchema() { return kFunc; }
const MessageSchema& NodeDefSchema() { return kNode; }
const MessageSchema& OpDefSchema() { return kOpDef; }
const MessageSchema& OpListSchema() { return kOpList; }
const MessageSchema& ResourceHandleSchema() { return kResource; }
const MessageSchema& SavedModelSchema() { return kSavedModel; }
const MessageSchema& SaverDefSchema() { return kSaver; }
const MessageSchema& SignatureDefSchema() { return kSignature; }
const MessageSchema& TensorInfoSchema() { return kTensorInfo; }
const MessageSchema& TensorProtoSchema() { return kTensor; }
const MessageSchema& TensorShapeSchema() { return kShape; }
const MessageSchema& VariantTensorSchema() { return kVariant; }
const MessageSchema& VersionDefSchema() { return kVersions; }

std::span<const EnumConstant> EnumConstants(MessageEnum values) {
  return kEnums[static_cast<size_t>(values)].constants;
}

const char* EnumTypeName(MessageEnum values) { return kEnums[static_cast<size_t>(values)].name; }

std::string EnumName(MessageEnum values, int64_t number) {
  if (values == MessageEnum::kDataType) return TypeConstant(number);
  for (const EnumConstant& constant : EnumConstants(values))
    if (constant.number == number) return constant.name;
  return "";
}

std::optional<int64_t> EnumNumber(MessageEnum values, std::string_view name) {
  if (values == MessageEnum::kDataType) {
    for (int64_t type = 0; type < kFirstReference + kMostTypes; ++type)
      if (TypeConstant(type) == name) return type;
    return std::nullopt;
  }
  for (const EnumConstant& constant : EnumConstants(values))
    if (name == constant.name) return constant.number;
  return std::nullopt;
}

}  // namespace tensh::shell::tf
