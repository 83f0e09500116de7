#include "devices/cuda/math_libraries.h"

#include <map>
#include <mutex>

#include "runtime/core/strcat.h"

namespace tensh::cuda {
namespace {

struct Libraries {
  std::mutex mu;
  std::unique_ptr<MathLibraries> all;                      // guarded by mu; set once
  std::map<std::string, MathLibrary, std::less<>> needed;  // by op; guarded by mu
};
Libraries& Known() {
  static auto* known = new Libraries;
  return *known;
}

}  // namespace

void SetMathLibraries(std::unique_ptr<MathLibraries> libraries) {
  std::lock_guard lock(Known().mu);
  Known().all = std::move(libraries);
}

MathLibraries* TheMathLibraries() {
  std::lock_guard lock(Known().mu);
  return Known().all.get();
}

bool HasLibraryFor(std::initializer_list<const char*> ops, MathLibrary library) {
  MathLibraries* const libraries = TheMathLibraries();
  if (libraries && libraries->Has(library)) return true;
  std::lock_guard lock(Known().mu);
  for (const char* op : ops) Known().needed.insert_or_assign(op, library);
  return false;
}

std::string AdviceOn(MathLibrary library) {
  return library == MathLibrary::kFft
             ? "cuFFT is not installed: pip install nvidia-cufft, or apt install libcufft-13-0"
             : "cuSOLVER is not installed: pip install nvidia-cusolver, or apt install "
               "libcusolver-13-0";
}

std::string MissingMathLibraries() {
  MathLibraries* const libraries = TheMathLibraries();
  std::string text;
  if (libraries && !libraries->Has(MathLibrary::kFft))
    text = StrCat("Fourier transforms run on the CPU, because ", AdviceOn(MathLibrary::kFft));
  if (libraries && !libraries->Has(MathLibrary::kSolver))
    text += StrCat(text.empty() ? "" : "; ", "linear algebra runs on the CPU, because ",
                   AdviceOn(MathLibrary::kSolver));
  return text;
}

std::string WhyNoKernel(std::string_view op) {
  std::lock_guard lock(Known().mu);
  const auto it = Known().needed.find(op);
  return it == Known().needed.end()
             ? ""
             : StrCat("GPUs have a kernel for it, but ", AdviceOn(it->second));
}

}  // namespace tensh::cuda
