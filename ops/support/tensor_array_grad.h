#pragma once
// What the TensorArray ops' kernels and gradients share.
#include "ops/support/tensor_list.h"
#include "runtime/core/op_registry.h"

namespace tensh::ops {

struct GradientArray {
  Out handle, flow;
};
// The array that gradients of the forward op's array are summed in, named as tensor_array_grad
// does.
GradientArray GradientOf(GradScope& g, Out flow);

// The array that input 0 stands for. Its handle is a resource; in graphs older than that, a string
// with the array's key, or a reference to such a string.
Result<std::shared_ptr<TensorArray>> ArrayOf(KernelCtx& c);
enum class HandleKind : uint8_t { kReference, kString, kResource };
// Makes output 0 a handle of that kind. `kept` is the node's: strings own nothing, so it keeps
// the last arrays it made alive.
class KeptArrays;
std::shared_ptr<KeptArrays> MakeKeptArrays();
Status GiveArrayHandle(KernelCtx& c, std::shared_ptr<TensorArray> array, HandleKind kind,
                       KeptArrays& kept);

// The versions of an op, newest last: what is added to its name, and its handle's type.
struct ArrayVersion {
  const char *suffix, *type;
  HandleKind kind;
};
inline constexpr ArrayVersion kArrayVersions[] = {{"", "Ref(string)", HandleKind::kReference},
                                                  {"V2", "string", HandleKind::kString},
                                                  {"V3", "resource", HandleKind::kResource}};
// "(handle=..." of the older versions' examples: an array with room for two floats.
std::string OldArrayExample(const ArrayVersion& version);

Status CheckArrayType(KernelCtx& c, const TensorArray& array, DType wanted);

}  // namespace tensh::ops
