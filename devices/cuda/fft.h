#pragma once
// Fourier transforms by cuFFT, which is loaded by the first one. A plan is kept for each kind of call. Its scratch memory is the
// caller's. Thread-safe.
#include <array>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "devices/cuda/math_libraries.h"

namespace tensh::cuda {

class Fft {
 public:
  explicit Fft(std::vector<std::string> folders);
  ~Fft();
  bool IsInstalled() const;
  // As MathLibraries::Fft.
  Result<size_t> Call(int gpu, Stream stream, const FftCall& call, void* scratch);

 private:
  struct Functions;
  struct Plan {
    int handle = 0;
    size_t bytes = 0;
  };
  using Key = std::array<int64_t, 9>;
  // mu_ must be locked.
  Result<const Functions*> Load();
  Result<Plan> PlanOf(const Functions& fft, int gpu, Stream stream, const FftCall& call);

  const std::vector<std::string> folders_;
  std::mutex mu_;
  std::unique_ptr<Functions> functions_;  // guarded by mu_, as are the following members
  std::map<Key, Plan> plans_;
};

}  // namespace tensh::cuda
