#pragma once
// A device runs nodes. It has a name, memory, and functions that copy to and from host memory.
//
// Factories are registered by device type. A DeviceMgr creates the devices in the order of
// registration, CPU first.
#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "runtime/core/op_registry.h"

namespace tensh {

// A full device name such as /job:localhost/replica:0/task:0/device:CPU:0, or the parts that a user
// gave. Parts that are not set match any value.
struct DeviceName {
  std::string job;
  int replica = -1, task = -1, id = -1;
  std::string type;  // In upper case: "CPU".

  // Accepts every spelling that TensorFlow accepts: "/cpu:0", "/device:CPU:0", "CPU:0",
  // "/job:a/task:1/gpu:*", "".
  static Result<DeviceName> Parse(std::string_view text);
  // Returns true if every part that is set equals that of the full name.
  bool Matches(const DeviceName& full) const;
  std::string ToString() const;  // The canonical full name: /job:…/replica:…/task:…/device:CPU:0
  std::string ShortString() const;  // cpu:0
  bool empty() const { return job.empty() && type.empty() && replica < 0 && task < 0 && id < 0; }
};

struct DeviceInfo {
  std::string name;          // The canonical full name.
  std::string type;          // "CPU"
  int64_t memory_limit = 0;  // In bytes.
  uint64_t incarnation = 0;  // A random number that differs each time a device is created.
  std::string description;
};

// A value in device memory that is copied to host memory.
struct OutCopy {
  void* to;
  const void* from;
  size_t bytes;
};

// Measures when a device reaches points of its queue. Used by one thread.
class DeviceTimer {
 public:
  using Clock = std::chrono::steady_clock;
  virtual ~DeviceTimer() = default;
  // Marks the end of the work that was queued so far. Returns the number of the mark, from 0.
  virtual size_t Mark() = 0;
  // Waits for all marks, and returns the times at which the device reached them, on the host's clock.
  virtual Result<std::vector<Clock::time_point>> Times() = 0;
};

// Device work that was recorded once and can be repeated as a whole: the same kernels on the same
// addresses.
class Recording {
 public:
  virtual ~Recording() = default;
  virtual Status Replay() = 0;  // Queues the work after all work that was queued before.
};

// Thread-safe. Owned by a DeviceMgr.
class Device {
 public:
  virtual ~Device() = default;
  const DeviceInfo& info() const { return info_; }
  const DeviceName& name() const { return name_; }
  virtual Allocator* allocator() = 0;
  // Returns the threads for kernels of this device, or the queue to which they hand their work. If
  // null, kernels run inline.
  virtual ParallelRunner* runner() = 0;
  // Waits for all queued work. Returns the first failure that was not reported yet.
  virtual Status Sync() { return {}; }
  // Returns the first failure that was not reported yet, without waiting. It explains the failure of
  // a step: what a kernel reported may be a consequence.
  virtual Status TakeFailure() { return {}; }
  // Like Sync, and copies values from the memory of the device, after all queued work.
  virtual Status SyncAndCopy(std::span<const OutCopy> copies) {
    for (const OutCopy& copy : copies)
      TENSH_RETURN_IF_ERROR(allocator()->CopyOut(copy.to, copy.from, copy.bytes));
    return Sync();
  }
  // Returns null if kernels are complete when their function returns.
  virtual std::unique_ptr<DeviceTimer> NewTimer() { return nullptr; }
  // Calls `work` immediately, in this thread, and records the work that it queues with the runner;
  // nothing is executed yet. Device memory that it allocates stays reserved as long as the
  // recording lives. Copies by the host are refused.
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

// The options of ConfigProto's gpu_options that have a meaning here.
struct GpuOptions {
  double memory_fraction = 0;   // per_process_gpu_memory_fraction; 0 means all memory.
  bool allow_growth = false;    // Accepted but ignored: memory is always allocated on demand.
  std::string visible_devices;  // visible_device_list, such as "1,0"; empty means all.
};

struct DeviceOptions {
  // By device type in upper case. If absent, the factory's default.
  std::map<std::string, int> device_count;
  int intra_op_threads = 0;  // 0 means one for each core.
  GpuOptions gpu = {};
  std::string job = "localhost";
  int task = 0;
};

// Creates the devices of one type.
class DeviceFactory {
 public:
  virtual ~DeviceFactory() = default;
  virtual std::string type() const = 0;
  // Returns the reason why no such device exists, or "" if there may be one.
  virtual std::string WhyNone() { return {}; }
  // Returns what is missing although there are such devices, as sentences: devices that were left
  // out, or libraries. "" if nothing is.
  virtual std::string Missing() { return {}; }
  // Returns the kernels for devices of this type. They are registered together with the factory. A
  // factory that loads its kernels later returns none here.
  virtual std::vector<PluginKernel> Kernels() { return {}; }
  virtual Result<std::vector<std::unique_ptr<Device>>> Create(const DeviceOptions& options) = 0;
};

// The factories in the order in which devices are created; "CPU" must be first. Filled once at
// start-up.
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
  // Returns NotFound if the CPU factory is missing or creates no device.
  static Result<std::unique_ptr<DeviceMgr>> Create(const DeviceRegistry& registry,
                                                   const DeviceOptions& options);
  // Takes devices that were created elsewhere.
  explicit DeviceMgr(std::vector<std::unique_ptr<Device>> devices) : devices_(std::move(devices)) {}
  DeviceMgr() = default;
  size_t size() const { return devices_.size(); }
  Device& operator[](size_t i) const { return *devices_[i]; }

 private:
  std::vector<std::unique_ptr<Device>> devices_;
};

}  // namespace tensh
