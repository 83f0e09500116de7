// Names that tf's modules share with tf itself: tf.dtypes.cast is tf.cast.
#pragma once

#include <string_view>

#include "shell/values/native.h"

namespace tensh::shell::tf {

// What tf has under the name that `name` of this module stands for; null: the module has no such
// name.
Value FromHome(std::string_view module, StrObject* name);
// Whatever file of TensorFlow's it is imported from, a name is looked for where tf has it.
Value FromAnywhere(StrObject* name);
// The modules that have such names alone, by their name in tf; null: there is none.
Value HomeModule(std::string_view name);
// tensorflow.python.ops and its like, with what old scripts import from them.
const ModuleDef& PythonLayersModule();
const ModuleDef& PythonOpsModule();
const ModuleDef& PythonPlatformModule();
const ModuleDef& PythonTrainingModule();

}  // namespace tensh::shell::tf
