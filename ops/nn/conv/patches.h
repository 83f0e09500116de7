#pragma once
// The windows of float images or volumes, seen as the rows of a matrix. A window consists of lines:
// the pixels of one plane and one row, side by side. A line that lies inside the image is often
// contiguous in memory and need not be copied. Plain values that refer to the images; const functions
// may be called by any thread.
#include "ops/nn/conv/window.h"

namespace tensh::ops {

// A range of windows along one dimension.
struct WindowRange {
  int64_t begin, end;
};
// Returns the windows that lie inside along a dimension.
WindowRange InsideOf(const WindowDim& w);
// Returns the windows of which this element lies inside.
WindowRange TapInside(const WindowDim& w, int64_t tap);

struct Patches {
  // A window, by its position among the windows of all images.
  struct Position {
    int64_t image, plane, row, column;
  };

  WindowDim planes, rows, columns;
  int64_t channels = 0;  // elements of each pixel that are read
  int64_t pixel = 0;     // distance between two pixels in memory
  const float* in = nullptr;

  int64_t line() const { return columns.size * channels; }  // elements of a line
  int64_t lines() const { return planes.size * rows.size; }
  int64_t size() const { return lines() * line(); }
  int64_t per_image() const { return planes.out * rows.out * columns.out; }

  Position At(int64_t index) const;
  void Next(Position& p) const {
    if (++p.column < columns.out) return;
    p.column = 0;
    if (++p.row < rows.out) return;
    p.row = 0;
    if (++p.plane < planes.out) return;
    p.plane = 0;
    ++p.image;
  }

  // The distance from the first element of a window to its line (plane, row), in memory.
  int64_t LineOffset(int64_t plane, int64_t row) const {
    return (plane * planes.dilation * rows.in + row * rows.dilation) * columns.in * pixel;
  }
  // The offset of the first element of a window. It may lie outside of the image.
  int64_t Offset(const Position& p) const {
    const int64_t plane = p.image * planes.in + planes.At(p.plane, 0);
    return ((plane * rows.in + rows.At(p.row, 0)) * columns.in + columns.At(p.column, 0)) * pixel;
  }
  // True if the lines of windows are contiguous in memory, as far as they lie inside.
  bool contiguous() const {
    return columns.size == 1 || (columns.dilation == 1 && channels == pixel);
  }
  WindowRange ColumnsInside() const { return InsideOf(columns); }
  // True if the window lies inside along the planes and rows.
  bool LinesInside(const Position& p) const {
    return Inside(planes, p.plane) && Inside(rows, p.row);
  }
  bool LineInside(const Position& p, int64_t plane, int64_t row) const {
    return planes.Element(p.plane, plane) >= 0 && rows.Element(p.row, row) >= 0;
  }
  // Copies elements [begin, end) of a line that lies inside by its plane and row. Padding is 0.
  void CopyLine(const Position& p, int64_t plane, int64_t row, int64_t begin, int64_t end,
                float* to) const;

 private:
  static bool Inside(const WindowDim& d, int64_t o) {
    return d.At(o, 0) >= 0 && d.At(o, d.size - 1) < d.in;
  }
};

// Copies a few or many floats. A call of memmove costs more than the copy of a short line.
inline void CopyFloats(const float* from, int64_t n, float* to) {
  if (n > 32) {
    std::copy_n(from, n, to);
    return;
  }
  for (int64_t i = 0; i < n; ++i) to[i] = from[i];
}

// A window dimension of the gradient for the input. The elements of the input with the same remainder
// by the stride are the outputs of a convolution of dy with stride 1, whose taps are every tap_step-th
// of the filter, from the last to the first.
struct GradPhase {
  WindowDim window;       // `out` counts these elements
  int64_t remainder = 0;  // the first of them
  int64_t last_tap = 0;   // tap t is last_tap - t * tap_step of the filter
  int64_t tap_step = 1;
};
// The number of remainders that have taps. All other elements of the gradient are 0.
int64_t GradPhases(const WindowDim& d);
// The phase whose smallest tap of the filter is `tap`, for 0 <= tap < GradPhases(d). It may be empty.
GradPhase MakeGradPhase(const WindowDim& d, int64_t tap);

}  // namespace tensh::ops
