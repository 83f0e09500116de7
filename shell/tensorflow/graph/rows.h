// The tables of the tf module, one per area, and the functions that many rows share.
//
// To add a function of TensorFlow that is a single op, add a row with fn = CallOp. Its data are
// "OpName", or "OpName/node_name" if the node has another name, followed by the attributes that its
// parameters set, in order: {"one_hot", "…", CallOp, "doc", "OneHot/one_hot axis"}. The parameters
// are the inputs of the op, these attributes, and `name`. Any other function is a C++ function that
// uses build.h.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "shell/python/values/native.h"
#include "shell/tensorflow/graph/op_call.h"

namespace tensh::shell::tf {

Value CallOp(Args& a);
// The result of a node with several outputs: a named tuple such as TopKV2(values=…, indices=…).
Value NamedOutputs(GraphObject& g, const OpInfo& op, Node node);

// Returns a function that adds a node of this op, as tf.raw_ops.X does; null if no such op exists.
Value RawOp(std::string_view op);
// Returns the op that a snake_case name may mean ("reverse_v2", "invert_permutation"), or null if
// none exists.
const OpInfo* OpForPythonName(std::string_view name);
std::vector<std::string> OpNames();

// The row of a function that is one elementwise op: TENSH_UNARY("erfc", "Erfc").
#define TENSH_UNARY(name, op) \
  { name, "x, name=None", CallOp, "Elementwise " name " of x.", op }
#define TENSH_BINARY(name, op) \
  { name, "x, y, name=None", CallOp, "Elementwise " name " of x and y.", op }

// The tables of native rows. module.cc lists each with the module that its names belong to.
std::span<const FunctionRow> AppRows();
std::span<const FunctionRow> ArrayRows();
std::span<const FunctionRow> BehaviorRows();
std::span<const FunctionRow> BitRows();
std::span<const FunctionRow> CategoricalRows();
std::span<const FunctionRow> ConvRows();  // convolutions, pools
std::span<const FunctionRow> DeterminantRows();
std::span<const FunctionRow> DeviceQueryRows();
std::span<const FunctionRow> FileRows();
std::span<const FunctionRow> FlowRows();  // cond, while_loop
std::span<const FunctionRow> GlobalStepRows();
std::span<const FunctionRow> GradientsRows();
std::span<const FunctionRow> InitializerRows();
std::span<const FunctionRow> LinalgRows();
std::span<const FunctionRow> LoggingRows();
std::span<const FunctionRow> OpLibraryRows();
std::span<const FunctionRow> MathRows();
std::span<const FunctionRow> NnRows();
std::span<const FunctionRow> NnSamplingRows();  // candidate samplers
std::span<const FunctionRow> NormRows();
std::span<const FunctionRow> PrintAssertRows();
std::span<const FunctionRow> RandomRows();
std::span<const FunctionRow> RearrangeRows();  // sequences, blocks, scattered slices
std::span<const FunctionRow> ReduceRows();
std::span<const FunctionRow> SamplingRows();
std::span<const FunctionRow> ScopeRows();  // name_scope, device, control_dependencies, graphs
std::span<const FunctionRow> SegmentRows();
std::span<const FunctionRow> ShortInitializerRows();
std::span<const FunctionRow> SpecialFunctionRows();
std::span<const FunctionRow> StateRows();  // variables, initialization
std::span<const FunctionRow> StaticValueRows();
std::span<const FunctionRow> TextRows();
std::span<const FunctionRow> VariableScopeRows();
std::span<const ConstantRow> ErrorConstants();
std::span<const ConstantRow> GraphKeyConstants();
std::span<const ConstantRow> LoggingConstants();
std::span<const ConstantRow> SummaryConstants();
Value AutoReuseValue();                // tf.AUTO_REUSE
extern const ModuleDef kPyFuncModule;  // _py_func: nodes that call Python

}  // namespace tensh::shell::tf
