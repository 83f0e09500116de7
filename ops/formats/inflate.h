#pragma once
// Decompresses zlib and gzip data.
#include <string>

#include "runtime/core/kernel.h"

namespace tensh::ops {

enum class Packing { kNone, kZlib, kGzip };
// Parses "", "ZLIB" or "GZIP". Returns InvalidArgument for any other name.
Result<Packing> PackingNamed(const std::string& name);
// Decompresses `in`. Returns the bytes decoded so far if the input is truncated, and DataLoss if it
// is not a deflate stream.
Status Inflate(const KernelCtx& c, Packing packing, const std::string& in, std::string* out);

}  // namespace tensh::ops
