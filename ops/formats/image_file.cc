#include "ops/formats/image_file.h"

namespace tensh::ops {

ImageFormat FormatOfImage(std::string_view contents) {
  if (contents.starts_with("\x89PNG\r\n\x1a\n")) return ImageFormat::kPng;
  if (contents.starts_with("\xff\xd8\xff")) return ImageFormat::kJpeg;
  if (contents.starts_with("GIF8")) return ImageFormat::kGif;
  if (contents.starts_with("BM")) return ImageFormat::kBmp;
  return ImageFormat::kUnknown;
}

const char* NameOf(ImageFormat format) {
  static constexpr const char* kNames[] = {"unknown", "PNG", "JPEG", "GIF", "BMP"};
  return kNames[static_cast<int>(format)];
}

}  // namespace tensh::ops
