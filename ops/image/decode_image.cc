// DecodePng, DecodeJpeg, DecodeGif, DecodeBmp and DecodeImage. As in TensorFlow, each op except
// DecodeBmp accepts most formats, whatever its name.
#include "ops/formats/image_file.h"
#include "ops/op_file.h"

namespace tensh::ops {
namespace {

struct DecodeState : KernelState {
  std::string op;
  int channels = 0;
  bool all_frames = false;
  JpegDecoding jpeg;
};

Result<JpegDecoding> PrepareJpeg(Attrs attrs) {
  JpegDecoding jpeg;
  const int64_t ratio = attrs.Int("ratio");
  if (ratio != 1 && ratio != 2 && ratio != 4 && ratio != 8)
    return InvalidArgument("ratio must be 1, 2, 4, or 8, got ", ratio);
  jpeg.ratio = static_cast<int>(ratio);
  jpeg.fancy_upscaling = attrs.Bool("fancy_upscaling");
  jpeg.recover_truncated = attrs.Bool("try_recover_truncated");
  jpeg.acceptable_fraction = attrs.Float("acceptable_fraction");
  const std::string& dct = attrs.String("dct_method");
  if (dct != "" && dct != "INTEGER_FAST" && dct != "INTEGER_ACCURATE")
    return InvalidArgument(
        "dct_method must be one of {'', 'INTEGER_FAST', 'INTEGER_ACCURATE'}, got '", dct, "'");
  if (dct == "INTEGER_ACCURATE") jpeg.dct = JpegDecoding::kAccurate;
  return jpeg;
}

Result<std::unique_ptr<KernelState>> PrepareDecode(PrepareCtx& c) {
  auto state = std::make_unique<DecodeState>();
  state->op = c.op_name();
  if (c.attrs().Find("channels")) {
    const int64_t channels = c.attrs().Int("channels");
    if (channels != 0 && channels != 1 && channels != 3 && channels != 4)
      return InvalidArgument("`channels` must be 0, 1, 3 or 4 but got ", channels);
    state->channels = static_cast<int>(channels);
  }
  if (c.attrs().Find("ratio")) {
    Result<JpegDecoding> jpeg = PrepareJpeg(c.attrs());
    if (!jpeg.ok()) return jpeg.status();
    state->jpeg = *jpeg;
  }
  if (state->op == "DecodeGif") state->channels = 3;
  state->jpeg.crop = state->op == "DecodeAndCropJpeg";
  state->all_frames = state->op == "DecodeGif" ||
                      (state->op == "DecodeImage" && c.attrs().Bool("expand_animations"));
  return std::unique_ptr<KernelState>(std::move(state));
}

Status CheckFormat(const DecodeState& s, std::string_view contents, ImageFormat format) {
  if (contents.empty()) return InvalidArgument("Input is empty.");
  if (format == ImageFormat::kUnknown)
    return InvalidArgument("Unknown image file format. One of JPEG, PNG, GIF, BMP required, got ",
                           contents.size(), " bytes of something else.");
  const char* const name = NameOf(format);
  if (s.jpeg.crop && format != ImageFormat::kJpeg)
    return InvalidArgument(s.op, " operation can run on JPEG only, but detected ", name, ".");
  const bool takes_bmp = s.op == "DecodeBmp" || s.op == "DecodeImage";
  if (format == ImageFormat::kBmp ? !takes_bmp : s.op == "DecodeBmp")
    return InvalidArgument("Trying to decode ", name, " format using a wrong op, ", s.op,
                           ". Use `decode_image` instead.");
  const int channels = s.channels;
  if (format == ImageFormat::kJpeg && channels == 4)
    return InvalidArgument("JPEG does not support 4 channels");
  if (format == ImageFormat::kBmp && channels == 1)
    return InvalidArgument("`channels` must be 0, 3 or 4 for BMP, but got 1");
  if (format == ImageFormat::kGif && channels != 0 && channels != 3)
    return InvalidArgument("channels must be 0 or 3 for GIF, got ", channels);
  return {};
}

Shape ShapeOf(const DecodeState& s, ImageFormat format, const ImageSize& size) {
  Shape shape({size.height, size.width, size.channels});
  const bool frames = s.op == "DecodeGif" || (s.all_frames && format == ImageFormat::kGif);
  return frames ? Shape({size.frames, size.height, size.width, size.channels}) : shape;
}

Status DecodeInto(const DecodeState& s, std::string_view contents, ImageFormat format, int bits,
                  const JpegDecoding& jpeg, const MakeRoom& make_room) {
  switch (format) {
    case ImageFormat::kPng:
      return DecodePng(contents, s.channels, bits, make_room);
    case ImageFormat::kJpeg:
      return DecodeJpeg(contents, jpeg, make_room);
    case ImageFormat::kGif:
      return DecodeGif(contents, s.op != "DecodeImage" || s.all_frames,
                       [&](const ImageSize& size) -> Result<void*> {
                         if (!s.all_frames && size.frames > 1)
                           return InvalidArgument("Got ", size.frames,
                                                  " frames, but animated gifs can only be decoded "
                                                  "by tf.io.decode_gif or tf.io.decode_image");
                         return make_room(size);
                       });
    default:
      return DecodeBmp(contents, s.channels, make_room);
  }
}

template <class From>
void Scale(const Tensor& from, Tensor& to) {
  const auto in = from.flat<From>();
  if (to.dtype() == DType::kUint16) {
    for (size_t i = 0; i < in.size(); ++i)
      to.data<uint16_t>()[i] = static_cast<uint16_t>(in[i] << 8);
  } else {
    constexpr float kUnit = 1.0f / static_cast<float>(std::numeric_limits<From>::max());
    for (size_t i = 0; i < in.size(); ++i) to.data<float>()[i] = static_cast<float>(in[i]) * kUnit;
  }
}

Status Decode(KernelCtx& c) {
  const auto& s = c.state<DecodeState>();
  const std::string& contents = *c.in(0).data<std::string>();
  const ImageFormat format = FormatOfImage(contents);
  TENSH_RETURN_IF_ERROR(CheckFormat(s, contents, format));
  JpegDecoding jpeg = s.jpeg;
  jpeg.channels = s.channels;
  if (jpeg.crop) {
    const int32_t* w = c.in(1).data<int32_t>();
    jpeg.crop_y = w[0], jpeg.crop_x = w[1], jpeg.crop_height = w[2], jpeg.crop_width = w[3];
  }
  // Only PNG can have more than 8 bits. Other output types are converted from the file's depth.
  const DType wanted = c.out_dtype(0);
  const bool wide = format == ImageFormat::kPng && wanted != DType::kUint8;
  const DType decoded = wide ? DType::kUint16 : DType::kUint8;
  Tensor pixels;
  Tensor* out = nullptr;
  TENSH_RETURN_IF_ERROR(DecodeInto(s, contents, format, wide ? 16 : 8, jpeg,
                                   [&](const ImageSize& size) -> Result<void*> {
                                     const Shape shape = ShapeOf(s, format, size);
                                     TENSH_OUTPUT(made, c.Output(0, shape));
                                     out = made;
                                     if (decoded == wanted) return made->raw();
                                     Result<Tensor> room = Tensor::Make(decoded, shape);
                                     if (!room.ok()) return room.status();
                                     pixels = *room;
                                     return pixels.raw();
                                   }));
  if (pixels) wide ? Scale<uint16_t>(pixels, *out) : Scale<uint8_t>(pixels, *out);
  return {};
}

template <class T>
void StoreSize(const ImageSize& size, T* out) {
  out[0] = static_cast<T>(size.height);
  out[1] = static_cast<T>(size.width);
  out[2] = static_cast<T>(size.channels);
}

Status ExtractJpegShape(KernelCtx& c) {
  ImageSize size;
  TENSH_RETURN_IF_ERROR(SizeOfJpeg(*c.in(0).data<std::string>(), &size));
  TENSH_OUTPUT(out, c.Output(0, Shape({3})));
  if (out->dtype() == DType::kInt64)
    StoreSize(size, out->data<int64_t>());
  else
    StoreSize(size, out->data<int32_t>());
  return {};
}

// ---- shapes ----

Status SetShape(ShapeCtx& c, int64_t height, int64_t width) {
  const int64_t channels = c.attrs().Int("channels");
  if (channels < 0) return InvalidArgument("channels must be non-negative, got ", channels);
  c.Set(0, Shape({height, width, channels ? channels : -1}));
  return {};
}

Status ImageShape(ShapeCtx& c) { return SetShape(c, -1, -1); }

Status AnyImageShape(ShapeCtx& c) {
  TENSH_RETURN_IF_ERROR(SetShape(c, -1, -1));
  if (c.attrs().Bool("expand_animations")) c.Set(0, Shape::Unknown());
  return {};
}

Status CropShape(ShapeCtx& c) {
  int64_t height = -1, width = -1;
  if (const Tensor* window = c.constant(1); window && window->num_elements() == 4) {
    height = std::max(window->data<int32_t>()[2], -1);
    width = std::max(window->data<int32_t>()[3], -1);
  }
  return SetShape(c, height, width);
}

Status MovieShape(ShapeCtx& c) {
  c.Set(0, Shape({-1, -1, -1, 3}));
  return {};
}

Status SizeShape(ShapeCtx& c) {
  c.Set(0, Shape({3}));
  return {};
}

#define TENSH_JPEG_ATTRS                                                  \
  "channels: int = 0, ratio: int = 1, fancy_upscaling: bool = true, "     \
  "try_recover_truncated: bool = false, acceptable_fraction: float = 1, " \
  "dct_method: string = ''"
#define TENSH_JPEG_DOC                                                                           \
  "channels: 1 for gray, 3 for RGB, 0 as in the file. ratio: 1, 2, 4 or 8, the size's divisor. " \
  "fancy_upscaling: interpolate colors. try_recover_truncated: accept a truncated file, whose "  \
  "missing pixels are gray. acceptable_fraction: the part of the rows that must be present; "    \
  "other rows are black. dct_method: 'INTEGER_FAST', the default, or 'INTEGER_ACCURATE'."

constexpr char kGif[] =
    "'GIF89a\\x01\\x00\\x01\\x00\\x80\\x00\\x00\\x01\\x02\\x03\\x00\\x00\\x00,\\x00\\x00\\x00\\x00"
    "\\x01\\x00\\x01\\x00\\x00\\x02\\x02D\\x01\\x00;'";

}  // namespace

TENSH_OPS(image_decode_image) {
  r.Op({.name = "DecodePng",
        .inputs = "contents: string",
        .outputs = "image: dtype",
        .attrs = "channels: int = 0, dtype: {uint8, uint16} = uint8",
        .doc = "Decodes a PNG file. contents is the file; image is [height, width, channels], of "
               "type dtype. channels: 1 for gray, 3 for RGB, 4 for RGB and alpha, 0 for the number "
               "in the file. Also accepts JPEG and GIF files.",
        .contract = "contents: scalar",
        .shape = ImageShape,
        .no_gradient = true,
        .examples = {{"tf.image.decode_png(tf.image.encode_png([[[1, 2, 3], [4, 5, 6]]]))",
                      "[[[1 2 3]\n  [4 5 6]]]"}}})
      .CpuAny(Decode, PrepareDecode);
  r.Op({.name = "DecodeJpeg",
        .inputs = "contents: string",
        .outputs = "image: uint8",
        .attrs = TENSH_JPEG_ATTRS,
        .doc = "Decodes a JPEG file. contents is the file; image is [height, width, channels]. "
               "Also accepts PNG and GIF files. " TENSH_JPEG_DOC,
        .contract = "contents: scalar",
        .shape = ImageShape,
        .no_gradient = true,
        .examples = {{"tf.shape(tf.image.decode_jpeg(tf.image.encode_jpeg(tf.zeros([9, 7, 3], "
                      "tf.uint8)), ratio=2))",
                      "[5 4 3]"}}})
      .CpuAny(Decode, PrepareDecode);
  r.Op({.name = "DecodeAndCropJpeg",
        .inputs = "contents: string, crop_window: int32",
        .outputs = "image: uint8",
        .attrs = TENSH_JPEG_ATTRS,
        .doc = "Decodes a part of a JPEG file. contents is the file; crop_window is [y, x, height, "
               "width]; image is [height, width, channels]. " TENSH_JPEG_DOC,
        .contract = "contents: scalar, crop_window: vector of 4",
        .shape = CropShape,
        .no_gradient = true,
        .examples = {{"tf.shape(tf.image.decode_and_crop_jpeg(tf.image.encode_jpeg(tf.zeros([9, 7, "
                      "3], tf.uint8)), [1, 2, 4, 5]))",
                      "[4 5 3]"}}})
      .CpuAny(Decode, PrepareDecode);
  r.Op({.name = "DecodeGif",
        .inputs = "contents: string",
        .outputs = "image: uint8",
        .doc = "Decodes a GIF file. contents is the file; image is [frames, height, width, 3]. "
               "Also accepts PNG and JPEG files, as one frame.",
        .contract = "contents: scalar",
        .shape = MovieShape,
        .no_gradient = true,
        .examples = {{"tf.image.decode_gif(b" + std::string(kGif) + ")", "[[[[1 2 3]]]]"}}})
      .CpuAny(Decode, PrepareDecode);
  r.Op({.name = "DecodeBmp",
        .inputs = "contents: string",
        .outputs = "image: uint8",
        .attrs = "channels: int = 0",
        .doc = "Decodes an uncompressed BMP file. contents is the file; image is [height, width, "
               "channels]. channels: 3 for RGB, 4 for RGB and alpha, 0 for the number in the file.",
        .contract = "contents: scalar",
        .shape = ImageShape,
        .no_gradient = true,
        .examples = {{"tf.image.decode_bmp(b'BM' + 8 * b'\\0' + b'\\x20' + 7 * b'\\0' + "
                      "b'\\1\\0\\0\\0\\1\\0\\0\\0\\1\\0\\x18\\0\\0\\0' + b'\\3\\2\\1\\0')",
                      "[[[1 2 3]]]"}}})
      .CpuAny(Decode, PrepareDecode);
  r.Op({.name = "DecodeImage",
        .inputs = "contents: string",
        .outputs = "image: dtype",
        .attrs = "channels: int = 0, dtype: {uint8, uint16, float} = uint8, "
                 "expand_animations: bool = true",
        .doc =
            "Decodes a BMP, GIF, JPEG or PNG file. contents is the file; image is [height, width, "
            "channels], or [frames, height, width, 3] for GIF files, of type dtype; floats are in "
            "[0, 1]. channels: 1 for gray, 3 for RGB, 4 for RGB and alpha, 0 for the number in the "
            "file. expand_animations: if false, only the first frame of a GIF file is decoded.",
        .contract = "contents: scalar",
        .shape = AnyImageShape,
        .no_gradient = true,
        .examples =
            {{"tf.image.decode_image(tf.image.encode_png([[[0], [255]]]), dtype=tf.float32)",
              "[[[0.]\n  [1.]]]"}}})
      .CpuAny(Decode, PrepareDecode);
  r.Op({.name = "ExtractJpegShape",
        .inputs = "contents: string",
        .outputs = "image_shape: output_type",
        .attrs = "output_type: {int32, int64} = int32",
        .doc = "Reads the size of a JPEG file from its header. contents is the file; image_shape, "
               "of type output_type, is [height, width, channels].",
        .contract = "contents: scalar",
        .shape = SizeShape,
        .no_gradient = true,
        .examples = {{"tf.image.extract_jpeg_shape(tf.image.encode_jpeg(tf.zeros([9, 7, 3], "
                      "tf.uint8)))",
                      "[9 7 3]"}}})
      .CpuAny(ExtractJpegShape);
}

}  // namespace tensh::ops
