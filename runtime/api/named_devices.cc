#include "runtime/api/named_devices.h"

namespace tensh::api {
namespace {

class NamedDevice : public Device {
 public:
  NamedDevice(DeviceName name, DeviceInfo info) : Device(std::move(name), std::move(info)) {}
  Allocator* allocator() override { return nullptr; }
  ParallelRunner* runner() override { return nullptr; }
};

}  // namespace

Result<DeviceMgr> NamedDevices(std::span<const DeviceInfo> devices) {
  std::vector<std::unique_ptr<Device>> list;
  for (const DeviceInfo& info : devices) {
    TENSH_ASSIGN(DeviceName name, DeviceName::Parse(info.name));
    list.push_back(std::make_unique<NamedDevice>(std::move(name), info));
  }
  if (list.empty()) return NotFound("no task of the cluster has a device");
  return DeviceMgr(std::move(list));
}

}  // namespace tensh::api
