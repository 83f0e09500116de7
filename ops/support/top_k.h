#pragma once
// What TopK and InTopK read and check before they look: the same on every device. Stateless.
#include "runtime/core/kernel.h"

namespace tensh::ops {

Result<std::unique_ptr<KernelState>> PrepareTop(PrepareCtx& c);

// The k greatest of each n; the outputs' shape.
struct TopDims {
  int64_t n, k;
  Shape out;
};
Result<TopDims> TopDimsOf(KernelCtx& c);
// The k of InTopK, whose inputs fit.
Result<int64_t> InTopCount(KernelCtx& c);

}  // namespace tensh::ops
