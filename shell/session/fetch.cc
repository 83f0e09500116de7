#include "shell/session/fetch.h"

#include "shell/python/values/containers.h"
#include "shell/python/values/error.h"
#include "shell/python/values/ops.h"
#include "shell/tensorflow/graph/graph.h"
#include "shell/tensorflow/graph/variable.h"

namespace tensh::shell {

Fetch AsFetch(const Value& value) {
  if (auto* tensor = As<tf::TensorObject>(value)) {
    tensor->graph().CheckLive(tensor->out().node, tensor->generation(), "tensor");
    return {Fetch::Kind::kTensor, tensor->out(), tensor->out().node, tensor->graph().handle()};
  }
  if (auto* operation = As<tf::OperationObject>(value)) {
    operation->graph().CheckLive(operation->node(), operation->generation(), "operation");
    return {
        Fetch::Kind::kOperation, {TSH_NO_NODE, 0}, operation->node(), operation->graph().handle()};
  }
  if (auto* variable = As<tf::VariableObject>(value)) {
    const tsh_output element = variable->Element();
    return {Fetch::Kind::kTensor, element, element.node, variable->graph().handle()};
  }
  return {};
}

Fetch ToFetch(const Value& value) {
  return AsFetch(IsStr(value) ? FindByName(StrView(value)) : value);
}

bool IsRunnable(const Value& value) {
  if (value.is_null() || !value.is_object()) return false;
  if (As<tf::TensorObject>(value) || As<tf::OperationObject>(value) ||
      As<tf::VariableObject>(value))
    return true;
  RecursionGuard guard(" while looking for tensors");
  if (const std::vector<Value>* items = Sequence(value)) {
    for (const Value& item : *items) {
      if (IsRunnable(item)) return true;
    }
  }
  if (auto* dict = As<DictObject>(value)) {
    for (size_t i = 0; const Dict::Entry* entry = dict->dict.At(&i);) {
      if (IsRunnable(entry->value)) return true;
    }
  }
  return false;
}

Value FindByName(std::string_view name) {
  tf::GraphObject& graph = tf::DefaultGraph();
  const size_t colon = name.rfind(':');
  const std::string node_name(name.substr(0, colon));
  const tsh_node node = graph.handle().Find(node_name);
  if (node == TSH_NO_NODE) return Value();
  const size_t outputs = graph.handle().NumOutputs(node);
  uint32_t index = 0;
  if (colon != std::string_view::npos) {
    for (const char c : name.substr(colon + 1)) {
      if (c < '0' || c > '9' || index > outputs) return Value();
      index = index * 10 + static_cast<uint32_t>(c - '0');
    }
    if (index >= outputs) return Value();
  }
  return outputs == 0 ? graph.Operation(node) : graph.Tensor({node, index});
}

}  // namespace tensh::shell
