#pragma once

// The text form of tensors in the oracle's files (README.md): "float[2,3] 1 2.5 nan -0".
// Parse returns a tensor the caller owns; malformed text throws std::runtime_error, since the files
// are ours.

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/api/tensh.h"

namespace tensh::oracle {

struct TensorUnref {
  void operator()(tsh_tensor* t) const { tsh_tensor_unref(t); }
};
using TensorPtr = std::unique_ptr<tsh_tensor, TensorUnref>;

struct Header {
  int dtype = 0;
  std::vector<int64_t> dims;
};

// "float[2,3]", the first word of a tensor's text; *rest receives what follows.
Header ParseHeader(std::string_view text, std::string_view* rest);
TensorPtr ParseTensor(std::string_view text);
std::string FormatShape(const int64_t* dims, int rank);  // "[2,?]", "?"
// The shape in "[2,?]" or "?"; rank -1 for the latter.
int ParseShape(std::string_view text, std::vector<int64_t>* dims);
// Element i, for messages: enough digits to tell any two values apart.
std::string FormatElement(tsh_tensor* t, int64_t i);

}  // namespace tensh::oracle
