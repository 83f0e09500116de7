#pragma once
// Tensors as TensorProto and back. Decoding trusts nothing: sizes are checked against the bytes
// that came before memory is taken.
#include <vector>

#include "runtime/dist/handles.h"
#include "tensorflow_wire.pb.h"

namespace tensh::dist {

// Any encoding TensorFlow writes: tensor_content, typed values, the last one standing for the rest.
Result<TensorPtr> DecodeTensor(const tensorflow::TensorProto& proto);
// tensor_content for numbers, string_val for strings.
void EncodeTensor(tsh_tensor* tensor, tensorflow::TensorProto* proto);

// rank -1: unknown.
Status DecodeShape(const tensorflow::TensorShapeProto& proto, std::vector<int64_t>* dims,
                   int* rank);
void EncodeShape(const int64_t* dims, int rank, tensorflow::TensorShapeProto* proto);

}  // namespace tensh::dist
