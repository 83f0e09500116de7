// The module numpy: tables of functions and constants, one for each area.
#pragma once

#include "shell/print/tensor_printer.h"
#include "shell/python/values/native.h"
#include "shell/python/vm/catalogue.h"
#include "shell/python/vm/interp.h"

namespace tensh::shell {

// Adds the module numpy and the name np to an interpreter. Nothing is made until it is used.
void AddNumpy(Interp& interp);
// Returns the names of numpy and of its modules.
const Catalogue& NumpyCatalogue();

namespace np {

// The current options of np.set_printoptions.
PrintOptions& Options();

// The tables of the areas.
std::span<const FunctionRow> CreateFunctions();
std::span<const FunctionRow> MathFunctions();
std::span<const FunctionRow> ShapeFunctions();
std::span<const FunctionRow> SetFunctions();
std::span<const FunctionRow> EditFunctions();
std::span<const FunctionRow> StatsFunctions();
std::span<const FunctionRow> PrintFunctions();
std::span<const FunctionRow> FileFunctions();
std::span<const FunctionRow> LinalgFunctions();
std::span<const ConstantRow> LinalgConstants();
std::span<const FunctionRow> TestingFunctions();
std::span<const FunctionRow> RandomFunctions();
std::span<const ConstantRow> RandomConstants();
std::span<const FunctionRow> GeneratorFunctions();
extern const ModuleDef kLapackModule;  // For numpy_linalg.py.
extern const TypeInfo kLinAlgError;

}  // namespace np
}  // namespace tensh::shell
