#include "ops/control/while_gradient.h"

#include "ops/control/called_functions.h"

namespace tensh::ops {
namespace {

using Node = FunctionSpec::Node;

class LoopGradient {
 public:
  explicit LoopGradient(GradScope& g)
      : g_(g), cond_(g.attrs().Func("cond")), body_(g.attrs().Func("body")) {}

  Status Run() {
    const int n = g_.num_inputs();
    gradients_ = GradientTypes(g_, 0, {&body_, 1});
    for (int i = 0; i < n; ++i) {
      types_.push_back(g_.dtype(g_.x(i)));
      const bool is_handle = types_.back() == DType::kResource;
      (is_handle ? handles_ : saved_).push_back(i);
      const DType type = is_handle ? g_.HandleType(body_, i) : types_.back();
      if (IsFloating(type) || IsComplex(type) || type == DType::kVariant) flows_.push_back(i);
    }
    if (flows_.empty()) return g_.Return(std::vector<Out>(static_cast<size_t>(n)));
    const Out forward = RunAgain();
    const Out back = RunBack(forward);
    std::vector<Out> dxs(static_cast<size_t>(n));
    for (size_t k = 0; k < flows_.size(); ++k)
      dxs[Index(flows_[k])] =
          g_.Output(back, static_cast<int>(1 + saved_.size() + handles_.size() + k));
    return g_.Return(std::move(dxs));
  }

 private:
  static size_t Index(int i) { return static_cast<size_t>(i); }
  static std::string X(int i) { return StrCat("x_", i); }
  static Node Number(const char* name, int32_t value) {
    return {name, "Const", {}, {{"dtype", DType::kInt32}, {"value", Tensor::Scalar(value)}}};
  }
  // Returns a node that calls one of the loop's own functions with the loop's values.
  Node Call(const FuncAttr& f, AttrValue::Types results) const {
    Node node{"call", "PartitionedCall", {}, {}};
    for (size_t i = 0; i < types_.size(); ++i) node.inputs.push_back(X(static_cast<int>(i)));
    node.attrs = {{"Tin", types_}, {"Tout", std::move(results)}, {"f", f}};
    return node;
  }
  Out Loop(std::span<const Out> values, const FunctionSpec& cond, const FunctionSpec& body) {
    AttrValue::Types types;
    for (const FunctionSpec::Value& v : body.args) types.push_back(v.dtype);
    const FuncAttr c = g_.DefineFunction("__while_cond", cond);
    const FuncAttr b = g_.DefineFunction("__while_body", body);
    if (c.name.empty() || b.name.empty()) return {};
    return g_.OpN("StatelessWhile", values, {{"T", types}, {"cond", c}, {"body", b}}, "While");
  }

  // The loop that repeats the forward pass. Its variables are the number of iterations so far, the
  // values, and one list per saved value.
  Out RunAgain() {
    FunctionSpec body, cond;
    body.args.push_back({"count", DType::kInt32});
    for (size_t i = 0; i < types_.size(); ++i)
      body.args.push_back({X(static_cast<int>(i)), types_[i]});
    for (int s : saved_) body.args.push_back({StrCat("list_", s), DType::kVariant});
    cond.args = body.args;
    cond.nodes = {Call(cond_, {DType::kBool})};
    cond.results = {{"again", DType::kBool, "call:output:0"}};

    body.nodes = {Number("one", 1),
                  {"add", "AddV2", {"count", "one:output:0"}, {{"T", DType::kInt32}}},
                  Call(body_, types_)};
    body.results.push_back({"r_count", DType::kInt32, "add:z:0"});
    for (size_t i = 0; i < types_.size(); ++i)
      body.results.push_back({StrCat("r_", i), types_[i], StrCat("call:output:", i)});
    for (int s : saved_) {
      const std::string push = StrCat("push_", s);
      body.nodes.push_back({push,
                            "TensorListPushBack",
                            {StrCat("list_", s), X(s)},
                            {{"element_dtype", types_[Index(s)]}}});
      body.results.push_back({StrCat("rl_", s), DType::kVariant, push + ":output_handle:0"});
    }

    std::vector<Out> values = {g_.Const(Tensor::Scalar<int32_t>(0), "count")};
    for (int i = 0; i < g_.num_inputs(); ++i) values.push_back(g_.x(i));
    const Out any = g_.Const(Tensor::Scalar<int32_t>(-1), "any");
    for (int s : saved_)
      values.push_back(g_.Op("EmptyTensorList", {any, any}, {{"element_dtype", types_[Index(s)]}},
                             "EmptyTensorList"));
    return Loop(values, cond, body);
  }

  // The loop that runs backwards. Its variables are the number of iterations left, the lists, the
  // handles, and the gradients of the values that have one.
  Out RunBack(Out forward) {
    FunctionSpec cond, body;
    body.args.push_back({"count", DType::kInt32});
    body.results.push_back({"r_count", DType::kInt32, "sub:z:0"});
    body.nodes = {Number("one", 1),
                  Number("any", -1),
                  {"sub", "Sub", {"count", "one:output:0"}, {{"T", DType::kInt32}}}};
    std::vector<Out> values = {g_.Output(forward, 0)};
    for (size_t k = 0; k < saved_.size(); ++k) {
      const int s = saved_[k];
      const std::string list = StrCat("list_", s), pop = StrCat("pop_", s);
      body.args.push_back({list, DType::kVariant});
      body.nodes.push_back({pop,
                            "TensorListPopBack",
                            {list, "any:output:0"},
                            {{"element_dtype", types_[Index(s)]}}});
      body.results.push_back({StrCat("rl_", s), DType::kVariant, pop + ":output_handle:0"});
      values.push_back(g_.Output(forward, static_cast<int>(1 + types_.size() + k)));
    }
    for (int h : handles_) {
      body.args.push_back({X(h), DType::kResource});
      body.results.push_back({StrCat("r_", h), DType::kResource, X(h)});
      values.push_back(g_.x(h));
    }
    AddGradient(body, values);
    cond.args = body.args;
    cond.nodes = {Number("zero", 0),
                  {"more", "Greater", {"count", "zero:output:0"}, {{"T", DType::kInt32}}}};
    cond.results = {{"again", DType::kBool, "more:z:0"}};
    return Loop(values, cond, body);
  }

  // Adds the gradient of one iteration to the body.
  void AddGradient(FunctionSpec& body, std::vector<Out>& values) {
    Node node{"gradient", "SymbolicGradient", {}, {}};
    AttrValue::Types in;
    auto add = [&](std::string input, DType type) {
      node.inputs.push_back(std::move(input));
      in.push_back(type);
    };
    auto value_of = [&](int i) {
      return types_[Index(i)] == DType::kResource ? X(i) : StrCat("pop_", i, ":tensor:0");
    };
    for (int i = 0; i < g_.num_inputs(); ++i) add(value_of(i), types_[Index(i)]);
    size_t flow = 0;
    for (int i = 0; i < g_.num_inputs(); ++i) {
      if (flow == flows_.size() || flows_[flow] != i) {  // its gradient is not used
        add(value_of(i), types_[Index(i)]);
        continue;
      }
      ++flow;
      const std::string name = StrCat("grad_", i);
      const DType type = gradients_[Index(i)];
      body.args.push_back({name, type});
      body.results.push_back({StrCat("rg_", i), type, StrCat("gradient:output:", i)});
      values.push_back(InitialGradient(i, type));
      add(name, type);
    }
    node.attrs = {{"Tin", in}, {"Tout", gradients_}, {"f", body_}};
    body.nodes.push_back(std::move(node));
  }

  Out InitialGradient(int i, DType type) {
    if (types_[Index(i)] != DType::kResource) return g_.dy(i);
    const Out value = g_.Op("ReadVariableOp", {g_.x(i)}, {{"dtype", type}}, "ReadVariableOp");
    return g_.Op("ZerosLike", {value}, {}, "zeros_like");
  }

  GradScope& g_;
  const FuncAttr cond_, body_;
  AttrValue::Types types_, gradients_;  // of the loop's values, and of their gradients
  std::vector<int> saved_, handles_;    // numbers of the values in lists; of those passed on
  std::vector<int> flows_;              // numbers of the values that have a gradient
};

}  // namespace

Status WhileGradient(GradScope& g) { return LoopGradient(g).Run(); }

}  // namespace tensh::ops
