#pragma once
#include "runtime/core/device.h"

namespace tensh {

// Registers the factory of CPU devices: device_count['CPU'] of them, one by default.
void RegisterDevice_cpu(DeviceRegistry& registry);

}  // namespace tensh
