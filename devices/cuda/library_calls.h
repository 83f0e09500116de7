#pragma once
// Calls of the math libraries from kernels.
#include "devices/cuda/cuda_kernel.h"
#include "devices/cuda/math_libraries.h"

namespace tensh::cuda {

// Calls fn(libraries, gpu, stream, scratch) twice: for the bytes of scratch memory that it needs, and with this memory. If the
// library has no memory left for itself, the blocks that are kept for reuse are freed and the call is repeated.
template <class Fn>
Status CallLibrary(KernelCtx& c, Fn fn) {
  CudaStream& s = StreamOf(c);
  TENSH_RETURN_IF_ERROR(s.driver().Use(s.gpu()));
  const auto call = [&](void* scratch) -> Result<size_t> {
    Result<size_t> result = fn(*TheMathLibraries(), s.gpu(), s.stream(), scratch);
    if (result.ok() || result.status().code() != Code::kResourceExhausted || !s.memory())
      return result;
    s.memory()->MakeRoom();
    return fn(*TheMathLibraries(), s.gpu(), s.stream(), scratch);
  };
  TENSH_ASSIGN(const size_t bytes, call(nullptr));
  TENSH_ASSIGN(const Tensor scratch,
               Scratch(c, DType::kUint8, std::max<int64_t>(1, static_cast<int64_t>(bytes))));
  return call(scratch.raw()).status();
}

}  // namespace tensh::cuda
