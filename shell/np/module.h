// The module numpy: tables of functions and constants by area. Interpreter's thread.
#pragma once

#include "shell/print/tensor_printer.h"
#include "shell/values/native.h"

namespace tensh::shell {

extern const ModuleDef kNumpyModule;  // interp.AddModule("numpy", kNumpyModule)

namespace np {

// np.set_printoptions.
PrintOptions& Options();

// The areas' tables.
std::span<const FunctionRow> CreateFunctions();
std::span<const FunctionRow> MathFunctions();
std::span<const FunctionRow> ShapeFunctions();
std::span<const FunctionRow> SetFunctions();
std::span<const FunctionRow> StatsFunctions();
std::span<const FunctionRow> PrintFunctions();
std::span<const FunctionRow> FileFunctions();
extern const ModuleDef kRandomModule;
extern const ModuleDef kLinalgModule;
extern const ModuleDef kTestingModule, kFftModule;
extern const ModuleDef kLapackModule;  // for numpy_linalg.py
extern const TypeInfo kLinAlgError;

}  // namespace np
}  // namespace tensh::shell
