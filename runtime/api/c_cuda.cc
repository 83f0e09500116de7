// Loads the plug-in libtensh_cuda.so when the first session requests devices, provided that it is
// installed and a driver exists. On other machines this costs two lookups of files.
#include <dlfcn.h>
#include <unistd.h>

#include <cstring>

#include "devices/cuda/cuda_plugin.h"
#include "runtime/api/c_types.h"
#include "runtime/api/plugin_paths.h"
#include "runtime/base/shared_library.h"
#include "tensh/tensh.h"
#include "tensh/tensh_devices.h"

namespace tensh::api {
namespace {

constexpr const char* kNotInstalled =
    "libtensh_cuda.so is not installed: apt install tensh-cuda (in a build tree, ./dev build makes "
    "it with nvcc)";

Result<const tensh_cuda_table*> Load() {
  for (const std::string& path : PluginPaths(gpu_plugin.name)) {
    if (::access(path.c_str(), R_OK) != 0) continue;
    if (gpu_plugin.needs_driver && !SharedLibrary(kCudaDriverLibrary).loaded())
      return Unimplemented("no driver: ", kCudaDriverLibrary.file, " not found");
    TENSH_ASSIGN(void* library, OpenLibrary(path));
    auto* table = static_cast<const tensh_cuda_table*>(::dlsym(library, TENSH_CUDA_SYMBOL));
    if (!table || std::strcmp(table->abi, TENSH_CUDA_ABI) != 0)
      return Unimplemented(path,
                           " was built from other sources than this tensh: type ./dev build, ",
                           "or install the tensh-cuda of version " TENSH_VERSION);
    return table;
  }
  return Unimplemented(kNotInstalled);
}

class GpuFactory : public DeviceFactory {
 public:
  std::string type() const override { return "GPU"; }
  std::string WhyNone() override {
    const auto& factory = Inner();
    return factory.ok() ? (*factory)->WhyNone() : std::string(factory.status().message());
  }
  std::string Missing() override { return Inner().ok() ? (*Inner())->Missing() : ""; }
  Result<std::vector<std::unique_ptr<Device>>> Create(const DeviceOptions& options) override {
    const auto it = options.device_count.find("GPU");
    const bool wanted = it == options.device_count.end() || it->second > 0;
    if (wanted && gpu_plugin.required && !WhyNone().empty())
      return FailedPrecondition("this test needs a GPU: ", WhyNone());
    if (!wanted || !Inner().ok()) return std::vector<std::unique_ptr<Device>>();
    return (*Inner())->Create(options);
  }

 private:
  // Loads the plug-in on the first call, and registers its kernels before it creates a device.
  const Result<std::unique_ptr<DeviceFactory>>& Inner() {
    std::call_once(once_, [&] {
      Result<const tensh_cuda_table*> table = Load();
      if (!table.ok()) {
        inner_.emplace(std::move(table).status());
        return;
      }
      Ops().AddKernels((*table)->kernels());
      SetWhyNoKernel(type(), (*table)->why_no_kernel);
      inner_.emplace((*table)->factory());
    });
    return *inner_;
  }

  std::once_flag once_;
  std::optional<Result<std::unique_ptr<DeviceFactory>>> inner_;
};

}  // namespace

std::unique_ptr<DeviceFactory> MakeGpuFactory() { return std::make_unique<GpuFactory>(); }

}  // namespace tensh::api

char* tsh_what_devices_lack(const char* type) {
  for (const auto& factory : tensh::api::Devices().factories())
    if (type && factory->type() == type) return tensh::api::TextOut(factory->Missing());
  return tensh::api::TextOut("");
}

char* tsh_why_no_device(const char* type) {
  for (const auto& factory : tensh::api::Devices().factories())
    if (type && factory->type() == type) return tensh::api::TextOut(factory->WhyNone());
  return tensh::api::TextOut("tensh has no such devices");
}
