// MirrorPad, ReverseSequence and Roll: ops that move elements by a rule on their index.
#include <algorithm>

#include "ops/array/arrange/mirror.h"
#include "ops/op_file.h"
#include "ops/support/array_copy.h"
#include "ops/support/per_dim.h"
#include "ops/support/prepare.h"
#include "ops/support/shape_util.h"
#include "ops/support/wrap.h"

namespace tensh::ops {

// ---- mirrored borders ----

void MirrorState::Read(PrepareCtx& c) { skip = c.attrs().String("mode") == "REFLECT"; }

Result<Shape> MirrorShapeOf(const Shape& in, const Tensor& paddings, int64_t skip, int sign) {
  if (paddings.dim(0) != in.rank())
    return InvalidArgument("The first dimension of paddings must be the rank of inputs",
                           paddings.shape(), ", ", in);
  Shape out = in;
  for (int i = 0; i < in.rank(); ++i) {
    const int64_t before = IndexAt(paddings, 2 * i), after = IndexAt(paddings, 2 * i + 1);
    if (before < 0 || after < 0)
      return InvalidArgument("Paddings must be non-negative: ", before, ", ", after);
    if (in[i] < 0) continue;
    int64_t border = 0;
    if (__builtin_add_overflow(before, after, &border))
      return InvalidArgument("paddings are too large");
    const int64_t inner = sign > 0 ? in[i] : in[i] - border;
    if (inner < 0 || before > inner - skip || after > inner - skip) {
      if (before || after)
        return InvalidArgument("paddings must be no greater than the dimension size: ", before,
                               ", ", after, (skip ? " must be less than " : " greater than "),
                               inner);
    }
    out.set_dim(i, sign > 0 ? in[i] + border : inner);
  }
  return Shape::Make(out.dims(), false);
}

namespace {

// Returns, for each index along one padded dimension, the mirrored index times `stride`.
std::vector<int64_t> MirrorPlaces(int64_t inner, int64_t before, int64_t padded, int64_t skip,
                                  int64_t stride) {
  std::vector<int64_t> places(static_cast<size_t>(padded));
  for (int64_t i = 0; i < padded; ++i) {
    places[static_cast<size_t>(i)] = MirrorPlace(i - before, inner, skip) * stride;
  }
  return places;
}

// Calls fn(padded element, inner element) for all elements of the padded tensor.
template <class Fn>
void ForEachMirror(const Shape& padded, const Shape& inner, const Tensor& paddings, int64_t skip,
                   Fn fn) {
  const int rank = padded.rank();
  const int64_t n = padded.num_elements();
  if (n == 0) return;  // another extent may be too large for a table
  const Strides strides(inner);
  std::vector<std::vector<int64_t>> places;
  for (int i = 0; i < rank; ++i)
    places.push_back(MirrorPlaces(inner[i], IndexAt(paddings, 2 * i), padded[i], skip, strides[i]));
  for (int64_t p = 0; p < n; ++p) {
    int64_t rest = p, at = 0;
    for (int i = rank - 1; i >= 0; --i) {
      at += places[static_cast<size_t>(i)][static_cast<size_t>(rest % padded[i])];
      rest /= padded[i];
    }
    fn(p, at);
  }
}

Status MirrorPad(KernelCtx& c) {
  const Tensor &in = c.in(0), &paddings = c.in(1);
  const int64_t skip = c.state<MirrorState>().skip;
  TENSH_ASSIGN(Shape shape, MirrorShapeOf(in.shape(), paddings, skip, 1));
  TENSH_OUTPUT(out, c.Output(0, shape));
  if (!out->num_elements()) return {};  // another extent may be too large for a list
  // A dimension has up to three parts with elements: the input and both borders, which are copied
  // backwards. Each choice of a part in every dimension is a box.
  const auto parts = [&](int i) {
    return 1 + (IndexAt(paddings, 2 * i) > 0) + (IndexAt(paddings, 2 * i + 1) > 0);
  };
  int64_t boxes = 1;
  for (int i = 0; i < in.rank(); ++i) boxes *= parts(i);
  const Strides from(in.shape()), to(shape);
  for (int64_t number = 0; number < boxes && !c.cancelled(); ++number) {
    BoxCopy box;
    int64_t read = 0, written = 0, rest = number;
    for (int i = 0; i < in.rank(); ++i) {
      const int64_t n = in.dim(i), before = IndexAt(paddings, 2 * i),
                    after = IndexAt(paddings, 2 * i + 1);
      int64_t which = rest % parts(i);
      rest /= parts(i);
      if (which == 1 && before == 0) which = 2;
      const int64_t extents[] = {n, before, after}, first[] = {0, before - 1 + skip, n - 1 - skip};
      const int64_t places[] = {before, 0, before + n};
      box.Add(extents[which], which ? -from[i] : from[i], to[i]);
      read += first[which] * from[i];
      written += places[which] * to[i];
    }
    CopyBox(c, in.dtype(), At(*out, written), At(in, read), box);
  }
  return {};
}

struct MirrorPadGrad {
  template <class T>
  Status operator()(KernelCtx& c) const {
    const Tensor &in = c.in(0), &paddings = c.in(1);
    const int64_t skip = c.state<MirrorState>().skip;
    TENSH_ASSIGN(Shape shape, MirrorShapeOf(in.shape(), paddings, skip, -1));
    TENSH_OUTPUT(out, c.Output(0, shape));
    T* to = out->data<T>();
    std::fill_n(to, out->num_elements(), T{0});
    const T* from = in.data<T>();
    ForEachMirror(in.shape(), shape, paddings, skip,
                  [&](int64_t p, int64_t at) { to[at] = WrapAdd(to[at], from[p]); });
    return {};
  }
};

template <int sign>
Status MirrorShape(ShapeCtx& c) {
  const Tensor* paddings = c.constant(1);
  const Shape& pads = c.in(1);
  Shape in = c.in(0);
  if (paddings && !in.has_rank() && paddings->dim(0) <= Shape::kMaxRank)
    in = Shape::UnknownOfRank(static_cast<int>(paddings->dim(0)));
  if (pads.has_rank() && in.has_rank() && pads[0] >= 0 && pads[0] != in.rank())
    return InvalidArgument("Shape must be rank ", pads[0], " but is rank ", in.rank());
  if (paddings && in.has_rank()) {
    TENSH_ASSIGN(Shape out,
                 MirrorShapeOf(in, *paddings, c.attrs().String("mode") == "REFLECT", sign));
    c.Set(0, out);
  } else if (sign > 0 && in.has_rank()) {
    c.Set(0, Shape::UnknownOfRank(in.rank()));
  } else if (pads.has_rank() && pads[0] >= 0 && pads[0] <= Shape::kMaxRank) {
    c.Set(0, Shape::UnknownOfRank(static_cast<int>(pads[0])));
  }
  return {};
}

Status MirrorGrad(GradScope& g) {
  return g.Return(
      {g.Op("MirrorPadGrad", {g.dy(), g.x(1)}, {{"mode", g.attrs().String("mode")}}), {}});
}
Status MirrorGradGrad(GradScope& g) {
  return g.Return({g.Op("MirrorPad", {g.dy(), g.x(1)}, {{"mode", g.attrs().String("mode")}}), {}});
}

// ---- sequences ----

struct SequenceState : KernelState {
  int64_t sequence = 0, batch = 0;
  void Read(PrepareCtx& c) {
    sequence = c.attrs().Int("seq_dim");
    batch = c.attrs().Int("batch_dim");
  }
};

Status CheckSequence(const Shape& in, int64_t sequence, int64_t batch) {
  if (sequence == batch) return InvalidArgument("batch_dim == seq_dim == ", sequence);
  if (sequence < 0 || sequence >= in.rank())
    return InvalidArgument("seq_dim must be < input rank ( ", sequence, " vs. ", in.rank(), ")");
  if (batch < 0 || batch >= in.rank())
    return InvalidArgument("batch_dim must be < input rank ( ", batch, " vs. ", in.rank(), ")");
  return {};
}

Status ReverseSequence(KernelCtx& c) {
  const auto& s = c.state<SequenceState>();
  const Tensor &in = c.in(0), &lengths = c.in(1);
  TENSH_RETURN_IF_ERROR(CheckSequence(in.shape(), s.sequence, s.batch));
  const int seq = static_cast<int>(s.sequence), bat = static_cast<int>(s.batch);
  if (lengths.dim(0) != in.dim(bat))
    return InvalidArgument("Length of seq_lengths != input.dims(", bat, "), (", lengths.dim(0),
                           " vs. ", in.dim(bat), ")");
  for (int64_t i = 0; i < lengths.dim(0); ++i) {
    const int64_t n = IndexAt(lengths, i);
    if (n < 0) return InvalidArgument("seq_lens(", i, ") < 0");
    if (n > in.dim(seq)) return InvalidArgument("seq_lens(", i, ") > input.dims(", seq, ")");
  }
  TENSH_OUTPUT(out, c.Output(0, in.shape()));
  const Strides strides(in.shape());
  const int deepest = std::max(seq, bat);
  const int64_t run = strides[deepest];  // number of elements that move together
  const int64_t runs = run ? in.num_elements() / run : 0;
  std::vector<int64_t> from(static_cast<size_t>(runs));
  for (int64_t r = 0; r < runs; ++r) {
    const int64_t at = r * run, q = at / strides[seq] % in.dim(seq);
    const int64_t n = IndexAt(lengths, at / strides[bat] % in.dim(bat));
    from[static_cast<size_t>(r)] = (q < n ? at + (n - 1 - 2 * q) * strides[seq] : at) / run;
  }
  return CopyRuns(c, in.dtype(), out->raw(), nullptr, in.raw(), from.data(), runs, run);
}

Status SequenceShape(ShapeCtx& c) {
  const Shape &in = c.in(0), &lengths = c.in(1);
  if (!in.has_rank()) return {};
  const int64_t batch = c.attrs().Int("batch_dim");
  TENSH_RETURN_IF_ERROR(CheckSequence(in, c.attrs().Int("seq_dim"), batch));
  Shape out = in;
  if (lengths.has_rank()) {
    const int at = static_cast<int>(batch);
    TENSH_RETURN_IF_ERROR(MergeShapes(Shape({in[at]}), lengths).status());
    if (in[at] < 0) out.set_dim(at, lengths[0]);
  }
  c.Set(0, out);
  return {};
}

Status SequenceGrad(GradScope& g) {
  return g.Return(
      {g.Op("ReverseSequence", {g.dy(), g.x(1)},
            {{"seq_dim", g.attrs().Int("seq_dim")}, {"batch_dim", g.attrs().Int("batch_dim")}}),
       {}});
}

// ---- rolls ----

Status Roll(KernelCtx& c) {
  const Tensor &in = c.in(0), &shift = c.in(1), &axis = c.in(2);
  if (!(shift.shape() == axis.shape()))
    return InvalidArgument("shift and axis must have the same size, got ", shift.shape(), " and ",
                           axis.shape());
  PerDim<int64_t> by(in.rank());
  for (int64_t i = 0; i < axis.num_elements(); ++i) {
    int64_t d = IndexAt(axis, i);
    if (d < -in.rank() || d >= in.rank()) return InvalidArgument("axis ", d, " is out of range");
    if (d < 0) d += in.rank();
    const int64_t n = std::max<int64_t>(in.dim(static_cast<int>(d)), 1);
    int64_t& offset = by[static_cast<int>(d)];
    offset = ((offset + IndexAt(shift, i) % n) % n + n) % n;
  }
  TENSH_OUTPUT(out, c.Output(0, in.shape()));
  // Each rolled dimension divides the tensor in two, which change places.
  int rolled = 0;
  for (int i = 0; i < in.rank(); ++i) rolled += by[i] != 0;
  const Strides strides(in.shape());
  for (uint64_t part = 0; part >> rolled == 0 && !c.cancelled(); ++part) {
    BoxCopy box;
    int64_t from = 0, to = 0;
    for (int i = 0, bit = 0; i < in.rank(); ++i) {
      const bool is_end = by[i] != 0 && part >> bit & 1u;
      bit += by[i] != 0;
      box.Add(is_end ? by[i] : in.dim(i) - by[i], strides[i], strides[i]);
      from += is_end ? (in.dim(i) - by[i]) * strides[i] : 0;
      to += is_end ? 0 : by[i] * strides[i];
    }
    CopyBox(c, in.dtype(), At(*out, to), At(in, from), box);
  }
  return {};
}

Status RollShape(ShapeCtx& c) {
  TENSH_RETURN_IF_ERROR(MergeShapes(c.in(1), c.in(2)).status());
  return SameAsInput<0>(c);
}

Status RollGrad(GradScope& g) {
  return g.Return({g.Op("Roll", {g.dy(), g.Op("Neg", {g.x(1)}), g.x(2)}), {}, {}});
}

}  // namespace

TENSH_OPS(array_arrange_mirror) {
  static constexpr char kAttrs[] =
      "T: type, Tpaddings: {int32, int64} = int32, mode: {'REFLECT', 'SYMMETRIC'}";
  r.Op({.name = "MirrorPad",
        .inputs = "input: T, paddings: Tpaddings",
        .outputs = "output: T",
        .attrs = kAttrs,
        .doc = "Pads a tensor with a mirrored border. input: a tensor. paddings: row i is the size "
               "of the border before and after in dimension i. mode: 'SYMMETRIC' repeats the edge, "
               "'REFLECT' does not. T, Tpaddings: the types of input and paddings.",
        .contract = "paddings: matrix of 2",
        .shape = MirrorShape<1>,
        .grad = MirrorGrad,
        .examples = {{"tf.pad([1, 2, 3], [[1, 1]], 'REFLECT')", "[2 1 2 3 2]"}}})
      .CpuAny(MirrorPad, PrepareFrom<MirrorState>);
  r.Op({.name = "MirrorPadGrad",
        .inputs = "input: T, paddings: Tpaddings",
        .outputs = "output: T",
        .attrs = kAttrs,
        .doc = "The gradient of MirrorPad: folds the border back and adds it. input: the incoming "
               "gradient. paddings, mode: those of MirrorPad. T, Tpaddings: the types of input and "
               "paddings.",
        .contract = "paddings: matrix of 2",
        .shape = MirrorShape<-1>,
        .grad = MirrorGradGrad,
        .examples = {{"tf.raw_ops.MirrorPadGrad(input=[1, 2, 3, 4, 5], paddings=[[1, 1]], "
                      "mode='REFLECT')",
                      "[2 9 4]"}}})
      .Cpu<float, double, int32_t, int64_t, uint8_t, int8_t, int16_t, uint16_t, uint32_t, uint64_t,
           std::complex<float>, std::complex<double>>(MirrorPadGrad{},
                                                      {.prepare = PrepareFrom<MirrorState>});
  r.Op({.name = "ReverseSequence",
        .inputs = "input: T, seq_lengths: Tlen",
        .outputs = "output: T",
        .attrs = "seq_dim: int, batch_dim: int = 0, T: type, Tlen: {int32, int64} = int64",
        .doc = "Reverses the beginning of each sequence in a batch. input: the sequences. "
               "seq_lengths: the number of steps to reverse in each; the rest is unchanged. "
               "seq_dim, batch_dim: the dimensions of the steps and of the batch. T, Tlen: the "
               "types of input and seq_lengths.",
        .contract = "input: rank 2+, seq_lengths: vector",
        .shape = SequenceShape,
        .grad = SequenceGrad,
        .examples = {{"tf.reverse_sequence([[1, 2, 3], [4, 5, 6]], [2, 3], seq_axis=1)",
                      "[[2 1 3]\n [6 5 4]]"}}})
      .CpuAny(ReverseSequence, PrepareFrom<SequenceState>);
  r.Op({.name = "Roll",
        .inputs = "input: T, shift: Tshift, axis: Taxis",
        .outputs = "output: T",
        .attrs = "T: type, Tshift: {int32, int64}, Taxis: {int32, int64}",
        .doc = "Rotates a tensor along dimensions: elements shifted beyond the end reappear at the "
               "start. input: a tensor. shift: the distances. axis: the dimensions. T, Tshift, "
               "Taxis: their types.",
        .contract = "input: rank 1+, shift: rank 0..1, axis: rank 0..1",
        .shape = RollShape,
        .grad = RollGrad,
        .examples = {{"tf.roll([1, 2, 3], 1, 0)", "[3 1 2]"}}})
      .CpuAny(Roll);
}

}  // namespace tensh::ops
