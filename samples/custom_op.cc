// An op of one's own: SoftThreshold, y = sign(x) * max(|x| - limit, 0), for float and double.
//
// As a program:
//   c++ -std=c++17 custom_op.cc $(pkg-config --cflags --libs tensh) -o custom_op && ./custom_op
// As a library, which the shell and other programs load. It is not linked with libtensh:
//   c++ -std=c++17 -shared -fPIC custom_op.cc $(pkg-config --cflags tensh) -o custom_op.so
//   tensh -c 'my = tf.load_op_library("./custom_op.so")' -c 'eval my.soft_threshold([-3., .5, 2.])'
#include <cmath>
#include <cstdio>

#include "tensh/tensh.hpp"
#include "tensh/tensh_op.h"

namespace {

// The output has the shape of the input.
int SameShape(tsh_shape_call* call, void*, tsh_status* status) {
  int64_t dims[TSH_MAX_RANK];
  const int rank = tsh_shape_input(call, 0, dims);
  return tsh_shape_set(call, 0, dims, rank, status);
}

template <class T>
void Shrink(tsh_kernel_call* call, const T* x, T* y, int64_t n, double limit) {
  struct Work {
    const T* x;
    T* y;
    T limit;
  } work{x, y, static_cast<T>(limit)};
  const auto range = [](void* context, int64_t begin, int64_t end) {
    const Work& w = *static_cast<const Work*>(context);
    for (int64_t i = begin; i < end; ++i) {
      const T size = std::fabs(w.x[i]) - w.limit;
      w.y[i] = size > 0 ? std::copysign(size, w.x[i]) : T(0);
    }
  };
  tsh_kernel_parallel_for(call, n, 1.0, range, &work);  // about a nanosecond for an element
}

int Kernel(tsh_kernel_call* call, void*, tsh_status* status) {
  double limit = 0;
  tsh_attrs_float(tsh_kernel_attrs(call), "limit", &limit);
  if (!(limit >= 0)) {
    tsh_status_set(status, TSH_INVALID_ARGUMENT, "limit must not be negative", "");
    return 0;
  }
  tsh_tensor* x = tsh_kernel_input(call, 0);
  const int64_t n = tsh_tensor_elements(x);
  tsh_tensor* y = tsh_kernel_output(call, 0, tsh_tensor_dims(x), tsh_tensor_rank(x), status);
  if (!y) return 0;
  if (tsh_tensor_dtype(x) == TSH_FLOAT)
    Shrink(call, static_cast<float*>(tsh_tensor_data(x)), static_cast<float*>(tsh_tensor_data(y)),
           n, limit);
  else
    Shrink(call, static_cast<double*>(tsh_tensor_data(x)), static_cast<double*>(tsh_tensor_data(y)),
           n, limit);
  return 1;
}

}  // namespace

// Called by tsh_load_library, and by main below.
int tensh_register_ops(tsh_status* status) {
  tsh_op_spec op{};
  op.name = "SoftThreshold";
  op.inputs = "x: T";
  op.outputs = "y: T";
  op.attrs = "T: {float, double}, limit: float = 1.0";
  op.doc = "Moves every element towards zero by `limit`.";
  op.shape = SameShape;
  op.kernel = Kernel;
  return tsh_op_register(&op, status);
}

int main() {
  if (!tensh_register_ops(tensh::ScratchStatus())) {
    std::fprintf(stderr, "%s\n", tsh_status_message(tensh::ScratchStatus()));
    return 1;
  }
  tensh::Graph graph;
  const auto y = graph.Op("SoftThreshold", {graph.Const({-3., .5, 2.})}).Attr("limit", 1.5).Build();
  const tensh::Session session(graph);
  for (const double v : session.Run<double>(y)) std::printf("%g ", v);
  std::printf("\n");
  return 0;
}
