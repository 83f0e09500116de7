// Softmax cross entropies, with dense and with sparse labels. Each op computes the loss of each row
// and its gradient at the same time.
#include "ops/nn/cross_entropy_shape.h"
#include "ops/nn/softmax.h"
#include "ops/op_file.h"
#include "ops/support/grad_util.h"
#include "ops/support/op_types.h"

namespace tensh::ops {
namespace {

// The loss and the gradient of a long row, whose gradient holds the exponentials. The loss is summed in
// several parts, which do not wait for each other.
template <class T>
struct LabelSums {
  static constexpr int64_t kLanes = 32;
  TENSH_ALWAYS_INLINE static void Run(const T* x, const T* p, T* gradient, T scale, T most,
                                      T log_sum, T* loss, int64_t n) {
    T lanes[kLanes] = {};
    int64_t i = 0;
    for (; i + kLanes <= n; i += kLanes)
      Add(x + i, p + i, gradient + i, scale, most, log_sum, lanes, kLanes);
    Add(x + i, p + i, gradient + i, scale, most, log_sum, lanes, n - i);
    for (int64_t width = kLanes / 2; width; width /= 2)
      for (int64_t j = 0; j < width; ++j) lanes[j] += lanes[j + width];
    *loss = lanes[0];
  }
  TENSH_ALWAYS_INLINE static void Add(const T* x, const T* p, T* gradient, T scale, T most,
                                      T log_sum, T* lanes, int64_t n) {
    TENSH_VECTORIZE
    for (int64_t j = 0; j < n; ++j) {
      const T term = p[j] * (log_sum - (x[j] - most));
      lanes[j] += p[j] == T{0} ? T{0} : term;
      gradient[j] = gradient[j] * scale - p[j];
    }
  }
};

struct DenseCrossEntropy {
  template <class T>
  Status operator()(KernelCtx& c) const {
    const Tensor& logits = c.in(0);
    const Tensor& labels = c.in(1);
    TENSH_ASSIGN(const Shape shape, CrossEntropyShape(logits, labels));
    const int64_t rows = shape[0], n = shape[1];
    TENSH_ASSIGN(const Tensor x, Expanded(logits, shape, c.allocator()));
    TENSH_ASSIGN(const Tensor p, Expanded(labels, shape, c.allocator()));
    TENSH_OUTPUT(loss, c.Output(0, Shape({rows})));
    TENSH_OUTPUT(back, c.Output(1, shape));
    T* losses = loss->data<T>();
    T* gradient = back->data<T>();
    if (!n) {
      std::fill_n(losses, rows, T{0});
      return {};
    }
    c.ParallelFor(rows, 2 * RowCost<T>(n), [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i)
        Row(x.data<T>() + i * n, p.data<T>() + i * n, losses + i, gradient + i * n, n);
    });
    return {};
  }

  // A label of 0 contributes nothing, even if the logarithm is infinite.
  template <class T>
  static void Row(const T* x, const T* p, T* loss, T* gradient, int64_t n) {
    const T most = RowMaximum(x, n);
    const T sum = ExpAndSum(x, most, gradient, n);
    const T log_sum = std::log(sum);
    if (n >= kLongRow) {
      Dispatch<LabelSums<T>>(x, p, gradient, T{1} / sum, most, log_sum, loss, n);
      return;
    }
    T total = 0;
    for (int64_t j = 0; j < n; ++j) {
      if (p[j] != T{0}) total += p[j] * (log_sum - (x[j] - most));
      gradient[j] = gradient[j] / sum - p[j];
    }
    *loss = total;
  }

  // Returns `t` broadcast to `shape`; `t` itself if it already has that shape.
  static Result<Tensor> Expanded(const Tensor& t, const Shape& shape, Allocator* allocator) {
    if (t.shape() == shape) return t;
    TENSH_ASSIGN(Tensor full, Tensor::Make(t.dtype(), shape, allocator));
    BroadcastPlan plan;
    TENSH_RETURN_IF_ERROR(MakeBroadcastPlan(shape, t.shape(), plan));
    const int64_t size = SizeOf(t.dtype());
    ForEachRow(plan, 0, plan.rows, [&](int64_t, int64_t from, int64_t to) {
      const char* in = static_cast<const char*>(t.raw()) + from * size;
      char* out = static_cast<char*>(full.raw()) + to * size;
      const int64_t step = plan.kind == RowKind::kScalarB ? 0 : size;
      for (int64_t i = 0; i < plan.row; ++i) std::memcpy(out + i * size, in + i * step, size);
    });
    return full;
  }
};

struct SparseCrossEntropy {
  template <class T>
  Status operator()(KernelCtx& c) const {
    return c.in(1).dtype() == DType::kInt32 ? Run<T, int32_t>(c) : Run<T, int64_t>(c);
  }

  template <class T, class Label>
  static Status Run(KernelCtx& c) {
    const Tensor& x = c.in(0);
    const Tensor& labels = c.in(1);
    TENSH_RETURN_IF_ERROR(CheckSparseLabels(x, labels));
    const int64_t rows = x.dim(0), n = x.dim(1);
    const Label* label = labels.data<Label>();
    for (int64_t i = 0; i < rows; ++i)
      if (label[i] < 0 || label[i] >= n) return BadLabel(label, i, rows, n);
    TENSH_OUTPUT(loss, c.Output(0, labels.shape()));
    TENSH_OUTPUT(back, c.Output(1, x.shape()));
    T* gradient = back->data<T>();
    c.ParallelFor(rows, RowCost<T>(n), [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) {
        T* row = gradient + i * n;
        const T* in = x.data<T>() + i * n;
        const T most = RowMaximum(in, n);
        const T sum = ExpAndSum(in, most, row, n);
        loss->data<T>()[i] = std::log(sum) - (in[label[i]] - most);
        if (n >= kLongRow)
          Dispatch<ScaleRow<T>>(row, static_cast<const T*>(row), T{1} / sum, n);
        else
          for (int64_t j = 0; j < n; ++j) row[j] /= sum;
        row[label[i]] -= T{1};
      }
    });
    return {};
  }

  template <class Label>
  static Status BadLabel(const Label* label, int64_t bad, int64_t rows, int64_t n) {
    std::string values;
    for (int64_t i = 0; i < std::min<int64_t>(rows, 100); ++i)
      values += StrCat(i ? " " : "", label[i]);
    return InvalidArgument("Received a label value of ", label[bad],
                           " which is outside the valid range of [0, ", n,
                           ").  Label values: ", values);
  }
};

Status DenseShape(ShapeCtx& c) {
  // In the usual case both inputs are matrices of the same shape, and each may have extents that
  // the other lacks.
  const Shape matrix = Shape::UnknownOfRank(2);
  if (Result<Shape> both = Shape::Merge(c.in(0), c.in(1)); both.ok()) {
    if (Result<Shape> merged = Shape::Merge(*both, matrix); merged.ok()) {
      c.Set(0, Shape({(*merged)[0]}));
      c.Set(1, *merged);
      return {};
    }
  }
  Result<Shape> both = BroadcastShapes(c.in(0), c.in(1));
  if (!both.ok())
    return InvalidArgument("logits and labels must be broadcastable: logits_size=", c.in(0),
                           " labels_size=", c.in(1));
  if (!both->has_rank()) {
    c.Set(0, Shape::UnknownOfRank(1));
    c.Set(1, Shape::UnknownOfRank(2));
    return {};
  }
  c.Set(0, Shape({(*both)[0]}));
  c.Set(1, *both);
  return {};
}

Status SparseShape(ShapeCtx& c) {
  Shape logits = c.in(0).has_rank() ? c.in(0) : Shape::UnknownOfRank(2);
  Shape labels = c.in(1).has_rank() ? c.in(1) : Shape::UnknownOfRank(1);
  if (logits[0] >= 0 && labels[0] >= 0 && logits[0] != labels[0])
    return InvalidArgument("Dimensions must be equal, but are ", logits[0], " and ", labels[0],
                           ": logits ", logits, " for labels ", labels);
  if (logits[0] < 0) logits.set_dim(0, labels[0]);
  c.Set(0, Shape({logits[0]}));
  c.Set(1, logits);
  return {};
}

Status DenseGrad(GradScope& g) {
  Out dlogits = GradScaleRows(g, g.dy(0), g.y(1));
  Out minus_log = g.Op("Neg", {g.Op("LogSoftmax", {g.x(0)})});
  return g.Return({dlogits, GradScaleRows(g, g.dy(0), minus_log)});
}

Status SparseGrad(GradScope& g) { return g.Return({GradScaleRows(g, g.dy(0), g.y(1)), Out()}); }

}  // namespace

TENSH_OPS(nn_cross_entropy) {
  r.Op({.name = "SoftmaxCrossEntropyWithLogits",
        .inputs = "features: T, labels: T",
        .outputs = "loss: T, backprop: T",
        .attrs = "T: {half, bfloat16, float, double}",
        .doc = "The cross entropy of each row's softmax and its labels, and the gradient for the "
               "features. features: logits, one row per example. labels: one distribution per row; "
               "they broadcast. T: the element type.",
        .contract = "features: matrix, labels: matrix",
        .shape = DenseShape,
        .grad = DenseGrad,
        .examples =
            {{"tf.nn.softmax_cross_entropy_with_logits(labels=[[1., 0.]], logits=[[0., 0.]])",
              "[0.6931472]"}}})
      .Cpu<float, double>(DenseCrossEntropy{});
  r.Op({.name = "SparseSoftmaxCrossEntropyWithLogits",
        .inputs = "features: T, labels: Tlabels",
        .outputs = "loss: T, backprop: T",
        .attrs = "T: {half, bfloat16, float, double}, Tlabels: {int32, int64} = int64",
        .doc =
            "The cross entropy of each row's softmax and one class, and the gradient for the "
            "features. features: logits, one row per example. labels: the class of each row, less "
            "than the number of columns. T: the element type. Tlabels: the type of the labels.",
        .contract = "features: matrix, labels: vector",
        .shape = SparseShape,
        .grad = SparseGrad,
        .examples =
            {{"tf.nn.sparse_softmax_cross_entropy_with_logits(labels=[1], logits=[[0., 0.]])",
              "[0.6931472]"}}})
      .Cpu<float, double>(SparseCrossEntropy{});
}

}  // namespace tensh::ops
