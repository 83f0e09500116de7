// The tables of initializers, and the default initializer.
#pragma once

#include <span>

#include "shell/python/values/native.h"
#include "shell/tensorflow/train/variable_scope.h"

namespace tensh::shell::tf {

Ref<InitializerObject> DefaultInitializer(int dtype);

}  // namespace tensh::shell::tf
