#pragma once
// Why an op has no kernel on a type of devices, as their plug-in explains it: a library that the kernel needs may be missing.
// Thread-safe.
#include <string>
#include <string_view>

namespace tensh {

// Returns a sentence for users, or "".
using WhyNoKernelFn = std::string (*)(std::string_view op);
void SetWhyNoKernel(std::string_view device_type, WhyNoKernelFn why);
std::string WhyNoKernel(std::string_view device_type, std::string_view op);

}  // namespace tensh
