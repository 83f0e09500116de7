#pragma once
// Image files: decodes PNG, JPEG, GIF and BMP, and encodes PNG and JPEG.
//
// Pixels are stored row by row, with channels innermost. Files are untrusted: a malformed file
// gives InvalidArgument, and sizes that it merely claims are checked before memory is allocated for
// them.
//
// libpng, libjpeg and giflib are loaded on first use, so that programs without images do not pay
// for them.
#include <functional>
#include <string>
#include <string_view>

#include "runtime/core/status.h"

namespace tensh::ops {

enum class ImageFormat { kUnknown, kPng, kJpeg, kGif, kBmp };
// Returns the format according to the first bytes.
ImageFormat FormatOfImage(std::string_view contents);
const char* NameOf(ImageFormat format);

struct ImageSize {
  int64_t frames = 1, height = 0, width = 0, channels = 0;
};
// Allocates the memory for the pixels. A decoder calls it once, as soon as the size is known.
using MakeRoom = std::function<Result<void*>(const ImageSize&)>;

// channels: 1, 3, 4, or 0 for the number in the file. bits: 8 or 16 per channel, in native byte
// order.
Status DecodePng(std::string_view contents, int channels, int bits, const MakeRoom& make_room);

struct JpegDecoding {
  int channels = 0;  // 1, 3, or 0 for the number in the file
  int ratio = 1;     // divisor of the image's size: 1, 2, 4 or 8
  bool fancy_upscaling = true;
  bool recover_truncated = false;  // missing pixels are gray
  // minimum fraction of the rows that must be present; missing ones are black
  float acceptable_fraction = 1;
  enum { kFast, kAccurate } dct = kFast;
  bool crop = false;
  int64_t crop_y = 0, crop_x = 0, crop_height = 0, crop_width = 0;
};
Status DecodeJpeg(std::string_view contents, const JpegDecoding& options,
                  const MakeRoom& make_room);
// Reads the size from the header alone.
Status SizeOfJpeg(std::string_view contents, ImageSize* size);

// Always decodes to three channels. Unless all_frames is set, only the first frame is decoded.
Status DecodeGif(std::string_view contents, bool all_frames, const MakeRoom& make_room);

// channels: 3, 4, or 0 for the number in the file.
Status DecodeBmp(std::string_view contents, int channels, const MakeRoom& make_room);

// channels: 1 for gray, 2 for gray and alpha, 3 for RGB, 4 for RGB and alpha. compression: 0 to 9,
// or -1 for zlib's default.
Status EncodePng(const void* pixels, const ImageSize& size, int bits, int compression,
                 std::string* out);

struct JpegEncoding {
  int quality = 95;
  bool progressive = false, optimize_size = false, chroma_downsampling = true;
  bool density_in_cm = false;
  int x_density = 300, y_density = 300;
  std::string xmp_metadata;
};
// channels: 1 for gray, 3 for RGB.
Status EncodeJpeg(const uint8_t* pixels, const ImageSize& size, const JpegEncoding& options,
                  std::string* out);

}  // namespace tensh::ops
