// Decodes uncompressed BMP files.
#include <cstdlib>

#include "ops/formats/image_file.h"

namespace tensh::ops {
namespace {

constexpr size_t kHeaderBytes = 32;  // up to and including the bits per pixel

template <class T>
T Little(std::string_view bytes, size_t at) {
  uint32_t v = 0;
  for (size_t i = 0; i < sizeof(T); ++i)
    v |= static_cast<uint32_t>(static_cast<uint8_t>(bytes[at + i])) << (8 * i);
  return static_cast<T>(v);
}

struct Layout {
  int64_t header, width, height, channels;
  bool top_down;
  int64_t row_bytes() const { return (channels * width + 3) / 4 * 4; }
};

Status ReadLayout(std::string_view contents, Layout* l) {
  if (contents.size() < kHeaderBytes)
    return InvalidArgument("Incomplete bmp content, requires at least ", kHeaderBytes,
                           " bytes to find the header size, width, height, and bpp, got ",
                           contents.size(), " bytes");
  l->header = Little<int32_t>(contents, 10);
  l->width = Little<int32_t>(contents, 18);
  const int64_t height = Little<int32_t>(contents, 22);
  l->height = std::abs(height);
  l->top_down = height < 0;
  l->channels = Little<int16_t>(contents, 28) / 8;
  if (l->header < 0) return InvalidArgument("header size must be nonnegative: ", l->header);
  if (l->width <= 0) return InvalidArgument("Width must be positive: ", l->width);
  if (l->height == 0) return InvalidArgument("Height must be nonzero");
  if (l->channels != 1 && l->channels != 3 && l->channels != 4)
    return InvalidArgument("Number of channels inherent in the image must be 1, 3 or 4, was ",
                           l->channels);
  if (l->width > (int64_t{1} << 30) / 4 / l->height)
    return InvalidArgument("Total possible pixel bytes must be less than 2^30: ", l->height, " by ",
                           l->width, " pixels");
  const int64_t excess =
      static_cast<int64_t>(contents.size()) - l->header - l->row_bytes() * l->height;
  if (excess != 0)
    return InvalidArgument(
        "Input size should match (header_size + row_size * abs_height) but they differ by ",
        excess);
  return {};
}

}  // namespace

Status DecodeBmp(std::string_view contents, int channels, const MakeRoom& make_room) {
  Layout l = {};
  TENSH_RETURN_IF_ERROR(ReadLayout(contents, &l));
  const int64_t wanted = channels ? channels : l.channels;
  Result<void*> room = make_room({1, l.height, l.width, wanted});
  if (!room.ok()) return room.status();
  auto* to = static_cast<uint8_t*>(*room);
  for (int64_t y = 0; y < l.height; ++y) {
    const int64_t row = l.top_down ? y : l.height - 1 - y;
    const auto* from =
        reinterpret_cast<const uint8_t*>(contents.data()) + l.header + row * l.row_bytes();
    for (int64_t x = 0; x < l.width; ++x, from += l.channels, to += wanted) {
      // The file's order is blue, green, red, alpha. A pixel of one channel is copied to all three.
      for (int64_t k = 0; k < wanted; ++k) {
        if (k == 3)
          to[k] = l.channels == 4 ? from[3] : 255;
        else
          to[k] = l.channels == 1 ? from[0] : from[2 - k];
      }
    }
  }
  return {};
}

}  // namespace tensh::ops
