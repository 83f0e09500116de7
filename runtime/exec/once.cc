#include "runtime/exec/once.h"

#include <algorithm>

namespace tensh {
namespace {

template <class T>
bool AreDims(const Tensor& vector, const Shape& shape) {
  const T* numbers = vector.data<T>();
  return std::equal(shape.dims().begin(), shape.dims().end(), numbers,
                    [](int64_t dim, T number) { return dim == static_cast<int64_t>(number); });
}

}  // namespace

bool IsHeldOnce(const Instr& instr, const std::vector<Tensor>& slots) {
  const uint32_t* out = instr.call.out;
  return std::all_of(out, out + instr.call.n_out,
                     [&](uint32_t slot) { return slots[slot].bytes() <= kMostHeldBytes; });
}

bool IsStillTrue(const Instr& instr, const std::vector<Tensor>& slots) {
  const Tensor& answer = slots[instr.call.out[0]];
  const Shape& shape = slots[instr.call.in[0]].shape();
  if (answer.num_elements() != shape.rank()) return false;
  return answer.dtype() == DType::kInt64 ? AreDims<int64_t>(answer, shape)
                                         : AreDims<int32_t>(answer, shape);
}

}  // namespace tensh
