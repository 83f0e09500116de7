#include "shell/plot/raster.h"

#include <zlib.h>

#include <algorithm>
#include <charconv>

#include "shell/plot/draw.h"

namespace tensh::shell::plot {
namespace {

constexpr size_t kMaxSide = 3000;
constexpr double kScale = 2;  // Shapes are drawn larger by this factor.

struct Area {
  double x0, y0, x1, y1;
};

// Clips a segment to an area (Liang-Barsky). Returns false if nothing remains.
bool ClipSegment(const Area& area, Point* a, Point* b) {
  double from = 0, to = 1;
  const double dx = b->x - a->x, dy = b->y - a->y;
  const double p[] = {-dx, dx, -dy, dy};
  const double q[] = {a->x - area.x0, area.x1 - a->x, a->y - area.y0, area.y1 - a->y};
  for (int i = 0; i < 4; ++i) {
    if (p[i] == 0) {
      if (q[i] < 0) return false;
      continue;
    }
    const double t = q[i] / p[i];
    (p[i] < 0 ? from : to) = p[i] < 0 ? std::max(from, t) : std::min(to, t);
  }
  if (from > to) return false;
  const Point start = *a;
  *a = {start.x + from * dx, start.y + from * dy};
  *b = {start.x + to * dx, start.y + to * dy};
  return true;
}

std::vector<double> DashLengths(const char* dash) {
  std::vector<double> lengths;
  const std::string_view text = dash;
  for (size_t at = 0; at < text.size();) {
    double value = 0;
    const auto [end, error] = std::from_chars(text.data() + at, text.data() + text.size(), value);
    if (error != std::errc()) break;
    lengths.push_back(value * kScale);
    at = static_cast<size_t>(end - text.data()) + 1;
  }
  return lengths;
}

class RasterCanvas : public Canvas {
 public:
  RasterCanvas(double width, double height)
      : width_(Side(width)),
        height_(Side(height)),
        wide_(width_ * 2),
        high_(height_ * 2),
        pixels_(wide_ * high_, kWhite) {
    Unclip();
  }

  size_t width() const { return width_; }
  size_t height() const { return height_; }
  std::string Png() { return EncodePng(Pixels(), width_, height_); }

  std::vector<Color> Pixels() {
    std::vector<Color> out;
    out.reserve(width_ * height_);
    for (size_t y = 0; y < height_; ++y) {
      for (size_t x = 0; x < width_; ++x) out.push_back(Average(x, y));
    }
    for (const Label& label : labels_) Write(label, &out);
    return out;
  }

  void Line(const std::vector<Point>& points, const Pen& pen) override {
    const std::vector<double> dashes = DashLengths(pen.dash);
    size_t dash = 0;
    double left = dashes.empty() ? INFINITY : dashes[0];
    const double radius = std::max(pen.width * kScale / 2, 0.6);
    for (size_t i = 0; i + 1 < points.size(); ++i) {
      Point a{points[i].x * kScale, points[i].y * kScale},
          b{points[i + 1].x * kScale, points[i + 1].y * kScale};
      if (!ClipSegment({clip_.x0 - radius, clip_.y0 - radius, clip_.x1 + radius, clip_.y1 + radius},
                       &a, &b))
        continue;
      const double length = std::hypot(b.x - a.x, b.y - a.y);
      const double step = std::max(0.5, radius / 2);
      for (double at = 0; at <= length; at += step) {
        const double t = length > 0 ? at / length : 0;
        if (dash % 2 == 0)
          Stamp({a.x + t * (b.x - a.x), a.y + t * (b.y - a.y)}, radius, pen.color, pen.alpha);
        left -= step;
        if (left > 0) continue;
        dash = (dash + 1) % dashes.size();
        left += dashes[dash];
      }
    }
  }

  void Box(double x, double y, double w, double h, Color fill, double alpha) override {
    Fill({x * kScale, y * kScale, (x + w) * kScale, (y + h) * kScale}, fill, alpha);
  }
  void Disc(Point center, double radius, Color fill, double alpha) override {
    if (Near(center)) Stamp({center.x * kScale, center.y * kScale}, radius * kScale, fill, alpha);
  }
  void Text(Point at, const std::string& text, double, Anchor anchor, bool up) override {
    std::string shown;
    for (const char c : text) {
      const auto byte = static_cast<unsigned char>(c);
      // A continuation byte of a character that the font lacks.
      if (byte >= 0x80 && byte < 0xc0) continue;
      shown += byte < 0x20 || byte >= 0x7f ? '?' : c;
    }
    if (Near(at)) labels_.push_back({at, shown, anchor, up});
  }
  void Image(double x, double y, double w, double h, size_t rows, size_t cols,
             const std::vector<Color>& colors) override {
    if (!(w > 0) || !(h > 0)) return;
    const Area area = Inside({x * kScale, y * kScale, (x + w) * kScale, (y + h) * kScale});
    for (double py = std::floor(area.y0); py < area.y1; ++py) {
      const double down = (py + 0.5 - y * kScale) / (h * kScale);
      const auto row = static_cast<size_t>(
          std::clamp(down * static_cast<double>(rows), 0.0, static_cast<double>(rows - 1)));
      for (double px = std::floor(area.x0); px < area.x1; ++px) {
        const double across = (px + 0.5 - x * kScale) / (w * kScale);
        const auto col = static_cast<size_t>(
            std::clamp(across * static_cast<double>(cols), 0.0, static_cast<double>(cols - 1)));
        pixels_[static_cast<size_t>(py) * wide_ + static_cast<size_t>(px)] =
            colors[row * cols + col];
      }
    }
  }
  void Clip(double x, double y, double w, double h) override {
    Unclip();
    clip_ = Inside({x * kScale, y * kScale, (x + w) * kScale, (y + h) * kScale});
  }
  void Unclip() override { clip_ = {0, 0, static_cast<double>(wide_), static_cast<double>(high_)}; }

 private:
  struct Label {
    Point at;
    std::string text;
    Anchor anchor;
    bool up;
  };

  static size_t Side(double pixels) {
    return std::clamp<size_t>(static_cast<size_t>(std::lround(pixels)), 1, kMaxSide);
  }
  bool Near(Point p) const {
    return p.x > -1000 && p.y > -1000 && p.x < static_cast<double>(wide_) + 1000 &&
           p.y < static_cast<double>(high_) + 1000;
  }
  Area Inside(const Area& area) const {
    const auto in = [](double v, double low, double high) {
      return std::isfinite(v) ? std::clamp(v, low, high) : low;
    };
    return {in(area.x0, clip_.x0, clip_.x1), in(area.y0, clip_.y0, clip_.y1),
            in(area.x1, clip_.x0, clip_.x1), in(area.y1, clip_.y0, clip_.y1)};
  }
  static uint8_t Blend(uint8_t under, uint8_t over, double alpha) {
    return static_cast<uint8_t>(std::lround(under + (over - under) * alpha));
  }
  void Put(size_t x, size_t y, Color color, double alpha) {
    Color& pixel = pixels_[y * wide_ + x];
    if (alpha >= 1) {
      pixel = color;
    } else {
      pixel = {Blend(pixel.r, color.r, alpha), Blend(pixel.g, color.g, alpha),
               Blend(pixel.b, color.b, alpha)};
    }
  }
  void Fill(const Area& wanted, Color color, double alpha) {
    const Area area = Inside(wanted);
    for (double y = std::floor(area.y0); y < area.y1; ++y) {
      for (double x = std::floor(area.x0); x < area.x1; ++x)
        Put(static_cast<size_t>(x), static_cast<size_t>(y), color, alpha);
    }
  }
  void Stamp(Point center, double radius, Color color, double alpha) {
    const Area area =
        Inside({center.x - radius, center.y - radius, center.x + radius, center.y + radius});
    for (double y = std::floor(area.y0); y < area.y1; ++y) {
      for (double x = std::floor(area.x0); x < area.x1; ++x) {
        if (std::hypot(x + 0.5 - center.x, y + 0.5 - center.y) <= radius)
          Put(static_cast<size_t>(x), static_cast<size_t>(y), color, alpha);
      }
    }
  }
  Color Average(size_t x, size_t y) const {
    unsigned r = 2, g = 2, b = 2;
    for (const size_t at : {2 * y * wide_ + 2 * x, (2 * y + 1) * wide_ + 2 * x}) {
      for (const Color& c : {pixels_[at], pixels_[at + 1]}) r += c.r, g += c.g, b += c.b;
    }
    return {static_cast<uint8_t>(r / 4), static_cast<uint8_t>(g / 4), static_cast<uint8_t>(b / 4)};
  }

  void Write(const Label& label, std::vector<Color>* out) const {
    const double length = static_cast<double>(label.text.size()) * kFontWidth;
    const double back = label.anchor == Anchor::kStart    ? 0
                        : label.anchor == Anchor::kMiddle ? length / 2
                                                          : length;
    for (size_t i = 0; i < label.text.size(); ++i) {
      const unsigned char* glyph = kFont[static_cast<unsigned char>(label.text[i]) - 0x20];
      for (int row = 0; row < kFontHeight; ++row) {
        for (int col = 0; col < kFontWidth; ++col) {
          if ((glyph[row] >> (7 - col) & 1) == 0) continue;
          const double along = static_cast<double>(i) * kFontWidth + col - back, down = row - 10;
          const double x = label.up ? label.at.x + down : label.at.x + along;
          const double y = label.up ? label.at.y - along : label.at.y + down;
          if (x < 0 || y < 0 || x >= static_cast<double>(width_) ||
              y >= static_cast<double>(height_))
            continue;
          (*out)[static_cast<size_t>(y) * width_ + static_cast<size_t>(x)] = {30, 30, 30};
        }
      }
    }
  }

  size_t width_, height_, wide_, high_;
  std::vector<Color> pixels_;
  std::vector<Label> labels_;
  Area clip_{};
};

void AppendBig(uint32_t value, std::string* out) {
  for (int shift = 24; shift >= 0; shift -= 8) *out += static_cast<char>(value >> shift & 255);
}

void AppendChunk(std::string_view type, std::string_view data, std::string* out) {
  AppendBig(static_cast<uint32_t>(data.size()), out);
  const std::string body = std::string(type) + std::string(data);
  *out += body;
  AppendBig(static_cast<uint32_t>(crc32(0, reinterpret_cast<const Bytef*>(body.data()),
                                        static_cast<uInt>(body.size()))),
            out);
}

}  // namespace

std::string EncodePng(const std::vector<Color>& colors, size_t width, size_t height) {
  std::string raw;
  raw.reserve((width * 3 + 1) * height);
  for (size_t y = 0; y < height; ++y) {
    raw += '\0';  // Filter type: none.
    for (size_t x = 0; x < width; ++x) {
      const Color& c = colors[y * width + x];
      raw += static_cast<char>(c.r);
      raw += static_cast<char>(c.g);
      raw += static_cast<char>(c.b);
    }
  }
  uLongf size = compressBound(static_cast<uLong>(raw.size()));
  std::string packed(size, '\0');
  compress(reinterpret_cast<Bytef*>(packed.data()), &size,
           reinterpret_cast<const Bytef*>(raw.data()), static_cast<uLong>(raw.size()));
  packed.resize(size);
  std::string header;
  AppendBig(static_cast<uint32_t>(width), &header);
  AppendBig(static_cast<uint32_t>(height), &header);
  header += std::string("\x08\x02\x00\x00\x00", 5);  // 8 bits, RGB.
  std::string out("\x89PNG\r\n\x1a\n", 8);
  AppendChunk("IHDR", header, &out);
  AppendChunk("IDAT", packed, &out);
  AppendChunk("IEND", "", &out);
  return out;
}

std::string RenderRgb(const Figure& figure, size_t* height, size_t* width) {
  RasterCanvas canvas(figure.width, figure.height);
  Draw(figure, canvas);
  *height = canvas.height();
  *width = canvas.width();
  std::string bytes;
  for (const Color& c : canvas.Pixels())
    for (const auto part : {c.r, c.g, c.b}) bytes += static_cast<char>(part);
  return bytes;
}

std::string RenderPng(const Figure& figure) {
  RasterCanvas canvas(figure.width, figure.height);
  Draw(figure, canvas);
  return canvas.Png();
}

}  // namespace tensh::shell::plot
