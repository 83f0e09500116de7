// AudioSpectrogram, and Mfcc, which computes mel-frequency cepstral coefficients for speech
// recognition.
#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "ops/math/fft/fft_plan.h"
#include "ops/op_file.h"

namespace tensh::ops {
namespace {

constexpr double kPi = 3.14159265358979323846;

// ---- spectrograms ----

struct SpectrogramState : KernelState {
  int64_t window = 0, stride = 0;
  bool squared = false;
  // The length of the transform, the next power of two.
  int64_t points() const {
    return static_cast<int64_t>(std::bit_ceil(static_cast<uint64_t>(window)));
  }
  int64_t bins() const { return points() / 2 + 1; }
  int64_t Slices(int64_t samples) const {
    return samples < window ? 0 : 1 + (samples - window) / stride;
  }
};

Status ReadSpectrogram(Attrs attrs, SpectrogramState& s) {
  s.window = attrs.Int("window_size");
  s.stride = attrs.Int("stride");
  s.squared = attrs.Bool("magnitude_squared");
  if (s.window >= 2 && s.window <= 1 << 30 && s.stride >= 1) return {};
  return InvalidArgument("Spectrogram initialization failed for window size ", s.window,
                         " and stride ", s.stride);
}

Result<std::unique_ptr<KernelState>> PrepareSpectrogram(PrepareCtx& c) {
  auto state = std::make_unique<SpectrogramState>();
  TENSH_RETURN_IF_ERROR(ReadSpectrogram(c.attrs(), *state));
  return {std::move(state)};
}

Status Spectrogram(KernelCtx& c) {
  const auto& s = c.state<SpectrogramState>();
  const int64_t samples = c.in(0).dim(0), channels = c.in(0).dim(1), slices = s.Slices(samples);
  TENSH_ASSIGN(const Shape shape, Shape::Make(std::vector{channels, slices, s.bins()}, true));
  TENSH_OUTPUT(out, c.Output(0, shape));
  if (!out->num_elements()) return {};
  std::vector<double> window(static_cast<size_t>(s.window));  // a Hann window
  for (size_t i = 0; i < window.size(); ++i)
    window[i] =
        0.5 - 0.5 * std::cos(2 * kPi * static_cast<double>(i) / static_cast<double>(s.window));
  const FftPlan<double> plan(s.points(), false);
  const float* in = c.in(0).data<float>();
  c.ParallelFor(
      channels * slices, 20 * static_cast<double>(s.points()), [&](int64_t begin, int64_t end) {
        const FftBuffers<double> buffers(c.allocator(), plan, 1);
        const ComplexParts<double> x = buffers.x();
        for (int64_t n = begin; n < end && !c.cancelled(); ++n) {
          const float* from = in + n % slices * s.stride * channels + n / slices;
          std::fill_n(x.im, s.points(), 0.0);
          std::fill_n(x.re, s.points(), 0.0);
          for (size_t i = 0; i < window.size(); ++i)
            x.re[i] = window[i] * static_cast<double>(from[static_cast<int64_t>(i) * channels]);
          const ComplexParts<double> y = plan.Run(x, 1, buffers.work());
          float* to = out->data<float>() + n * s.bins();
          for (int64_t k = 0; k < s.bins(); ++k) {
            const float norm = static_cast<float>(y.re[k] * y.re[k] + y.im[k] * y.im[k]);
            to[k] = s.squared ? norm : std::sqrt(norm);
          }
        }
      });
  return {};
}

Status SpectrogramShape(ShapeCtx& c) {
  SpectrogramState s;
  TENSH_RETURN_IF_ERROR(ReadSpectrogram(c.attrs(), s));
  const Shape in = c.in(0).has_rank() ? c.in(0) : Shape::UnknownOfRank(2);
  c.Set(0, Shape({in[1], in[0] < 0 ? -1 : s.Slices(in[0]), s.bins()}));
  return {};
}

// ---- Mfcc ----

struct MfccState : KernelState {
  double high = 0, low = 0;
  int64_t bands = 0, coefficients = 0;
};

Result<std::unique_ptr<KernelState>> PrepareMfcc(PrepareCtx& c) {
  auto s = std::make_unique<MfccState>();
  s->high = static_cast<double>(c.attrs().Float("upper_frequency_limit"));
  s->low = static_cast<double>(c.attrs().Float("lower_frequency_limit"));
  s->bands = c.attrs().Int("filterbank_channel_count");
  s->coefficients = c.attrs().Int("dct_coefficient_count");
  return {std::move(s)};
}

double Mel(double frequency) { return 1127.0 * std::log1p(frequency / 700.0); }

// Triangular filters over the bins of a spectrum, evenly spaced on the mel scale. Each bin belongs
// to two neighboring bands; its weight is the share of the lower one.
class MelBands {
 public:
  MelBands(const MfccState& s, int64_t bins, double rate)
      : bands_(s.bands), band_(static_cast<size_t>(bins)), weight_(band_.size()) {
    const double low = Mel(s.low), step = (Mel(s.high) - low) / static_cast<double>(bands_ + 1);
    const auto center = [&](int64_t band) { return low + step * static_cast<double>(band + 1); };
    const double hertz = 0.5 * rate / static_cast<double>(bins - 1);
    const auto bin_of = [&](double f) {  // one past the last bin if f exceeds the spectrum
      return static_cast<int64_t>(std::min(f, static_cast<double>(bins)));
    };
    first_ = bin_of(1.5 + s.low / hertz);
    last_ = bin_of(s.high / hertz);
    fits_ = last_ < bins;
    int64_t band = 0;
    for (int64_t i = first_; fits_ && i <= last_; ++i) {
      const double mel = Mel(static_cast<double>(i) * hertz);
      while (band < bands_ && center(band) < mel) ++band;
      const double from = band ? center(band - 1) : low;
      band_[static_cast<size_t>(i)] = band - 1;
      weight_[static_cast<size_t>(i)] = (center(band) - mel) / (center(band) - from);
    }
  }

  // Computes the weighted sum of each band. Returns false if the spectrum is too short for the
  // bands.
  bool Sum(const float* spectrum, std::vector<double>& out) const {
    out.assign(static_cast<size_t>(bands_), 0.0);
    for (int64_t i = first_; fits_ && i <= last_; ++i) {
      const size_t at = static_cast<size_t>(i);
      const double value = std::sqrt(static_cast<double>(spectrum[i]));
      const double weighted = value * weight_[at];
      const int64_t band = band_[at];
      if (band >= 0) out[static_cast<size_t>(band)] += weighted;
      if (band + 1 < bands_) out[static_cast<size_t>(band + 1)] += value - weighted;
    }
    return fits_;
  }

 private:
  const int64_t bands_;
  std::vector<int64_t> band_;
  std::vector<double> weight_;
  int64_t first_ = 0, last_ = 0;
  bool fits_ = false;
};

Status CheckMfcc(const MfccState& s, int64_t bins, int32_t rate) {
  // maximum number of bands; the cosine table is quadratic in it
  constexpr int64_t kMost = 1 << 13;
  if (s.bands >= 1 && s.bands <= kMost && s.coefficients >= 1 && s.coefficients <= s.bands &&
      bins >= 2 && rate > 0 && s.low >= 0 && s.high > s.low)
    return {};
  return InvalidArgument("Mfcc initialization failed for ", bins, " bins at a sample rate of ",
                         rate, ", ", s.bands, " bands from ", s.low, " to ", s.high, " and ",
                         s.coefficients, " coefficients");
}

// Returns the first coefficients of a cosine transform as a matrix, row by row.
std::vector<double> Cosines(const MfccState& s) {
  const double n = static_cast<double>(s.bands), scale = std::sqrt(2.0 / n);
  std::vector<double> out;
  for (int64_t i = 0; i < s.coefficients; ++i)
    for (int64_t j = 0; j < s.bands; ++j)
      out.push_back(scale *
                    std::cos(static_cast<double>(i) * kPi / n * (static_cast<double>(j) + 0.5)));
  return out;
}

Status Mfcc(KernelCtx& c) {
  const auto& s = c.state<MfccState>();
  const Shape& in = c.in(0).shape();
  const int32_t rate = *c.in(1).data<int32_t>();
  TENSH_RETURN_IF_ERROR(CheckMfcc(s, in[2], rate));
  const MelBands bands(s, in[2], static_cast<double>(rate));
  const std::vector<double> cosines = Cosines(s);
  TENSH_ASSIGN(const Shape shape, Shape::Make(std::vector{in[0], in[1], s.coefficients}, true));
  const Tensor spectra = c.in(0);
  TENSH_OUTPUT(out, c.Output(0, shape));
  std::vector<double> sums;
  for (int64_t n = 0; n < in[0] * in[1] && !c.cancelled(); ++n) {
    const bool fits = bands.Sum(spectra.data<float>() + n * in[2], sums);
    for (double& sum : sums) sum = std::log(sum < 1e-12 ? 1e-12 : sum);
    for (int64_t i = 0; i < s.coefficients; ++i) {
      double sum = 0;
      for (size_t j = 0; fits && j < sums.size(); ++j)
        sum += cosines[static_cast<size_t>(i) * sums.size() + j] * sums[j];
      out->data<float>()[n * s.coefficients + i] = static_cast<float>(sum);
    }
  }
  return {};
}

Status MfccShape(ShapeCtx& c) {
  const Shape in = c.in(0).has_rank() ? c.in(0) : Shape::UnknownOfRank(3);
  const int64_t n = c.attrs().Int("dct_coefficient_count");
  if (n < 0) return InvalidArgument("dct_coefficient_count must be positive, got ", n);
  c.Set(0, Shape({in[0], in[1], n}));
  return {};
}

}  // namespace

TENSH_OPS(audio_spectrogram) {
  r.Op({.name = "AudioSpectrogram",
        .inputs = "input: float",
        .outputs = "spectrogram: float",
        .attrs = "window_size: int, stride: int, magnitude_squared: bool = false",
        .doc = "The spectrum of a sound over time. input: [samples, channels]. spectrogram: "
               "[channels, slices, bins]. window_size: the samples in a slice, weighted by a Hann "
               "window. stride: the samples from one slice to the next. magnitude_squared: return "
               "squared magnitudes.",
        .contract = "input: matrix",
        .shape = SpectrogramShape,
        .no_gradient = true,
        .examples = {{"tf.raw_ops.AudioSpectrogram(input=[[1.], [1.]], window_size=2, stride=1, "
                      "magnitude_squared=True)[0]",
                      "[[1. 1.]]"}}})
      .CpuAny(Spectrogram, PrepareSpectrogram);
  r.Op({.name = "Mfcc",
        .inputs = "spectrogram: float, sample_rate: int32",
        .outputs = "output: float",
        .attrs = "upper_frequency_limit: float = 4000.0, lower_frequency_limit: float = 20.0, "
                 "filterbank_channel_count: int = 40, dct_coefficient_count: int = 13",
        .doc = "Mel-frequency cepstral coefficients. spectrogram: [channels, slices, bins], "
               "squared, as AudioSpectrogram returns it. sample_rate: samples per second. "
               "upper_frequency_limit, lower_frequency_limit: the range of the bands in hertz. "
               "filterbank_channel_count: the number of bands. dct_coefficient_count: the number "
               "of coefficients to return.",
        .contract = "spectrogram: rank 3, sample_rate: scalar",
        .shape = MfccShape,
        .no_gradient = true,
        .examples = {{"tf.raw_ops.Mfcc(spectrogram=tf.ones([1, 1, 3]), sample_rate=8000, "
                      "filterbank_channel_count=1, dct_coefficient_count=1)[0]",
                      "[[-0.7439612]]"}}})
      .CpuAny(Mfcc, PrepareMfcc);
}

}  // namespace tensh::ops
