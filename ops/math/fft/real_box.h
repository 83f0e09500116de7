#pragma once
// The sizes of Fourier transforms of real numbers, for kernels on every device. nvcc compiles constexpr functions as device code
// too.
#include <span>
#include <vector>

#include "ops/support/shape_util.h"
#include "runtime/core/kernel.h"

namespace tensh::ops {

// The lengths n of the transform, and that of the half spectrum. A row is a sequence along the last dimension. The last dimensions of
// the input, `in`, may be longer than the transform.
template <int rank>
struct RealSizes {
  int64_t n[rank], in[rank], half = 0, rows = 0;
  constexpr int64_t last() const { return n[rank - 1]; }
  // Returns where a row begins in the input.
  constexpr int64_t RowOf(int64_t row) const {
    int64_t at = 0, stride = in[rank - 1];
    for (int i = rank - 2; i >= 0; --i) {
      at += row % n[i] * stride;
      row /= n[i];
      stride *= in[i];
    }
    return at + row * stride;
  }
  // Returns the row of the opposite frequencies in the other dimensions, if all rows are those of spectra.
  constexpr int64_t MirrorOf(int64_t row) const {
    int64_t at = 0, stride = 1;
    for (int i = rank - 2; i >= 0; --i) {
      at += (n[i] - row % n[i]) % n[i] * stride;
      row /= n[i];
      stride *= n[i];
    }
    return at + row * stride;
  }
  std::span<const int64_t> outer() const { return {n, rank - 1}; }
  // Returns the number of elements that a transform adds up.
  double size() const {
    double all = 1;
    for (int64_t length : n) all *= static_cast<double>(length);
    return all;
  }
};

template <int rank>
struct RealBox : RealSizes<rank> {
  using RealSizes<rank>::n, RealSizes<rank>::in, RealSizes<rank>::rows;
  Shape shape;  // of the result

  // Reads inputs 0 and 1: the elements, and the lengths in host memory.
  Status Read(KernelCtx& c, bool forward) {
    const Tensor& x = c.in(0);
    const DType real = forward ? x.dtype() : c.out_dtype(0);
    const DType complex = forward ? c.out_dtype(0) : x.dtype();
    if ((real == DType::kDouble) != (complex == DType::kComplex128))
      return InvalidArgument("Wrong types for ", forward ? "forward" : "backward",
                             " real FFT: ", SignatureName(real), " and ", SignatureName(complex));
    for (int i = 0; i < rank; ++i) {
      n[i] = c.in(1).data<int32_t>()[i];
      in[i] = x.dim(x.rank() - rank + i);
      if (n[i] < 0) return InvalidArgument("fft_length[", i, "] must >= 0, but got: ", n[i]);
    }
    TENSH_RETURN_IF_ERROR(ReadShape(x.shape(), forward));
    this->half = this->last() / 2 + 1;
    rows = 1;
    for (int i = 0; i < x.rank() - rank; ++i) rows *= x.dim(i);
    for (int i = 0; i < rank - 1; ++i) rows *= n[i];
    return {};
  }

 private:
  // Computes the shape of the result: the batch, then the lengths. Returns an error if an extent of
  // the input is shorter than its length requires.
  Status ReadShape(const Shape& x, bool forward) {
    shape = Shape();
    for (int i = 0; i < x.rank() - rank; ++i) shape.Append(x[i]);
    for (int i = 0; i < rank; ++i) {
      const bool is_last = i == rank - 1;
      const int64_t wanted = !forward && is_last ? n[i] / 2 + 1 : n[i];
      if (in[i] != 0 && in[i] < wanted)
        return InvalidArgument("Input dimension ", x.rank() - rank + i,
                               " must have length of at least ", wanted, " but got: ", in[i]);
      shape.Append(forward && is_last && n[i] ? n[i] / 2 + 1 : n[i]);
    }
    std::vector<int64_t> dims(shape.dims().begin(), shape.dims().end());
    TENSH_ASSIGN(shape, Shape::Make(dims, true));
    return {};
  }
};

}  // namespace tensh::ops
