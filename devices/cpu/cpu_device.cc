// CPU devices: host memory, and threads for large kernels. Several CPU devices of one process share
// the cores; they exist for teaching, and for tests of placement and Send/Recv.
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>

#include "devices/cpu/cpu_device.h"
#include "runtime/base/cores.h"
#include "runtime/base/random.h"
#include "runtime/core/cpu_limit.h"
#include "runtime/core/device/float_mode.h"

namespace tensh {
namespace {

// A pool of helper threads. After its last block, a helper looks for another range for some microseconds, and then waits in the
// operating system, because kernels follow each other closely in a step and waking a thread takes as long as a small kernel. The
// blocks of a range are claimed one by one by any idle thread, including the caller, so a busy pool delays
// nothing. A block may divide its own work in turn: a caller that waits for long blocks helps with
// shorter ones meanwhile.
class CpuThreads : public ParallelRunner {
 public:
  explicit CpuThreads(int threads) : threads_(threads) {}
  ~CpuThreads() override {
    {
      std::lock_guard lock(mu_);
      stop_ = true;
      ++posted_;
    }
    wake_.notify_all();
    for (std::thread& t : helpers_) t.join();
  }
  int threads() const override { return threads_; }

  // The minimum work of a block, in ns. Waking a thread takes about 10 µs, and longer on a busy
  // machine.
  static constexpr double kBlockNs = 20e3;
  // Blocks that take longer may divide their own work.
  static constexpr double kLongNs = 1e8;
  // How long a thread looks for work, or for the end of the last block, before it waits in the operating system.
  static constexpr std::chrono::microseconds kLook{50};

  void For(int64_t total, double ns_per_unit, RangeFn fn, void* context) override {
    int64_t blocks = std::min<int64_t>(
        threads_ * 4, static_cast<int64_t>(static_cast<double>(total) * ns_per_unit / kBlockNs));
    blocks = std::min(blocks, total);
    if (threads_ < 2 || blocks < 2) return fn(context, 0, total);
    auto job = std::make_shared<Job>(Job{total, blocks, fn, context, CpuMeter::OfThread()});
    const bool is_long = job->is_long = ns_per_unit >= kLongNs;
    {
      std::lock_guard lock(mu_);
      StartHelpers();
      // Short blocks come first. The block of another job that waits for them ends earlier.
      jobs_.insert(is_long ? jobs_.end() : jobs_.begin(), job);
      n_long_ += is_long;
      ++posted_;
      if (n_long_) done_.notify_all();
    }
    wake_.notify_all();
    job->Work();
    const auto finished = [&] { return job->finished.load() == job->blocks; };
    if (!is_long) LookFor(finished);
    std::unique_lock lock(mu_);
    std::erase(jobs_, job);
    while (!finished()) {
      std::shared_ptr<Job> other = is_long ? FindJob(true) : nullptr;
      if (!other) {
        done_.wait(lock, [&] { return finished() || (is_long && FindJob(true)); });
        continue;
      }
      lock.unlock();
      other->Work();
      other = nullptr;
      lock.lock();
      done_.notify_all();
    }
    n_long_ -= is_long;
    lock.unlock();
    if (job->failed.load()) std::rethrow_exception(job->error);
  }

 private:
  // Waits a little for a condition, unless other threads need the cores.
  template <class Condition>
  void LookFor(Condition condition) const {
    if (threads_ > cores_) return;
    const auto end = std::chrono::steady_clock::now() + kLook;
    while (!condition() && std::chrono::steady_clock::now() < end)
      for (int i = 0; i < 16 && !condition(); ++i) Pause();
  }
  static void Pause() {
#if defined(__x86_64__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    asm volatile("yield");
#endif
  }

  // If the system allows no more threads, the existing ones share the work with the caller, which
  // can do all of it. The next range tries again. Requires mu_.
  void StartHelpers() {
    try {
      while (static_cast<int>(helpers_.size()) < threads_ - 1)
        helpers_.emplace_back([this] { Help(); });
    } catch (const std::system_error&) {
    }
  }

  struct Job {
    const int64_t total, blocks;
    RangeFn fn;
    void* context;
    CpuMeter* const meter;  // of the step, to which the threads count their time; may be null
    std::atomic<int64_t> next{0}, finished{0};
    std::atomic<bool> failed{false};
    bool is_long = false;
    std::exception_ptr error;  // the first exception, written by the thread that set `failed`
    Job(int64_t t, int64_t b, RangeFn f, void* c, CpuMeter* m)
        : total(t), blocks(b), fn(f), context(c), meter(m) {}
    Job(const Job& other) : Job(other.total, other.blocks, other.fn, other.context, other.meter) {}
    bool HasWork() const { return next.load(std::memory_order_relaxed) < blocks; }
    void Work() {
      for (int64_t b; (b = next.fetch_add(1)) < blocks; finished.fetch_add(1)) Block(b);
    }
    // Runs a block. An exception, such as bad_alloc, is rethrown in the caller when all blocks are
    // done.
    void Block(int64_t b) {
      const CpuMeter::Use counts(meter);  // ends before the block counts as finished
      try {
        fn(context, total * b / blocks, total * (b + 1) / blocks);
      } catch (...) {
        if (!failed.exchange(true)) error = std::current_exception();
      }
    }
  };

  // Returns a job with blocks that no thread has begun, or null. Requires mu_.
  std::shared_ptr<Job> FindJob(bool is_short = false) {
    for (auto& job : jobs_)
      if (job->HasWork() && !(is_short && job->is_long)) return job;
    return nullptr;
  }

  void Help() {
    const FlushDenormals flush;  // like the thread that runs the step
    std::unique_lock lock(mu_);
    for (;;) {
      std::shared_ptr<Job> job = FindJob();
      if (!job && !stop_) {
        const uint32_t seen = posted_;
        lock.unlock();
        LookFor([&] { return posted_.load() != seen; });
        lock.lock();
        wake_.wait(lock, [&] { return stop_ || (job = FindJob()); });
      }
      if (stop_) return;
      lock.unlock();
      job->Work();
      lock.lock();
      done_.notify_all();
    }
  }

  const int threads_, cores_ = AvailableCores();
  std::mutex mu_;
  std::atomic<uint32_t> posted_{0};  // Number of ranges so far. Changed under mu_.
  std::condition_variable wake_, done_;
  std::vector<std::shared_ptr<Job>> jobs_;  // guarded by mu_
  int n_long_ = 0;                          // guarded by mu_: those with long blocks
  std::vector<std::thread> helpers_;
  bool stop_ = false;
};

// Returns the pool with this number of threads. Sessions with the same number share it.
std::shared_ptr<CpuThreads> SharedThreads(int threads) {
  static std::mutex mu;
  static std::map<int, std::weak_ptr<CpuThreads>>* pools =
      new std::map<int, std::weak_ptr<CpuThreads>>;
  std::lock_guard lock(mu);
  auto pool = (*pools)[threads].lock();
  if (!pool) (*pools)[threads] = pool = std::make_shared<CpuThreads>(threads);
  return pool;
}

class CpuDevice : public Device {
 public:
  CpuDevice(DeviceName name, DeviceInfo info, std::shared_ptr<CpuThreads> threads)
      : Device(std::move(name), std::move(info)), threads_(std::move(threads)) {}
  Allocator* allocator() override { return HostAllocator(); }
  ParallelRunner* runner() override { return threads_.get(); }

 private:
  std::shared_ptr<CpuThreads> threads_;
};

class CpuFactory : public DeviceFactory {
 public:
  std::string type() const override { return "CPU"; }
  Result<std::vector<std::unique_ptr<Device>>> Create(const DeviceOptions& options) override {
    auto it = options.device_count.find("CPU");
    int count = it == options.device_count.end() ? 1 : it->second;
    if (count > 1024)
      return InvalidArgument("device_count requests ", count,
                             " CPU devices; at most 1024 are possible");
    auto threads = SharedThreads(
        options.intra_op_threads > 0 ? std::min(options.intra_op_threads, 256) : AvailableCores());
    static std::atomic<uint64_t> made{SystemRandom()};
    std::vector<std::unique_ptr<Device>> devices;
    for (int id = 0; id < count; ++id) {
      DeviceName name{options.job, 0, options.task, id, "CPU"};
      int64_t memory = static_cast<int64_t>(sysconf(_SC_PHYS_PAGES)) * sysconf(_SC_PAGESIZE);
      DeviceInfo info{name.ToString(), "CPU", memory, ++made * 0x9E3779B97F4A7C15ull >> 1, ""};
      devices.push_back(std::make_unique<CpuDevice>(std::move(name), std::move(info), threads));
    }
    return devices;
  }
};

}  // namespace

void RegisterDevice_cpu(DeviceRegistry& registry) { registry.Add(std::make_unique<CpuFactory>()); }

}  // namespace tensh
