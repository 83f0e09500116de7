// ExtractImagePatches and ExtractVolumePatches, which lay out windows as channels, and
// ExtractGlimpse, which takes one window per image.
#include <algorithm>

#include "ops/nn/conv/window.h"
#include "ops/op_file.h"
#include "ops/support/array_copy.h"
#include "ops/support/grad_util.h"
#include "ops/support/philox.h"
#include "ops/support/shape_util.h"

namespace tensh::ops {
namespace {

// ---- patches ----

// Reads the window attributes. An image is treated as a volume of one plane.
Status ReadPatches(Attrs attrs, WindowAttrs& w) {
  w.volume = attrs.Get<AttrValue::Ints>("ksizes").size() > 4;
  w.padding = attrs.String("padding") == "SAME" ? Padding::kSame : Padding::kValid;
  const auto read = [&](const char* name, int64_t* to) -> Status {
    const AttrValue::Ints& list = attrs.Get<AttrValue::Ints>(name);
    const size_t rank = static_cast<size_t>(w.rank());
    if (list.size() != rank)
      return InvalidArgument(name, " must have ", rank, " values, got ", list.size());
    for (int d : {WindowAttrs::kPlanes, WindowAttrs::kRows, WindowAttrs::kColumns}) {
      if (d == WindowAttrs::kPlanes && !w.volume) continue;
      to[d] = list[static_cast<size_t>(w.IndexOf(d))];
      if (to[d] < 1 || to[d] > std::numeric_limits<int32_t>::max())
        return OutOfRange(name, " is out of range: it must be positive, got ", to[d]);
    }
    return {};
  };
  TENSH_RETURN_IF_ERROR(read("ksizes", w.sizes));
  TENSH_RETURN_IF_ERROR(read("strides", w.strides));
  return attrs.Find("rates") ? read("rates", w.dilations) : Status();
}

struct Patches {
  WindowDim planes, rows, columns;
  int64_t channels = 0;
  Shape shape;  // shape of the output; unknown extents are -1
};

// Computes one dimension. If the window exceeds the image by less than one stride, there are no
// windows along this dimension, which is not an error.
Status MakeDim(const WindowAttrs& w, int dim, const Shape& in, WindowDim* out) {
  const int64_t extent = w.Of(in, dim), reach = (w.sizes[dim] - 1) * w.dilations[dim] + 1;
  const bool none = w.padding == Padding::kValid && extent >= 0 && extent < reach &&
                    reach - extent < 2 * w.strides[dim];
  TENSH_RETURN_IF_ERROR(MakeWindow(w, dim, none ? reach : extent, w.sizes[dim], *out));
  if (none) out->in = extent, out->out = 0;
  return {};
}

Status MakePatches(const WindowAttrs& w, const Shape& in, Patches* p) {
  TENSH_RETURN_IF_ERROR(MakeDim(w, WindowAttrs::kPlanes, in, &p->planes));
  TENSH_RETURN_IF_ERROR(MakeDim(w, WindowAttrs::kRows, in, &p->rows));
  TENSH_RETURN_IF_ERROR(MakeDim(w, WindowAttrs::kColumns, in, &p->columns));
  p->channels = w.Of(in, WindowAttrs::kChannels);
  int64_t depth = p->channels;
  if (depth >= 0)
    for (int64_t size : {p->planes.size, p->rows.size, p->columns.size})
      if (__builtin_mul_overflow(depth, size, &depth))
        return InvalidArgument("patches of ", in, " have too many elements");
  p->shape = w.Make(in[0], p->rows.out, p->columns.out, depth, p->planes.out);
  return {};
}

Result<std::unique_ptr<KernelState>> PreparePatches(PrepareCtx& c) {
  auto state = std::make_unique<WindowAttrs>();
  TENSH_RETURN_IF_ERROR(ReadPatches(c.attrs(), *state));
  for (const char* name : {"ksizes", "strides", "rates"}) {
    const AttrValue* value = c.attrs().Find(name);
    const auto* list = value ? value->Find<AttrValue::Ints>() : nullptr;
    if (list && (list->front() != 1 || list->back() != 1))
      return Unimplemented("Current implementation does not yet support ", name,
                           " in the batch and depth dimensions.");
  }
  return {std::move(state)};
}

// Copies one line of the window at column q from a line of the image. Pixels outside of the image
// are zero.
void CopyLine(DType dtype, const Patches& p, int64_t q, const Tensor& in, int64_t line, Tensor* out,
              int64_t at) {
  ZeroElements(dtype, At(*out, at), p.columns.size * p.channels);
  if (line < 0) return;
  for (int64_t k = p.columns.Begin(q); k < p.columns.End(q); ++k)
    CopyElements(dtype, At(*out, at + k * p.channels),
                 At(in, (line * p.columns.in + p.columns.At(q, k)) * p.channels), p.channels);
}

Status ExtractPatches(KernelCtx& c) {
  const auto& w = c.state<WindowAttrs>();
  const Tensor& in = c.in(0);
  Patches p;
  TENSH_RETURN_IF_ERROR(MakePatches(w, in.shape(), &p));
  TENSH_ASSIGN(const Shape shape, Shape::Make(p.shape.dims(), true));
  TENSH_OUTPUT(out, c.Output(0, shape));
  if (!out->num_elements()) return {};
  const int64_t run = p.columns.size * p.channels, patch = p.planes.size * p.rows.size * run;
  c.ParallelFor(
      out->num_elements() / patch, static_cast<double>(patch), [&](int64_t begin, int64_t end) {
        for (int64_t n = begin; n < end; ++n) {
          const int64_t q = n % p.columns.out, above = n / p.columns.out;
          const int64_t r = above % p.rows.out, volume = above / p.rows.out;
          const int64_t plane = volume % p.planes.out, image = volume / p.planes.out;
          int64_t at = n * patch;
          for (int64_t i = 0; i < p.planes.size; ++i)
            for (int64_t j = 0; j < p.rows.size; ++j, at += run) {
              const int64_t from = p.planes.Element(plane, i), row = p.rows.Element(r, j);
              const bool inside = from >= 0 && row >= 0;
              CopyLine(in.dtype(), p, q, in,
                       inside ? (image * p.planes.in + from) * p.rows.in + row : -1, out, at);
            }
        }
      });
  return {};
}

Status PatchesShape(ShapeCtx& c) {
  WindowAttrs w;
  TENSH_RETURN_IF_ERROR(ReadPatches(c.attrs(), w));
  const Shape in = c.in(0).has_rank() ? c.in(0) : Shape::UnknownOfRank(w.rank());
  Patches p;
  TENSH_RETURN_IF_ERROR(MakePatches(w, in, &p));
  // As in TensorFlow, either all of these extents are known or none.
  if (std::min({p.planes.out, p.rows.out, p.columns.out}) < 0)
    p.shape = w.Make(in[0], -1, -1, p.shape[w.rank() - 1], -1);
  c.Set(0, p.shape);
  return {};
}

// Finds the origin of each element of the gradient by extracting patches from an image that holds
// the pixel numbers 1, 2, …; 0 marks padding. The gradients of elements with the same origin are
// summed.
Status PatchesGrad(GradScope& g) {
  const Out x = g.x(0), dy = g.dy();
  const bool volume = g.attrs().Get<AttrValue::Ints>("ksizes").size() > 4;
  const int64_t last = volume ? 4 : 3;
  const auto part = [&](Out t, int64_t from, int64_t size) {
    return g.Op("Slice", {t, ConstInts(g, {from}, "begin"), ConstInts(g, {size}, "size")});
  };
  const auto join = [&](std::vector<Out> parts) {
    return Concat(g, std::move(parts), ConstInt(g, 0, "axis"));
  };
  const auto turned = [&](Out t) {
    return g.Op("Transpose", {t, ConstInts(g, {1, 0, 2}, "perm")}, {}, "transpose");
  };
  const Out shape = ShapeOf(g, x), one = ConstInts(g, {1}, "one");
  const Out space = part(shape, 1, last - 1), batch = part(shape, 0, 1);
  const Out channels = part(shape, last, 1);
  const Out places = g.Op("Prod", {space, ConstInt(g, 0, "axis")});
  const Out start = ConstInt(g, 1, "start"), rows = GradAdd(g, places, start);
  const Out numbers =
      g.Op("Reshape", {g.Op("Range", {start, rows, start}), join({one, space, one})});
  std::vector<NamedAttr> attrs;
  for (const char* name : {"ksizes", "strides", "rates", "padding"})
    if (const AttrValue* value = g.attrs().Find(name)) attrs.push_back({name, *value});
  const Out from =
      g.Op("Reshape", {g.Op(g.op_name(), {numbers}, attrs), ConstInts(g, {-1}, "all")});
  const Out count = g.Op("ExpandDims", {SizeOfTensor(g, from), ConstInt(g, 0, "axis")});
  const Out flat = g.Op("Reshape", {dy, join({batch, count, channels})});
  const Out sums = g.Op("UnsortedSegmentSum", {turned(flat), from, rows});
  const Out found =
      g.Op("Slice", {sums, ConstInts(g, {1, 0, 0}, "begin"), ConstInts(g, {-1, -1, -1}, "size")});
  return g.Return({g.Op("Reshape", {turned(found), shape})});
}

// ---- glimpses ----

enum class Noise { kUniform, kGaussian, kZero };

struct GlimpseState : RandomState {
  bool centered = false, normalized = false, first_version = false;
  Noise noise = Noise::kUniform;
};

Status CheckNoise(Attrs attrs) {
  const std::string& noise = attrs.String("noise");
  if (attrs.Bool("uniform_noise") && !noise.empty() && noise != "uniform")
    return InvalidArgument(
        "The uniform_noise should not be True when noise is not uniform: it is '", noise, "'");
  return {};
}

Result<std::unique_ptr<KernelState>> PrepareGlimpse(PrepareCtx& c) {
  TENSH_RETURN_IF_ERROR(CheckNoise(c.attrs()));
  auto s = std::make_unique<GlimpseState>();
  s->generator = std::make_shared<Generator>(0, 1);
  s->centered = c.attrs().Bool("centered");
  s->normalized = c.attrs().Bool("normalized");
  s->first_version = c.op_name() == "ExtractGlimpse";
  const std::string& noise = c.attrs().String("noise");
  if (noise.empty())
    s->noise = c.attrs().Bool("uniform_noise") ? Noise::kUniform : Noise::kGaussian;
  else if (noise == "uniform" || noise == "gaussian" || noise == "zero")
    s->noise = noise == "uniform"    ? Noise::kUniform
               : noise == "gaussian" ? Noise::kGaussian
                                     : Noise::kZero;
  else
    return InvalidArgument("The noise should be 'uniform', 'gaussian', 'zero' or '', got '", noise,
                           "'");
  return std::unique_ptr<KernelState>(std::move(s));
}

// Returns the start of a glimpse of `size` along a dimension of `extent`, with TensorFlow's float
// arithmetic.
int64_t GlimpseBegin(const GlimpseState& s, float offset, int64_t extent, int64_t size) {
  const float whole = static_cast<float>(extent), part = static_cast<float>(size);
  float at = offset;
  if (s.first_version) {
    if (s.normalized) at *= whole;
    if (s.centered) at = at / 2.0f + whole / 2.0f;
    at -= part / 2.0f;
  } else if (s.normalized) {
    at *= whole;
    if (s.centered) at = at / 2.0f + whole / 2.0f - part / 2.0f;
  } else if (s.centered) {
    at += whole / 2.0f;
  }
  // Far away offsets and NaN give a glimpse outside of the image.
  const float far = 1e12f;
  return at > -far && at < far ? static_cast<int64_t>(at) : -static_cast<int64_t>(far);
}

void FillNoise(const GlimpseState& s, Philox philox, const float* image, int64_t pixels, float* out,
               int64_t n) {
  std::fill_n(out, n, 0.0f);
  if (s.noise == Noise::kZero || pixels == 0) return;
  Philox32 bits(philox);
  if (s.noise == Noise::kUniform) {
    const auto [least, most] = std::minmax_element(image, image + pixels);
    for (int64_t i = 0; i < n; ++i) out[i] = *least + UnitFloat(bits.Next()) * (*most - *least);
    return;
  }
  for (int64_t i = 0; i < n; i += 2) {
    const uint32_t words[] = {bits.Next(), bits.Next()};
    float pair[2];
    NormalPair(words, pair);
    std::copy_n(pair, std::min<int64_t>(2, n - i), out + i);
  }
}

Status ExtractGlimpse(KernelCtx& c) {
  const auto& s = c.state<GlimpseState>();
  const Tensor &images = c.in(0), &offsets = c.in(2);
  const int64_t batch = images.dim(0), rows = images.dim(1), columns = images.dim(2),
                channels = images.dim(3);
  if (offsets.dim(0) != batch)
    return InvalidArgument("input batch size: ", batch,
                           " does not match offsets batch size: ", offsets.dim(0));
  const int64_t height = IndexAt(c.in(1), 0), width = IndexAt(c.in(1), 1);
  const int64_t dims[] = {batch, height, width, channels};
  TENSH_ASSIGN(const Shape shape, Shape::Make(dims, true));
  TENSH_OUTPUT(out, c.Output(0, shape));
  if (!out->num_elements()) return {};
  const int64_t image = rows * columns * channels, size = height * width * channels;
  for (int64_t b = 0; b < batch && !c.cancelled(); ++b) {
    const float* from = images.data<float>() + b * image;
    float* to = out->data<float>() + b * size;
    const float* offset = offsets.data<float>() + 2 * b;
    const int64_t top = GlimpseBegin(s, offset[0], rows, height);
    const int64_t left = GlimpseBegin(s, offset[1], columns, width);
    if (top < 0 || left < 0 || top + height > rows || left + width > columns)
      FillNoise(s, s.generator->Reserve(static_cast<uint64_t>(size)), from, image, to, size);
    const int64_t first = std::max<int64_t>(left, 0), end = std::min(left + width, columns);
    for (int64_t r = std::max<int64_t>(top, 0); r < std::min(top + height, rows); ++r)
      if (first < end)
        std::copy_n(from + (r * columns + first) * channels, (end - first) * channels,
                    to + ((r - top) * width + first - left) * channels);
  }
  return {};
}

Status GlimpseShape(ShapeCtx& c) {
  TENSH_RETURN_IF_ERROR(CheckNoise(c.attrs()));
  Shape out = Shape::UnknownOfRank(4);
  const Shape &in = c.in(0), &offsets = c.in(2);
  int64_t batch = in.has_rank() ? in[0] : -1;
  if (offsets.has_rank()) {
    if (batch >= 0 && offsets[0] >= 0 && batch != offsets[0])
      return InvalidArgument("Dimensions must be equal, but are ", batch, " and ", offsets[0]);
    if (batch < 0) batch = offsets[0];
  }
  out.set_dim(0, batch);
  if (in.has_rank()) out.set_dim(3, in[3]);
  TENSH_ASSIGN(const Shape extents, ShapeInput(c, 1));
  for (int d = 0; d < 2 && extents.rank() == 2; ++d) out.set_dim(1 + d, extents[d]);
  c.Set(0, out);
  return {};
}

}  // namespace

TENSH_OPS(image_extract_patches) {
  const std::string doc =
      " padding: SAME adds windows that extend over the edges, where pixels are zero; VALID does "
      "not. T: the element type.";
  r.Op({.name = "ExtractImagePatches",
        .inputs = "images: T",
        .outputs = "patches: T",
        .attrs = "ksizes: list(int) >= 4, strides: list(int) >= 4, rates: list(int) >= 4, "
                 "T: {bfloat16, half, float, double, int8, int16, int32, int64, uint8, uint16, "
                 "uint32, uint64, complex64, complex128, bool}, padding: {'SAME', 'VALID'}",
        .doc =
            "Extracts windows from images [batch, rows, columns, depth]. Each window becomes the "
            "channels of one pixel of patches. ksizes: [1, rows, columns, 1] of a window. strides: "
            "the distance between windows. rates: the distance between the pixels of a window." +
            doc,
        .contract = "images: rank 4",
        .shape = PatchesShape,
        .grad = PatchesGrad,
        .examples = {{"tf.extract_image_patches([[[[1.], [2.]], [[3.], [4.]]]], [1, 2, 2, 1], "
                      "[1, 1, 1, 1], [1, 1, 1, 1], 'VALID')",
                      "[[[[1. 2. 3. 4.]]]]"}}})
      .CpuAny(ExtractPatches, PreparePatches);
  r.Op({.name = "ExtractVolumePatches",
        .inputs = "input: T",
        .outputs = "patches: T",
        .attrs = "ksizes: list(int) >= 5, strides: list(int) >= 5, T: {float, double, int32, "
                 "uint8, int16, int8, int64, bfloat16, uint16, half, uint32, uint64}, padding: "
                 "{'SAME', 'VALID'}",
        .doc = "Extracts windows from volumes, input [batch, planes, rows, columns, depth]. Each "
               "window becomes the channels of one voxel of patches. ksizes: [1, planes, rows, "
               "columns, 1] of a window. strides: the distance between windows." +
               doc,
        .contract = "input: rank 5",
        .shape = PatchesShape,
        .grad = PatchesGrad,
        .examples = {{"tf.extract_volume_patches([[[[[1.], [2.]]]]], [1, 1, 1, 2, 1], "
                      "[1, 1, 1, 1, 1], 'VALID')",
                      "[[[[[1. 2.]]]]]"}}})
      .CpuAny(ExtractPatches, PreparePatches);
  for (const char* name : {"ExtractGlimpse", "ExtractGlimpseV2"})
    r.Op({.name = name,
          .inputs = "input: float, size: int32, offsets: float",
          .outputs = "glimpse: float",
          .attrs = "centered: bool = true, normalized: bool = true, uniform_noise: bool = true, "
                   "noise: string = 'uniform'",
          .doc = "Extracts one window from each image of input [batch, rows, columns, depth]. "
                 "glimpse has the rows and columns in size. offsets: the row and column of each "
                 "window's center. normalized: offsets are in [-1, 1] over the image, otherwise in "
                 "pixels. centered: offsets are relative to the image's center, otherwise to its "
                 "corner. Pixels outside of the image are noise: 'uniform', 'gaussian' or 'zero'; "
                 "with '', uniform_noise decides.",
          .contract = "input: rank 4, size: vector of 2 >= 0, offsets: matrix of 2",
          .shape = GlimpseShape,
          .no_gradient = true,
          .examples = {{StrCat("tf.raw_ops.", name,
                               "(input=[[[[1.], [2.]], [[3.], [4.]]]], size=[2, 2], "
                               "offsets=[[0., 0.]])[0, :, :, 0]"),
                        "[[1. 2.]\n [3. 4.]]"}}})
        .CpuAny(ExtractGlimpse, PrepareGlimpse);
}

}  // namespace tensh::ops
