// Additional bases of a class for isinstance and issubclass. For example, numpy's float64 has the
// C++ layout of a Python float, but is also a numpy.floating.
#pragma once

#include "shell/python/values/type.h"

namespace tensh::shell {

void AddVirtualBase(const TypeInfo& type, const TypeInfo& base);

}  // namespace tensh::shell
