#include "runtime/core/absent_kernels.h"

#include <map>
#include <mutex>

namespace tensh {
namespace {

std::mutex g_mu;
std::map<std::string, WhyNoKernelFn, std::less<>>& Known() {
  static auto* known = new std::map<std::string, WhyNoKernelFn, std::less<>>;
  return *known;
}

}  // namespace

void SetWhyNoKernel(std::string_view device_type, WhyNoKernelFn why) {
  std::lock_guard lock(g_mu);
  Known().insert_or_assign(std::string(device_type), why);
}

std::string WhyNoKernel(std::string_view device_type, std::string_view op) {
  std::lock_guard lock(g_mu);
  const auto it = Known().find(device_type);
  return it == Known().end() ? "" : it->second(op);
}

}  // namespace tensh
