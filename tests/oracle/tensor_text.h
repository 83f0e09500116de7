#pragma once

// The text form of tensors in the files of the oracle (README.md): "float[2,3] 1 2.5 nan -0". Parse
// returns a tensor that the caller owns. Malformed text throws std::runtime_error.

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "tensh/tensh.h"

namespace tensh::oracle {

struct TensorUnref {
  void operator()(tsh_tensor* t) const { tsh_tensor_unref(t); }
};
using TensorPtr = std::unique_ptr<tsh_tensor, TensorUnref>;

struct Header {
  int dtype = 0;
  std::vector<int64_t> dims;
};

// Parses "float[2,3]", the first word of a tensor's text. `rest` receives the remainder.
Header ParseHeader(std::string_view text, std::string_view* rest);
TensorPtr ParseTensor(std::string_view text);
std::string FormatShape(const int64_t* dims, int rank);  // "[2,?]", "?"
// Parses "[2,?]" or "?", for which the rank is -1.
int ParseShape(std::string_view text, std::vector<int64_t>* dims);
// Returns element i with enough digits to distinguish any two values.
std::string FormatElement(tsh_tensor* t, int64_t i);

}  // namespace tensh::oracle
