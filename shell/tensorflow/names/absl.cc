// The package absl, from which scripts take the flags, messages and start of TensorFlow 1.x.
#include "shell/tensorflow/names/absl.h"

#include "shell/python/vm/catalogue.h"
#include "shell/python/vm/interp.h"
#include "shell/python/vm/library.h"
#include "shell/tensorflow/names/tf.h"

namespace tensh::shell::tf {
namespace {

Value FindApp(StrObject* name) {
  static constexpr const char* kFiles[] = {"absl_app"};
  return FromLibraries("absl.app", kFiles, name);
}
Value FindLogging(StrObject* name) {
  static constexpr const char* kFiles[] = {"absl_logging"};
  return FromLibraries("absl.logging", kFiles, name);
}
const ModuleDef kApp = {.name = "absl.app", .missing = FindApp};
const ModuleDef kLogging = {.name = "absl.logging", .missing = FindLogging};

Value Flags() { return TensorFlowCatalogue().At("flags"); }
const ConstantRow kRows[] = {{"app", [] { return ModuleValue(kApp); }},
                             {"flags", Flags},
                             {"logging", [] { return ModuleValue(kLogging); }}};
const ModuleDef kAbsl = {.name = "absl", .constants = kRows};

}  // namespace

void AddAbsl(Interp& interp) {
  for (const ModuleDef* module : {&kAbsl, &kApp, &kLogging})
    interp.AddModule(module->name, *module);
  interp.AddModule("absl.flags", Flags);
}

}  // namespace tensh::shell::tf
