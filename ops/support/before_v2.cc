#include "ops/support/before_v2.h"

#include "runtime/core/strcat.h"

namespace tensh::ops {
namespace {

void Replace(std::string* text, std::string_view from, std::string_view to) {
  for (size_t at = 0; (at = text->find(from, at)) != text->npos; at += to.size())
    text->replace(at, from.size(), to);
}

// A handle is a scalar, the string that a reference is to is not: drops what a contract says of the
// handles among the inputs.
void ForgetHandles(const std::string& inputs, std::string* contract) {
  for (size_t end = 0; (end = inputs.find(": resource", end)) != inputs.npos; ++end) {
    const size_t space = inputs.rfind(' ', end);
    const size_t begin = space == inputs.npos ? 0 : space + 1;
    const std::string asked = inputs.substr(begin, end - begin) + ": scalar";
    Replace(contract, asked + ", ", "");
    Replace(contract, asked, "");
  }
}

// A reference to a string is two: where the resource is, and its name.
Status ReferenceShape(ShapeCtx& c) {
  c.Set(0, Shape({2}));
  return {};
}

}  // namespace

OpSpec BeforeV2(OpSpec now, const std::string& call, const std::string& result) {
  now.name.resize(now.name.size() - 2);
  const bool makes_handle = now.outputs.find(": resource") != now.outputs.npos;
  if (makes_handle) now.shape = ReferenceShape;
  now.stateful = makes_handle;
  ForgetHandles(now.inputs, &now.contract);
  for (std::string* arguments : {&now.inputs, &now.outputs})
    Replace(arguments, ": resource", ": Ref(string)");
  now.examples = {{StrCat("tf.raw_ops.", now.name, call), result.empty() ? now.name : result}};
  return now;
}

}  // namespace tensh::ops
