#include "devices/cuda/solver.h"

#include <algorithm>
#include <utility>

#include "devices/cuda/cuda_libraries.h"
#include "devices/cuda/cuda_status.h"
#include "devices/cuda/fft.h"
#include "devices/cuda/solver_api.h"
#include "runtime/core/strcat.h"

namespace tensh::cuda {
namespace {

using namespace solver;

constexpr auto kVersions = {kCusolver13Library, kCusolver12Library};
constexpr size_t kAlign = 256;  // bytes

Status SolverStatus(StatusCode code, const char* what) {
  if (code == kSuccess) return {};
  TENSH_RETURN_IF_ERROR(ToStatus(cudaGetLastError(), what));
  if (code == kNoMemory) return ResourceExhausted(what, ": no memory");
  return Internal(what, ": error ", code, " of cuSOLVER");
}

struct Types {
  cudaDataType element, real;
  int number;   // in Functions::q
  size_t size;  // bytes of an element
};
Types TypesOf(DType type) {
  switch (type) {
    case DType::kFloat:
      return {CUDA_R_32F, CUDA_R_32F, 0, 4};
    case DType::kDouble:
      return {CUDA_R_64F, CUDA_R_64F, 1, 8};
    case DType::kComplex64:
      return {CUDA_C_32F, CUDA_R_32F, 2, 8};
    default:
      return {CUDA_C_64F, CUDA_R_64F, 3, 16};
  }
}

}  // namespace

struct Solver::Functions {
  Create *create, *create_params;
  SetStream* set_stream;
  CholeskyScratch* cholesky_scratch;
  Cholesky* cholesky;
  LuScratch* lu_scratch;
  Lu* lu;
  Solve* solve;
  QrScratch* qr_scratch;
  Qr* qr;
  QScratch* q_scratch[4];  // by Types::number
  Q* q[4];
  EigenScratch* eigen_scratch;
  Eigen* eigen;
  SvdScratch* svd_scratch;
  Svd* svd;
};

struct Solver::Handle {
  void *handle = nullptr, *params = nullptr;
  std::vector<char> host;  // scratch memory of the calls that work on the host as well
};

// One call: its scratch memory, which consists of LAPACK's tau or a status, and of cuSOLVER's own.
struct Solver::Work {
  const Functions& f;
  Handle& h;
  const MatrixCall& call;
  const Types t = TypesOf(call.type);
  size_t on_device = 0, on_host = 0, first = 0;
  void *tau = nullptr, *device = nullptr, *host = nullptr;

  signed char PartOfU() const {
    return static_cast<signed char>(!call.vectors ? 'N' : call.others == call.rows ? 'A' : 'S');
  }
  signed char PartOfV() const { return static_cast<signed char>(call.vectors ? 'A' : 'N'); }
  int64_t reflections() const { return std::min(call.rows, call.columns); }

  StatusCode Sizes() {
    const int64_t m = call.rows, n = call.columns;
    switch (call.kind) {
      case MatrixCall::kCholesky:
        return f.cholesky_scratch(h.handle, h.params, kLower, m, t.element, call.a, m, t.element,
                                  &on_device, &on_host);
      case MatrixCall::kLu:
        return f.lu_scratch(h.handle, h.params, m, m, t.element, call.a, m, t.element, &on_device,
                            &on_host);
      case MatrixCall::kSolve:
        first = sizeof(int);
        return kSuccess;
      case MatrixCall::kQr:
        return SizesOfQr();
      case MatrixCall::kEigen:
        return f.eigen_scratch(h.handle, h.params, call.vectors ? kVectors : kNoVectors, kLower, m,
                               t.element, call.a, m, t.real, call.values, t.element, &on_device,
                               &on_host);
      case MatrixCall::kSvd:
        return f.svd_scratch(h.handle, h.params, PartOfU(), PartOfV(), m, n, t.element, call.a, m,
                             t.real, call.values, t.element, call.b, m, t.element, call.c, n,
                             t.element, &on_device, &on_host);
    }
    return kSuccess;
  }
  StatusCode SizesOfQr() {
    const int64_t m = call.rows;
    first = static_cast<size_t>(reflections()) * t.size;
    int elements = 0;
    const StatusCode code = f.q_scratch[t.number](
        h.handle, static_cast<int>(m), static_cast<int>(call.others),
        static_cast<int>(reflections()), call.b, static_cast<int>(m), call.a, &elements);
    if (code != kSuccess) return code;
    const StatusCode next = f.qr_scratch(h.handle, h.params, m, call.columns, t.element, call.a, m,
                                         t.element, call.a, t.element, &on_device, &on_host);
    on_device = std::max(on_device, static_cast<size_t>(elements) * t.size);
    return next;
  }

  StatusCode Run(cudaStream_t stream) {
    const int64_t m = call.rows, n = call.columns;
    switch (call.kind) {
      case MatrixCall::kCholesky:
        return f.cholesky(h.handle, h.params, kLower, m, t.element, call.a, m, t.element, device,
                          on_device, host, on_host, call.info);
      case MatrixCall::kLu:
        return f.lu(h.handle, h.params, m, m, t.element, call.a, m, call.pivots, t.element, device,
                    on_device, host, on_host, call.info);
      case MatrixCall::kSolve:
        return f.solve(h.handle, h.params, OpOf(), m, call.others, t.element, call.a, m,
                       call.pivots, t.element, call.b, m, static_cast<int*>(tau));
      case MatrixCall::kQr:
        return RunQr(stream);
      case MatrixCall::kEigen:
        return f.eigen(h.handle, h.params, call.vectors ? kVectors : kNoVectors, kLower, m,
                       t.element, call.a, m, t.real, call.values, t.element, device, on_device,
                       host, on_host, call.info);
      case MatrixCall::kSvd:
        return f.svd(h.handle, h.params, PartOfU(), PartOfV(), m, n, t.element, call.a, m, t.real,
                     call.values, t.element, call.b, m, t.element, call.c, n, t.element, device,
                     on_device, host, on_host, call.info);
    }
    return kSuccess;
  }
  int OpOf() const {
    const bool real = t.element == t.real;
    return call.op == MatrixCall::kPlain                ? kPlain
           : call.op == MatrixCall::kTransposed || real ? kTransposed
                                                        : kAdjoint;
  }
  StatusCode RunQr(cudaStream_t stream) {
    const int64_t m = call.rows;
    const StatusCode code =
        f.qr(h.handle, h.params, m, call.columns, t.element, call.a, m, t.element, tau, t.element,
             device, on_device, host, on_host, call.info);
    if (code != kSuccess) return code;
    const size_t bytes = static_cast<size_t>(m * reflections()) * t.size;
    // An error of CUDA is found by SolverStatus.
    if (cudaMemcpyAsync(call.b, call.a, bytes, cudaMemcpyDeviceToDevice, stream) != cudaSuccess)
      return -1;
    return f.q[t.number](h.handle, static_cast<int>(m), static_cast<int>(call.others),
                         static_cast<int>(reflections()), call.b, static_cast<int>(m), tau, device,
                         static_cast<int>(on_device / t.size), call.info);
  }
};

Solver::Solver(std::vector<std::string> folders) : folders_(std::move(folders)) {}
Solver::~Solver() = default;

bool Solver::IsInstalled() const { return IsCudaLibraryInstalled(kVersions, folders_); }

Result<const Solver::Functions*> Solver::Load() {
  if (functions_) return functions_.get();
  SharedLibrary library = LoadCudaLibrary(kVersions, {}, folders_);
  auto f = std::make_unique<Functions>();
  library.Find("cusolverDnCreate", &f->create);
  library.Find("cusolverDnCreateParams", &f->create_params);
  library.Find("cusolverDnSetStream", &f->set_stream);
  library.Find("cusolverDnXpotrf_bufferSize", &f->cholesky_scratch);
  library.Find("cusolverDnXpotrf", &f->cholesky);
  library.Find("cusolverDnXgetrf_bufferSize", &f->lu_scratch);
  library.Find("cusolverDnXgetrf", &f->lu);
  library.Find("cusolverDnXgetrs", &f->solve);
  library.Find("cusolverDnXgeqrf_bufferSize", &f->qr_scratch);
  library.Find("cusolverDnXgeqrf", &f->qr);
  const char* const names[] = {"Sorgqr", "Dorgqr", "Cungqr", "Zungqr"};
  for (int i = 0; i < 4; ++i) {
    library.Find(StrCat("cusolverDn", names[i], "_bufferSize").c_str(), &f->q_scratch[i]);
    library.Find(StrCat("cusolverDn", names[i]).c_str(), &f->q[i]);
  }
  library.Find("cusolverDnXsyevd_bufferSize", &f->eigen_scratch);
  library.Find("cusolverDnXsyevd", &f->eigen);
  library.Find("cusolverDnXgesvd_bufferSize", &f->svd_scratch);
  library.Find("cusolverDnXgesvd", &f->svd);
  if (!library.complete())
    return FailedPrecondition(
        "linear algebra on a GPU: ",
        library.loaded() ? "cuSOLVER lacks a function that tensh needs" : library.error(), "; ",
        AdviceOn(MathLibrary::kSolver), "; or place it on the CPU with tf.device('/cpu:0')");
  functions_ = std::move(f);
  return functions_.get();
}

Result<Solver::Handle*> Solver::HandleOf(const Functions& solver, int gpu, Stream stream) {
  std::unique_ptr<Handle>& known = handles_[gpu];
  if (!known) {
    auto made = std::make_unique<Handle>();
    TENSH_RETURN_IF_ERROR(SolverStatus(solver.create(&made->handle), "cuSOLVER does not start"));
    TENSH_RETURN_IF_ERROR(
        SolverStatus(solver.create_params(&made->params), "cuSOLVER does not start"));
    known = std::move(made);
  }
  TENSH_RETURN_IF_ERROR(
      SolverStatus(solver.set_stream(known->handle, static_cast<cudaStream_t>(stream)),
                   "cuSOLVER refuses the stream"));
  return known.get();
}

Result<size_t> Solver::Call(int gpu, Stream stream, const MatrixCall& call, void* scratch) {
  if (call.rows > INT32_MAX || call.columns > INT32_MAX)
    return Unimplemented("a matrix of ", call.rows, " by ", call.columns, " by cuSOLVER");
  std::lock_guard lock(mu_);
  TENSH_ASSIGN(const Functions* f, Load());
  TENSH_ASSIGN(Handle * handle, HandleOf(*f, gpu, stream));
  Work work{.f = *f, .h = *handle, .call = call};
  TENSH_RETURN_IF_ERROR(SolverStatus(work.Sizes(), "the memory of a decomposition"));
  const size_t first = (work.first + kAlign - 1) / kAlign * kAlign;
  if (!scratch) return first + work.on_device;
  if (work.on_host > handle->host.size()) {
    // The calls before this one may still use the memory.
    TENSH_RETURN_IF_ERROR(
        ToStatus(cudaStreamSynchronize(static_cast<cudaStream_t>(stream)), "work on the GPU"));
    handle->host.resize(work.on_host);
  }
  work.tau = scratch;
  work.device = static_cast<char*>(scratch) + first;
  work.host = handle->host.data();
  TENSH_RETURN_IF_ERROR(
      SolverStatus(work.Run(static_cast<cudaStream_t>(stream)), "a decomposition"));
  return size_t{0};
}

namespace {

class RealMathLibraries : public MathLibraries {
 public:
  explicit RealMathLibraries(const std::vector<std::string>& folders)
      : fft_(folders), solver_(folders) {}
  bool Has(MathLibrary library) override {
    return library == MathLibrary::kFft ? fft_.IsInstalled() : solver_.IsInstalled();
  }
  Result<size_t> Fft(int gpu, Stream stream, const FftCall& call, void* scratch) override {
    return fft_.Call(gpu, stream, call, scratch);
  }
  Result<size_t> Matrix(int gpu, Stream stream, const MatrixCall& call, void* scratch) override {
    return solver_.Call(gpu, stream, call, scratch);
  }

 private:
  class Fft fft_;
  Solver solver_;
};

}  // namespace

std::unique_ptr<MathLibraries> NewRealMathLibraries(const std::vector<std::string>& folders) {
  return std::make_unique<RealMathLibraries>(folders);
}

}  // namespace tensh::cuda
