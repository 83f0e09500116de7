#pragma once
// Convolution of dense images (NHWC) and volumes (NDHWC) as a matrix product: windows are laid out
// as the rows of a matrix, some megabytes at a time, and multiplied with the filter. Both gradients
// go the same way. Stateless; large ones run on the step's threads.
#include "ops/support/window.h"

namespace tensh::ops {

struct ConvDims {
  int64_t batch = 0, in_channels = 0, filter_channels = 0, out_channels = 0, groups = 1;
  WindowDim planes, rows, columns;  // an image is one plane
  int64_t image() const { return planes.in * rows.in * columns.in * in_channels; }
  int64_t positions() const { return planes.out * rows.out * columns.out; }  // of one image
  int64_t patch() const {                                                    // one window
    return planes.size * rows.size * columns.size * filter_channels;
  }
  // Every window is one pixel, in order: the images are the matrix already.
  bool is_product() const;
};

// InvalidArgument when filter [planes of volumes, rows, columns, channels, out] does not fit images
// `in`. Extents may be unknown; then so are those that follow from them.
Status MakeConv(const WindowAttrs& w, const Shape& in, const Shape& filter, ConvDims& d);

// Instances: float, double, int32_t. Outputs are written whole and overlap no input.
template <class T>
Status Convolve(KernelCtx& c, const ConvDims& d, const T* in, const T* filter, T* out);
template <class T>
Status ConvolveInputGrad(KernelCtx& c, const ConvDims& d, const T* filter, const T* dy, T* dx);
template <class T>
Status ConvolveFilterGrad(KernelCtx& c, const ConvDims& d, const T* in, const T* dy, T* df);

}  // namespace tensh::ops
