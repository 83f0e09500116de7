#include "ops/nn/recurrent/recurrent_dims.h"

namespace tensh::ops {

Result<RecurrentDims> RecurrentDimsOf(const Shape& x, int64_t cells) {
  const int last = x.rank() - 1;
  const RecurrentDims d{last == 2 ? x[0] : 1, x[last - 1], x[last], cells};
  constexpr int64_t kMost = int64_t{1} << 32;
  if (d.inputs > kMost || d.cells > kMost)
    return InvalidArgument("a cell of ", d.cells, " units and ", d.inputs, " inputs is too large");
  return d;
}

Status ExpectShape(const Tensor& t, std::string_view name, const Shape& want) {
  if (t.shape() == want) return {};
  return InvalidArgument(name, " must have shape ", want, ", got ", t.shape());
}

Shape RecurrentStateShape(const Shape& x, const Shape& state) {
  return {x.has_rank() ? x[0] : -1, state.has_rank() ? state[1] : -1};
}

}  // namespace tensh::ops
