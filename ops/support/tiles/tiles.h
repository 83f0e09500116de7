#pragma once
// The inner loops of matrix products and convolutions of floats, compiled for each instruction set of x86-64.
//
// A loop keeps a tile of its result in registers: kTileRows rows of 1 to max_vectors vectors. The
// compiler contracts a multiplication and an addition into one instruction where the CPU has one, so
// the last bits of a result depend on the CPU, like those of a matrix product. They do not depend on
// the number of threads. Stateless; any thread may call the loops.
#include <cstdint>

#include "ops/support/isa.h"

namespace tensh::ops {

inline constexpr int kTileRows = 6;

// The product of some rows and a matrix. A row is a list of segments, so that it can be a window of
// an image. The sum runs over the elements of all segments:
//   out[r][first + j] = sum in[segment * kTileRows + r][k * in_step] *
//                           filter[(starts[segment] + k) * filter_row + j]
struct ProductTile {
  const float* const* in;           // for each segment, the pointers of the rows, kTileRows apart
  const int64_t *lengths, *starts;  // of each segment
  int64_t segments, in_step;
  const float* filter;  // each row has at least as many vectors as the tile
  int64_t filter_row;
  // A column of the matrix that is needed next. It is fetched into the L2 cache; it may be any address.
  const float* ahead;
  float* const* out;       // a pointer for each row
  int64_t first, columns;  // the columns that are stored
  bool add;                // add to `out` instead of overwriting it
};

// out[j] += sum over k < depth of in[k * in_step] * b[k * b_row + j], for j < columns.
struct RowProduct {
  const float* in;
  int64_t in_step, depth;
  const float* b;
  int64_t b_row, columns;
  float* out;
};

// out[r * out_row + j] = sum over k < depth of in[r * in_row + k] * b[j][k], for j < kDots. The sum has as many
// parts as a vector has elements.
inline constexpr int kDots = 4;
struct DotTile {
  const float* in;
  int64_t in_row, depth;
  const float* b[kDots];
  float* out;
  int64_t out_row;
};

// A sum of outer products, over the elements p < count of all runs:
//   out[r * out_row + j] += sum a[offset + p * a_row + skip + r] * b[p * b_row + j]
struct OuterRun {
  const float *a, *b;
  int64_t count;
};
struct OuterTile {
  const OuterRun* runs;
  int64_t n_runs, offset, a_row, b_row;
  float* out;
  int64_t out_row, skip, rows, columns;  // the part of the tile that is stored
};

// `count` outputs of a depthwise convolution whose windows have the same taps, for all channels:
//   out[q * out_step + c] = sum over i < rows, j < columns of
//       in[q * in_step + i * in_row + j * in_column + c] * filter[i * filter_row + j * filter_column + c]
struct DepthwiseLine {
  const float *in, *filter;
  int64_t in_step, in_row, in_column, filter_row, filter_column, rows, columns;
  float* out;
  int64_t out_step, count, channels;
};

// One tap of the gradient of its filter: out[c] += sum over q of in[q * in_step + c] * dy[q * dy_step + c].
struct DepthwiseTap {
  const float *in, *dy;
  int64_t in_step, dy_step, count;
  float* out;
  int64_t channels;
};

// A window of a pool, of which `planes` x `rows` x `columns` pixels lie inside. If `dy` is null, out[c] is
// the maximum of channel c. NaN is smaller than every number. Otherwise the elements of `out` have the
// same places as those of `in`, and dy[c] is added to the first one that has the maximum; there is one plane.
struct PoolWindow {
  const float* in;
  int64_t in_row, in_column, rows, columns;
  const float* dy;
  float* out;
  int64_t channels;
  int64_t in_plane = 0, planes = 1;
};

// A transform of winograd.h, for `channels` elements, which are whole vectors, of each element of a
// matrix. Element (i, j) is at i * row + j * column. Transforms of images have their four pixels in
// `pixels`.
struct WinogradTile {
  const float* from;
  int64_t from_row, from_column;
  float* to;
  int64_t to_row, to_column;
  float* pixels[4];
  int64_t channels;
};

struct TileLoops {
  int64_t lanes, max_vectors;          // elements of a vector; width of the widest tile
  void (*outer[4])(const OuterTile&);  // by the number of vectors - 1
  // Of 1, 2, 4 and 6 rows, by the number of vectors - 1. Called by Multiply.
  void (*product[4][4])(const ProductTile&);
  void (*row)(const RowProduct&);
  void (*dots[4])(const DotTile&);  // by the number of rows - 1
  void (*depthwise)(const DepthwiseLine&);
  void (*depthwise_tap)(const DepthwiseTap&);
  // These compute as many channels as there are in whole vectors.
  void (*max_pool)(const PoolWindow&);
  void (*max_pool_grad)(const PoolWindow&);
  // For filters of 3 x 3 and of 5 x 5. Return a number that is not 0 if an element of the result of
  // winograd_output or winograd_filter_grad is not finite.
  float (*winograd_input[2])(const WinogradTile&);        // from 4 x 4 or 6 x 6, to 4 x 4 or 7 x 7
  float (*winograd_output)(const WinogradTile&);          // from 4 x 4, to pixels
  float (*winograd_output_grad)(const WinogradTile&);     // from pixels, to 4 x 4
  float (*winograd_filter[2])(const WinogradTile&);       // from the taps, to 4 x 4 or 7 x 7
  float (*winograd_filter_grad[2])(const WinogradTile&);  // from 4 x 4 or 7 x 7, to the taps

  // Computes the product of `rows` rows, at most kTileRows, which have one or two tiles.
  void Multiply(int64_t rows, int64_t vectors, const ProductTile& tile) const {
    if (rows == kTileRows) return product[3][vectors - 1](tile);
    ProductTile part = tile;
    for (int size = 2; size >= 0; --size)
      for (; rows >= 1 << size; rows -= 1 << size, part.in += 1 << size, part.out += 1 << size)
        product[size][vectors - 1](part);
  }
};

// Returns the loops for the best instruction set of this CPU.
const TileLoops& BestTileLoops();
// Returns the best loops whose vectors have at most `channels` elements. The loops of depthwise
// convolutions require that of their channels, unless there is only one element in a vector.
const TileLoops& TileLoopsFor(int64_t channels);

// Packs the transpose of a matrix: to[k * width + j] = from[j * from_row + k] for k < depth and j < columns. The
// elements from j = columns on are 0.
void PackTransposed(const float* from, int64_t from_row, int64_t depth, int64_t columns,
                    int64_t width, float* to);

}  // namespace tensh::ops
