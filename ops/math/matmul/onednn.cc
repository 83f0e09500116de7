#include "ops/math/matmul/onednn.h"

#include <dnnl.h>
#include <pthread.h>
#include <signal.h>

#include <atomic>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>

#include "runtime/base/shared_library.h"
#include "runtime/core/device/one_time.h"

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

// Computes a product, so that the library generates the code that later products use.
void GenerateCode(const OneDnn& library) {
  constexpr int64_t kSize = 64;
  static float a[kSize * kSize], b[kSize * kSize], c[kSize * kSize];
  for (const char* transposed : {"NN", "NT", "TN"})
    library.Multiply(transposed[0], transposed[1], kSize, kSize, kSize, a, kSize, b, kSize, c,
                     kSize);
}

std::atomic<bool> g_ending{false};

const OneDnn& LoadOnce() {
  static const OneDnn library = [] {
    OneDnn dnn;
    SharedLibrary file(kOneDnnLibrary);
    file.Find("dnnl_sgemm", &dnn.sgemm);
    file.Find("omp_set_num_threads", &dnn.omp_set_num_threads);
    if (dnn.sgemm && !g_ending) GenerateCode(dnn);
    return dnn;
  }();
  return library;
}

// Loads the library, or waits until another thread has loaded it. Either is recorded as work that is
// done once.
const OneDnn& Library() {
  static std::atomic<const OneDnn*> loaded{nullptr};
  if (const OneDnn* library = loaded.load(std::memory_order_acquire)) return *library;
  OneTimeWork once("loading oneDNN");
  const OneDnn& library = LoadOnce();
  loaded.store(&library, std::memory_order_release);
  return library;
}

// The background thread. This object is never destroyed, because a program may exit without calling
// EndLoading, and destroying a running std::thread ends the process.
struct Background {
  std::mutex mu;
  bool started = false;
  std::thread thread;

  static Background& Get() {
    static auto* background = new Background;
    return *background;
  }

  void Start() {
    std::lock_guard lock(mu);
    if (std::exchange(started, true)) return;
    sigset_t all, old;
    sigfillset(&all);  // signal handlers run in the threads of the program
    pthread_sigmask(SIG_SETMASK, &all, &old);
    try {
      thread = std::thread([] { (void)LoadOnce(); });
    } catch (const std::system_error&) {
      // Too many threads: compiling a plan loads the library.
    }
    pthread_sigmask(SIG_SETMASK, &old, nullptr);
  }

  void End() {
    std::lock_guard lock(mu);
    started = true;
    if (thread.joinable()) thread.join();
  }
};

bool NeedsLibrary(std::initializer_list<int64_t> extents) {
  constexpr double kUnknown = 32;
  double work = 1;
  for (const int64_t extent : extents) work *= extent < 0 ? kUnknown : static_cast<double>(extent);
  return work >= kOneDnnFrom;
}

}  // namespace

void LoadForProduct(std::initializer_list<int64_t> extents) {
  if (NeedsLibrary(extents)) (void)Library();
}

bool StartLoadingForProduct(std::initializer_list<int64_t> extents) {
  if (!NeedsLibrary(extents)) return false;
  Background::Get().Start();
  return true;
}

void EndLoading() {
  g_ending = true;
  Background::Get().End();
}

bool HaveOneDnn() { return Library().sgemm != nullptr; }

bool OneDnnGemm(char transpose_a, char transpose_b, int64_t m, int64_t n, int64_t k, const float* a,
                int64_t lda, const float* b, int64_t ldb, float* c, int64_t ldc) {
  return Library().Multiply(transpose_a, transpose_b, m, n, k, a, lda, b, ldb, c, ldc);
}

}  // namespace tensh::ops
