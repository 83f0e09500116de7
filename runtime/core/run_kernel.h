#pragma once
// Runs one CPU kernel on tensors, outside of any plan: for constants known before a step and for
// single ops without a graph. Runs in the calling thread.
#include <span>
#include <vector>

#include "runtime/core/op_registry.h"

namespace tensh {

// attrs: complete, defaults included. output_dtypes: base types. The resource table may be null for
// stateless ops.
Result<std::vector<Tensor>> RunKernel(const OpDef& op, Attrs attrs, std::span<const Tensor> inputs,
                                      std::span<const DType> output_dtypes);

// The same on behalf of a node: state is prepared by it, attributes are its own.
Result<std::vector<Tensor>> RunKernel(const OpDef& op, PrepareCtx& node,
                                      std::span<const Tensor> inputs,
                                      std::span<const DType> output_dtypes);

// The number of tensors an argument stands for and each one's type, given complete attributes.
struct ArgTypes {
  int64_t count;
  DType dtype;                   // of each, unless
  const AttrValue::Types* list;  // the types come one by one
};
ArgTypes TypesOf(const ArgDef& arg, Attrs attrs);

// Fills in what inputs' types imply (T, N, lists of types), then defaults, and checks every
// attribute against the signature. `inputs` may contain reference types.
Result<std::vector<NamedAttr>> ResolveAttrs(const OpDef& op, std::span<const DType> inputs,
                                            std::span<const NamedAttr> given);
// Types of the outputs, reference types where the signature says so.
std::vector<DType> OutputTypes(const OpDef& op, Attrs attrs);

}  // namespace tensh
