// The tables of the tf module, one an area, and the functions that many rows share.
//
// To add a function of TensorFlow that is one op: a row with fn = CallOp and data = "OpName", or
// "OpName/node_name" when the node is named otherwise, then the attributes its parameters set, in
// order: {"one_hot", "…", CallOp, "doc", "OneHot/one_hot axis"}. Parameters are the op's inputs,
// those attributes, then `name`. Anything else is a function of its own that builds with build.h.
#pragma once

#include <span>

#include "shell/tf/op_call.h"
#include "shell/values/native.h"

namespace tensh::shell::tf {

Value CallOp(Args& a);
// What a node of several outputs answers: a named tuple, TopKV2(values=…, indices=…).
Value NamedOutputs(GraphObject& g, const OpInfo& op, Node node);

// A function for any op of the catalogue that has no row (tf.raw_ops.X); null: no such op.
Value RawOp(std::string_view op);
// The op that a snake_case name may mean ("reverse_v2", "invert_permutation"); null: none.
const OpInfo* OpForPythonName(std::string_view name);

std::span<const FunctionRow> MathRows();
std::span<const FunctionRow> ReduceRows();
std::span<const FunctionRow> NormRows();
std::span<const FunctionRow> ArrayRows();
std::span<const FunctionRow> RandomRows();
std::span<const FunctionRow> StateRows();  // variables, initialisation
std::span<const FunctionRow> ScopeRows();  // name_scope, device, control_dependencies, graphs
std::span<const FunctionRow> VariableScopeRows();
Value AutoReuseValue();  // tf.AUTO_REUSE
std::span<const FunctionRow> NnRows();
std::span<const FunctionRow> MathMoreRows();  // special functions, segments, blocks, scattering
std::span<const FunctionRow> BitRows();       // tf.bitwise
std::span<const FunctionRow> LinalgRows();
std::span<const FunctionRow> SamplingRows();            // multinomial
std::span<const FunctionRow> NnSamplingRows();          // candidate samplers
std::string_view LinalgName(std::string_view shorter);  // "inv": "matrix_inverse"
std::span<const FunctionRow> ConvRows();                // tf.nn too: convolutions, pools
std::span<const FunctionRow> FlowRows();                // cond, while_loop
std::span<const FunctionRow> MiscRows();
std::span<const FunctionRow> TestRows();
std::span<const FunctionRow> AppRows();
const ModuleDef& LoggingModule();

}  // namespace tensh::shell::tf
