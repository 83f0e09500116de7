// Decodes and encodes PNG files with libpng.
#include <png.h>

#include <bit>
#include <cstring>

#include "ops/formats/image_file.h"
#include "ops/formats/image_library.h"

namespace tensh::ops {
namespace {

#define TENSH_PNG_FUNCTIONS(F)  \
  F(create_info_struct)         \
  F(create_read_struct)         \
  F(create_write_struct)        \
  F(destroy_read_struct)        \
  F(destroy_write_struct)       \
  F(get_IHDR)                   \
  F(get_channels)               \
  F(get_error_ptr)              \
  F(get_io_ptr)                 \
  F(get_valid)                  \
  F(read_end)                   \
  F(read_info)                  \
  F(read_row)                   \
  F(read_update_info)           \
  F(set_IHDR)                   \
  F(set_add_alpha)              \
  F(set_compression_level)      \
  F(set_expand_16)              \
  F(set_expand_gray_1_2_4_to_8) \
  F(set_gray_to_rgb)            \
  F(set_interlace_handling)     \
  F(set_palette_to_rgb)         \
  F(set_read_fn)                \
  F(set_rgb_to_gray)            \
  F(set_strip_16)               \
  F(set_strip_alpha)            \
  F(set_swap)                   \
  F(set_tRNS_to_alpha)          \
  F(set_write_fn)               \
  F(write_end)                  \
  F(write_info)                 \
  F(write_row)

struct PngLibrary {
#define TENSH_PNG_FIELD(name) decltype(&png_##name) name;
  TENSH_PNG_FUNCTIONS(TENSH_PNG_FIELD)
#undef TENSH_PNG_FIELD
  bool there;

  PngLibrary() {
    SharedLibrary library(kPngLibrary);
#define TENSH_PNG_FIND(name) library.Find("png_" #name, &name);
    TENSH_PNG_FUNCTIONS(TENSH_PNG_FIND)
#undef TENSH_PNG_FIND
    there = library.complete();
  }
};

const PngLibrary& Png() {
  static const PngLibrary library;
  return library;
}

Status NotThere() { return FailedPrecondition(NotInstalled(kPngLibrary)); }

[[noreturn]] void OnError(png_structp png, png_const_charp) {
  static_cast<Trap*>(Png().get_error_ptr(png))->Fail();
}
void OnWarning(png_structp, png_const_charp) {}

// ---- reading ----

class Reader {
 public:
  explicit Reader(std::string_view contents) : rest_(contents), size_(contents.size()) {}
  ~Reader() { Png().destroy_read_struct(&png_, &info_, nullptr); }

  Status ReadHeader();
  // Configures the conversion from the file's pixels to the requested ones.
  Status Want(int channels, int bits, ImageSize* size);
  Status ReadPixels(uint8_t* to, size_t row_bytes);

 private:
  static void Take(png_structp png, png_bytep to, size_t n) {
    Reader& reader = *static_cast<Reader*>(Png().get_io_ptr(png));
    if (n > reader.rest_.size()) reader.trap_.Fail();
    std::memcpy(to, reader.rest_.data(), n);
    reader.rest_.remove_prefix(n);
  }
  void Transform(int channels, int bits);

  Trap trap_;
  std::string_view rest_;
  size_t size_;
  png_structp png_ = nullptr;
  png_infop info_ = nullptr;
  png_uint_32 width_ = 0, height_ = 0;
  int bits_ = 0, colour_ = 0, passes_ = 1;
};

Status Reader::ReadHeader() {
  const bool read = trap_.Survives([this] {
    png_ = Png().create_read_struct(PNG_LIBPNG_VER_STRING, &trap_, OnError, OnWarning);
    info_ = Png().create_info_struct(png_);
    Png().set_read_fn(png_, this, Take);
    Png().read_info(png_, info_);
    Png().get_IHDR(png_, info_, &width_, &height_, &bits_, &colour_, nullptr, nullptr, nullptr);
  });
  if (!read) return InvalidArgument("Invalid PNG. Failed to initialize decoder.");
  if (uint64_t{width_} * height_ >= uint64_t{1} << 29)
    return InvalidArgument("PNG size too large for int: ", width_, " by ", height_);
  return {};
}

void Reader::Transform(int channels, int bits) {
  const PngLibrary& lib = Png();
  const bool palette = colour_ == PNG_COLOR_TYPE_PALETTE;
  const bool transparent = lib.get_valid(png_, info_, PNG_INFO_tRNS) != 0;
  const bool has_alpha = (colour_ & PNG_COLOR_MASK_ALPHA) != 0 || transparent;
  const bool grey = !palette && !(colour_ & PNG_COLOR_MASK_COLOR);
  const bool wants_alpha =
      channels == 0 ? (colour_ & PNG_COLOR_MASK_ALPHA) || (palette && transparent) : channels == 4;
  if (palette) lib.set_palette_to_rgb(png_);
  if (grey && bits_ < 8) lib.set_expand_gray_1_2_4_to_8(png_);
  if (transparent) lib.set_tRNS_to_alpha(png_);
  if (has_alpha && !wants_alpha) lib.set_strip_alpha(png_);
  // As in TensorFlow, opaque alpha is the largest value at the file's bit depth. It is not scaled
  // up for depths below 8 bits.
  const png_uint_32 opaque = (1u << bits_) - 1;
  if (!has_alpha && wants_alpha)
    lib.set_add_alpha(png_, bits_ < 16 && bits == 16 ? opaque * 257 : opaque, PNG_FILLER_AFTER);
  if (grey && channels > 1) lib.set_gray_to_rgb(png_);
  constexpr double kRed = 0.299, kGreen = 0.587;
  constexpr int kSilently = 1;
  if (!grey && channels == 1) lib.set_rgb_to_gray(png_, kSilently, kRed, kGreen);
  if (bits == 16) lib.set_expand_16(png_);
  if (bits == 16 && std::endian::native == std::endian::little) lib.set_swap(png_);
  if (bits == 8) lib.set_strip_16(png_);
  passes_ = lib.set_interlace_handling(png_);
  lib.read_update_info(png_, info_);
}

Status Reader::Want(int channels, int bits, ImageSize* size) {
  if (!trap_.Survives([&] { Transform(channels, bits); }))
    return InvalidArgument("Invalid PNG. Failed to initialize decoder.");
  *size = {.height = height_, .width = width_, .channels = Png().get_channels(png_, info_)};
  return {};
}

Status Reader::ReadPixels(uint8_t* to, size_t row_bytes) {
  const bool read = trap_.Survives([=, this] {
    for (int pass = 0; pass < passes_; ++pass)
      for (size_t y = 0; y < height_; ++y) Png().read_row(png_, to + y * row_bytes, nullptr);
    Png().read_end(png_, nullptr);
  });
  if (!read) return InvalidArgument("Invalid PNG data, size ", size_);
  return {};
}

// ---- writing ----

class Writer {
 public:
  explicit Writer(std::string* out) : out_(out) {}
  ~Writer() { Png().destroy_write_struct(&png_, &info_); }

  bool Write(const uint8_t* pixels, const ImageSize& size, int bits, int compression) {
    return trap_.Survives([=, &size, this] { DoWrite(pixels, size, bits, compression); });
  }

 private:
  static void Put(png_structp png, png_bytep from, size_t n) {
    Writer& writer = *static_cast<Writer*>(Png().get_io_ptr(png));
    if (!Append(reinterpret_cast<const char*>(from), n, writer.out_)) writer.trap_.Fail();
  }
  static void Flush(png_structp) {}
  void DoWrite(const uint8_t* pixels, const ImageSize& size, int bits, int compression) {
    static constexpr int kColours[] = {0, PNG_COLOR_TYPE_GRAY, PNG_COLOR_TYPE_GRAY_ALPHA,
                                       PNG_COLOR_TYPE_RGB, PNG_COLOR_TYPE_RGB_ALPHA};
    const PngLibrary& lib = Png();
    png_ = lib.create_write_struct(PNG_LIBPNG_VER_STRING, &trap_, OnError, OnWarning);
    info_ = lib.create_info_struct(png_);
    lib.set_write_fn(png_, this, Put, Flush);
    lib.set_compression_level(png_, compression);
    lib.set_IHDR(png_, info_, static_cast<png_uint_32>(size.width),
                 static_cast<png_uint_32>(size.height), bits, kColours[size.channels],
                 PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
    lib.write_info(png_, info_);
    if (bits == 16 && std::endian::native == std::endian::little) lib.set_swap(png_);
    const size_t row_bytes = static_cast<size_t>(size.width * size.channels * (bits / 8));
    for (int64_t y = 0; y < size.height; ++y)
      lib.write_row(png_, pixels + static_cast<size_t>(y) * row_bytes);
    lib.write_end(png_, nullptr);
  }

  Trap trap_;
  std::string* out_;
  png_structp png_ = nullptr;
  png_infop info_ = nullptr;
};

}  // namespace

Status DecodePng(std::string_view contents, int channels, int bits, const MakeRoom& make_room) {
  if (!Png().there) return NotThere();
  Reader reader(contents);
  TENSH_RETURN_IF_ERROR(reader.ReadHeader());
  ImageSize size;
  TENSH_RETURN_IF_ERROR(reader.Want(channels, bits, &size));
  Result<void*> room = make_room(size);
  if (!room.ok()) return room.status();
  return reader.ReadPixels(static_cast<uint8_t*>(*room),
                           static_cast<size_t>(size.width * size.channels * (bits / 8)));
}

Status EncodePng(const void* pixels, const ImageSize& size, int bits, int compression,
                 std::string* out) {
  if (!Png().there) return NotThere();
  Writer writer(out);
  if (!writer.Write(static_cast<const uint8_t*>(pixels), size, bits, compression))
    return InvalidArgument("PNG encoding of ", size.height, " by ", size.width, " pixels failed");
  return {};
}

}  // namespace tensh::ops
