#include "ops/nn/conv/conv_gemm.h"

#include <algorithm>

#include "ops/math/matmul/gemm.h"
#include "ops/support/wrap.h"

namespace tensh::ops {
namespace {

constexpr int64_t kBufferElements = 2 << 20;  // maximum size of the matrix of windows

// ForEachPixel for one plane of a window. `base` is the offset of the plane's first pixel in the
// input, `to` its offset in the patch.
template <class Fn, class Zero>
void ForEachPixelOfPlane(const ConvDims& d, int64_t base, int64_t to, int64_t r, int64_t q, Fn& fn,
                         Zero& zero) {
  const int64_t row_begin = d.rows.Begin(r), row_end = d.rows.End(r);
  const int64_t begin = d.columns.Begin(q), end = d.columns.End(q), width = d.columns.size;
  const int64_t n = d.filter_channels;
  for (int64_t i = 0; i < d.rows.size; ++i, to += width * n) {
    if (i < row_begin || i >= row_end || begin >= end) {
      zero(to, width * n);
      continue;
    }
    if (begin > 0) zero(to, begin * n);
    const int64_t row = base + d.rows.At(r, i) * d.columns.in * d.in_channels;
    for (int64_t j = begin; j < end; ++j) fn(row + d.columns.At(q, j) * d.in_channels, to + j * n);
    if (end < width) zero(to + end * n, (width - end) * n);
  }
}

// Calls fn(offset in the input, offset in the patch) for every pixel of window `position`, and
// zero(offset, count) for the parts that lie outside the input. A pixel has filter_channels
// elements.
template <class Fn, class Zero>
void ForEachPixel(const ConvDims& d, int64_t position, Fn fn, Zero zero) {
  const int64_t per_image = d.positions(), at = position % per_image;
  const int64_t line = at / d.columns.out, q = at % d.columns.out;
  const int64_t z = d.planes.out == 1 ? 0 : line / d.rows.out, r = line - z * d.rows.out;
  const int64_t plane_begin = d.planes.Begin(z), plane_end = d.planes.End(z);
  const int64_t slab = d.rows.size * d.columns.size * d.filter_channels;
  const int64_t base = position / per_image * d.image();
  const int64_t plane = d.rows.in * d.columns.in * d.in_channels;
  for (int64_t k = 0; k < d.planes.size; ++k) {
    if (k < plane_begin || k >= plane_end)
      zero(k * slab, slab);
    else
      ForEachPixelOfPlane(d, base + d.planes.At(z, k) * plane, k * slab, r, q, fn, zero);
  }
}

// Fills rows [first, first + count) of the matrix of windows. Of each pixel, filter_channels
// channels from `channel` on are copied.
template <class T>
void FillPatches(KernelCtx& c, const ConvDims& d, const T* in, int64_t channel, int64_t first,
                 int64_t count, T* patches) {
  const int64_t size = d.patch(), n = d.filter_channels;
  c.ParallelFor(count, 0.3 * static_cast<double>(size) + 10, [&](int64_t begin, int64_t end) {
    for (int64_t p = begin; p < end; ++p) {
      T* patch = patches + p * size;
      ForEachPixel(
          d, first + p,
          [&](int64_t from, int64_t to) { std::copy_n(in + from + channel, n, patch + to); },
          [&](int64_t to, int64_t zeros) { std::fill_n(patch + to, zeros, T{0}); });
    }
  });
}

// Adds the rows of the matrix of windows back to their pixels. Windows of different images do not
// overlap, so the images are processed in parallel.
template <class T>
void AddPatches(KernelCtx& c, const ConvDims& d, const T* patches, int64_t first, int64_t count,
                T* dx) {
  const int64_t per_image = d.positions(), size = d.patch(), n = d.filter_channels;
  const int64_t image = first / per_image, images = (first + count - 1) / per_image - image + 1;
  const double ns = 0.5 * static_cast<double>(size) * static_cast<double>(per_image);
  c.ParallelFor(images, ns, [&](int64_t begin, int64_t end) {
    const int64_t from = std::max(first, (image + begin) * per_image);
    const int64_t to = std::min(first + count, (image + end) * per_image);
    for (int64_t p = from; p < to; ++p) {
      const T* patch = patches + (p - first) * size;
      ForEachPixel(
          d, p,
          [&](int64_t pixel, int64_t at) {
            for (int64_t k = 0; k < n; ++k) dx[pixel + k] = WrapAdd(dx[pixel + k], patch[at + k]);
          },
          [](int64_t, int64_t) {});
    }
  });
}

template <class T>
Result<Tensor> Buffer(KernelCtx& c, int64_t rows, int64_t columns) {
  return Tensor::Make(kDTypeOf<T>, Shape({rows, columns}), c.allocator());
}

int64_t ChunkOf(const ConvDims& d) {
  return std::clamp<int64_t>(kBufferElements / d.patch(), 1, d.batch * d.positions());
}

// Convolves each group separately: it reads its channels of the input and writes its channels of
// the output.
template <class T>
Status ConvolveGroups(KernelCtx& c, const ConvDims& d, const T* in, const T* filter, T* out) {
  const int64_t total = d.batch * d.positions(), chunk = ChunkOf(d), patch = d.patch();
  const int64_t n = d.out_channels / d.groups;
  TENSH_ASSIGN(Tensor patches, Buffer<T>(c, chunk, patch));
  TENSH_ASSIGN(Tensor part, Buffer<T>(c, chunk, n));
  TENSH_ASSIGN(Tensor columns, Buffer<T>(c, patch, n));
  for (int64_t g = 0; g < d.groups; ++g) {
    for (int64_t i = 0; i < patch; ++i)
      std::copy_n(filter + i * d.out_channels + g * n, n, columns.data<T>() + i * n);
    for (int64_t first = 0; first < total && !c.cancelled(); first += chunk) {
      const int64_t count = std::min(chunk, total - first);
      FillPatches(c, d, in, g * d.filter_channels, first, count, patches.data<T>());
      Gemm(c, {.m = count, .n = n, .k = patch}, patches.data<T>(), columns.data<T>(),
           part.data<T>());
      for (int64_t p = 0; p < count; ++p)
        std::copy_n(part.data<T>() + p * n, n, out + (first + p) * d.out_channels + g * n);
    }
  }
  return {};
}

}  // namespace

bool ConvDims::is_product() const {
  auto plain = [](const WindowDim& w) { return w.size == 1 && w.stride == 1 && w.in == w.out; };
  return plain(planes) && plain(rows) && plain(columns) && groups == 1;
}

Status MakeConv(const WindowAttrs& w, const Shape& in, const Shape& filter, ConvDims& d) {
  // TensorFlow uses another error code for volumes.
  auto refuse = [&](const char* what) {
    const std::string text = StrCat("Current implementation does not yet support ", what,
                                    " in the batch and depth dimensions.");
    return w.volume ? InvalidArgument(text) : Unimplemented(text);
  };
  if (w.strides[WindowAttrs::kBatch] != 1 || w.strides[WindowAttrs::kChannels] != 1)
    return refuse("strides");
  if (w.dilations[WindowAttrs::kBatch] != 1 || w.dilations[WindowAttrs::kChannels] != 1)
    return refuse("dilations");
  d.batch = in[0];
  d.in_channels = w.Of(in, WindowAttrs::kChannels);
  const int first = w.volume;  // index of the rows in the filter's shape
  d.filter_channels = filter[first + 2];
  d.out_channels = filter[first + 3];
  auto make = [&](int dim, int64_t size, WindowDim& out) {
    return MakeWindow(w, dim, w.Of(in, dim), size, out);
  };
  TENSH_RETURN_IF_ERROR(make(WindowAttrs::kPlanes, w.volume ? filter[0] : 1, d.planes));
  TENSH_RETURN_IF_ERROR(make(WindowAttrs::kRows, filter[first], d.rows));
  TENSH_RETURN_IF_ERROR(make(WindowAttrs::kColumns, filter[first + 1], d.columns));
  if (d.in_channels < 0 || d.filter_channels < 0) return {};
  if (d.filter_channels == 0)
    return InvalidArgument(
        "filter must not have zero elements (i.e. all dimensions must be "
        "non-zero), got ",
        filter);
  // An input without channels is a multiple of any depth, but has no groups.
  if (d.in_channels % d.filter_channels || d.in_channels == 0)
    return InvalidArgument("input depth must be evenly divisible by filter depth: ", d.in_channels,
                           " vs ", d.filter_channels, " (input ", in, ", filter ", filter, ")");
  d.groups = d.in_channels / d.filter_channels;
  if (d.out_channels >= 0 && d.out_channels % d.groups)
    return InvalidArgument("output depth must be evenly divisible by number of groups: ",
                           d.out_channels, " vs ", d.groups)
        .WithHint(StrCat("for one group, the third extent of the filter is the number of channels "
                         "of the input, ",
                         d.in_channels, "; it is ", d.filter_channels));
  return {};
}

template <class T>
Status Convolve(KernelCtx& c, const ConvDims& d, const T* in, const T* filter, T* out,
                const Tensor*) {
  const int64_t total = d.batch * d.positions();
  if (!total || !d.out_channels) return {};
  if (d.groups > 1) return ConvolveGroups(c, d, in, filter, out);
  const int64_t n = d.out_channels, patch = d.patch();
  if (d.is_product()) {
    Gemm(c, {.m = total, .n = n, .k = patch}, in, filter, out);
    return {};
  }
  const int64_t chunk = ChunkOf(d);
  TENSH_ASSIGN(Tensor patches, Buffer<T>(c, chunk, patch));
  for (int64_t first = 0; first < total && !c.cancelled(); first += chunk) {
    const int64_t count = std::min(chunk, total - first);
    FillPatches(c, d, in, 0, first, count, patches.data<T>());
    Gemm(c, {.m = count, .n = n, .k = patch}, patches.data<T>(), filter, out + first * n);
  }
  return {};
}

template <class T>
Status ConvolveInputGrad(KernelCtx& c, const ConvDims& d, const T* filter, const T* dy, T* dx,
                         const Tensor*) {
  const int64_t total = d.batch * d.positions(), n = d.out_channels, patch = d.patch();
  std::fill_n(dx, d.batch * d.image(), T{0});
  if (!total || !n || !d.image()) return {};
  if (d.is_product()) {
    Gemm(c, {.transpose_b = true, .m = total, .n = patch, .k = n}, dy, filter, dx);
    return {};
  }
  const int64_t chunk = ChunkOf(d);
  TENSH_ASSIGN(Tensor patches, Buffer<T>(c, chunk, patch));
  for (int64_t first = 0; first < total && !c.cancelled(); first += chunk) {
    const int64_t count = std::min(chunk, total - first);
    Gemm(c, {.transpose_b = true, .m = count, .n = patch, .k = n}, dy + first * n, filter,
         patches.data<T>());
    AddPatches(c, d, patches.data<T>(), first, count, dx);
  }
  return {};
}

template <class T>
Status ConvolveFilterGrad(KernelCtx& c, const ConvDims& d, const T* in, const T* dy, T* df) {
  const int64_t total = d.batch * d.positions(), n = d.out_channels, patch = d.patch();
  std::fill_n(df, patch * n, T{0});
  if (!total || !n) return {};
  if (d.is_product()) {
    Gemm(c, {.transpose_a = true, .m = patch, .n = n, .k = total}, in, dy, df);
    return {};
  }
  const int64_t chunk = ChunkOf(d);
  TENSH_ASSIGN(Tensor patches, Buffer<T>(c, chunk, patch));
  TENSH_ASSIGN(Tensor part, Buffer<T>(c, patch, n));
  for (int64_t first = 0; first < total && !c.cancelled(); first += chunk) {
    const int64_t count = std::min(chunk, total - first);
    FillPatches(c, d, in, 0, first, count, patches.data<T>());
    Gemm(c, {.transpose_a = true, .m = patch, .n = n, .k = count}, patches.data<T>(),
         dy + first * n, part.data<T>());
    for (int64_t i = 0; i < patch * n; ++i) df[i] = WrapAdd(df[i], part.data<T>()[i]);
  }
  return {};
}

#define TENSH_CONVOLUTION(T)                                                                    \
  template Status Convolve(KernelCtx&, const ConvDims&, const T*, const T*, T*, const Tensor*); \
  template Status ConvolveInputGrad(KernelCtx&, const ConvDims&, const T*, const T*, T*,        \
                                    const Tensor*);                                             \
  template Status ConvolveFilterGrad(KernelCtx&, const ConvDims&, const T*, const T*, T*)
TENSH_CONVOLUTION(double);
TENSH_CONVOLUTION(int32_t);
#undef TENSH_CONVOLUTION

}  // namespace tensh::ops
