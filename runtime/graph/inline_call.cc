#include "runtime/graph/inline_call.h"

#include <algorithm>
#include <map>
#include <memory>
#include <vector>

#include "runtime/graph/function_body.h"
#include "runtime/graph/unknown_op.h"

namespace tensh {
namespace {

// Returns true for an op that passes all its inputs to the function in its attribute f.
bool PassesInputs(const OpDef& op) {
  const AttrDef* f = op.FindAttr("f");
  return f && f->kind == AttrKind::kFunc && op.inputs.size() == 1 && op.outputs.size() == 1 &&
         !op.inputs[0].type_list_attr.empty() && !op.outputs[0].type_list_attr.empty() &&
         op.name != kGradientFunction;
}

// Finds the function that a node calls. Returns false if it calls none.
bool FindCall(const Graph& g, NodeId node, FuncAttr* function) {
  const OpDef& op = g.op(node);
  if (IsUnknown(op)) return false;
  if (op.id >= kFunctionOps) {
    *function = {op.name, std::make_shared<const std::vector<NamedAttr>>(g.attrs(node).all())};
    return true;
  }
  if (!PassesInputs(op)) return false;
  *function = g.attrs(node).Func("f");
  return true;
}

class Inliner {
 public:
  Inliner(Graph& graph, std::string_view prefix, uint32_t source)
      : g_(graph), prefix_(StrCat(prefix, "/")), source_(source) {}

  // The results of a call, and the nodes that run before whatever waits for it.
  struct Called {
    std::vector<Output> results;
    std::vector<NodeId> nodes;
  };

  // `path` consists of the names of the calls above, each with a slash.
  Result<Called> Inline(const FuncAttr& function, const std::vector<Output>& args,
                        const std::vector<NodeId>& before, const std::string& path, int depth) {
    constexpr int kMostDepth = 100;
    if (depth > kMostDepth) return ResourceExhausted("the functions call each other too deep");
    TENSH_RETURN_IF_ERROR(Count());
    TENSH_ASSIGN(const std::shared_ptr<const FunctionBody> shared, Body(function));
    const FunctionBody& body = *shared;
    if (body.args.size() != args.size())
      return InvalidArgument("function ", function.name, " has ", body.args.size(),
                             " arguments, but ", args.size(), " are given");
    std::vector<Called> copies(body.graph->size());
    for (size_t i = 0; i < args.size(); ++i)
      copies[Index(body.args[i].node)] = {{args[i]}, {args[i].node}};
    for (uint32_t i = static_cast<uint32_t>(args.size()); i < body.graph->size(); ++i) {
      TENSH_ASSIGN(copies[i], Copy(*body.graph, NodeId{i}, copies, before, path, depth));
    }
    Called called;
    for (const Output& ret : body.rets) {
      called.results.push_back(copies[Index(ret.node)].results[ret.index]);
      called.nodes.push_back(called.results.back().node);
    }
    for (NodeId effect : body.effects)
      for (NodeId node : copies[Index(effect)].nodes) called.nodes.push_back(node);
    std::sort(called.nodes.begin(), called.nodes.end());
    called.nodes.erase(std::unique(called.nodes.begin(), called.nodes.end()), called.nodes.end());
    return called;
  }

 private:
  Result<Called> Copy(const Graph& body, NodeId node, const std::vector<Called>& copies,
                      const std::vector<NodeId>& before, const std::string& path, int depth) {
    std::vector<Output> inputs;
    std::vector<NodeId> controls = before;
    for (uint32_t i = 0; i < body.num_inputs(node); ++i) {
      const ValueId value = body.input(node, i);
      const std::vector<Output>& from = copies[Index(body.node_of(value))].results;
      if (body.index_of(value) >= from.size())
        return Unimplemented("the function contains a loop of Switch and Merge nodes, at ",
                             body.name(node));
      inputs.push_back(from[body.index_of(value)]);
    }
    for (uint32_t i = 0; i < body.num_controls(node); ++i)
      for (NodeId from : copies[Index(body.control(node, i))].nodes) controls.push_back(from);
    if (FuncAttr function; FindCall(body, node, &function))
      return Inline(function, inputs, controls, StrCat(path, body.name(node), "/"), depth + 1);
    return Add(body, node, inputs, controls, path);
  }

  Result<Called> Add(const Graph& body, NodeId node, const std::vector<Output>& inputs,
                     const std::vector<NodeId>& controls, const std::string& path) {
    TENSH_RETURN_IF_ERROR(Count());
    std::string name = StrCat(prefix_, body.name(node));
    if (g_.Find(name) != kNoNode)
      name = g_.UniqueName(StrCat(prefix_, path, body.name(node)), false);
    std::vector<NamedAttr> attrs;
    for (const NamedAttr& attr : body.attrs(node).all())
      if (attr.name != "_class") attrs.push_back(attr);  // names nodes of the body
    const NodeSpec spec{.op = body.op(node).name,
                        .name = name,
                        .device = body.device(node),
                        .inputs = inputs,
                        .controls = controls,
                        .attrs = attrs,
                        .source = source_};
    TENSH_ASSIGN(const NodeId made, g_.Append({&spec, 1}));
    Called copy{{}, {made}};
    for (uint32_t i = 0; i < g_.num_outputs(made); ++i) copy.results.push_back({made, i});
    return copy;
  }

  // Counts a node or a call. A few functions can call each other more often than any machine can follow.
  Status Count() {
    constexpr uint32_t kMostNodes = 100000;
    if (++added_ > kMostNodes)
      return ResourceExhausted("the functions have more than ", kMostNodes, " nodes");
    return {};
  }

  // Bodies of functions without attributes are made once.
  Result<std::shared_ptr<const FunctionBody>> Body(const FuncAttr& function) {
    const bool plain = !function.attrs || function.attrs->empty();
    if (const auto known = bodies_.find(function.name); plain && known != bodies_.end())
      return known->second;
    TENSH_ASSIGN(FunctionBody made, MakeFunctionBody(g_.ops(), g_.shared_functions(), function));
    auto body = std::make_shared<const FunctionBody>(std::move(made));
    if (plain) bodies_.emplace(function.name, body);
    return body;
  }

  Graph& g_;
  const std::string prefix_;
  const uint32_t source_;
  uint32_t added_ = 0;  // nodes and calls
  std::map<std::string, std::shared_ptr<const FunctionBody>, std::less<>> bodies_;
};

}  // namespace

Result<std::vector<Output>> InlineCall(Graph& graph, NodeId call, std::string_view prefix,
                                       uint32_t source) {
  FuncAttr function;
  if (!FindCall(graph, call, &function))
    return InvalidArgument("node '", graph.name(call), "' (", graph.op(call).name,
                           ") does not call a function");
  std::vector<Output> args;
  for (uint32_t i = 0; i < graph.num_inputs(call); ++i) {
    const ValueId value = graph.input(call, i);
    args.push_back({graph.node_of(value), graph.index_of(value)});
  }
  std::vector<NodeId> before;
  for (uint32_t i = 0; i < graph.num_controls(call); ++i) before.push_back(graph.control(call, i));
  std::vector<Output> results;
  TENSH_RETURN_IF_ERROR(graph.AllOrNothing([&]() -> Status {
    TENSH_ASSIGN(Inliner::Called called,
                 Inliner(graph, prefix, source).Inline(function, args, before, "", 0));
    results = std::move(called.results);
    return {};
  }));
  return results;
}

}  // namespace tensh
