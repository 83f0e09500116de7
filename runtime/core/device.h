#pragma once
// A device is where nodes run: a name, memory, and a way to copy to and from host memory. Devices
// come from factories registered by type; a DeviceMgr creates them in registration order, CPU
// first.
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "runtime/core/kernel.h"

namespace tensh {

// /job:localhost/replica:0/task:0/device:CPU:1, or the parts of it a user gave. Unset parts match
// any.
struct DeviceName {
  std::string job;
  int replica = -1, task = -1, id = -1;
  std::string type;  // upper case, "CPU"

  // Accepts every spelling TensorFlow does: "/cpu:0", "/device:CPU:0", "CPU:0",
  // "/job:a/task:1/gpu:*", "".
  static Result<DeviceName> Parse(std::string_view text);
  // True when every part this one has equals the full name's.
  bool Matches(const DeviceName& full) const;
  std::string ToString() const;  // canonical and full: /job:…/replica:…/task:…/device:CPU:0
  std::string ShortString() const;  // cpu:0
  bool empty() const { return job.empty() && type.empty() && replica < 0 && task < 0 && id < 0; }
};

struct DeviceInfo {
  std::string name;          // canonical full name
  std::string type;          // "CPU"
  int64_t memory_limit = 0;  // bytes
  uint64_t incarnation = 0;  // differs each time a device is created
  std::string description;
};

// Work that was handed to a device once and is done again as a whole: the same kernels, on the same
// addresses.
class Recording {
 public:
  virtual ~Recording() = default;
  virtual Status Replay() = 0;  // behind what was handed over before
};

class Device {
 public:
  virtual ~Device() = default;
  const DeviceInfo& info() const { return info_; }
  const DeviceName& name() const { return name_; }
  virtual Allocator* allocator() = 0;
  // Threads for kernels of this device, or what they hand their work to; null: run inline.
  virtual ParallelRunner* runner() = 0;
  // Waits for the work that was handed over; its failure, which nobody was told of yet.
  virtual Status Sync() { return {}; }
  // Records what `work`, called at once and in this thread, hands to the runner it is given;
  // nothing of it is done yet. What it takes of the device's memory is nobody else's while the
  // recording lives; what the host has to copy is refused.
  virtual Result<std::unique_ptr<Recording>> Record(
      const std::function<Status(ParallelRunner*)>& work) {
    (void)work;
    return Unimplemented("a ", info_.type, " records nothing");
  }

 protected:
  Device(DeviceName name, DeviceInfo info) : name_(std::move(name)), info_(std::move(info)) {}

 private:
  DeviceName name_;
  DeviceInfo info_;
};

// ConfigProto's gpu_options, as far as they mean something here.
struct GpuOptions {
  double memory_fraction = 0;   // per_process_gpu_memory_fraction; 0: all there is
  bool allow_growth = false;    // accepted: memory is always taken as it is needed
  std::string visible_devices;  // visible_device_list, "1,0"; empty: all
};

struct DeviceOptions {
  std::map<std::string, int> device_count;  // by upper-case type; absent: the factory's default
  int intra_op_threads = 0;                 // 0: one a core
  GpuOptions gpu = {};
  std::string job = "localhost";
  int task = 0;
};

class DeviceFactory {
 public:
  virtual ~DeviceFactory() = default;
  virtual std::string type() const = 0;
  // Why there is no such device; empty: there may be.
  virtual std::string WhyNone() { return {}; }
  virtual Result<std::vector<std::unique_ptr<Device>>> Create(const DeviceOptions& options) = 0;
};

// Factories in the order devices are created; "CPU" must be first. Filled once at start-up.
class DeviceRegistry {
 public:
  void Add(std::unique_ptr<DeviceFactory> factory) { factories_.push_back(std::move(factory)); }
  const std::vector<std::unique_ptr<DeviceFactory>>& factories() const { return factories_; }

 private:
  std::vector<std::unique_ptr<DeviceFactory>> factories_;
};

// The devices of one session (or server), CPU:0 first. Immutable after Create.
class DeviceMgr {
 public:
  // NotFound when the CPU factory is missing or gives no device.
  static Result<std::unique_ptr<DeviceMgr>> Create(const DeviceRegistry& registry,
                                                   const DeviceOptions& options);
  // Of devices made elsewhere.
  explicit DeviceMgr(std::vector<std::unique_ptr<Device>> devices) : devices_(std::move(devices)) {}
  DeviceMgr() = default;
  size_t size() const { return devices_.size(); }
  Device& operator[](size_t i) const { return *devices_[i]; }

 private:
  std::vector<std::unique_ptr<Device>> devices_;
};

}  // namespace tensh
