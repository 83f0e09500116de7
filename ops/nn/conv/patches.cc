#include "ops/nn/conv/patches.h"

#include <algorithm>
#include <numeric>

namespace tensh::ops {

WindowRange InsideOf(const WindowDim& w) {
  const int64_t reach = w.in - 1 - (w.size - 1) * w.dilation + w.before;
  const int64_t begin = std::clamp<int64_t>((w.before + w.stride - 1) / w.stride, 0, w.out);
  if (reach < 0) return {begin, begin};
  return {begin, std::clamp(reach / w.stride + 1, begin, w.out)};
}

WindowRange TapInside(const WindowDim& w, int64_t tap) {
  const int64_t before = w.before - tap * w.dilation, last = w.in - 1 + before;
  const int64_t begin = before > 0 ? (before + w.stride - 1) / w.stride : 0;
  return {begin, last < 0 ? begin : std::max(begin, std::min(last / w.stride + 1, w.out))};
}

Patches::Position Patches::At(int64_t index) const {
  const int64_t line = index / columns.out, plane = line / rows.out;
  return {plane / planes.out, plane % planes.out, line % rows.out, index % columns.out};
}

void Patches::CopyLine(const Position& p, int64_t plane, int64_t row, int64_t begin, int64_t end,
                       float* to) const {
  const float* from = in + (Offset(p) + LineOffset(plane, row));
  if (contiguous()) {  // zeros, a part of the image, zeros
    const int64_t first = std::clamp(columns.Begin(p.column) * channels, begin, end);
    const int64_t last = std::clamp(columns.End(p.column) * channels, first, end);
    std::fill_n(to, first - begin, 0.0f);
    CopyFloats(from + first, last - first, to + (first - begin));
    std::fill_n(to + (last - begin), end - last, 0.0f);
    return;
  }
  for (int64_t at = begin; at < end;) {
    const int64_t tap = at / channels, channel = at % channels;
    const int64_t n = std::min(channels - channel, end - at);
    if (columns.Element(p.column, tap) < 0)
      std::fill_n(to, n, 0.0f);
    else
      CopyFloats(from + tap * columns.dilation * pixel + channel, n, to);
    at += n;
    to += n;
  }
}

int64_t GradPhases(const WindowDim& d) {
  return std::min(d.size, d.stride / std::gcd(d.stride, d.dilation));
}

GradPhase MakeGradPhase(const WindowDim& d, int64_t tap) {
  const int64_t common = std::gcd(d.stride, d.dilation);
  GradPhase phase;
  phase.tap_step = d.stride / common;
  const int64_t taps = (d.size - 1 - tap) / phase.tap_step + 1;
  phase.last_tap = tap + (taps - 1) * phase.tap_step;
  phase.remainder = (tap * d.dilation - d.before) % d.stride;
  if (phase.remainder < 0) phase.remainder += d.stride;
  phase.window = {.in = d.out,
                  .out = std::max<int64_t>(0, (d.in - phase.remainder + d.stride - 1) / d.stride),
                  .size = taps,
                  .dilation = d.dilation / common};
  // Element `remainder` of the input is at this element of dy in the window of tap 0. The division
  // has no remainder.
  phase.window.before = (phase.last_tap * d.dilation - d.before - phase.remainder) / d.stride;
  return phase;
}

}  // namespace tensh::ops
