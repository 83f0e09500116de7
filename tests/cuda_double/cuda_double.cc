#include "tests/cuda_double/cuda_double.h"

#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <set>

using Work = std::vector<std::function<void()>>;

struct CUstream_st {
  int gpu;
  bool capturing = false, invalid = false;
  Work captured = {};
};
struct CUevent_st {
  int gpu;
};
struct CUgraph_st {
  Work work;
};
struct CUgraphExec_st {
  Work work;
};

namespace cuda_double {
namespace {

struct Machine {
  int gpus = 0;
  size_t calls = 0, until_failure = 0;
  cudaError_t error = cudaSuccess, lasting = cudaSuccess;
  bool lasts = false, failed = false;
  std::vector<std::string> misuses;
  std::set<void*> handles;
  std::map<const char*, size_t> memory;   // of GPUs, and pinned host memory
  std::map<void*, int> blocks;            // block: its GPU
  std::multiset<size_t> pending, cached;  // freed to a pool: not awaited, and reusable
  std::map<std::string, size_t> counts;
  std::set<int> started, accessible;
  Facts facts;
  int math_mode = 0;
};
Machine& machine() {
  static Machine m;
  return m;
}
thread_local int t_gpu = 0;
thread_local cudaError_t t_last = cudaSuccess;

cudaError_t Said(cudaError_t error) {
  if (error != cudaSuccess) t_last = error;
  return error;
}

template <class T>
bool Known(const char* call, T* handle) {
  if (machine().handles.count(handle)) return true;
  Misuse(std::string(call) + ": no such handle");
  return false;
}

}  // namespace

void Reset(int gpus) {
  machine() = Machine();
  machine().gpus = gpus;
  t_last = cudaSuccess;
}
void FailTheNth(size_t n, cudaError_t error, bool lasting) {
  machine().until_failure = n;
  machine().error = error;
  machine().lasts = lasting;
  machine().failed = false;
}
bool failed() { return machine().failed; }
size_t calls() { return machine().calls; }
const std::vector<std::string>& misuses() { return machine().misuses; }
size_t allocated() {
  size_t sum = 0;
  for (const auto& [data, gpu] : machine().blocks)
    sum += machine().memory.at(static_cast<const char*>(data));
  return sum;
}

Facts& facts() { return machine().facts; }
size_t count(const std::string& call) { return machine().counts[call]; }
size_t started() { return machine().started.size(); }
size_t accessible() { return machine().accessible.size(); }
int& math_mode() { return machine().math_mode; }
size_t free_bytes() {
  size_t used = allocated();
  for (const auto* list : {&machine().pending, &machine().cached})
    for (const size_t bytes : *list) used += bytes;
  return facts().memory < used ? 0 : facts().memory - used;
}
bool IsCapturingOn(cudaStream_t stream) { return stream->capturing; }

cudaError_t Enter(const char* call) {
  Machine& m = machine();
  ++m.calls;
  ++m.counts[call];
  if (m.lasting != cudaSuccess) return Said(m.lasting);
  if (!m.until_failure || --m.until_failure) return cudaSuccess;
  m.failed = true;
  if (m.lasts) m.lasting = m.error;
  return Said(m.error);
}

void Misuse(std::string what) { machine().misuses.push_back(std::move(what)); }

void Do(cudaStream_t stream, std::function<void()> work) {
  if (stream->capturing)
    stream->captured.push_back(std::move(work));
  else
    work();
}

bool IsCapturing() {
  for (void* handle : machine().handles)
    if (static_cast<CUstream_st*>(handle)->capturing) return true;
  return false;
}

void CheckMemory(const char* call, const void* data, size_t bytes) {
  const auto* at = static_cast<const char*>(data);
  auto block = machine().memory.upper_bound(at);
  if (block == machine().memory.begin() || (--block, at + bytes > block->first + block->second))
    Misuse(std::string(call) + ": " + std::to_string(bytes) + " bytes that are not allocated");
}

}  // namespace cuda_double

using namespace cuda_double;

#define ENTER(call) \
  if (const cudaError_t error = Enter(call); error != cudaSuccess) return error
#define KNOWN(call, handle) \
  if (!Known(call, handle)) return Said(cudaErrorInvalidResourceHandle)

extern "C" {

cudaError_t cudaGetLastError() {
  const cudaError_t error = machine().lasting != cudaSuccess ? machine().lasting : t_last;
  t_last = cudaSuccess;
  return error;
}
const char* cudaGetErrorString(cudaError_t error) {
  static thread_local std::string text;
  text = "error " + std::to_string(static_cast<int>(error)) + " of CUDA";
  return text.c_str();
}
cudaError_t cudaGetDeviceCount(int* count) {
  ENTER("cudaGetDeviceCount");
  *count = machine().gpus;
  return machine().gpus ? cudaSuccess : Said(cudaErrorNoDevice);
}
cudaError_t cudaGetDeviceProperties(cudaDeviceProp* p, int gpu) {
  ENTER("cudaGetDeviceProperties");
  if (gpu < 0 || gpu >= machine().gpus) return Said(cudaErrorInvalidDevice);
  std::memset(p, 0, sizeof *p);
  std::strcpy(p->name, "double");
  p->major = facts().major;
  p->minor = facts().minor;
  p->totalGlobalMem = facts().memory;
  return cudaSuccess;
}
cudaError_t cudaDeviceGetPCIBusId(char* bus, int size, int) {
  ENTER("cudaDeviceGetPCIBusId");
  std::strncpy(bus, "0000:01:00.0", static_cast<size_t>(size));
  return cudaSuccess;
}
cudaError_t cudaSetDevice(int gpu) {
  ENTER("cudaSetDevice");
  if (gpu < 0 || gpu >= machine().gpus) return Said(cudaErrorInvalidDevice);
  t_gpu = gpu;
  machine().started.insert(gpu);
  return cudaSuccess;
}
cudaError_t cudaFuncGetAttributes(cudaFuncAttributes*, const void*) {
  ENTER("cudaFuncGetAttributes");
  return facts().has_image ? cudaSuccess : Said(cudaErrorNoKernelImageForDevice);
}
cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int) {
  ENTER("cudaDeviceGetAttribute");
  *value = attribute == cudaDevAttrMemoryPoolsSupported     ? facts().has_pools
           : attribute == cudaDevAttrComputeCapabilityMajor ? facts().major
                                                            : 0;
  return cudaSuccess;
}
cudaError_t cudaDeviceCanAccessPeer(int* can, int, int) {
  ENTER("cudaDeviceCanAccessPeer");
  *can = facts().has_peers;
  return cudaSuccess;
}
cudaError_t cudaDeviceEnablePeerAccess(int gpu, unsigned) {
  ENTER("cudaDeviceEnablePeerAccess");
  if (facts().has_pools) Misuse("cudaDeviceEnablePeerAccess: does not apply to pools");
  machine().accessible.insert(gpu);
  return cudaSuccess;
}
cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t* pool, int) {
  ENTER("cudaDeviceGetDefaultMemPool");
  if (!facts().has_pools) return Said(cudaErrorNotSupported);
  *pool = reinterpret_cast<cudaMemPool_t>(&machine());
  return cudaSuccess;
}
cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t pool, cudaMemPoolAttr, void*) {
  ENTER("cudaMemPoolSetAttribute");
  if (pool != reinterpret_cast<cudaMemPool_t>(&machine())) Misuse("a pool of nobody's");
  return cudaSuccess;
}

cudaError_t cudaMemPoolTrimTo(cudaMemPool_t, size_t) {
  ENTER("cudaMemPoolTrimTo");
  machine().cached.clear();
  return cudaSuccess;
}
cudaError_t cudaMemPoolSetAccess(cudaMemPool_t, const cudaMemAccessDesc* access, size_t n) {
  ENTER("cudaMemPoolSetAccess");
  if (n != 1 || access->location.type != cudaMemLocationTypeDevice ||
      access->flags != cudaMemAccessFlagsProtReadWrite)
    Misuse("cudaMemPoolSetAccess: other rights");
  machine().accessible.insert(access->location.id);
  return cudaSuccess;
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned) {
  ENTER("cudaStreamCreateWithFlags");
  machine().handles.insert(*stream = new CUstream_st{t_gpu});
  return cudaSuccess;
}
cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
  ENTER("cudaStreamSynchronize");
  KNOWN("cudaStreamSynchronize", stream);
  if (stream->capturing) {
    Misuse("cudaStreamSynchronize: a stream that is captured");
    stream->invalid = true;
    return Said(cudaErrorStreamCaptureUnsupported);
  }
  machine().cached.merge(machine().pending);
  return cudaSuccess;
}
// Events are not counted as handles, because they are never freed. All handles are streams, except
// for graphs.
cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned) {
  ENTER("cudaEventCreateWithFlags");
  *event = new CUevent_st{t_gpu};
  return cudaSuccess;
}
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
  ENTER("cudaEventRecord");
  KNOWN("cudaEventRecord", stream);
  if (event->gpu != stream->gpu) Misuse("cudaEventRecord: an event of another GPU's");
  return cudaSuccess;
}
cudaError_t cudaEventSynchronize(cudaEvent_t) {
  ENTER("cudaEventSynchronize");
  return cudaSuccess;
}
cudaError_t cudaEventElapsedTime(float* ms, cudaEvent_t, cudaEvent_t) {
  ENTER("cudaEventElapsedTime");
  *ms = 0;
  return cudaSuccess;
}
cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t, unsigned) {
  ENTER("cudaStreamWaitEvent");
  KNOWN("cudaStreamWaitEvent", stream);
  if (stream->capturing) Misuse("cudaStreamWaitEvent: a captured stream waits for what is not");
  return cudaSuccess;
}

cudaError_t cudaMallocAsync(void** data, size_t bytes, cudaStream_t stream) {
  ENTER("cudaMallocAsync");
  KNOWN("cudaMallocAsync", stream);
  if (!bytes) return Said(cudaErrorInvalidValue);
  if (stream->gpu != t_gpu) Misuse("cudaMallocAsync: a stream of another GPU's");
  if (stream->capturing) Misuse("cudaMallocAsync: memory of the graph's own");
  if (!facts().has_pools) return Said(cudaErrorNotSupported);
  if (const auto same = machine().cached.find(bytes); same != machine().cached.end())
    machine().cached.erase(same);
  else if (bytes > free_bytes())
    return Said(cudaErrorMemoryAllocation);
  *data = std::calloc(1, bytes);
  machine().memory[static_cast<const char*>(*data)] = bytes;
  machine().blocks[*data] = t_gpu;
  return cudaSuccess;
}
cudaError_t cudaMalloc(void** data, size_t bytes) {
  ENTER("cudaMalloc");
  if (bytes > free_bytes()) return Said(cudaErrorMemoryAllocation);
  *data = std::calloc(1, bytes);
  machine().memory[static_cast<const char*>(*data)] = bytes;
  machine().blocks[*data] = t_gpu;
  return cudaSuccess;
}
cudaError_t cudaFree(void* data) {
  ENTER("cudaFree");
  if (!machine().blocks.erase(data)) {
    Misuse("cudaFree: not allocated");
    return Said(cudaErrorInvalidValue);
  }
  machine().memory.erase(static_cast<const char*>(data));
  std::free(data);
  return cudaSuccess;
}
cudaError_t cudaMemGetInfo(size_t* free, size_t* total) {
  ENTER("cudaMemGetInfo");
  *free = free_bytes();
  *total = facts().memory;
  return cudaSuccess;
}
cudaError_t cudaFreeAsync(void* data, cudaStream_t stream) {
  ENTER("cudaFreeAsync");
  KNOWN("cudaFreeAsync", stream);
  if (!machine().blocks.erase(data)) {
    Misuse("cudaFreeAsync: not allocated");
    return Said(cudaErrorInvalidValue);
  }
  machine().pending.insert(machine().memory[static_cast<const char*>(data)]);
  machine().memory.erase(static_cast<const char*>(data));
  std::free(data);
  return cudaSuccess;
}
cudaError_t cudaHostAlloc(void** data, size_t bytes, unsigned) {
  ENTER("cudaHostAlloc");
  *data = std::calloc(1, bytes);
  machine().memory[static_cast<const char*>(*data)] = bytes;
  return cudaSuccess;
}
cudaError_t cudaMemcpyAsync(void* to, const void* from, size_t bytes, cudaMemcpyKind,
                            cudaStream_t stream) {
  ENTER("cudaMemcpyAsync");
  KNOWN("cudaMemcpyAsync", stream);
  CheckMemory("cudaMemcpyAsync to", to, bytes);
  CheckMemory("cudaMemcpyAsync from", from, bytes);
  Do(stream, [=] { std::memcpy(to, from, bytes); });
  return cudaSuccess;
}
cudaError_t cudaMemcpyPeerAsync(void* to, int to_gpu, const void* from, int from_gpu, size_t bytes,
                                cudaStream_t stream) {
  if (to_gpu >= machine().gpus || from_gpu >= machine().gpus) Misuse("cudaMemcpyPeerAsync: no GPU");
  return cudaMemcpyAsync(to, from, bytes, cudaMemcpyDefault, stream);
}

cudaError_t cudaStreamBeginCapture(cudaStream_t stream, cudaStreamCaptureMode mode) {
  ENTER("cudaStreamBeginCapture");
  KNOWN("cudaStreamBeginCapture", stream);
  if (stream->capturing) return Said(cudaErrorIllegalState);
  if (mode != cudaStreamCaptureModeRelaxed) Misuse("memory cannot be taken meanwhile");
  stream->capturing = true;
  stream->invalid = false;
  return cudaSuccess;
}
// Even a failed call ends the capture.
cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t* graph) {
  const cudaError_t failure = Enter("cudaStreamEndCapture");
  KNOWN("cudaStreamEndCapture", stream);
  if (!stream->capturing) return Said(cudaErrorIllegalState);
  *graph = nullptr;
  stream->capturing = false;
  Work work = std::move(stream->captured);
  stream->captured.clear();
  if (failure != cudaSuccess) return failure;
  if (stream->invalid) return Said(cudaErrorStreamCaptureInvalidated);
  *graph = new CUgraph_st{std::move(work)};
  return cudaSuccess;
}
cudaError_t cudaGraphInstantiate(cudaGraphExec_t* ready, cudaGraph_t graph, unsigned long long) {
  ENTER("cudaGraphInstantiate");
  if (facts().graph_bytes > free_bytes()) return Said(cudaErrorMemoryAllocation);
  *ready = new CUgraphExec_st{graph->work};
  return cudaSuccess;
}
cudaError_t cudaGraphDestroy(cudaGraph_t graph) {
  ENTER("cudaGraphDestroy");
  delete graph;
  return cudaSuccess;
}
cudaError_t cudaGraphLaunch(cudaGraphExec_t graph, cudaStream_t stream) {
  ENTER("cudaGraphLaunch");
  KNOWN("cudaGraphLaunch", stream);
  for (const auto& work : graph->work) Do(stream, work);
  return cudaSuccess;
}
cudaError_t cudaGraphExecDestroy(cudaGraphExec_t graph) {
  ENTER("cudaGraphExecDestroy");
  delete graph;
  return cudaSuccess;
}

}  // extern "C"
