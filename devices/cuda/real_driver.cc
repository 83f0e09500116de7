#include "devices/cuda/real_driver.h"

#include <cuda_runtime_api.h>

#include <cctype>
#include <cstdlib>
#include <map>
#include <mutex>
#include <set>
#include <sstream>
#include <utility>

#include "devices/cuda/blas.h"
#include "devices/cuda/cuda_status.h"
#include "devices/cuda/dnn.h"
#include "runtime/core/strcat.h"

namespace tensh::cuda {
namespace {

cudaStream_t Of(Stream stream) { return static_cast<cudaStream_t>(stream); }
cudaEvent_t EventOf(Event event) { return static_cast<cudaEvent_t>(event); }

class RealDriver : public Driver {
 public:
  explicit RealDriver(RealDriverOptions options)
      : options_(std::move(options)),
        blas_(options_.folders, options_.tf32),
        dnn_(options_.folders, options_.tf32) {}

  Result<int> Count() override {
    int count = 0;
    const cudaError_t error = cudaGetDeviceCount(&count);
    if (error == cudaErrorNoDevice) {
      Forget(error);
      return 0;
    }
    TENSH_RETURN_IF_ERROR(ToStatus(error, "CUDA"));
    return count;
  }
  Result<GpuInfo> Info(int gpu) override {
    cudaDeviceProp p;
    TENSH_RETURN_IF_ERROR(ToStatus(cudaGetDeviceProperties(&p, gpu), "GPU properties"));
    char bus[32] = {};
    Forget(cudaDeviceGetPCIBusId(bus, sizeof bus, gpu));
    return GpuInfo{p.name,           bus,
                   p.major,          p.minor,
                   p.totalGlobalMem, WhyNoImage(options_.images, p.major, p.minor)};
  }
  Status Use(int gpu) override {
    if (t_used.driver == this && t_used.gpu == gpu) return {};
    t_used = {};
    TENSH_RETURN_IF_ERROR(ToStatus(cudaSetDevice(gpu), "choosing a GPU"));
    TENSH_ASSIGN(const bool has_pool, Start(gpu));
    t_used = {this, gpu, has_pool};
    return {};
  }

  Result<Stream> NewStream() override {
    cudaStream_t stream;
    TENSH_RETURN_IF_ERROR(
        ToStatus(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "a new stream"));
    return static_cast<Stream>(stream);
  }
  Status Wait(Stream stream) override {
    return ToStatus(cudaStreamSynchronize(Of(stream)), "work on the GPU");
  }
  Result<Event> NewEvent(bool timed) override {
    cudaEvent_t event;
    TENSH_RETURN_IF_ERROR(ToStatus(
        cudaEventCreateWithFlags(&event, timed ? cudaEventDefault : cudaEventDisableTiming),
        "a new event"));
    return static_cast<Event>(event);
  }
  Status Record(Event event, Stream stream) override {
    return ToStatus(cudaEventRecord(EventOf(event), Of(stream)), "an event");
  }
  Status WaitFor(Stream stream, Event event) override {
    return ToStatus(cudaStreamWaitEvent(Of(stream), EventOf(event), 0), "a stream's wait");
  }
  Status Await(Event event) override {
    return ToStatus(cudaEventSynchronize(EventOf(event)), "work on the GPU");
  }
  Result<double> Elapsed(Event begin, Event end) override {
    float ms = 0;
    TENSH_RETURN_IF_ERROR(
        ToStatus(cudaEventElapsedTime(&ms, EventOf(begin), EventOf(end)), "the time of an event"));
    return static_cast<double>(ms) * 1e6;
  }

  Result<size_t> FreeMemory() override {
    size_t free = 0, total = 0;
    TENSH_RETURN_IF_ERROR(ToStatus(cudaMemGetInfo(&free, &total), "the memory of the GPU"));
    return free;
  }
  // Without a pool, cudaFree waits for the GPU. Blocks are kept for reuse, so that this is rare.
  Result<void*> Allocate(size_t bytes, Stream stream) override {
    void* data = nullptr;
    TENSH_RETURN_IF_ERROR(ToStatus(
        t_used.has_pool ? cudaMallocAsync(&data, bytes, Of(stream)) : cudaMalloc(&data, bytes),
        "memory on the GPU"));
    return data;
  }
  void Free(void* data, Stream stream) override {
    Forget(t_used.has_pool ? cudaFreeAsync(data, Of(stream)) : cudaFree(data));
  }
  void Trim() override {
    if (!t_used.has_pool) return;
    cudaMemPool_t pool;
    const cudaError_t error = cudaDeviceGetDefaultMemPool(&pool, t_used.gpu);
    Forget(error == cudaSuccess ? cudaMemPoolTrimTo(pool, 0) : error);
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
    return ToStatus(cudaMemcpyAsync(to, from, bytes, kKinds[static_cast<int>(way)], Of(stream)),
                    "a copy");
  }
  Status CopyPeer(void* to, int to_gpu, const void* from, int from_gpu, size_t bytes,
                  Stream stream) override {
    AllowAccess(to_gpu, from_gpu);
    return ToStatus(cudaMemcpyPeerAsync(to, to_gpu, from, from_gpu, bytes, Of(stream)),
                    "a copy between GPUs");
  }

  Status Launched() override { return ToStatus(cudaGetLastError(), "a kernel"); }
  Status Gemm(Stream stream, const GemmCall& call) override {
    return blas_.Gemm(t_used.gpu, stream, call);
  }
  Result<size_t> ConvScratch(const ConvCall& call) override {
    return dnn_.Scratch(t_used.gpu, call);
  }
  Status Convolve(Stream stream, const ConvCall& call, void* scratch, size_t bytes) override {
    return dnn_.Convolve(t_used.gpu, stream, call, scratch, bytes);
  }
  std::string Missing() override {
    const std::string blas = blas_.WhyMissing(), dnn = dnn_.WhyMissing();
    return blas + (blas.empty() || dnn.empty() ? "" : "; ") + dnn;
  }

  // The mode is relaxed, because memory may be allocated on another stream in the meantime.
  Status BeginCapture(Stream stream) override {
    TENSH_RETURN_IF_ERROR(blas_.Prepare(t_used.gpu));
    TENSH_RETURN_IF_ERROR(dnn_.Prepare(t_used.gpu));
    return ToStatus(cudaStreamBeginCapture(Of(stream), cudaStreamCaptureModeRelaxed),
                    "recording a graph");
  }
  Result<Graph> EndCapture(Stream stream, const std::function<void()>& make_room) override {
    cudaGraph_t graph = nullptr;
    TENSH_RETURN_IF_ERROR(ToStatus(cudaStreamEndCapture(Of(stream), &graph), "recording a graph"));
    cudaGraphExec_t ready = nullptr;
    Status status = ToStatus(cudaGraphInstantiate(&ready, graph, 0), "a graph");
    if (status.code() == Code::kResourceExhausted) {
      make_room();
      status = ToStatus(cudaGraphInstantiate(&ready, graph, 0), "a graph");
    }
    Forget(cudaGraphDestroy(graph));
    TENSH_RETURN_IF_ERROR(status);
    return static_cast<Graph>(ready);
  }
  Status Launch(Graph graph, Stream stream) override {
    return ToStatus(cudaGraphLaunch(static_cast<cudaGraphExec_t>(graph), Of(stream)), "a graph");
  }
  void FreeGraph(Graph graph) override {
    Forget(cudaGraphExecDestroy(static_cast<cudaGraphExec_t>(graph)));
  }

 private:
  // The GPU that a thread uses.
  struct Used {
    const RealDriver* driver = nullptr;
    int gpu = -1;
    bool has_pool = false;
  };

  // Prepares a GPU for its first use by the process. Returns true if its memory comes from a pool,
  // which some virtual GPUs do not have.
  Result<bool> Start(int gpu) {
    std::lock_guard lock(mu_);
    if (auto it = started_.find(gpu); it != started_.end()) return it->second;
    if (options_.kernel) {
      cudaFuncAttributes attributes;
      TENSH_RETURN_IF_ERROR(
          ToStatus(cudaFuncGetAttributes(&attributes, options_.kernel), "the kernels of tensh"));
    }
    int pools = 0;
    TENSH_RETURN_IF_ERROR(ToStatus(
        cudaDeviceGetAttribute(&pools, cudaDevAttrMemoryPoolsSupported, gpu), "GPU properties"));
    if (pools) TENSH_RETURN_IF_ERROR(KeepFreedMemory(gpu));
    return started_[gpu] = pools != 0;
  }

  // Keeps freed memory in the process instead of returning it to the system.
  static Status KeepFreedMemory(int gpu) {
    cudaMemPool_t pool;
    TENSH_RETURN_IF_ERROR(ToStatus(cudaDeviceGetDefaultMemPool(&pool, gpu), "the memory pool"));
    uint64_t all = UINT64_MAX;
    return ToStatus(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &all),
                    "the memory pool");
  }

  // Lets a GPU read the memory of another one, if they are connected. Copies pass through the host
  // otherwise, so that failures are no errors. This thread must use the reader.
  void AllowAccess(int reader, int owner) {
    std::lock_guard lock(mu_);
    if (!connected_.insert({reader, owner}).second) return;
    int possible = 0;
    const cudaError_t error = cudaDeviceCanAccessPeer(&possible, reader, owner);
    Forget(error);
    if (error != cudaSuccess || !possible) return;
    if (!started_[owner]) return Forget(cudaDeviceEnablePeerAccess(owner, 0));
    cudaMemAccessDesc access = {};
    access.location.type = cudaMemLocationTypeDevice;
    access.location.id = reader;
    access.flags = cudaMemAccessFlagsProtReadWrite;
    cudaMemPool_t pool;
    const cudaError_t no_pool = cudaDeviceGetDefaultMemPool(&pool, owner);
    Forget(no_pool == cudaSuccess ? cudaMemPoolSetAccess(pool, &access, 1) : no_pool);
  }

  static thread_local Used t_used;
  const RealDriverOptions options_;
  Blas blas_;
  Dnn dnn_;
  std::mutex mu_;
  std::map<int, bool> started_;              // the GPUs, and whether they have a pool
  std::set<std::pair<int, int>> connected_;  // reader and owner
};

thread_local RealDriver::Used RealDriver::t_used;

}  // namespace

std::unique_ptr<Driver> NewRealDriver(RealDriverOptions options) {
  return std::make_unique<RealDriver>(std::move(options));
}

// Machine code runs on GPUs of the same major version that are not older, and PTX on all that are not
// older. Code for special features, such as sm_90a, runs only on exactly these GPUs.
std::string WhyNoImage(const std::string& images, int major, int minor) {
  std::istringstream list(images);
  for (std::string image; list >> image;) {
    const bool is_ptx = image.starts_with("compute_");
    const bool is_special = !std::isdigit(static_cast<unsigned char>(image.back()));
    const int version = std::atoi(image.c_str() + image.find('_') + 1), here = 10 * major + minor;
    if (here == version || (!is_special && here > version && (is_ptx || version / 10 == major)))
      return {};
  }
  if (images.empty()) return {};
  return StrCat("its compute capability is ", major, ".", minor, ", and this tensh has code for ",
                images, "; rebuild it with -DTENSH_CUDA_ARCH=arch=compute_", major, minor,
                ",code=sm_", major, minor);
}

}  // namespace tensh::cuda
