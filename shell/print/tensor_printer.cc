#include "shell/print/tensor_printer.h"

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstring>

#include "runtime/base/half.h"
#include "shell/client/client.h"

namespace tensh::shell {
namespace {

using FloatMode = PrintOptions::FloatMode;

template <class T>
T Load(const void* p) {
  T v;
  std::memcpy(&v, p, sizeof v);
  return v;
}

// The offsets of the elements to print, in row-major order: all, or those at the edges of long
// axes.
class Shown {
 public:
  Shown(const TensorView& v, int64_t edge, bool summary) : v_(v), edge_(edge), summary_(summary) {
    Visit(0, 0);
  }
  std::vector<int64_t> offsets;

 private:
  // The recursion depth is the rank, which is at most TSH_MAX_RANK.
  void Visit(size_t axis, int64_t offset) {
    if (axis == v_.dims.size()) return offsets.push_back(offset);
    const int64_t n = v_.dims[axis];
    const bool cut = summary_ && n > 2 * edge_;
    for (int64_t i = 0; i < n; ++i) {
      if (cut && i == edge_) i = n - edge_;
      Visit(axis + 1, offset + i * v_.strides[axis]);
    }
  }
  const TensorView& v_;
  int64_t edge_;
  bool summary_;
};

struct Word {
  std::string text;
  int64_t width = 0;
};
using Words = std::vector<Word>;

// Formats a column of floats with a common width, like numpy's FloatingFormat.
class FloatColumn {
 public:
  FloatColumn(std::span<const double> values, FloatWidth width, const PrintOptions& o, char sign)
      : width_(width), options_(o), sign_(sign) {
    std::vector<double> finite;
    bool minus_infinity = sign != '-';
    for (double v : values) {
      if (std::isfinite(v)) finite.push_back(v);
      if (std::isinf(v) && v < 0) minus_infinity = true;
    }
    layout_.plus = sign == '+';
    precision_ = o.floatmode == FloatMode::kUnique ? -1 : o.precision;
    if (!finite.empty()) {
      exponent_ = NeedsExponent(finite);
      exponent_ ? MeasureScientific(finite) : MeasurePositional(finite);
      if (sign == ' ' &&
          std::none_of(finite.begin(), finite.end(), [](double v) { return std::signbit(v); })) {
        ++layout_.pad_left;
      }
    }
    if (finite.size() != values.size()) {
      const int offset = pad_right_ + 1;
      const int nan = static_cast<int>(CodePoints(o.nanstr)) - offset;
      const int inf = static_cast<int>(CodePoints(o.infstr)) + (minus_infinity ? 1 : 0) - offset;
      layout_.pad_left = std::max({layout_.pad_left, nan, inf});
    }
  }

  std::string Format(double v) const {
    if (std::isfinite(v))
      return exponent_ ? ScientificText(v, width_, layout_) : PositionalText(v, width_, layout_);
    const bool nan = std::isnan(v);
    std::string text = !nan && v < 0 ? "-" : sign_ == '+' ? "+" : "";
    text += nan ? options_.nanstr : options_.infstr;
    const int64_t missing = layout_.pad_left + pad_right_ + 1 - CodePoints(text);
    if (missing > 0) text.insert(0, static_cast<size_t>(missing), ' ');
    return text;
  }

 private:
  bool NeedsExponent(std::span<const double> finite) const {
    double most = 0, least = 0;
    for (double v : finite) {
      const double a = std::fabs(v);
      if (a == 0) continue;
      most = std::max(most, a);
      least = least == 0 ? a : std::min(least, a);
    }
    if (most == 0) return false;
    if (most >= 1e8) return true;
    if (options_.suppress) return false;
    // As in numpy, the ratio is computed in the element's width.
    double ratio = most / least;
    if (width_ == FloatWidth::kSingle) ratio = static_cast<float>(most) / static_cast<float>(least);
    if (width_ == FloatWidth::kHalf) ratio = HalfToFloat(FloatToHalf(static_cast<float>(ratio)));
    return least < 1e-4 || ratio > 1000;
  }

  void MeasureScientific(std::span<const double> finite) {
    const bool fixed = options_.floatmode == FloatMode::kFixed;
    layout_.unique = !fixed;
    const FloatLayout probe{.precision = precision_,
                            .unique = !fixed,
                            .trim = fixed ? EndZeros::kNone : EndZeros::kPoint,
                            .plus = layout_.plus};
    int whole = 0, fraction = 0, digits = 0;
    for (double v : finite) {
      const std::string text = ScientificText(v, width_, probe);
      const int point = static_cast<int>(text.find('.'));
      const int e = static_cast<int>(text.find('e'));
      whole = std::max(whole, point);
      fraction = std::max(fraction, e - point - 1);
      digits = std::max(digits, static_cast<int>(text.size()) - e - 2);
    }
    layout_.trim = EndZeros::kNone;
    layout_.precision = layout_.min_digits = fraction;
    layout_.exp_digits = digits;
    layout_.pad_left = whole;
    pad_right_ = digits + 2 + fraction;
  }

  void MeasurePositional(std::span<const double> finite) {
    const bool fixed = options_.floatmode == FloatMode::kFixed;
    layout_.unique = !fixed;
    const FloatLayout probe{.precision = precision_,
                            .unique = !fixed,
                            .trim = fixed ? EndZeros::kNone : EndZeros::kPoint,
                            .plus = layout_.plus};
    int whole = 0, fraction = 0;
    for (double v : finite) {
      const std::string text = PositionalText(v, width_, probe);
      const int point = static_cast<int>(text.find('.'));
      whole = std::max(whole, point);
      fraction = std::max(fraction, static_cast<int>(text.size()) - point - 1);
    }
    layout_.precision = precision_;
    layout_.min_digits = 0;
    layout_.pad_left = whole;
    layout_.pad_right = pad_right_ = fraction;
    layout_.trim = EndZeros::kPoint;
    if (fixed || options_.floatmode == FloatMode::kMaxPrecEqual) {
      layout_.precision = layout_.min_digits = fraction;
      layout_.trim = EndZeros::kNone;
    }
  }

  FloatWidth width_;
  const PrintOptions& options_;
  char sign_;
  int precision_ = 8;
  int pad_right_ = 0;
  bool exponent_ = false;
  FloatLayout layout_;
};

// Describes a number type: how to convert an element to one or two doubles, or an integer to text.
struct NumberType {
  int dtype;
  FloatWidth width;
  bool complex;
  double (*real)(const void*);
  double (*imag)(const void*);
};

template <class T>
double RealOf(const void* p) {
  return static_cast<double>(Load<T>(p));
}
template <class T>
double RePart(const void* p) {
  return Load<std::complex<T>>(p).real();
}
template <class T>
double ImPart(const void* p) {
  return Load<std::complex<T>>(p).imag();
}

constexpr NumberType kFloats[] = {
    {TSH_FLOAT, FloatWidth::kSingle, false, RealOf<float>, nullptr},
    {TSH_DOUBLE, FloatWidth::kDouble, false, RealOf<double>, nullptr},
    {TSH_HALF, FloatWidth::kHalf, false,
     [](const void* p) -> double { return HalfToFloat(Load<uint16_t>(p)); }, nullptr},
    {TSH_BFLOAT16, FloatWidth::kSingle, false,
     [](const void* p) -> double { return Bfloat16ToFloat(Load<uint16_t>(p)); }, nullptr},
    {TSH_COMPLEX64, FloatWidth::kSingle, true, RePart<float>, ImPart<float>},
    {TSH_COMPLEX128, FloatWidth::kDouble, true, RePart<double>, ImPart<double>},
};

struct IntegerType {
  int dtype;
  std::string (*text)(const void*);
};
template <class T>
std::string IntegerText(const void* p) {
  return std::to_string(Load<T>(p));
}
constexpr IntegerType kIntegers[] = {
    {TSH_INT32, IntegerText<int32_t>},
    {TSH_INT64, IntegerText<int64_t>},
    {TSH_UINT8, IntegerText<uint8_t>},
    {TSH_INT8, IntegerText<int8_t>},
    {TSH_INT16, IntegerText<int16_t>},
    {TSH_UINT16, IntegerText<uint16_t>},
    {TSH_UINT32, IntegerText<uint32_t>},
    {TSH_UINT64, IntegerText<uint64_t>},
    {TSH_BOOL, [](const void* p) -> std::string { return Load<uint8_t>(p) ? "True" : "False"; }},
};

template <class Row, size_t N>
const Row* FindRow(const Row (&rows)[N], int dtype) {
  for (const Row& row : rows)
    if (row.dtype == dtype) return &row;
  return nullptr;
}

const char* At(const TensorView& v, int64_t offset) {
  return static_cast<const char*>(v.data) + offset;
}

void FormatFloats(const TensorView& v, const NumberType& type, std::span<const int64_t> offsets,
                  const PrintOptions& o, Words* words) {
  std::vector<double> re, im;
  re.reserve(offsets.size());
  for (int64_t offset : offsets) re.push_back(type.real(At(v, offset)));
  const FloatColumn real(re, type.width, o, o.sign);
  if (!type.complex) {
    for (double x : re) words->push_back({real.Format(x)});
    return;
  }
  for (int64_t offset : offsets) im.push_back(type.imag(At(v, offset)));
  const FloatColumn imaginary(im, type.width, o, '+');
  for (size_t i = 0; i < re.size(); ++i) {
    std::string tail = imaginary.Format(im[i]);
    const size_t end = tail.find_last_not_of(' ') + 1;
    tail.insert(end, 1, 'j');
    words->push_back({real.Format(re[i]) + tail});
  }
}

void FormatIntegers(const TensorView& v, const IntegerType& type, std::span<const int64_t> offsets,
                    Words* words) {
  size_t width = 0;
  for (int64_t offset : offsets) {
    words->push_back({type.text(At(v, offset))});
    width = std::max(width, words->back().text.size());
  }
  // A bool column is as wide as "False" even if all elements are true.
  if (v.dtype == TSH_BOOL && !v.dims.empty()) width = 5;
  for (Word& w : *words) w.text.insert(0, width - w.text.size(), ' ');
}

Words FormatElements(const TensorView& v, std::span<const int64_t> offsets, const PrintOptions& o) {
  Words words;
  words.reserve(offsets.size());
  if (const NumberType* type = FindRow(kFloats, v.dtype)) {
    FormatFloats(v, *type, offsets, o, &words);
  } else if (const IntegerType* integer = FindRow(kIntegers, v.dtype)) {
    FormatIntegers(v, *integer, offsets, &words);
  } else {
    for (int64_t offset : offsets) words.push_back({v.text ? v.text(offset) : "?"});
  }
  for (Word& w : words) w.width = CodePoints(w.text);
  return words;
}

// Arranges the words in brackets, rows and lines.
class Layout {
 public:
  Layout(const TensorView& v, const Words& words, const PrintOptions& o, bool summary,
         const std::string& separator)
      : v_(v), words_(words), edge_(o.edgeitems), summary_(summary), separator_(separator) {
    const size_t end = separator.find_last_not_of(' ');
    bare_separator_ = end == std::string::npos ? "" : separator.substr(0, end + 1);
  }

  void Write(size_t axis, int64_t indent, int64_t width, std::string* out) {
    if (axis == v_.dims.size()) {
      *out += words_[next_++].text;
      return;
    }
    *out += '[';
    const int64_t n = v_.dims[axis];
    const bool cut = summary_ && n > 2 * edge_;
    axis + 1 == v_.dims.size() ? WriteRow(n, cut, indent, width, out)
                               : WriteBlocks(axis, n, cut, indent, width, out);
    *out += ']';
  }

 private:
  void WriteRow(int64_t n, bool cut, int64_t indent, int64_t width, std::string* out) {
    const int64_t limit = width - std::max<int64_t>(CodePoints(bare_separator_), 1);
    int64_t column = indent;
    const auto put = [&](const std::string& text, int64_t columns) {
      if (column + columns > limit && column > indent) {
        // The blank after the last separator is removed at a line break.
        const size_t keep = out->find_last_not_of(' ');
        out->resize(keep + 1);
        *out += '\n';
        out->append(static_cast<size_t>(indent), ' ');
        column = indent;
      }
      *out += text;
      column += columns;
    };
    const int64_t gap = CodePoints(separator_);
    for (int64_t i = 0; i < n; ++i) {
      if (cut && i == edge_) {
        put("...", 3);
        *out += separator_;
        column += gap;
        i = n - edge_;
      }
      const Word& w = words_[next_++];
      put(w.text, w.width);
      if (i + 1 < n) {
        *out += separator_;
        column += gap;
      }
    }
  }

  void WriteBlocks(size_t axis, int64_t n, bool cut, int64_t indent, int64_t width,
                   std::string* out) {
    const std::string between = bare_separator_ + std::string(v_.dims.size() - axis - 1, '\n') +
                                std::string(static_cast<size_t>(indent), ' ');
    for (int64_t i = 0; i < n; ++i) {
      if (cut && i == edge_) {
        *out += "..." + between;
        i = n - edge_;
      }
      Write(axis + 1, indent + 1, width - 1, out);
      if (i + 1 < n) *out += between;
    }
  }

  const TensorView& v_;
  const Words& words_;
  int64_t edge_;
  bool summary_;
  const std::string& separator_;
  std::string bare_separator_;
  size_t next_ = 0;
};

int64_t Elements(const TensorView& v) {
  int64_t n = 1;
  for (int64_t d : v.dims) n *= d;
  return n;
}

bool DTypeIsImplied(const TensorView& v) {
  return v.dtype == TSH_DOUBLE || v.dtype == TSH_INT64 || v.dtype == TSH_BOOL ||
         v.dtype == TSH_COMPLEX128;
}

std::string ShapeText(std::span<const int64_t> dims) {
  std::string text = "(";
  for (size_t i = 0; i < dims.size(); ++i) text += (i ? ", " : "") + std::to_string(dims[i]);
  return text + (dims.size() == 1 ? ",)" : ")");
}

}  // namespace

int64_t CodePoints(const std::string& text) {
  return std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xc0) != 0x80; });
}

std::string NumberText(int dtype, const void* element) {
  if (const NumberType* type = FindRow(kFloats, dtype)) {
    const double re = type->real(element);
    return type->complex ? ComplexScalarText(re, type->imag(element), type->width)
                         : FloatScalarText(re, type->width);
  }
  const IntegerType* type = FindRow(kIntegers, dtype);
  return type ? type->text(element) : "?";
}

std::string TensorBody(const TensorView& v, const PrintOptions& options,
                       const std::string& separator, int64_t indent, int64_t suffix) {
  const int64_t n = Elements(v);
  if (n == 0) return "[]";
  const bool summary = n > options.threshold;
  const Shown shown(v, options.edgeitems, summary);
  const Words words = FormatElements(v, shown.offsets, options);
  std::string out;
  Layout(v, words, options, summary, separator)
      .Write(0, indent + 1, options.linewidth - suffix, &out);
  return out;
}

std::string TensorStr(const TensorView& v, const PrintOptions& options) {
  if (!v.dims.empty()) return TensorBody(v, options, " ", 0, 0);
  if (v.text) return v.text(0);
  return NumberText(v.dtype, v.data);
}

std::string TensorRepr(const TensorView& v, const PrintOptions& options) {
  const std::string prefix = "array(";
  const int64_t indent = static_cast<int64_t>(prefix.size());
  const int64_t n = Elements(v);
  const bool implied = DTypeIsImplied(v) && n > 0;
  std::string out = prefix;
  if (n > 0 || (v.dims.size() == 1 && v.dims[0] == 0)) {
    out += TensorBody(v, options, ", ", indent, 1);
  } else {
    out += "[], shape=" + ShapeText(v.dims);
  }
  if (implied) return out + ")";
  out += ",";
  const std::string dtype = "dtype=" + v.dtype_name + ")";
  const size_t line = out.rfind('\n');
  const std::string last = line == std::string::npos ? out : out.substr(line + 1);
  const bool fits = CodePoints(last) + CodePoints(dtype) + 1 <= options.linewidth;
  out += fits ? " " : "\n" + std::string(prefix.size(), ' ');
  return out + dtype;
}

}  // namespace tensh::shell
