#pragma once
// oneDNN's matrix product, which is loaded at run time.
//
// The first use of the library costs 25 to 50 ms: it is loaded, and generates the code of its
// products. The shell does this in a background thread when the first node with a large product is
// added to a graph. Compiling the first plan with such a product waits for the library, or loads it,
// so that kernels never do. Products below kOneDnnFrom never use the library, and larger ones always
// do if it is installed.
//
// All functions may be called by any thread.
#include <cstdint>
#include <initializer_list>

namespace tensh::ops {

// Multiply-adds from which on a product uses oneDNN. Below, the loops of gemm.cc are as fast to within
// 1 µs; a product of 32 x 784 and 784 x 10 takes them twice as long.
inline constexpr int64_t kOneDnnFrom = 40 * 1024;

// Loads the library if it will compute a product of float matrices, whose number of multiply-adds is
// the product of `extents`. Unknown extents (-1) count as 32. Called when a kernel is prepared.
void LoadForProduct(std::initializer_list<int64_t> extents);

// Likewise, but in a background thread. Returns false if the product does not need the library.
bool StartLoadingForProduct(std::initializer_list<int64_t> extents);

// Waits for that thread, which generates no more code if it has not begun to. This must be done
// before the process exits: the static objects of the library would be destroyed under the thread.
void EndLoading();

// Loads the library unless that was done or it is not installed. Returns false if it is not.
bool HaveOneDnn();

// Computes c = op(a) * op(b) with dnnl_sgemm, whose arguments these are. Returns false on failure.
// Requires HaveOneDnn().
bool OneDnnGemm(char transpose_a, char transpose_b, int64_t m, int64_t n, int64_t k, const float* a,
                int64_t lda, const float* b, int64_t ldb, float* c, int64_t ldc);

}  // namespace tensh::ops
