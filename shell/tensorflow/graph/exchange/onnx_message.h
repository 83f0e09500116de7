// The module `_onnx`, which reads the messages of ONNX files for shell/tensorflow/python/onnx. A
// message becomes an object with one attribute for each known field. A field that is absent has the
// default of its type; unknown fields are skipped.
//
// Stateless. Threads: the interpreter's.
#pragma once

#include "shell/python/values/native.h"

namespace tensh::shell::tf {

extern const ModuleDef kOnnxModule;

}  // namespace tensh::shell::tf
