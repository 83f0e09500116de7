#include "shell/tensorflow/names/messages.h"

#include "shell/tensorflow/io/config_schema.h"
#include "shell/tensorflow/io/record_schema.h"
#include "shell/tensorflow/proto/message_class.h"

namespace tensh::shell::tf {
namespace {

template <const MessageSchema& (*Schema)()>
Value ClassOf() {
  return MessageClass(Schema());
}

template <int kNumber>
Value Number() {
  return Value::Int(kNumber);
}

constexpr ConstantRow kGraphMessages[] = {
    {"AttrValue", ClassOf<AttrValueSchema>, "The value of an attribute, as a message."},
    {"GraphDef", ClassOf<GraphDefSchema>, "A graph as a message."},
    {"MetaGraphDef", ClassOf<MetaGraphDefSchema>,
     "A graph with the information for its Saver, as a message."},
    {"NameAttrList", ClassOf<NameAttrListSchema>, "A function with attributes, as a message."},
    {"NodeDef", ClassOf<NodeDefSchema>, "A node as a message."},
};

constexpr ConstantRow kFunctionMessages[] = {
    {"FunctionDef", ClassOf<FunctionDefSchema>, "A function as a message."},
    {"FunctionDefLibrary", ClassOf<FunctionDefLibrarySchema>, "The functions of a graph."},
    {"GradientDef", ClassOf<GradientDefSchema>, "The gradient of a function."},
};
constexpr ConstantRow kOpMessages[] = {
    {"OpDef", ClassOf<OpDefSchema>, "The signature of an op or a function."},
    {"OpList", ClassOf<OpListSchema>, "Signatures of ops."},
};
constexpr ConstantRow kResourceMessages[] = {
    {"ResourceHandleProto", ClassOf<ResourceHandleSchema>, "A handle to a resource."},
};
constexpr ConstantRow kTensorMessages[] = {
    {"TensorProto", ClassOf<TensorProtoSchema>, "A tensor as a message."},
    {"VariantTensorDataProto", ClassOf<VariantTensorSchema>, "A variant as a message."},
};
constexpr ConstantRow kShapeMessages[] = {
    {"TensorShapeProto", ClassOf<TensorShapeSchema>, "A shape as a message."},
};
constexpr ConstantRow kVersionMessages[] = {
    {"VersionDef", ClassOf<VersionDefSchema>, "The versions that a graph needs."},
};

constexpr ConstantRow kMetaGraphMessages[] = {
    {"AssetFileDef", ClassOf<AssetFileDefSchema>, "A file that a SavedModel contains."},
    {"CollectionDef", ClassOf<CollectionDefSchema>, "A collection of a graph."},
    {"SignatureDef", ClassOf<SignatureDefSchema>, "The inputs and outputs of a model by name."},
    {"TensorInfo", ClassOf<TensorInfoSchema>, "The name, type and shape of a tensor."},
};
constexpr ConstantRow kSaverMessages[] = {
    {"SaverDef", ClassOf<SaverDefSchema>, "The names of a Saver's nodes and its settings."},
};
constexpr ConstantRow kSavedModelMessages[] = {
    {"SavedModel", ClassOf<SavedModelSchema>, "The graphs of a model."},
};

constexpr ConstantRow kConfigMessages[] = {
    {"SessionMetadata", ClassOf<SessionMetadataSchema>, "The name and version of a model."},
    {"ThreadPoolOptionProto", ClassOf<ThreadPoolOptionProtoSchema>, "A pool of threads."},
};
constexpr ConstantRow kRewriterMessages[] = {
    {"AutoParallelOptions", ClassOf<AutoParallelOptionsSchema>, "Options of replicas on GPUs."},
    {"RewriterConfig", ClassOf<RewriterConfigSchema>, "The optimizations of graphs."},
    {"ScopedAllocatorOptions", ClassOf<ScopedAllocatorOptionsSchema>,
     "The ops whose memory is joined."},
};
constexpr ConstantRow kClusterMessages[] = {
    {"ClusterDef", ClassOf<ClusterDefSchema>, "The jobs of a cluster, as a message."},
    {"JobDef", ClassOf<JobDefSchema>, "A job: the addresses of its tasks, as a message."},
};
constexpr ConstantRow kServerMessages[] = {
    {"ServerDef", ClassOf<ServerDefSchema>, "A task of a cluster, as a message."},
};
constexpr ConstantRow kDeviceMessages[] = {
    {"DeviceAttributes", ClassOf<DeviceAttributesSchema>, "A device, as a message."},
    {"DeviceLocality", ClassOf<DeviceLocalitySchema>, "The place of a device in its machine."},
};

constexpr ConstantRow kRecordMessages[] = {
    {"Event", ClassOf<EventSchema>, "One record of an event file."},
    {"HistogramProto", ClassOf<HistogramProtoSchema>,
     "The distribution of values: bucket[i] counts the values below bucket_limit[i]."},
    {"SessionLog", ClassOf<SessionLogSchema>, "An event in the life of a session."},
    {"Summary", ClassOf<SummarySchema>, "Values to be shown, each with a tag."},
    {"SummaryMetadata", ClassOf<SummaryMetadataSchema>,
     "The TensorBoard plug-in that shows a value, and the value's name in it."},
    {"TaggedRunMetadata", ClassOf<TaggedRunMetadataSchema>,
     "The measurements of a traced step, with a name."},
};
constexpr ConstantRow kExampleMessages[] = {
    {"BytesList", ClassOf<BytesListSchema>, "A message with a list of byte strings."},
    {"Example", ClassOf<ExampleSchema>, "A training example: a message with features by name."},
    {"Feature", ClassOf<FeatureSchema>,
     "A message with one list: of byte strings, floats or integers."},
    {"FeatureList", ClassOf<FeatureListSchema>, "The values of one feature, step by step."},
    {"FeatureLists", ClassOf<FeatureListsSchema>, "Lists of features by name."},
    {"Features", ClassOf<FeaturesSchema>, "A message with features by name."},
    {"FloatList", ClassOf<FloatListSchema>, "A message with a list of floats."},
    {"Int64List", ClassOf<Int64ListSchema>, "A message with a list of integers."},
    {"SequenceExample", ClassOf<SequenceExampleSchema>,
     "Features of the whole sequence, and lists of features of its steps."},
};
constexpr ConstantRow kVariableMessages[] = {
    {"VariableDef", ClassOf<VariableDefSchema>, "The names of a variable's nodes."},
};

constexpr ConstantRow kDataTypeNumbers[] = {
    {"DT_INVALID", Number<0>},       {"DT_FLOAT", Number<1>},
    {"DT_DOUBLE", Number<2>},        {"DT_INT32", Number<3>},
    {"DT_UINT8", Number<4>},         {"DT_INT16", Number<5>},
    {"DT_INT8", Number<6>},          {"DT_STRING", Number<7>},
    {"DT_COMPLEX64", Number<8>},     {"DT_INT64", Number<9>},
    {"DT_BOOL", Number<10>},         {"DT_QINT8", Number<11>},
    {"DT_QUINT8", Number<12>},       {"DT_QINT32", Number<13>},
    {"DT_BFLOAT16", Number<14>},     {"DT_QINT16", Number<15>},
    {"DT_QUINT16", Number<16>},      {"DT_UINT16", Number<17>},
    {"DT_COMPLEX128", Number<18>},   {"DT_HALF", Number<19>},
    {"DT_RESOURCE", Number<20>},     {"DT_VARIANT", Number<21>},
    {"DT_UINT32", Number<22>},       {"DT_UINT64", Number<23>},
    {"DT_FLOAT_REF", Number<101>},   {"DT_DOUBLE_REF", Number<102>},
    {"DT_INT32_REF", Number<103>},   {"DT_UINT8_REF", Number<104>},
    {"DT_INT16_REF", Number<105>},   {"DT_INT8_REF", Number<106>},
    {"DT_STRING_REF", Number<107>},  {"DT_COMPLEX64_REF", Number<108>},
    {"DT_INT64_REF", Number<109>},   {"DT_BOOL_REF", Number<110>},
    {"DT_QINT8_REF", Number<111>},   {"DT_QUINT8_REF", Number<112>},
    {"DT_QINT32_REF", Number<113>},  {"DT_BFLOAT16_REF", Number<114>},
    {"DT_QINT16_REF", Number<115>},  {"DT_QUINT16_REF", Number<116>},
    {"DT_UINT16_REF", Number<117>},  {"DT_COMPLEX128_REF", Number<118>},
    {"DT_HALF_REF", Number<119>},    {"DT_RESOURCE_REF", Number<120>},
    {"DT_VARIANT_REF", Number<121>}, {"DT_UINT32_REF", Number<122>},
    {"DT_UINT64_REF", Number<123>},
};

}  // namespace

std::span<const ConstantRow> GraphMessages() { return kGraphMessages; }
std::span<const ConstantRow> FunctionMessages() { return kFunctionMessages; }
std::span<const ConstantRow> OpMessages() { return kOpMessages; }
std::span<const ConstantRow> MetaGraphMessages() { return kMetaGraphMessages; }
std::span<const ConstantRow> SaverMessages() { return kSaverMessages; }
std::span<const ConstantRow> RecordMessages() { return kRecordMessages; }
std::span<const ConstantRow> ExampleMessages() { return kExampleMessages; }
std::span<const ConstantRow> VariableMessages() { return kVariableMessages; }
std::span<const ConstantRow> ConfigMessages() { return kConfigMessages; }
std::span<const ConstantRow> RewriterMessages() { return kRewriterMessages; }
std::span<const ConstantRow> ClusterMessages() { return kClusterMessages; }
std::span<const ConstantRow> ServerMessages() { return kServerMessages; }
std::span<const ConstantRow> DeviceMessages() { return kDeviceMessages; }
std::span<const ConstantRow> SavedModelMessages() { return kSavedModelMessages; }
std::span<const ConstantRow> ResourceMessages() { return kResourceMessages; }
std::span<const ConstantRow> TensorMessages() { return kTensorMessages; }
std::span<const ConstantRow> ShapeMessages() { return kShapeMessages; }
std::span<const ConstantRow> VersionMessages() { return kVersionMessages; }
std::span<const ConstantRow> DataTypeNumbers() { return kDataTypeNumbers; }

}  // namespace tensh::shell::tf
