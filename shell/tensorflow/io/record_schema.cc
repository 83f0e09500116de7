#include "shell/tensorflow/io/record_schema.h"

namespace tensh::shell::tf {
namespace {

using K = FieldKind;
using F = MessageField;
using enum FieldLabel;

constexpr const char *kFeatureModule = "tensorflow.core.example.feature_pb2",
                     *kExampleModule = "tensorflow.core.example.example_pb2",
                     *kSummaryModule = "tensorflow.core.framework.summary_pb2",
                     *kVariableModule = "tensorflow.core.framework.variable_pb2",
                     *kEventModule = "tensorflow.core.util.event_pb2";

// ---- examples ----

const F kBytesFields[] = {{1, "value", K::kBytes, kRepeated}};
const MessageSchema kBytesList{kBytesFields, "BytesList", kFeatureModule};
const F kFloatFields[] = {{1, "value", K::kFloat, kRepeated}};
const MessageSchema kFloatList{kFloatFields, "FloatList", kFeatureModule};
const F kInt64Fields[] = {{1, "value", K::kInt64, kRepeated}};
const MessageSchema kInt64List{kInt64Fields, "Int64List", kFeatureModule};
const F kFeatureFields[] = {{1, "bytes_list", K::kMessage, kOneof, &kBytesList},
                            {2, "float_list", K::kMessage, kOneof, &kFloatList},
                            {3, "int64_list", K::kMessage, kOneof, &kInt64List}};
const MessageSchema kFeature{kFeatureFields, "Feature", kFeatureModule, "kind"};
const F kFeatureEntryFields[] = {{1, "key", K::kString},
                                 {2, "value", K::kMessage, kSingular, &kFeature}};
const MessageSchema kFeatureEntry{kFeatureEntryFields};
const F kFeaturesFields[] = {{1, "feature", K::kMessage, kMap, &kFeatureEntry}};
const MessageSchema kFeatures{kFeaturesFields, "Features", kFeatureModule};
const F kFeatureListFields[] = {{1, "feature", K::kMessage, kRepeated, &kFeature}};
const MessageSchema kFeatureList{kFeatureListFields, "FeatureList", kFeatureModule};
const F kListEntryFields[] = {{1, "key", K::kString},
                              {2, "value", K::kMessage, kSingular, &kFeatureList}};
const MessageSchema kListEntry{kListEntryFields};
const F kFeatureListsFields[] = {{1, "feature_list", K::kMessage, kMap, &kListEntry}};
const MessageSchema kFeatureLists{kFeatureListsFields, "FeatureLists", kFeatureModule};
const F kExampleFields[] = {{1, "features", K::kMessage, kSingular, &kFeatures}};
const MessageSchema kExample{kExampleFields, "Example", kExampleModule};
const F kSequenceFields[] = {{1, "context", K::kMessage, kSingular, &kFeatures},
                             {2, "feature_lists", K::kMessage, kSingular, &kFeatureLists}};
const MessageSchema kSequence{kSequenceFields, "SequenceExample", kExampleModule};

// ---- summaries ----

const F kHistogramFields[] = {{1, "min", K::kDouble},
                              {2, "max", K::kDouble},
                              {3, "num", K::kDouble},
                              {4, "sum", K::kDouble},
                              {5, "sum_squares", K::kDouble},
                              {6, "bucket_limit", K::kDouble, kRepeated},
                              {7, "bucket", K::kDouble, kRepeated}};
const MessageSchema kHistogram{kHistogramFields, "HistogramProto", kSummaryModule};
const F kPluginFields[] = {{1, "plugin_name", K::kString}, {2, "content", K::kBytes}};
const MessageSchema kPlugin{kPluginFields, "SummaryMetadata.PluginData", kSummaryModule};
const F kMetadataFields[] = {{1, "plugin_data", K::kMessage, kSingular, &kPlugin},
                             {2, "display_name", K::kString},
                             {3, "summary_description", K::kString}};
const MessageSchema kMetadata{kMetadataFields, "SummaryMetadata", kSummaryModule};
const F kImageFields[] = {{1, "height", K::kInt32},
                          {2, "width", K::kInt32},
                          {3, "colorspace", K::kInt32},
                          {4, "encoded_image_string", K::kBytes}};
const MessageSchema kImage{kImageFields, "Summary.Image", kSummaryModule};
const F kAudioFields[] = {{1, "sample_rate", K::kFloat},
                          {2, "num_channels", K::kInt64},
                          {3, "length_frames", K::kInt64},
                          {4, "encoded_audio_string", K::kBytes},
                          {5, "content_type", K::kString}};
const MessageSchema kAudio{kAudioFields, "Summary.Audio", kSummaryModule};
const F kValueFields[] = {{1, "tag", K::kString},
                          {2, "simple_value", K::kFloat, kOneof},
                          {3, "obsolete_old_style_histogram", K::kBytes, kOneof},
                          {4, "image", K::kMessage, kOneof, &kImage},
                          {5, "histo", K::kMessage, kOneof, &kHistogram},
                          {6, "audio", K::kMessage, kOneof, &kAudio},
                          {7, "node_name", K::kString},
                          {8, "tensor", K::kMessage, kOneof, &TensorProtoSchema()},
                          {9, "metadata", K::kMessage, kSingular, &kMetadata}};
const MessageSchema kValue{kValueFields, "Summary.Value", kSummaryModule, "value"};
const F kSummaryFields[] = {{1, "value", K::kMessage, kRepeated, &kValue}};
const MessageSchema kSummary{kSummaryFields, "Summary", kSummaryModule};

// ---- events ----

const F kSessionLogFields[] = {
    {1, "status", K::kEnum, kSingular, nullptr, MessageEnum::kSessionStatus},
    {2, "checkpoint_path", K::kString},
    {3, "msg", K::kString}};
const MessageSchema kSessionLog{kSessionLogFields, "SessionLog", kEventModule};
const F kTaggedFields[] = {{1, "tag", K::kString}, {2, "run_metadata", K::kBytes}};
const MessageSchema kTagged{kTaggedFields, "TaggedRunMetadata", kEventModule};
const F kEventFields[] = {{1, "wall_time", K::kDouble},
                          {2, "step", K::kInt64},
                          {3, "file_version", K::kString, kOneof},
                          {4, "graph_def", K::kBytes, kOneof},
                          {5, "summary", K::kMessage, kOneof, &kSummary},
                          {7, "session_log", K::kMessage, kOneof, &kSessionLog},
                          {8, "tagged_run_metadata", K::kMessage, kOneof, &kTagged},
                          {9, "meta_graph_def", K::kBytes, kOneof}};
const MessageSchema kEvent{kEventFields, "Event", kEventModule, "what"};

const F kSliceFields[] = {{1, "full_name", K::kString},
                          {2, "full_shape", K::kInt64, kRepeated},
                          {3, "var_offset", K::kInt64, kRepeated},
                          {4, "var_shape", K::kInt64, kRepeated}};
const MessageSchema kSlice{kSliceFields, "SaveSliceInfoDef", kVariableModule};
const F kVariableFields[] = {
    {1, "variable_name", K::kString}, {2, "initializer_name", K::kString},
    {3, "snapshot_name", K::kString}, {4, "save_slice_info_def", K::kMessage, kSingular, &kSlice},
    {5, "is_resource", K::kBool},     {6, "initial_value_name", K::kString},
    {7, "trainable", K::kBool}};
const MessageSchema kVariable{kVariableFields, "VariableDef", kVariableModule};

}  // namespace

const MessageSchema& BytesListSchema() { return kBytesList; }
const MessageSchema& EventSchema() { return kEvent; }
const MessageSchema& ExampleSchema() { return kExample; }
const MessageSchema& FeatureListSchema() { return kFeatureList; }
const MessageSchema& FeatureListsSchema() { return kFeatureLists; }
const MessageSchema& FeatureSchema() { return kFeature; }
const MessageSchema& FeaturesSchema() { return kFeatures; }
const MessageSchema& FloatListSchema() { return kFloatList; }
const MessageSchema& HistogramProtoSchema() { return kHistogram; }
const MessageSchema& Int64ListSchema() { return kInt64List; }
const MessageSchema& SequenceExampleSchema() { return kSequence; }
const MessageSchema& SessionLogSchema() { return kSessionLog; }
const MessageSchema& SummaryMetadataSchema() { return kMetadata; }
const MessageSchema& SummarySchema() { return kSummary; }
const MessageSchema& TaggedRunMetadataSchema() { return kTagged; }
const MessageSchema& VariableDefSchema() { return kVariable; }

}  // namespace tensh::shell::tf
