#pragma once
// Decompositions of matrices by cuSOLVER, which is loaded by the first one. A GPU has one handle. Thread-safe.
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "devices/cuda/math_libraries.h"

namespace tensh::cuda {

class Solver {
 public:
  explicit Solver(std::vector<std::string> folders);
  ~Solver();
  bool IsInstalled() const;
  // As MathLibraries::Matrix.
  Result<size_t> Call(int gpu, Stream stream, const MatrixCall& call, void* scratch);

 private:
  struct Functions;
  struct Handle;
  struct Work;
  // mu_ must be locked.
  Result<const Functions*> Load();
  Result<Handle*> HandleOf(const Functions& solver, int gpu, Stream stream);

  const std::vector<std::string> folders_;
  std::mutex mu_;
  std::unique_ptr<Functions> functions_;            // guarded by mu_
  std::map<int, std::unique_ptr<Handle>> handles_;  // guarded by mu_; by GPU
};

}  // namespace tensh::cuda
