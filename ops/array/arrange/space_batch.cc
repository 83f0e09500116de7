// SpaceToBatch, BatchToSpace, SpaceToDepth and DepthToSpace, in all versions: move blocks of pixels
// to the batch or the channels, and back. Each op copies boxes in which blocked dimensions are
// split into two.
#include "ops/op_file.h"
#include "ops/support/array_copy.h"
#include "ops/support/prepare.h"
#include "ops/support/shape_util.h"

namespace tensh::ops {
namespace {

// Block sizes of the dimensions 1 … n, and the padding (or cropping) before and after each.
struct Blocks {
  std::vector<int64_t> size, before, after;
  int64_t count = 1;
};

struct BlockState : KernelState {
  int64_t block = 0;  // the attribute of the old ops; 0 if it is an input
  void Read(PrepareCtx& c) {
    if (c.attrs().Find("block_size")) block = c.attrs().Int("block_size");
  }
};

Status ReadBlocks(const Tensor* sizes, const Tensor& edges, int64_t block, Blocks& b) {
  if (sizes) {
    if (sizes->rank() != 1)
      return InvalidArgument("block_shape must be one-dimensional, got shape ", sizes->shape());
    b.size = IndexValues(*sizes);
  } else {
    b.size = {block, block};
  }
  const int64_t n = static_cast<int64_t>(b.size.size());
  if (edges.rank() != 2 || edges.dim(0) != n || edges.dim(1) != 2)
    return InvalidArgument("paddings or crops should have shape [", n, ", 2] instead of ",
                           edges.shape());
  for (int64_t i = 0; i < n; ++i) {
    b.before.push_back(IndexAt(edges, 2 * i));
    b.after.push_back(IndexAt(edges, 2 * i + 1));
    const int64_t size = b.size[static_cast<size_t>(i)];
    if (size < 1 || __builtin_mul_overflow(b.count, size, &b.count))
      return InvalidArgument("All values in block_shape must be positive, got value, ", size,
                             " at index ", i, ".");
    if (b.before.back() < 0 || b.after.back() < 0)
      return InvalidArgument("paddings or crops must be non-negative, got ", b.before.back(),
                             " and ", b.after.back());
  }
  return {};
}

// Returns the shape of SpaceToBatch's result or, if `to_batch` is false, of BatchToSpace's. Extents
// may be unknown.
Result<Shape> BlockShape(const Shape& in, const Blocks& b, bool to_batch) {
  const size_t n = b.size.size();
  if (in.rank() < 1 + static_cast<int>(n))
    return InvalidArgument("input rank should be >= ", n + 1, " instead of ", in.rank());
  Shape out = in;
  int64_t batch = in[0];
  if (batch >= 0) {
    if (to_batch && __builtin_mul_overflow(batch, b.count, &batch))
      return InvalidArgument("the output's batch is too large");
    if (!to_batch && batch % b.count)
      return InvalidArgument("Input batch dimension (", batch,
                             ") is not divisible by product of block sizes (", b.count, ")");
    if (!to_batch) batch /= b.count;
  }
  out.set_dim(0, batch);
  for (size_t i = 0; i < n; ++i) {
    const int d = static_cast<int>(i) + 1;
    if (in[d] < 0) continue;
    int64_t extent = in[d];
    if (to_batch) {
      if (__builtin_add_overflow(extent, b.before[i], &extent) ||
          __builtin_add_overflow(extent, b.after[i], &extent))
        return InvalidArgument("padded extent is too large");
      if (extent % b.size[i])
        return InvalidArgument("padded_shape[", i, "]=", extent,
                               " is not divisible by block_shape[", i, "]=", b.size[i]);
      extent /= b.size[i];
    } else {
      if (__builtin_mul_overflow(extent, b.size[i], &extent))
        return InvalidArgument("the output's extent is too large");
      if (b.before[i] > extent || b.after[i] > extent - b.before[i])
        return InvalidArgument("cropped_shape[", i, "]=", extent, " - ", b.before[i], " - ",
                               b.after[i], " must be non-negative");
      extent -= b.before[i] + b.after[i];
    }
    out.set_dim(d, extent);
  }
  return Shape::Make(out.dims(), false);
}

int64_t CeilDiv(int64_t a, int64_t b) { return a <= 0 ? 0 : (a + b - 1) / b; }

// Copies between space [batch, s1, …, rest] and batch [blocks * batch, s1 / b1, …, rest]. Element p
// of a padded dimension belongs to block p % b, at index p / b. There is one box per block.
void CopyBlocks(KernelCtx& c, const Tensor& space, const Tensor& batch, const Blocks& b,
                bool to_batch) {
  const size_t n = b.size.size();
  const Strides in(space.shape()), out(batch.shape());
  const int64_t images = space.dim(0);
  for (int64_t block = 0; block < b.count && !c.cancelled(); ++block) {
    int64_t at_space = 0, at_batch = block * images * out[0], rest = block;
    BoxCopy box;
    box.Add(images, to_batch ? in[0] : out[0], to_batch ? out[0] : in[0]);
    bool empty = false;
    std::vector<int64_t> offset(n);
    for (size_t i = n; i-- > 0; rest /= b.size[i]) offset[i] = rest % b.size[i];
    for (size_t i = 0; i < n; ++i) {
      const int d = static_cast<int>(i) + 1;
      // The indices q with 0 <= q * size + offset - before < extent.
      const int64_t first = CeilDiv(b.before[i] - offset[i], b.size[i]);
      const int64_t last = CeilDiv(space.dim(d) + b.before[i] - offset[i], b.size[i]);
      const int64_t end = std::min(last, batch.dim(d));
      if (first >= end) empty = true;
      at_space += (first * b.size[i] + offset[i] - b.before[i]) * in[d];
      at_batch += first * out[d];
      const int64_t step = in[d] * b.size[i];
      box.Add(std::max<int64_t>(end - first, 0), to_batch ? step : out[d],
              to_batch ? out[d] : step);
    }
    if (empty) continue;
    for (int d = static_cast<int>(n) + 1; d < space.rank(); ++d)
      box.Add(space.dim(d), to_batch ? in[d] : out[d], to_batch ? out[d] : in[d]);
    void *from = At(space, at_space), *to = At(batch, at_batch);
    if (!to_batch) std::swap(from, to);
    CopyBox(c, space.dtype(), to, from, box);
  }
}

// The inputs are input, block_shape (not in the old ops), and paddings or crops.
template <bool to_batch>
Status MoveBlocks(KernelCtx& c) {
  const Tensor& input = c.in(0);
  const bool nd = c.num_inputs() == 3;
  Blocks b;
  TENSH_RETURN_IF_ERROR(
      ReadBlocks(nd ? &c.in(1) : nullptr, c.in(nd ? 2 : 1), c.state<BlockState>().block, b));
  TENSH_ASSIGN(Shape shape, BlockShape(input.shape(), b, to_batch));
  TENSH_OUTPUT(out, c.Output(0, shape));
  if (to_batch) ZeroElements(c, out->dtype(), out->raw(), out->num_elements());
  if (!out->num_elements() || !input.num_elements()) return {};
  CopyBlocks(c, to_batch ? input : *out, to_batch ? *out : input, b, to_batch);
  return {};
}

// The shape function if the block sizes or the paddings (crops) are unknown.
template <bool to_batch>
Status PartlyKnownShape(ShapeCtx& c, const Shape& in, int64_t n,
                        const std::vector<int64_t>& sizes) {
  Shape out = in;
  int64_t batch = in[0];
  if (sizes.empty() && n > 0) batch = -1;
  for (int64_t size : sizes) {
    if (size < 1) return InvalidArgument("block_shape must be positive");
    if (batch < 0) continue;
    if (to_batch ? __builtin_mul_overflow(batch, size, &batch) : batch % size != 0)
      return InvalidArgument("Dimension size must be evenly divisible by ", size, " but is ",
                             batch);
    if (!to_batch) batch /= size;
  }
  out.set_dim(0, batch);
  for (int d = 1; d <= n; ++d) out.set_dim(d, -1);
  c.Set(0, out);
  return {};
}

template <bool to_batch>
Status MoveShape(ShapeCtx& c) {
  const bool nd = c.num_inputs() == 3;
  if (nd) {
    if (!c.in(1).has_rank() || c.in(1).rank() != 1)
      return InvalidArgument("block_shape must have rank 1.");
    if (c.in(1)[0] < 0) return InvalidArgument("block_shape must have known size.");
  }
  const int64_t n = nd ? c.in(1)[0] : 2;
  const Shape in = c.in(0).has_rank() || nd ? c.in(0) : Shape::UnknownOfRank(4);
  if (in.has_rank() && in.rank() < n + 1)
    return InvalidArgument("Shape must be at least rank ", n + 1, " but is rank ", in.rank());
  const Tensor *sizes = nd ? c.constant(1) : nullptr, *edges = c.constant(nd ? 2 : 1);
  TENSH_RETURN_IF_ERROR(MergeShapes(c.in(nd ? 2 : 1), Shape({n, 2})).status());
  const int64_t block = nd ? 0 : c.attrs().Int("block_size");
  if (edges && (sizes || !nd)) {
    Blocks b;
    TENSH_RETURN_IF_ERROR(ReadBlocks(sizes, *edges, block, b));
    if (!in.has_rank()) return {};
    TENSH_ASSIGN(Shape out, BlockShape(in, b, to_batch));
    c.Set(0, out);
    return {};
  }
  for (int64_t i = 0; edges && i < edges->num_elements(); ++i)
    if (IndexAt(*edges, i) < 0) return InvalidArgument("paddings and crops cannot be negative");
  if (!in.has_rank()) return {};
  std::vector<int64_t> known;
  if (sizes) known = IndexValues(*sizes);
  if (!nd) known = {block, block};
  return PartlyKnownShape<to_batch>(c, in, n, known);
}

Status SpaceToBatchNDGrad(GradScope& g) {
  return g.Return({g.Op("BatchToSpaceND", {g.dy(), g.x(1), g.x(2)}), {}, {}});
}
Status BatchToSpaceNDGrad(GradScope& g) {
  return g.Return({g.Op("SpaceToBatchND", {g.dy(), g.x(1), g.x(2)}), {}, {}});
}
Status SpaceToBatchGrad(GradScope& g) {
  const int64_t block = g.attrs().Int("block_size");
  return g.Return({g.Op("BatchToSpace", {g.dy(), g.x(1)}, {{"block_size", block}}), {}});
}
Status BatchToSpaceGrad(GradScope& g) {
  const int64_t block = g.attrs().Int("block_size");
  return g.Return({g.Op("SpaceToBatch", {g.dy(), g.x(1)}, {{"block_size", block}}), {}});
}

// ---- SpaceToDepth and DepthToSpace ----

Result<Shape> DepthShape(const Shape& in, int64_t block, bool to_depth) {
  int64_t area = 0;
  if (block > INT32_MAX || __builtin_mul_overflow(block, block, &area))
    return InvalidArgument("block_size is too large: ", block);
  int64_t d[4] = {in[0], in[1], in[2], in[3]};
  for (int i : {1, 2}) {
    if (d[i] < 0) continue;
    if (to_depth && d[i] % block)
      return InvalidArgument("Image extent ", d[i], " should be divisible by block_size: ", block);
    if (to_depth)
      d[i] /= block;
    else if (__builtin_mul_overflow(d[i], block, &d[i]))
      return InvalidArgument("the output is too large");
  }
  if (d[3] >= 0) {
    if (!to_depth && d[3] % area)
      return InvalidArgument("Input depth dimension ", d[3], " should be divisible by: ", area);
    if (!to_depth)
      d[3] /= area;
    else if (__builtin_mul_overflow(d[3], area, &d[3]))
      return InvalidArgument("the output is too large");
  }
  return Shape::Make(d, false);
}

template <bool to_depth>
Status MoveDepth(KernelCtx& c) {
  const int64_t block = c.state<BlockState>().block;
  const Tensor& input = c.in(0);
  TENSH_ASSIGN(Shape shape, DepthShape(input.shape(), block, to_depth));
  TENSH_OUTPUT(out, c.Output(0, shape));
  if (!out->num_elements()) return {};
  // The shapes are: space [batch, rows * block, columns * block, n], and depth [batch, rows,
  // columns, block * block * n].
  const Shape &space = to_depth ? input.shape() : shape, &depth = to_depth ? shape : input.shape();
  const int64_t n = space[3], rows = depth[1], columns = depth[2];
  const int64_t line = space[2] * n;
  BoxCopy box;
  auto add = [&](int64_t extent, int64_t in_space, int64_t in_depth) {
    box.Add(extent, to_depth ? in_space : in_depth, to_depth ? in_depth : in_space);
  };
  add(depth[0] * rows, line * block, columns * depth[3]);
  add(columns, block * n, depth[3]);
  add(block, line, block * n);
  add(block * n, 1, 1);
  CopyBox(c, input.dtype(), out->raw(), input.raw(), box);
  return {};
}

Result<std::unique_ptr<KernelState>> PrepareDepth(PrepareCtx& c) {
  if (c.attrs().String("data_format") != "NHWC")
    return InvalidArgument("Only NHWC data_format supported on CPU. Got ",
                           c.attrs().String("data_format"));
  return PrepareFrom<BlockState>(c);
}

template <bool to_depth>
Status MoveDepthShape(ShapeCtx& c) {
  if (c.attrs().String("data_format") != "NHWC") {
    c.Set(0, Shape::UnknownOfRank(4));
    return {};
  }
  const Shape in = c.in(0).has_rank() ? c.in(0) : Shape::UnknownOfRank(4);
  TENSH_ASSIGN(Shape out, DepthShape(in, c.attrs().Int("block_size"), to_depth));
  c.Set(0, out);
  return {};
}

template <bool to_depth>
Status DepthGrad(GradScope& g) {
  return g.Return({g.Op(to_depth ? "DepthToSpace" : "SpaceToDepth", {g.dy()},
                        {{"block_size", g.attrs().Int("block_size")},
                         {"data_format", g.attrs().String("data_format")}})});
}

constexpr char kDepthAttrs[] =
    "T: type, block_size: int >= 2, data_format: {'NHWC', 'NCHW', 'NCHW_VECT_C'} = 'NHWC'";

void RegisterBatch(OpRegistry& r) {
  r.Op({.name = "SpaceToBatchND",
        .inputs = "input: T, block_shape: Tblock_shape, paddings: Tpaddings",
        .outputs = "output: T",
        .attrs = "T: type, Tblock_shape: {int32, int64} = int32, Tpaddings: {int32, int64} = int32",
        .doc =
            "Moves blocks of the spatial dimensions to the batch. input: [batch, space…, rest…]. "
            "block_shape: the extent of a block in each spatial dimension. paddings: the zeros to "
            "add before and after each. T, Tblock_shape, Tpaddings: the types of the inputs.",
        .shape = MoveShape<true>,
        .grad = SpaceToBatchNDGrad,
        .examples = {{"tf.space_to_batch_nd([[1, 2, 3, 4]], [2], [[0, 0]])", "[[1 3]\n [2 4]]"}}})
      .CpuAny(MoveBlocks<true>, PrepareFrom<BlockState>);
  r.Op({.name = "BatchToSpaceND",
        .inputs = "input: T, block_shape: Tblock_shape, crops: Tcrops",
        .outputs = "output: T",
        .attrs = "T: type, Tblock_shape: {int32, int64} = int32, Tcrops: {int32, int64} = int32",
        .doc = "Moves blocks from the batch back to the spatial dimensions. input: [batch, space…, "
               "rest…]. block_shape: the extent of a block in each spatial dimension. crops: the "
               "amount to crop before and after each. T, Tblock_shape, Tcrops: the types of the "
               "inputs.",
        .shape = MoveShape<false>,
        .grad = BatchToSpaceNDGrad,
        .examples = {{"tf.batch_to_space_nd([[1, 3], [2, 4]], [2], [[0, 0]])", "[[1 2 3 4]]"}}})
      .CpuAny(MoveBlocks<false>, PrepareFrom<BlockState>);
  r.Op({.name = "SpaceToBatch",
        .inputs = "input: T, paddings: Tpaddings",
        .outputs = "output: T",
        .attrs = "T: type, Tpaddings: {int32, int64} = int32, block_size: int >= 2",
        .doc = "SpaceToBatchND with square blocks. input: images. paddings: the zeros to add "
               "before and after rows and columns. block_size: the extent of a block. T, "
               "Tpaddings: the types of input and paddings.",
        .contract = "input: rank 4, paddings: matrix of 2",
        .shape = MoveShape<true>,
        .grad = SpaceToBatchGrad,
        .examples = {{"tf.raw_ops.SpaceToBatch(input=[[[[1], [2]], [[3], [4]]]], "
                      "paddings=[[0, 0], [0, 0]], block_size=2)[:, 0, 0, 0]",
                      "[1 2 3 4]"}}})
      .CpuAny(MoveBlocks<true>, PrepareFrom<BlockState>);
  r.Op({.name = "BatchToSpace",
        .inputs = "input: T, crops: Tidx",
        .outputs = "output: T",
        .attrs = "T: type, block_size: int >= 2, Tidx: {int32, int64} = int32",
        .doc = "BatchToSpaceND with square blocks. input: images. crops: the amount to crop before "
               "and after rows and columns. block_size: the extent of a block. T, Tidx: the types "
               "of input and crops.",
        .contract = "input: rank 4, crops: matrix of 2",
        .shape = MoveShape<false>,
        .grad = BatchToSpaceGrad,
        .examples = {{"tf.raw_ops.BatchToSpace(input=[[[[1]]], [[[2]]], [[[3]]], [[[4]]]], "
                      "crops=[[0, 0], [0, 0]], block_size=2)[0, :, :, 0]",
                      "[[1 2]\n [3 4]]"}}})
      .CpuAny(MoveBlocks<false>, PrepareFrom<BlockState>);
}

}  // namespace

TENSH_OPS(array_arrange_space_batch) {
  RegisterBatch(r);
  r.Op({.name = "SpaceToDepth",
        .inputs = "input: T",
        .outputs = "output: T",
        .attrs = kDepthAttrs,
        .doc = "Moves blocks of pixels to the channels. input: images. block_size: the extent of a "
               "block. data_format: 'NHWC' has channels last. T: the element type.",
        .contract = "input: rank 4",
        .shape = MoveDepthShape<true>,
        .grad = DepthGrad<true>,
        .examples = {{"tf.space_to_depth([[[[1], [2]], [[3], [4]]]], 2)[0, 0]", "[[1 2 3 4]]"}}})
      .CpuAny(MoveDepth<true>, PrepareDepth);
  r.Op({.name = "DepthToSpace",
        .inputs = "input: T",
        .outputs = "output: T",
        .attrs = kDepthAttrs,
        .doc = "Moves channels to blocks of pixels. input: images. block_size: the extent of a "
               "block. data_format: 'NHWC' has channels last. T: the element type.",
        .contract = "input: rank 4",
        .shape = MoveDepthShape<false>,
        .grad = DepthGrad<false>,
        .examples = {{"tf.depth_to_space([[[[1, 2, 3, 4]]]], 2)[0, :, :, 0]", "[[1 2]\n [3 4]]"}}})
      .CpuAny(MoveDepth<false>, PrepareDepth);
}

}  // namespace tensh::ops
