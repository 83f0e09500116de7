#pragma once
// Convolutions by cuDNN 9, which is loaded by the first one. Its algorithms are chosen by its own
// heuristics, among those that always give the same sums, and remembered for each kind of call. A GPU has
// one handle. Thread-safe.
#include <array>
#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "devices/cuda/cuda_driver.h"

namespace tensh::cuda {

class Dnn {
 public:
  // If `tf32`, convolutions of floats round their factors to TF32.
  Dnn(std::vector<std::string> folders, bool tf32);
  ~Dnn();
  // The calling thread must use the GPU. Both return Unimplemented if cuDNN is missing or does not
  // support the call.
  Result<size_t> Scratch(int gpu, const ConvCall& call);
  Status Convolve(int gpu, Stream stream, const ConvCall& call, void* scratch, size_t bytes);
  // Makes the handle of a GPU, if a convolution was computed before. Must precede a capture.
  Status Prepare(int gpu);
  std::string WhyMissing();  // "" if cuDNN could be loaded

 private:
  struct Functions;
  struct Handle;
  struct Plan;
  using Key = std::array<int64_t, 20>;
  // mu_ must be locked.
  Result<const Functions*> Load();
  Result<Handle*> HandleOf(const Functions& dnn, int gpu);
  Result<Plan*> PlanOf(const Functions& dnn, int gpu, const ConvCall& call);
  Status MakePlan(const Functions& dnn, const Handle& handle, const ConvCall& call, Plan* plan);

  const std::vector<std::string> folders_;
  const bool tf32_;
  std::atomic<bool> used_{false};
  std::mutex mu_;
  std::unique_ptr<Functions> functions_;            // guarded by mu_, as are the following members
  std::string why_missing_;                         // set once
  std::map<int, std::unique_ptr<Handle>> handles_;  // by GPU
  std::map<Key, std::unique_ptr<Plan>> plans_;
};

}  // namespace tensh::cuda
