#pragma once
// The device of the host, which every session has.
#include "runtime/core/device/device.h"

namespace tensh {

// Registers the factory of CPU devices. It makes device_count['CPU'] of them, one by default.
void RegisterDevice_cpu(DeviceRegistry& registry);

}  // namespace tensh
