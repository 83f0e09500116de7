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

constexpr int kThreads = 256;  // in a block
constexpr int kWarp = 32;
// The number of threads that keep a large GPU busy: 132 multiprocessors with 2048 each, about.
constexpr int64_t kBusy = int64_t{1} << 18;

// The threads that work together on one row: a single one, a warp or a block. Their number is a
// power of two.
class Team {
 public:
#ifdef __CUDACC__
  __device__ explicit Team(int size) : size_(size) {}
  __device__ int me() const { return static_cast<int>(threadIdx.x) & (size_ - 1); }
  // Waits until all threads of the team arrive. Writes before it are visible to reads after it.
  __device__ void Sync() const {
    if (size_ > kWarp)
      __syncthreads();
    else if (size_ > 1)
      __syncwarp();
  }
  // Returns memory for n As that the threads of a team share, which must be a block. It is valid
  // until the team reduces or scans.
  template <class A, int n>
  __device__ A* Room() const {
    static_assert(n * sizeof(A) <= kRoom);
    __shared__ alignas(16) unsigned char room[n * sizeof(A)];
    return reinterpret_cast<A*>(room);
  }
#else
  Team(int me, int size, void* room) : size_(size), me_(me), room_(room) {}
  int me() const { return me_; }
  void Sync() const;
  template <class A, int n>
  A* Room() const {
    static_assert(n * sizeof(A) <= kRoom);
    return static_cast<A*>(RoomFor(n * sizeof(A)));
  }
#endif
  static constexpr size_t kRoom = 4096;  // bytes
  // Returns a team of the calling thread.
  static TENSH_DEVICE Team Alone() {
#ifdef __CUDACC__
    return Team(1);
#else
    return {0, 1, nullptr};
#endif
  }
  TENSH_DEVICE int size() const { return size_; }
  TENSH_DEVICE bool leads() const { return me() == 0; }
  template <class F>
  TENSH_DEVICE void For(int64_t n, const F& f) const {
    for (int64_t i = me(); i < n; i += size()) f(i);
  }
  // Returns combine(…combine(init, load(0))…, load(n-1)), in some order, to all threads. `init` may
  // be combined several times. A thread has kLoads loads in flight, which is worth it for short
  // ones from memory.
  template <int kLoads = 1, class A, class Load, class Combine>
  TENSH_DEVICE A Reduce(int64_t n, A init, const Load& load, const Combine& combine) const {
    A sum[kLoads];
    for (A& each : sum) each = init;
    const int64_t step = size();
    int64_t i = me();
    if constexpr (kLoads > 1)
      for (; i + (kLoads - 1) * step < n; i += kLoads * step)
        for (int k = 0; k < kLoads; ++k) sum[k] = combine(sum[k], load(i + k * step));
    for (; i < n; i += step) sum[0] = combine(sum[0], load(i));
    for (int k = 1; k < kLoads; ++k) sum[0] = combine(sum[0], sum[k]);
    return Combined(sum[0], combine);
  }
  // Returns the combination of the values of all threads, in the order of a tree, to all threads.
  template <class A, class Combine>
  TENSH_DEVICE A Combined(A mine, const Combine& combine) const {
    if (size() == 1) return mine;
#ifdef __CUDACC__
    for (int half = kWarp / 2; half > 0; half /= 2)
      mine = combine(mine, Shuffled<kDown>(mine, half));
    if (size() == kWarp) return Shuffled<kFrom>(mine, 0);
    A* const part = Room<A, kThreads / kWarp>();
    Sync();  // other threads may still read the result of an earlier call
    if (me() % kWarp == 0) part[me() / kWarp] = mine;
    Sync();
    A sum = part[0];
    for (int w = 1; w < kThreads / kWarp; ++w) sum = combine(sum, part[w]);
    return sum;
#else
    A* const part = Room<A, kWarp>();
    Sync();
    part[me()] = mine;
    for (int half = size() / 2; half > 0; half /= 2) {
      Sync();
      if (me() < half) part[me()] = combine(part[me()], part[me() + half]);
    }
    Sync();
    return part[0];
#endif
  }
  // Returns the combination of `first` and the values of the threads before this one, and sets
  // `all` to the combination of `first` and all values.
  template <class A, class Combine>
  TENSH_DEVICE A Before(A first, A mine, const Combine& combine, A& all) const {
    if (size() == 1) {
      all = combine(first, mine);
      return first;
    }
#ifdef __CUDACC__
    const int lane = me() % kWarp;
    for (int by = 1; by < kWarp; by *= 2) {
      const A left = Shuffled<kUp>(mine, by);
      if (lane >= by) mine = combine(left, mine);
    }
    const A left = Shuffled<kUp>(mine, 1);
    A before = first;
    if (size() == kWarp) {
      all = combine(first, Shuffled<kFrom>(mine, kWarp - 1));
    } else {
      A* const part = Room<A, kThreads / kWarp>();
      Sync();
      if (lane == kWarp - 1) part[me() / kWarp] = mine;
      Sync();
      all = first;
      for (int w = 0; w < kThreads / kWarp; ++w) {
        if (w == me() / kWarp) before = all;
        all = combine(all, part[w]);
      }
    }
    return lane ? combine(before, left) : before;
#else
    A* const part = Room<A, kWarp>();
    Sync();
    part[me()] = mine;
    Sync();
    A before = first;
    all = first;
    for (int t = 0; t < size(); ++t) {
      if (t == me()) before = all;
      all = combine(all, part[t]);
    }
    return before;
#endif
  }

 private:
  int size_;
#ifdef __CUDACC__
  enum Way { kDown, kUp, kFrom };
  // Returns the value of another thread of the warp: that many above or below, or of that number.
  template <Way way, class A>
  static __device__ A Shuffled(A value, int by) {
    unsigned words[(sizeof(A) + 3) / 4] = {};
    memcpy(words, &value, sizeof value);
    for (unsigned& word : words)
      word = way == kDown ? __shfl_down_sync(~0u, word, by)
             : way == kUp ? __shfl_up_sync(~0u, word, by)
                          : __shfl_sync(~0u, word, by);
    memcpy(&value, words, sizeof value);
    return value;
  }
#else
  void* RoomFor(size_t bytes) const;
  int me_;
  void* room_;
#endif
};

// Returns the size of the teams for rows of n elements: small ones, if there are rows for all
// threads of a GPU or little for each thread to do.
inline int TeamFor(int64_t rows, int64_t n) {
  if (n <= 16 && rows >= 1 << 14) return 1;
  return n <= 128 || (n <= 1024 && rows >= 1024) ? kWarp : kThreads;
}

#ifdef __CUDACC__
template <class F>
__global__ void __launch_bounds__(kThreads) ForEachKernel(int64_t n, const __grid_constant__ F f) {
  const int64_t step = static_cast<int64_t>(gridDim.x) * blockDim.x;
  for (int64_t i = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < n; i += step)
    f(i);
}
template <class F>
__global__ void __launch_bounds__(kThreads)
    ForRowsKernel(int64_t rows, int size, const __grid_constant__ F f) {
  const Team team(size);
  const int64_t step = static_cast<int64_t>(gridDim.x) * (kThreads / size);
  for (int64_t row = static_cast<int64_t>(blockIdx.x) * (kThreads / size) + threadIdx.x / size;
       row < rows; row += step) {
    f(team, row);
    team.Sync();
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
    const auto call = [](const void* f, const Team*, int64_t i) { (*static_cast<const F*>(f))(i); };
    if (FakeChecks* checks = fake.checks()) return checks->RunEach({name, &f, sizeof f, call}, n);
    for (int64_t i = 0; i < n; ++i) f(i);
  });
#endif
  return s.driver().Launched();
}

// Calls f(team, row) for each row, by all threads of a team of the given size.
template <class F>
Status ForTeams(KernelCtx& c, int64_t rows, int size, F f) {
  if (rows <= 0) return {};
  CudaStream& s = StreamOf(c);
#ifdef __CUDACC__
  TENSH_RETURN_IF_ERROR(s.driver().Use(s.gpu()));
  const int64_t in_block = kThreads / size;
  const int64_t blocks = std::min<int64_t>((rows + in_block - 1) / in_block, 1 << 16);
  ForRowsKernel<<<static_cast<unsigned>(blocks), kThreads, 0,
                  static_cast<cudaStream_t>(s.stream())>>>(rows, size, f);
#else
  auto& fake = static_cast<FakeDriver&>(s.driver());
  fake.Do(s.stream(), [&fake, name = __PRETTY_FUNCTION__, rows, f] {
    const auto call = [](const void* f, const Team* team, int64_t row) {
      (*static_cast<const F*>(f))(*team, row);
    };
    if (FakeChecks* checks = fake.checks())
      return checks->RunRows({name, &f, sizeof f, call}, rows);
    alignas(16) char room[Team::kRoom];
    for (int64_t row = 0; row < rows; ++row) f(Team(0, 1, room), row);
  });
  (void)size;
#endif
  return s.driver().Launched();
}

// Calls f(team, row) for each row of n elements, by all threads of a team that suits n.
template <class F>
Status ForRows(KernelCtx& c, int64_t rows, int64_t n, F f) {
  return ForTeams(c, rows, TeamFor(rows, n), f);
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
