// The SVG canvas.
#include <cstdio>

#include "shell/explain/export.h"
#include "shell/plot/draw.h"
#include "shell/plot/raster.h"

namespace tensh::shell::plot {
namespace {

std::string Number(double value) {
  char text[48];
  std::snprintf(text, sizeof text, "%.2f", value);
  std::string out = text;
  while (out.back() == '0') out.pop_back();
  if (out.back() == '.') out.pop_back();
  return out == "-0" ? "0" : out;
}

std::string Hex(Color color) {
  char text[16];
  std::snprintf(text, sizeof text, "#%02x%02x%02x", color.r, color.g, color.b);
  return text;
}

std::string Attr(const char* name, const std::string& value) {
  return " " + std::string(name) + "=\"" + value + "\"";
}

constexpr char kBase64[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

std::string Base64(std::string_view data) {
  std::string out;
  for (size_t i = 0; i < data.size(); i += 3) {
    uint32_t bits = 0;
    for (size_t k = 0; k < 3; ++k)
      bits = bits << 8 | (i + k < data.size() ? static_cast<unsigned char>(data[i + k]) : 0U);
    for (size_t k = 0; k < 4; ++k)
      out += i + k > data.size() ? '=' : kBase64[bits >> (18 - 6 * k) & 63];
  }
  return out;
}

class SvgCanvas : public Canvas {
 public:
  SvgCanvas(double width, double height)
      : out_("<svg xmlns=\"http://www.w3.org/2000/svg\"" + Attr("width", Number(width)) +
             Attr("height", Number(height)) +
             Attr("viewBox", "0 0 " + Number(width) + " " + Number(height)) +
             " font-family=\"DejaVu Sans, sans-serif\">\n") {}

  std::string Take() { return out_ + "</svg>\n"; }

  void Line(const std::vector<Point>& points, const Pen& pen) override {
    out_ += "<polyline fill=\"none\"" + Attr("stroke", Hex(pen.color)) +
            Attr("stroke-width", Number(pen.width));
    if (pen.alpha < 1) out_ += Attr("stroke-opacity", Number(pen.alpha));
    if (pen.dash[0] != '\0') out_ += Attr("stroke-dasharray", pen.dash);
    out_ += " points=\"";
    for (const Point& p : points) out_ += Number(p.x) + "," + Number(p.y) + " ";
    out_.back() = '"';
    out_ += "/>\n";
  }
  void Box(double x, double y, double w, double h, Color fill, double alpha) override {
    out_ += "<rect" + Place(x, y, w, h) + Attr("fill", Hex(fill)) + Opacity(alpha) + "/>\n";
  }
  void Disc(Point center, double radius, Color fill, double alpha) override {
    out_ += "<circle" + Attr("cx", Number(center.x)) + Attr("cy", Number(center.y)) +
            Attr("r", Number(radius)) + Attr("fill", Hex(fill)) + Opacity(alpha) + "/>\n";
  }
  void Text(Point at, const std::string& text, double size, Anchor anchor, bool up) override {
    constexpr const char* kAnchors[] = {"start", "middle", "end"};
    out_ += "<text" + Attr("x", Number(at.x)) + Attr("y", Number(at.y)) +
            Attr("font-size", Number(size)) +
            Attr("text-anchor", kAnchors[static_cast<int>(anchor)]);
    if (up) out_ += Attr("transform", "rotate(-90 " + Number(at.x) + " " + Number(at.y) + ")");
    out_ += ">" + XmlEscape(text) + "</text>\n";
  }
  // Embeds the image as a PNG, so that a thousand pixels do not become a thousand boxes.
  void Image(double x, double y, double w, double h, size_t rows, size_t cols,
             const std::vector<Color>& colors) override {
    out_ += "<image" + Place(x, y, w, h) +
            " preserveAspectRatio=\"none\" style=\"image-rendering:pixelated\"" +
            Attr("href", "data:image/png;base64," + Base64(EncodePng(colors, cols, rows))) + "/>\n";
  }
  void Clip(double x, double y, double w, double h) override {
    const std::string id = "c" + std::to_string(++clips_);
    out_ += "<clipPath" + Attr("id", id) + "><rect" + Place(x, y, w, h) + "/></clipPath>\n<g" +
            Attr("clip-path", "url(#" + id + ")") + ">\n";
  }
  void Unclip() override { out_ += "</g>\n"; }

 private:
  static std::string Place(double x, double y, double w, double h) {
    return Attr("x", Number(x)) + Attr("y", Number(y)) + Attr("width", Number(w)) +
           Attr("height", Number(h));
  }
  static std::string Opacity(double alpha) {
    return alpha < 1 ? Attr("fill-opacity", Number(alpha)) : "";
  }

  std::string out_;
  int clips_ = 0;
};

}  // namespace

std::string RenderSvg(const Figure& figure) {
  SvgCanvas canvas(figure.width, figure.height);
  Draw(figure, canvas);
  return canvas.Take();
}

}  // namespace tensh::shell::plot
