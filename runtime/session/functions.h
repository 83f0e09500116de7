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
  Result<CalledFunction*> Find(const FuncAttr& function, std::string_view caller) override;
  std::vector<std::string> devices() const override;
  // Returns the stages of the function's body as they run if the caller is on this device. Compiles
  // the body. The result lives as long as the session.
  Result<const Stages*> BodyOf(const FuncAttr& function, std::string_view caller);
  // Drops all functions. No call may be running, and none may follow.
  void Clear();

 private:
  class Instance;
  Result<Instance*> FindInstance(const FuncAttr& function, std::string_view caller);
  const OpRegistry& ops_;
  const std::shared_ptr<FunctionLibrary> library_;
  const Options options_;
  std::mutex mu_;
  std::unordered_map<std::string, std::unique_ptr<Instance>> instances_;  // guarded by mu_
};

}  // namespace tensh
