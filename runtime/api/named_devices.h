#pragma once
// Devices of other processes. Nodes can be placed on them, but their memory is not accessible.
#include <span>

#include "runtime/core/device/device.h"

namespace tensh::api {

// Returns InvalidArgument for an invalid name, and NotFound if the list is empty.
Result<DeviceMgr> NamedDevices(std::span<const DeviceInfo> devices);

}  // namespace tensh::api
