#pragma once
// Images as files hold them: PNG, JPEG, GIF and BMP to pixels, PNG and JPEG from pixels. Pixels lie
// row by row, channels innermost. The bytes may come from anybody: what is wrong with them is
// InvalidArgument, before anything is allocated that they only claim to need. libpng,
// libjpeg and giflib are loaded when first used, so that a program without images does not wait for
// them.
#include <functional>
#include <string>
#include <string_view>

#include "runtime/core/status.h"

namespace tensh::ops {

enum class ImageFormat { kUnknown, kPng, kJpeg, kGif, kBmp };
// From the first bytes.
ImageFormat FormatOfImage(std::string_view contents);
const char* NameOf(ImageFormat format);

struct ImageSize {
  int64_t frames = 1, height = 0, width = 0, channels = 0;
};
// Where the pixels go; a decoder asks once, when it knows how many there are.
using MakeRoom = std::function<Result<void*>(const ImageSize&)>;

// channels: 1, 3, 4, or 0 for those of the file. bits: 8 or 16 of each, in the machine's order.
Status DecodePng(std::string_view contents, int channels, int bits, const MakeRoom& make_room);

struct JpegDecoding {
  int channels = 0;  // 1, 3, or 0 for those of the file
  int ratio = 1;     // 1, 2, 4, 8: by how much the image is made smaller
  bool fancy_upscaling = true;
  bool recover_truncated = false;  // what is missing is grey
  float acceptable_fraction = 1;   // of the rows; those that are missing are black
  enum { kFast, kAccurate } dct = kFast;
  bool crop = false;
  int64_t crop_y = 0, crop_x = 0, crop_height = 0, crop_width = 0;
};
Status DecodeJpeg(std::string_view contents, const JpegDecoding& options,
                  const MakeRoom& make_room);
// From the header alone.
Status SizeOfJpeg(std::string_view contents, ImageSize* size);

// Three channels. all_frames: else the first alone.
Status DecodeGif(std::string_view contents, bool all_frames, const MakeRoom& make_room);

// channels: 3, 4, or 0 for those of the file.
Status DecodeBmp(std::string_view contents, int channels, const MakeRoom& make_room);

// channels: 1 grey, 2 with alpha, 3 RGB, 4 with alpha. compression: 0 to 9, -1 for zlib's own.
Status EncodePng(const void* pixels, const ImageSize& size, int bits, int compression,
                 std::string* out);

struct JpegEncoding {
  int quality = 95;
  bool progressive = false, optimize_size = false, chroma_downsampling = true;
  bool density_in_cm = false;
  int x_density = 300, y_density = 300;
  std::string xmp_metadata;
};
// channels: 1 grey, 3 RGB.
Status EncodeJpeg(const uint8_t* pixels, const ImageSize& size, const JpegEncoding& options,
                  std::string* out);

}  // namespace tensh::ops
