// np.matrix: an array that always has two dimensions and whose * is the matrix product.
#pragma once

#include "shell/python/values/type.h"

namespace tensh::shell::np {

extern const TypeInfo& kMatrixType;

}  // namespace tensh::shell::np
