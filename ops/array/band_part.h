#pragma once
// The band of a matrix that MatrixBandPart keeps. A plain value, shared by all devices.
#include <algorithm>

#include "ops/support/shape_util.h"

namespace tensh::ops {

struct Band {
  int64_t rows = 0, columns = 0;
  int64_t below = 0, above = 0;  // number of diagonals; negative: all
  // Row r keeps the columns [Begin(r), End(r)).
  constexpr int64_t Begin(int64_t r) const {
    return below < 0 || r < below ? 0 : r - below < columns ? r - below : columns;
  }
  constexpr int64_t End(int64_t r) const {
    return above < 0 || above >= columns - r - 1 ? columns : r + above + 1;
  }
};

// Reads the band from the inputs (matrices, num_lower, num_upper). Returns InvalidArgument if the
// matrices have fewer diagonals than requested.
inline Result<Band> BandOf(KernelCtx& c) {
  const Tensor& input = c.in(0);
  const Band band{input.dim(input.rank() - 2), input.dim(input.rank() - 1), IndexAt(c.in(1), 0),
                  IndexAt(c.in(2), 0)};
  if (band.below > band.rows)
    return InvalidArgument("num_lower must be negative or less or equal to number of rows (",
                           band.rows, ") got: ", band.below);
  if (band.above > band.columns)
    return InvalidArgument("num_upper must be negative or less or equal to number of columns (",
                           band.columns, ") got: ", band.above);
  return band;
}

}  // namespace tensh::ops
