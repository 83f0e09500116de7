// AddN: the sum of any number of tensors of equal shape, or of variants that can be added.
#include "ops/op_file.h"
#include "ops/support/complex_types.h"
#include "ops/support/list_variant.h"
#include "ops/support/wrap.h"

namespace tensh::ops {
namespace {

template <class T>
struct AddRow {
  TENSH_ALWAYS_INLINE static void Run(T* out, const T* in, int64_t n) {
    TENSH_VECTORIZE
    for (int64_t i = 0; i < n; ++i) out[i] = WrapAdd(out[i], in[i]);
  }
};

struct AddN {
  template <class T>
  Status operator()(KernelCtx& c) const {
    const int inputs = c.num_inputs();
    for (int i = 1; i < inputs; ++i)
      if (!(c.in(i).shape() == c.in(0).shape()))
        return InvalidArgument(
            "Inputs to operation AddN must have the same size and shape.  Input 0: ",
            c.in(0).shape(), " != input ", i, ": ", c.in(i).shape());
    if (inputs == 1) {
      c.SetOutput(0, c.in(0));
      return {};
    }
    // The first input may become the output, so it is read only through the pointer taken here. If
    // the same tensor is also a later input, the output must not share its buffer.
    const T* first = c.in(0).data<T>();
    const int64_t n = c.in(0).num_elements();
    bool repeated = false;
    for (int i = 1; i < inputs; ++i) repeated |= c.in(i).data<T>() == first;
    TENSH_OUTPUT(y, repeated ? c.Output(0, c.in(0).shape()) : c.Forward(0, 0, c.in(0).shape()));
    T* out = y->data<T>();
    c.ParallelFor(n, 0.3 * inputs, [&](int64_t begin, int64_t end) {
      // Processes blocks that stay in the L1 cache while all inputs are added.
      constexpr int64_t kBlock = 4096;
      for (int64_t at = begin; at < end; at += kBlock) {
        const int64_t size = std::min(kBlock, end - at);
        if (out != first) std::copy_n(first + at, size, out + at);
        for (int i = 1; i < inputs; ++i)
          RunRow<T, AddRow<T>>(size, out + at, c.in(i).data<T>() + at);
      }
    });
    return {};
  }
};

struct AddLists {
  template <class T>
  Status operator()(KernelCtx& c) const {
    return AddVariants(c);
  }
};

Status AddNShape(ShapeCtx& c) {
  Shape shape = c.in(0);
  for (int i = 1; i < c.num_inputs(); ++i) {
    Result<Shape> merged = Shape::Merge(shape, c.in(i));
    if (!merged.ok())
      return InvalidArgument("Shapes must be equal: input 0 has shape ", shape, ", input ", i,
                             " has ", c.in(i));
    shape = *merged;
  }
  c.Set(0, shape);
  return {};
}

Status AddNGrad(GradScope& g) {
  return g.Return(std::vector<Out>(static_cast<size_t>(g.num_inputs()), g.dy()));
}

}  // namespace

TENSH_OPS(math_elementwise_add_n) {
  r.Op({.name = "AddN",
        .inputs = "inputs: N * T",
        .outputs = "sum: T",
        .attrs = "N: int >= 1, T: {float, double, int32, uint8, int16, int8, complex64, int64, "
                 "bfloat16, uint16, complex128, half, uint32, uint64, variant}",
        .doc = "The sum of tensors of equal shape. inputs: the tensors; they do not broadcast. N: "
               "their number. T: the element type.",
        .shape = AddNShape,
        .grad = AddNGrad,
        .commutative = true,
        .aggregate = true,
        .elementwise = Elementwise::kSameShape,
        .examples = {{"tf.add_n([[1., 2.], [3., 4.], [5., 6.]])", "[ 9. 12.]"}}})
      .Cpu<float, double, int32_t, int64_t, uint8_t, int8_t, int16_t, uint64_t, Complex64,
           Complex128>(AddN{})
      .Cpu<Variant>(AddLists{});
}

}  // namespace tensh::ops
