#include "devices/cuda/real_driver.h"

#include <cublas_v2.h>
#include <cuda_runtime_api.h>

#include <atomic>
#include <map>
#include <mutex>

#include "runtime/base/shared_library.h"
#include "runtime/core/strcat.h"

namespace tensh::cuda {
namespace {

// Returns true for errors after which every call fails in the same way until the process ends.
bool IsLasting(cudaError_t error) {
  switch (error) {
    case cudaErrorContained:
    case cudaErrorIllegalAddress:
    case cudaErrorLaunchTimeout:
    case cudaErrorAssert:
    case cudaErrorHardwareStackError:
    case cudaErrorIllegalInstruction:
    case cudaErrorMisalignedAddress:
    case cudaErrorInvalidAddressSpace:
    case cudaErrorInvalidPc:
    case cudaErrorLaunchFailure:
    case cudaErrorTensorMemoryLeak:
    case cudaErrorMpsClientTerminated:
    case cudaErrorExternalDevice:
      return true;
    default:
      return false;
  }
}

// Clears the error of a call. Otherwise cudaGetLastError would attribute it to the next launch.
void Forget(cudaError_t error) {
  if (error != cudaSuccess) (void)cudaGetLastError();
}

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
  if (error == cudaErrorNoKernelImageForDevice)
    return Internal(text).WithHint(
        "tensh was built for other GPUs: rebuild it with TENSH_CUDA_ARCH set for this one");
  return Internal(text);
}

// Spelled out, because the function is overloaded.
using GemmEx = cublasStatus_t (*)(cublasHandle_t, cublasOperation_t, cublasOperation_t, int, int,
                                  int, const void* alpha, const void* a, cudaDataType, int lda,
                                  long long stride_a, const void* b, cudaDataType, int ldb,
                                  long long stride_b, const void* beta, void* y, cudaDataType,
                                  int ldy, long long stride_y, int batch, cublasComputeType_t,
                                  cublasGemmAlgo_t);

// The functions of cuBLAS in use, which is loaded dynamically.
struct Blas {
  decltype(&cublasCreate_v2) create;
  decltype(&cublasSetStream_v2) set_stream;
  decltype(&cublasSetMathMode) set_math_mode;
  decltype(&cublasSgemmStridedBatched) sgemm;
  decltype(&cublasDgemmStridedBatched) dgemm;
  decltype(&cublasCgemmStridedBatched) cgemm;
  decltype(&cublasZgemmStridedBatched) zgemm;
  GemmEx gemm_ex;
};

Result<const Blas*> LoadBlas() {
  SharedLibrary library(kCublas13Library);
  if (!library.loaded()) library = SharedLibrary(kCublas12Library);
  if (!library.loaded())
    return Unimplemented("matrix products on a GPU need cuBLAS: ", library.error())
        .WithHint("install libcublas for CUDA 13, or add its folder to LD_LIBRARY_PATH");
  static Blas blas;
  library.Find("cublasCreate_v2", &blas.create);
  library.Find("cublasSetStream_v2", &blas.set_stream);
  library.Find("cublasSetMathMode", &blas.set_math_mode);
  library.Find("cublasSgemmStridedBatched", &blas.sgemm);
  library.Find("cublasDgemmStridedBatched", &blas.dgemm);
  library.Find("cublasCgemmStridedBatched", &blas.cgemm);
  library.Find("cublasZgemmStridedBatched", &blas.zgemm);
  library.Find("cublasGemmStridedBatchedEx", &blas.gemm_ex);
  if (!library.complete()) return Unimplemented("this cuBLAS lacks a function that tensh needs");
  return &blas;
}

template <class... Text>
Status BlasStatus(cublasStatus_t status, const Text&... what) {
  if (status == CUBLAS_STATUS_SUCCESS) return {};
  // CUDA's own error, if there is one, is more specific.
  TENSH_RETURN_IF_ERROR(ToStatus(cudaGetLastError(), StrCat(what...).c_str()));
  if (status == CUBLAS_STATUS_ALLOC_FAILED) return ResourceExhausted(what..., ": no memory");
  return Internal(what..., ": error ", static_cast<int>(status), " of cuBLAS");
}

class RealDriver : public Driver {
 public:
  Result<int> Count() override {
    int count = 0;
    const cudaError_t error = cudaGetDeviceCount(&count);
    if (error == cudaErrorNoDevice) return 0;
    TENSH_RETURN_IF_ERROR(ToStatus(error, "CUDA"));
    return count;
  }
  Result<GpuInfo> Info(int gpu) override {
    cudaDeviceProp p;
    TENSH_RETURN_IF_ERROR(ToStatus(cudaGetDeviceProperties(&p, gpu), "GPU properties"));
    char bus[32] = {};
    Forget(cudaDeviceGetPCIBusId(bus, sizeof bus, gpu));
    return GpuInfo{p.name, bus, p.major, p.minor, p.totalGlobalMem};
  }
  Status Use(int gpu) override {
    static thread_local int current = -1;
    if (current == gpu) return {};
    current = -1;
    TENSH_RETURN_IF_ERROR(ToStatus(cudaSetDevice(gpu), "choosing a GPU"));
    TENSH_RETURN_IF_ERROR(KeepFreedMemory(gpu));
    current = gpu;
    return {};
  }

  Result<Stream> NewStream() override {
    cudaStream_t stream;
    TENSH_RETURN_IF_ERROR(
        ToStatus(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "a new stream"));
    return static_cast<Stream>(stream);
  }
  Status Wait(Stream stream) override {
    return ToStatus(cudaStreamSynchronize(static_cast<cudaStream_t>(stream)), "work on the GPU");
  }
  Result<Event> NewEvent() override {
    cudaEvent_t event;
    TENSH_RETURN_IF_ERROR(
        ToStatus(cudaEventCreateWithFlags(&event, cudaEventDisableTiming), "a new event"));
    return static_cast<Event>(event);
  }
  Status Record(Event event, Stream stream) override {
    return ToStatus(
        cudaEventRecord(static_cast<cudaEvent_t>(event), static_cast<cudaStream_t>(stream)),
        "an event");
  }
  Status WaitFor(Stream stream, Event event) override {
    return ToStatus(
        cudaStreamWaitEvent(static_cast<cudaStream_t>(stream), static_cast<cudaEvent_t>(event), 0),
        "a stream's wait");
  }

  Result<void*> Allocate(size_t bytes, Stream stream) override {
    void* data = nullptr;
    TENSH_RETURN_IF_ERROR(ToStatus(cudaMallocAsync(&data, bytes, static_cast<cudaStream_t>(stream)),
                                   "memory on the GPU"));
    return data;
  }
  void Free(void* data, Stream stream) override {
    Forget(cudaFreeAsync(data, static_cast<cudaStream_t>(stream)));
  }
  Result<void*> AllocatePinned(size_t bytes) override {
    void* data = nullptr;
    TENSH_RETURN_IF_ERROR(
        ToStatus(cudaHostAlloc(&data, bytes, cudaHostAllocPortable), "pinned memory"));
    return data;
  }
  Status Copy(void* to, const void* from, size_t bytes, Way way, Stream stream) override {
    static constexpr cudaMemcpyKind kKinds[] = {cudaMemcpyHostToDevice, cudaMemcpyDeviceToHost,
                                                cudaMemcpyDeviceToDevice};
    return ToStatus(cudaMemcpyAsync(to, from, bytes, kKinds[static_cast<int>(way)],
                                    static_cast<cudaStream_t>(stream)),
                    "a copy");
  }
  Status CopyPeer(void* to, int to_gpu, const void* from, int from_gpu, size_t bytes,
                  Stream stream) override {
    return ToStatus(
        cudaMemcpyPeerAsync(to, to_gpu, from, from_gpu, bytes, static_cast<cudaStream_t>(stream)),
        "a copy between GPUs");
  }

  Status Launched() override { return ToStatus(cudaGetLastError(), "a kernel"); }
  Status Gemm(Stream stream, const GemmCall& call) override;

  // The mode is relaxed, because memory may be allocated on another stream in the meantime. The
  // cuBLAS handle is created beforehand, because its creation is not allowed even then.
  Status BeginCapture(Stream stream) override {
    if (blas_loaded_) {
      std::lock_guard lock(mu_);
      TENSH_RETURN_IF_ERROR(Handle(stream).status());
    }
    return ToStatus(
        cudaStreamBeginCapture(static_cast<cudaStream_t>(stream), cudaStreamCaptureModeRelaxed),
        "recording a graph");
  }
  Result<Graph> EndCapture(Stream stream) override {
    cudaGraph_t graph = nullptr;
    TENSH_RETURN_IF_ERROR(ToStatus(cudaStreamEndCapture(static_cast<cudaStream_t>(stream), &graph),
                                   "recording a graph"));
    cudaGraphExec_t ready = nullptr;
    const cudaError_t error = cudaGraphInstantiate(&ready, graph, 0);
    Status status = ToStatus(error, "a graph");
    Forget(cudaGraphDestroy(graph));
    TENSH_RETURN_IF_ERROR(status);
    return static_cast<Graph>(ready);
  }
  Status Launch(Graph graph, Stream stream) override {
    return ToStatus(
        cudaGraphLaunch(static_cast<cudaGraphExec_t>(graph), static_cast<cudaStream_t>(stream)),
        "a graph");
  }
  void FreeGraph(Graph graph) override {
    Forget(cudaGraphExecDestroy(static_cast<cudaGraphExec_t>(graph)));
  }

 private:
  // Keeps freed memory in the process instead of returning it to the system.
  static Status KeepFreedMemory(int gpu) {
    cudaMemPool_t pool;
    TENSH_RETURN_IF_ERROR(ToStatus(cudaDeviceGetDefaultMemPool(&pool, gpu), "the memory pool"));
    uint64_t all = UINT64_MAX;
    return ToStatus(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &all),
                    "the memory pool");
  }

  static const Result<const Blas*>& LoadedBlas() {
    static const auto* loaded = new Result<const Blas*>(LoadBlas());
    return *loaded;
  }
  // mu_ must be locked.
  Result<cublasHandle_t> Handle(Stream stream) {
    cublasHandle_t& handle = handles_[stream];
    if (!handle)
      TENSH_RETURN_IF_ERROR(BlasStatus((*LoadedBlas())->create(&handle), "cuBLAS does not start"));
    return handle;
  }

  std::mutex mu_;
  std::map<Stream, cublasHandle_t> handles_;  // guarded by mu_
  std::atomic<bool> blas_loaded_{false};
};

// cuBLAS uses column-major matrices, which are the transposes of ours, hence (a·b)ᵀ = bᵀ·aᵀ.
Status RealDriver::Gemm(Stream stream, const GemmCall& g) {
  if (!LoadedBlas().ok()) return LoadedBlas().status();
  blas_loaded_ = true;
  const Blas& blas = **LoadedBlas();
  std::lock_guard lock(mu_);
  TENSH_ASSIGN(const cublasHandle_t handle, Handle(stream));
  TENSH_RETURN_IF_ERROR(BlasStatus(blas.set_stream(handle, static_cast<cudaStream_t>(stream)),
                                   "cuBLAS refuses the stream"));
  // TF32 stays off, which is the default. 16-bit floats are accumulated in float throughout.
  constexpr auto kMode = static_cast<cublasMath_t>(
      CUBLAS_DEFAULT_MATH | CUBLAS_MATH_DISALLOW_REDUCED_PRECISION_REDUCTION);
  TENSH_RETURN_IF_ERROR(BlasStatus(blas.set_math_mode(handle, kMode), "cuBLAS's precision"));
  if (g.m > INT32_MAX || g.n > INT32_MAX || g.k > INT32_MAX || g.batch > INT32_MAX)
    return Unimplemented("a matrix product of ", g.m, " by ", g.k, " and ", g.k, " by ", g.n,
                         " on a GPU");
  const cublasOperation_t turned = g.adjoint ? CUBLAS_OP_C : CUBLAS_OP_T;
  const cublasOperation_t op_a = g.transpose_a ? turned : CUBLAS_OP_N;
  const cublasOperation_t op_b = g.transpose_b ? turned : CUBLAS_OP_N;
  const int m = static_cast<int>(g.m), n = static_cast<int>(g.n), k = static_cast<int>(g.k);
  const int lda = g.transpose_a ? m : k, ldb = g.transpose_b ? k : n;
  const auto call = [&]<class T>(auto gemm, T one) {
    const T zero{};
    return gemm(handle, op_b, op_a, n, m, k, &one, static_cast<const T*>(g.b), ldb, g.stride_b,
                static_cast<const T*>(g.a), lda, g.stride_a, &zero, static_cast<T*>(g.y), n,
                g.stride_y, static_cast<int>(g.batch));
  };
  // Uses the tensor cores for 16-bit floats, accumulated in float.
  const auto call_ex = [&](cudaDataType type) {
    const float one = 1, zero = 0;
    return blas.gemm_ex(handle, op_b, op_a, n, m, k, &one, g.b, type, ldb, g.stride_b, g.a, type,
                        lda, g.stride_a, &zero, g.y, type, n, g.stride_y, static_cast<int>(g.batch),
                        CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT);
  };
  const cublasStatus_t status = g.type == DType::kDouble      ? call(blas.dgemm, 1.0)
                                : g.type == DType::kHalf      ? call_ex(CUDA_R_16F)
                                : g.type == DType::kBfloat16  ? call_ex(CUDA_R_16BF)
                                : g.type == DType::kComplex64 ? call(blas.cgemm, cuComplex{1, 0})
                                : g.type == DType::kComplex128
                                    ? call(blas.zgemm, cuDoubleComplex{1, 0})
                                    : call(blas.sgemm, 1.0f);
  return BlasStatus(status, "a product of ", g.m, " by ", g.k, " and ", g.k, " by ", g.n);
}

}  // namespace

std::unique_ptr<Driver> NewRealDriver() { return std::make_unique<RealDriver>(); }

}  // namespace tensh::cuda
