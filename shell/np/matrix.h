// np.matrix: an array that always has two dimensions, whose * is the product of matrices.
#pragma once

#include "shell/values/type.h"

namespace tensh::shell::np {

extern const TypeInfo& kMatrixType;

}  // namespace tensh::shell::np
