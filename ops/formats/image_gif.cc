// Decodes GIF files with giflib and draws each frame over the previous ones.
#include <gif_lib.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <vector>

#include "ops/formats/image_file.h"
#include "ops/formats/image_library.h"

namespace tensh::ops {
namespace {

#define TENSH_GIF_FUNCTIONS(F) \
  F(DGifCloseFile)             \
  F(DGifGetExtension)          \
  F(DGifGetExtensionNext)      \
  F(DGifGetImageDesc)          \
  F(DGifGetLine)               \
  F(DGifGetRecordType)         \
  F(DGifOpen)

struct GifLibrary {
#define TENSH_GIF_FIELD(name) decltype(&::name) name;
  TENSH_GIF_FUNCTIONS(TENSH_GIF_FIELD)
#undef TENSH_GIF_FIELD
  bool there;

  GifLibrary() {
    SharedLibrary library(kGifLibrary);
#define TENSH_GIF_FIND(name) library.Find(#name, &name);
    TENSH_GIF_FUNCTIONS(TENSH_GIF_FIND)
#undef TENSH_GIF_FIND
    there = library.complete();
  }
};

const GifLibrary& Gif() {
  static const GifLibrary library;
  return library;
}

int Read(GifFileType* gif, GifByteType* to, int n) {
  auto& rest = *static_cast<std::string_view*>(gif->UserData);
  const size_t taken = std::min(rest.size(), static_cast<size_t>(n));
  std::memcpy(to, rest.data(), taken);
  rest.remove_prefix(taken);
  return static_cast<int>(taken);
}

struct Close {
  void operator()(GifFileType* gif) const { Gif().DGifCloseFile(gif, nullptr); }
};
using GifFile = std::unique_ptr<GifFileType, Close>;

struct Frame {
  int left = 0, top = 0, width = 0, height = 0, transparent = -1;
  std::vector<GifColorType> colours;
  std::vector<uint8_t> pixels;  // indices into colors
};

// Restores the order of interlaced rows. They are stored in four passes: every eighth row, then the
// rows halfway between those, and so on.
void Deinterlace(Frame* f) {
  std::vector<uint8_t> rows(f->pixels.size());
  const size_t width = static_cast<size_t>(f->width);
  const uint8_t* from = f->pixels.data();
  for (const auto& [start, step] : {std::pair{0, 8}, {4, 8}, {2, 4}, {1, 2}})
    for (int y = start; y < f->height; y += step, from += width)
      std::memcpy(rows.data() + static_cast<size_t>(y) * width, from, width);
  f->pixels.swap(rows);
}

constexpr int64_t kMaxBytes = int64_t{1} << 30;

// The frames of a file. Its size is that of the largest frame; the logical screen size is ignored.
struct Movie {
  int width = 0, height = 0;
  std::vector<Frame> frames;
  int64_t bytes_a_frame() const { return int64_t{3} * width * height; }
  bool HasRoomFor(const Frame& f) const {
    const int64_t pixels = int64_t{std::max(width, f.width)} * std::max(height, f.height);
    return 3 * pixels * static_cast<int64_t>(frames.size() + 1) <= kMaxBytes;
  }
  void Add(Frame f) {
    width = std::max(width, f.width);
    height = std::max(height, f.height);
    frames.push_back(std::move(f));
  }
};

// Reads an extension block. If it declares a transparent color for the next frame, stores it in
// *transparent. Returns false if the block is truncated.
bool ReadExtension(GifFileType* gif, int* transparent) {
  int kind = 0;
  GifByteType* block = nullptr;  // the first byte is the length
  int read = Gif().DGifGetExtension(gif, &kind, &block);
  for (; read == GIF_OK && block; read = Gif().DGifGetExtensionNext(gif, &block))
    if (kind == GRAPHICS_EXT_FUNC_CODE && block[0] >= 4)
      *transparent = block[1] & 1 ? block[4] : -1;
  return read == GIF_OK;
}

// Reads the frame whose descriptor was read last. Returns false if it is truncated.
bool ReadFrame(GifFileType* gif, size_t left_in_file, const Movie& movie, Frame* f) {
  constexpr int64_t kMaxPixelsAByte = 4096;  // of the longest LZW code
  const GifImageDesc& image = gif->Image;
  f->left = image.Left;
  f->top = image.Top;
  f->width = image.Width;
  f->height = image.Height;
  if (const ColorMapObject* map = image.ColorMap ? image.ColorMap : gif->SColorMap)
    f->colours.assign(map->Colors, map->Colors + map->ColorCount);
  const int64_t pixels = int64_t{f->width} * f->height;
  if (pixels == 0 || !movie.HasRoomFor(*f)) return false;
  if (pixels / kMaxPixelsAByte > static_cast<int64_t>(left_in_file)) return false;
  f->pixels.resize(static_cast<size_t>(pixels));
  for (int y = 0; y < f->height; ++y)
    if (Gif().DGifGetLine(gif, f->pixels.data() + int64_t{y} * f->width, f->width) == GIF_ERROR)
      return false;
  if (image.Interlace) Deinterlace(f);
  return true;
}

// Reads all complete frames. If the first frame is complete, an error after it is ignored.
Status ReadMovie(std::string_view contents, Movie* movie) {
  const auto invalid = [&](const char* why) {
    return InvalidArgument("Invalid GIF data (size ", contents.size(), "), ", why);
  };
  if (!Gif().there) return FailedPrecondition(NotInstalled(kGifLibrary));
  std::string_view rest = contents;
  const GifFile gif(Gif().DGifOpen(&rest, Read, nullptr));
  if (!gif) return invalid("failed to open gif file: No screen descriptor detected");
  int transparent = -1;
  GifRecordType record;
  while (Gif().DGifGetRecordType(gif.get(), &record) == GIF_OK && record != TERMINATE_RECORD_TYPE) {
    if (record == IMAGE_DESC_RECORD_TYPE) {
      Frame frame;
      frame.transparent = transparent;
      if (Gif().DGifGetImageDesc(gif.get()) == GIF_ERROR ||
          !ReadFrame(gif.get(), rest.size(), *movie, &frame))
        break;
      movie->Add(std::move(frame));
      transparent = -1;
    } else if (!ReadExtension(gif.get(), &transparent)) {
      break;
    }
  }
  if (movie->frames.empty())
    return invalid("failed to slurp gif file: no complete frame, or too many pixels");
  return {};
}

Status Draw(const Frame& f, size_t number, const Movie& movie, uint8_t* canvas) {
  if (f.colours.empty()) return InvalidArgument("missing color map for frame ", number);
  const int right = std::min(f.left + f.width, movie.width);
  const int bottom = std::min(f.top + f.height, movie.height);
  for (int y = f.top; y < bottom; ++y)
    for (int x = f.left; x < right; ++x) {
      const size_t index = f.pixels[static_cast<size_t>(y - f.top) * static_cast<size_t>(f.width) +
                                    static_cast<size_t>(x - f.left)];
      if (static_cast<int>(index) == f.transparent) continue;
      if (index >= f.colours.size())
        return InvalidArgument("found color index ", index, " outside of color map range ",
                               f.colours.size());
      const GifColorType& colour = f.colours[index];
      uint8_t* to = canvas + 3 * (int64_t{y} * movie.width + x);
      to[0] = colour.Red, to[1] = colour.Green, to[2] = colour.Blue;
    }
  return {};
}

}  // namespace

Status DecodeGif(std::string_view contents, bool all_frames, const MakeRoom& make_room) {
  Movie movie;
  TENSH_RETURN_IF_ERROR(ReadMovie(contents, &movie));
  if (!all_frames) movie.frames.resize(1);
  const ImageSize size = {static_cast<int64_t>(movie.frames.size()), movie.height, movie.width, 3};
  const int64_t frame_bytes = movie.bytes_a_frame();
  Result<void*> room = make_room(size);
  if (!room.ok()) return room.status();
  auto* canvas = static_cast<uint8_t*>(*room);
  for (size_t i = 0; i < movie.frames.size(); ++i, canvas += frame_bytes) {
    if (i == 0)
      std::memset(canvas, 0, static_cast<size_t>(frame_bytes));
    else
      std::memcpy(canvas, canvas - frame_bytes, static_cast<size_t>(frame_bytes));
    TENSH_RETURN_IF_ERROR(Draw(movie.frames[i], i, movie, canvas));
  }
  return {};
}

}  // namespace tensh::ops
