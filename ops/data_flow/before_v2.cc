#include "ops/data_flow/before_v2.h"

#include "runtime/core/strcat.h"

namespace tensh::ops {
namespace {

void Replace(std::string* text, std::string_view from, std::string_view to) {
  for (size_t at = 0; (at = text->find(from, at)) != text->npos; at += to.size())
    text->replace(at, from.size(), to);
}

// Removes the requirement "scalar" of all handle inputs from a contract: a handle is a scalar, but
// the string vector behind a reference is not.
void ForgetHandles(const std::string& inputs, std::string* contract) {
  for (size_t end = 0; (end = inputs.find(": resource", end)) != inputs.npos; ++end) {
    const size_t space = inputs.rfind(' ', end);
    const size_t begin = space == inputs.npos ? 0 : space + 1;
    const std::string asked = inputs.substr(begin, end - begin) + ": scalar";
    Replace(contract, asked + ", ", "");
    Replace(contract, asked, "");
  }
}

// The shape of a string reference. As in TensorFlow, it has two strings: the container of the
// resource and its name.
Status ReferenceShape(ShapeCtx& c) {
  c.Set(0, Shape({2}));
  return {};
}

}  // namespace

OpSpec BeforeV2(OpSpec now, Example example) {
  now.name.resize(now.name.size() - 2);
  const bool makes_handle = now.outputs.find(": resource") != now.outputs.npos;
  if (makes_handle) now.shape = ReferenceShape;
  now.stateful = makes_handle;
  ForgetHandles(now.inputs, &now.contract);
  for (std::string* arguments : {&now.inputs, &now.outputs})
    Replace(arguments, ": resource", ": Ref(string)");
  now.examples = {std::move(example)};
  return now;
}

}  // namespace tensh::ops
