// EncodePng, EncodeJpeg and EncodeJpegVariableQuality.
#include "ops/formats/image_file.h"
#include "ops/op_file.h"

namespace tensh::ops {
namespace {

// ---- PNG ----

struct PngState : KernelState {
  int compression;
};

Result<std::unique_ptr<KernelState>> PreparePng(PrepareCtx& c) {
  auto state = std::make_unique<PngState>();
  const int64_t compression = c.attrs().Int("compression");
  if (compression < -1 || compression > 9)
    return InvalidArgument("compression should be in [-1,9], got ", compression);
  state->compression = static_cast<int>(compression);
  return std::unique_ptr<KernelState>(std::move(state));
}

Shape AllButLast3(const Shape& images) {
  Shape shape;
  for (int i = 0; i < images.rank() - 3; ++i) shape.Append(images[i]);
  return shape;
}

struct EncodePngs {
  template <class T>
  Status operator()(KernelCtx& c) const {
    const Tensor& images = c.in(0);
    const int rank = images.rank();
    const ImageSize size = {1, images.dim(rank - 3), images.dim(rank - 2), images.dim(rank - 1)};
    if (size.channels < 1 || size.channels > 4)
      return InvalidArgument("image must have 1, 2, 3, or 4 channels, got ", size.channels);
    if (size.height == 0 || size.width == 0)
      return InvalidArgument("image must not be empty, got ", images.shape());
    TENSH_OUTPUT(out, c.Output(0, AllButLast3(images.shape())));
    const int64_t elements = size.height * size.width * size.channels;
    for (int64_t i = 0; i < out->num_elements(); ++i) {
      std::string& file = out->data<std::string>()[i];
      file.clear();
      TENSH_RETURN_IF_ERROR(EncodePng(images.data<T>() + i * elements, size, 8 * sizeof(T),
                                      c.state<PngState>().compression, &file));
    }
    return {};
  }
};

Status PngShape(ShapeCtx& c) {
  if (!c.in(0).has_rank()) return {};
  c.Set(0, AllButLast3(c.in(0)));
  return {};
}

// ---- JPEG ----

struct JpegState : KernelState {
  int64_t channels = 0;  // 0: 1 or 3, as in the image
  std::string format;
  JpegEncoding encoding;
};

Status CheckQuality(int64_t quality) {
  if (quality >= 0 && quality <= 100) return {};
  return InvalidArgument("quality must be in [0,100], got ", quality);
}

Result<std::unique_ptr<KernelState>> PrepareJpeg(PrepareCtx& c) {
  auto state = std::make_unique<JpegState>();
  const Attrs attrs = c.attrs();
  state->format = attrs.String("format");
  if (!state->format.empty()) state->channels = state->format == "rgb" ? 3 : 1;
  JpegEncoding& e = state->encoding;
  TENSH_RETURN_IF_ERROR(CheckQuality(attrs.Int("quality")));
  e.quality = static_cast<int>(attrs.Int("quality"));
  e.progressive = attrs.Bool("progressive");
  e.optimize_size = attrs.Bool("optimize_size");
  e.chroma_downsampling = attrs.Bool("chroma_downsampling");
  e.density_in_cm = attrs.String("density_unit") == "cm";
  for (const auto& [name, density] :
       {std::pair{"x_density", &e.x_density}, {"y_density", &e.y_density}}) {
    const int64_t given = attrs.Int(name);
    *density = static_cast<int>(given);
    if (*density != given)
      return InvalidArgument("Attr ", name, " has value ", given, " out of range for an int32");
  }
  e.xmp_metadata = attrs.String("xmp_metadata");
  return std::unique_ptr<KernelState>(std::move(state));
}

Result<std::unique_ptr<KernelState>> PreparePlainJpeg(PrepareCtx&) {
  return std::unique_ptr<KernelState>(std::make_unique<JpegState>());
}

Status EncodeOne(KernelCtx& c, const JpegEncoding& encoding) {
  const Tensor& image = c.in(0);
  const auto& s = c.state<JpegState>();
  const int64_t channels = image.dim(2);
  if (s.channels && channels != s.channels)
    return InvalidArgument("format ", s.format, " expects ", s.channels, " channels, got ",
                           image.shape());
  if (channels != 1 && channels != 3)
    return InvalidArgument("image must have 1 or 3 channels, got ", image.shape());
  TENSH_OUTPUT(out, c.Output(0, Shape()));
  std::string& file = *out->data<std::string>();
  file.clear();
  return EncodeJpeg(image.data<uint8_t>(), {1, image.dim(0), image.dim(1), channels}, encoding,
                    &file);
}

Status EncodeAsSaid(KernelCtx& c) { return EncodeOne(c, c.state<JpegState>().encoding); }

Status EncodeWithQuality(KernelCtx& c) {
  const int32_t quality = *c.in(1).data<int32_t>();
  TENSH_RETURN_IF_ERROR(CheckQuality(quality));
  JpegEncoding encoding = c.state<JpegState>().encoding;
  encoding.quality = quality;
  return EncodeOne(c, encoding);
}

}  // namespace

TENSH_OPS(image_encode_image) {
  r.Op({.name = "EncodePng",
        .inputs = "image: T",
        .outputs = "contents: string",
        .attrs = "compression: int = -1, T: {uint8, uint16} = uint8",
        .doc = "Encodes a PNG file. image, of type T, is [height, width, channels], with 1 channel "
               "for gray, 2 for gray and alpha, 3 for RGB, 4 for RGB and alpha, and may have "
               "additional leading dimensions. contents is one file for each image. compression: 0 "
               "to 9, where 9 gives the smallest file; -1 uses zlib's default.",
        .contract = "image: rank 3+",
        .shape = PngShape,
        .no_gradient = true,
        .examples = {{"tf.substr(tf.image.encode_png([[[1, 2, 3]]]), 1, 3)", "b'PNG'"}}})
      .Cpu<uint8_t, uint16_t>(EncodePngs{}, {.prepare = PreparePng});
  r.Op({.name = "EncodeJpeg",
        .inputs = "image: uint8",
        .outputs = "contents: string",
        .attrs = "format: {'', 'grayscale', 'rgb'} = '', quality: int = 95, progressive: bool = "
                 "false, optimize_size: bool = false, chroma_downsampling: bool = true, "
                 "density_unit: {'in', 'cm'} = 'in', x_density: int = 300, y_density: int = 300, "
                 "xmp_metadata: string = ''",
        .doc = "Encodes a JPEG file. image is [height, width, channels], with 1 channel for gray "
               "or 3 for RGB; contents is the file. format: which of these it must be; '' accepts "
               "both. quality: 0 to 100. progressive: write a progressive file. optimize_size: use "
               "more time for a smaller file. chroma_downsampling: halve the resolution of "
               "colors. x_density and y_density are pixels per density_unit, an inch or a "
               "centimeter; xmp_metadata is embedded in the file.",
        .contract = "image: rank 3",
        .shape = ScalarOutput,
        .no_gradient = true,
        .examples = {{"tf.image.is_jpeg(tf.image.encode_jpeg([[[0], [255]]]))", "True"}}})
      .CpuAny(EncodeAsSaid, PrepareJpeg);
  r.Op({.name = "EncodeJpegVariableQuality",
        .inputs = "images: uint8, quality: int32",
        .outputs = "contents: string",
        .doc = "Encodes a JPEG file with a computed quality. images is [height, width, channels], "
               "with 1 channel for gray or 3 for RGB; quality is 0 to 100; contents is the file.",
        .contract = "images: rank 3, quality: scalar",
        .shape = ScalarOutput,
        .no_gradient = true,
        .examples =
            {{"tf.image.is_jpeg(tf.raw_ops.EncodeJpegVariableQuality(images=[[[0], [255]]], "
              "quality=50))",
              "True"}}})
      .CpuAny(EncodeWithQuality, PreparePlainJpeg);
}

}  // namespace tensh::ops
