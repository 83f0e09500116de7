#pragma once
// Products of matrices by cuBLAS, which is loaded by the first product.
//
// A GPU has one handle with a workspace of our own, whichever stream it works on: recorded work and
// the compute stream never run at the same time. Without a workspace of our own, cuBLAS would allocate
// one within each recorded graph, and a replayed product could use another algorithm than the one that
// was recorded. Thread-safe.
#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "devices/cuda/cuda_driver.h"

namespace tensh::cuda {

class Blas {
 public:
  // If `tf32`, products of floats round their factors to TF32.
  Blas(std::vector<std::string> folders, bool tf32);
  ~Blas();
  // The calling thread must use the GPU.
  Status Gemm(int gpu, Stream stream, const GemmCall& call);
  // Makes the handle of a GPU, if a product was computed before. Must precede a capture, during which
  // handles cannot be made.
  Status Prepare(int gpu);
  std::string WhyMissing();  // "" if cuBLAS could be loaded

 private:
  struct Functions;
  struct Handle;
  Result<const Functions*> Load();
  Result<Handle*> HandleOf(const Functions& blas, int gpu);  // mu_ must be locked

  const std::vector<std::string> folders_;
  const bool tf32_;
  std::atomic<bool> used_{false};
  std::mutex mu_;
  std::unique_ptr<Functions> functions_;            // guarded by mu_
  std::string why_missing_;                         // guarded by mu_; set once
  std::map<int, std::unique_ptr<Handle>> handles_;  // guarded by mu_; by GPU
};

}  // namespace tensh::cuda
