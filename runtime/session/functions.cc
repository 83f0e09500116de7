#include "runtime/session/functions.h"

#include "runtime/exec/step.h"
#include "runtime/graph/function_body.h"
#include "runtime/session/config.h"

namespace tensh {
namespace {

// The depth of nested calls in this thread, and the stack that they use.
struct Calls {
  int depth = 0;
  const char* base = nullptr;
};
thread_local Calls calls;
constexpr int kMostCalls = 1000;
constexpr ptrdiff_t kMostStack = 4 << 20;

class CallGuard {
 public:
  CallGuard() {
    const char here = 0;
    if (calls.depth++ == 0) calls.base = &here;
    too_deep_ = calls.depth > kMostCalls || std::abs(calls.base - &here) > kMostStack;
  }
  ~CallGuard() { --calls.depth; }
  bool too_deep() const { return too_deep_; }

 private:
  bool too_deep_;
};

// Appends a key that is equal for equal functions. Tensor attributes are compared by address.
void AppendKey(std::string& key, const FuncAttr& f) {
  key += f.name;
  if (!f.attrs) return;
  key += '[';
  for (const NamedAttr& a : *f.attrs) {
    key += a.name + '=';
    if (const FuncAttr* inner = a.value.Find<FuncAttr>())
      AppendKey(key, *inner);
    else if (const Tensor* t = a.value.Find<Tensor>())
      key += StrCat(reinterpret_cast<uintptr_t>(t->raw()));
    else
      key += a.value.ToString();
    key += ',';
  }
  key += ']';
}

}  // namespace

class SessionFunctions::Instance : public CalledFunction {
 public:
  // `scope` prefixes the names under which the nodes of the body keep their state. `home` is the
  // device of the caller.
  Instance(SessionFunctions& owner, FuncAttr function, std::string scope, uint16_t home,
           bool optimize)
      : owner_(owner),
        function_(std::move(function)),
        scope_(std::move(scope)),
        home_(home),
        optimize_(optimize) {}

  const std::string& name() const override { return function_.name; }
  Result<size_t> NumResults() override {
    if (!ready_.load(std::memory_order_acquire)) TENSH_RETURN_IF_ERROR(MakePlan().status());
    return body_.rets.size();
  }

  Result<const Plan*> Body() {
    TENSH_ASSIGN(const Plan* plan, MakePlan());
    return plan;
  }

  Status Run(KernelCtx& caller, std::span<Tensor> args, std::span<Tensor> rets) override {
    const CallGuard guard;
    if (guard.too_deep())
      return ResourceExhausted("function ", function_.name, " is called ", calls.depth,
                               " calls deep: does it call itself without end?");
    Plan* plan = ready_.load(std::memory_order_acquire);
    if (__builtin_expect(!plan, 0)) {
      TENSH_ASSIGN(plan, MakePlan());
    }
    TENSH_RETURN_IF_ERROR(Check(args, rets));
    return owner_.options_.evaluator
               ? owner_.options_.evaluator(plan->stages, args, rets,
                                           {.resources = owner_.options_.resources,
                                            .functions = owner_.For(optimize_),
                                            .scope = scope_,
                                            .cancel = caller.cancel()})
               : RunCall(*plan, function_, args, rets, caller.cancel(),
                         caller.allocator()->is_host());
  }

 private:
  Result<Plan*> MakePlan() {
    std::lock_guard lock(mu_);
    if (plan_) return plan_.get();
    TENSH_ASSIGN(body_, MakeFunctionBody(owner_.ops_, owner_.library_, function_));
    const Graph& g = *body_.graph;
    RunSignature signature;
    for (const Output& arg : body_.args) {
      signature.feeds.push_back(g.output(arg.node, arg.index));
      arg_types_.push_back(g.dtype(signature.feeds.back()));
    }
    for (const Output& ret : body_.rets) signature.fetches.push_back(g.output(ret.node, ret.index));
    signature.targets = body_.effects;
    PlaceOptions place = owner_.options_.place;
    place.home = home_;
    CompileOptions options{owner_.options_.devices,
                           owner_.options_.resources,
                           place,
                           owner_.For(optimize_),
                           scope_,
                           true,
                           owner_.options_.allocator};
    options.optimize = optimize_;
    TENSH_ASSIGN(plan_, Compile(g, std::move(signature), options));
    ready_.store(plan_.get(), std::memory_order_release);
    return plan_.get();
  }

  Status Check(std::span<const Tensor> args, std::span<const Tensor> rets) const {
    if (args.size() != arg_types_.size() || rets.size() != body_.rets.size())
      return InvalidArgument("function ", function_.name, " takes ", arg_types_.size(),
                             " arguments and returns ", body_.rets.size(),
                             " results; it is called with ", args.size(), " for ", rets.size());
    for (size_t i = 0; i < args.size(); ++i)
      if (!args[i] || args[i].dtype() != arg_types_[i])
        return InvalidArgument("argument ", i, " of function ", function_.name, " is ",
                               args[i] ? Name(args[i].dtype()) : "missing", "; it must be ",
                               Name(arg_types_[i]));
    return {};
  }

  SessionFunctions& owner_;
  const FuncAttr function_;
  const std::string scope_;
  const uint16_t home_;
  const bool optimize_;
  std::mutex mu_;
  FunctionBody body_;
  std::shared_ptr<Plan> plan_;  // declared after its graph, so that it is destroyed first
  std::vector<DType> arg_types_;
  std::atomic<Plan*> ready_{nullptr};
};

SessionFunctions::SessionFunctions(const Graph& graph, const Options& options)
    : ops_(graph.ops()), library_(graph.shared_functions()), options_(options) {}

SessionFunctions::~SessionFunctions() = default;

Result<CalledFunction*> SessionFunctions::Find(const FuncAttr& function, std::string_view caller) {
  TENSH_ASSIGN(Instance * instance, FindInstance(function, caller, Optimizes()));
  return static_cast<CalledFunction*>(instance);
}

Result<CalledFunction*> SessionFunctions::Separate::Find(const FuncAttr& function,
                                                         std::string_view caller) {
  TENSH_ASSIGN(Instance * instance, owner_.FindInstance(function, caller, false));
  return static_cast<CalledFunction*>(instance);
}

Result<const Plan*> SessionFunctions::BodyOf(const FuncAttr& function, std::string_view caller,
                                             bool optimized) {
  TENSH_ASSIGN(Instance * instance, FindInstance(function, caller, optimized && Optimizes()));
  return instance->Body();
}

bool SessionFunctions::Optimizes() const { return options_.optimize && OptimizesPlans(); }

Result<SessionFunctions::Instance*> SessionFunctions::FindInstance(const FuncAttr& function,
                                                                   std::string_view caller,
                                                                   bool optimize) {
  if (function.name != kGradientFunction && !library_->Find(function.name))
    return NotFound("Function ", function.name, " is not defined.");
  std::string key;
  AppendKey(key, function);
  uint16_t home = 0;
  for (uint16_t d = 0; d < static_cast<uint16_t>(options_.devices->size()); ++d)
    if ((*options_.devices)[d].info().name == caller) home = d;
  std::lock_guard lock(mu_);
  auto& instance = instances_[StrCat(home, optimize ? " " : " each ", key)];
  if (!instance) instance = std::make_unique<Instance>(*this, function, key, home, optimize);
  return instance.get();
}

std::vector<std::string> SessionFunctions::devices() const {
  std::vector<std::string> names;
  for (size_t i = 0; i < options_.devices->size(); ++i)
    names.push_back((*options_.devices)[i].info().name);
  return names;
}

void SessionFunctions::Clear() {
  std::lock_guard lock(mu_);
  instances_.clear();
}

}  // namespace tensh
