#include "runtime/dist/graph_limits.h"

#include "runtime/base/text.h"
#include "runtime/base/wire.h"

namespace tensh::dist {
namespace {

// Returns true if the pattern matches the whole text. Takes at most pattern * text steps.
bool Matches(std::string_view pattern, std::string_view text) {
  size_t p = 0, t = 0, star = pattern.npos, tried = 0;
  while (t < text.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      tried = t;
    } else if (p < pattern.size() && (pattern[p] == '?' || pattern[p] == text[t])) {
      ++p, ++t;
    } else if (star != pattern.npos) {
      p = star + 1;
      t = ++tried;
    } else {
      return false;
    }
  }
  while (p < pattern.size() && pattern[p] == '*') ++p;
  return p == pattern.size();
}

// Checks the op of a NodeDef. If the message contains several, all are checked.
Status CheckOp(const std::vector<std::string>& deny_ops, std::string_view node_def) {
  if (deny_ops.empty()) return {};
  constexpr int kName = 1, kOp = 2;
  std::string_view name;
  for (WireReader in(node_def); in.Next();)
    if (in.field() == kName) name = in.bytes();
  for (WireReader in(node_def); in.Next();) {
    if (in.field() != kOp) continue;
    for (const std::string& pattern : deny_ops)
      if (Matches(pattern, in.bytes()))
        return Status(Code::kPermissionDenied, "node '" + std::string(name) +
                                                   "': this server does not allow op " + in.text() +
                                                   ", by --deny-ops '" + pattern + "'");
  }
  return {};
}

// Counts the nodes of a FunctionDef and checks their ops. Sets its name.
Status CheckFunction(const std::vector<std::string>& deny_ops, std::string_view function,
                     std::string* name, int64_t* nodes) {
  constexpr int kSignature = 1, kNodes = 3, kName = 1;
  for (WireReader in(function); in.Next();) {
    if (in.field() == kSignature)
      for (WireReader op(in.bytes()); op.Next();)
        if (op.field() == kName) *name = op.text();
    if (in.field() != kNodes) continue;
    ++*nodes;
    TENSH_RETURN_IF_ERROR(CheckOp(deny_ops, in.bytes()));
  }
  return {};
}

}  // namespace

Status GraphLimits::CheckNodes(int64_t n) const {
  if (n <= nodes) return {};
  return ResourceExhausted("the session would have ", n, " nodes, but this server allows ", nodes,
                           ", by --max-nodes");
}

Status GraphLimits::Check(std::string_view graph_def, const GraphCount& count,
                          GraphCount* added) const {
  constexpr int kNodes = 1, kLibrary = 2, kFunctions = 1;
  *added = {};
  for (WireReader in(graph_def); in.Next();) {
    if (in.field() == kNodes) {
      ++added->nodes;
      TENSH_RETURN_IF_ERROR(CheckOp(deny_ops, in.bytes()));
    }
    if (in.field() != kLibrary) continue;
    for (WireReader library(in.bytes()); library.Next();) {
      if (library.field() != kFunctions) continue;
      std::string name;
      int64_t inside = 0;
      TENSH_RETURN_IF_ERROR(CheckFunction(deny_ops, library.bytes(), &name, &inside));
      if (!count.functions.count(name) && added->functions.insert(name).second)
        added->nodes += inside;
    }
  }
  return CheckNodes(count.nodes + added->nodes);
}

std::vector<std::string> SplitPatterns(std::string_view text) {
  std::vector<std::string> patterns;
  while (!text.empty()) {
    const size_t comma = text.find(',');
    const std::string_view pattern = Trim(text.substr(0, comma));
    if (!pattern.empty()) patterns.emplace_back(pattern);
    text = comma == text.npos ? "" : text.substr(comma + 1);
  }
  return patterns;
}

}  // namespace tensh::dist
