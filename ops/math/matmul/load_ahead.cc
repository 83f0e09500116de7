#include "ops/math/matmul/load_ahead.h"

#include "ops/math/matmul/onednn.h"

namespace tensh::ops {

bool StartLoadingForNode(std::string_view op, const Attrs& attrs, const Shape& x, const Shape& w,
                         const Shape& y) {
  const auto extent = [](const Shape& shape, int rank, int d) {
    return shape.has_rank() && shape.rank() == rank ? shape[d] : -1;
  };
  if (op == "MatMul")
    return StartLoadingForProduct(
        {extent(y, 2, 0), extent(y, 2, 1), extent(x, 2, !attrs.Bool("transpose_a"))});
  if (op == "Conv2D")
    return StartLoadingForProduct({extent(y, 4, 0), extent(y, 4, 1), extent(y, 4, 2),
                                   extent(y, 4, 3), extent(w, 4, 0), extent(w, 4, 1),
                                   extent(w, 4, 2)});
  return false;
}

}  // namespace tensh::ops
