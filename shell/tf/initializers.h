// The tables of initializers and the one used when none is given.
#pragma once

#include <span>

#include "shell/tf/variable_scope.h"
#include "shell/values/native.h"

namespace tensh::shell::tf {

std::span<const FunctionRow> InitializerRows();  // tf.zeros_initializer …
const ModuleDef& InitializersModule();           // tf.initializers
Ref<InitializerObject> DefaultInitializer(int dtype);

}  // namespace tensh::shell::tf
