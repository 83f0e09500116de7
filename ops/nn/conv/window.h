#pragma once
// Sliding windows over images and volumes, shared by convolutions and pools. Attributes and shapes
// of any data format are converted to planes, rows, columns and channels once; the kernels then see
// only extents. Plain values; the attributes are in a node's state and are read-only during steps.
#include "runtime/core/joined.h"
#include "runtime/core/op_registry.h"

namespace tensh::ops {

enum class Padding : uint8_t { kValid, kSame, kExplicit };

// Divides indices by an extent. Kernels of GPUs use a class of the same kind that multiplies.
struct PlainDivider {
  int64_t by;
  // Divides i and returns the remainder.
  constexpr int64_t Take(int64_t& i) const {
    const int64_t rest = i % by;
    i /= by;
    return rest;
  }
};

// One dimension of a window: element k of window o is at index o * stride + k * dilation - before.
struct WindowDim {
  int64_t in = 0, out = 0, size = 1, stride = 1, dilation = 1, before = 0;
  // The elements of window o that lie inside the input are those with k in [Begin(o), End(o)).
  constexpr int64_t Begin(int64_t o) const {
    const int64_t start = o * stride - before;
    return start >= 0 ? 0 : (-start + dilation - 1) / dilation;
  }
  constexpr int64_t End(int64_t o) const {
    const int64_t left = in - (o * stride - before);
    return left <= 0 ? 0 : std::min(size, (left + dilation - 1) / dilation);
  }
  constexpr int64_t At(int64_t o, int64_t k) const { return o * stride - before + k * dilation; }
  // Returns the index of that element in the input, or -1 if it is padding.
  constexpr int64_t Element(int64_t o, int64_t k) const {
    const int64_t at = At(o, k);
    return at >= 0 && at < in ? at : -1;
  }
  // Returns the window whose element k is at input index i, or -1 if there is none.
  constexpr int64_t WindowAt(int64_t i, int64_t k) const {
    return WindowAt(i, k, PlainDivider{stride});
  }
  // The same with a divider by the stride.
  template <class Divider>
  constexpr int64_t WindowAt(int64_t i, int64_t k, const Divider& by_stride) const {
    int64_t from = i + before - k * dilation;
    return from >= 0 && by_stride.Take(from) == 0 && from < out ? from : -1;
  }
};

// The offsets of elements in images or volumes, with channels last or first.
struct ImageLayout {
  struct Place {
    int64_t image, plane, row, column, channel;
  };
  int64_t planes = 1, rows = 1, columns = 1, channels = 1;
  bool channels_first = false;
  constexpr int64_t pixels() const { return planes * rows * columns; }
  constexpr int64_t At(const Place& p) const {
    const int64_t pixel = (p.plane * rows + p.row) * columns + p.column;
    return channels_first ? (p.image * channels + p.channel) * pixels() + pixel
                          : (p.image * pixels() + pixel) * channels + p.channel;
  }
  constexpr Place PlaceOf(int64_t i) const {
    const int64_t pixel = channels_first ? i % pixels() : i / channels % pixels();
    const int64_t line = pixel / columns;
    return {i / channels / pixels(), line / rows, line % rows, pixel % columns,
            channels_first ? i / pixels() % channels : i % channels};
  }
};

// Strides, dilations, window sizes and paddings by dimension: batch, rows, columns, channels and,
// for volumes, planes.
struct WindowAttrs : JoinedState {
  static constexpr int kBatch = 0, kRows = 1, kColumns = 2, kChannels = 3, kPlanes = 4;
  static constexpr int kDims = 5;
  bool channels_first = false, volume = false;
  bool any_dilations = false;  // the list of dilations may be empty
  Padding padding = Padding::kValid;
  int64_t strides[kDims] = {1, 1, 1, 1, 1}, dilations[kDims] = {1, 1, 1, 1, 1},
          sizes[kDims] = {1, 1, 1, 1, 1};
  int64_t before[kDims] = {}, after[kDims] = {};
  int rank() const { return volume ? 5 : 4; }
  // Returns the index of a dimension in a shape.
  int IndexOf(int dim) const {
    static constexpr int kIndex[2][2][kDims] = {{{0, 1, 2, 3, -1}, {0, 2, 3, 1, -1}},
                                                {{0, 2, 3, 4, 1}, {0, 3, 4, 1, 2}}};
    return kIndex[volume][channels_first][dim];
  }
  // An image is treated as a volume of one plane.
  int64_t Of(const Shape& s, int dim) const {
    return dim == kPlanes && !volume ? 1 : s[IndexOf(dim)];
  }
  Shape Make(int64_t batch, int64_t rows, int64_t columns, int64_t channels,
             int64_t planes = 1) const {
    Shape s = Shape::UnknownOfRank(rank());
    if (volume) s.set_dim(IndexOf(kPlanes), planes);
    s.set_dim(IndexOf(kBatch), batch);
    s.set_dim(IndexOf(kRows), rows);
    s.set_dim(IndexOf(kColumns), columns);
    s.set_dim(IndexOf(kChannels), channels);
    return s;
  }
};

// Reads strides, padding, data_format and, if the op has them, dilations, explicit_paddings and
// ksize. Returns InvalidArgument for impossible windows.
Status ReadWindowAttrs(Attrs attrs, WindowAttrs& w);
// Creates a kernel's state. Returns an error for channels first, which TensorFlow's CPU kernels do
// not support either.
Result<std::unique_ptr<KernelState>> PrepareWindow(PrepareCtx& c);
// Likewise, for a kernel that makes its output in parts.
Result<std::unique_ptr<KernelState>> PrepareWindowInParts(PrepareCtx& c);
// The same for kernels that also support channels first.
Result<std::unique_ptr<KernelState>> PrepareAnyWindow(PrepareCtx& c);

// Computes the extents along one dimension. Returns InvalidArgument if no window fits. Unknown
// extents give an unknown output extent.
Status MakeWindow(const WindowAttrs& w, int dim, int64_t in, int64_t size, WindowDim& out);

// For shape functions: return InvalidArgument if a window is larger than the padded input.
Status CheckWindow(const WindowAttrs& w, int dim, const WindowDim& window);
Status CheckWindows(const WindowAttrs& w, const WindowDim& rows, const WindowDim& columns);

// For gradients: returns those window attributes of the forward op that the gradient op shares.
std::vector<NamedAttr> SameWindow(GradScope& g, bool explicit_paddings = true);

// PoolShapeOf returns the shape of the output of a pool with window sizes w.sizes over `in`, which
// may be partially known.
Result<Shape> PoolShapeOf(const WindowAttrs& w, const Shape& in);
Status PoolShape(ShapeCtx& c);

}  // namespace tensh::ops
