#include "ops/math/matmul/onednn.h"

#include <dnnl.h>

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

// Loads the library in the calling thread. A background thread could still be generating code when
// the process exits, after the library's static objects are destroyed.
const OneDnn& Library() {
  static const OneDnn library = [] {
    OneTimeWork once("loading oneDNN");
    OneDnn dnn;
    SharedLibrary file(kOneDnnLibrary);
    file.Find("dnnl_sgemm", &dnn.sgemm);
    file.Find("omp_set_num_threads", &dnn.omp_set_num_threads);
    if (dnn.sgemm) GenerateCode(dnn);
    return dnn;
  }();
  return library;
}

}  // namespace

void LoadForProduct(std::initializer_list<int64_t> extents) {
  constexpr double kUnknown = 32;
  double work = 1;
  for (const int64_t extent : extents) work *= extent < 0 ? kUnknown : static_cast<double>(extent);
  if (work >= kOneDnnFrom) (void)Library();
}

bool HaveOneDnn() { return Library().sgemm != nullptr; }

bool OneDnnGemm(char transpose_a, char transpose_b, int64_t m, int64_t n, int64_t k, const float* a,
                int64_t lda, const float* b, int64_t ldb, float* c, int64_t ldc) {
  return Library().Multiply(transpose_a, transpose_b, m, n, k, a, lda, b, ldb, c, ldc);
}

}  // namespace tensh::ops
