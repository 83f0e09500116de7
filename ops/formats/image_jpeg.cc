// Decodes and encodes JPEG files with libjpeg-turbo.
#include <cstdio>  // jpeglib.h uses FILE

#include <jpeglib.h>

#include <algorithm>
#include <cstring>
#include <vector>

#include "ops/formats/image_file.h"
#include "ops/formats/image_library.h"

namespace tensh::ops {
namespace {

#define TENSH_JPEG_FUNCTIONS(F) \
  F(CreateCompress)             \
  F(CreateDecompress)           \
  F(calc_output_dimensions)     \
  F(crop_scanline)              \
  F(destroy_compress)           \
  F(destroy_decompress)         \
  F(finish_compress)            \
  F(finish_decompress)          \
  F(read_header)                \
  F(read_scanlines)             \
  F(resync_to_restart)          \
  F(set_defaults)               \
  F(set_quality)                \
  F(simple_progression)         \
  F(start_compress)             \
  F(start_decompress)           \
  F(std_error)                  \
  F(write_marker)               \
  F(write_scanlines)

constexpr SystemLibrary kLibrary = JPEG_LIB_VERSION >= 80 ? kJpeg8Library : kJpeg62Library;

struct JpegLibrary {
#define TENSH_JPEG_FIELD(name) decltype(&jpeg_##name) name;
  TENSH_JPEG_FUNCTIONS(TENSH_JPEG_FIELD)
#undef TENSH_JPEG_FIELD
  bool there;

  JpegLibrary() {
    SharedLibrary library(kLibrary);
#define TENSH_JPEG_FIND(name) library.Find("jpeg_" #name, &name);
    TENSH_JPEG_FUNCTIONS(TENSH_JPEG_FIND)
#undef TENSH_JPEG_FIND
    there = library.complete();
  }
};

const JpegLibrary& Jpeg() {
  static const JpegLibrary library;
  return library;
}

Status NotThere() { return FailedPrecondition(NotInstalled(kLibrary)); }

// An error manager that jumps on errors and discards messages.
struct ErrorManager : jpeg_error_mgr {
  ErrorManager() {
    Jpeg().std_error(this);
    error_exit = [](j_common_ptr info) { static_cast<ErrorManager*>(info->err)->trap.Fail(); };
    output_message = [](j_common_ptr) {};
  }
  Trap trap;
};

// ---- reading ----

// Limits against hostile files: a file may have any number of scans of a few bytes each, and every
// one of them covers all pixels.
constexpr int kMaxScans = 500;
constexpr long kMaxCoefficientBytes = 1L << 30;
constexpr int64_t kMaxBytes = int64_t{1} << 29;

struct ScanLimit : jpeg_progress_mgr {
  ScanLimit() {
    progress_monitor = [](j_common_ptr info) {
      if (reinterpret_cast<j_decompress_ptr>(info)->input_scan_number > kMaxScans)
        static_cast<ErrorManager*>(info->err)->trap.Fail();
    };
  }
};

// A source manager over the whole file. At its end, it fails, or supplies end-of-image markers
// forever if truncated files are to be recovered.
struct Source : jpeg_source_mgr {
  Source(std::string_view contents, bool recover) : recover_truncated(recover) {
    next_input_byte = reinterpret_cast<const JOCTET*>(contents.data());
    bytes_in_buffer = contents.size();
    init_source = [](j_decompress_ptr) {};
    term_source = [](j_decompress_ptr) {};
    resync_to_restart = Jpeg().resync_to_restart;
    fill_input_buffer = [](j_decompress_ptr info) -> boolean {
      static constexpr JOCTET kEnd[] = {0xff, JPEG_EOI};
      Source& source = *static_cast<Source*>(info->src);
      if (!source.recover_truncated) return FALSE;
      source.next_input_byte = kEnd;
      source.bytes_in_buffer = sizeof kEnd;
      return TRUE;
    };
    skip_input_data = [](j_decompress_ptr info, long n) {
      Source& source = *static_cast<Source*>(info->src);
      const size_t skipped = std::min(static_cast<size_t>(std::max(n, 0L)), source.bytes_in_buffer);
      source.next_input_byte += skipped;
      source.bytes_in_buffer -= skipped;
    };
  }
  bool recover_truncated;
};

class Reader {
 public:
  Reader(std::string_view contents, bool recover)
      : source_(contents, recover), contents_size_(contents.size()) {
    info_.err = &errors_;
  }
  ~Reader() {
    if (info_.mem) Jpeg().destroy_decompress(&info_);
  }

  Status ReadHeader();
  const jpeg_decompress_struct& info() const { return info_; }
  Status Start(const JpegDecoding& options);
  // Reads rows [y, y + height) and columns [x, x + width). The image has `channels` channels.
  Status ReadPixels(const JpegDecoding& window, int64_t channels, uint8_t* to);

 private:
  Status Failed() const {
    return InvalidArgument("jpeg::Uncompress failed. Invalid JPEG data, size ", contents_size_,
                           ", or crop window.");
  }
  bool is_cmyk() const { return info_.out_color_space == JCS_CMYK; }
  void StoreRow(const uint8_t* row, int64_t pixels, int64_t channels, uint8_t* to) const;

  ErrorManager errors_;
  ScanLimit progress_;
  Source source_;
  size_t contents_size_;
  jpeg_decompress_struct info_{};
};

Status Reader::ReadHeader() {
  bool complete = false;
  const bool read = errors_.trap.Survives([&] {
    Jpeg().CreateDecompress(&info_, JPEG_LIB_VERSION, sizeof info_);
    info_.src = &source_;
    info_.progress = &progress_;
    info_.mem->max_memory_to_use = kMaxCoefficientBytes;
    complete = Jpeg().read_header(&info_, TRUE) == JPEG_HEADER_OK;
  });
  if (!read || !complete) return InvalidArgument("Invalid JPEG data, size ", contents_size_);
  return {};
}

Status Reader::Start(const JpegDecoding& options) {
  const int file_channels = info_.num_components;
  const int channels = options.channels ? options.channels : std::min(file_channels, 3);
  if (channels == 1) {
    info_.out_color_space = JCS_GRAYSCALE;
  } else if (file_channels == 4) {
    info_.out_color_space = JCS_CMYK;  // libjpeg cannot convert CMYK to RGB
  } else {
    info_.out_color_space = JCS_RGB;
  }
  info_.scale_num = 1;
  info_.scale_denom = static_cast<unsigned>(options.ratio);
  info_.do_fancy_upsampling = options.fancy_upscaling;
  info_.dct_method = options.dct == JpegDecoding::kFast ? JDCT_IFAST : JDCT_ISLOW;
  bool started = false;
  const bool possible = errors_.trap.Survives([&] {
    Jpeg().calc_output_dimensions(&info_);
    if (int64_t{info_.output_width} * info_.output_height * channels < kMaxBytes)
      started = Jpeg().start_decompress(&info_) != 0;
  });
  return possible && started ? Status() : Failed();
}

// Converts a row as the library delivers it into the requested pixels.
void Reader::StoreRow(const uint8_t* row, int64_t pixels, int64_t channels, uint8_t* to) const {
  if (!is_cmyk()) {
    std::memcpy(to, row, static_cast<size_t>(pixels * channels));
    return;
  }
  for (int64_t i = 0; i < pixels; ++i, row += 4, to += 3) {
    // Adobe stores inverted CMYK.
    const auto ink = [&](int k) { return info_.saw_Adobe_marker ? row[k] : 255 - row[k]; };
    for (int k = 0; k < 3; ++k) to[k] = static_cast<uint8_t>(ink(k) * ink(3) / 255);
  }
}

Status Reader::ReadPixels(const JpegDecoding& w, int64_t channels, uint8_t* to) {
  std::vector<uint8_t> row(static_cast<size_t>(info_.output_width) *
                           static_cast<size_t>(info_.output_components));
  int64_t y = 0;
  auto column = static_cast<JDIMENSION>(w.crop_x), width = static_cast<JDIMENSION>(w.crop_width);
  // crop_scanline moves the start to a block boundary, at or before the requested column.
  bool read = errors_.trap.Survives([&, this] {
    if (w.crop) Jpeg().crop_scanline(&info_, &column, &width);
  });
  for (const int64_t end = w.crop_y + w.crop_height; read && y < end; ++y) {
    bool complete = false;
    uint8_t* const into = row.data();
    read = errors_.trap.Survives([&, into] {
      JSAMPROW rows[] = {into};
      complete = Jpeg().read_scanlines(&info_, rows, 1) == 1;
    });
    if (!read || !complete) break;
    if (y < w.crop_y) continue;
    StoreRow(into + (w.crop_x - column) * info_.output_components, w.crop_width, channels,
             to + (y - w.crop_y) * w.crop_width * channels);
  }
  const int64_t rows = std::max<int64_t>(y - w.crop_y, 0);
  if (rows == w.crop_height) {
    const bool at_end = info_.output_scanline == info_.output_height;
    const bool ends_well =
        !at_end || errors_.trap.Survives([this] { Jpeg().finish_decompress(&info_); });
    return ends_well ? Status() : Failed();
  }
  if (!read || static_cast<float>(rows) < w.acceptable_fraction * static_cast<float>(w.crop_height))
    return Failed();
  std::fill(to + rows * w.crop_width * channels, to + w.crop_height * w.crop_width * channels, 0);
  return {};
}

// ---- writing ----

// A destination manager that appends to a string, one buffer at a time.
struct Destination : jpeg_destination_mgr {
  explicit Destination(std::string* to) : out(to) {
    init_destination = [](j_compress_ptr info) { static_cast<Destination*>(info->dest)->Empty(); };
    empty_output_buffer = [](j_compress_ptr info) -> boolean {
      Put(info, sizeof buffer);
      return TRUE;
    };
    term_destination = [](j_compress_ptr info) {
      Put(info, sizeof buffer - info->dest->free_in_buffer);
    };
  }
  void Empty() {
    next_output_byte = buffer;
    free_in_buffer = sizeof buffer;
  }
  static void Put(j_compress_ptr info, size_t n) {
    Destination& d = *static_cast<Destination*>(info->dest);
    if (!Append(reinterpret_cast<const char*>(d.buffer), n, d.out))
      static_cast<ErrorManager*>(info->err)->trap.Fail();
    d.Empty();
  }
  std::string* out;
  JOCTET buffer[16384];
};

class Writer {
 public:
  explicit Writer(std::string* out) : destination_(out) { info_.err = &errors_; }
  ~Writer() {
    if (info_.mem) Jpeg().destroy_compress(&info_);
  }
  bool Write(const uint8_t* pixels, const ImageSize& size, const JpegEncoding& options,
             const std::string& xmp) {
    return errors_.trap.Survives([&, this] {
      Start(size, options, xmp);
      WriteRows(pixels, size);
      Jpeg().finish_compress(&info_);
    });
  }

 private:
  void Start(const ImageSize& size, const JpegEncoding& options, const std::string& xmp) {
    const JpegLibrary& lib = Jpeg();
    lib.CreateCompress(&info_, JPEG_LIB_VERSION, sizeof info_);
    info_.dest = &destination_;
    info_.image_width = static_cast<JDIMENSION>(size.width);
    info_.image_height = static_cast<JDIMENSION>(size.height);
    info_.input_components = static_cast<int>(size.channels);
    info_.in_color_space = size.channels == 1 ? JCS_GRAYSCALE : JCS_RGB;
    lib.set_defaults(&info_);
    if (options.optimize_size) info_.optimize_coding = TRUE;
    info_.density_unit = options.density_in_cm ? 2 : 1;
    info_.X_density = static_cast<UINT16>(options.x_density);
    info_.Y_density = static_cast<UINT16>(options.y_density);
    lib.set_quality(&info_, options.quality, TRUE);
    if (options.progressive) lib.simple_progression(&info_);
    if (!options.chroma_downsampling)
      info_.comp_info[0].h_samp_factor = info_.comp_info[0].v_samp_factor = 1;
    lib.start_compress(&info_, TRUE);
    if (!xmp.empty())
      lib.write_marker(&info_, JPEG_APP0 + 1, reinterpret_cast<const JOCTET*>(xmp.data()),
                       static_cast<unsigned>(xmp.size()));
  }
  void WriteRows(const uint8_t* pixels, const ImageSize& size) {
    const size_t row_bytes = static_cast<size_t>(size.width * size.channels);
    while (info_.next_scanline < info_.image_height) {
      JSAMPROW rows[] = {const_cast<JSAMPROW>(pixels + info_.next_scanline * row_bytes)};
      Jpeg().write_scanlines(&info_, rows, 1);
    }
  }

  ErrorManager errors_;
  Destination destination_;
  jpeg_compress_struct info_{};
};

}  // namespace

Status DecodeJpeg(std::string_view contents, const JpegDecoding& options,
                  const MakeRoom& make_room) {
  if (!Jpeg().there) return NotThere();
  Reader reader(contents, options.recover_truncated);
  TENSH_RETURN_IF_ERROR(reader.ReadHeader());
  TENSH_RETURN_IF_ERROR(reader.Start(options));
  const jpeg_decompress_struct& info = reader.info();
  JpegDecoding window = options;
  if (!options.crop) {
    window.crop_height = info.output_height;
    window.crop_width = info.output_width;
  }
  if (window.crop_y < 0 || window.crop_x < 0 || window.crop_height <= 0 || window.crop_width <= 0 ||
      window.crop_y + window.crop_height > info.output_height ||
      window.crop_x + window.crop_width > info.output_width)
    return InvalidArgument("jpeg::Uncompress failed. Invalid crop window: y ", window.crop_y, " x ",
                           window.crop_x, " height ", window.crop_height, " width ",
                           window.crop_width, " of an image of ", info.output_height, " by ",
                           info.output_width);
  const int64_t channels = std::min(info.output_components, 3);
  Result<void*> room = make_room({1, window.crop_height, window.crop_width, channels});
  if (!room.ok()) return room.status();
  return reader.ReadPixels(window, channels, static_cast<uint8_t*>(*room));
}

Status SizeOfJpeg(std::string_view contents, ImageSize* size) {
  if (!Jpeg().there) return NotThere();
  Reader reader(contents, false);
  TENSH_RETURN_IF_ERROR(reader.ReadHeader());
  const jpeg_decompress_struct& info = reader.info();
  *size = {1, info.image_height, info.image_width, info.num_components};
  return {};
}

Status EncodeJpeg(const uint8_t* pixels, const ImageSize& size, const JpegEncoding& options,
                  std::string* out) {
  if (!Jpeg().there) return NotThere();
  std::string xmp;
  if (!options.xmp_metadata.empty())
    xmp = std::string("http://ns.adobe.com/xap/1.0/\0", 29) + options.xmp_metadata;
  Writer writer(out);
  if (!writer.Write(pixels, size, options, xmp))
    return InvalidArgument("JPEG encoding of ", size.height, " by ", size.width,
                           " pixels failed: a side of more than 65500 pixels, or metadata of more "
                           "than 65533 bytes?");
  return {};
}

}  // namespace tensh::ops
