#pragma once
// The functions a session has called. Each becomes a plan by its first call, through the same
// stages as any Run, and is kept until the session closes. A call runs that plan within the
// caller's step. Any thread may call anything.
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
    PlaceOptions place;              // `kept` and `home` are of no use here
    Evaluator evaluator = nullptr;   // runs bodies in place of compiled programs; for tests
    Allocator* allocator = nullptr;  // as in CompileOptions
  };
  SessionFunctions(const Graph& graph, const Options& options);
  ~SessionFunctions() override;
  Result<CalledFunction*> Find(const FuncAttr& function, std::string_view caller) override;
  std::vector<std::string> devices() const override;
  // Forgets all functions: no call may be running or come later.
  void Clear();

 private:
  class Instance;
  const OpRegistry& ops_;
  const std::shared_ptr<FunctionLibrary> library_;
  const Options options_;
  std::mutex mu_;
  std::unordered_map<std::string, std::unique_ptr<Instance>> instances_;  // guarded by mu_
};

}  // namespace tensh
