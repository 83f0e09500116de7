#include "runtime/exec/calls.h"

#include <algorithm>

#include "runtime/graph/function.h"
#include "runtime/graph/function_body.h"
#include "runtime/graph/unknown_op.h"

namespace tensh {
namespace {

// An attribute of an op that names a function.
struct CallRow {
  const char* op;
  const char* attr;
  const char* role;
  uint32_t first_input = 0;
  bool repeats = false;
};
constexpr CallRow kCalls[] = {
    {"If", "then_branch", "then", 1},
    {"If", "else_branch", "else", 1},
    {"StatelessIf", "then_branch", "then", 1},
    {"StatelessIf", "else_branch", "else", 1},
    {"Case", "branches", "branch", 1},
    {"StatelessCase", "branches", "branch", 1},
    {"While", "cond", "cond", 0, true},
    {"While", "body", "body", 0, true},
    {"StatelessWhile", "cond", "cond", 0, true},
    {"StatelessWhile", "body", "body", 0, true},
    {"For", "body", "body", 2, true},
    {"PartitionedCall", "f", ""},
    {"StatefulPartitionedCall", "f", ""},
    {"RemoteCall", "f", "", 1},
};

// Returns true if an attribute of the op holds functions.
bool MayCall(const OpDef& op) {
  return std::any_of(op.attrs.begin(), op.attrs.end(),
                     [](const AttrDef& attr) { return attr.kind == AttrKind::kFunc; });
}

FuncAttr GradientOf(const FuncAttr& function) {
  return {std::string(kGradientFunction), std::make_shared<const std::vector<NamedAttr>>(
                                              std::vector<NamedAttr>{{"f", AttrValue(function)}})};
}

}  // namespace

std::string CallSite::Prefix(std::string_view caller) const {
  return std::string(caller) + "/" + (role.empty() ? "" : role + "/");
}

std::vector<CallSite> CallSitesOf(const Graph& graph, NodeId node) {
  const OpDef& op = graph.op(node);
  if (IsUnknown(op) || (op.id < kFunctionOps && !MayCall(op))) return {};
  const Attrs attrs = graph.attrs(node);
  std::vector<CallSite> sites;
  if (op.id >= kFunctionOps)
    return {{"", {op.name, std::make_shared<const std::vector<NamedAttr>>(attrs.all())}}};
  if (op.name == kGradientFunction) return {{"", GradientOf(attrs.Func("f"))}};
  for (const CallRow& row : kCalls) {
    const AttrValue* value = op.name == row.op ? attrs.Find(row.attr) : nullptr;
    if (value == nullptr) continue;
    if (const FuncAttr* function = value->Find<FuncAttr>())
      sites.push_back({row.role, *function, row.first_input, row.repeats});
    if (const AttrValue::Funcs* branches = value->Find<AttrValue::Funcs>())
      for (size_t i = 0; i < branches->size(); ++i)
        sites.push_back({row.role + std::to_string(i), (*branches)[i], row.first_input});
  }
  return sites;
}

}  // namespace tensh
