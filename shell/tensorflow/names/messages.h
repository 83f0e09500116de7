// The names of the classes of messages (shell/tensorflow/proto) and of the numbers of element types.
#pragma once

#include <span>

#include "shell/python/values/native.h"

namespace tensh::shell::tf {

std::span<const ConstantRow> GraphMessages();  // tf.GraphDef and other names of tf
std::span<const ConstantRow> FunctionMessages();
std::span<const ConstantRow> OpMessages();
std::span<const ConstantRow> MetaGraphMessages();
std::span<const ConstantRow> SaverMessages();
std::span<const ConstantRow> RecordMessages();
std::span<const ConstantRow> ExampleMessages();
std::span<const ConstantRow> VariableMessages();
std::span<const ConstantRow> ConfigMessages();
std::span<const ConstantRow> RewriterMessages();
std::span<const ConstantRow> ClusterMessages();
std::span<const ConstantRow> ServerMessages();
std::span<const ConstantRow> DeviceMessages();
std::span<const ConstantRow> SavedModelMessages();
std::span<const ConstantRow> ResourceMessages();
std::span<const ConstantRow> TensorMessages();
std::span<const ConstantRow> ShapeMessages();
std::span<const ConstantRow> VersionMessages();
std::span<const ConstantRow> DataTypeNumbers();  // types_pb2.DT_FLOAT

}  // namespace tensh::shell::tf
