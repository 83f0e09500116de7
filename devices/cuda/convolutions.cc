// cuDNN pads both ends of an image alike, and has its own order of a filter's dimensions. Filters are
// therefore turned, and images are padded where TensorFlow pads only their end.
#include "devices/cuda/convolutions.h"

#include <algorithm>

#include "devices/cuda/cuda_device.h"
#include "devices/cuda/moves.h"

namespace tensh::cuda {
namespace {

// The padding of one dimension: what cuDNN adds to both ends, or to which size the image is extended.
struct Padding {
  int64_t both = 0, size = 0;
};

int64_t Windows(int64_t size, const ConvSide& s) {
  const int64_t covered = (s.size - 1) * s.dilation + 1;
  return size < covered ? 0 : (size - covered) / s.stride + 1;
}

Padding PaddingOf(const ConvSide& s) {
  if (Windows(s.in + 2 * s.before, s) == s.out) return {s.before, s.in};
  const int64_t needed = (s.out - 1) * s.stride + (s.size - 1) * s.dilation + 1;
  return {0, std::max(needed, s.in + s.before)};
}

// The strides of [image, row, column, channel] in images of this size.
struct Strides {
  int64_t at[4];
};
Strides ImageStrides(const ImageConv& v, int64_t rows, int64_t columns) {
  const int64_t pixels = rows * columns, channels = v.in_channels;
  if (v.channels_first) return {{pixels * channels, columns, 1, pixels}};
  return {{pixels * channels, columns * channels, channels, 1}};
}

class Convolution {
 public:
  Convolution(KernelCtx& c, const ImageConv& v)
      : c_(c),
        v_(v),
        size_(SizeOf(v.type)),
        rows_(PaddingOf(v.rows)),
        columns_(PaddingOf(v.columns)) {}

  Status Run() {
    CudaStream& s = static_cast<CudaStream&>(*c_.runner());
    TENSH_RETURN_IF_ERROR(s.driver().Use(s.gpu()));
    if (Windows(rows_.size + 2 * rows_.both, v_.rows) != v_.rows.out ||
        Windows(columns_.size + 2 * columns_.both, v_.columns) != v_.columns.out)
      return Unimplemented("windows that end before the image does");
    ConvCall call{v_.kind,
                  v_.type,
                  v_.channels_first,
                  v_.batch,
                  v_.in_channels,
                  v_.out_channels,
                  v_.groups,
                  {rows_.size, columns_.size},
                  {v_.rows.out, v_.columns.out},
                  {v_.rows.size, v_.columns.size},
                  {v_.rows.stride, v_.columns.stride},
                  {v_.rows.dilation, v_.columns.dilation},
                  {rows_.both, columns_.both},
                  v_.x,
                  nullptr,
                  v_.y};
    TENSH_ASSIGN(const size_t bytes, s.driver().ConvScratch(call));
    TENSH_ASSIGN(const Tensor scratch, Room(DType::kUint8, static_cast<int64_t>(bytes)));
    TENSH_ASSIGN(const Tensor filter, Room(v_.type, FilterElements()));
    call.filter = filter.raw();
    if (v_.kind != ConvCall::kFilter) TurnFilter(filter, false);
    Tensor padded;
    if (rows_.size != v_.rows.in || columns_.size != v_.columns.in) {
      TENSH_ASSIGN(padded, Room(v_.type, v_.batch * rows_.size * columns_.size * v_.in_channels));
      call.x = padded.raw();
      if (v_.kind != ConvCall::kInput) Pad(padded);
    }
    TENSH_RETURN_IF_ERROR(s.driver().Convolve(s.stream(), call, scratch.raw(), bytes));
    if (v_.kind == ConvCall::kFilter) TurnFilter(filter, true);
    if (v_.kind == ConvCall::kInput && padded) MoveImages(padded, true);
    return {};
  }

 private:
  Result<Tensor> Room(DType type, int64_t n) {
    return Tensor::Make(type, Shape({std::max<int64_t>(n, 1)}), c_.allocator());
  }
  int64_t FilterElements() const {
    return v_.rows.size * v_.columns.size * (v_.in_channels / v_.groups) * v_.out_channels;
  }

  // Between [row, column, channel, out] and [out, row, column, channel] or [out, channel, row, column].
  void TurnFilter(const Tensor& turned, bool back) {
    const int64_t rows = v_.rows.size, columns = v_.columns.size,
                  channels = v_.in_channels / v_.groups, outs = v_.out_channels;
    const int64_t dims[] = {outs, rows, columns, channels};
    const int64_t ours[] = {1, columns * channels * outs, channels * outs, outs};
    const int64_t last[] = {rows * columns * channels, columns * channels, channels, 1};
    const int64_t first[] = {rows * columns * channels, columns, 1, rows * columns};
    const int64_t* theirs = v_.channels_first ? first : last;
    void* const filter = const_cast<void*>(v_.filter);
    if (back)
      MoveBox(c_, size_, filter, turned.raw(), 4, dims, theirs, ours);
    else
      MoveBox(c_, size_, turned.raw(), filter, 4, dims, ours, theirs);
  }

  void Pad(const Tensor& padded) {
    const uint64_t zero[2] = {};
    FillOnDevice(c_, size_, padded.raw(), zero, padded.num_elements());
    MoveImages(padded, false);
  }

  // Copies the images into padded ones, or `back`.
  void MoveImages(const Tensor& padded, bool back) {
    const int64_t dims[] = {v_.batch, v_.rows.in, v_.columns.in, v_.in_channels};
    const Strides ours = ImageStrides(v_, v_.rows.in, v_.columns.in);
    const Strides theirs = ImageStrides(v_, rows_.size, columns_.size);
    const int64_t at = (rows_.both ? 0 : v_.rows.before) * theirs.at[1] +
                       (columns_.both ? 0 : v_.columns.before) * theirs.at[2];
    char* const inside = static_cast<char*>(padded.raw()) + at * size_;
    void* const images = const_cast<void*>(v_.x);
    if (back)
      MoveBox(c_, size_, images, inside, 4, dims, theirs.at, ours.at);
    else
      MoveBox(c_, size_, inside, images, 4, dims, ours.at, theirs.at);
  }

  KernelCtx& c_;
  const ImageConv& v_;
  const int64_t size_;  // bytes of an element
  const Padding rows_, columns_;
};

}  // namespace

Status ConvolveByLibrary(KernelCtx& c, const ImageConv& v) { return Convolution(c, v).Run(); }

}  // namespace tensh::cuda
