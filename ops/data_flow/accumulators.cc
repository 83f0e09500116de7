// Accumulators of gradients, as used by SyncReplicasOptimizer. Gradients of old steps are dropped,
// the others are summed. Taking the mean waits until enough of them have arrived.
#include <cmath>
#include <map>

#include "ops/data_flow/step_wait.h"
#include "ops/op_file.h"
#include "ops/support/array_copy.h"
#include "ops/support/prepare.h"
#include "ops/support/shape_util.h"
#include "ops/support/shared_name.h"
#include "runtime/core/half.h"

namespace tensh::ops {
namespace {

// The sum of one row. A dense gradient has one row.
struct SummedRow {
  std::vector<double> sum;
  int64_t count = 0;
};
using Rows = std::map<int64_t, SummedRow>;

// Reads an element of any type as double; the function below writes it.
double ElementAt(const Tensor& t, int64_t i) {
  switch (t.dtype()) {
    case DType::kDouble:
      return t.data<double>()[i];
    case DType::kFloat:
      return static_cast<double>(t.data<float>()[i]);
    default:
      return static_cast<double>(static_cast<float>(t.data<Half>()[i]));
  }
}
void SetElement(Tensor& t, int64_t i, double x) {
  if (t.dtype() == DType::kDouble)
    t.data<double>()[i] = x;
  else if (t.dtype() == DType::kFloat)
    t.data<float>()[i] = static_cast<float>(x);
  else
    t.data<Half>()[i] = Half(static_cast<float>(x));
}

// Rounds to the precision of the type. It is applied after every addition, so that sums are those
// of the type itself.
double Rounded(DType dtype, double x) {
  if (dtype == DType::kDouble) return x;
  const float f = static_cast<float>(x);
  return static_cast<double>(dtype == DType::kFloat ? f : static_cast<float>(Half(f)));
}

class Accumulator {
 public:
  std::string name;
  DType dtype = DType::kFloat;
  Shape shape = Shape::Unknown();  // the declared shape of the gradients
  bool mean = true, sparse = false;

  // Adds the slices `values` [n, …] to the rows given by `indices`, or to row 0 if it is null.
  Status Apply(int64_t step, const Tensor* indices, const Tensor& values, const Shape& row);
  // Waits until `needed` gradients have arrived. Then returns the rows and the shape of a slice,
  // and resets the accumulator.
  Status Take(KernelCtx& c, int64_t needed, Rows* rows, Shape* row);
  void SetGlobalStep(int64_t step) {
    std::lock_guard lock(mu_);
    global_step_ = step;
  }
  int64_t count() {
    std::lock_guard lock(mu_);
    return count_;
  }
  void Cancel() {
    std::lock_guard lock(mu_);
    cancelled_ = true;
    changed_.notify_all();
  }

 private:
  std::mutex mu_;
  std::condition_variable changed_;
  Rows rows_;
  Shape row_;  // of one row, set by the first gradient since the last Take
  int64_t count_ = 0, global_step_ = 0;
  bool cancelled_ = false;
};

Status Accumulator::Apply(int64_t step, const Tensor* indices, const Tensor& values,
                          const Shape& row) {
  std::lock_guard lock(mu_);
  if (step < global_step_) return {};  // stale gradients are dropped silently
  if (count_ > 0 && !(row == row_))
    return InvalidArgument("Shape mismatch: the gradient has shape ", row,
                           ", those before it had shape ", row_);
  row_ = row;
  const int64_t n = indices ? indices->num_elements() : 1, run = row.num_elements();
  for (int64_t i = 0; i < n; ++i) {
    SummedRow& to = rows_[indices ? IndexAt(*indices, i) : 0];
    to.sum.resize(static_cast<size_t>(run));
    for (int64_t k = 0; k < run; ++k) {
      double& sum = to.sum[static_cast<size_t>(k)];
      sum = Rounded(dtype, sum + ElementAt(values, i * run + k));
    }
    ++to.count;
  }
  ++count_;
  changed_.notify_all();
  return {};
}

Status Accumulator::Take(KernelCtx& c, int64_t needed, Rows* rows, Shape* row) {
  StepWait wait(c, mu_, changed_);
  std::unique_lock lock(mu_);
  TENSH_RETURN_IF_ERROR(wait.Until(lock, [&] { return cancelled_ || count_ >= needed; }));
  if (count_ < needed) return Cancelled("the accumulator ", name, " was cancelled");
  *rows = std::move(rows_);
  *row = row_;
  rows_.clear();
  count_ = 0;
  ++global_step_;
  if (mean)
    for (auto& [index, summed] : *rows)
      for (double& x : summed.sum) x = Rounded(dtype, x / static_cast<double>(summed.count));
  return {};
}

// The variable behind both kinds of handle: a resource, or a reference to a string.
class AccumulatorHandle : public Variable {
 public:
  Accumulator accumulator;
  void Cancel() override { accumulator.Cancel(); }
};

struct HandleState : KernelState {
  std::shared_ptr<AccumulatorHandle> handle;
  std::string name;
};

Result<std::unique_ptr<KernelState>> PrepareMake(PrepareCtx& c) {
  auto state = std::make_unique<HandleState>();
  const Attrs a = c.attrs();
  const std::string name = SharedName(c);
  const DType dtype = a.Type("dtype");
  const bool sparse = c.op_name() == "SparseConditionalAccumulator";
  if (dtype != DType::kFloat && dtype != DType::kDouble && dtype != DType::kHalf)
    return InvalidArgument("accumulators hold half, float or double, not ", SignatureName(dtype));
  state->handle = c.resources().FindOrMake<AccumulatorHandle>(name, [&] {
    auto made = std::make_shared<AccumulatorHandle>();
    made->name = made->accumulator.name = name;
    made->dtype = DType::kString;
    made->accumulator.dtype = dtype;
    made->accumulator.shape = a.Get<Shape>("shape");
    made->accumulator.mean = a.String("reduction_type") == "MEAN";
    made->accumulator.sparse = sparse;
    const std::string parts[] = {a.String("container"), name};
    made->value = Tensor::Vector<std::string>(parts);
    return made;
  });
  if (!state->handle || state->handle->accumulator.dtype != dtype ||
      state->handle->accumulator.sparse != sparse)
    return InvalidArgument("the resource '", name, "' is not an accumulator of this kind");
  state->name = name;
  return std::unique_ptr<KernelState>(std::move(state));
}

// The value of a reference is the address of the variable.
Status GiveReference(KernelCtx& c) {
  Variable* variable = c.state<HandleState>().handle.get();
  c.SetOutput(0,
              Tensor::Scalar<int64_t>(static_cast<int64_t>(reinterpret_cast<intptr_t>(variable))));
  return {};
}

Status GiveResource(KernelCtx& c) {
  const auto& state = c.state<HandleState>();
  c.SetOutput(0, Tensor::Scalar(ResourceHandle{state.handle, state.name}));
  return {};
}

// Returns the accumulator behind input 0. Its kind and type must be as given, where kInvalid stands
// for any type.
Result<Accumulator*> AccumulatorOf(KernelCtx& c, std::optional<bool> sparse, DType dtype) {
  auto* handle = dynamic_cast<AccumulatorHandle*>(c.variable(0));
  if (!handle) return InvalidArgument("the handle is not that of an accumulator");
  Accumulator& a = handle->accumulator;
  if (sparse && a.sparse != *sparse)
    return InvalidArgument("the accumulator ", a.name, " takes ", a.sparse ? "sparse" : "dense",
                           " gradients");
  if (dtype != DType::kInvalid && a.dtype != dtype)
    return InvalidArgument("Expected gradient of type ", SignatureName(a.dtype), " but got ",
                           SignatureName(dtype));
  return &a;
}

Status ApplyDense(KernelCtx& c) {
  const Tensor& gradient = c.in(2);
  TENSH_ASSIGN(Accumulator * a, AccumulatorOf(c, false, gradient.dtype()));
  if (!a->shape.IsCompatibleWith(gradient.shape()))
    return InvalidArgument("Attempting to apply a gradient of shape ", gradient.shape(),
                           " to an accumulator of shape ", a->shape);
  return a->Apply(*c.in(1).data<int64_t>(), nullptr, gradient, gradient.shape());
}

struct KnownState : KernelState {
  bool known_shape;
  void Read(PrepareCtx& c) { known_shape = c.attrs().Bool("has_known_shape"); }
};

// The inputs are handle, local_step, gradient_indices, gradient_values and gradient_shape.
Status ApplySparse(KernelCtx& c) {
  const Tensor &indices = c.in(2), &values = c.in(3), &shape = c.in(4);
  TENSH_ASSIGN(Accumulator * a, AccumulatorOf(c, true, values.dtype()));
  if (indices.rank() != 1)
    return InvalidArgument("gradient_indices must be a vector, got shape ", indices.shape());
  if (values.rank() < 1 || values.dim(0) != indices.dim(0))
    return InvalidArgument("Leading dimensions of gradient_indices and gradient_values differ: ",
                           indices.shape(), " and ", values.shape());
  Shape whole = values.shape();
  whole.set_dim(0, -1);
  if (c.state<KnownState>().known_shape) {
    if (!IsVector(shape))
      return InvalidArgument("gradient_shape must be a vector, got shape ", shape.shape());
    TENSH_ASSIGN(const Shape given, ShapeFromTensor(shape));
    if (!given.IsCompatibleWith(whole))
      return InvalidArgument("the values have shape ", values.shape(),
                             ", which does not fit the gradient's shape ", given);
    whole = given;
  }
  if (!a->shape.IsCompatibleWith(whole))
    return InvalidArgument("Shape mismatch: expected shape rows of ", a->shape, ", got ", whole);
  const int64_t most = whole[0] >= 0 ? whole[0] : a->shape.rank() > 0 ? a->shape[0] : -1;
  for (int64_t i = 0; i < indices.num_elements(); ++i) {
    const int64_t at = IndexAt(indices, i);
    if (at < 0 || (most >= 0 && at >= most))
      return InvalidArgument("gradient_indices[", i, "] = ", at, " is out of range [0, ", most,
                             ")");
  }
  Shape row;
  for (int d = 1; d < values.rank(); ++d) row.Append(values.dim(d));
  return a->Apply(*c.in(1).data<int64_t>(), &indices, values, row);
}

Result<int64_t> Needed(KernelCtx& c) {
  if (c.in(1).rank() != 0)
    return InvalidArgument("Argument num_required must be a scalar, got shape ", c.in(1).shape());
  const int64_t n = IndexAt(c.in(1), 0);
  if (n <= 0) return InvalidArgument("Argument num_required must be positive, but was ", n);
  return n;
}

Status WriteRows(KernelCtx& c, int output, const Rows& rows, const Shape& shape) {
  TENSH_OUTPUT(out, c.Output(output, shape));
  int64_t at = 0;
  for (const auto& [index, row] : rows)
    for (double x : row.sum) SetElement(*out, at++, x);
  return {};
}

Status TakeDense(KernelCtx& c) {
  TENSH_ASSIGN(Accumulator * a, AccumulatorOf(c, false, c.out_dtype(0)));
  TENSH_ASSIGN(const int64_t needed, Needed(c));
  Rows rows;
  Shape row;
  TENSH_RETURN_IF_ERROR(a->Take(c, needed, &rows, &row));
  return WriteRows(c, 0, rows, row);
}

Status TakeSparse(KernelCtx& c) {
  TENSH_ASSIGN(Accumulator * a, AccumulatorOf(c, true, c.out_dtype(1)));
  TENSH_ASSIGN(const int64_t needed, Needed(c));
  Rows rows;
  Shape row;
  TENSH_RETURN_IF_ERROR(a->Take(c, needed, &rows, &row));
  const int64_t n = static_cast<int64_t>(rows.size());
  TENSH_OUTPUT(indices, c.Output(0, Shape({n})));
  int64_t at = 0;
  for (const auto& entry : rows) indices->data<int64_t>()[at++] = entry.first;
  Shape values({n});
  for (int64_t d : row.dims()) values.Append(d);
  TENSH_OUTPUT(shape, c.Output(2, Shape({values.rank()})));
  shape->data<int64_t>()[0] = a->shape.rank() > 0 ? a->shape[0] : -1;
  for (int d = 1; d < values.rank(); ++d) shape->data<int64_t>()[d] = values[d];
  return WriteRows(c, 1, rows, values);
}

Status CountOf(KernelCtx& c) {
  TENSH_ASSIGN(Accumulator * a, AccumulatorOf(c, std::nullopt, DType::kInvalid));
  TENSH_OUTPUT(out, c.Output(0, Shape()));
  *out->data<int32_t>() = static_cast<int32_t>(a->count());
  return {};
}

Status SetStep(KernelCtx& c) {
  TENSH_ASSIGN(Accumulator * a, AccumulatorOf(c, std::nullopt, DType::kInvalid));
  a->SetGlobalStep(*c.in(1).data<int64_t>());
  return {};
}

Status ReferenceShape(ShapeCtx& c) {
  c.Set(0, Shape({2}));
  return {};
}

constexpr char kTypes[] =
    "dtype: {float, double, int32, uint8, int16, int8, complex64, int64, bfloat16, uint16, "
    "complex128, half, uint32, uint64}";

struct Made {
  const char *name, *handle, *what;
  KernelFn give;
  ShapeFn shape;
};
constexpr Made kMade[] = {
    {"ConditionalAccumulator", "Ref(string)", "gradients", GiveReference, ReferenceShape},
    {"SparseConditionalAccumulator", "Ref(string)", "gradients for some rows", GiveReference,
     ReferenceShape},
    {"ResourceConditionalAccumulator", "resource", "gradients", GiveResource, ScalarOutput}};

void AddMakers(OpRegistry& r) {
  for (const Made& m : kMade)
    r.Op({.name = m.name,
          .outputs = StrCat("handle: ", m.handle),
          .attrs = StrCat(kTypes,
                          ", shape: shape, container: string = '', shared_name: string = '', "
                          "reduction_type: {'MEAN', 'SUM'} = 'MEAN'"),
          .doc = StrCat("Sums ", m.what,
                        ", of type dtype and the given shape, until they are taken. handle refers "
                        "to it. reduction_type: MEAN or SUM. Nodes with the same shared_name in "
                        "the same container refer to the same accumulator."),
          .shape = m.shape,
          .no_gradient = true,
          .stateful = true,
          .examples = {{StrCat("tf.raw_ops.", m.shape == ScalarOutput ? "Resource" : "",
                               "AccumulatorNumAccumulated(handle=tf.raw_ops.", m.name,
                               "(dtype=tf.float32, shape=[2]))"),
                        "0"}}})
        .CpuAny(m.give, PrepareMake);
}

// Registers the ops on dense accumulators for one kind of handle.
void AddDense(OpRegistry& r, bool resource) {
  const std::string prefix = resource ? "ResourceAccumulator" : "Accumulator";
  const std::string handle = StrCat("handle: ", resource ? "resource" : "Ref(string)");
  const std::string call = StrCat("(handle=tf.raw_ops.", resource ? "Resource" : "",
                                  "ConditionalAccumulator(dtype=tf.float32, shape=[2])");
  const auto example = [&](const char* what, const char* rest) {
    return Example{StrCat("tf.raw_ops.", prefix, what, call, rest), ""};
  };
  r.Op({.name = prefix + "ApplyGradient",
        .inputs = StrCat(handle, ", local_step: int64, gradient: dtype"),
        .attrs = kTypes,
        .doc = "Adds gradient, of type dtype, to the accumulator of handle, unless local_step is "
               "older than the accumulator's step.",
        .contract = "local_step: scalar",
        .shape = UnknownOutputs,
        .no_gradient = true,
        .stateful = resource,
        .examples = {example("ApplyGradient", ", local_step=0, gradient=[1., 2.])")}})
      .CpuAny(ApplyDense);
  r.Op({.name = prefix + "NumAccumulated",
        .inputs = handle,
        .outputs = "num_accumulated: int32",
        .doc = "The number of gradients in the accumulator of handle: num_accumulated.",
        .shape = ScalarOutput,
        .no_gradient = true,
        .stateful = resource,
        .examples = {{StrCat("tf.raw_ops.", prefix, "NumAccumulated", call, ")"), "0"}}})
      .CpuAny(CountOf);
  r.Op({.name = prefix + "SetGlobalStep",
        .inputs = StrCat(handle, ", new_global_step: int64"),
        .doc = "Sets the step of the accumulator of handle to new_global_step. Gradients of older "
               "steps are dropped.",
        .contract = "new_global_step: scalar",
        .shape = UnknownOutputs,
        .no_gradient = true,
        .stateful = resource,
        .examples = {example("SetGlobalStep", ", new_global_step=1)")}})
      .CpuAny(SetStep);
  r.Op({.name = prefix + "TakeGradient",
        .inputs = StrCat(handle, ", num_required: int32"),
        .outputs = "average: dtype",
        .attrs = kTypes,
        .doc = "Takes the mean (or sum) out of the accumulator of handle, of type dtype, after "
               "waiting for num_required gradients, and increments its step.",
        .contract = "num_required: scalar at build",
        .shape = UnknownOutputs,
        .no_gradient = true,
        .stateful = resource,
        .waits_for = WaitsFor::kElements,
        .examples = {{StrCat("[tf.raw_ops.", prefix, "ApplyGradient(handle=(a := tf.raw_ops.",
                             resource ? "Resource" : "",
                             "ConditionalAccumulator(dtype=tf.float32, shape=[2])), local_step=0, "
                             "gradient=[1., 2.]), tf.raw_ops.",
                             prefix, "TakeGradient(handle=a, num_required=1, dtype=tf.float32)]"),
                      "[None, array([1., 2.], dtype=float32)]"}}})
      .CpuAny(TakeDense);
}

void AddSparse(OpRegistry& r) {
  static constexpr char kCall[] =
      "(handle=tf.raw_ops.SparseConditionalAccumulator(dtype=tf.float32, shape=[2])";
  r.Op({.name = "SparseAccumulatorApplyGradient",
        .inputs = "handle: Ref(string), local_step: int64, gradient_indices: int64, "
                  "gradient_values: dtype, gradient_shape: int64",
        .attrs = StrCat(kTypes, ", has_known_shape: bool"),
        .doc = "Adds rows to the accumulator of handle, unless local_step is older than its step. "
               "gradient_indices are the row numbers of gradient_values, of type dtype. "
               "gradient_shape is the shape of the whole gradient; has_known_shape tells whether "
               "it is given.",
        .contract = "local_step: scalar",
        .shape = UnknownOutputs,
        .no_gradient = true,
        .examples = {{StrCat("tf.raw_ops.SparseAccumulatorApplyGradient", kCall,
                             ", local_step=0, gradient_indices=[0], gradient_values=[1.], "
                             "gradient_shape=[2], has_known_shape=True)"),
                      ""}}})
      .CpuAny(ApplySparse, PrepareFrom<KnownState>);
  r.Op({.name = "SparseAccumulatorTakeGradient",
        .inputs = "handle: Ref(string), num_required: int32",
        .outputs = "indices: int64, values: dtype, shape: int64",
        .attrs = kTypes,
        .doc = "Takes the mean (or sum) of each row out of the accumulator of handle, after "
               "waiting for num_required gradients: indices, values, of type dtype, and shape.",
        .shape = UnknownOutputs,
        .no_gradient = true,
        .waits_for = WaitsFor::kElements,
        .examples = {{"[tf.raw_ops.SparseAccumulatorApplyGradient(handle=(a := tf.raw_ops."
                      "SparseConditionalAccumulator(dtype=tf.float32, shape=[2])), local_step=0, "
                      "gradient_indices=[0], gradient_values=[1.], gradient_shape=[2], "
                      "has_known_shape=True), tf.raw_ops.SparseAccumulatorTakeGradient(handle=a, "
                      "num_required=1, dtype=tf.float32).values]",
                      "[None, array([1.], dtype=float32)]"}}})
      .CpuAny(TakeSparse);
}

}  // namespace

TENSH_OPS(data_flow_accumulators) {
  AddMakers(r);
  AddDense(r, false);
  AddDense(r, true);
  AddSparse(r);
}

}  // namespace tensh::ops
