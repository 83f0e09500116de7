#pragma once
// What the GPU device asks of CUDA, as an interface: the real one calls the CUDA runtime, a fake
// records what is asked for and runs it on the host (fake_driver.h). Thread-safe. A failure is the
// Status of the step that met it.
#include "runtime/core/dtype.h"
#include "runtime/core/status.h"

namespace tensh::cuda {

using Stream = void*;
using Event = void*;
using Graph = void*;

struct GpuInfo {
  std::string name, bus_id;
  int major = 0, minor = 0;  // compute capability
  size_t memory = 0;         // bytes
};

// y [m, n] = a · b, row by row; `batch` of them behind one another where there are strides.
// Transposed complex matrices are conjugated too where `adjoint`.
struct GemmCall {
  DType type;  // float, double, half, bfloat16, complex64 or complex128
  bool transpose_a, transpose_b;
  int64_t m, n, k;
  const void *a, *b;
  void* y;
  int64_t batch = 1, stride_a = 0, stride_b = 0, stride_y = 0;
  bool adjoint = false;
};

class Driver {
 public:
  enum class Way { kToDevice, kToHost, kWithin };
  virtual ~Driver() = default;
  virtual Result<int> Count() = 0;
  virtual Result<GpuInfo> Info(int gpu) = 0;
  virtual Status Use(int gpu) = 0;  // by this thread, from here on

  virtual Result<Stream> NewStream() = 0;
  virtual Status Wait(Stream stream) = 0;  // the host does
  virtual Result<Event> NewEvent() = 0;
  virtual Status Record(Event event, Stream stream) = 0;
  virtual Status WaitFor(Stream stream, Event event) = 0;  // the stream does

  // ResourceExhausted when there is no more.
  virtual Result<void*> Allocate(size_t bytes, Stream stream) = 0;
  virtual void Free(void* data, Stream stream) = 0;
  // Of a block, so many bytes are somebody's from here on in the stream, with nothing in them; 0:
  // it is kept for others. For a driver that looks at what kernels touch.
  virtual void InUse(void*, size_t, Stream) {}
  virtual Result<void*> AllocatePinned(size_t bytes) = 0;
  virtual Status Copy(void* to, const void* from, size_t bytes, Way way, Stream stream) = 0;
  virtual Status CopyPeer(void* to, int to_gpu, const void* from, int from_gpu, size_t bytes,
                          Stream stream) = 0;

  virtual Status Launched() = 0;  // what the last launch of a kernel said
  virtual Status Gemm(Stream stream, const GemmCall& call) = 0;

  virtual Status BeginCapture(Stream stream) = 0;
  virtual Result<Graph> EndCapture(Stream stream) = 0;
  virtual Status Launch(Graph graph, Stream stream) = 0;
  virtual void FreeGraph(Graph graph) = 0;
};

}  // namespace tensh::cuda
