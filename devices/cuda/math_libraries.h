#pragma once
// The interface between the kernels of GPUs and the libraries for transforms and linear algebra. A library may be missing: its
// ops then have no kernel on GPUs, and WhyNoKernel tells users what to install. The real implementation loads a library at its
// first call; the fake one (tests/cuda_double/fake_libraries.cc) computes on the host. Thread-safe.
#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "devices/cuda/cuda_driver.h"

namespace tensh::cuda {

enum class MathLibrary : uint8_t { kFft, kSolver };

// `batch` Fourier transforms of `rank` dimensions, without scaling. Transforms of real numbers have the first
// n[rank - 1] / 2 + 1 elements of the last dimension on their complex side. An inverse one may overwrite its input.
struct FftCall {
  bool wide;  // complex128 instead of complex64
  bool real, inverse;
  int rank;
  int64_t n[3];
  int64_t batch;
  const void* in;
  void* out;
};

// A decomposition of one matrix, or the solution of equations. Matrices are stored by columns, without gaps.
struct MatrixCall {
  enum Kind {
    kCholesky,  // a [rows, rows]: the lower triangle is replaced by the factor
    kLu,  // a [rows, rows]: replaced by both factors; pivots [rows] counts rows from 1, as LAPACK does
    kSolve,  // op(a) · x = b [rows, others] with the results of kLu; b is replaced by x
    kQr,     // a [rows, columns]: the upper triangle is replaced by R; b [rows, others] becomes Q
    kSvd,  // a [rows, columns], rows >= columns, is lost; values, b = U [rows, others], c = Vᴴ [columns, columns]
    kEigen,  // a [rows, rows]: the lower triangle is read, and a replaced by the vectors; values are ascending
  } kind;
  DType type;  // float, double, complex64 or complex128
  int64_t rows, columns, others;
  void *a, *b = nullptr, *c = nullptr, *values = nullptr;
  int64_t* pivots = nullptr;
  bool vectors = true;  // kSvd, kEigen
  enum Op { kPlain, kTransposed, kAdjoint } op = kPlain;
  int32_t* info = nullptr;  // becomes 0 if the call succeeds
};

class MathLibraries {
 public:
  virtual ~MathLibraries() = default;
  // Returns true if the library is installed. Does not load it.
  virtual bool Has(MathLibrary library) = 0;
  // Each call returns the bytes of scratch memory that it needs, if `scratch` is null, and otherwise queues its work and
  // returns 0. The calling thread must use the GPU.
  virtual Result<size_t> Fft(int gpu, Stream stream, const FftCall& call, void* scratch) = 0;
  virtual Result<size_t> Matrix(int gpu, Stream stream, const MatrixCall& call, void* scratch) = 0;
};

// The libraries of this process, which the plug-in sets before it registers kernels. Null until then.
void SetMathLibraries(std::unique_ptr<MathLibraries> libraries);
MathLibraries* TheMathLibraries();
// `folders` are searched for the libraries (cuda_libraries.h).
std::unique_ptr<MathLibraries> NewRealMathLibraries(const std::vector<std::string>& folders);
std::unique_ptr<MathLibraries> NewFakeMathLibraries();

// Returns true if the library is installed. Otherwise notes that these ops have no kernels without it.
bool HasLibraryFor(std::initializer_list<const char*> ops, MathLibrary library);
// Returns a sentence for users about an op that was noted, or "".
std::string WhyNoKernel(std::string_view op);
// Returns a sentence that says how a library is installed.
std::string AdviceOn(MathLibrary library);
// Returns sentences about the libraries that are not installed, or "".
std::string MissingMathLibraries();

}  // namespace tensh::cuda
