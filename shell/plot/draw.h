// A figure drawn with lines, boxes and text on a canvas of pixels. Two canvases: SVG text and a
// raster that becomes a PNG.
#pragma once

#include <string>

#include "shell/plot/figure.h"

namespace tensh::shell::plot {

struct Point {
  double x = 0, y = 0;
};

enum class Anchor : uint8_t { kStart, kMiddle, kEnd };

struct Pen {
  Color color = kBlack;
  double width = 1, alpha = 1;
  const char* dash = "";  // "": solid; else lengths of strokes and gaps, as SVG writes them
};

class Canvas {
 public:
  virtual ~Canvas() = default;
  virtual void Line(const std::vector<Point>& points, const Pen& pen) = 0;
  virtual void Box(double x, double y, double w, double h, Color fill, double alpha) = 0;
  virtual void Disc(Point center, double radius, Color fill, double alpha) = 0;
  // `up`: turned by a quarter, to be read from below.
  virtual void Text(Point at, const std::string& text, double size, Anchor anchor, bool up) = 0;
  // rows × cols colours, each an even part of the box.
  virtual void Image(double x, double y, double w, double h, size_t rows, size_t cols,
                     const std::vector<Color>& colors) = 0;
  virtual void Clip(double x, double y, double w, double h) = 0;
  virtual void Unclip() = 0;
};

void Draw(const Figure& figure, Canvas& canvas);
// The colours of an image's pixels, row by row from the top.
std::vector<Color> ImageColors(const Series& series);

std::string RenderSvg(const Figure& figure);
std::string RenderPng(const Figure& figure);  // the file's bytes

}  // namespace tensh::shell::plot
