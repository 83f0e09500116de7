#include "runtime/dist/graph_limits.h"

#include <algorithm>

#include "runtime/base/text.h"
#include "runtime/base/wire.h"

namespace tensh::dist {
namespace {

constexpr int64_t kMostFilled = int64_t{1} << 28;
constexpr int64_t kBytesOfString = 32;

// Returns the sum of two sizes, at most INT64_MAX.
int64_t Sum(int64_t a, int64_t b) { return a > INT64_MAX - b ? INT64_MAX : a + b; }

// Returns the number of elements of a TensorShapeProto, at most INT64_MAX.
int64_t ElementsOf(std::string_view shape) {
  constexpr int kDim = 2, kSize = 1;
  int64_t elements = 1;
  for (WireReader in(shape); in.Next();) {
    if (in.field() != kDim) continue;
    int64_t size = 0;
    for (WireReader dim(in.bytes()); dim.Next();)
      if (dim.field() == kSize) size = std::max<int64_t>(dim.integer(), 0);
    if (__builtin_mul_overflow(elements, size, &elements)) return INT64_MAX;
  }
  return elements;
}

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

// Returns the FilledBytes of the tensors in a NodeDef's attributes.
int64_t FilledByNode(std::string_view node_def) {
  constexpr int kAttr = 5, kValue = 2, kTensor = 8, kList = 1;
  int64_t bytes = 0;
  for (WireReader in(node_def); in.Next();) {
    if (in.field() != kAttr) continue;
    for (WireReader entry(in.bytes()); entry.Next();) {
      if (entry.field() != kValue) continue;
      for (WireReader value(entry.bytes()); value.Next();) {
        if (value.field() == kTensor) bytes = Sum(bytes, FilledBytes(value.bytes()));
        if (value.field() != kList) continue;
        for (WireReader list(value.bytes()); list.Next();)
          if (list.field() == kTensor) bytes = Sum(bytes, FilledBytes(list.bytes()));
      }
    }
  }
  return bytes;
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
                     std::string* name, GraphCount* inside) {
  constexpr int kSignature = 1, kNodes = 3, kName = 1;
  for (WireReader in(function); in.Next();) {
    if (in.field() == kSignature)
      for (WireReader op(in.bytes()); op.Next();)
        if (op.field() == kName) *name = op.text();
    if (in.field() != kNodes) continue;
    ++inside->nodes;
    inside->filled = Sum(inside->filled, FilledByNode(in.bytes()));
    TENSH_RETURN_IF_ERROR(CheckOp(deny_ops, in.bytes()));
  }
  return {};
}

}  // namespace

int64_t FilledBytes(std::string_view tensor) {
  constexpr int kDtype = 1, kShape = 2, kContent = 4, kString = 8, kVariant = 15;
  constexpr uint64_t kTypeString = 7, kTypeVariant = 21;
  uint64_t dtype = 0;
  int64_t elements = 1, given = 0;
  for (WireReader in(tensor); in.Next();) {
    if (in.field() == kDtype) dtype = in.varint();
    if (in.field() == kShape) elements = ElementsOf(in.bytes());
    if (in.field() == kString || in.field() == kVariant) ++given;
    if (in.field() == kContent) given += static_cast<int64_t>(in.bytes().size());
  }
  if (dtype != kTypeString && dtype != kTypeVariant) return 0;
  const int64_t missing = elements - std::min(elements, given);
  return missing > INT64_MAX / kBytesOfString ? INT64_MAX : missing * kBytesOfString;
}

Status CheckFilled(int64_t bytes) {
  if (bytes <= kMostFilled) return {};
  return ResourceExhausted(
      "a message requests ", bytes / kBytesOfString,
      " strings or variants that it does not contain, in which one value stands for many; at most ",
      kMostFilled / kBytesOfString, " are allowed");
}

Status FilledOfRequest::Add(std::string_view tensor) {
  bytes_ = Sum(bytes_, FilledBytes(tensor));
  return CheckFilled(bytes_);
}

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
      added->filled = Sum(added->filled, FilledByNode(in.bytes()));
      TENSH_RETURN_IF_ERROR(CheckOp(deny_ops, in.bytes()));
    }
    if (in.field() != kLibrary) continue;
    for (WireReader library(in.bytes()); library.Next();) {
      if (library.field() != kFunctions) continue;
      std::string name;
      GraphCount inside;
      TENSH_RETURN_IF_ERROR(CheckFunction(deny_ops, library.bytes(), &name, &inside));
      if (count.functions.count(name) || !added->functions.insert(name).second) continue;
      added->nodes += inside.nodes;
      added->filled = Sum(added->filled, inside.filled);
    }
  }
  TENSH_RETURN_IF_ERROR(CheckFilled(Sum(count.filled, added->filled)));
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
