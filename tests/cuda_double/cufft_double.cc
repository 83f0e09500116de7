// A double of libcufft.so.12 for tests. It checks plans and memory, and writes what it was called with into the result, as floats.
#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "devices/cuda/fft_api.h"
#include "tests/cuda_double/cuda_double.h"

using namespace tensh::cuda::fft;

namespace {

using cuda_double::Misuse;
constexpr int kFailed = 6;
constexpr size_t kScratch = 4096;

struct Made {
  std::vector<long long> n;
  int type = 0, automatic = 1;
  long long batch = 0;
  void* scratch = nullptr;
  cudaStream_t stream = nullptr;
  // The numbers of one side: reals have one float, complex numbers two.
  size_t Floats(bool complex) const {
    size_t all = static_cast<size_t>(batch);
    const bool half = complex && type != kComplex[0];
    for (size_t i = 0; i < n.size(); ++i)
      all *= static_cast<size_t>(half && i + 1 == n.size() ? n[i] / 2 + 1 : n[i]);
    return complex ? 2 * all : all;
  }
};
std::map<Plan, Made>& Plans() {
  static auto* plans = new std::map<Plan, Made>;
  return *plans;
}
Made& Of(Plan plan, const char* call) {
  if (!Plans().count(plan)) Misuse(std::string(call) + ": no such plan");
  return Plans()[plan];
}

StatusCode Enter(const char* call) {
  const cudaError_t error = cuda_double::Enter(call);
  return error == cudaSuccess ? kSuccess : error == cudaErrorMemoryAllocation ? kNoMemory : kFailed;
}

StatusCode Run(const char* call, Plan plan, int type, bool from_complex, bool to_complex, void* in,
               void* out, float direction) {
  if (const StatusCode code = Enter(call)) return code;
  const Made& m = Of(plan, call);
  if (m.type != type) Misuse(std::string(call) + ": a plan of another type");
  if (!m.scratch) Misuse(std::string(call) + ": no scratch memory");
  cuda_double::CheckMemory(call, m.scratch, kScratch);
  cuda_double::CheckMemory(call, in, sizeof(float) * m.Floats(from_complex));
  cuda_double::CheckMemory(call, out, sizeof(float) * m.Floats(to_complex));
  cuda_double::Do(m.stream, [=] {
    std::vector<float> text = {static_cast<float>(m.type), direction, static_cast<float>(m.batch)};
    text.insert(text.end(), m.n.begin(), m.n.end());
    std::copy_n(text.begin(), std::min(text.size(), m.Floats(to_complex)),
                static_cast<float*>(out));
  });
  return kSuccess;
}

}  // namespace

#define EXPORT CUDA_DOUBLE_EXPORT
extern "C" {

EXPORT StatusCode cufftCreate(Plan* plan) {
  static Plan last = 0;
  if (const StatusCode code = Enter("cufftCreate")) return code;
  if (cuda_double::IsCapturing()) Misuse("cufftCreate: while a stream is captured");
  Plans()[*plan = ++last];
  return kSuccess;
}
EXPORT StatusCode cufftDestroy(Plan plan) {
  Plans().erase(plan);
  return Enter("cufftDestroy");
}
EXPORT StatusCode cufftSetAutoAllocation(Plan plan, int automatic) {
  Of(plan, "cufftSetAutoAllocation").automatic = automatic;
  return Enter("cufftSetAutoAllocation");
}
EXPORT StatusCode cufftMakePlanMany64(Plan plan, int rank, long long* n, long long* in_box,
                                      long long, long long, long long* out_box, long long,
                                      long long, int type, long long batch, size_t* bytes) {
  if (const StatusCode code = Enter("cufftMakePlanMany64")) return code;
  Made& m = Of(plan, "cufftMakePlanMany64");
  if (m.automatic) Misuse("cufftMakePlanMany64: it allocates scratch memory");
  if (in_box || out_box) Misuse("cufftMakePlanMany64: another layout");
  m.n.assign(n, n + rank);
  m.type = type;
  m.batch = batch;
  *bytes = kScratch;
  return kSuccess;
}
EXPORT StatusCode cufftSetWorkArea(Plan plan, void* scratch) {
  Of(plan, "cufftSetWorkArea").scratch = scratch;
  return Enter("cufftSetWorkArea");
}
EXPORT StatusCode cufftSetStream(Plan plan, cudaStream_t stream) {
  Of(plan, "cufftSetStream").stream = stream;
  return Enter("cufftSetStream");
}
EXPORT StatusCode cufftExecC2C(Plan plan, void* in, void* out, int direction) {
  return Run("cufftExecC2C", plan, kComplex[0], true, true, in, out, static_cast<float>(direction));
}
EXPORT StatusCode cufftExecR2C(Plan plan, void* in, void* out) {
  return Run("cufftExecR2C", plan, kFromReal[0], false, true, in, out, 0);
}
EXPORT StatusCode cufftExecC2R(Plan plan, void* in, void* out) {
  return Run("cufftExecC2R", plan, kToReal[0], true, false, in, out, 0);
}
#define UNUSED(name, ...)                  \
  EXPORT StatusCode name(__VA_ARGS__) {    \
    Misuse(#name ": no test has doubles"); \
    return kFailed;                        \
  }
UNUSED(cufftExecZ2Z, Plan, void*, void*, int)
UNUSED(cufftExecD2Z, Plan, void*, void*)
UNUSED(cufftExecZ2D, Plan, void*, void*)
}
