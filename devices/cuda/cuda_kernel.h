#pragma once
// The header for .cu files.
//
// A kernel is written once, as lambdas over indices that a few primitives launch. nvcc compiles
// them to GPU kernels. The same file is also valid C++, in which the primitives are loops that the
// fake driver runs on its own memory, so that the tests run without a GPU.
//
// 1. A kernel function runs on the host. It reads shapes and arguments in host memory, allocates
//    outputs, and launches. Only lambdas marked TENSH_DEVICE may access elements of device tensors.
// 2. All launches go to one stream, in order. Kernel functions do not wait for them. An error is
//    reported at the latest when the step ends.
#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>

#include "devices/cuda/cuda_device.h"
#include "devices/cuda/products.h"
#include "runtime/core/half.h"

#ifdef __CUDACC__
#define TENSH_DEVICE __device__
#define TENSH_BOTH __host__ __device__
#else
#include <atomic>

#include "devices/cuda/fake_driver.h"
#define TENSH_DEVICE
#define TENSH_BOTH
#endif

// Defines the registrations of ops/FOLDER/X.cu: TENSH_CUDA_KERNELS(FOLDER_X) { r.Add… }.
// cmake/cuda.cmake generates the call.
#define TENSH_CUDA_KERNELS(stem)                           \
  void RegisterCuda_##stem(::tensh::cuda::KernelTable& r); \
  void RegisterCuda_##stem(::tensh::cuda::KernelTable& r)

namespace tensh::cuda {

// Runs a kernel of floats for 16-bit floats. Inputs are widened to temporary tensors first, and
// outputs are rounded afterwards. The kernel uses the state of the node.
Status RunByFloat(KernelCtx& c, KernelFn kernel, bool has_state);

// True for kernels that process 16-bit floats themselves: they declare `using TakesHalves = void`.
template <class F>
concept OfHalves = requires {
  typename F::TakesHalves;
};
// The type in which a kernel computes with elements of type T.
template <class T>
using Computed = std::conditional_t<kIsHalf<T>, float, T>;

// Options of a registration. `host` and `pass` are those of PluginKernel.
struct RowOptions {
  std::string host = {}, pass = {}, type_attr = "T";
  PrepareFn prepare = nullptr;
  bool can_record = true;
};
class KernelTable {
 public:
  // Registers a kernel for each type. F has
  // `template <class T> Status operator()(KernelCtx&) const`.
  template <class... Ts, class F>
  void Add(const char* op, F, const RowOptions& o = {}) {
    (Row(op, o.type_attr, kDTypeOf<Ts>, o, Function<F, Ts>(o.prepare != nullptr)), ...);
  }
  // Registers one kernel for all types.
  void AddAny(const char* op, KernelFn fn, const RowOptions& o = {}) {
    Row(op, "", DType::kInvalid, o, fn);
  }
  // Uses the CPU's kernel with all arguments in host memory. For small integers, as in TensorFlow.
  template <class... Ts>
  void OnHost(const char* op, const char* type_attr = "T") {
    (Row(op, type_attr, kDTypeOf<Ts>, {.host = "*"}, nullptr), ...);
  }
  // Uses the CPU's kernel, which moves elements only by ops/support/array_copy.h, which supports
  // devices.
  void Moves(const char* op, const std::string& host = {}, const char* type_attr = "T",
             const std::string& pass = {}, bool can_record = true) {
    for (const DType type : {DType::kFloat, DType::kDouble, DType::kHalf, DType::kBfloat16,
                             DType::kInt64, DType::kBool, DType::kUint8, DType::kInt8,
                             DType::kInt16, DType::kComplex64, DType::kComplex128})
      Row(op, type_attr, type, {.host = host, .pass = pass, .can_record = can_record}, nullptr);
    Row(op, type_attr, DType::kInt32, {.host = "*"}, nullptr);
  }
  // Like Moves, for kernels that move elements by lists of runs (CopyRuns).
  void MovesByList(const char* op, const std::string& host = {}, const char* type_attr = "T") {
    Moves(op, host, type_attr, {}, false);
  }
  // Uses the CPU's kernel with all arguments in host memory, for all types.
  void OnHostAny(const char* op) { Row(op, "", DType::kInvalid, {.host = "*"}, nullptr); }
  // Uses the CPU's kernel, which passes values on without accessing their elements.
  void Pass(const char* op, const std::string& host = {}) {
    Row(op, "", DType::kInvalid, {.host = host, .pass = "*"}, nullptr);
  }
  // Like Pass, for ops that call functions. They cannot be part of a recorded graph.
  void Call(const char* op, const std::string& host = {}) {
    Row(op, "", DType::kInvalid, {.host = host, .pass = "*", .can_record = false}, nullptr);
  }
  // Declares that the op's kernel for this type can be part of a chain run by `fn`, where `code`
  // identifies it.
  void InChains(const char* op, DType type, FusedFn fn, int code) {
    in_chains_.push_back({op, type, fn, code});
  }
  // Returns the registrations. Call it once, after all files have registered theirs.
  std::vector<PluginKernel> Take() {
    for (const InChain& in : in_chains_)
      for (PluginKernel& row : rows_)
        if (row.op == in.op && row.type == in.type) row.fused = in.fn, row.fused_code = in.code;
    return std::move(rows_);
  }

 private:
  template <class F, class T>
  static KernelFn Function(bool has_state) {
    if constexpr (kIsHalf<T> && !OfHalves<F>) {
      constexpr KernelFn kByFloat = [](KernelCtx& c) -> Status {
        return F{}.template operator()<float>(c);
      };
      if (has_state) return [](KernelCtx& c) -> Status { return RunByFloat(c, kByFloat, true); };
      return [](KernelCtx& c) -> Status { return RunByFloat(c, kByFloat, false); };
    } else {
      return [](KernelCtx& c) -> Status { return F{}.template operator()<T>(c); };
    }
  }
  void Row(const char* op, const std::string& attr, DType type, const RowOptions& o, KernelFn fn) {
    rows_.push_back({{"GPU", attr, type, fn, o.prepare}, op, o.host, o.pass, o.can_record});
  }
  struct InChain {
    std::string op;
    DType type;
    FusedFn fn;
    int code;
  };
  std::vector<PluginKernel> rows_;
  std::vector<InChain> in_chains_;  // may refer to rows that are registered later
};

// Wraps one function for several types, which it distinguishes itself.
template <KernelFn fn>
struct Same {
  using TakesHalves = void;
  template <class T>
  Status operator()(KernelCtx& c) const {
    return fn(c);
  }
};

inline CudaStream& StreamOf(KernelCtx& c) { return static_cast<CudaStream&>(*c.runner()); }

// Elements in device memory. Only device code can access them.
template <class T>
struct Dev {
  T* at;
  TENSH_DEVICE T& operator[](int64_t i) const { return at[i]; }
};
template <class T>
Dev<T> Elements(void* data, int64_t n) {
#ifndef __CUDACC__
  data = n ? FakeDriver::View(data) : nullptr;
#endif
  (void)n;
  return {static_cast<T*>(data)};
}
template <class T>
Dev<const T> In(const Tensor& t) {
  return Elements<const T>(t.raw(), t.num_elements());
}
template <class T>
Dev<T> Out(const Tensor& t) {
  return Elements<T>(t.raw(), t.num_elements());
}
template <class T>
Dev<T> Out(Tensor* t) {
  return Out<T>(*t);
}

// ---- primitives ----

constexpr int kThreads = 256;

// The threads that work together on one row. Their number is a power of two.
class Block {
 public:
#ifdef __CUDACC__
  __device__ int me() const { return static_cast<int>(threadIdx.x); }
  __device__ static constexpr int size() { return kThreads; }
  // Waits until all threads of the block arrive. Writes before it are visible to reads after it.
  __device__ void Sync() const { __syncthreads(); }
  // Returns memory that the threads of the block share, with one A per thread.
  template <class A>
  __device__ A* Room() const {
    __shared__ alignas(16) unsigned char room[kThreads * sizeof(A)];
    return reinterpret_cast<A*>(room);
  }
#else
  Block(int me, int size, void* room) : me_(me), size_(size), room_(room) {}
  int me() const { return me_; }
  int size() const { return size_; }
  void Sync() const;
  template <class A>
  A* Room() const {
    static_assert(sizeof(A) <= 16);
    return static_cast<A*>(room_);
  }
#endif
  TENSH_DEVICE bool leads() const { return me() == 0; }
  template <class F>
  TENSH_DEVICE void For(int64_t n, F f) const {
    for (int64_t i = me(); i < n; i += size()) f(i);
  }
  // Returns combine(…combine(init, load(0))…, load(n-1)), in some order, to all threads.
  template <class A, class Load, class Combine>
  TENSH_DEVICE A Reduce(int64_t n, A init, Load load, Combine combine) const {
    A sum = init;
    for (int64_t i = me(); i < n; i += size()) sum = combine(sum, load(i));
    A* part = Room<A>();
    Sync();  // other threads may still read the result of an earlier Reduce
    part[me()] = sum;
    for (int half = size() / 2; half > 0; half /= 2) {
      Sync();
      if (me() < half) part[me()] = combine(part[me()], part[me() + half]);
    }
    Sync();
    return part[0];
  }

#ifndef __CUDACC__
 private:
  int me_, size_;
  void* room_;
#endif
};

#ifdef __CUDACC__
template <class F>
__global__ void __launch_bounds__(kThreads) ForEachKernel(int64_t n, F f) {
  const int64_t step = static_cast<int64_t>(gridDim.x) * blockDim.x;
  for (int64_t i = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < n; i += step)
    f(i);
}
template <class F>
__global__ void __launch_bounds__(kThreads) ForRowsKernel(int64_t rows, F f) {
  for (int64_t row = blockIdx.x; row < rows; row += gridDim.x) {
    f(Block(), row);
    __syncthreads();
  }
}
#endif

// Calls f(i) for i in [0, n), in any order.
template <class F>
Status ForEach(KernelCtx& c, int64_t n, F f) {
  if (n <= 0) return {};
  CudaStream& s = StreamOf(c);
#ifdef __CUDACC__
  TENSH_RETURN_IF_ERROR(s.driver().Use(s.gpu()));
  const int64_t blocks = std::min<int64_t>((n + kThreads - 1) / kThreads, 1 << 16);
  ForEachKernel<<<static_cast<unsigned>(blocks), kThreads, 0,
                  static_cast<cudaStream_t>(s.stream())>>>(n, f);
#else
  auto& fake = static_cast<FakeDriver&>(s.driver());
  fake.Do(s.stream(), [&fake, name = __PRETTY_FUNCTION__, n, f] {
    const auto call = [](const void* f, const Block*, int64_t i) {
      (*static_cast<const F*>(f))(i);
    };
    if (FakeChecks* checks = fake.checks()) return checks->RunEach({name, &f, sizeof f, call}, n);
    for (int64_t i = 0; i < n; ++i) f(i);
  });
#endif
  return s.driver().Launched();
}

// Calls f(block, row) for each row, by all threads of a block.
template <class F>
Status ForRows(KernelCtx& c, int64_t rows, F f) {
  if (rows <= 0) return {};
  CudaStream& s = StreamOf(c);
#ifdef __CUDACC__
  TENSH_RETURN_IF_ERROR(s.driver().Use(s.gpu()));
  const int64_t blocks = std::min<int64_t>(rows, 1 << 16);
  ForRowsKernel<<<static_cast<unsigned>(blocks), kThreads, 0,
                  static_cast<cudaStream_t>(s.stream())>>>(rows, f);
#else
  auto& fake = static_cast<FakeDriver&>(s.driver());
  fake.Do(s.stream(), [&fake, name = __PRETTY_FUNCTION__, rows, f] {
    const auto call = [](const void* f, const Block* block, int64_t row) {
      (*static_cast<const F*>(f))(*block, row);
    };
    if (FakeChecks* checks = fake.checks())
      return checks->RunRows({name, &f, sizeof f, call}, rows);
    alignas(16) char room[16];
    for (int64_t row = 0; row < rows; ++row) f(Block(0, 1, room), row);
  });
#endif
  return s.driver().Launched();
}

// Atomically adds `by` to *at.
template <class T>
TENSH_DEVICE void AtomicAdd(T* at, T by) {
#ifdef __CUDACC__
  if constexpr (std::is_same_v<T, int64_t>)
    atomicAdd(reinterpret_cast<unsigned long long*>(at), static_cast<unsigned long long>(by));
  else
    atomicAdd(at, by);
#else
  std::atomic_ref(*at).fetch_add(by);
#endif
}

// Atomically sets *at to next(*at). `next` may be called repeatedly.
template <class T, class F>
TENSH_DEVICE void AtomicUpdate(T* at, F next) {
#ifdef __CUDACC__
  using Word = std::conditional_t<sizeof(T) == 8, unsigned long long, unsigned>;
  static_assert(sizeof(T) == sizeof(Word));
  Word* const word = reinterpret_cast<Word*>(at);
  for (Word seen = *word, was = ~seen; seen != was;) {
    was = seen;
    T value;
    memcpy(&value, &was, sizeof value);
    value = next(value);
    Word wanted;
    memcpy(&wanted, &value, sizeof wanted);
    seen = atomicCAS(word, was, wanted);
  }
#else
  std::atomic_ref<T> shared(*at);
  for (T was = shared.load(); !shared.compare_exchange_weak(was, next(was));) {
  }
#endif
}

// Allocates temporary memory for a kernel. It can be freed at once: a later user works after this
// kernel on the same stream.
inline Result<Tensor> Scratch(KernelCtx& c, DType dtype, int64_t n) {
  return Tensor::Make(dtype, Shape({n}), c.allocator());
}

// Calls store(o, init ⊕ load(o, 0) ⊕ … ⊕ load(o, n-1)) for each o in [0, outs). Set `columns` if
// neighboring outputs read neighboring elements, as in a reduction over an outer axis; otherwise
// neighboring k should.
template <class A, class Load, class Combine, class Store>
Status Reduce(KernelCtx& c, int64_t outs, int64_t n, bool columns, A init, Load load,
              Combine combine, Store store) {
  constexpr int64_t kWide = 1 << 16;  // number of threads that fill a GPU
  if (outs <= 0) return {};
  if (n <= 32 || (columns && outs >= kWide))
    return ForEach(c, outs, [=] TENSH_DEVICE(int64_t o) {
      A sum = init;
      for (int64_t k = 0; k < n; ++k) sum = combine(sum, load(o, k));
      store(o, sum);
    });
  const int64_t parts = columns ? std::min(n / 16, kWide / outs) : std::min(n / 4096, 512 / outs);
  if (parts < 2)
    return ForRows(c, outs, [=] TENSH_DEVICE(Block b, int64_t o) {
      const A sum = b.Reduce(
          n, init, [=](int64_t k) { return load(o, k); }, combine);
      if (b.leads()) store(o, sum);
    });
  static_assert(sizeof(A) <= 16);
  TENSH_ASSIGN(const Tensor room, Scratch(c, DType::kComplex128, outs * parts));
  const Dev<char> bytes = Out<char>(room);
  const auto part_at = [=] TENSH_BOTH(int64_t o, int64_t part) {
    return reinterpret_cast<A*>(bytes.at + (part * outs + o) * 16);
  };
  const int64_t each = (n + parts - 1) / parts;
  if (columns) {
    TENSH_RETURN_IF_ERROR(ForEach(c, outs * parts, [=] TENSH_DEVICE(int64_t i) {
      const int64_t o = i % outs, part = i / outs;
      const int64_t end = part * each + each < n ? part * each + each : n;
      A sum = init;
      for (int64_t k = part * each; k < end; ++k) sum = combine(sum, load(o, k));
      *part_at(o, part) = sum;
    }));
  } else {
    TENSH_RETURN_IF_ERROR(ForRows(c, outs * parts, [=] TENSH_DEVICE(Block b, int64_t i) {
      const int64_t o = i % outs, begin = i / outs * each;
      const int64_t size = begin + each < n ? each : n > begin ? n - begin : 0;
      const A sum = b.Reduce(
          size, init, [=](int64_t k) { return load(o, begin + k); }, combine);
      if (b.leads()) *part_at(o, i / outs) = sum;
    }));
  }
  return ForRows(c, outs, [=] TENSH_DEVICE(Block b, int64_t o) {
    const A sum = b.Reduce(
        parts, init, [=](int64_t p) { return *part_at(o, p); }, combine);
    if (b.leads()) store(o, sum);
  });
}

// Computes y = a · b for row-major matrices. If `adjoint` is set, transposed matrices are also
// conjugated. 16-bit floats are accumulated in float.
template <class T>
Status Gemm(KernelCtx& c, bool transpose_a, bool transpose_b, int64_t m, int64_t n, int64_t k,
            const void* a, const void* b, void* y, int64_t batch = 1, int64_t stride_a = 0,
            int64_t stride_b = 0, bool adjoint = false) {
  return Multiply(c, {kDTypeOf<T>, transpose_a, transpose_b, m, n, k, a, b, y, batch, stride_a,
                      stride_b, m * n, adjoint});
}

}  // namespace tensh::cuda
