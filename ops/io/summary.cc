// Summary ops: produce serialized Summary messages for event files, which TensorBoard displays.
#include <algorithm>
#include <cmath>
#include <set>

#include "ops/formats/summary_message.h"
#include "ops/op_file.h"
#include "ops/support/prepare.h"
#include "ops/support/shape_util.h"
#include "runtime/base/wire.h"

namespace tensh::ops {
namespace {

Status SetSummary(KernelCtx& c, std::string text) {
  TENSH_OUTPUT(out, c.Output(0, Shape()));
  *out->data<std::string>() = std::move(text);
  return {};
}

struct ScalarSummary {
  template <class T>
  Status operator()(KernelCtx& c) const {
    const Tensor &tags = c.in(0), &values = c.in(1);
    const bool single = tags.num_elements() == 1 && values.num_elements() == 1;
    if (!(tags.shape() == values.shape()) && !single)
      return InvalidArgument("tags and values are not the same shape: ", tags.shape(),
                             " != ", values.shape());
    WireWriter out;
    for (int64_t i = 0; i < tags.num_elements(); ++i) {
      WireWriter value;
      value.Bytes(1, tags.data<std::string>()[i]);
      value.AlwaysFloat(2, static_cast<float>(values.data<T>()[i]));
      out.AlwaysBytes(1, value.text());
    }
    return SetSummary(c, out.Take());
  }
};

struct HistogramSummary {
  template <class T>
  Status operator()(KernelCtx& c) const {
    if (c.in(0).rank() != 0) return InvalidArgument("tags must be scalar");
    const std::string& tag = *c.in(0).data<std::string>();
    SummaryHistogram histogram;
    for (T x : c.in(1).flat<T>())
      TENSH_RETURN_IF_ERROR(histogram.AddFinite(static_cast<double>(x), tag));
    return SetSummary(c, SummaryWith(tag, 5, histogram.Encode()));
  }
};

Status Merge(KernelCtx& c) {
  WireWriter out;
  std::set<std::string> tags;
  for (int i = 0; i < c.num_inputs(); ++i) {
    for (const std::string& text : c.in(i).flat<std::string>()) {
      WireReader summary(text);
      while (summary.Next()) {
        if (summary.field() != 1) continue;
        WireReader value(summary.bytes());
        std::string tag;
        while (value.Next())
          if (value.field() == 1) tag = value.text();
        if (!tag.empty() && !tags.insert(tag).second)
          return InvalidArgument("Duplicate tag ", tag, " found in summary inputs");
        out.AlwaysBytes(1, summary.bytes());
      }
      if (!summary.ok()) return InvalidArgument("Could not parse one of the summary inputs");
    }
  }
  return SetSummary(c, out.Take());
}

// ---- images ----

struct ImageState : KernelState {
  int64_t max_images;
  Tensor bad_color;  // a byte for each channel
  Status Read(PrepareCtx& c) {
    max_images = c.attrs().Int("max_images");
    bad_color = c.attrs().Get<Tensor>("bad_color");
    if (bad_color.dtype() == DType::kUint8 && bad_color.rank() == 1) return {};
    return InvalidArgument("bad_color must be a vector of uint8, got ", Name(bad_color.dtype()),
                           bad_color.shape());
  }
};

uint32_t PngCrc(std::string_view data) {
  uint32_t crc = 0xffffffffu;
  for (char byte : data) {
    crc ^= static_cast<unsigned char>(byte);
    for (int k = 0; k < 8; ++k) crc = (crc >> 1) ^ (crc & 1 ? 0xedb88320u : 0);
  }
  return ~crc;
}

void AppendBig32(std::string& out, uint32_t v) {
  for (int shift = 24; shift >= 0; shift -= 8) out += static_cast<char>(v >> shift);
}

void AppendChunk(std::string& out, const char* type, const std::string& data) {
  AppendBig32(out, static_cast<uint32_t>(data.size()));
  const std::string body = type + data;
  out += body;
  AppendBig32(out, PngCrc(body));
}

// Encodes an uncompressed PNG, which needs no library.
std::string EncodePng(const uint8_t* pixels, int64_t height, int64_t width, int64_t channels) {
  const size_t row = static_cast<size_t>(width * channels);
  std::string raw;
  for (int64_t y = 0; y < height; ++y) {
    raw += '\0';
    raw.append(reinterpret_cast<const char*>(pixels) + static_cast<size_t>(y) * row, row);
  }
  uint32_t a = 1, b = 0;
  for (char byte : raw) {
    a = (a + static_cast<unsigned char>(byte)) % 65521;
    b = (b + a) % 65521;
  }
  std::string deflated = "\x78\x01";
  for (size_t at = 0; at < raw.size() || at == 0; at += 65535) {
    const size_t n = std::min<size_t>(65535, raw.size() - at);
    deflated += static_cast<char>(at + n >= raw.size());
    for (size_t v : {n, n ^ 0xffff}) {
      deflated += static_cast<char>(v);
      deflated += static_cast<char>(v >> 8);
    }
    deflated += raw.substr(at, n);
  }
  AppendBig32(deflated, b << 16 | a);
  std::string header;
  AppendBig32(header, static_cast<uint32_t>(width));
  AppendBig32(header, static_cast<uint32_t>(height));
  static constexpr char kColour[] = {0, 0, 4, 2, 6};
  header += {8, kColour[channels], 0, 0, 0};
  std::string out = "\x89PNG\r\n\x1a\n";
  AppendChunk(out, "IHDR", header);
  AppendChunk(out, "IDAT", deflated);
  AppendChunk(out, "IEND", "");
  return out;
}

// Scales floats so that the largest becomes 255. If some are negative, 0 becomes 127. A pixel with
// a number that is not finite becomes `bad`.
template <class T>
void ToPixels(const T* from, int64_t n, int64_t channels, const uint8_t* bad, uint8_t* to) {
  if constexpr (std::is_same_v<T, uint8_t>) {
    std::copy_n(from, n, to);
  } else {
    T low = 0, high = 0;
    for (int64_t i = 0; i < n; ++i) {
      if (!std::isfinite(from[i])) continue;
      low = std::min(low, from[i]);
      high = std::max(high, from[i]);
    }
    const T most = std::max(std::abs(low), std::abs(high));
    const T scale = low < 0 ? (most > 0 ? T(127) / most : T(0)) : (high > 0 ? T(255) / high : T(0));
    const T offset = low < 0 ? T(128) : T(0);
    for (int64_t i = 0; i < n; i += channels) {
      if (!std::all_of(from + i, from + i + channels, [](T v) { return std::isfinite(v); })) {
        std::copy_n(bad, channels, to + i);
        continue;
      }
      for (int64_t k = i; k < i + channels; ++k)
        to[k] = static_cast<uint8_t>(std::clamp(from[k] * scale + offset, T(0), T(255)));
    }
  }
}

struct ImageSummary {
  template <class T>
  Status operator()(KernelCtx& c) const {
    const Tensor& images = c.in(1);
    if (c.in(0).rank() != 0) return InvalidArgument("Tag must be a scalar");
    const int64_t channels = images.rank() == 4 ? images.dim(3) : 0;
    if (channels != 1 && channels != 3 && channels != 4)
      return InvalidArgument("Tensor must be 4-D with last dim 1, 3, or 4, not ", images.shape());
    const std::string& tag = *c.in(0).data<std::string>();
    const int64_t height = images.dim(1), width = images.dim(2);
    const int64_t pixels = height * width * channels;
    if (height >= (1 << 24) || width >= (1 << 24) || pixels >= (int64_t{1} << 29))
      return InvalidArgument("hw * depth cannot exceed 2^29, got ", images.shape());
    const auto& state = c.state<ImageState>();
    const int64_t shown = std::min(images.dim(0), state.max_images);
    const bool one = state.max_images == 1;
    if (state.bad_color.num_elements() < channels)
      return InvalidArgument("expected depth <= bad_color.size, got depth = ", channels,
                             ", bad_color.size = ", state.bad_color.num_elements());
    WireWriter out;
    std::vector<uint8_t> bytes(static_cast<size_t>(pixels));
    for (int64_t i = 0; i < shown; ++i) {
      ToPixels(images.data<T>() + i * pixels, pixels, channels, state.bad_color.data<uint8_t>(),
               bytes.data());
      WireWriter image, value;
      image.Int(1, height);
      image.Int(2, width);
      image.Int(3, channels);
      image.Bytes(4, EncodePng(bytes.data(), height, width, channels));
      value.Bytes(1, one ? StrCat(tag, "/image") : StrCat(tag, "/image/", i));
      value.AlwaysBytes(4, image.text());
      out.AlwaysBytes(1, value.text());
    }
    return SetSummary(c, out.Take());
  }
};

constexpr char kReals[] =
    "{float, double, int32, uint8, int16, int8, int64, bfloat16, uint16, half, uint32, uint64}";

}  // namespace

TENSH_OPS(io_summary) {
  r.Op({.name = "ScalarSummary",
        .inputs = "tags: string, values: T",
        .outputs = "summary: string",
        .attrs = StrCat("T: ", kReals),
        .doc = "A summary of numbers, which are displayed as curves. tags names each of values, of "
               "type T. summary is a Summary message.",
        .shape = ScalarOutput,
        .no_gradient = true,
        .examples = {{"tf.summary.scalar('x', 1.)", "b'\\n\\x08\\n\\x01x\\x15\\x00\\x00\\x80?'"}}})
      .Cpu<float, double, int32_t, int64_t, uint8_t, int16_t, int8_t, uint16_t, uint32_t, uint64_t>(
          ScalarSummary{});
  r.Op({.name = "HistogramSummary",
        .inputs = "tag: string, values: T",
        .outputs = "summary: string",
        .attrs = StrCat("T: ", kReals, " = float"),
        .doc = "A summary of the distribution of values, of type T, named tag. summary is a "
               "Summary message.",
        .shape = ScalarOutput,
        .no_gradient = true,
        .examples = {{"tf.strings.length(tf.summary.histogram('x', [1.]))", "104"}}})
      .Cpu<float, double, int32_t, int64_t, uint8_t, int16_t, int8_t, uint16_t, uint32_t, uint64_t>(
          HistogramSummary{});
  r.Op({.name = "MergeSummary",
        .inputs = "inputs: N * string",
        .outputs = "summary: string",
        .attrs = "N: int >= 1",
        .doc = "Merges summaries: summary contains the values of the N inputs. Each tag may occur "
               "once.",
        .shape = ScalarOutput,
        .no_gradient = true,
        .examples = {{"tf.summary.merge([tf.summary.scalar('x', 1.)])",
                      "b'\\n\\x08\\n\\x01x\\x15\\x00\\x00\\x80?'"}}})
      .CpuAny(Merge);
  r.Op({.name = "ImageSummary",
        .inputs = "tag: string, tensor: T",
        .outputs = "summary: string",
        .attrs = "max_images: int >= 1 = 3, T: {uint8, float, half, double} = float, "
                 "bad_color: tensor = uint8 {255, 0, 0, 255}",
        .doc = "A summary of images. tensor, of type T, is [batch, height, width, channels] with "
               "1, 3 or 4 channels. At most max_images are included, named after tag. summary is a "
               "Summary message with PNGs, in which non-finite pixels have the bad_color.",
        .shape = ScalarOutput,
        .no_gradient = true,
        .examples = {{"tf.strings.length(tf.summary.image('x', tf.zeros([1, 2, 2, 1])))", "97"}}})
      .Cpu<uint8_t, float, double>(ImageSummary{}, {.prepare = PrepareFrom<ImageState>});
}

}  // namespace tensh::ops
