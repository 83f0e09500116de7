#include "runtime/api/short_value.h"

#include <charconv>
#include <cmath>
#include <complex>

#include "runtime/base/half.h"
#include "runtime/core/quantized.h"
#include "runtime/core/small_types.h"

namespace tensh::api {
namespace {

constexpr int64_t kShown = 4;              // elements
constexpr int64_t kCopiedBytes = 4 << 10;  // from a device
constexpr size_t kTextShown = 20;          // bytes of a string
constexpr int kDigits = 4;                 // of a number among others

// Returns a number as numpy writes it: with its shortest digits if it is `alone`, otherwise rounded.
template <class T>
std::string Text(T number, bool alone) {
  char text[64];
  char* end;
  if constexpr (std::is_floating_point_v<T>) {
    end = alone
              ? std::to_chars(text, text + sizeof text, number).ptr
              : std::to_chars(text, text + sizeof text, number, std::chars_format::general, kDigits)
                    .ptr;
  } else {
    end = std::to_chars(text, text + sizeof text, number).ptr;
  }
  std::string out(text, end);
  const bool whole = std::is_floating_point_v<T> && std::isfinite(static_cast<double>(number)) &&
                     out.find_first_of(".e") == std::string::npos;
  return whole ? out + (alone ? ".0" : ".") : out;
}

std::string Text(const std::string& text) {
  const bool cut = text.size() > kTextShown;
  return "'" + text.substr(0, kTextShown) + (cut ? "…" : "") + "'";
}

template <class T>
std::string Complex(std::complex<T> number, bool alone) {
  const std::string imaginary = Text(number.imag(), alone);
  return "(" + Text(number.real(), alone) + (imaginary[0] == '-' ? "" : "+") + imaginary + "j)";
}

std::string ElementText(const Tensor& t, int64_t i, bool alone) {
  switch (StorageType(t.dtype())) {
    case DType::kFloat:
      return Text(t.data<float>()[i], alone);
    case DType::kDouble:
      return Text(t.data<double>()[i], alone);
    case DType::kHalf:
      return Text(static_cast<float>(t.data<Half>()[i]), false);
    case DType::kBfloat16:
      return Text(static_cast<float>(t.data<Bfloat16>()[i]), false);
    case DType::kInt8:
      return Text(int{t.data<int8_t>()[i]}, alone);
    case DType::kUint8:
      return Text(int{t.data<uint8_t>()[i]}, alone);
    case DType::kInt16:
      return Text(t.data<int16_t>()[i], alone);
    case DType::kUint16:
      return Text(t.data<uint16_t>()[i], alone);
    case DType::kInt32:
      return Text(t.data<int32_t>()[i], alone);
    case DType::kUint32:
      return Text(t.data<uint32_t>()[i], alone);
    case DType::kInt64:
      return Text(t.data<int64_t>()[i], alone);
    case DType::kUint64:
      return Text(t.data<uint64_t>()[i], alone);
    case DType::kBool:
      return t.data<bool>()[i] ? "True" : "False";
    case DType::kString:
      return Text(t.data<std::string>()[i]);
    case DType::kComplex64:
      return Complex(t.data<std::complex<float>>()[i], alone);
    case DType::kComplex128:
      return Complex(t.data<std::complex<double>>()[i], alone);
    default:
      break;
  }
  if (!IsSmallType(t.dtype())) return "";
  const uint8_t byte = static_cast<const uint8_t*>(t.raw())[i];
  return IsFloat8(t.dtype()) ? Text(Float8ToFloat(t.dtype(), byte), false)
                             : Text(Int4Value(t.dtype(), byte), alone);
}

}  // namespace

std::string ShortValue(const Tensor& value) {
  if (!value) return "";
  Tensor host = value;
  if (!value.on_host()) {
    if (value.bytes() > kCopiedBytes) return "";
    Result<Tensor> copied = value.CopyTo(HostAllocator());
    if (!copied.ok()) return "";
    host = *std::move(copied);
  }
  const int64_t n = host.num_elements();
  if (host.rank() == 0) return ElementText(host, 0, true);
  std::string out = "[";
  for (int64_t i = 0; i < n && i < kShown; ++i) {
    const std::string element = ElementText(host, i, false);
    if (element.empty()) return "";
    out += (i == 0 ? "" : " ") + element;
  }
  return out + (n > kShown ? " …]" : "]");
}

}  // namespace tensh::api
