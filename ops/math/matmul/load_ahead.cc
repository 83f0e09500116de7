#include "ops/math/matmul/load_ahead.h"

#include "ops/math/matmul/onednn.h"

namespace tensh::ops {

bool StartLoadingForNode(std::string_view op, const Attrs& attrs, const Shape& x, const Shape& y) {
  const auto extent = [](const Shape& shape, int rank, int d) {
    return shape.has_rank() && shape.rank() == rank ? shape[d] : -1;
  };
  if (op == "MatMul")
    return StartLoadingForProduct(
        {extent(y, 2, 0), extent(y, 2, 1), extent(x, 2, !attrs.Bool("transpose_a"))});
  return false;
}

}  // namespace tensh::ops
