#pragma once
// Convolutions of images, and their gradients, by cuDNN.
#include "devices/cuda/cuda_driver.h"
#include "runtime/core/kernel.h"

namespace tensh::cuda {

// The positions of the windows along one dimension. Window o begins at element o * stride - before.
struct ConvSide {
  int64_t in, out, size, stride, dilation, before;
};

// A convolution whose filter is [rows, columns, channels of a group, output channels], and whose images
// have their channels last or first. Of x, filter and y, the one that `kind` names is written.
struct ImageConv {
  ConvCall::Kind kind;
  DType type;
  bool channels_first;
  int64_t batch, in_channels, out_channels, groups;
  ConvSide rows, columns;
  const void *x, *filter, *y;
};

// Returns Unimplemented, having done nothing, if cuDNN is missing or does not support the convolution.
Status ConvolveByLibrary(KernelCtx& c, const ImageConv& v);

}  // namespace tensh::cuda
