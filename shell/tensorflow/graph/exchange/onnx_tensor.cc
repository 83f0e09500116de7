#include "shell/tensorflow/graph/exchange/onnx_tensor.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <limits>

#include "runtime/base/half.h"
#include "shell/python/values/error.h"
#include "shell/python/vm/file.h"
#include "tensh/tensh_import.h"

namespace tensh::shell::tf {
namespace {

namespace fs = std::filesystem;

constexpr int kUint4 = 21, kInt4 = 22;

// By number; 0 for types without a dtype. Small floats are held as half, and 4-bit integers in 8 bits.
constexpr int kDTypes[] = {
    0,          TSH_FLOAT,  TSH_UINT8,     TSH_INT8,       TSH_UINT16,   TSH_INT16,
    TSH_INT32,  TSH_INT64,  TSH_STRING,    TSH_BOOL,       TSH_HALF,     TSH_DOUBLE,
    TSH_UINT32, TSH_UINT64, TSH_COMPLEX64, TSH_COMPLEX128, TSH_BFLOAT16, TSH_HALF,
    TSH_HALF,   TSH_HALF,   TSH_HALF,      TSH_UINT8,      TSH_INT8,     TSH_HALF};

// A float of 8 or 4 bits: a sign, an exponent and a mantissa.
struct SmallFloat {
  int type, bits, mantissa, bias;
  int nan;             // the code without sign, or -1
  bool unsigned_zero;  // there is no -0; its code is the only NaN
  bool infinite;       // the largest exponent is infinity and NaN
};
constexpr SmallFloat kSmallFloats[] = {{17, 8, 3, 7, 0x7f, false, false},
                                       {18, 8, 3, 8, -1, true, false},
                                       {19, 8, 2, 15, -1, false, true},
                                       {20, 8, 2, 16, -1, true, false},
                                       {23, 4, 1, 1, -1, false, false}};

const SmallFloat* FindSmallFloat(const OnnxTensor& t) {
  for (const SmallFloat& f : kSmallFloats)
    if (f.type == t.type) return &f;
  return nullptr;
}

float Decode(const SmallFloat& f, int code) {
  const int sign = 1 << (f.bits - 1), positive = code & (sign - 1);
  const int exponent = positive >> f.mantissa, mantissa = positive & ((1 << f.mantissa) - 1);
  const bool largest = exponent == (sign - 1) >> f.mantissa;
  if (positive == f.nan || (f.unsigned_zero && code == sign) ||
      (f.infinite && largest && mantissa != 0))
    return std::numeric_limits<float>::quiet_NaN();
  float value =
      std::ldexp(static_cast<float>(exponent > 0 ? mantissa + (1 << f.mantissa) : mantissa),
                 std::max(exponent, 1) - f.bias - f.mantissa);
  if (f.infinite && largest) value = std::numeric_limits<float>::infinity();
  return (code & sign) != 0 ? -value : value;
}

[[noreturn]] void Fail(const OnnxTensor& t, const std::string& problem) {
  throw ValueError("tensor '" + t.name + "': " + problem);
}

std::string ShapeText(const OnnxTensor& t) {
  std::string text;
  for (const int64_t d : t.dims) text += (text.empty() ? "" : ",") + std::to_string(d);
  return "[" + text + "]";
}

// The number of elements. Throws if it is negative or does not fit.
int64_t Elements(const OnnxTensor& t) {
  constexpr int64_t kMost = std::numeric_limits<int64_t>::max() / 16;
  if (t.dims.size() > TSH_MAX_RANK)
    Fail(t, "has " + std::to_string(t.dims.size()) + " dimensions; at most " +
                std::to_string(TSH_MAX_RANK) + " are supported");
  int64_t elements = 1;
  for (const int64_t d : t.dims) {
    if (d < 0 || (d > 0 && elements > kMost / d)) Fail(t, "bad shape " + ShapeText(t));
    elements *= d;
  }
  return elements;
}

// The bits of an element in a file.
int64_t BitsOf(const OnnxTensor& t) {
  if (t.type == kUint4 || t.type == kInt4) return 4;
  if (const SmallFloat* f = FindSmallFloat(t)) return f->bits;
  return 8 * static_cast<int64_t>(tsh_dtype_size(DTypeOfOnnx(t.type)));
}

bool IsUnpacked(const OnnxTensor& t) {
  return BitsOf(t) == 4 || FindSmallFloat(t) != nullptr || t.type == 9;
}

int64_t BytesOf(const OnnxTensor& t, int64_t elements) {
  const int64_t bits = BitsOf(t);
  return bits == 4 ? elements / 2 + elements % 2 : elements * (bits / 8);
}

// Element i of a tensor with 4 or 8 bits for each. The low half of a byte comes first.
int CodeAt(std::string_view bytes, int64_t bits, int64_t i) {
  const auto byte = static_cast<uint8_t>(bytes[static_cast<size_t>(bits == 4 ? i / 2 : i)]);
  return bits == 8 ? byte : i % 2 == 0 ? byte & 15 : byte >> 4;
}

TensorHandle FromBytes(const OnnxTensor& t, std::string_view bytes, int64_t elements) {
  TensorHandle made = TensorHandle::Make(DTypeOfOnnx(t.type), t.dims);
  if (!IsUnpacked(t)) {
    if (!bytes.empty()) std::memcpy(made.raw(), bytes.data(), bytes.size());
    return made;
  }
  const SmallFloat* f = FindSmallFloat(t);
  const int64_t bits = BitsOf(t);
  for (int64_t i = 0; i < elements; ++i) {
    const int code = CodeAt(bytes, bits, i);
    if (f)
      made.data<uint16_t>()[i] = FloatToHalf(Decode(*f, code));
    else if (bits == 8)
      made.data<uint8_t>()[i] = code != 0;
    else
      made.data<uint8_t>()[i] =
          static_cast<uint8_t>(t.type == kInt4 && code > 7 ? code - 16 : code);
  }
  return made;
}

void CheckSize(const OnnxTensor& t, int64_t elements, int64_t bytes) {
  if (bytes != BytesOf(t, elements))
    Fail(t, "its shape " + ShapeText(t) + " needs " + std::to_string(BytesOf(t, elements)) +
                " B, and the file has " + std::to_string(bytes) + " B");
}

// Reads elements that stayed in the file of the model, if possible into the tensor itself.
TensorHandle FromReference(const OnnxTensor& t, int64_t elements) {
  CheckSize(t, elements, tsh_reference_size(t.reference.data(), t.reference.size()));
  Status status;
  if (IsUnpacked(t)) {
    std::string bytes(static_cast<size_t>(BytesOf(t, elements)), '\0');
    tsh_reference_read(t.reference.data(), t.reference.size(), bytes.data(), status);
    status.Check();
    return FromBytes(t, bytes, elements);
  }
  TensorHandle made = TensorHandle::Make(DTypeOfOnnx(t.type), t.dims);
  tsh_reference_read(t.reference.data(), t.reference.size(), made.raw(), status);
  status.Check();
  return made;
}

}  // namespace

int DTypeOfOnnx(int64_t type) {
  return type > 0 && type < static_cast<int64_t>(std::size(kDTypes)) ? kDTypes[type] : 0;
}

TensorHandle MakeOnnxTensor(const OnnxTensor& t) {
  const int dtype = DTypeOfOnnx(t.type);
  if (dtype == 0) return {};
  const int64_t elements = Elements(t);
  if (dtype == TSH_STRING) {
    if (static_cast<int64_t>(t.strings.size()) != elements)
      Fail(t, "its shape " + ShapeText(t) + " has " + std::to_string(elements) +
                  " elements, and the file has " + std::to_string(t.strings.size()));
    TensorHandle made = TensorHandle::Make(dtype, t.dims);
    for (size_t i = 0; i < t.strings.size(); ++i)
      made.SetString(static_cast<int64_t>(i), t.strings[i]);
    return made;
  }
  if (!t.reference.empty()) return FromReference(t, elements);
  const std::string_view bytes = t.has_raw ? t.raw : std::string_view(t.numbers);
  CheckSize(t, elements, static_cast<int64_t>(bytes.size()));
  return FromBytes(t, bytes, elements);
}

TensorHandle ReadExternalTensor(const OnnxTensor& t, const std::string& folder,
                                const std::string& location, int64_t offset, int64_t length) {
  const fs::path relative(location);
  bool inside =
      !location.empty() && location.find('\0') == location.npos && !relative.is_absolute();
  for (const fs::path& part : relative) inside = inside && part != "..";
  std::error_code error;
  const fs::path base = fs::canonical(folder, error);
  const fs::path path = inside ? fs::weakly_canonical(base / relative, error) : fs::path();
  // A symbolic link may lead elsewhere.
  if (!inside || path.lexically_relative(base).string().starts_with(".."))
    Fail(t, "its elements are in '" + location +
                "', which is outside of the model's folder; only files within it are read");
  CheckPathToRead(path.string());
  const int dtype = DTypeOfOnnx(t.type);
  if (dtype == 0) return {};
  if (dtype == TSH_STRING) Fail(t, "strings cannot be in another file");
  const int64_t elements = Elements(t), bytes = BytesOf(t, elements);
  if (length >= 0 && length != bytes)
    Fail(t, "its shape " + ShapeText(t) + " needs " + std::to_string(bytes) +
                " B, and the model says that the file has " + std::to_string(length) + " B");
  if (!fs::is_regular_file(path, error)) Fail(t, "there is no file '" + path.string() + "'");
  const auto size = static_cast<int64_t>(fs::file_size(path, error));
  if (error || offset < 0 || offset > size || bytes > size - offset)
    Fail(t, "needs " + std::to_string(bytes) + " B from byte " + std::to_string(offset) + " of '" +
                path.string() + "', which has " + std::to_string(size) + " B");
  std::ifstream file(path, std::ios::binary);
  file.seekg(offset);
  if (!IsUnpacked(t)) {
    TensorHandle made = TensorHandle::Make(dtype, t.dims);
    if (bytes > 0 && !file.read(static_cast<char*>(made.raw()), bytes))
      Fail(t, "cannot read '" + path.string() + "'");
    return made;
  }
  std::string data(static_cast<size_t>(bytes), '\0');
  if (bytes > 0 && !file.read(data.data(), bytes)) Fail(t, "cannot read '" + path.string() + "'");
  return FromBytes(t, data, elements);
}

}  // namespace tensh::shell::tf
