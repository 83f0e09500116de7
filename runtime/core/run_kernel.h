#pragma once
// Functions that need an op but no plan. RunKernel runs one CPU kernel in the calling thread, for
// constants that are known before a step and for single ops without a graph. The others resolve
// types and attributes.
#include <span>
#include <vector>

#include "runtime/core/op_registry.h"

namespace tensh {

// `attrs` must be complete, including defaults. `output_dtypes` are base types. The op must be
// stateless, because there are no resources.
Result<std::vector<Tensor>> RunKernel(const OpDef& op, Attrs attrs, std::span<const Tensor> inputs,
                                      std::span<const DType> output_dtypes);

// Runs the kernel for a node, which provides the attributes and prepares the state.
Result<std::vector<Tensor>> RunKernel(const OpDef& op, PrepareCtx& node,
                                      std::span<const Tensor> inputs,
                                      std::span<const DType> output_dtypes);

// The number of tensors that belong to an argument, and their types, given complete attributes.
struct ArgTypes {
  int64_t count;
  DType dtype;                   // The type of every tensor, if `list` is null.
  const AttrValue::Types* list;  // Otherwise, the type of each one.
};
ArgTypes TypesOf(const ArgDef& arg, Attrs attrs);

// Adds the attributes that follow from the types of the inputs (T, N, lists of types), then the
// defaults, and checks every attribute against the signature. `inputs` may contain reference types.
Result<std::vector<NamedAttr>> ResolveAttrs(const OpDef& op, std::span<const DType> inputs,
                                            std::span<const NamedAttr> given);
// Returns the types of the outputs, as reference types if the signature says so.
std::vector<DType> OutputTypes(const OpDef& op, Attrs attrs);

}  // namespace tensh
