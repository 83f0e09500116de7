// AsString and StringJoin.
#include <algorithm>
#include <cstdio>

#include "ops/op_file.h"
#include "ops/support/prepare.h"
#include "ops/support/shape_util.h"
#include "runtime/core/half.h"
#include "runtime/core/variant.h"

namespace tensh::ops {
namespace {

constexpr int64_t kMaxWidth = 1000;  // of one formatted number; keeps a typo from filling memory

struct FormatState : KernelState {
  std::string flags;      // the fill character, between % and the width, or empty
  char conversion = 'f';  // printf conversion for floating-point types
  int width = -1, precision = -1;
};

Result<std::unique_ptr<KernelState>> PrepareFormat(PrepareCtx& c) {
  Attrs attrs = c.attrs();
  auto state = std::make_unique<FormatState>();
  bool scientific = attrs.Bool("scientific"), shortest = attrs.Bool("shortest");
  int64_t width = attrs.Int("width"), precision = attrs.Int("precision");
  const std::string& fill = attrs.String("fill");
  DType dtype = c.input_dtype(0);
  bool floating = IsFloating(dtype) || IsComplex(dtype);
  if (scientific && shortest)
    return InvalidArgument("Cannot select both scientific and shortest notation");
  if (!floating && (scientific || shortest) && dtype != DType::kString)
    return InvalidArgument("scientific and shortest format not supported for datatype ",
                           SignatureName(dtype));
  if (!floating && precision >= 0 && dtype != DType::kString)
    return InvalidArgument("precision not supported for datatype ", SignatureName(dtype));
  if (fill.size() > 1) return InvalidArgument("Fill string must be one or fewer characters");
  if (fill.size() == 1 && std::string(" +-0#").find(fill[0]) == std::string::npos)
    return InvalidArgument("Fill argument not supported: \"", fill, "\"");
  if (width > kMaxWidth || precision > kMaxWidth)
    return InvalidArgument("width and precision must be at most ", kMaxWidth, ", got ", width,
                           " and ", precision);
  state->flags = fill;
  state->conversion = scientific ? 'e' : shortest ? 'g' : 'f';
  state->width = static_cast<int>(width);
  state->precision = static_cast<int>(precision);
  return std::unique_ptr<KernelState>(std::move(state));
}

template <class V>
std::string Formatted(const FormatState& f, OpText conversion, V value) {
  const std::string format = StrCat("%", f.flags, f.width >= 0 ? StrCat(f.width) : "",
                                    f.precision >= 0 ? StrCat(".", f.precision) : "", conversion);
  char text[3000];  // a double has up to 309 digits before the point, and kMaxWidth after it
  int n = std::snprintf(text, sizeof text, format.c_str(), value);
  return std::string(text, static_cast<size_t>(n));
}

// Formats like %s: truncates to `precision` bytes and pads with spaces to `width`.
std::string Padded(const FormatState& f, std::string text) {
  if (f.precision >= 0) text.resize(std::min(text.size(), static_cast<size_t>(f.precision)));
  const size_t width = static_cast<size_t>(f.width);
  const size_t missing = width > text.size() ? width - text.size() : 0;
  return f.flags == "-" ? text + std::string(missing, ' ') : std::string(missing, ' ') + text;
}

std::string FormatElement(const FormatState& f, const Tensor& t, int64_t i) {
  auto real = [&](double x) { return Formatted(f, std::string(1, f.conversion), x); };
  switch (t.dtype()) {
    case DType::kFloat:
      return real(static_cast<double>(t.data<float>()[i]));
    case DType::kDouble:
      return real(t.data<double>()[i]);
    case DType::kComplex64: {
      auto z = t.data<std::complex<float>>()[i];
      return StrCat("(", real(z.real()), ",", real(z.imag()), ")");
    }
    case DType::kComplex128: {
      auto z = t.data<std::complex<double>>()[i];
      return StrCat("(", real(z.real()), ",", real(z.imag()), ")");
    }
    case DType::kBool:
      return t.data<bool>()[i] ? "true" : "false";
    case DType::kHalf:
      return real(static_cast<double>(static_cast<float>(t.data<Half>()[i])));
    case DType::kBfloat16:
      return real(static_cast<double>(static_cast<float>(t.data<Bfloat16>()[i])));
    case DType::kString: {  // the precision is used only if there is a width
      const std::string& text = t.data<std::string>()[i];
      return f.width < 0 ? text : Padded(f, text);
    }
    case DType::kUint64:
      return Formatted(f, "llu", static_cast<unsigned long long>(t.data<uint64_t>()[i]));
    case DType::kVariant: {
      const auto& value = t.data<Variant>()[i].value;
      return StrCat("Variant<type: ", value ? value->kind() : "none", ">");
    }
    default:
      return Formatted(f, "lld", static_cast<long long>(IndexAt(t, i)));
  }
}

Status AsString(KernelCtx& c) {
  const Tensor& input = c.in(0);
  TENSH_OUTPUT(out, c.Output(0, input.shape()));
  for (int64_t i = 0; i < input.num_elements(); ++i)
    out->data<std::string>()[i] = FormatElement(c.state<FormatState>(), input, i);
  return {};
}

struct JoinState : KernelState {
  std::string separator;
  void Read(PrepareCtx& c) { separator = c.attrs().String("separator"); }
};

Status StringJoin(KernelCtx& c) {
  Shape shape;
  for (int i = 0; i < c.num_inputs(); ++i) {
    const Shape& in = c.in(i).shape();
    if (in.rank() == 0 || in == shape) continue;
    if (shape.rank() != 0)
      return InvalidArgument("Input shapes do not match: ", shape, " vs. ", in);
    shape = in;
  }
  TENSH_OUTPUT(out, c.Output(0, shape));
  for (int64_t k = 0; k < out->num_elements(); ++k) {
    std::string joined;
    for (int i = 0; i < c.num_inputs(); ++i) {
      if (i) joined += c.state<JoinState>().separator;
      joined += c.in(i).data<std::string>()[c.in(i).rank() == 0 ? 0 : k];
    }
    out->data<std::string>()[k] = std::move(joined);
  }
  return {};
}

Status StringJoinShape(ShapeCtx& c) {
  bool scalars = true;
  Shape out = Shape::Unknown();
  for (int i = 0; i < c.num_inputs(); ++i) {
    if (c.in(i).has_rank() && c.in(i).rank() == 0) continue;
    scalars = false;
    TENSH_ASSIGN(out, MergeShapes(out, c.in(i)));
  }
  c.Set(0, scalars ? Shape() : out);
  return {};
}

}  // namespace

TENSH_OPS(strings_as_string) {
  r.Op({.name = "AsString",
        .inputs = "input: T",
        .outputs = "output: string",
        .attrs = "T: {float, double, int32, uint8, int16, int8, int64, bfloat16, uint16, half, "
                 "uint32, uint64, complex64, complex128, bool, variant, string}, "
                 "precision: int = -1, scientific: bool = false, shortest: bool = false, "
                 "width: int = -1, fill: string = ''",
        .doc = "Formats each element as text. input has type T; output contains the elements as "
               "printf would write them. precision, for floating types: digits after the point; -1 "
               "means 6. scientific: use an exponent. shortest: use the shorter form. width: the "
               "minimum number of characters. fill: the fill character, a space or one of 0 + - #.",
        .shape = SameAsInput<0>,
        .no_gradient = true,
        .examples = {{"tf.as_string([1, 2])", "[b'1' b'2']"}}})
      .CpuAny(AsString, PrepareFormat);
  r.Op({.name = "StringJoin",
        .inputs = "inputs: N * string",
        .outputs = "output: string",
        .attrs = "N: int >= 0, separator: string = ''",
        .doc = "Joins strings elementwise. inputs are N tensors of equal shape, or scalars, which "
               "are used for every element. output contains their elements one after the other, "
               "with separator in between.",
        .shape = StringJoinShape,
        .no_gradient = true,
        .examples = {{"tf.string_join(['a', 'b'], '-')", "b'a-b'"}}})
      .CpuAny(StringJoin, PrepareFrom<JoinState>);
}

}  // namespace tensh::ops
