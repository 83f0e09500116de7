#include "devices/cuda/cuda_status.h"

#include "runtime/core/strcat.h"

namespace tensh::cuda {
namespace {

// Returns true for errors after which every call fails in the same way until the process ends.
bool IsLasting(cudaError_t error) {
  switch (error) {
    case cudaErrorAssert:
    case cudaErrorContained:
    case cudaErrorContextIsDestroyed:
    case cudaErrorCudartUnloading:
    case cudaErrorDevicesUnavailable:
    case cudaErrorECCUncorrectable:
    case cudaErrorExternalDevice:
    case cudaErrorHardwareStackError:
    case cudaErrorIllegalAddress:
    case cudaErrorIllegalInstruction:
    case cudaErrorInvalidAddressSpace:
    case cudaErrorInvalidPc:
    case cudaErrorLaunchFailure:
    case cudaErrorLaunchTimeout:
    case cudaErrorMisalignedAddress:
    case cudaErrorMpsClientTerminated:
    case cudaErrorNvlinkUncorrectable:
    case cudaErrorTensorMemoryLeak:
      return true;
    default:
      return false;
  }
}

}  // namespace

Status ToStatus(cudaError_t error, const char* what) {
  if (error == cudaSuccess) return {};
  Forget(error);
  const std::string text = StrCat(what, ": ", cudaGetErrorString(error));
  if (error == cudaErrorMemoryAllocation) return ResourceExhausted(text);
  if (IsLasting(error))
    return Internal(text, "; this process can no longer use its GPUs")
        .WithHint("restart tensh; device_count={'GPU': 0} runs without GPUs");
  if (error == cudaErrorInsufficientDriver)
    return Internal(text).WithHint(
        StrCat("update the NVIDIA driver to one that supports CUDA ", CUDART_VERSION / 1000));
  if (error == cudaErrorNoKernelImageForDevice || error == cudaErrorInvalidDeviceFunction)
    return Internal(text).WithHint(
        "tensh was built for other GPUs: rebuild it with TENSH_CUDA_ARCH set for this one");
  return Internal(text);
}

}  // namespace tensh::cuda
