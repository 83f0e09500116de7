#include "shell/tensorflow/graph/gradient_override.h"

#include <algorithm>

#include "shell/python/values/error.h"
#include "shell/python/values/ops.h"
#include "shell/python/vm/library.h"
#include "shell/tensorflow/graph/build.h"
#include "shell/tensorflow/graph/convert.h"
#include "shell/tensorflow/graph/indexed_slices.h"

namespace tensh::shell::tf {
namespace {

struct Overrides {
  // maps op to name while the map is in effect
  std::map<std::string, std::string, std::less<>> now;
  std::map<Node, std::string> nodes;
  std::vector<std::string> containers;  // of nested blocks
};

// Keyed by graph id, which is never reused. Graphs without overrides have no entry.
std::map<uint64_t, Overrides>& All() {
  static auto* all = new std::map<uint64_t, Overrides>();
  return *all;
}

Overrides* Find(const GraphObject& g) {
  if (All().empty()) return nullptr;
  auto found = All().find(g.handle().id());
  return found == All().end() ? nullptr : &found->second;
}

bool splitting = false;  // gradients within a piece are computed normally

Value Library(const char* name) { return FromLibrary("gradient_override", Intern(name)); }

Value TensorList(GraphObject& g, std::span<const Out> outs) {
  std::vector<Value> tensors;
  for (const Out out : outs) tensors.push_back(g.Tensor(out));
  return MakeList(std::move(tensors));
}

tsh_gradient FromValue(GraphObject& g, const Value& v) {
  if (v.is_none()) return {kNoOut, kNoOut, kNoOut};
  if (auto* rows = As<IndexedSlicesObject>(v); rows && !rows->dense_shape().is_none())
    return {AsOut(g, rows->values()), AsOut(g, rows->indices()), AsOut(g, rows->dense_shape())};
  return {Convert(g, v, "gradient"), kNoOut, kNoOut};
}

}  // namespace

const std::string* ContainerOf(const GraphObject& g) {
  const Overrides* own = Find(g);
  return own == nullptr || own->containers.empty() ? nullptr : &own->containers.back();
}

void EnterContainer(const GraphObject& g, std::string name) {
  All()[g.handle().id()].containers.push_back(std::move(name));
}

void LeaveContainer(const GraphObject& g) {
  Overrides* own = Find(g);
  if (own != nullptr && !own->containers.empty()) own->containers.pop_back();
}

const char* OverriddenGradient(const GraphObject& g, const char* op) {
  const Overrides* own = Find(g);
  if (own == nullptr) return "";
  auto found = own->now.find(op);
  return found == own->now.end() ? "" : found->second.c_str();
}

void NoteOverridden(const GraphObject& g, Node node, const char* name) {
  if (*name != '\0') Find(g)->nodes[node] = name;
}

bool HasOverrides(const GraphObject& g) {
  const Overrides* own = splitting ? nullptr : Find(g);
  return own != nullptr && !own->nodes.empty();
}

std::vector<tsh_gradient> SplitGradients(GraphObject& g, const GradientsCall& call) {
  std::vector<Value> ops;
  for (const auto& [node, name] : Find(g)->nodes)
    if (node < g.handle().size()) ops.push_back(MakeTuple({g.Operation(node), MakeStr(name)}));
  std::reverse(ops.begin(), ops.end());  // newest first, so that no node comes after its inputs
  struct Splitting {
    Splitting() { splitting = true; }
    ~Splitting() { splitting = false; }
  } pieces;
  const Value made =
      Call(Library("_split_gradients"),
           {MakeList(std::move(ops)), TensorList(g, call.ys), TensorList(g, call.xs),
            call.grad_ys.empty() ? Value::None() : TensorList(g, call.grad_ys),
            TensorList(g, call.stops), call.name.empty() ? Value::None() : MakeStr(call.name)});
  std::vector<tsh_gradient> found;
  for (const Value& v : ToVector(made)) found.push_back(FromValue(g, v));
  return found;
}

Value GradientOverrideMap(Args& a) { return Call(Library("_Override"), {a.self(), a[0]}); }

Value SetGradientOverrides(Args& a) {
  Overrides& own = All()[As<GraphObject>(a.self())->handle().id()];
  Value before = MakeDict();
  for (const auto& [op, name] : own.now) As<DictObject>(before)->dict.Set(op, MakeStr(name));
  own.now.clear();
  for (size_t i = 0; const Dict::Entry* e = As<DictObject>(a[0])->dict.At(&i);)
    own.now[Str(e->key)] = Str(e->value);
  return before;
}

}  // namespace tensh::shell::tf
