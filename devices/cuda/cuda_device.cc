#include "devices/cuda/cuda_device.h"

#include <algorithm>
#include <atomic>
#include <charconv>
#include <cstdlib>
#include <utility>

#include "devices/cuda/cuda_timer.h"
#include "devices/cuda/math_libraries.h"
#include "runtime/base/random.h"
#include "runtime/core/strcat.h"

namespace tensh::cuda {
namespace {

// A GPU of the process.
struct Gpu {
  Gpu(Driver& driver, int id, GpuInfo the_info)
      : info(std::move(the_info)),
        stream(driver, id),
        recorder(driver, id),
        memory(driver, id, stream, info.memory) {
    stream.set_memory(&memory);
    recorder.set_memory(&memory);
  }

  const GpuInfo info;
  CudaStream stream;
  // The stream on which graphs are recorded, one at a time. It is separate, so that concurrent work
  // on the compute stream does not become part of a graph.
  CudaStream recorder;
  std::mutex recording;
  CudaAllocator memory;
  TimedEvents events;
};

class CudaRecording : public Recording {
 public:
  explicit CudaRecording(Gpu& gpu) : gpu_(gpu) {}
  ~CudaRecording() override {
    if (graph_ && driver().Use(gpu_.stream.gpu()).ok()) driver().FreeGraph(graph_);
    gpu_.memory.Release(&reserve_);
  }

  Status Make(const std::function<Status(ParallelRunner*)>& work) {
    std::lock_guard lock(gpu_.recording);
    TENSH_RETURN_IF_ERROR(gpu_.memory.Open());
    TENSH_RETURN_IF_ERROR(driver().Use(gpu_.stream.gpu()));
    if (!gpu_.recorder.stream()) {
      TENSH_ASSIGN(const Stream made, driver().NewStream());
      gpu_.recorder.Open(made);
    }
    const Stream stream = gpu_.recorder.stream();
    (void)gpu_.recorder.TakeFailure();  // of a recording that failed as a whole
    Status begun = driver().BeginCapture(stream);
    if (begun.code() == Code::kResourceExhausted) {
      gpu_.memory.MakeRoom();
      begun = driver().BeginCapture(stream);
    }
    TENSH_RETURN_IF_ERROR(begun);
    gpu_.memory.Begin(&reserve_, stream);
    Status status = work(&gpu_.recorder);
    gpu_.memory.End();
    // Even if the work failed.
    Result<Graph> graph = driver().EndCapture(stream, [&] { gpu_.memory.MakeRoom(); });
    if (graph.ok()) graph_ = *graph;
    TENSH_RETURN_IF_ERROR(status);
    TENSH_RETURN_IF_ERROR(gpu_.recorder.TakeFailure());
    TENSH_RETURN_IF_ERROR(std::move(graph).status());
    gpu_.memory.Offer(&reserve_);
    return {};
  }

  Status Replay() override {
    TENSH_RETURN_IF_ERROR(driver().Use(gpu_.stream.gpu()));
    return gpu_.memory.Launch(&reserve_, graph_);
  }

 private:
  Driver& driver() const { return gpu_.stream.driver(); }
  Gpu& gpu_;
  CudaAllocator::Reserve reserve_;
  Graph graph_ = nullptr;
};

class GpuDevice : public Device {
 public:
  GpuDevice(DeviceName name, DeviceInfo info, Gpu& gpu)
      : Device(std::move(name), std::move(info)), gpu_(gpu) {}
  Allocator* allocator() override { return &gpu_.memory; }
  ParallelRunner* runner() override { return &gpu_.stream; }
  Status Sync() override {
    Driver& driver = gpu_.stream.driver();
    if (gpu_.memory.opened()) {
      TENSH_RETURN_IF_ERROR(driver.Use(gpu_.stream.gpu()));
      TENSH_RETURN_IF_ERROR(driver.Wait(gpu_.stream.stream()));
    }
    return TakeFailure();
  }
  Status TakeFailure() override { return gpu_.stream.TakeFailure(); }
  Status SyncAndCopy(std::span<const OutCopy> copies) override {
    const auto is_empty = [](const OutCopy& copy) { return copy.bytes == 0; };
    if (std::all_of(copies.begin(), copies.end(), is_empty)) return Sync();
    TENSH_RETURN_IF_ERROR(gpu_.memory.CopyAllOut(copies));
    return TakeFailure();
  }
  std::unique_ptr<DeviceTimer> NewTimer() override {
    return std::make_unique<CudaTimer>(gpu_.stream, gpu_.events);
  }
  Result<std::unique_ptr<Recording>> Record(
      const std::function<Status(ParallelRunner*)>& work) override {
    const char* wanted = std::getenv("TENSH_GPU_REPLAY");
    if (wanted && std::string_view(wanted) == "0") return Unimplemented("TENSH_GPU_REPLAY=0");
    auto recording = std::make_unique<CudaRecording>(gpu_);
    TENSH_RETURN_IF_ERROR(recording->Make(work));
    return std::unique_ptr<Recording>(std::move(recording));
  }

 private:
  Gpu& gpu_;
};

class GpuFactory : public DeviceFactory {
 public:
  explicit GpuFactory(Driver& driver) : driver_(driver) {}
  std::string type() const override { return "GPU"; }

  std::string WhyNone() override {
    Result<std::vector<GpuInfo>> all = All();
    if (!all.ok()) return std::string(all.status().message());
    if (all->empty()) return "a driver was found, but no device";
    const bool none = std::none_of(all->begin(), all->end(), IsUsable);
    return none ? LeftOut(*all) : "";
  }

  std::string Missing() override {
    Result<std::vector<GpuInfo>> all = All();
    if (!all.ok() || std::none_of(all->begin(), all->end(), IsUsable)) return {};
    std::string text;
    for (const std::string& part : {LeftOut(*all), driver_.Missing(), MissingMathLibraries()})
      if (!part.empty()) text += (text.empty() ? "" : "; ") + part;
    return text;
  }

  Result<std::vector<std::unique_ptr<Device>>> Create(const DeviceOptions& options) override {
    std::vector<std::unique_ptr<Device>> devices;
    Result<std::vector<GpuInfo>> all = All();
    if (!all.ok() || all->empty()) return devices;  // as on a machine without a GPU
    TENSH_ASSIGN(std::vector<int> visible, Visible(options.gpu.visible_devices, *all));
    if (auto it = options.device_count.find("GPU"); it != options.device_count.end())
      visible.resize(std::min(visible.size(), static_cast<size_t>(std::max(0, it->second))));
    const double fraction = options.gpu.memory_fraction;
    if (fraction < 0 || fraction > 1)
      return InvalidArgument("per_process_gpu_memory_fraction is ", fraction,
                             "; it must be between 0 and 1");
    for (const int id : visible) {
      Gpu& gpu = Find(id, (*all)[static_cast<size_t>(id)]);
      if (fraction > 0)
        gpu.memory.set_limit(static_cast<size_t>(fraction * static_cast<double>(gpu.info.memory)));
      devices.push_back(NewDevice(options, gpu, static_cast<int>(devices.size()), id));
    }
    return devices;
  }

 private:
  static bool IsUsable(const GpuInfo& info) { return info.unusable.empty(); }

  Result<std::vector<GpuInfo>> All() {
    TENSH_ASSIGN(const int count, driver_.Count());
    std::vector<GpuInfo> all;
    for (int id = 0; id < count; ++id) {
      TENSH_ASSIGN(GpuInfo info, driver_.Info(id));
      all.push_back(std::move(info));
    }
    return all;
  }

  static std::string LeftOut(const std::vector<GpuInfo>& all) {
    std::string text;
    for (size_t id = 0; id < all.size(); ++id)
      if (!IsUsable(all[id]))
        text += StrCat(text.empty() ? "" : "; ", "GPU ", id, " (", all[id].name,
                       ") is left out: ", all[id].unusable);
    return text;
  }

  static Result<std::vector<int>> Visible(std::string_view list, const std::vector<GpuInfo>& all) {
    std::vector<int> ids;
    const int count = static_cast<int>(all.size());
    for (int id = 0; list.empty() && id < count; ++id)
      if (IsUsable(all[static_cast<size_t>(id)])) ids.push_back(id);
    for (std::string_view rest = list; !rest.empty();) {
      const std::string_view item = rest.substr(0, rest.find(','));
      rest.remove_prefix(std::min(rest.size(), item.size() + 1));
      int id = -1;
      const auto end = item.data() + item.size();
      const auto [at, error] = std::from_chars(item.data(), end, id);
      if (error != std::errc() || at != end || id < 0 || id >= count ||
          std::find(ids.begin(), ids.end(), id) != ids.end())
        return InvalidArgument("visible_device_list '", list, "': '", item, "' is not one of the ",
                               count, " GPUs here, or it occurs twice");
      if (const GpuInfo& info = all[static_cast<size_t>(id)]; !IsUsable(info))
        return InvalidArgument("visible_device_list '", list, "': GPU ", id, " (", info.name,
                               ") cannot be used: ", info.unusable);
      ids.push_back(id);
    }
    return ids;
  }

  Gpu& Find(int id, const GpuInfo& info) {
    std::lock_guard lock(mu_);
    std::unique_ptr<Gpu>& gpu = gpus_[id];
    if (!gpu) gpu = std::make_unique<Gpu>(driver_, id, info);
    return *gpu;
  }

  std::unique_ptr<Device> NewDevice(const DeviceOptions& options, Gpu& gpu, int number, int id) {
    static std::atomic<uint64_t> made{SystemRandom()};
    DeviceName name{options.job, 0, options.task, number, "GPU"};
    const std::string text =
        StrCat("device: ", id, ", name: ", gpu.info.name, ", pci bus id: ", gpu.info.bus_id,
               ", compute capability: ", gpu.info.major, ".", gpu.info.minor);
    DeviceInfo info{name.ToString(), "GPU", static_cast<int64_t>(gpu.memory.limit()),
                    ++made * 0x9E3779B97F4A7C15ull >> 1, text};
    return std::make_unique<GpuDevice>(std::move(name), std::move(info), gpu);
  }

  Driver& driver_;
  std::mutex mu_;
  std::map<int, std::unique_ptr<Gpu>> gpus_;  // guarded by mu_; never erased
};

}  // namespace

void CudaStream::Fail(Status status) {
  std::lock_guard lock(mu_);
  if (failure_.ok()) failure_ = std::move(status);
}

Status CudaStream::TakeFailure() {
  std::lock_guard lock(mu_);
  return std::exchange(failure_, Status());
}

std::unique_ptr<DeviceFactory> NewGpuFactory(Driver& driver) {
  return std::make_unique<GpuFactory>(driver);
}

}  // namespace tensh::cuda
