// Draws a figure as lines, boxes and text on a canvas of pixels. There are two canvases: SVG text,
// and a raster image that is encoded as PNG. Pure functions; thread-safe.
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
  const char* dash = "";  // "" is solid; otherwise the lengths of dashes and gaps as in SVG.
};

class Canvas {
 public:
  virtual ~Canvas() = default;
  virtual void Line(const std::vector<Point>& points, const Pen& pen) = 0;
  virtual void Box(double x, double y, double w, double h, Color fill, double alpha) = 0;
  virtual void Disc(Point center, double radius, Color fill, double alpha) = 0;
  // If `up` is true, the text is rotated by a quarter turn and reads upwards.
  virtual void Text(Point at, const std::string& text, double size, Anchor anchor, bool up) = 0;
  // Draws rows × cols equal cells of colors that fill the box.
  virtual void Image(double x, double y, double w, double h, size_t rows, size_t cols,
                     const std::vector<Color>& colors) = 0;
  virtual void Clip(double x, double y, double w, double h) = 0;
  virtual void Unclip() = 0;
};

void Draw(const Figure& figure, Canvas& canvas);
// Returns the colors of an image's pixels, row by row from the top.
std::vector<Color> ImageColors(const Series& series);

std::string RenderSvg(const Figure& figure);
std::string RenderPng(const Figure& figure);  // Returns the bytes of the file.
// Returns three bytes for each pixel, and the size of the image.
std::string RenderRgb(const Figure& figure, size_t* height, size_t* width);

}  // namespace tensh::shell::plot
