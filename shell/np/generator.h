// np.random.Generator and its bit generator PCG64, stream for stream as numpy's. Interpreter's
// thread.
#pragma once

#include <array>
#include <string_view>

#include "shell/values/native.h"
#include "shell/values/type.h"

namespace tensh::shell::np {

extern const TypeInfo &kGeneratorType, &kPcg64Type;

// A function of a library file whose first parameter is the receiver, as its method; null when
// there is none of the name.
Value LibraryMethod(std::string_view file, const Value& self, StrObject* name);

Value DefaultRng(Args& a);
inline constexpr FunctionRow kGeneratorFunctions[] = {
    {"default_rng", "seed=None", DefaultRng, "A Generator over PCG64."}};

}  // namespace tensh::shell::np
