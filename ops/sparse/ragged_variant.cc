// RaggedTensorToVariant, RaggedTensorFromVariant and RaggedTensorToVariantGradient: ragged tensors
// as elements of type variant. tf.map_fn loops over ragged tensors in this form.
#include <utility>

#include "ops/op_file.h"
#include "ops/support/array_copy.h"
#include "ops/support/prepare.h"
#include "ops/support/shape_util.h"
#include "runtime/core/variant.h"

namespace tensh::ops {
namespace {

class RaggedValue : public VariantValue {
 public:
  static constexpr char kTypeName[] = "RaggedTensorVariant";
  RaggedValue(std::vector<Tensor> splits, Tensor values)
      : splits(std::move(splits)), values(std::move(values)) {}
  const char* kind() const override { return "RaggedTensorVariant"; }
  Result<VariantFields> Fields() const override {
    VariantFields fields{kTypeName, "", splits};
    fields.tensors.push_back(values);
    return fields;
  }
  static Result<std::shared_ptr<VariantValue>> Read(VariantFields fields) {
    if (fields.tensors.empty()) return InvalidArgument("a RaggedTensorVariant has no tensors");
    Tensor values = std::move(fields.tensors.back());
    fields.tensors.pop_back();
    return {std::make_shared<RaggedValue>(std::move(fields.tensors), std::move(values))};
  }

  std::vector<Tensor> splits;  // the row splits of each level, the outermost first
  Tensor values;
};

using Splits = std::vector<int64_t>;

// Returns the row splits in `t`, which must be a vector in ascending order that begins with 0 and
// ends with `below`, unless that is negative.
Result<Splits> ReadSplits(const Tensor& t, int64_t below) {
  if (t.rank() != 1 || !t.num_elements())
    return InvalidArgument("Ragged splits must be a vector with elements, got shape ", t.shape());
  Splits s = IndexValues(t);
  if (s[0]) return InvalidArgument("Ragged splits must start with 0, not with ", s[0]);
  if (!std::is_sorted(s.begin(), s.end()))
    return InvalidArgument("Ragged splits must be in ascending order");
  if (below >= 0 && s.back() != below)
    return InvalidArgument("Ragged splits must end with the number of rows of the next level, ",
                           below, ", not with ", s.back());
  return s;
}

// Returns the rows [begin, end) of a tensor. They are copied, so that the result does not keep the
// whole tensor alive.
Result<Tensor> CopyRows(const Tensor& t, int64_t begin, int64_t end) {
  Shape shape = t.shape();
  shape.set_dim(0, end - begin);
  TENSH_ASSIGN(Tensor rows, Tensor::Make(t.dtype(), shape));
  const int64_t each = t.dim(0) ? t.num_elements() / t.dim(0) : 0;
  if (rows.num_elements())
    CopyElements(t.dtype(), rows.raw(), At(t, begin * each), rows.num_elements());
  return rows;
}

// ---- to variants ----

struct BatchedState : KernelState {
  bool batched = false;
  void Read(PrepareCtx& c) { batched = c.attrs().Bool("batched_input"); }
};

// The row splits of a ragged tensor, whose rows become the elements of the result.
Status GiveRows(KernelCtx& c, const std::vector<Splits>& splits, const Tensor& values) {
  const int64_t n = static_cast<int64_t>(splits[0].size()) - 1;
  TENSH_OUTPUT(out, c.Output(0, Shape({n})));
  for (int64_t row = 0; row < n; ++row) {
    int64_t begin = splits[0][static_cast<size_t>(row)];
    int64_t end = splits[0][static_cast<size_t>(row) + 1];
    std::vector<Tensor> inner;
    for (size_t level = 1; level < splits.size(); ++level) {
      const Splits& all = splits[level];
      const int64_t first = all[static_cast<size_t>(begin)];
      Splits part;
      for (int64_t i = begin; i <= end; ++i) part.push_back(all[static_cast<size_t>(i)] - first);
      inner.push_back(IndexVector(c.in(0).dtype(), part));
      end = all[static_cast<size_t>(end)];
      begin = first;
    }
    TENSH_ASSIGN(Tensor rows, CopyRows(values, begin, end));
    out->data<Variant>()[row].value =
        std::make_shared<RaggedValue>(std::move(inner), std::move(rows));
  }
  return {};
}

Status ToVariant(KernelCtx& c) {
  const int levels = c.num_inputs() - 1;
  const Tensor& values = c.in(levels);
  if (!c.state<BatchedState>().batched) {
    std::vector<Tensor> splits;
    for (int i = 0; i < levels; ++i) splits.push_back(c.in(i));
    TENSH_OUTPUT(out, c.Output(0, Shape()));
    out->data<Variant>()->value = std::make_shared<RaggedValue>(std::move(splits), values);
    return {};
  }
  if (!levels)
    return InvalidArgument(
        "batched_input needs the row splits of a batch; rt_nested_splits is "
        "empty");
  if (values.rank() < 1)
    return InvalidArgument("rt_dense_values must have rank >= 1, got shape ", values.shape());
  std::vector<Splits> splits(static_cast<size_t>(levels));
  int64_t below = values.dim(0);
  for (int i = levels - 1; i >= 0; --i) {
    TENSH_ASSIGN(splits[static_cast<size_t>(i)], ReadSplits(c.in(i), below));
    below = c.in(i).dim(0) - 1;
  }
  return GiveRows(c, splits, values);
}

Status ToVariantShape(ShapeCtx& c) {
  if (!c.attrs().Bool("batched_input")) return ScalarOutput(c);
  if (c.num_inputs() < 2) return {};
  TENSH_RETURN_IF_ERROR(c.WithRank(0, 1));
  const int64_t n = c.in(0).has_rank() ? c.in(0)[0] : -1;
  c.Set(0, Shape({n < 0 ? -1 : std::max<int64_t>(n - 1, 0)}));
  return {};
}

// ---- from variants ----

struct FromState : KernelState {
  int64_t input_rank = -1, output_rank = 0;  // numbers of ragged dimensions; -1 follows from others
  DType values = DType::kFloat, splits = DType::kInt64;
  void Read(PrepareCtx& c) {
    input_rank = c.attrs().Int("input_ragged_rank");
    output_rank = c.attrs().Int("output_ragged_rank");
    values = c.attrs().Type("Tvalues");
    splits = c.attrs().Type("Tsplits");
  }
};

using Parts = std::vector<std::shared_ptr<RaggedValue>>;

// Returns the element at `index` if it is a ragged tensor of these types and levels.
Result<std::shared_ptr<RaggedValue>> PartOf(const Variant& element, int64_t index,
                                            const FromState& s, int64_t levels) {
  auto part = std::dynamic_pointer_cast<RaggedValue>(element.value);
  if (!part)
    return InvalidArgument("Input Variant element at index ", index,
                           " doesn't hold a RaggedTensorVariant: ",
                           element.value ? element.value->kind() : "uninitialized");
  if (static_cast<int64_t>(part->splits.size()) != levels)
    return InvalidArgument("Encoded input RaggedTensorVariant has ragged_rank=",
                           part->splits.size(), ".  Expected ragged_rank=", levels, ".");
  if (part->values.dtype() != s.values)
    return InvalidArgument("Expected values Tensor dtype: ", Name(s.values),
                           ", found: ", Name(part->values.dtype()));
  if (part->values.rank() < 1)
    return InvalidArgument("Ragged values must have rank >= 1; encoded scalar element at index ",
                           index, " has values of shape ", part->values.shape());
  for (const Tensor& splits : part->splits)
    if (splits.dtype() != s.splits)
      return InvalidArgument("Expected row_splits Tensor dtype: ", Name(s.splits),
                             ", found: ", Name(splits.dtype()));
  return part;
}

// Sets output `o`, the values of all parts, one after the other. Without parts, their shape is [0].
Status GiveValues(KernelCtx& c, int o, const Parts& parts) {
  Shape shape({0});
  if (!parts.empty()) shape = parts[0]->values.shape();
  int64_t rows = 0;
  for (size_t i = 0; i < parts.size(); ++i) {
    const Shape& part = parts[i]->values.shape();
    if (part.rank() != shape.rank())
      return InvalidArgument(
          "Rank of values must match for all components; values shape at index "
          "0: ",
          parts[0]->values.shape(), ", values shape at index ", i, ": ", part);
    for (int d = 1; d < shape.rank(); ++d)
      if (part[d] != shape[d])
        return InvalidArgument(
            "Shapes of values must match for all components; values shape at "
            "index 0: ",
            parts[0]->values.shape(), ", values shape at index ", i, ": ", part);
    rows += part[0];
  }
  shape.set_dim(0, rows);
  TENSH_OUTPUT(out, c.Output(o, shape));
  int64_t at = 0;
  for (const auto& part : parts) {
    const int64_t n = part->values.num_elements();
    if (n) CopyElements(out->dtype(), At(*out, at), part->values.raw(), n);
    at += n;
  }
  return {};
}

// Sets the splits of the levels that lie inside of the parts, and returns the number of rows of the
// outermost of these levels in each part.
Result<Splits> GiveInnerSplits(KernelCtx& c, int first, const Parts& parts, int64_t levels) {
  std::vector<Splits> joined(static_cast<size_t>(levels), Splits{0});
  Splits rows;
  for (const auto& part : parts) {
    int64_t below = part->values.dim(0);
    for (int64_t level = levels - 1; level >= 0; --level) {
      const auto l = static_cast<size_t>(level);
      TENSH_ASSIGN(const Splits splits, ReadSplits(part->splits[l], below));
      const int64_t offset = joined[l].back();
      for (size_t k = 1; k < splits.size(); ++k) joined[l].push_back(splits[k] + offset);
      below = static_cast<int64_t>(splits.size()) - 1;
    }
    rows.push_back(below);
  }
  for (size_t l = 0; l < joined.size(); ++l)
    c.SetOutput(first + static_cast<int>(l), IndexVector(c.out_dtype(first), joined[l]));
  return rows;
}

Status FromVariant(KernelCtx& c) {
  const auto& s = c.state<FromState>();
  const Tensor& encoded = c.in(0);
  const int rank = encoded.rank();
  const int64_t levels = s.input_rank < 0 ? s.output_rank - rank : s.input_rank;
  if (levels < 0)
    return InvalidArgument(
        "Inferred input_ragged_rank (output_ragged_rank - "
        "encoded_variant.dims()) must be >= 0, found output_ragged_rank: ",
        s.output_rank, ", encoded_variant.dims(): ", rank);
  if (s.output_rank != rank + levels)
    return InvalidArgument(
        "output_ragged_rank must be equal to input_ragged_rank + "
        "encoded_ragged.dims(); output_ragged_rank: ",
        s.output_rank, ", input_ragged_rank: ", levels, ", encoded_variant.dims(): ", rank);
  Parts parts;
  for (int64_t i = 0; i < encoded.num_elements(); ++i) {
    TENSH_ASSIGN(auto part, PartOf(encoded.data<Variant>()[i], i, s, levels));
    parts.push_back(std::move(part));
  }
  if (!rank) {
    int o = 0;
    for (const Tensor& splits : parts[0]->splits) c.SetOutput(o++, splits);
    c.SetOutput(o, parts[0]->values);
    return {};
  }
  // The dimensions of the input before the last become levels of equal rows.
  int64_t above = 1;
  for (int d = 0; d + 1 < rank; ++d) {
    above *= encoded.dim(d);
    Splits uniform;
    for (int64_t k = 0; k <= above; ++k) uniform.push_back(k * encoded.dim(d + 1));
    c.SetOutput(d, IndexVector(c.out_dtype(0), uniform));
  }
  TENSH_ASSIGN(const Splits rows, GiveInnerSplits(c, rank, parts, levels));
  Splits last = {0};
  for (const int64_t n : rows) last.push_back(last.back() + n);
  c.SetOutput(rank - 1, IndexVector(c.out_dtype(0), last));
  return GiveValues(c, c.num_outputs() - 1, parts);
}

Status FromVariantShape(ShapeCtx& c) {
  const int64_t given = c.attrs().Int("input_ragged_rank"),
                output = c.attrs().Int("output_ragged_rank");
  if (given >= 0 && output >= given && output - given <= Shape::kMaxRank)
    TENSH_RETURN_IF_ERROR(c.WithRank(0, static_cast<int>(output - given)));
  for (int i = 0; i + 1 < c.num_outputs(); ++i) c.Set(i, Shape({-1}));
  return {};
}

// ---- gradients ----

Status FromVariantBack(GradScope& g) {
  const Shape encoded = g.shape(g.x(0));
  if (encoded.has_rank() && encoded.rank() > 1)
    return Unimplemented(
        "RaggedTensorFromVariant has a gradient only for a scalar or a vector, got "
        "shape ",
        encoded);
  const int last = g.num_outputs() - 1;
  std::vector<Out> parts;
  for (int i = 0; i < last; ++i) parts.push_back(g.y(i));
  parts.push_back(g.dy(last));
  const bool batched = encoded.has_rank() ? encoded.rank() == 1 : last > 0;
  return g.Return({g.OpN("RaggedTensorToVariant", parts,
                         {{"RAGGED_RANK", static_cast<int64_t>(last)},
                          {"Tsplits", g.attrs().Type("Tsplits")},
                          {"batched_input", batched}})});
}

// Returns the number of elements of the gradient of row `i` if no gradient flows to it.
int64_t MissingElements(const Splits& splits, size_t i, const Shape& shape) {
  if (i + 1 >= splits.size() || !shape.rank() || !shape[0]) return 0;
  const int64_t rows = std::clamp<int64_t>(splits[i + 1] - splits[i], 0, shape[0]);
  return rows * (shape.num_elements() / shape[0]);
}

// The gradient of the values: those of all parts, one after the other.
Status ToVariantGradient(KernelCtx& c) {
  const Tensor& encoded = c.in(0);
  const Splits splits = IndexValues(c.in(1));
  TENSH_ASSIGN(const Shape shape, ShapeFromTensor(c.in(2)));
  TENSH_OUTPUT(out, c.Output(0, shape));
  ZeroElements(c, out->dtype(), out->raw(), out->num_elements());
  int64_t at = 0;
  for (int64_t i = 0; i < encoded.num_elements(); ++i) {
    const auto part = std::dynamic_pointer_cast<RaggedValue>(encoded.data<Variant>()[i].value);
    if (!part) {
      at += MissingElements(splits, static_cast<size_t>(i), shape);
      continue;
    }
    if (part->values.dtype() != out->dtype())
      return InvalidArgument("Expected values Tensor dtype: ", Name(out->dtype()),
                             ", found: ", Name(part->values.dtype()));
    const int64_t count = part->values.num_elements();
    if (at + count > out->num_elements())
      return InvalidArgument("the parts of encoded_ragged_grad have more elements than shape ",
                             shape);
    if (count) CopyElements(out->dtype(), At(*out, at), part->values.raw(), count);
    at += count;
  }
  return {};
}

Status GradientShape(ShapeCtx& c) {
  TENSH_ASSIGN(const Shape shape, ShapeInput(c, 2));
  c.Set(0, shape);
  return {};
}

Status ToVariantBack(GradScope& g) {
  const int levels = g.num_inputs() - 1;
  const Out values = g.x(levels);
  const Out splits = levels ? g.x(0) : ConstInt(g, 0, "row_splits", g.attrs().Type("Tsplits"));
  std::vector<Out> gradients(static_cast<size_t>(levels));
  gradients.push_back(g.Op("RaggedTensorToVariantGradient", {g.dy(), splits, ShapeOf(g, values)},
                           {{"Tvalues", g.dtype(values)}}));
  return g.Return(std::move(gradients));
}

}  // namespace

TENSH_OPS(sparse_ragged_variant) {
  AddVariantReader(RaggedValue::kTypeName, RaggedValue::Read);
  r.Op({.name = "RaggedTensorToVariant",
        .inputs = "rt_nested_splits: RAGGED_RANK * Tsplits, rt_dense_values: Tvalues",
        .outputs = "encoded_ragged: variant",
        .attrs = "RAGGED_RANK: int >= 0, Tvalues: type, Tsplits: {int32, int64} = int64, "
                 "batched_input: bool",
        .doc = "Makes a ragged tensor an element of type variant. rt_nested_splits, RAGGED_RANK "
               "vectors of type Tsplits, are its row splits; rt_dense_values, of type Tvalues, its "
               "values. batched_input: make each row an element; encoded_ragged then is a vector.",
        .contract = "rt_nested_splits: vector",
        .shape = ToVariantShape,
        .grad = ToVariantBack,
        .examples = {{"tf.raw_ops.RaggedTensorFromVariant(encoded_ragged=tf.raw_ops."
                      "RaggedTensorToVariant(rt_nested_splits=[tf.constant([0, 2, 3], tf.int64)], "
                      "rt_dense_values=[5, 6, 7], batched_input=True)[1], input_ragged_rank=0, "
                      "output_ragged_rank=0, Tvalues=tf.int32)[-1]",
                      "[7]"}}})
      .CpuAny(ToVariant, PrepareFrom<BatchedState>);
  r.Op({.name = "RaggedTensorFromVariant",
        .inputs = "encoded_ragged: variant",
        .outputs = "output_nested_splits: output_ragged_rank * Tsplits, "
                   "output_dense_values: Tvalues",
        .attrs = "input_ragged_rank: int >= -1, output_ragged_rank: int >= 0, Tvalues: type, "
                 "Tsplits: {int32, int64} = int64",
        .doc = "The ragged tensor that elements of type variant consist of. encoded_ragged: ragged "
               "tensors with input_ragged_rank ragged dimensions; each dimension of this tensor "
               "adds one. output_nested_splits: the row splits of the result, of type Tsplits. "
               "output_dense_values: its values, of type Tvalues. output_ragged_rank: the number "
               "of its ragged dimensions. An input_ragged_rank of -1 is the difference.",
        .shape = FromVariantShape,
        .grad = FromVariantBack,
        .examples = {{"tf.raw_ops.RaggedTensorFromVariant(encoded_ragged=tf.raw_ops."
                      "RaggedTensorToVariant(rt_nested_splits=[tf.constant([0, 2, 3], tf.int64)], "
                      "rt_dense_values=[5, 6, 7], batched_input=True), input_ragged_rank=0, "
                      "output_ragged_rank=1, Tvalues=tf.int32)[0]",
                      "[0 2 3]"}}})
      .CpuAny(FromVariant, PrepareFrom<FromState>);
  r.Op({.name = "RaggedTensorToVariantGradient",
        .inputs = "encoded_ragged_grad: variant, row_splits: Tsplits, dense_values_shape: int32",
        .outputs = "dense_values_grad: Tvalues",
        .attrs = "Tvalues: type, Tsplits: {int32, int64} = int64",
        .doc = "The gradient of RaggedTensorToVariant. encoded_ragged_grad: the gradients of its "
               "elements. row_splits: the outermost row splits, of type Tsplits. "
               "dense_values_shape: the shape of its values, of type "
               "Tvalues.",
        .contract = "row_splits: rank 0..1, dense_values_shape: vector",
        .shape = GradientShape,
        .no_gradient = true,
        .examples = {{"tf.raw_ops.RaggedTensorToVariantGradient(encoded_ragged_grad=tf.raw_ops."
                      "RaggedTensorToVariant(rt_nested_splits=[tf.constant([0, 2, 3], tf.int64)], "
                      "rt_dense_values=[5., 6., 7.], batched_input=True), row_splits=tf.constant("
                      "[0, 2, 3], tf.int64), dense_values_shape=[3], Tvalues=tf.float32)",
                      "[5. 6. 7.]"}}})
      .CpuAny(ToVariantGradient);
}

}  // namespace tensh::ops
