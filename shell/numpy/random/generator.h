// np.random.Generator and its bit generator PCG64. The streams equal numpy's. Only the thread that
// holds the interpreter's lock may use them.
#pragma once

#include <array>
#include <string_view>

#include "shell/python/values/native.h"
#include "shell/python/values/type.h"

namespace tensh::shell::np {

extern const TypeInfo &kGeneratorType, &kPcg64Type;

Value DefaultRng(Args& a);
inline constexpr FunctionRow kGeneratorFunctions[] = {
    {"default_rng", "seed=None", DefaultRng, "Return a Generator that uses PCG64."}};

}  // namespace tensh::shell::np
