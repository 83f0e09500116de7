#include "ops/nn/pool/max_loops.h"

namespace tensh::ops {
namespace {

// Calls fn(position, window, offset of its first pixel) for the windows [begin, end). The window's
// `in` is that of the image.
template <class Fn>
void ForWindows(const MaxPoolDims& d, const float* in, int64_t begin, int64_t end, Fn fn) {
  const int64_t n = d.channels, row = d.columns.in * n;
  for (int64_t p = begin; p < end; ++p) {
    const int64_t q = p % d.columns.out, line = p / d.columns.out;
    const int64_t r = line % d.rows.out, image = line / d.rows.out;
    const int64_t i = d.rows.Begin(r), j = d.columns.Begin(q);
    const int64_t at = (image * d.rows.in + d.rows.At(r, i)) * row + d.columns.At(q, j) * n;
    fn(p,
       PoolWindow{.in = in,
                  .in_row = d.rows.dilation * row,
                  .in_column = d.columns.dilation * n,
                  .rows = d.rows.End(r) - i,
                  .columns = d.columns.End(q) - j,
                  .dy = nullptr,
                  .out = nullptr,
                  .channels = n},
       at);
  }
}

// Computes the channels of a window, the last ones in narrower vectors. Changes the window, because a copy of a
// structure that has just been written takes as long as a small pool.
template <class Loop>
void ForChannels(PoolWindow& w, bool grad, Loop loop) {
  for (;;) {
    const TileLoops& loops = TileLoopsFor(w.channels);
    loop(loops, w);
    const int64_t done = w.channels / loops.lanes * loops.lanes;
    if (done == w.channels) return;
    w.in += done;
    w.out += done;
    if (grad) w.dy += done;
    w.channels -= done;
  }
}

}  // namespace

void PoolMax(PoolWindow& window) {
  ForChannels(window, false, [](const TileLoops& l, const PoolWindow& part) { l.max_pool(part); });
}

void MaxOfWindows(const MaxPoolDims& d, const float* in, float* out, int64_t begin, int64_t end) {
  ForWindows(d, in, begin, end, [&](int64_t p, PoolWindow w, int64_t at) {
    w.in += at;
    w.out = out + p * d.channels;
    ForChannels(w, false, [](const TileLoops& l, const PoolWindow& part) { l.max_pool(part); });
  });
}

void AddMaxGradients(const MaxPoolDims& d, const float* in, const float* dy, float* dx,
                     int64_t begin, int64_t end) {
  ForWindows(d, in, begin, end, [&](int64_t p, PoolWindow w, int64_t at) {
    w.in += at;
    w.dy = dy + p * d.channels;
    w.out = dx + at;
    ForChannels(w, true, [](const TileLoops& l, const PoolWindow& part) { l.max_pool_grad(part); });
  });
}

}  // namespace tensh::ops
