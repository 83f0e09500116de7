#include "ops/math/matmul/onednn.h"

#include <dlfcn.h>
#include <dnnl.h>
#include <pthread.h>
#include <signal.h>

#include <atomic>
#include <cstdlib>
#include <mutex>
#include <thread>

#include "runtime/core/one_time.h"

namespace tensh::ops {
namespace {

struct OneDnn {
  decltype(&dnnl_sgemm) sgemm = nullptr;
  void (*omp_set_num_threads)(int) = nullptr;

  bool Multiply(char ta, char tb, int64_t m, int64_t n, int64_t k, const float* a, int64_t lda,
                const float* b, int64_t ldb, float* c, int64_t ldc) const {
    // OpenMP threads spin between parallel regions, which would take the CPU from the step's threads.
    // With one thread there is no region. The setting belongs to the calling thread, so it is made
    // each time.
    if (omp_set_num_threads) omp_set_num_threads(1);
    return sgemm(ta, tb, m, n, k, 1.0f, a, lda, b, ldb, 0.0f, c, ldc) == dnnl_success;
  }
};

// Loads the library in a thread of its own.
class Loader {
 public:
  // A process that ends while the thread works must wait for it, before the library's static objects are
  // destroyed.
  ~Loader() { Join(); }

  void Begin() {
    if (begun()) return;
    std::lock_guard lock(mu_);
    if (begun_.load(std::memory_order_relaxed)) return;
    sigset_t all, old;  // signals are for other threads
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &old);
    try {
      thread_ = std::thread([this] { Load(); });
    } catch (const std::exception&) {
      Load();  // no thread can be started
    }
    pthread_sigmask(SIG_SETMASK, &old, nullptr);
    begun_.store(true, std::memory_order_release);
  }

  bool begun() const { return begun_.load(std::memory_order_acquire); }

  const OneDnn& Get() {
    if (!ready_.load(std::memory_order_acquire)) {
      OneTimeWork once("loading oneDNN");
      Begin();
      ready_.wait(false, std::memory_order_acquire);
    }
    return library_;
  }

  void Join() {
    ending_.store(true, std::memory_order_relaxed);
    std::lock_guard lock(mu_);
    if (thread_.joinable()) thread_.join();
  }

 private:
  void Load() {
    if (void* handle = dlopen("libdnnl.so.2", RTLD_NOW | RTLD_LOCAL)) {
      // The library has registered the destructors of its static objects by now. This function is
      // registered after them and therefore called before them.
      std::atexit([] { The().Join(); });
      library_.omp_set_num_threads =
          reinterpret_cast<void (*)(int)>(dlsym(handle, "omp_set_num_threads"));
      library_.sgemm = reinterpret_cast<decltype(library_.sgemm)>(dlsym(handle, "dnnl_sgemm"));
      if (library_.sgemm && !ending_.load(std::memory_order_relaxed)) GenerateCode();
    }
    ready_.store(true, std::memory_order_release);
    ready_.notify_all();
  }

  // A product makes the library generate the code of its like.
  void GenerateCode() const {
    constexpr int64_t kSize = 64;
    static float a[kSize * kSize], b[kSize * kSize], c[kSize * kSize];
    for (const char* transposed : {"NN", "NT", "TN"})
      library_.Multiply(transposed[0], transposed[1], kSize, kSize, kSize, a, kSize, b, kSize, c,
                        kSize);
  }

 public:
  static Loader& The() {
    static Loader loader;
    return loader;
  }

 private:
  std::mutex mu_;
  std::thread thread_;
  std::atomic<bool> begun_{false}, ready_{false}, ending_{false};
  OneDnn library_;  // constant once ready_ is true
};

}  // namespace

void ExpectProduct(std::initializer_list<int64_t> extents) {
  constexpr double kUnknown = 32;
  double work = 1;
  for (const int64_t extent : extents) work *= extent < 0 ? kUnknown : static_cast<double>(extent);
  if (work >= kOneDnnFrom) Loader::The().Begin();
}

void AwaitExpected() {
  if (Loader::The().begun()) (void)Loader::The().Get();
}

bool HaveOneDnn() { return Loader::The().Get().sgemm != nullptr; }

bool OneDnnGemm(char transpose_a, char transpose_b, int64_t m, int64_t n, int64_t k, const float* a,
                int64_t lda, const float* b, int64_t ldb, float* c, int64_t ldc) {
  return Loader::The().Get().Multiply(transpose_a, transpose_b, m, n, k, a, lda, b, ldb, c, ldc);
}

}  // namespace tensh::ops
