#include "ops/strings/summarize.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <limits>

#include "runtime/base/utf8.h"
#include "runtime/core/files/files.h"

namespace tensh::ops {
namespace {

template <class T>
std::string FloatText(T value) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value > 0 ? "inf" : "-inf";
  constexpr int kDigits = std::numeric_limits<T>::digits10;
  char text[64];
  std::snprintf(text, sizeof text, "%.*g", kDigits, static_cast<double>(value));
  T back = sizeof(T) == 4 ? static_cast<T>(std::strtof(text, nullptr))
                          : static_cast<T>(std::strtod(text, nullptr));
  if (back != value)
    std::snprintf(text, sizeof text, "%.*g", kDigits + (sizeof(T) == 4 ? 3 : 2),
                  static_cast<double>(value));
  return text;
}

std::string Escaped(const std::string& bytes) {
  std::string out;
  for (char c : bytes) {
    constexpr std::string_view kFrom = "\n\r\t\"'\\", kTo = "nrt\"'\\";
    if (size_t at = kFrom.find(c); at != kFrom.npos) {
      out += '\\';
      out += kTo[at];
    } else if (c >= 32 && c < 127) {
      out += c;
    } else {
      char octal[8];
      std::snprintf(octal, sizeof octal, "\\%03o", static_cast<unsigned char>(c));
      out += octal;
    }
  }
  return out;
}

class Summary {
 public:
  Summary(const Tensor& t, int64_t limit) : t_(t), limit_(limit) {}
  std::string Text() && {
    if (t_.rank() == 0) {
      if (limit_ > 0) text_ += ElementText(t_, 0);
    } else {
      Dimension(0);
    }
    if (t_.num_elements() > limit_) text_ += "...";
    return std::move(text_);
  }

 private:
  void Dimension(int d) {
    if (next_ >= limit_) return;
    if (d == t_.rank() - 1) return Row(d);
    for (int64_t i = 0; i < t_.dim(d); ++i) {
      if (next_ >= limit_) return;
      text_ += '[';
      Dimension(d + 1);
      text_ += ']';
    }
  }
  void Row(int d) {
    for (int64_t i = 0; i < t_.dim(d); ++i) {
      if (next_ >= limit_) {
        if (d != 0) text_ += "...";
        return;
      }
      if (i > 0) text_ += ' ';
      text_ += ElementText(t_, next_++);
    }
  }

  const Tensor& t_;
  int64_t limit_, next_ = 0;
  std::string text_;
};

}  // namespace

std::string ElementText(const Tensor& t, int64_t i) {
  switch (t.dtype()) {
    case DType::kFloat:
      return FloatText(t.data<float>()[i]);
    case DType::kDouble:
      return FloatText(t.data<double>()[i]);
    case DType::kInt8:
      return StrCat(int{t.data<int8_t>()[i]});
    case DType::kInt16:
      return StrCat(t.data<int16_t>()[i]);
    case DType::kInt32:
      return StrCat(t.data<int32_t>()[i]);
    case DType::kInt64:
      return StrCat(t.data<int64_t>()[i]);
    case DType::kUint8:
      return StrCat(int{t.data<uint8_t>()[i]});
    case DType::kUint16:
      return StrCat(t.data<uint16_t>()[i]);
    case DType::kUint32:
      return StrCat(t.data<uint32_t>()[i]);
    case DType::kUint64:
      return StrCat(t.data<uint64_t>()[i]);
    case DType::kBool:
      return t.data<bool>()[i] ? "1" : "0";
    case DType::kString:
      return Escaped(t.data<std::string>()[i]);
    case DType::kComplex64: {
      auto z = t.data<std::complex<float>>()[i];
      return StrCat("(", FloatText(z.real()), ",", FloatText(z.imag()), ")");
    }
    case DType::kComplex128: {
      auto z = t.data<std::complex<double>>()[i];
      return StrCat("(", FloatText(z.real()), ",", FloatText(z.imag()), ")");
    }
    default:
      return "?";
  }
}

std::string Summarize(const Tensor& t, int64_t max_elements) {
  int64_t n = t.num_elements();
  return Summary(t, max_elements < 0 ? n : std::min(max_elements, n)).Text();
}

void PrintFromGraph(const std::string& text, std::FILE* stream) {
  std::string shown;
  if (FilesAreLimited()) {
    for (size_t at = 0, size = 0; at < text.size(); at += size) {
      const int32_t valid = CheckedUtf8(text, at, &size);
      const auto code = static_cast<uint32_t>(valid);
      if (valid >= 0 &&
          ((!IsControlCode(code) && !TurnsText(code)) || code == '\n' || code == '\t')) {
        shown.append(text, at, size);
        continue;
      }
      for (size_t i = at; i < at + size; ++i) {
        char escape[8];
        std::snprintf(escape, sizeof escape, "\\x%02x", static_cast<unsigned char>(text[i]));
        shown += escape;
      }
    }
  } else {
    shown = text;
  }
  std::fwrite(shown.data(), 1, shown.size(), stream);
}

}  // namespace tensh::ops
