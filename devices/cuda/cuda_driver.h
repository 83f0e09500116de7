#pragma once
// The interface between the GPU device and CUDA. The real implementation calls the CUDA runtime.
// The fake one (fake_driver.h) records the calls and executes them on the host. Thread-safe. An
// error becomes the Status of the step in which it occurs.
#include <functional>
#include <string>

#include "runtime/core/dtype.h"
#include "runtime/core/status.h"

namespace tensh::cuda {

using Stream = void*;
using Event = void*;
using Graph = void*;

struct GpuInfo {
  std::string name, bus_id;
  int major = 0, minor = 0;  // CUDA compute capability
  size_t memory = 0;         // bytes
  std::string unusable;      // why the kernels of this build cannot run on it; "" if they can
};

// The product y [m, n] = a · b of row-major matrices, or `batch` products at the given strides. If
// `adjoint` is set, transposed complex matrices are also conjugated. y must not overlap a or b.
struct GemmCall {
  DType type;  // float, double, half, bfloat16, complex64 or complex128
  bool transpose_a, transpose_b;
  int64_t m, n, k;
  const void *a, *b;
  void* y;
  int64_t batch = 1, stride_a = 0, stride_b = 0, stride_y = 0;
  bool adjoint = false;
};

// A convolution of images, or its gradient with respect to them or to the filter. The filter is [out
// channels, rows, columns, channels of a group] if the images have their channels last, and otherwise
// [out channels, channels of a group, rows, columns]. Pairs are of rows and columns; `pad` is added to both
// ends of the image.
struct ConvCall {
  enum Kind { kForward, kInput, kFilter } kind;
  DType type;  // float, double, half or bfloat16
  bool channels_first;
  int64_t batch, in_channels, out_channels, groups;
  int64_t in[2], out[2], size[2], stride[2], dilation[2], pad[2];
  const void *x, *filter, *y;  // the one that `kind` names (kForward: y) is written
};

class Driver {
 public:
  enum class Way { kToDevice, kToHost, kWithin };
  virtual ~Driver() = default;
  // Count and Info do not start a GPU, which takes a second; the first Use of it does.
  virtual Result<int> Count() = 0;
  virtual Result<GpuInfo> Info(int gpu) = 0;
  virtual Status Use(int gpu) = 0;  // selects the GPU for this thread

  virtual Result<Stream> NewStream() = 0;
  virtual Status Wait(Stream stream) = 0;  // blocks the calling thread
  // `timed` events can be passed to Elapsed. Events are never freed.
  virtual Result<Event> NewEvent(bool timed) = 0;
  virtual Status Record(Event event, Stream stream) = 0;
  virtual Status WaitFor(Stream stream, Event event) = 0;  // blocks the stream
  virtual Status Await(Event event) = 0;  // blocks the calling thread until the event was reached
  // Returns the nanoseconds between two timed events that were reached.
  virtual Result<double> Elapsed(Event begin, Event end) = 0;

  virtual Result<size_t> FreeMemory() = 0;  // bytes, of the GPU that this thread uses
  // Returns ResourceExhausted if the GPU's memory is exhausted.
  virtual Result<void*> Allocate(size_t bytes, Stream stream) = 0;
  virtual void Free(void* data, Stream stream) = 0;
  // Returns freed memory of the GPU that this thread uses to the system, where allocations of other
  // sizes, and those of CUDA's libraries, find it.
  virtual void Trim() = 0;
  // Announces, for drivers that check memory accesses, that the first `bytes` of a block are in use
  // from this point of the stream, uninitialized. 0 bytes: the block is free.
  virtual void InUse(void*, size_t, Stream) {}
  virtual Result<void*> AllocatePinned(size_t bytes) = 0;
  virtual Status Copy(void* to, const void* from, size_t bytes, Way way, Stream stream) = 0;
  virtual Status CopyPeer(void* to, int to_gpu, const void* from, int from_gpu, size_t bytes,
                          Stream stream) = 0;

  virtual Status Launched() = 0;  // the status of the last kernel launch
  // Returns Unimplemented if no library computes this product.
  virtual Status Gemm(Stream stream, const GemmCall& call) = 0;
  // Returns the bytes of scratch memory that a convolution needs, or Unimplemented if no library computes
  // it. The addresses in the call are not used.
  virtual Result<size_t> ConvScratch(const ConvCall&) { return Unimplemented("no cuDNN"); }
  // Returns Unimplemented, having done nothing, if no library computes it.
  virtual Status Convolve(Stream, const ConvCall&, void* /*scratch*/, size_t /*bytes*/) {
    return Unimplemented("no cuDNN");
  }
  // Returns what is missing on this machine, as sentences; "" if nothing is.
  virtual std::string Missing() { return {}; }

  virtual Status BeginCapture(Stream stream) = 0;
  // Ends the capture, also if it returns an error. If the GPU has no memory left for the graph,
  // calls make_room once and tries again.
  virtual Result<Graph> EndCapture(Stream stream, const std::function<void()>& make_room) = 0;
  virtual Status Launch(Graph graph, Stream stream) = 0;
  virtual void FreeGraph(Graph graph) = 0;
};

}  // namespace tensh::cuda
