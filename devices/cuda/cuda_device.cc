#include "devices/cuda/cuda_device.h"
#include "runtime/base/random.h"

#include <atomic>
#include <charconv>
#include <cstdlib>

namespace tensh::cuda {
namespace {

// A GPU of the process.
struct Gpu {
  GpuInfo info;
  std::unique_ptr<CudaStream> stream;
  // The stream on which graphs are recorded, one at a time. It is separate, so that concurrent work
  // on the compute stream does not become part of a graph.
  std::unique_ptr<CudaStream> recorder;
  std::unique_ptr<std::mutex> recording = std::make_unique<std::mutex>();
  CudaAllocator* memory = nullptr;
};

class CudaRecording : public Recording {
 public:
  explicit CudaRecording(const Gpu& gpu) : gpu_(gpu) {}
  ~CudaRecording() override {
    if (graph_ && driver().Use(gpu_.stream->gpu()).ok()) driver().FreeGraph(graph_);
    gpu_.memory->Release(&reserve_);
  }

  Status Make(const std::function<Status(ParallelRunner*)>& work) {
    std::lock_guard lock(*gpu_.recording);
    const Stream stream = gpu_.recorder->stream();
    TENSH_RETURN_IF_ERROR(driver().Use(gpu_.stream->gpu()));
    TENSH_RETURN_IF_ERROR(driver().BeginCapture(stream));
    gpu_.memory->Begin(&reserve_, stream);
    Status status = work(gpu_.recorder.get());
    gpu_.memory->End();
    Result<Graph> graph = driver().EndCapture(stream);  // even if the work failed
    if (graph.ok()) graph_ = *graph;
    TENSH_RETURN_IF_ERROR(status);
    TENSH_RETURN_IF_ERROR(std::move(graph).status());
    gpu_.memory->Offer(&reserve_);
    return {};
  }

  Status Replay() override {
    TENSH_RETURN_IF_ERROR(driver().Use(gpu_.stream->gpu()));
    return gpu_.memory->Launch(&reserve_, graph_);
  }

 private:
  Driver& driver() const { return gpu_.stream->driver(); }
  const Gpu& gpu_;
  CudaAllocator::Reserve reserve_;
  Graph graph_ = nullptr;
};

class GpuDevice : public Device {
 public:
  GpuDevice(DeviceName name, DeviceInfo info, const Gpu& gpu)
      : Device(std::move(name), std::move(info)), gpu_(gpu) {}
  Allocator* allocator() override { return gpu_.memory; }
  ParallelRunner* runner() override { return gpu_.stream.get(); }
  Status Sync() override {
    Driver& driver = gpu_.stream->driver();
    TENSH_RETURN_IF_ERROR(driver.Use(gpu_.stream->gpu()));
    return driver.Wait(gpu_.stream->stream());
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
  const Gpu& gpu_;
};

class GpuFactory : public DeviceFactory {
 public:
  explicit GpuFactory(Driver& driver) : driver_(driver) {}
  std::string type() const override { return "GPU"; }

  std::string WhyNone() override {
    Result<int> count = driver_.Count();
    if (!count.ok()) return std::string(count.status().message());
    return *count ? "" : "a driver was found, but no device";
  }

  Result<std::vector<std::unique_ptr<Device>>> Create(const DeviceOptions& options) override {
    std::vector<std::unique_ptr<Device>> devices;
    Result<int> count = driver_.Count();
    if (!count.ok() || *count == 0) return devices;  // as on a machine without a GPU
    TENSH_ASSIGN(std::vector<int> visible, Visible(options.gpu.visible_devices, *count));
    if (auto it = options.device_count.find("GPU"); it != options.device_count.end())
      visible.resize(std::min(visible.size(), static_cast<size_t>(std::max(0, it->second))));
    if (options.gpu.memory_fraction < 0 || options.gpu.memory_fraction > 1)
      return InvalidArgument("per_process_gpu_memory_fraction is ", options.gpu.memory_fraction,
                             "; it must be between 0 and 1");
    for (const int id : visible) {
      TENSH_ASSIGN(const Gpu* gpu, Find(id));
      if (options.gpu.memory_fraction > 0)
        gpu->memory->set_limit(static_cast<size_t>(options.gpu.memory_fraction *
                                                   static_cast<double>(gpu->info.memory)));
      devices.push_back(NewDevice(options, *gpu, static_cast<int>(devices.size()), id));
    }
    return devices;
  }

 private:
  static Result<std::vector<int>> Visible(std::string_view list, int count) {
    std::vector<int> ids;
    for (int id = 0; list.empty() && id < count; ++id) ids.push_back(id);
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
      ids.push_back(id);
    }
    return ids;
  }

  Result<const Gpu*> Find(int id) {
    std::lock_guard lock(mu_);
    if (auto it = gpus_.find(id); it != gpus_.end()) return &it->second;
    Gpu gpu;
    TENSH_ASSIGN(gpu.info, driver_.Info(id));
    TENSH_RETURN_IF_ERROR(driver_.Use(id));
    TENSH_ASSIGN(Stream compute, driver_.NewStream());
    gpu.stream = std::make_unique<CudaStream>(driver_, id, compute);
    TENSH_ASSIGN(Stream recorder, driver_.NewStream());
    gpu.recorder = std::make_unique<CudaStream>(driver_, id, recorder);
    TENSH_ASSIGN(gpu.memory, CudaAllocator::Make(driver_, id, compute, gpu.info.memory));
    return &gpus_.emplace(id, std::move(gpu)).first->second;
  }

  std::unique_ptr<Device> NewDevice(const DeviceOptions& options, const Gpu& gpu, int number,
                                    int id) {
    static std::atomic<uint64_t> made{SystemRandom()};
    DeviceName name{options.job, 0, options.task, number, "GPU"};
    const std::string text =
        StrCat("device: ", id, ", name: ", gpu.info.name, ", pci bus id: ", gpu.info.bus_id,
               ", compute capability: ", gpu.info.major, ".", gpu.info.minor);
    DeviceInfo info{name.ToString(), "GPU", static_cast<int64_t>(gpu.memory->limit()),
                    ++made * 0x9E3779B97F4A7C15ull >> 1, text};
    return std::make_unique<GpuDevice>(std::move(name), std::move(info), gpu);
  }

  Driver& driver_;
  std::mutex mu_;
  std::map<int, Gpu> gpus_;  // guarded by mu_; never erased
};

}  // namespace

std::unique_ptr<DeviceFactory> NewGpuFactory(Driver& driver) {
  return std::make_unique<GpuFactory>(driver);
}

}  // namespace tensh::cuda
