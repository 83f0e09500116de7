#include "shell/tensorflow/graph/exchange/onnx_tensor.h"

#include <cstring>
#include <filesystem>
#include <fstream>
#include <limits>

#include "shell/python/values/error.h"
#include "shell/python/vm/file.h"

namespace tensh::shell::tf {
namespace {

namespace fs = std::filesystem;

constexpr int kUint4 = 21, kInt4 = 22;

// By number; 0 for types without a dtype, which include the 8-bit floats (17 to 20).
constexpr int kDTypes[] = {0,
                           TSH_FLOAT,
                           TSH_UINT8,
                           TSH_INT8,
                           TSH_UINT16,
                           TSH_INT16,
                           TSH_INT32,
                           TSH_INT64,
                           TSH_STRING,
                           TSH_BOOL,
                           TSH_HALF,
                           TSH_DOUBLE,
                           TSH_UINT32,
                           TSH_UINT64,
                           TSH_COMPLEX64,
                           TSH_COMPLEX128,
                           TSH_BFLOAT16,
                           0,
                           0,
                           0,
                           0,
                           TSH_UINT8,
                           TSH_INT8};

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

bool IsFourBits(const OnnxTensor& t) { return t.type == kUint4 || t.type == kInt4; }

int64_t BytesOf(const OnnxTensor& t, int64_t elements) {
  if (IsFourBits(t)) return elements / 2 + elements % 2;
  return elements * static_cast<int64_t>(tsh_dtype_size(DTypeOfOnnx(t.type)));
}

// Splits bytes into the low and the high half, in this order.
void Unpack(const OnnxTensor& t, std::string_view bytes, int64_t elements, uint8_t* to) {
  for (int64_t i = 0; i < elements; ++i) {
    const auto byte = static_cast<uint8_t>(bytes[static_cast<size_t>(i / 2)]);
    const int half = i % 2 == 0 ? byte & 15 : byte >> 4;
    to[i] = static_cast<uint8_t>(t.type == kInt4 && half > 7 ? half - 16 : half);
  }
}

TensorHandle FromBytes(const OnnxTensor& t, std::string_view bytes, int64_t elements) {
  TensorHandle made = TensorHandle::Make(DTypeOfOnnx(t.type), t.dims);
  if (IsFourBits(t))
    Unpack(t, bytes, elements, made.data<uint8_t>());
  else if (!bytes.empty())
    std::memcpy(made.raw(), bytes.data(), bytes.size());
  if (made.dtype() == TSH_BOOL)
    for (int64_t i = 0; i < elements; ++i) made.data<char>()[i] = made.data<char>()[i] != 0;
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
  const std::string_view bytes = t.has_raw ? t.raw : std::string_view(t.numbers);
  if (static_cast<int64_t>(bytes.size()) != BytesOf(t, elements))
    Fail(t, "its shape " + ShapeText(t) + " needs " + std::to_string(BytesOf(t, elements)) +
                " B, and the file has " + std::to_string(bytes.size()) + " B");
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
  if (!IsFourBits(t) && dtype != TSH_BOOL) {
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
