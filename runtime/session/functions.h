#pragma once
// The functions that a session has called. The first call compiles the body of a function into a
// plan, through the same stages as any Run. The plan is kept until the session closes. A call runs
// the plan as a step within the caller's step. Thread-safe.
#include <mutex>
#include <unordered_map>

#include "runtime/core/function.h"
#include "runtime/exec/evaluator.h"
#include "runtime/exec/plan.h"

namespace tensh {

class SessionFunctions : public FunctionRuntime {
 public:
  struct Options {
    DeviceMgr* devices;
    ResourceTable* resources;
    PlaceOptions place;              // `kept` and `home` are ignored
    Evaluator evaluator = nullptr;   // for tests: runs bodies in place of compiled programs
    Allocator* allocator = nullptr;  // as in CompileOptions
    bool optimize = true;            // SessionConfig::optimize
  };
  SessionFunctions(const Graph& graph, const Options& options);
  ~SessionFunctions() override;
  // The function's body is optimized if the session's new plans are.
  Result<CalledFunction*> Find(const FuncAttr& function, std::string_view caller) override;
  std::vector<std::string> devices() const override;
  // Returns the functions for the nodes of a plan. They are optimized exactly if the plan is, so that
  // a step whose values are kept runs all nodes of bodies, too.
  FunctionRuntime* For(bool optimized) {
    if (optimized) return this;
    return &separate_;
  }
  // Returns the plan of the function's body that a caller on this device, in a plan that is
  // `optimized` or not, runs. Compiles the body. The result lives as long as the session.
  Result<const Plan*> BodyOf(const FuncAttr& function, std::string_view caller, bool optimized);
  // Drops all functions. No call may be running, and none may follow.
  void Clear();

 private:
  class Instance;
  // The functions of plans that run the kernel of each node separately.
  class Separate : public FunctionRuntime {
   public:
    explicit Separate(SessionFunctions& owner) : owner_(owner) {}
    Result<CalledFunction*> Find(const FuncAttr& function, std::string_view caller) override;
    std::vector<std::string> devices() const override { return owner_.devices(); }

   private:
    SessionFunctions& owner_;
  };
  bool Optimizes() const;
  Result<Instance*> FindInstance(const FuncAttr& function, std::string_view caller, bool optimize);
  Separate separate_{*this};
  const OpRegistry& ops_;
  const std::shared_ptr<FunctionLibrary> library_;
  const Options options_;
  std::mutex mu_;
  std::unordered_map<std::string, std::unique_ptr<Instance>> instances_;  // guarded by mu_
};

}  // namespace tensh
