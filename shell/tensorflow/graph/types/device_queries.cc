// tf.test's questions about GPUs, which the runtime answers.
#include "shell/python/values/containers.h"
#include "shell/tensorflow/graph/rows.h"

namespace tensh::shell::tf {
namespace {

bool HasGpu() { return TakeText(tsh_why_no_device("GPU")).empty(); }

const FunctionRow kRows[] = {
    {"is_gpu_available", "cuda_only=False, min_cuda_compute_capability=None",
     [](Args&) { return Value::Bool(HasGpu()); },
     "True if this machine has a GPU that can be used."},
    {"is_built_with_cuda", "", [](Args&) { return Value::Bool(HasGpu()); },
     "True if the CUDA plug-in was found and has a GPU."},
    {"gpu_device_name", "", [](Args&) { return MakeStr(HasGpu() ? "/device:GPU:0" : ""); },
     "The name of the first GPU, or an empty string."},
};

}  // namespace

std::span<const FunctionRow> DeviceQueryRows() { return kRows; }

}  // namespace tensh::shell::tf
