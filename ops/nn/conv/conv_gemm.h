#pragma once
// Convolution of dense images (NHWC) and volumes (NDHWC). Floats use tiled_conv.h. For other types,
// the windows are laid out as the rows of a matrix, a few megabytes at a time, and multiplied with
// the filter; both gradients work the same way. Stateless; large convolutions run on the step's
// threads.
#include "ops/nn/conv/window.h"

namespace tensh::ops {

struct ConvDims {
  int64_t batch = 0, in_channels = 0, filter_channels = 0, out_channels = 0, groups = 1;
  WindowDim planes, rows, columns;  // an image has one plane
  int64_t image() const { return planes.in * rows.in * columns.in * in_channels; }
  int64_t positions() const { return planes.out * rows.out * columns.out; }  // windows per image
  int64_t patch() const {                                                    // of one window
    return planes.size * rows.size * columns.size * filter_channels;
  }
  // True if every window is one pixel, in order. The input then is the matrix of windows.
  bool is_product() const;
};

// Returns InvalidArgument if `filter`, [planes (volumes only), rows, columns, channels, out], does
// not fit the images `in`. Unknown extents are allowed and make the extents derived from them
// unknown.
Status MakeConv(const WindowAttrs& w, const Shape& in, const Shape& filter, ConvDims& d);

// Instances: float, double, int32_t. Outputs are written completely and must not overlap an input.
// The gradients have no groups. If `output` is not null, it is the kernel's output 0, which others
// may take in parts; only floats are offered to them.
template <class T>
Status Convolve(KernelCtx& c, const ConvDims& d, const T* in, const T* filter, T* out,
                const Tensor* output = nullptr);
template <class T>
Status ConvolveInputGrad(KernelCtx& c, const ConvDims& d, const T* filter, const T* dy, T* dx,
                         const Tensor* output = nullptr);
template <class T>
Status ConvolveFilterGrad(KernelCtx& c, const ConvDims& d, const T* in, const T* dy, T* df);

template <>
Status Convolve(KernelCtx& c, const ConvDims& d, const float* in, const float* filter, float* out,
                const Tensor* output);
template <>
Status ConvolveInputGrad(KernelCtx& c, const ConvDims& d, const float* filter, const float* dy,
                         float* dx, const Tensor* output);
template <>
Status ConvolveFilterGrad(KernelCtx& c, const ConvDims& d, const float* in, const float* dy,
                          float* df);

}  // namespace tensh::ops
