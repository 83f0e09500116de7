#include "shell/tf/submodules.h"

#include "shell/tf/library_module.h"
#include "shell/tf/names.h"
#include "shell/tf/rows.h"
#include "shell/values/containers.h"
#include "shell/values/error.h"

namespace tensh::shell::tf {

TENSH_LIBRARY_MODULE(RnnCellModule, "nn.rnn_cell", "rnn_cell")
TENSH_LIBRARY_MODULE(DataExperimentalModule, "data.experimental", "data_experimental")
TENSH_LIBRARY_MODULE(LookupModule, "lookup", "lookup")
TENSH_LIBRARY_MODULE(NestModule, "nest", "nest")
TENSH_LIBRARY_MODULE(LossesModule, "losses", "losses")
TENSH_LIBRARY_MODULE(ImageModule, "image", "image", "image_color", "image_more", "image_files",
                     "image_boxes", "image_patches")
TENSH_LIBRARY_MODULE(QuantizationModule, "quantization", "quantization")
TENSH_LIBRARY_MODULE(AudioModule, "audio", "audio")
TENSH_LIBRARY_MODULE(SignalModule, "signal", "signal", "signal_frames", "signal_cosines")
TENSH_LIBRARY_MODULE(SetsModule, "sets", "sets")
TENSH_LIBRARY_MODULE(SavedModelModule, "saved_model", "saved_model")
TENSH_LIBRARY_MODULE(GraphUtilModule, "graph_util", "graph_util")
TENSH_LIBRARY_MODULE(SpectralModule, "spectral", "signal", "signal_cosines")
TENSH_LIBRARY_MODULE(MetricsModule, "metrics", "metrics")
TENSH_LIBRARY_MODULE(FlagsModule, "flags", "flags")
TENSH_LIBRARY_MODULE(GfileModule, "gfile", "gfile")
TENSH_LIBRARY_MODULE(DebuggingModule, "debugging", "debugging")
TENSH_LIBRARY_MODULE(LayersModule, "layers", "layers", "layers_convolution", "layers_normalization")

const ModuleDef& DataModule() {
  static constexpr const char* files[] = {"data", "data_files", "data_more"};
  static const ConstantRow constants[] = {
      {"experimental", [] { return ModuleValue(DataExperimentalModule()); }}};
  static const ModuleDef module = {
      .name = "tensorflow.data",
      .constants = constants,
      .missing = [](StrObject* name) { return FromLibraries("tensorflow.data", files, name); },
      .short_name = "tf.data"};
  return module;
}

Value MissingFromNn(StrObject* name) {
  static constexpr const char* files[] = {"nn_rnn",     "nn_more", "nn_embedding", "nn_sampled",
                                          "nn_volumes", "nn_ctc",  "nn_pools",     "nn_candidates"};
  if (name->view() == kDirName) return LibraryDir(files);
  for (const char* file : files)
    if (Value found = FromLibrary(file, name); !found.is_null()) return found;
  return Value();
}

const ModuleDef& AppModule() {
  static const ConstantRow constants[] = {{"flags", [] { return ModuleValue(FlagsModule()); }}};
  static const ModuleDef module = {.name = "tensorflow.app",
                                   .functions = AppRows(),
                                   .constants = constants,
                                   .short_name = "tf.app"};
  return module;
}

// ---- tensorflow.examples: the data that tutorials begin with ----

TENSH_LIBRARY_MODULE(InputDataModule, "examples.tutorials.mnist.input_data", "input_data")
const ModuleDef& MnistModule() {
  static const ConstantRow constants[] = {
      {"input_data", [] { return ModuleValue(InputDataModule()); }}};
  static const ModuleDef module = {.name = "tensorflow.examples.tutorials.mnist",
                                   .constants = constants};
  return module;
}
const ModuleDef& TutorialsModule() {
  static const ConstantRow constants[] = {{"mnist", [] { return ModuleValue(MnistModule()); }}};
  static const ModuleDef module = {.name = "tensorflow.examples.tutorials", .constants = constants};
  return module;
}
const ModuleDef& ExamplesModule() {
  static const ConstantRow constants[] = {
      {"tutorials", [] { return ModuleValue(TutorialsModule()); }}};
  static const ModuleDef module = {.name = "tensorflow.examples", .constants = constants};
  return module;
}

namespace {

// tf.GraphKeys
template <const char* const& kKey>
Value Key() {
  return MakeStr(kKey);
}
const ConstantRow kGraphKeys[] = {{"GLOBAL_VARIABLES", Key<kGlobalVariables>},
                                  {"VARIABLES", Key<kGlobalVariables>},
                                  {"LOCAL_VARIABLES", Key<kLocalVariables>},
                                  {"MODEL_VARIABLES", Key<kModelVariables>},
                                  {"TRAINABLE_VARIABLES", Key<kTrainableVariables>},
                                  {"LOSSES", Key<kLosses>},
                                  {"REGULARIZATION_LOSSES", Key<kRegularizationLosses>},
                                  {"TRAIN_OP", Key<kTrainOp>},
                                  {"UPDATE_OPS", Key<kUpdateOps>},
                                  {"SUMMARIES", Key<kSummaries>},
                                  {"GLOBAL_STEP", Key<kGlobalStep>},
                                  {"METRIC_VARIABLES", Key<kMetricVariables>},
                                  {"MOVING_AVERAGE_VARIABLES", Key<kMovingAverageVariables>},
                                  {"WEIGHTS", Key<kWeights>},
                                  {"BIASES", Key<kBiases>},
                                  {"ACTIVATIONS", Key<kActivations>},
                                  {"TABLE_INITIALIZERS", Key<kTableInitializers>},
                                  {"QUEUE_RUNNERS", Key<kQueueRunners>},
                                  {"SAVERS", Key<kSavers>},
                                  {"ASSET_FILEPATHS", Key<kAssetFilepaths>},
                                  {"CONCATENATED_VARIABLES", Key<kConcatenatedVariables>},
                                  {"INIT_OP", Key<kInitOp>},
                                  {"LOCAL_INIT_OP", Key<kLocalInitOp>},
                                  {"READY_OP", Key<kReadyOp>},
                                  {"READY_FOR_LOCAL_INIT_OP", Key<kReadyForLocalInitOp>},
                                  {"SUMMARY_OP", Key<kSummaryOp>},
                                  {"EVAL_STEP", Key<kEvalStep>},
                                  {"COND_CONTEXT", Key<kCondContext>},
                                  {"WHILE_CONTEXT", Key<kWhileContext>}};
}  // namespace

const ModuleDef& GraphKeys() {
  static const ModuleDef module = {
      .name = "tensorflow.GraphKeys", .constants = kGraphKeys, .short_name = "tf.GraphKeys"};
  return module;
}

}  // namespace tensh::shell::tf
