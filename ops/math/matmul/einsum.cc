// Einsum for one or two inputs: sums products over the labels that the output does not have. A
// repeated label in an input addresses a diagonal, which adds the strides. Every product becomes a
// batch of matrix products.
#include <map>

#include "ops/math/matmul/einsum.h"
#include "ops/math/matmul/gemm.h"
#include "ops/math/reduce/reduce_loops.h"
#include "ops/op_file.h"
#include "ops/support/array_copy.h"
#include "ops/support/complex_types.h"
#include "ops/support/reducers.h"
#include "ops/support/shape_util.h"

namespace tensh::ops {
namespace {

constexpr char kEllipsis[] = "...";
// The dimensions of an ellipsis, which broadcast, get numeric labels, counted from the right.
constexpr int kFirstEllipsis = 256;

struct Equation {
  std::vector<std::string> inputs;
  std::string output;
};

Status CheckSubscripts(const std::string& text) {
  const size_t at = text.find(kEllipsis);
  for (size_t i = 0; i < text.size(); ++i)
    if (text[i] == '.' && (at == text.npos || i < at || i >= at + 3))
      return InvalidArgument("Periods found outside of ellipsis in subscripts: ", text);
  return {};
}

Result<Equation> ParseEquation(std::string text, int inputs) {
  std::erase(text, ' ');
  const size_t arrow = text.find("->");
  if (arrow == text.npos || text.find("->", arrow + 2) != text.npos)
    return InvalidArgument("Expecting exactly one '->' in einsum equation: ", text);
  Equation e;
  e.output = text.substr(arrow + 2);
  for (size_t begin = 0; begin <= arrow;) {
    const size_t end = std::min(text.find(',', begin), arrow);
    e.inputs.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  if (e.inputs.size() > 2)
    return InvalidArgument("Expecting 1 or 2 input subscripts in equation '", text,
                           "' but got: ", e.inputs.size());
  if (static_cast<int>(e.inputs.size()) != inputs)
    return InvalidArgument("Expected ", e.inputs.size(), " inputs for equation ", text,
                           " but got: ", inputs);
  for (const std::string& subscripts : e.inputs) TENSH_RETURN_IF_ERROR(CheckSubscripts(subscripts));
  TENSH_RETURN_IF_ERROR(CheckSubscripts(e.output));
  return e;
}

// Returns one label per dimension. `ellipsis` is the number of dimensions that the ellipsis covers.
std::vector<int> Labels(const std::string& subscripts, int ellipsis) {
  std::vector<int> out;
  for (size_t i = 0; i < subscripts.size(); ++i) {
    if (subscripts[i] != '.') {
      out.push_back(static_cast<unsigned char>(subscripts[i]));
      continue;
    }
    for (int d = ellipsis; d-- > 0;) out.push_back(kFirstEllipsis + d);
    i += 2;
  }
  return out;
}

bool HasEllipsis(const std::string& subscripts) { return subscripts.find('.') != subscripts.npos; }

// Returns the number of dimensions that the ellipsis covers in an input of this rank.
Result<int> EllipsisRank(const std::string& subscripts, int rank) {
  const bool ellipsis = HasEllipsis(subscripts);
  const int named = static_cast<int>(subscripts.size()) - (ellipsis ? 3 : 0);
  if (ellipsis ? rank < named : rank != named)
    return InvalidArgument("Expected input of rank ", ellipsis ? "at least " : "", named,
                           " for subscripts '", subscripts, "', got rank ", rank);
  return ellipsis ? rank - named : 0;
}

using Extents = std::map<int, int64_t>;

// An input with each label occurring once.
struct Side {
  std::vector<int> labels;
  std::vector<int64_t> strides;  // in elements
  int64_t StrideOf(int label) const {
    for (size_t i = 0; i < labels.size(); ++i)
      if (labels[i] == label) return strides[i];
    return 0;
  }
  bool Has(int label) const {
    return std::find(labels.begin(), labels.end(), label) != labels.end();
  }
};

struct Sums {
  std::vector<Side> sides;
  std::vector<int> output;
  Extents extents;
};

Status NoteExtent(Extents& extents, int label, int64_t extent) {
  auto [it, added] = extents.emplace(label, extent);
  if (added || it->second == extent) return {};
  if (label >= kFirstEllipsis && (extent == 1 || it->second == 1)) {
    it->second = extent == 1 ? it->second : extent;
    return {};
  }
  if (label >= kFirstEllipsis)
    return InvalidArgument("Invalid broadcasting dimensions: ", it->second, " and ", extent);
  return InvalidArgument("Expected dimension ", it->second, " for label '",
                         std::string(1, static_cast<char>(label)), "' but got dimension ", extent);
}

Result<Sums> ReadSums(KernelCtx& c, const Equation& e) {
  Sums sums;
  std::vector<std::vector<int>> labels;
  int most = 0;
  for (int i = 0; i < c.num_inputs(); ++i) {
    const std::string& subscripts = e.inputs[static_cast<size_t>(i)];
    TENSH_ASSIGN(const int ellipsis, EllipsisRank(subscripts, c.in(i).rank()));
    most = std::max(most, ellipsis);
    labels.push_back(Labels(subscripts, ellipsis));
    for (int d = 0; d < c.in(i).rank(); ++d)
      TENSH_RETURN_IF_ERROR(
          NoteExtent(sums.extents, labels.back()[static_cast<size_t>(d)], c.in(i).dim(d)));
  }
  if (most && !HasEllipsis(e.output))
    return InvalidArgument("the output subscripts '", e.output,
                           "' have no ellipsis for the broadcast dimensions of the inputs");
  sums.output = Labels(e.output, most);
  for (int label : sums.output)
    if (!sums.extents.count(label))
      return InvalidArgument("Einsum output subscripts have label '",
                             std::string(1, static_cast<char>(label)),
                             "' which is not present in the input subscripts");
  for (int i = 0; i < c.num_inputs(); ++i) {
    const Strides strides(c.in(i).shape());
    Side side;
    for (int d = 0; d < c.in(i).rank(); ++d) {
      const int label = labels[static_cast<size_t>(i)][static_cast<size_t>(d)];
      if (c.in(i).dim(d) != sums.extents[label]) continue;  // broadcast: the stride is 0
      const auto found = std::find(side.labels.begin(), side.labels.end(), label);
      if (found != side.labels.end()) {
        side.strides[static_cast<size_t>(found - side.labels.begin())] += strides[d];
        continue;
      }
      side.labels.push_back(label);
      side.strides.push_back(strides[d]);
    }
    sums.sides.push_back(std::move(side));
  }
  return sums;
}

int64_t Product(const Extents& extents, const std::vector<int>& labels) {
  int64_t n = 1;
  for (int label : labels) n *= extents.at(label);
  return n;
}

// Returns the elements of t, contiguously, in the order of `labels`, which are all labels of the
// side.
Result<Tensor> Ordered(KernelCtx& c, const Tensor& t, const Side& side, const Extents& extents,
                       const std::vector<int>& labels) {
  BoxCopy box;
  int64_t step = Product(extents, labels);
  const int64_t n = step;
  bool dense = n == t.num_elements();
  for (int label : labels) {
    const int64_t extent = extents.at(label);
    step = extent ? step / extent : 0;
    box.Add(extent, side.StrideOf(label), step);
    dense = dense && (extent == 1 || side.StrideOf(label) == step);
  }
  if (dense) return t;
  TENSH_ASSIGN(Tensor out, Tensor::Make(t.dtype(), Shape({n}), c.allocator()));
  if (n) CopyBox(c, t.dtype(), out.raw(), t.raw(), box);
  return out;
}

// Like Ordered by `kept`, but sums over the other labels.
Result<Tensor> Arrange(KernelCtx& c, const EinsumMaths& maths, const Tensor& t, const Side& side,
                       const Extents& extents, const std::vector<int>& kept) {
  std::vector<int> all = kept, summed;
  for (int label : side.labels)
    if (std::find(kept.begin(), kept.end(), label) == kept.end()) summed.push_back(label);
  all.insert(all.end(), summed.begin(), summed.end());
  TENSH_ASSIGN(Tensor packed, Ordered(c, t, side, extents, all));
  if (summed.empty()) return packed;
  const int64_t rows = Product(extents, kept), run = Product(extents, summed);
  TENSH_ASSIGN(Tensor out, Tensor::Make(t.dtype(), Shape({rows}), c.allocator()));
  TENSH_RETURN_IF_ERROR(maths.sum(c, packed, run, out));
  return out;
}

// The labels of a product of two sides, by their role.
struct Roles {
  std::vector<int> batch, left, right, summed;
  std::vector<int> All() const {
    std::vector<int> out = batch;
    out.insert(out.end(), left.begin(), left.end());
    out.insert(out.end(), right.begin(), right.end());
    return out;
  }
};

std::vector<int> Join(const std::vector<int>& a, const std::vector<int>& b,
                      const std::vector<int>& c) {
  std::vector<int> out = a;
  out.insert(out.end(), b.begin(), b.end());
  out.insert(out.end(), c.begin(), c.end());
  return out;
}

Roles RolesOf(const Sums& sums) {
  Roles roles;
  const Side &a = sums.sides[0], &b = sums.sides[1];
  for (int label : sums.output) {
    auto& list = a.Has(label) ? (b.Has(label) ? roles.batch : roles.left) : roles.right;
    if (std::find(list.begin(), list.end(), label) == list.end()) list.push_back(label);
  }
  for (int label : a.labels)
    if (b.Has(label) &&
        std::find(sums.output.begin(), sums.output.end(), label) == sums.output.end())
      roles.summed.push_back(label);
  return roles;
}

// Returns the product with the labels in the order batch, left, right.
Result<Tensor> Multiply(KernelCtx& c, const EinsumMaths& maths, const Sums& sums, const Roles& r) {
  TENSH_ASSIGN(const Tensor a, Arrange(c, maths, c.in(0), sums.sides[0], sums.extents,
                                       Join(r.batch, r.left, r.summed)));
  TENSH_ASSIGN(const Tensor b, Arrange(c, maths, c.in(1), sums.sides[1], sums.extents,
                                       Join(r.batch, r.summed, r.right)));
  const GemmDims d{false, false, Product(sums.extents, r.left), Product(sums.extents, r.right),
                   Product(sums.extents, r.summed)};
  const int64_t dims[] = {Product(sums.extents, r.batch), d.m, d.n};
  TENSH_ASSIGN(const Shape shape, Shape::Make(dims, true));
  TENSH_ASSIGN(Tensor out, Tensor::Make(c.out_dtype(0), shape, c.allocator()));
  if (out.num_elements()) TENSH_RETURN_IF_ERROR(maths.multiply(c, d, dims[0], a, b, out));
  return out;
}

struct EinsumState : KernelState {
  Equation equation;
};

// Stores `result`, whose labels are in `order`, as output 0.
Status Write(KernelCtx& c, const Sums& sums, const std::vector<int>& order, const Shape& shape,
             const Tensor& result) {
  if (order == sums.output && result.num_elements() == shape.num_elements()) {
    c.SetOutput(0, result.Reshaped(shape));
    return {};
  }
  TENSH_OUTPUT(out, c.Output(0, shape));
  if (!out->num_elements()) return {};
  // If a label occurs twice in the output, only a diagonal is written and the rest is zero.
  if (order.size() != sums.output.size())
    ZeroElements(c, out->dtype(), out->raw(), out->num_elements());
  const Strides strides(shape);
  BoxCopy box;
  int64_t step = result.num_elements();
  for (int label : order) {
    int64_t to = 0;
    for (size_t i = 0; i < sums.output.size(); ++i)
      if (sums.output[i] == label) to += strides[static_cast<int>(i)];
    step /= sums.extents.at(label);
    box.Add(sums.extents.at(label), step, to);
  }
  CopyBox(c, out->dtype(), out->raw(), result.raw(), box);
  return {};
}

}  // namespace

Result<std::unique_ptr<KernelState>> PrepareEinsum(PrepareCtx& c) {
  auto state = std::make_unique<EinsumState>();
  TENSH_ASSIGN(state->equation, ParseEquation(c.attrs().String("equation"), c.num_inputs()));
  return std::unique_ptr<KernelState>(std::move(state));
}

Status RunEinsum(KernelCtx& c, const EinsumMaths& maths) {
  TENSH_ASSIGN(const Sums sums, ReadSums(c, c.state<EinsumState>().equation));
  std::vector<int64_t> dims;
  for (int label : sums.output) dims.push_back(sums.extents.at(label));
  TENSH_ASSIGN(const Shape shape, Shape::Make(dims, true));
  std::vector<int> order;
  Tensor result;
  if (sums.sides.size() == 1) {
    for (int label : sums.output)
      if (std::find(order.begin(), order.end(), label) == order.end()) order.push_back(label);
    TENSH_ASSIGN(result, Arrange(c, maths, c.in(0), sums.sides[0], sums.extents, order));
  } else {
    const Roles roles = RolesOf(sums);
    order = roles.All();
    TENSH_ASSIGN(result, Multiply(c, maths, sums, roles));
  }
  return Write(c, sums, order, shape, result);
}

namespace {

struct Einsum {
  template <class T>
  Status operator()(KernelCtx& c) const {
    return RunEinsum(c, {SumRuns<T>, Products<T>});
  }

  template <class T>
  static Status SumRuns(KernelCtx& c, const Tensor& packed, int64_t run, const Tensor& out) {
    const T* from = packed.data<T>();
    T* to = out.data<T>();
    c.ParallelFor(out.num_elements(), 2 + 0.3 * static_cast<double>(run),
                  [&](int64_t begin, int64_t end) {
                    for (int64_t i = begin; i < end; ++i)
                      to[i] = ReduceAll<T, SumReducer<T>>(from + i * run, run);
                  });
    return {};
  }
  template <class T>
  static Status Products(KernelCtx& c, const GemmDims& d, int64_t batch, const Tensor& a,
                         const Tensor& b, const Tensor& to) {
    for (int64_t i = 0; i < batch && !c.cancelled(); ++i)
      Gemm(c, d, a.data<T>() + i * d.m * d.k, b.data<T>() + i * d.k * d.n,
           to.data<T>() + i * d.m * d.n);
    return {};
  }
};

// ---- shape ----

Status EinsumShape(ShapeCtx& c) {
  TENSH_ASSIGN(const Equation e, ParseEquation(c.attrs().String("equation"), c.num_inputs()));
  Extents extents;
  int most = 0;
  bool known = true;  // true if the extents of all ellipses are known
  for (int i = 0; i < c.num_inputs(); ++i) {
    const std::string& subscripts = e.inputs[static_cast<size_t>(i)];
    const Shape& in = c.in(i);
    int ellipsis = 0;
    if (in.has_rank()) {
      TENSH_ASSIGN(ellipsis, EllipsisRank(subscripts, in.rank()));
      most = std::max(most, ellipsis);
    } else {
      known = known && !HasEllipsis(subscripts);
    }
    const std::vector<int> labels = Labels(subscripts, ellipsis);
    for (size_t d = 0; d < labels.size(); ++d) {
      const int64_t extent = in.has_rank() ? in[static_cast<int>(d)] : Shape::kUnknownDim;
      auto [it, added] = extents.emplace(labels[d], extent);
      if (added || it->second == extent) continue;
      const bool unknown = extent < 0 || it->second < 0;
      if (!unknown) {
        TENSH_RETURN_IF_ERROR(NoteExtent(extents, labels[d], extent));
      } else if (labels[d] < kFirstEllipsis || std::max(extent, it->second) > 1) {
        it->second = std::max(extent, it->second);
      } else {
        it->second = Shape::kUnknownDim;  // 1 and an unknown extent broadcast to an unknown extent
      }
    }
  }
  if (!HasEllipsis(e.output) && most)
    return InvalidArgument("Shape must be at most rank 0 but is rank ", most);
  for (char label : e.output)
    if (label != '.' && !extents.count(static_cast<unsigned char>(label)))
      return InvalidArgument("Einsum output subscripts for equation '",
                             c.attrs().String("equation"), "' has label '", std::string(1, label),
                             "' which is not present in the input subscripts");
  if (!known && HasEllipsis(e.output)) return {};
  std::vector<int64_t> dims;
  for (int label : Labels(e.output, most)) dims.push_back(extents.at(label));
  TENSH_ASSIGN(const Shape out, Shape::Make(dims, false));
  c.Set(0, out);
  return {};
}

// ---- gradient ----

Out Sum(GradScope& g, std::initializer_list<Out> inputs, const std::string& equation) {
  return g.Op("Einsum", inputs, {{"equation", equation}});
}

// Returns entry `axis` of a shape, or entries [begin, end) for the ellipsis; as a vector.
Out ShapePart(GradScope& g, Out shape, int64_t begin, std::optional<int64_t> end) {
  return g.Op("StridedSlice",
              {shape, ConstInts(g, {begin}, "strided_slice/stack"),
               ConstInts(g, {end.value_or(0)}, "strided_slice/stack_1"),
               ConstInts(g, {1}, "strided_slice/stack_2")},
              {{"begin_mask", 0}, {"end_mask", end ? 0 : 1}}, "strided_slice");
}

// Returns the axis of a label. It is negative, counted from the end, if the label follows the
// ellipsis.
int64_t AxisOf(const std::string& subscripts, char label) {
  const size_t at = subscripts.find(label), dots = subscripts.find(kEllipsis);
  if (dots == subscripts.npos || at < dots) return static_cast<int64_t>(at);
  return static_cast<int64_t>(at) - static_cast<int64_t>(subscripts.size());
}

std::string Without(const std::string& subscripts, const std::string& others, std::string* gone) {
  std::string left;
  for (char label : subscripts) {
    if (label == '.' || others.find(label) != others.npos)
      left += label;
    else if (gone->find(label) == gone->npos)
      *gone += label;
  }
  return left;
}

// Broadcasts `grad`, which has the labels `left`, over the labels `gone`, which the forward op
// summed.
Out Spread(GradScope& g, Out grad, const std::string& left, const std::string& input, Out shape,
           const std::string& shape_subscripts, const std::string& gone) {
  std::vector<Out> dims, ones;
  for (char label : gone) {
    const int64_t axis = AxisOf(shape_subscripts, label);
    dims.push_back(
        ShapePart(g, shape, axis, axis == -1 ? std::nullopt : std::optional<int64_t>(axis + 1)));
    ones.push_back(ConstInts(g, {1}, "ones"));
  }
  Out have = ShapeOf(g, grad);
  dims.push_back(have);
  ones.push_back(have);
  Out axis = ConstInt(g, 0, "concat/axis");
  Out reshaped = g.Op("Reshape", {grad, Concat(g, ones, axis)});
  Out wide = g.Op("BroadcastTo", {reshaped, Concat(g, dims, axis)});
  return Sum(g, {wide}, StrCat(gone, left, "->", input));
}

// Returns the gradient of input i of two. It includes the output's ellipsis, if there is one.
Out GradOfInput(GradScope& g, const Equation& e, int i, Out shape) {
  const std::string &mine = e.inputs[static_cast<size_t>(i)],
                    &other = e.inputs[static_cast<size_t>(1 - i)];
  const std::string whole =
      HasEllipsis(e.output) && !HasEllipsis(mine) ? StrCat(kEllipsis, mine) : mine;
  std::string gone;
  const std::string left = Without(whole, e.output + other, &gone);
  Out grad = Sum(g, {g.dy(), Conj(g, g.x(1 - i))}, StrCat(e.output, ",", other, "->", left));
  return gone.empty() ? grad : Spread(g, grad, left, whole, shape, mine, gone);
}

// The axes that the ellipsis covers. If end is nullopt, they extend to the last axis.
struct Part {
  int64_t begin = 0;
  std::optional<int64_t> end = 0;
};
Part EllipsisPart(const std::string& subscripts) {
  const size_t at = subscripts.find(kEllipsis);
  if (at == subscripts.npos) return {};
  const int64_t behind = static_cast<int64_t>(subscripts.size() - at) - 3;
  return {static_cast<int64_t>(at), behind ? std::optional<int64_t>(-behind) : std::nullopt};
}

Out SumBroadcast(GradScope& g, Out grad, Out axes, int64_t begin, Out shape) {
  if (begin) axes = g.Op("AddV2", {axes, ConstInt(g, begin, "add/y")}, {}, "add");
  return g.Op("Reshape", {g.Op("Sum", {grad, axes}), shape});
}

bool SameEllipsis(GradScope& g, const Equation& e) {
  Shape part[2];
  for (int i = 0; i < 2; ++i) {
    const Shape s = g.shape(g.x(i));
    const std::string& subscripts = e.inputs[static_cast<size_t>(i)];
    if (!s.IsFullyKnown()) return false;
    if (!HasEllipsis(subscripts)) continue;
    const int begin = static_cast<int>(subscripts.find(kEllipsis));
    const int count = s.rank() - (static_cast<int>(subscripts.size()) - 3);
    for (int d = 0; d < count; ++d) part[i].Append(s[begin + d]);
  }
  return part[0] == part[1];
}

Status EinsumGrad(GradScope& g) {
  TENSH_ASSIGN(const Equation e, ParseEquation(g.attrs().String("equation"), g.num_inputs()));
  if (g.num_inputs() == 1) {
    std::string gone;
    const std::string left = Without(e.inputs[0], e.output, &gone);
    if (gone.empty()) return g.Return({Sum(g, {g.dy()}, StrCat(e.output, "->", e.inputs[0]))});
    return g.Return(
        {Spread(g, g.dy(), e.output, e.inputs[0], ShapeOf(g, g.x(0)), e.inputs[0], gone)});
  }
  Out sx = ShapeOf(g, g.x(0)), sy = ShapeOf(g, g.x(1), DType::kInt32, "Shape_1");
  Out dx = GradOfInput(g, e, 0, sx), dy = GradOfInput(g, e, 1, sy);
  if (!HasEllipsis(e.output) || SameEllipsis(g, e)) return g.Return({dx, dy});
  const Part px = EllipsisPart(e.inputs[0]), py = EllipsisPart(e.inputs[1]);
  Out axes = g.Op("BroadcastGradientArgs",
                  {ShapePart(g, sx, px.begin, px.end), ShapePart(g, sy, py.begin, py.end)});
  return g.Return({SumBroadcast(g, dx, axes, px.begin, sx),
                   SumBroadcast(g, dy, g.Output(axes, 1), py.begin, sy)});
}

}  // namespace

TENSH_OPS(math_matmul_einsum) {
  r.Op({.name = "Einsum",
        .inputs = "inputs: N * T",
        .outputs = "output: T",
        .attrs = "equation: string, N: int >= 1, T: type",
        .doc =
            "Sums of products of tensors in Einstein's notation. inputs: one or two tensors of "
            "type T, as N says. equation: one letter for each dimension of each input, then -> and "
            "the letters of output; labels that it does not name are summed over. ... stands for "
            "dimensions that broadcast; a letter twice in one input takes the diagonal.",
        .shape = EinsumShape,
        .grad = EinsumGrad,
        .examples = {{"tf.raw_ops.Einsum(inputs=[[[1, 2], [3, 4]]], equation='ii->i')", "[1 4]"},
                     {"tf.raw_ops.Einsum(inputs=[[[1, 2]], [[3], [4]]], equation='ij,jk->ik')",
                      "[[11]]"}}})
      .Cpu<float, double, int32_t, int64_t, Complex64, Complex128>(Einsum{},
                                                                   {.prepare = PrepareEinsum});
}

}  // namespace tensh::ops
