// DecodeWav, EncodeWav and AudioSummary: uncompressed WAV files with 16 bits per sample.
#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <span>

#include "ops/op_file.h"
#include "ops/support/prepare.h"
#include "runtime/base/wire.h"

namespace tensh::ops {
namespace {

constexpr float kScale = 1 << 15;

// ---- reading ----

// Reads a file sequentially. Numbers are little-endian. Reading past the end is an error.
class WavReader {
 public:
  explicit WavReader(std::string_view file) : rest_(file) {}
  bool done() const { return rest_.empty(); }

  Result<std::string_view> Take(size_t bytes) {
    if (bytes > rest_.size())
      return InvalidArgument("Data too short when trying to read ", bytes, " bytes of a WAV file, ",
                             "of which ", rest_.size(), " are left");
    const std::string_view out = rest_.substr(0, bytes);
    rest_.remove_prefix(bytes);
    return out;
  }
  Result<uint32_t> Number(size_t bytes) {
    TENSH_ASSIGN(const std::string_view text, Take(bytes));
    uint32_t out = 0;
    for (size_t i = bytes; i-- > 0;) out = out << 8 | static_cast<uint8_t>(text[i]);
    return out;
  }
  Status Expect(std::string_view word) {
    TENSH_ASSIGN(const std::string_view found, Take(word.size()));
    if (found == word) return {};
    return InvalidArgument("Header mismatch: Expected ", word, " but found ", found);
  }

 private:
  std::string_view rest_;
};

struct Sound {
  int64_t channels = 0, rate = 0, samples = 0;
  std::string_view data;  // samples * channels 16-bit numbers
  float At(int64_t sample, int64_t channel) const {
    const size_t at = 2 * static_cast<size_t>(sample * channels + channel);
    const auto low = static_cast<uint8_t>(data[at]), high = static_cast<uint8_t>(data[at + 1]);
    return static_cast<float>(static_cast<int16_t>(low | high << 8)) / kScale;
  }
};

Status Wrong(const char* what, int64_t want, int64_t got) {
  return InvalidArgument("Bad ", what, " in WAV header: Expected ", want, " but got ", got);
}

// Reads the header, up to the first chunk.
Status ReadFormat(WavReader& file, Sound& sound) {
  TENSH_RETURN_IF_ERROR(file.Expect("RIFF"));
  TENSH_RETURN_IF_ERROR(file.Number(4).status());  // the file's size, which is ignored
  TENSH_RETURN_IF_ERROR(file.Expect("WAVE"));
  TENSH_RETURN_IF_ERROR(file.Expect("fmt "));
  TENSH_ASSIGN(const uint32_t size, file.Number(4));
  if (size != 16 && size != 18)
    return InvalidArgument("Bad format chunk size for WAV: Expected 16 or 18, but got ", size);
  TENSH_ASSIGN(const uint32_t format, file.Number(2));
  if (format != 1)
    return InvalidArgument("Bad audio format for WAV: Expected 1 (PCM), but got ", format);
  TENSH_ASSIGN(sound.channels, file.Number(2));
  if (sound.channels < 1)
    return InvalidArgument("Bad number of channels for WAV: Expected at least 1, but got 0");
  TENSH_ASSIGN(sound.rate, file.Number(4));
  TENSH_ASSIGN(const uint32_t bytes_a_second, file.Number(4));
  TENSH_ASSIGN(const uint32_t bytes_a_sample, file.Number(2));
  TENSH_ASSIGN(const uint32_t bits, file.Number(2));
  if (bits != 16) return InvalidArgument("Can only read 16-bit WAV files, but received ", bits);
  if (bytes_a_sample != 2 * sound.channels)
    return Wrong("bytes per sample", 2 * sound.channels, bytes_a_sample);
  if (bytes_a_second != bytes_a_sample * sound.rate)
    return Wrong("bytes per second", bytes_a_sample * sound.rate, bytes_a_second);
  return size == 18 ? file.Take(2).status() : Status();
}

Result<Sound> ReadWav(std::string_view text) {
  WavReader file(text);
  Sound sound;
  TENSH_RETURN_IF_ERROR(ReadFormat(file, sound));
  bool found = false;
  while (!file.done()) {
    TENSH_ASSIGN(const std::string_view name, file.Take(4));
    TENSH_ASSIGN(const uint32_t size, file.Number(4));
    if (size > uint32_t{std::numeric_limits<int32_t>::max()})
      return InvalidArgument("WAV data chunk '", name, "' is too large: ", size, " bytes");
    if (name != "data") {
      TENSH_RETURN_IF_ERROR(file.Take(size).status());
      continue;
    }
    if (found) return InvalidArgument("More than one data chunk found in WAV");
    found = true;
    sound.samples = size / (2 * sound.channels);
    TENSH_ASSIGN(sound.data, file.Take(static_cast<size_t>(2 * sound.samples * sound.channels)));
  }
  if (!found) return InvalidArgument("No data chunk found in WAV");
  return sound;
}

struct DecodeState : KernelState {
  int64_t channels = -1, samples = -1;  // -1: the number in the file
};

Status ReadWanted(Attrs attrs, DecodeState& s) {
  s.channels = attrs.Int("desired_channels");
  s.samples = attrs.Int("desired_samples");
  for (int64_t n : {s.channels, s.samples})
    if (n < -1 || n > std::numeric_limits<int32_t>::max())
      return InvalidArgument("desired_channels and desired_samples must be non-negative numbers ",
                             "of 32 bits, or -1, got ", n);
  return {};
}

Result<std::unique_ptr<KernelState>> PrepareDecode(PrepareCtx& c) {
  auto state = std::make_unique<DecodeState>();
  TENSH_RETURN_IF_ERROR(ReadWanted(c.attrs(), *state));
  return {std::move(state)};
}

Status Decode(KernelCtx& c) {
  const auto& s = c.state<DecodeState>();
  TENSH_ASSIGN(const Sound sound, ReadWav(*c.in(0).data<std::string>()));
  const int64_t samples = s.samples < 0 ? sound.samples : s.samples;
  const int64_t channels = s.channels < 0 ? sound.channels : s.channels;
  TENSH_OUTPUT(audio, c.Output(0, Shape({samples, channels})));
  TENSH_OUTPUT(rate, c.Output(1, Shape()));
  *rate->data<int32_t>() = static_cast<int32_t>(sound.rate);
  float* to = audio->data<float>();
  // Additional samples are silent. Additional channels repeat the last one.
  for (int64_t i = 0; i < samples; ++i)
    for (int64_t k = 0; k < channels; ++k)
      *to++ = i < sound.samples ? sound.At(i, std::min(k, sound.channels - 1)) : 0.0f;
  return {};
}

Status DecodeShape(ShapeCtx& c) {
  DecodeState s;
  TENSH_RETURN_IF_ERROR(ReadWanted(c.attrs(), s));
  c.Set(0, Shape({s.samples, s.channels}));
  c.Set(1, Shape());
  return {};
}

// ---- writing ----

void Append(std::string& to, uint32_t number, int bytes) {
  for (int i = 0; i < bytes; ++i) to.push_back(static_cast<char>(number >> (8 * i)));
}

uint32_t SampleOf(float x) {
  const float scaled = std::round(x * kScale);
  if (std::isnan(scaled)) return 0;
  return static_cast<uint32_t>(static_cast<int32_t>(std::clamp(scaled, -kScale, kScale - 1)));
}

// Returns a file with these samples, in which the channels alternate.
Result<std::string> WavFile(std::span<const float> audio, int64_t channels, int64_t rate) {
  if (channels <= 0 || channels > std::numeric_limits<uint16_t>::max())
    return InvalidArgument("num_channels must be in (0, 2^16), got: ", channels);
  constexpr int64_t kHeader = 44;
  const auto bytes = static_cast<int64_t>(2 * audio.size());
  if (rate > std::numeric_limits<uint32_t>::max() ||
      bytes > std::numeric_limits<uint32_t>::max() - kHeader ||
      2 * channels * rate > std::numeric_limits<uint32_t>::max())
    return InvalidArgument("Provided channels and frames cannot be encoded as a WAV: ", channels,
                           " channels of ", bytes / 2 / channels, " samples, ", rate, " a second");
  std::string file = "RIFF";
  file.reserve(static_cast<size_t>(kHeader + bytes));
  Append(file, static_cast<uint32_t>(kHeader - 8 + bytes), 4);
  file += "WAVEfmt ";
  Append(file, 16, 4);
  Append(file, 1, 2);
  Append(file, static_cast<uint32_t>(channels), 2);
  Append(file, static_cast<uint32_t>(rate), 4);
  Append(file, static_cast<uint32_t>(2 * channels * rate), 4);
  Append(file, static_cast<uint32_t>(2 * channels), 2);
  Append(file, 16, 2);
  file += "data";
  Append(file, static_cast<uint32_t>(bytes), 4);
  for (float x : audio) Append(file, SampleOf(x), 2);
  return file;
}

Status Encode(KernelCtx& c) {
  const Tensor& audio = c.in(0);
  const int64_t rate = c.in(1).IntScalar();
  if (rate <= 0) return InvalidArgument("sample_rate must be in (0, 2^32), got: ", rate);
  TENSH_ASSIGN(std::string file, WavFile(audio.flat<float>(), audio.dim(1), rate));
  c.SetOutput(0, Tensor::Scalar<std::string>(std::move(file)));
  return {};
}

// ---- summaries ----

struct SummaryState : KernelState {
  int64_t max_outputs;
  std::optional<float> rate;  // empty if the rate is an input
  void Read(PrepareCtx& c) {
    max_outputs = c.attrs().Int("max_outputs");
    if (c.attrs().Find("sample_rate") != nullptr) rate = c.attrs().Float("sample_rate");
  }
};

Status Summary(KernelCtx& c) {
  const auto& state = c.state<SummaryState>();
  const Tensor& audio = c.in(1);
  if (c.in(0).rank() != 0) return InvalidArgument("Tag must be a scalar");
  if (audio.rank() != 2 && audio.rank() != 3)
    return InvalidArgument("Tensor must be 3-D or 2-D, got: ", audio.shape());
  if (!state.rate && c.in(2).num_elements() != 1)
    return InvalidArgument("sample_rate must be rank-0 or contain a single value");
  const float rate = state.rate ? *state.rate : *c.in(2).data<float>();
  if (!(rate > 0) || rate > static_cast<float>(std::numeric_limits<int32_t>::max()))
    return InvalidArgument("sample_rate must be > 0");
  const std::string& tag = *c.in(0).data<std::string>();
  const int64_t frames = audio.dim(1), channels = audio.rank() == 2 ? 1 : audio.dim(2);
  const auto samples = static_cast<size_t>(frames * channels);
  const int64_t shown = std::min(audio.dim(0), state.max_outputs);
  WireWriter out;
  for (int64_t i = 0; i < shown; ++i) {
    const std::span<const float> part =
        audio.flat<float>().subspan(static_cast<size_t>(i) * samples, samples);
    TENSH_ASSIGN(const std::string file,
                 WavFile(part, channels, std::max<int64_t>(std::lrint(rate), 1)));
    WireWriter sound, value;
    sound.AlwaysFloat(1, rate);
    sound.Int(2, channels);
    sound.Int(3, frames);
    sound.Bytes(4, file);
    sound.Bytes(5, "audio/wav");
    value.Bytes(1, state.max_outputs == 1 ? StrCat(tag, "/audio") : StrCat(tag, "/audio/", i));
    value.AlwaysBytes(6, sound.text());
    out.AlwaysBytes(1, value.text());
  }
  c.SetOutput(0, Tensor::Scalar<std::string>(out.Take()));
  return {};
}

}  // namespace

TENSH_OPS(audio_wav) {
  r.Op({.name = "DecodeWav",
        .inputs = "contents: string",
        .outputs = "audio: float, sample_rate: int32",
        .attrs = "desired_channels: int = -1, desired_samples: int = -1",
        .doc = "Decodes a WAV file of 16 bits. contents: the file. audio: numbers in [-1, 1), one "
               "row per sample and one column per channel. sample_rate: samples per second. "
               "desired_channels, desired_samples: the number to return; -1 means all in the file.",
        .contract = "contents: scalar",
        .shape = DecodeShape,
        .no_gradient = true,
        .examples = {{"tf.audio.decode_wav(tf.audio.encode_wav([[.5], [-1.]], 8000))[0]",
                      "[[ 0.5]\n [-1. ]]"}}})
      .CpuAny(Decode, PrepareDecode);
  r.Op({.name = "EncodeWav",
        .inputs = "audio: float, sample_rate: int32",
        .outputs = "contents: string",
        .doc = "Encodes a WAV file of 16 bits. audio: numbers in [-1, 1], one row per sample and "
               "one column per channel. sample_rate: samples per second.",
        .contract = "audio: matrix, sample_rate: scalar",
        .shape = ScalarOutput,
        .no_gradient = true,
        .examples = {{"tf.strings.length(tf.audio.encode_wav([[.5], [-1.]], 8000))", "48"}}})
      .CpuAny(Encode);
  const char* doc =
      "A summary of sounds. tensor: numbers in [-1, 1], [batch, frames, channels] or [batch, "
      "frames]. "
      "sample_rate: samples per second. At most max_outputs are included, named after tag. summary "
      "is a Summary message with WAV files.";
  r.Op({.name = "AudioSummaryV2",
        .inputs = "tag: string, tensor: float, sample_rate: float",
        .outputs = "summary: string",
        .attrs = "max_outputs: int >= 1 = 3",
        .doc = doc,
        .shape = ScalarOutput,
        .no_gradient = true,
        .examples = {{"tf.strings.length(tf.summary.audio('x', tf.zeros([1, 4]), 8000.))", "89"}}})
      .CpuAny(Summary, PrepareFrom<SummaryState>);
  r.Op({.name = "AudioSummary",
        .inputs = "tag: string, tensor: float",
        .outputs = "summary: string",
        .attrs = "sample_rate: float, max_outputs: int >= 1 = 3",
        .doc = doc,
        .shape = ScalarOutput,
        .no_gradient = true,
        .examples = {{"tf.strings.length(tf.audio_summary('x', tf.zeros([1, 4]), 8000.))", "89"}}})
      .CpuAny(Summary, PrepareFrom<SummaryState>);
}

}  // namespace tensh::ops
