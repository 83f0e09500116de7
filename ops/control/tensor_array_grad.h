#pragma once
// Helpers shared by the kernels and gradients of the TensorArray ops.
#include "ops/support/tensor_list.h"
#include "runtime/core/op_registry.h"

namespace tensh::ops {

struct GradientArray {
  Out handle, flow;
};
// Returns the array that accumulates the gradients of the forward op's array. Node names follow
// TensorFlow's tensor_array_grad.
GradientArray GradientOf(GradScope& g, Out flow);

// Returns the array that input 0 refers to. Its handle is a resource or, in older graphs, a string
// with the array's key, or a reference to such a string.
Result<std::shared_ptr<TensorArray>> ArrayOf(KernelCtx& c);
enum class HandleKind : uint8_t { kReference, kString, kResource };
// Sets output 0 to a handle of that kind. `kept` belongs to the node: strings own nothing, so the
// node keeps the arrays that it made last alive.
class KeptArrays;
std::shared_ptr<KeptArrays> MakeKeptArrays();
Status GiveArrayHandle(KernelCtx& c, std::shared_ptr<TensorArray> array, HandleKind kind,
                       KeptArrays& kept);

// A version of an op, newest last: the suffix of its name and the type of its handle.
struct ArrayVersion {
  const char *suffix, *type;
  HandleKind kind;
};
inline constexpr ArrayVersion kArrayVersions[] = {{"", "Ref(string)", HandleKind::kReference},
                                                  {"V2", "string", HandleKind::kString},
                                                  {"V3", "resource", HandleKind::kResource}};
// Returns the beginning, "(handle=…", of the examples of older versions: an array for two floats.
std::string OldArrayExample(const ArrayVersion& version);

Status CheckArrayType(KernelCtx& c, const TensorArray& array, DType wanted);

}  // namespace tensh::ops
