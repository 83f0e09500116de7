#include "ops/data_flow/before_v2.h"

#include "runtime/core/strcat.h"

namespace tensh::ops {
namespace {

std::string Replaced(std::string_view given, std::string_view from, std::string_view to) {
  std::string text(given);
  for (size_t at = 0; (at = text.find(from, at)) != text.npos; at += to.size())
    text.replace(at, from.size(), to);
  return text;
}

// Removes the requirement "scalar" of all handle inputs from a contract: a handle is a scalar, but
// the string vector behind a reference is not.
std::string ForgetHandles(std::string_view inputs, std::string contract) {
  for (size_t end = 0; (end = inputs.find(": resource", end)) != inputs.npos; ++end) {
    const size_t space = inputs.rfind(' ', end);
    const size_t begin = space == inputs.npos ? 0 : space + 1;
    const std::string asked = StrCat(inputs.substr(begin, end - begin), ": scalar");
    contract = Replaced(Replaced(contract, StrCat(asked, ", "), ""), asked, "");
  }
  return contract;
}

// The shape of a string reference. As in TensorFlow, it has two strings: the container of the
// resource and its name.
Status ReferenceShape(ShapeCtx& c) {
  c.Set(0, Shape({2}));
  return {};
}

}  // namespace

OpSpec BeforeV2(OpSpec now, Example example) {
  now.name = std::string_view(now.name).substr(0, now.name.size() - 2);
  const bool makes_handle = now.outputs.find(": resource") != now.outputs.npos;
  if (makes_handle) now.shape = ReferenceShape;
  now.stateful = makes_handle;
  now.contract = ForgetHandles(now.inputs, std::string(now.contract));
  for (OpText* arguments : {&now.inputs, &now.outputs})
    *arguments = Replaced(*arguments, ": resource", ": Ref(string)");
  now.examples = {example};
  return now;
}

}  // namespace tensh::ops
