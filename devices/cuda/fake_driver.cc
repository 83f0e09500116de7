#include "devices/cuda/fake_driver.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <complex>
#include <cstdlib>
#include <cstring>
#include <thread>

#include "runtime/core/half.h"
#include "runtime/core/strcat.h"

namespace tensh::cuda {
namespace {

constexpr size_t kAlign = 256;
std::atomic<FakeDriver*> g_current{nullptr};

template <class Sum, class T>
Sum Factor(T x, bool conjugate) {
  if constexpr (requires { x.imag(); })
    return conjugate ? std::conj(x) : x;
  else
    return static_cast<Sum>(x);
}

template <class T>
void Multiply(const GemmCall& g, FakeChecks* checks) {
  for (int64_t i = 0; i < g.batch; ++i) {
    const T* a = static_cast<const T*>(FakeDriver::View(g.a)) + i * g.stride_a;
    const T* b = static_cast<const T*>(FakeDriver::View(g.b)) + i * g.stride_b;
    T* y = static_cast<T*>(FakeDriver::View(g.y)) + i * g.stride_y;
    if (checks) {
      checks->Read("a product of matrices", a, static_cast<size_t>(g.m * g.k) * sizeof(T));
      checks->Read("a product of matrices", b, static_cast<size_t>(g.k * g.n) * sizeof(T));
      checks->Wrote("a product of matrices", y, static_cast<size_t>(g.m * g.n) * sizeof(T));
    }
    for (int64_t row = 0; row < g.m; ++row)
      for (int64_t column = 0; column < g.n; ++column) {
        using Sum = std::conditional_t<kIsHalf<T>, float, T>;
        Sum sum = 0;
        for (int64_t k = 0; k < g.k; ++k)
          sum += Factor<Sum>(a[g.transpose_a ? k * g.m + row : row * g.k + k],
                             g.adjoint && g.transpose_a) *
                 Factor<Sum>(b[g.transpose_b ? column * g.k + k : k * g.n + column],
                             g.adjoint && g.transpose_b);
        y[row * g.n + column] = static_cast<T>(sum);
      }
  }
}

// Adds the product of each pair of elements that a convolution multiplies to the element of its result.
void ConvolveFloats(const ConvCall& g, float* x, float* filter, float* y) {
  const int64_t channels = g.in_channels / g.groups, outs = g.out_channels / g.groups;
  const auto image = [&](int64_t n, int64_t row, int64_t column, int64_t c, const int64_t* size,
                         int64_t all) {
    return g.channels_first ? ((n * all + c) * size[0] + row) * size[1] + column
                            : ((n * size[0] + row) * size[1] + column) * all + c;
  };
  const auto add = [&](int64_t n, int64_t row, int64_t column, int64_t o, int64_t k0, int64_t k1) {
    const int64_t in_row = row * g.stride[0] + k0 * g.dilation[0] - g.pad[0];
    const int64_t in_column = column * g.stride[1] + k1 * g.dilation[1] - g.pad[1];
    if (in_row < 0 || in_row >= g.in[0] || in_column < 0 || in_column >= g.in[1]) return;
    for (int64_t c = 0; c < channels; ++c) {
      float& a = x[image(n, in_row, in_column, o / outs * channels + c, g.in, g.in_channels)];
      float& b = filter[g.channels_first ? ((o * channels + c) * g.size[0] + k0) * g.size[1] + k1
                                         : ((o * g.size[0] + k0) * g.size[1] + k1) * channels + c];
      float& d = y[image(n, row, column, o, g.out, g.out_channels)];
      if (g.kind == ConvCall::kForward) d += a * b;
      if (g.kind == ConvCall::kInput) a += d * b;
      if (g.kind == ConvCall::kFilter) b += a * d;
    }
  };
  for (int64_t i = 0; i < g.batch * g.out[0] * g.out[1] * g.out_channels; ++i)
    for (int64_t k = 0; k < g.size[0] * g.size[1]; ++k)
      add(i / g.out_channels / g.out[1] / g.out[0], i / g.out_channels / g.out[1] % g.out[0],
          i / g.out_channels % g.out[1], i % g.out_channels, k / g.size[1], k % g.size[1]);
}

}  // namespace

FakeDriver::FakeDriver(int gpus, size_t memory) : gpus_(gpus), memory_(memory) {
  const int file = ::memfd_create("tensh-fake-gpu", MFD_CLOEXEC);
  const size_t all = memory + FakeChecks::kRoom;
  const bool sized = file >= 0 && ::ftruncate(file, static_cast<off_t>(all)) == 0;
  void* guarded = sized ? ::mmap(nullptr, memory, PROT_NONE, MAP_SHARED, file, 0) : MAP_FAILED;
  void* view =
      sized ? ::mmap(nullptr, all, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0) : MAP_FAILED;
  if (file >= 0) ::close(file);
  TENSH_CHECK(guarded != MAP_FAILED && view != MAP_FAILED, "no memory for a fake GPU");
  guarded_ = static_cast<char*>(guarded);
  view_ = static_cast<char*>(view);
  free_[0] = memory;
  if (const char* seed = std::getenv("TENSH_FAKE_GPU_CHECKS"))
    checks_ = std::make_unique<FakeChecks>(view_, memory, std::strtoull(seed, nullptr, 10));
  convolves_ = std::getenv("TENSH_FAKE_GPU_CUDNN") != nullptr;
  g_current = this;
}

FakeDriver::~FakeDriver() {
  g_current = nullptr;
  for (void* data : pinned_) std::free(data);
  ::munmap(guarded_, memory_);
  ::munmap(view_, memory_ + FakeChecks::kRoom);
}

FakeDriver* FakeDriver::Current() { return g_current; }

// Aborts on an address outside of device memory: the caller confused host and device tensors.
void* FakeDriver::View(const void* device) {
  FakeDriver* d = g_current;
  const char* at = static_cast<const char*>(device);
  TENSH_CHECK(d && at >= d->guarded_ && at < d->guarded_ + d->memory_,
              "a kernel of the GPU was given host memory");
  return d->view_ + (at - d->guarded_);
}

void FakeDriver::Note(std::string call) {
  std::lock_guard lock(mu_);
  if (calls_.size() < 100'000) calls_.push_back(std::move(call));
}
Status FakeDriver::Failure(std::string_view call) {
  std::lock_guard lock(mu_);
  if (until_failure_ && --until_failure_ == 0) return Internal("the fake's ", call, " failed");
  const auto it = failures_.find(call);
  if (it == failures_.end()) return {};
  Status status = std::move(it->second);
  failures_.erase(it);
  return status;
}
std::vector<std::string> FakeDriver::calls() {
  std::lock_guard lock(mu_);
  return calls_;
}
void FakeDriver::FailNext(std::string call, Status status) {
  std::lock_guard lock(mu_);
  failures_[std::move(call)] = std::move(status);
}
void FakeDriver::FailTheNth(size_t n) {
  std::lock_guard lock(mu_);
  until_failure_ = n;
}
bool FakeDriver::failed() {
  std::lock_guard lock(mu_);
  return until_failure_ == 0;
}
size_t FakeDriver::allocated() {
  DrainAll();
  std::lock_guard lock(mu_);
  size_t sum = 0;
  for (const auto& [at, size] : taken_) sum += size;
  return sum;
}

Result<int> FakeDriver::Count() { return gpus_; }
Result<GpuInfo> FakeDriver::Info(int gpu) {
  return GpuInfo{"fake",
                 StrCat("0000:0", gpu, ":00.0"),
                 9,
                 0,
                 memory_ / gpus_,
                 gpu < unusable_from_ ? "" : "it is too old"};
}
Status FakeDriver::Use(int) { return Failure("use"); }

Result<Stream> FakeDriver::NewStream() {
  TENSH_RETURN_IF_ERROR(Failure("new stream"));
  std::lock_guard lock(mu_);
  return reinterpret_cast<Stream>(next_++);
}
Result<Event> FakeDriver::NewEvent(bool timed) {
  TENSH_RETURN_IF_ERROR(Failure("new event"));
  std::scoped_lock lock(run_mu_, mu_);
  const auto event = reinterpret_cast<Event>(next_++);
  events_[event].timed = timed;
  return event;
}
Status FakeDriver::Wait(Stream stream) {
  Note(StrCat("wait for ", reinterpret_cast<uintptr_t>(stream)));
  TENSH_RETURN_IF_ERROR(Failure("wait"));
  Clock::time_point until;
  {
    std::lock_guard lock(run_mu_);
    while (Advance(stream)) {
    }
    until = busy_until_[stream];
  }
  std::this_thread::sleep_until(until);
  return {};
}
Status FakeDriver::Await(Event event) {
  Note(StrCat("await ", reinterpret_cast<uintptr_t>(event)));
  TENSH_RETURN_IF_ERROR(Failure("await"));
  Clock::time_point until;
  {
    std::lock_guard lock(run_mu_);
    const EventState& state = events_[event];
    while (state.reached < state.recorded && Advance(state.by)) {
    }
    until = state.time;
  }
  std::this_thread::sleep_until(until);
  return {};
}
Result<double> FakeDriver::Elapsed(Event begin, Event end) {
  TENSH_RETURN_IF_ERROR(Failure("elapsed"));
  std::lock_guard lock(run_mu_);
  const EventState &from = events_[begin], &to = events_[end];
  if (!from.timed || !to.timed || to.reached < to.recorded)
    return Internal("the time of an event that is not timed, or was not reached");
  return static_cast<double>((to.time - from.time).count());
}
Status FakeDriver::Record(Event event, Stream stream) {
  Note(StrCat("record ", reinterpret_cast<uintptr_t>(event), " on ",
              reinterpret_cast<uintptr_t>(stream)));
  TENSH_RETURN_IF_ERROR(Failure("record"));
  std::lock_guard lock(run_mu_);
  EventState& state = events_[event];
  state.by = stream;
  state.time = std::max(Clock::now(), busy_until_[stream]);
  Queue(stream, {.run = [&state, turn = ++state.recorded] { state.reached = turn; }});
  return {};
}
// As in CUDA, the stream waits for the latest Record of the event before this call. The turn
// identifies that Record.
Status FakeDriver::WaitFor(Stream stream, Event event) {
  Note(StrCat(reinterpret_cast<uintptr_t>(stream), " waits for ",
              reinterpret_cast<uintptr_t>(event)));
  TENSH_RETURN_IF_ERROR(Failure("wait for event"));
  std::lock_guard lock(run_mu_);
  const EventState& state = events_[event];
  if (work_time_.count()) busy_until_[stream] = std::max(busy_until_[stream], state.time);
  Queue(stream, {.awaited = event, .from = state.by, .turn = state.recorded});
  return {};
}

Result<size_t> FakeDriver::FreeMemory() {
  TENSH_RETURN_IF_ERROR(Failure("free memory"));
  std::lock_guard lock(mu_);
  size_t sum = 0;
  for (const auto& [at, size] : free_) sum += size;
  return sum;
}
void FakeDriver::Trim() { Note("trim"); }

// Allocates by first fit.
Result<void*> FakeDriver::Allocate(size_t bytes, Stream stream) {
  Note(StrCat("allocate ", bytes));
  TENSH_RETURN_IF_ERROR(Failure("allocate"));
  const size_t size = std::max(kAlign, (bytes + kAlign - 1) / kAlign * kAlign);
  const auto fits = [&](const auto& block) { return block.second >= size; };
  std::unique_lock lock(mu_);
  auto it = std::find_if(free_.begin(), free_.end(), fits);
  if (it == free_.end() && checks_) {
    lock.unlock();
    DrainAll();  // frees that are queued
    lock.lock();
    it = std::find_if(free_.begin(), free_.end(), fits);
  }
  if (it == free_.end()) return ResourceExhausted("out of memory on the GPU");
  const auto [at, have] = *it;
  free_.erase(it);
  if (have > size) free_[at + size] = have - size;
  taken_[at] = size;
  lock.unlock();
  InUse(guarded_ + at, bytes, stream);
  return guarded_ + at;
}

void FakeDriver::InUse(void* block, size_t bytes, Stream stream) {
  if (!checks_) return;
  const auto at = static_cast<size_t>(static_cast<char*>(block) - guarded_);
  Submit(stream, [this, at, bytes] { checks_->InUse(at, bytes); }, {});
}

void FakeDriver::Free(void* data, Stream stream) {
  Note("free");
  InUse(data, 0, stream);
  std::lock_guard lock(run_mu_);
  Queue(stream, {.run = [this, data] { FreeNow(data); }});
}

void FakeDriver::FreeNow(void* data) {
  std::lock_guard lock(mu_);
  const auto it = taken_.find(static_cast<size_t>(static_cast<char*>(data) - guarded_));
  TENSH_CHECK(it != taken_.end(), "freed, but not allocated on the GPU");
  auto at = free_.emplace(it->first, it->second).first;
  taken_.erase(it);
  if (auto next = std::next(at); next != free_.end() && at->first + at->second == next->first) {
    at->second += next->second;
    free_.erase(next);
  }
  if (at == free_.begin()) return;
  if (auto before = std::prev(at); before->first + before->second == at->first) {
    before->second += at->second;
    free_.erase(at);
  }
}

Result<void*> FakeDriver::AllocatePinned(size_t bytes) {
  TENSH_RETURN_IF_ERROR(Failure("pinned"));
  void* data = std::aligned_alloc(kAlign, bytes);
  if (!data) return ResourceExhausted("out of pinned memory");
  std::lock_guard lock(mu_);
  pinned_.push_back(data);
  return data;
}

Status FakeDriver::Copy(void* to, const void* from, size_t bytes, Way way, Stream stream) {
  static constexpr const char* kWays[] = {"in", "out", "within"};
  Note(StrCat("copy ", kWays[static_cast<int>(way)], " ", bytes, " on ",
              reinterpret_cast<uintptr_t>(stream)));
  TENSH_RETURN_IF_ERROR(Failure("copy"));
  if (way != Way::kToHost) to = View(to);
  if (way != Way::kToDevice) from = View(from);
  Do(stream, [=, checks = checks()] {
    if (checks && way == Way::kToDevice) checks->Wrote("a copy to the GPU", to, bytes);
    if (checks && way == Way::kToHost) checks->Read("a copy from the GPU", from, bytes);
    if (checks && way == Way::kWithin) checks->Copied("a copy on the GPU", to, from, bytes);
    std::memmove(to, from, bytes);
  });
  return {};
}

Status FakeDriver::CopyPeer(void* to, int to_gpu, const void* from, int from_gpu, size_t bytes,
                            Stream stream) {
  Note(StrCat("copy ", from_gpu, " to ", to_gpu, " ", bytes));
  TENSH_RETURN_IF_ERROR(Failure("copy"));
  Do(stream, [=, to = View(to), from = View(from), checks = checks()] {
    if (checks) checks->Copied("a copy between GPUs", to, from, bytes);
    std::memmove(to, from, bytes);
  });
  return {};
}

Status FakeDriver::Launched() {
  Note("launch");
  return Failure("launch");
}

Status FakeDriver::Gemm(Stream stream, const GemmCall& call) {
  Note(StrCat("gemm ", call.m, "x", call.n, "x", call.k));
  TENSH_RETURN_IF_ERROR(Failure("gemm"));
  Do(stream, [this, call] {
    if (call.type == DType::kFloat) Multiply<float>(call, checks());
    if (call.type == DType::kDouble) Multiply<double>(call, checks());
    if (call.type == DType::kHalf) Multiply<Half>(call, checks());
    if (call.type == DType::kBfloat16) Multiply<Bfloat16>(call, checks());
    if (call.type == DType::kComplex64) Multiply<std::complex<float>>(call, checks());
    if (call.type == DType::kComplex128) Multiply<std::complex<double>>(call, checks());
  });
  return {};
}

Result<size_t> FakeDriver::ConvScratch(const ConvCall& call) {
  if (!convolves_ || call.type != DType::kFloat) return Unimplemented("no cuDNN");
  return 1000;
}

Status FakeDriver::Convolve(Stream stream, const ConvCall& call, void*, size_t bytes) {
  Note(StrCat("convolve ", static_cast<int>(call.kind)));
  TENSH_RETURN_IF_ERROR(Failure("convolve"));
  TENSH_CHECK(bytes == 1000, "another size of scratch memory than was requested");
  Do(stream, [this, call] {
    const auto view = [](const void* data) { return static_cast<float*>(View(data)); };
    float* const operands[] = {view(call.y), view(call.x), view(call.filter)};  // by kind
    const int64_t elements[] = {
        call.batch * call.out[0] * call.out[1] * call.out_channels,
        call.batch * call.in[0] * call.in[1] * call.in_channels,
        call.size[0] * call.size[1] * (call.in_channels / call.groups) * call.out_channels};
    for (int i = 0; i < 3; ++i) {
      const size_t size = static_cast<size_t>(elements[i]) * sizeof(float);
      if (checks_ && i != call.kind) checks_->Read("a convolution", operands[i], size);
      if (checks_ && i == call.kind) checks_->Wrote("a convolution", operands[i], size);
      if (i == call.kind) std::fill_n(operands[i], elements[i], 0.0f);
    }
    ConvolveFloats(call, operands[1], operands[2], operands[0]);
  });
  return {};
}

void FakeDriver::Do(Stream stream, std::function<void()> work) {
  Submit(stream, std::move(work), work_time_);
}

void FakeDriver::Submit(Stream stream, std::function<void()> work, std::chrono::nanoseconds time) {
  {
    std::lock_guard lock(mu_);
    if (auto it = capturing_.find(stream); it != capturing_.end()) {
      it->second.push_back(std::move(work));
      return;
    }
  }
  std::lock_guard lock(run_mu_);
  if (time.count()) busy_until_[stream] = std::max(Clock::now(), busy_until_[stream]) + time;
  Queue(stream, {.run = std::move(work)});
}

// Queues work. Without checks it runs at once, so that queues are always empty.
void FakeDriver::Queue(Stream stream, Work work) {
  queues_[stream].push_back(std::move(work));
  if (!checks_) {
    Advance(stream);
    return;
  }
  for (size_t n = checks_->Draw(3); n > 0; --n) {
    const auto any =
        std::next(queues_.begin(), static_cast<ptrdiff_t>(checks_->Draw(queues_.size())));
    if (!Blocked(any->first)) Advance(any->first);
  }
}

bool FakeDriver::Blocked(Stream stream) {
  const std::deque<Work>& queue = queues_[stream];
  return !queue.empty() && queue.front().awaited &&
         events_[queue.front().awaited].reached < queue.front().turn;
}

bool FakeDriver::Advance(Stream stream) {
  std::deque<Work>& queue = queues_[stream];
  if (queue.empty()) return false;
  const Work work = std::move(queue.front());
  queue.pop_front();
  if (work.run) work.run();
  while (work.awaited && events_[work.awaited].reached < work.turn)
    TENSH_CHECK(Advance(work.from), "a stream waits for an event that no stream records");
  return true;
}

void FakeDriver::DrainAll() {
  std::lock_guard lock(run_mu_);
  for (auto& [stream, queue] : queues_)
    while (Advance(stream)) {
    }
}

Status FakeDriver::BeginCapture(Stream stream) {
  Note("begin capture");
  TENSH_RETURN_IF_ERROR(Failure("capture"));
  std::lock_guard lock(mu_);
  capturing_[stream];
  return {};
}

Result<Graph> FakeDriver::EndCapture(Stream stream, const std::function<void()>& make_room) {
  Note("end capture");
  Status failure = Failure("end capture");
  if (failure.code() == Code::kResourceExhausted) {
    make_room();
    failure = Failure("end capture");
  }
  std::lock_guard lock(mu_);
  const auto it = capturing_.find(stream);
  if (it == capturing_.end()) return FailedPrecondition("the stream is not captured");
  std::vector<std::function<void()>> work = std::move(it->second);
  capturing_.erase(it);
  TENSH_RETURN_IF_ERROR(failure);
  const auto graph = reinterpret_cast<Graph>(next_++);
  graphs_[graph] = std::move(work);
  return graph;
}

Status FakeDriver::Launch(Graph graph, Stream stream) {
  Note("launch graph");
  TENSH_RETURN_IF_ERROR(Failure("launch graph"));
  std::vector<std::function<void()>> work;
  {
    std::lock_guard lock(mu_);
    work = graphs_.at(graph);
  }
  Do(stream, [work = std::move(work)] {
    for (const auto& each : work) each();
  });
  return {};
}

void FakeDriver::FreeGraph(Graph graph) {
  std::lock_guard lock(mu_);
  graphs_.erase(graph);
}

}  // namespace tensh::cuda
