#include "devices/cuda/fft.h"

#include <utility>

#include "devices/cuda/cuda_libraries.h"
#include "devices/cuda/cuda_status.h"
#include "devices/cuda/fft_api.h"
#include "runtime/core/strcat.h"

namespace tensh::cuda {
namespace {

constexpr auto kVersions = {kCufft13Library, kCufft12Library};
constexpr size_t kMostPlans = 64;

Status FftStatus(fft::StatusCode code, const char* what) {
  if (code == fft::kSuccess) return {};
  TENSH_RETURN_IF_ERROR(ToStatus(cudaGetLastError(), what));
  if (code == fft::kNoMemory) return ResourceExhausted(what, ": no memory");
  return Internal(what, ": error ", code, " of cuFFT");
}

}  // namespace

struct Fft::Functions {
  fft::Create* create;
  fft::Destroy* destroy;
  fft::SetAutoAllocation* set_auto_allocation;
  fft::MakePlan* make_plan;
  fft::SetScratch* set_scratch;
  fft::SetStream* set_stream;
  fft::RunComplex* run_complex[2];  // by FftCall::wide, as are the others
  fft::RunReal *run_from_real[2], *run_to_real[2];
};

Fft::Fft(std::vector<std::string> folders) : folders_(std::move(folders)) {}
Fft::~Fft() = default;

bool Fft::IsInstalled() const { return IsCudaLibraryInstalled(kVersions, folders_); }

Result<const Fft::Functions*> Fft::Load() {
  if (functions_) return functions_.get();
  SharedLibrary library = LoadCudaLibrary(kVersions, {}, folders_);
  auto f = std::make_unique<Functions>();
  library.Find("cufftCreate", &f->create);
  library.Find("cufftDestroy", &f->destroy);
  library.Find("cufftSetAutoAllocation", &f->set_auto_allocation);
  library.Find("cufftMakePlanMany64", &f->make_plan);
  library.Find("cufftSetWorkArea", &f->set_scratch);
  library.Find("cufftSetStream", &f->set_stream);
  library.Find("cufftExecC2C", &f->run_complex[0]);
  library.Find("cufftExecZ2Z", &f->run_complex[1]);
  library.Find("cufftExecR2C", &f->run_from_real[0]);
  library.Find("cufftExecD2Z", &f->run_from_real[1]);
  library.Find("cufftExecC2R", &f->run_to_real[0]);
  library.Find("cufftExecZ2D", &f->run_to_real[1]);
  if (!library.complete())
    return FailedPrecondition(
        "a Fourier transform on a GPU: ",
        library.loaded() ? "cuFFT lacks a function that tensh needs" : library.error(), "; ",
        AdviceOn(MathLibrary::kFft), "; or place it on the CPU with tf.device('/cpu:0')");
  functions_ = std::move(f);
  return functions_.get();
}

Result<Fft::Plan> Fft::PlanOf(const Functions& fft, int gpu, Stream stream, const FftCall& call) {
  Key key{gpu, call.wide, call.real, call.inverse, call.rank, call.batch};
  for (int i = 0; i < call.rank; ++i) key[6 + static_cast<size_t>(i)] = call.n[i];
  // The direction of a complex transform is not a part of its plan.
  if (!call.real) key[3] = 0;
  if (const auto it = plans_.find(key); it != plans_.end()) return it->second;
  if (plans_.size() >= kMostPlans) {
    // A plan has tables on the GPU, which the work that was queued may still read.
    TENSH_RETURN_IF_ERROR(
        ToStatus(cudaStreamSynchronize(static_cast<cudaStream_t>(stream)), "work on the GPU"));
    for (const auto& [old, plan] : plans_) (void)fft.destroy(plan.handle);
    plans_.clear();
  }
  Plan plan;
  TENSH_RETURN_IF_ERROR(FftStatus(fft.create(&plan.handle), "cuFFT does not start"));
  long long n[3] = {};
  std::copy_n(call.n, call.rank, n);
  const int type =
      (call.real ? call.inverse ? fft::kToReal : fft::kFromReal : fft::kComplex)[call.wide];
  Status status = FftStatus(fft.set_auto_allocation(plan.handle, 0), "cuFFT's memory");
  // Without boxes, the elements are adjacent.
  if (status.ok())
    status = FftStatus(fft.make_plan(plan.handle, call.rank, n, nullptr, 1, 0, nullptr, 1, 0, type,
                                     call.batch, &plan.bytes),
                       "the plan of a Fourier transform");
  if (!status.ok()) {
    (void)fft.destroy(plan.handle);
    return status;
  }
  plans_[key] = plan;
  return plan;
}

Result<size_t> Fft::Call(int gpu, Stream stream, const FftCall& call, void* scratch) {
  std::lock_guard lock(mu_);
  TENSH_ASSIGN(const Functions* fft, Load());
  TENSH_ASSIGN(const Plan plan, PlanOf(*fft, gpu, stream, call));
  if (!scratch) return plan.bytes;
  TENSH_RETURN_IF_ERROR(
      FftStatus(fft->set_stream(plan.handle, static_cast<cudaStream_t>(stream)), "a stream"));
  TENSH_RETURN_IF_ERROR(FftStatus(fft->set_scratch(plan.handle, scratch), "scratch memory"));
  void* const in = const_cast<void*>(call.in);
  const int direction = call.inverse ? fft::kInverse : fft::kForward;
  const fft::StatusCode code =
      !call.real     ? fft->run_complex[call.wide](plan.handle, in, call.out, direction)
      : call.inverse ? fft->run_to_real[call.wide](plan.handle, in, call.out)
                     : fft->run_from_real[call.wide](plan.handle, in, call.out);
  TENSH_RETURN_IF_ERROR(FftStatus(code, "a Fourier transform"));
  return size_t{0};
}

}  // namespace tensh::cuda
