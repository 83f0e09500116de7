// tf.contrib: what stands for core names, and slim. Most of the rest is not here.
#include "shell/tf/library_module.h"
#include "shell/tf/submodules.h"
#include "shell/values/containers.h"
#include "shell/values/error.h"

namespace tensh::shell::tf {
namespace {

TENSH_LIBRARY_MODULE(RegularizersModule, "contrib.layers.regularizers", "regularizers")
TENSH_LIBRARY_MODULE(InitializersModule, "contrib.layers.initializers", "contrib_initializers")
TENSH_LIBRARY_MODULE(UtilsModule, "contrib.layers.utils", "contrib_utils")
TENSH_LIBRARY_MODULE(ContribRnnModule, "contrib.rnn", "rnn_cell", "nn_rnn", "contrib_rnn")
TENSH_LIBRARY_MODULE(ContribMetricsModule, "contrib.metrics", "contrib_metrics")
TENSH_LIBRARY_MODULE(SlimLearningModule, "contrib.slim.learning", "slim_learning")
TENSH_LIBRARY_MODULE(SlimLossesModule, "contrib.slim.losses", "slim_losses")

TENSH_LIBRARY_MODULE(AudioOpsModule, "contrib.framework.python.ops.audio_ops", "audio", "audio_ops")

constexpr const char* kLayerFiles[] = {"contrib_layers",     "contrib_layers_more",
                                       "contrib_norms",      "contrib_initializers",
                                       "contrib_optimizers", "regularizers"};
constexpr const char* kFrameworkFiles[] = {"arg_scope", "contrib_variables"};

const ModuleDef& ContribLayersModule() {
  static const ConstantRow constants[] = {
      {"initializers", [] { return ModuleValue(InitializersModule()); }},
      {"regularizers", [] { return ModuleValue(RegularizersModule()); }},
      {"utils", [] { return ModuleValue(UtilsModule()); }},
      {"python",
       [] { return ModuleValue(ContribLayersModule()); }},  // contrib.layers.python.layers
      {"layers", [] { return ModuleValue(ContribLayersModule()); }}};
  static const ModuleDef module = {.name = "tensorflow.contrib.layers",
                                   .constants = constants,
                                   .missing =
                                       [](StrObject* name) {
                                         return FromLibraries("tensorflow.contrib.layers",
                                                              kLayerFiles, name);
                                       },
                                   .short_name = "tf.contrib.layers"};
  return module;
}

const ModuleDef& ContribFrameworkModule() {
  static const ConstantRow constants[] = {
      {"nest", [] { return ModuleValue(NestModule()); }},
      {"audio_ops", [] { return ModuleValue(AudioOpsModule()); }},
      {"python",
       [] { return ModuleValue(ContribFrameworkModule()); }},  // contrib.framework.python.ops
      {"ops", [] { return ModuleValue(ContribFrameworkModule()); }},
      {"variables", [] { return ModuleValue(ContribFrameworkModule()); }}};
  static const ModuleDef module = {.name = "tensorflow.contrib.framework",
                                   .constants = constants,
                                   .missing =
                                       [](StrObject* name) {
                                         return FromLibraries("tensorflow.contrib.framework",
                                                              kFrameworkFiles, name);
                                       },
                                   .short_name = "tf.contrib.framework"};
  return module;
}

Value RefuseContrib(StrObject* name) {
  if (name->view().substr(0, 2) == "__") return Value();
  throw AttributeError("tf.contrib." + name->text() +
                       " is not part of tensh: of tf.contrib there is slim, and what " +
                       "stands for core names (layers, framework, metrics, rnn, lookup).");
}

}  // namespace

const ModuleDef& SlimModule() {
  static constexpr const char* files[] = {
      "contrib_layers", "contrib_layers_more", "contrib_norms",     "contrib_initializers",
      "regularizers",   "arg_scope",           "contrib_variables", "contrib_optimizers"};
  static const ConstantRow constants[] = {
      {"initializers", [] { return ModuleValue(InitializersModule()); }},
      {"learning", [] { return ModuleValue(SlimLearningModule()); }},
      {"losses", [] { return ModuleValue(SlimLossesModule()); }},
      {"metrics", [] { return ModuleValue(ContribMetricsModule()); }},
      {"regularizers", [] { return ModuleValue(RegularizersModule()); }},
      {"utils", [] { return ModuleValue(UtilsModule()); }}};
  static const ModuleDef module = {
      .name = "tensorflow.contrib.slim",
      .constants = constants,
      .missing =
          [](StrObject* name) { return FromLibraries("tensorflow.contrib.slim", files, name); },
      .short_name = "tf.contrib.slim"};
  return module;
}

const ModuleDef& ContribModule() {
  static const ConstantRow constants[] = {
      {"framework", [] { return ModuleValue(ContribFrameworkModule()); }},
      {"layers", [] { return ModuleValue(ContribLayersModule()); }},
      {"lookup", [] { return ModuleValue(LookupModule()); }},
      {"metrics", [] { return ModuleValue(ContribMetricsModule()); }},
      {"rnn", [] { return ModuleValue(ContribRnnModule()); }},
      {"slim", [] { return ModuleValue(SlimModule()); }}};
  static const ModuleDef module = {.name = "tensorflow.contrib",
                                   .constants = constants,
                                   .missing = RefuseContrib,
                                   .short_name = "tf.contrib"};
  return module;
}

}  // namespace tensh::shell::tf
