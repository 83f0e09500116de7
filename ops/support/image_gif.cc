// GIF, with its frames drawn one over the other.
#include <algorithm>
#include <cstring>
#include <vector>

#include "ops/support/image_file.h"

namespace tensh::ops {
namespace {

// Reads on through the file; after its end everything is 0 and `ended`.
class Bytes {
 public:
  explicit Bytes(std::string_view text) : text_(text) {}
  uint8_t Byte() {
    if (at_ >= text_.size()) {
      ended_ = true;
      return 0;
    }
    return static_cast<uint8_t>(text_[at_++]);
  }
  int Word() {
    const int low = Byte();
    return low | Byte() << 8;
  }
  std::string_view Take(size_t n) {
    if (n > text_.size() - at_) ended_ = true;
    const std::string_view taken = text_.substr(at_, n);
    at_ += taken.size();
    return taken;
  }
  bool ended() const { return ended_; }
  size_t left() const { return text_.size() - at_; }

 private:
  std::string_view text_;
  size_t at_ = 0;
  bool ended_ = false;
};

struct Frame {
  int left = 0, top = 0, width = 0, height = 0, transparent = -1;
  bool interlaced = false;
  std::string_view colours;     // three bytes each
  std::vector<uint8_t> pixels;  // indices of colours
};

// The codes of one frame: blocks of up to 255 bytes, read bit by bit.
class Codes {
 public:
  explicit Codes(Bytes& bytes) : bytes_(bytes) {}
  // -1 after the last.
  int Next(int bits) {
    while (have_ < bits) {
      if (!left_ && !(left_ = done_ ? 0 : bytes_.Byte())) {
        done_ = true;
        return -1;
      }
      --left_;
      value_ |= static_cast<uint32_t>(bytes_.Byte()) << have_;
      have_ += 8;
    }
    const int code = static_cast<int>(value_ & ((1u << bits) - 1));
    value_ >>= bits;
    have_ -= bits;
    return code;
  }
  void SkipRest() {
    while (!done_ && !bytes_.ended()) {
      bytes_.Take(static_cast<size_t>(left_));
      done_ = !(left_ = bytes_.Byte());
    }
  }

 private:
  Bytes& bytes_;
  int left_ = 0;  // bytes of this block
  bool done_ = false;
  uint32_t value_ = 0;
  int have_ = 0;  // bits of value_
};

// Lempel-Ziv-Welch: a code stands for an earlier one and one more pixel.
bool Unpack(Bytes& bytes, std::vector<uint8_t>* pixels) {
  constexpr int kMaxBits = 12, kMaxCodes = 1 << kMaxBits, kNone = -1;
  const int first_bits = bytes.Byte();
  if (first_bits < 1 || first_bits > 8) return false;
  const int clear = 1 << first_bits, end = clear + 1;
  int16_t earlier[kMaxCodes];
  uint8_t last[kMaxCodes], stack[kMaxCodes];
  Codes codes(bytes);
  size_t at = 0;
  int bits = first_bits + 1, next = end + 1, previous = kNone;
  uint8_t first = 0;  // pixel of the previous code
  while (at < pixels->size()) {
    const int code = codes.Next(bits);
    if (code < 0 || code == end || bytes.ended()) return false;
    if (code == clear) {
      bits = first_bits + 1;
      next = end + 1;
      previous = kNone;
      continue;
    }
    if (code > next || (code == next && previous == kNone)) return false;
    int depth = 0;
    int walk = code;
    if (code == next) {  // the previous one and its own first pixel
      stack[depth++] = first;
      walk = previous;
    }
    for (; walk > end; walk = earlier[walk]) stack[depth++] = last[walk];
    first = static_cast<uint8_t>(walk);
    stack[depth++] = first;
    for (; depth > 0 && at < pixels->size(); ++at) (*pixels)[at] = stack[--depth];
    if (previous != kNone && next < kMaxCodes) {
      earlier[next] = static_cast<int16_t>(previous);
      last[next++] = first;
      if (next == 1 << bits && bits < kMaxBits) ++bits;
    }
    previous = code;
  }
  codes.SkipRest();
  return !bytes.ended();
}

// Rows stand in four passes: every eighth, those in the middle, and so on.
void Deinterlace(Frame* f) {
  std::vector<uint8_t> rows(f->pixels.size());
  const size_t width = static_cast<size_t>(f->width);
  const uint8_t* from = f->pixels.data();
  for (const auto& [start, step] : {std::pair{0, 8}, {4, 8}, {2, 4}, {1, 2}})
    for (int y = start; y < f->height; y += step, from += width)
      std::memcpy(rows.data() + static_cast<size_t>(y) * width, from, width);
  f->pixels.swap(rows);
}

constexpr int64_t kMaxBytes = int64_t{1} << 30;

// As wide and as high as the largest frame, whatever the screen.
struct Movie {
  int width = 0, height = 0;
  std::vector<Frame> frames;
  int64_t bytes_a_frame() const { return int64_t{3} * width * height; }
  bool HasRoomFor(const Frame& f) const {
    const int64_t pixels = int64_t{std::max(width, f.width)} * std::max(height, f.height);
    return 3 * pixels * static_cast<int64_t>(frames.size() + 1) <= kMaxBytes;
  }
  void Add(Frame f) {
    width = std::max(width, f.width);
    height = std::max(height, f.height);
    frames.push_back(std::move(f));
  }
};

std::string_view ReadColours(Bytes& bytes, int flags) {
  return flags & 0x80 ? bytes.Take(size_t{3} << ((flags & 7) + 1)) : std::string_view();
}

// What stands behind the mark of a frame; false when it is not all there.
bool ReadFrame(Bytes& bytes, const Movie& movie, std::string_view common_colours, Frame* f) {
  constexpr int64_t kMaxPixelsAByte = 4096;  // of the longest code
  f->left = bytes.Word();
  f->top = bytes.Word();
  f->width = bytes.Word();
  f->height = bytes.Word();
  const int flags = bytes.Byte();
  f->interlaced = flags & 0x40;
  f->colours = ReadColours(bytes, flags);
  if (f->colours.empty()) f->colours = common_colours;
  const int64_t pixels = int64_t{f->width} * f->height;
  if (bytes.ended() || pixels == 0 || !movie.HasRoomFor(*f)) return false;
  if (pixels / kMaxPixelsAByte > static_cast<int64_t>(bytes.left())) return false;
  f->pixels.resize(static_cast<size_t>(pixels));
  if (!Unpack(bytes, &f->pixels)) return false;
  if (f->interlaced) Deinterlace(f);
  return true;
}

// The frames that are complete; what is broken behind the first does no harm.
Status ReadMovie(std::string_view contents, Movie* movie) {
  constexpr int kExtension = 0x21, kFrame = 0x2c, kEnd = 0x3b, kControl = 0xf9;
  const auto invalid = [&](const char* why) {
    return InvalidArgument("Invalid GIF data (size ", contents.size(), "), ", why);
  };
  Bytes bytes(contents);
  bytes.Take(6);  // "GIF89a"
  bytes.Take(4);  // width and height of the screen
  const int flags = bytes.Byte();
  bytes.Take(2);  // background, aspect
  const std::string_view colours = ReadColours(bytes, flags);
  if (bytes.ended()) return invalid("failed to open gif file: No screen descriptor detected");
  int transparent = -1;
  while (true) {
    const int mark = bytes.Byte();
    if (bytes.ended() || mark == kEnd) break;
    if (mark == kExtension) {
      const int kind = bytes.Byte();
      for (int n = bytes.Byte(); n && !bytes.ended(); n = bytes.Byte()) {
        const std::string_view block = bytes.Take(static_cast<size_t>(n));
        if (kind == kControl && block.size() >= 4)
          transparent = block[0] & 1 ? static_cast<uint8_t>(block[3]) : -1;
      }
    } else if (mark == kFrame) {
      Frame frame;
      frame.transparent = transparent;
      if (!ReadFrame(bytes, *movie, colours, &frame)) break;
      movie->Add(std::move(frame));
      transparent = -1;
    } else {
      break;
    }
  }
  if (movie->frames.empty())
    return invalid("failed to slurp gif file: no complete frame, or too many pixels");
  return {};
}

Status Draw(const Frame& f, size_t number, const Movie& movie, uint8_t* canvas) {
  if (f.colours.empty()) return InvalidArgument("missing color map for frame ", number);
  const int right = std::min(f.left + f.width, movie.width);
  const int bottom = std::min(f.top + f.height, movie.height);
  for (int y = f.top; y < bottom; ++y)
    for (int x = f.left; x < right; ++x) {
      const size_t index = f.pixels[static_cast<size_t>(y - f.top) * static_cast<size_t>(f.width) +
                                    static_cast<size_t>(x - f.left)];
      if (static_cast<int>(index) == f.transparent) continue;
      if (3 * index >= f.colours.size())
        return InvalidArgument("found color index ", index, " outside of color map range ",
                               f.colours.size() / 3);
      std::memcpy(canvas + 3 * (int64_t{y} * movie.width + x), f.colours.data() + 3 * index, 3);
    }
  return {};
}

}  // namespace

Status DecodeGif(std::string_view contents, bool all_frames, const MakeRoom& make_room) {
  Movie movie;
  TENSH_RETURN_IF_ERROR(ReadMovie(contents, &movie));
  if (!all_frames) movie.frames.resize(1);
  const ImageSize size = {static_cast<int64_t>(movie.frames.size()), movie.height, movie.width, 3};
  const int64_t frame_bytes = movie.bytes_a_frame();
  Result<void*> room = make_room(size);
  if (!room.ok()) return room.status();
  auto* canvas = static_cast<uint8_t*>(*room);
  for (size_t i = 0; i < movie.frames.size(); ++i, canvas += frame_bytes) {
    if (i == 0)
      std::memset(canvas, 0, static_cast<size_t>(frame_bytes));
    else
      std::memcpy(canvas, canvas - frame_bytes, static_cast<size_t>(frame_bytes));
    TENSH_RETURN_IF_ERROR(Draw(movie.frames[i], i, movie, canvas));
  }
  return {};
}

}  // namespace tensh::ops
