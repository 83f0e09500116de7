#include "tests/oracle/tensor_text.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <stdexcept>

#include "runtime/core/half.h"

namespace tensh::oracle {
namespace {

std::string_view NextWord(std::string_view* rest) {
  const size_t end = rest->find(' ');
  const std::string_view word = rest->substr(0, end);
  *rest = end == std::string_view::npos ? std::string_view() : rest->substr(end + 1);
  return word;
}

std::string Unquote(std::string_view word) {
  if (word == "%") return {};
  std::string out;
  for (size_t i = 0; i < word.size(); ++i) {
    if (word[i] == '%') {
      out += static_cast<char>(std::stoi(std::string(word.substr(i + 1, 2)), nullptr, 16));
      i += 2;
    } else {
      out += word[i];
    }
  }
  return out;
}

template <class T>
void SetInt(void* data, int64_t i, const std::string& text) {
  static_cast<T*>(data)[i] =
      text[0] == '-' ? static_cast<T>(std::stoll(text)) : static_cast<T>(std::stoull(text));
}

// Parses "1.5,-2" into real and imaginary part.
template <class T>
void SetComplex(void* data, int64_t i, const std::string& text) {
  const size_t comma = text.find(',');
  T* parts = static_cast<T*>(data) + 2 * i;
  parts[0] = static_cast<T>(std::strtod(text.c_str(), nullptr));
  parts[1] = static_cast<T>(std::strtod(text.c_str() + comma + 1, nullptr));
}

// Sets an element of a less common type. Returns false for other types.
bool SetOther(int dtype, void* data, int64_t i, const std::string& text) {
  switch (dtype) {
    case TSH_INT8:
      SetInt<int8_t>(data, i, text);
      return true;
    case TSH_UINT8:
      SetInt<uint8_t>(data, i, text);
      return true;
    case TSH_INT16:
      SetInt<int16_t>(data, i, text);
      return true;
    case TSH_UINT16:
      SetInt<uint16_t>(data, i, text);
      return true;
    case TSH_UINT32:
      SetInt<uint32_t>(data, i, text);
      return true;
    case TSH_UINT64:
      SetInt<uint64_t>(data, i, text);
      return true;
    case TSH_HALF:
      static_cast<uint16_t*>(data)[i] = FloatToHalf(std::strtof(text.c_str(), nullptr));
      return true;
    case TSH_BFLOAT16:
      static_cast<uint16_t*>(data)[i] = FloatToBfloat16(std::strtof(text.c_str(), nullptr));
      return true;
    case TSH_COMPLEX64:
      SetComplex<float>(data, i, text);
      return true;
    case TSH_COMPLEX128:
      SetComplex<double>(data, i, text);
      return true;
    default:
      return false;
  }
}

void SetElement(tsh_tensor* t, int64_t i, std::string_view word) {
  const std::string text(word);
  void* data = tsh_tensor_data(t);
  switch (tsh_tensor_dtype(t)) {
    case TSH_FLOAT:
      static_cast<float*>(data)[i] = std::strtof(text.c_str(), nullptr);
      break;
    case TSH_DOUBLE:
      static_cast<double*>(data)[i] = std::strtod(text.c_str(), nullptr);
      break;
    case TSH_INT32:
      static_cast<int32_t*>(data)[i] = static_cast<int32_t>(std::stoll(text));
      break;
    case TSH_INT64:
      static_cast<int64_t*>(data)[i] = std::stoll(text);
      break;
    case TSH_BOOL:
      static_cast<bool*>(data)[i] = text == "1";
      break;
    case TSH_STRING: {
      const std::string bytes = Unquote(word);
      tsh_tensor_set_string(t, i, bytes.data(), bytes.size());
      break;
    }
    default:
      if (SetOther(tsh_tensor_dtype(t), data, i, text)) return;
      throw std::runtime_error("oracle: no such dtype: " + text);
  }
}

}  // namespace

Header ParseHeader(std::string_view text, std::string_view* rest) {
  const std::string_view word = NextWord(&text);
  const size_t open = word.find('[');
  if (open == std::string_view::npos) {
    throw std::runtime_error("oracle: not a tensor: " + std::string(word));
  }
  Header header;
  header.dtype = tsh_dtype_parse(std::string(word.substr(0, open)).c_str());
  ParseShape(word.substr(open), &header.dims);
  *rest = text;
  return header;
}

TensorPtr ParseTensor(std::string_view text) {
  std::string_view rest;
  const Header header = ParseHeader(text, &rest);
  TensorPtr tensor(tsh_tensor_new(header.dtype, header.dims.data(),
                                  static_cast<int>(header.dims.size()), nullptr));
  if (!tensor) throw std::runtime_error("oracle: cannot make " + std::string(text));
  const int64_t n = tsh_tensor_elements(tensor.get());
  for (int64_t i = 0; i < n; ++i) SetElement(tensor.get(), i, NextWord(&rest));
  return tensor;
}

std::string FormatShape(const int64_t* dims, int rank) {
  if (rank < 0) return "?";
  std::string out = "[";
  for (int i = 0; i < rank; ++i) {
    if (i > 0) out += ',';
    out += dims[i] < 0 ? "?" : std::to_string(dims[i]);
  }
  return out + "]";
}

int ParseShape(std::string_view text, std::vector<int64_t>* dims) {
  dims->clear();
  if (text == "?") return -1;
  for (size_t i = 1; i < text.size() && text[i] != ']';) {
    const size_t end = text.find_first_of(",]", i);
    const std::string one(text.substr(i, end - i));
    dims->push_back(one == "?" ? -1 : std::stoll(one));
    i = end + (text[end] == ',' ? 1 : 0);
  }
  return static_cast<int>(dims->size());
}

namespace {

std::string FormatOther(int dtype, void* data, int64_t i) {
  switch (dtype) {
    case TSH_INT8:
      return std::to_string(static_cast<int8_t*>(data)[i]);
    case TSH_UINT8:
      return std::to_string(static_cast<uint8_t*>(data)[i]);
    case TSH_INT16:
      return std::to_string(static_cast<int16_t*>(data)[i]);
    case TSH_UINT16:
      return std::to_string(static_cast<uint16_t*>(data)[i]);
    case TSH_UINT32:
      return std::to_string(static_cast<uint32_t*>(data)[i]);
    case TSH_UINT64:
      return std::to_string(static_cast<uint64_t*>(data)[i]);
    case TSH_HALF:
      return std::to_string(HalfToFloat(static_cast<uint16_t*>(data)[i]));
    case TSH_BFLOAT16:
      return std::to_string(Bfloat16ToFloat(static_cast<uint16_t*>(data)[i]));
    case TSH_COMPLEX64:
      return std::to_string(static_cast<float*>(data)[2 * i]) + "," +
             std::to_string(static_cast<float*>(data)[2 * i + 1]);
    case TSH_COMPLEX128:
      return std::to_string(static_cast<double*>(data)[2 * i]) + "," +
             std::to_string(static_cast<double*>(data)[2 * i + 1]);
    default:
      return "?";
  }
}

}  // namespace

std::string FormatElement(tsh_tensor* t, int64_t i) {
  char buffer[64];
  void* data = tsh_tensor_data(t);
  switch (tsh_tensor_dtype(t)) {
    case TSH_FLOAT:
      std::snprintf(buffer, sizeof buffer, "%.9g", static_cast<float*>(data)[i]);
      break;
    case TSH_DOUBLE:
      std::snprintf(buffer, sizeof buffer, "%.17g", static_cast<double*>(data)[i]);
      break;
    case TSH_INT32:
      return std::to_string(static_cast<int32_t*>(data)[i]);
    case TSH_INT64:
      return std::to_string(static_cast<int64_t*>(data)[i]);
    case TSH_BOOL:
      return static_cast<bool*>(data)[i] ? "True" : "False";
    case TSH_STRING: {
      size_t length = 0;
      const char* text = tsh_tensor_string(t, i, &length);
      return "'" + std::string(text, length) + "'";
    }
    default:
      return FormatOther(tsh_tensor_dtype(t), data, i);
  }
  return buffer;
}

}  // namespace tensh::oracle
