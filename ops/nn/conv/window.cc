#include "ops/nn/conv/window.h"

#include <algorithm>
#include <limits>

namespace tensh::ops {
namespace {

constexpr int64_t kMost = std::numeric_limits<int32_t>::max();

// The dimensions that this window has, in the order in which they are checked.
std::span<const int> DimsOf(const WindowAttrs& w) {
  static constexpr int kAll[] = {WindowAttrs::kBatch, WindowAttrs::kRows, WindowAttrs::kColumns,
                                 WindowAttrs::kChannels, WindowAttrs::kPlanes};
  return std::span(kAll).first(static_cast<size_t>(w.rank()));
}

// Reads a list attribute with one number per dimension, each at least `least`.
Status ReadList(Attrs attrs, std::string_view name, const WindowAttrs& w, int64_t* out,
                int64_t least) {
  const AttrValue* attr = attrs.Find(name);
  const auto* list = attr ? attr->Find<AttrValue::Ints>() : nullptr;
  if (!list || (list->empty() && w.any_dilations && name == "dilations")) return {};
  if (list->size() != static_cast<size_t>(w.rank()))
    return InvalidArgument("The ", name, " attribute must contain ", w.rank(),
                           " values, but got: ", list->size());
  for (int d : DimsOf(w)) {
    out[d] = (*list)[static_cast<size_t>(w.IndexOf(d))];
    if (out[d] < least || out[d] > kMost)
      return InvalidArgument("The ", name, " attribute must lie between ", least, " and ", kMost,
                             ", got ", out[d]);
  }
  return {};
}

Status ReadExplicit(Attrs attrs, WindowAttrs& w) {
  const AttrValue* attr = attrs.Find("explicit_paddings");
  const auto* list = attr ? attr->Find<AttrValue::Ints>() : nullptr;
  const size_t given = list ? list->size() : 0;
  if (w.padding != Padding::kExplicit) {
    if (given)
      return InvalidArgument(
          "explicit_paddings attribute must be empty if the padding attribute is not EXPLICIT");
    return {};
  }
  if (given != 2 * static_cast<size_t>(w.rank()))
    return InvalidArgument("explicit_paddings attribute must contain ", 2 * w.rank(),
                           " values, but got: ", given);
  for (int d : DimsOf(w)) {
    const size_t at = 2 * static_cast<size_t>(w.IndexOf(d));
    w.before[d] = (*list)[at];
    w.after[d] = (*list)[at + 1];
    if (w.before[d] < 0 || w.after[d] < 0 || w.before[d] > kMost || w.after[d] > kMost)
      return InvalidArgument("All elements of explicit_paddings must be nonnegative, got ",
                             w.before[d], " and ", w.after[d]);
    if ((d == WindowAttrs::kBatch || d == WindowAttrs::kChannels) && (w.before[d] || w.after[d]))
      return InvalidArgument(
          "Nonzero explicit padding in the batch or depth dimensions is not supported");
  }
  return {};
}

}  // namespace

namespace {

Status ReadFormat(Attrs attrs, WindowAttrs& w) {
  const auto* strides =
      attrs.Find("strides") ? attrs.Find("strides")->Find<AttrValue::Ints>() : nullptr;
  w.volume = strides && strides->size() == 5;
  if (!attrs.Find("data_format")) return {};
  static constexpr struct {
    std::string_view name;
    bool channels_first, volume;
  } kFormats[] = {
      {"NHWC", false, false}, {"NCHW", true, false}, {"NDHWC", false, true}, {"NCDHW", true, true}};
  const std::string& format = attrs.String("data_format");
  if (format.rfind("CHANNELS_", 0) == 0) {  // used for both images and volumes
    w.channels_first = format == "CHANNELS_FIRST";
    w.any_dilations = true;
    return {};
  }
  for (const auto& row : kFormats) {
    if (row.name != format) continue;
    w.channels_first = row.channels_first;
    w.volume = row.volume;
    return {};
  }
  return InvalidArgument("data_format ", format, " is not supported; use NHWC");
}

}  // namespace

Status ReadWindowAttrs(Attrs attrs, WindowAttrs& w) {
  TENSH_RETURN_IF_ERROR(ReadFormat(attrs, w));
  const std::string& padding = attrs.String("padding");
  w.padding = padding == "SAME"    ? Padding::kSame
              : padding == "VALID" ? Padding::kValid
                                   : Padding::kExplicit;
  TENSH_RETURN_IF_ERROR(ReadList(attrs, "strides", w, w.strides, 1));
  TENSH_RETURN_IF_ERROR(ReadList(attrs, "dilations", w, w.dilations, 1));
  TENSH_RETURN_IF_ERROR(ReadList(attrs, "ksize", w, w.sizes, 1));
  return ReadExplicit(attrs, w);
}

Result<std::unique_ptr<KernelState>> PrepareAnyWindow(PrepareCtx& c) {
  auto state = std::make_unique<WindowAttrs>();
  TENSH_RETURN_IF_ERROR(ReadWindowAttrs(c.attrs(), *state));
  return {std::move(state)};
}

Result<std::unique_ptr<KernelState>> PrepareWindow(PrepareCtx& c) {
  auto state = std::make_unique<WindowAttrs>();
  TENSH_RETURN_IF_ERROR(ReadWindowAttrs(c.attrs(), *state));
  if (state->channels_first) {
    const std::string text =
        StrCat(c.node_name(), ": data_format ", c.attrs().String("data_format"),
               " is not supported on the CPU; use ", state->volume ? "NDHWC" : "NHWC");
    // The error codes are TensorFlow's.
    const std::string_view op = c.op_name();
    return op == "Conv2D" || op.rfind("Depthwise", 0) == 0 ? Unimplemented(text)
                                                           : InvalidArgument(text);
  }
  return {std::move(state)};
}

Result<std::unique_ptr<KernelState>> PrepareWindowInParts(PrepareCtx& c) {
  TENSH_ASSIGN(std::unique_ptr<KernelState> state, PrepareWindow(c));
  static_cast<WindowAttrs&>(*state).in_parts = true;
  return {std::move(state)};
}

Status MakeWindow(const WindowAttrs& w, int dim, int64_t in, int64_t size, WindowDim& out) {
  out = {.in = in,
         .out = -1,
         .size = size,
         .stride = w.strides[dim],
         .dilation = w.dilations[dim],
         .before = w.before[dim]};
  if (size == 0) return InvalidArgument("filter must not have zero elements");
  if (in < 0) return {};
  if (w.padding == Padding::kSame) out.out = in / out.stride + (in % out.stride != 0);
  if (size < 0) return {};
  int64_t reach = 0;  // extent of the input that a window spans
  if (__builtin_mul_overflow(size - 1, out.dilation, &reach) || reach >= kMost * kMost)
    return InvalidArgument("a window of ", size, " with dilation ", out.dilation, " is too large");
  ++reach;
  if (w.padding == Padding::kSame) {
    out.before = std::max<int64_t>((out.out - 1) * out.stride + reach - in, 0) / 2;
    return {};
  }
  const int64_t padded = in + w.before[dim] + w.after[dim];
  if (padded < reach && padded - reach + out.stride < 0)
    return InvalidArgument(
        "Computed output size would be negative: ", (padded - reach + out.stride) / out.stride,
        " [input_size: ", in, ", effective_filter_size: ", reach, ", stride: ", out.stride, "]");
  out.out = (padded - reach + out.stride) / out.stride;
  return {};
}

static Status CheckReach(const WindowDim& d, int64_t padding) {
  if (d.in < 0 || d.size < 0 || d.out < 0) return {};
  const int64_t reach = (d.size - 1) * d.dilation + 1;
  if (d.in + padding < reach)
    return InvalidArgument("Negative dimension size caused by subtracting ", reach, " from ",
                           d.in + padding, ": the window is larger than the input");
  return {};
}

Status CheckWindow(const WindowAttrs& w, int dim, const WindowDim& window) {
  if (w.padding == Padding::kSame) return {};
  return CheckReach(window, w.before[dim] + w.after[dim]);
}

Status CheckWindows(const WindowAttrs& w, const WindowDim& rows, const WindowDim& columns) {
  TENSH_RETURN_IF_ERROR(CheckWindow(w, WindowAttrs::kRows, rows));
  return CheckWindow(w, WindowAttrs::kColumns, columns);
}

std::vector<NamedAttr> SameWindow(GradScope& g, bool explicit_paddings) {
  std::vector<NamedAttr> attrs;
  for (const char* name : {"ksize", "strides", "use_cudnn_on_gpu", "padding", "explicit_paddings",
                           "data_format", "dilations"}) {
    const AttrValue* value = g.attrs().Find(name);
    if (value && (explicit_paddings || std::string_view(name) != "explicit_paddings"))
      attrs.push_back({name, *value});
  }
  return attrs;
}

Result<Shape> PoolShapeOf(const WindowAttrs& w, const Shape& in) {
  WindowDim rows, columns, channels;
  auto of = [&](int d) { return w.Of(in, d); };
  if (w.strides[0] != 1 || w.sizes[0] != 1)
    return Unimplemented("Pooling is not yet supported on the batch dimension.");
  TENSH_RETURN_IF_ERROR(
      MakeWindow(w, WindowAttrs::kRows, of(WindowAttrs::kRows), w.sizes[WindowAttrs::kRows], rows));
  TENSH_RETURN_IF_ERROR(MakeWindow(w, WindowAttrs::kColumns, of(WindowAttrs::kColumns),
                                   w.sizes[WindowAttrs::kColumns], columns));
  TENSH_RETURN_IF_ERROR(MakeWindow(w, WindowAttrs::kChannels, of(WindowAttrs::kChannels),
                                   w.sizes[WindowAttrs::kChannels], channels));
  return w.Make(in[0], rows.out, columns.out, channels.out);
}

Status PoolShape(ShapeCtx& c) {
  WindowAttrs w;
  TENSH_RETURN_IF_ERROR(ReadWindowAttrs(c.attrs(), w));
  const Shape in = c.in(0).has_rank() ? c.in(0) : Shape::UnknownOfRank(4);
  TENSH_ASSIGN(Shape out, PoolShapeOf(w, in));
  for (int d : {WindowAttrs::kRows, WindowAttrs::kColumns}) {
    WindowDim window;
    TENSH_RETURN_IF_ERROR(MakeWindow(w, d, w.Of(in, d), w.sizes[d], window));
    TENSH_RETURN_IF_ERROR(CheckWindow(w, d, window));
  }
  c.Set(0, out);
  return {};
}

}  // namespace tensh::ops
