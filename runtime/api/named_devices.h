#pragma once
// Devices of other processes: names to place nodes on.
#include <span>

#include "runtime/core/device.h"

namespace tensh::api {

// InvalidArgument for a name that is none; NotFound when there is no device.
Result<DeviceMgr> NamedDevices(std::span<const DeviceInfo> devices);

}  // namespace tensh::api
