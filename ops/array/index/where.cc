// Where: the indices of all non-zero elements, in row-major order.
#include "ops/op_file.h"
#include "ops/support/array_copy.h"

namespace tensh::ops {
namespace {

struct Where {
  template <class T>
  Status operator()(KernelCtx& c) const {
    const Tensor& input = c.in(0);
    const T* x = input.data<T>();
    int64_t n = input.num_elements(), found = 0;
    for (int64_t i = 0; i < n; ++i) found += x[i] != T(0);
    int rank = input.rank();
    if (rank == 0) return InvalidArgument("WhereOp : Unhandled input dimensions: 0");
    TENSH_OUTPUT(index, c.Output(0, Shape({found, rank})));
    int64_t* row = index->data<int64_t>();
    Strides strides(input.shape());
    for (int64_t i = 0; i < n; ++i) {
      if (!(x[i] != T(0))) continue;
      for (int d = 0; d < rank; ++d) *row++ = i / strides[d] % input.dim(d);
    }
    return {};
  }
};

Status WhereShape(ShapeCtx& c) {
  int rank = c.in(0).rank();
  c.Set(0, Shape({Shape::kUnknownDim, rank}));
  return {};
}

}  // namespace

TENSH_OPS(array_index_where) {
  r.Op({.name = "Where",
        .inputs = "input: T",
        .outputs = "index: int64",
        .attrs =
            "T: {float, double, int32, uint8, int16, int8, complex64, int64, bfloat16, uint16, "
            "complex128, half, uint32, uint64, bool} = bool",
        .doc = "The indices of true or non-zero elements. input has type T. index has one row per "
               "non-zero element, in row-major order, with one column per dimension.",
        .shape = WhereShape,
        .no_gradient = true,
        .examples = {{"tf.where([True, False, True])", "[[0]\n [2]]"}}})
      .Cpu<bool, float, double, int8_t, int16_t, int32_t, int64_t, uint8_t, uint16_t, uint32_t,
           uint64_t, std::complex<float>, std::complex<double>>(Where{});
}

}  // namespace tensh::ops
