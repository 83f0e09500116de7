// Tensors of ONNX messages. A TensorProto holds its elements as raw bytes, as a list of numbers or
// strings, or in a file beside the model. None of its sizes is trusted: memory is allocated only
// after the elements were found to be present.
//
// Stateless. Threads: the interpreter's.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "shell/client/client.h"

namespace tensh::shell::tf {

// Returns the dtype that holds elements of an ONNX type (TensorProto.DataType), or 0 if there is
// none. The 4-bit integers are held as int8 and uint8.
int DTypeOfOnnx(int64_t type);

// The parts of a TensorProto that define its value.
struct OnnxTensor {
  std::string name;
  int64_t type = 0;
  std::vector<int64_t> dims;
  std::string_view raw;        // raw_data
  bool has_raw = false;        // raw_data is present, perhaps empty
  std::string_view reference;  // to raw_data in the file of the model, or empty
  std::string numbers;         // the elements of a typed list, in the layout of raw_data
  std::vector<std::string_view> strings;
};

// Returns the tensor, or null if its type has no dtype. Throws ValueError if the elements do not
// fill the shape.
TensorHandle MakeOnnxTensor(const OnnxTensor& t);

// Returns the tensor of `t` whose elements are in the file `location` of the folder, from `offset` on.
// `length` is the number of bytes, or -1 if the model does not state it. Throws ValueError if the path
// leads out of the folder or the file is too short.
TensorHandle ReadExternalTensor(const OnnxTensor& t, const std::string& folder,
                                const std::string& location, int64_t offset, int64_t length);

}  // namespace tensh::shell::tf
