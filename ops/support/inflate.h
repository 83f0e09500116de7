#pragma once
// What zlib and gzip packed, unpacked.
#include <string>

#include "runtime/core/kernel.h"

namespace tensh::ops {

enum class Packing { kNone, kZlib, kGzip };
// "", "ZLIB" or "GZIP"; InvalidArgument for another.
Result<Packing> PackingNamed(const std::string& name);
// What ends too early is what there is of it; DataLoss for what was never packed.
Status Inflate(const KernelCtx& c, Packing packing, const std::string& in, std::string* out);

}  // namespace tensh::ops
