// Calls the kernels of all ops with small, often empty shapes, and watches the memory behind every
// tensor (fenced_memory.h). A kernel must neither access it nor divide by an extent of 0, abort, or
// compute for seconds. It must return the same result if memory has other contents: an unwritten
// output would show a client the previous contents. The result itself is not checked.
//
// TENSH_EMPTY_SHAPES="CALLS SEED OPS" makes more calls of each op, others, or those of some ops.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csetjmp>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <set>
#include <sstream>

#include "runtime/core/files/files.h"
#include "tests/unit/ops/fenced_memory.h"
#include "tests/unit/ops/kernel_harness.h"
#include "tests/unit/ops/random_call.h"

namespace tensh::test {
namespace {

constexpr unsigned kSeconds = 5;  // of one call
constexpr int kProcesses = 2;     // each calls every second op

// Ops that wait for other steps, that communicate with other processes or the user, or that call
// functions.
const std::set<std::string> kLeftOut = {
    "Unstage", "MapUnstage",     "MapUnstageNoKey", "OrderedMapUnstage",
    "MapPeek", "OrderedMapPeek", "StagePeek",       "OrderedMapUnstageNoKey",
    "Print",   "PrintV2",        "Assert",          "Abort"};

sigjmp_buf after_signal;
volatile sig_atomic_t in_call = 0;
std::string* the_call = nullptr;

void OnSignal(int signal) {
  if (in_call) siglongjmp(after_signal, signal);
  ::signal(signal, SIG_DFL);
  ::raise(signal);
}

void CatchSignals() {
#ifdef TENSH_TEST_ASAN
  __sanitizer_set_death_callback([] {
    if (the_call) std::fprintf(stderr, "in %s\n", the_call->c_str());
  });
  constexpr int kSignals[] = {SIGALRM};
#else
  constexpr int kSignals[] = {SIGALRM, SIGSEGV, SIGBUS, SIGFPE, SIGABRT};
#endif
  struct sigaction action {};
  action.sa_handler = OnSignal;
  action.sa_flags = SA_NODEFER;
  for (const int signal : kSignals) sigaction(signal, &action, nullptr);
}

class FedPrepare : public FakePrepare {
 public:
  using FakePrepare::FakePrepare;
  Shape input_shape(int) const override { return Shape::Unknown(); }
};

class Sweep {
 public:
  Sweep(int calls, uint32_t seed, std::set<std::string> only)
      : calls_(calls), only_(std::move(only)), random_(seed, memory_) {}

  // Calls the ops at the positions part, part + kProcesses, …
  void All(int part) {
    int at = 0;
    for (const OpDef* found : Registry().All()) {
      const OpDef& op = *found;
      if (at++ % kProcesses != part) continue;
      if (kLeftOut.count(op.name) || (!only_.empty() && !only_.count(op.name))) continue;
      const int before = ok_;
      int wrong = 0;
      for (int n = 0; n < calls_ && wrong < 3; ++n) wrong += !One(op);
      wrong_ += wrong;
      ops_ += ok_ > before;
    }
    std::printf("%d ops, %d calls, %d wrong\n", ops_, ok_, wrong_);
  }
  int wrong() const { return wrong_; }
  int ops() const { return ops_; }

 private:
  // Returns false if the call crashed, took too long, or accessed memory that it must not.
  bool One(const OpDef& op) {
    RandomCall call;
    if (!random_.Next(op, &call)) return true;
    text_ = call.Text();
    the_call = &text_;
    if (const int signal = sigsetjmp(after_signal, 1)) {
      in_call = 0;
      alarm(0);
      // The memory of the kernel is leaked, because it may be in an invalid state.
      new RandomCall(std::move(call));
      return Wrong(strsignal(signal));
    }
    in_call = 1;
    alarm(kSeconds);
    const bool same = Repeats(call);
    call.inputs.clear();
    call.variables.clear();
    alarm(0);
    in_call = 0;
    if (memory_.TakeOverrun()) return Wrong("written behind the end of a tensor");
    return same || Wrong("depends on memory that it did not write");
  }

  // Returns false if a second call in memory with other contents gives other outputs.
  bool Repeats(const RandomCall& call) {
    memory_.Begin(0x11, 0x5a);
    std::vector<Tensor> first, second;
    if (!Run(call, &first)) return true;
    ++ok_;
    // Variables and generators have changed, so the second result would differ.
    if (!call.variables.empty() || call.op->stateful) return true;
    memory_.Begin(0x3f, 0x22);
    if (!Run(call, &second)) return false;
    for (size_t i = 0; i < first.size(); ++i)
      if (!Same(first[i], second[i])) return false;
    return true;
  }

  static bool Same(const Tensor& a, const Tensor& b) {
    if (!a || !b) return !a && !b;
    if (!(a.shape() == b.shape()) || a.dtype() != b.dtype()) return false;
    if (a.dtype() == DType::kString)
      return std::equal(a.flat<std::string>().begin(), a.flat<std::string>().end(),
                        b.flat<std::string>().begin());
    return !IsPod(a.dtype()) || !a.bytes() ||
           std::memcmp(a.raw(), b.raw(), static_cast<size_t>(a.bytes())) == 0;
  }

  bool Wrong(const char* why) {
    std::printf("%s: %s\n", why, text_.c_str());
    return false;
  }

  // Returns true if the kernel ran to its end.
  bool Run(const RandomCall& call, std::vector<Tensor>* outputs) {
    Node node{call.op, call.attrs, call.in, call.out};
    const KernelRow* row = call.op->FindKernel("CPU", Attrs(node.attrs));
    if (!row || !row->fn) return false;
    std::vector<Known> unknown;
    for (const DType t : call.in) unknown.emplace_back(Shape::Unknown(), t);
    FakeShape shapes(node, unknown);
    if (!call.op->shape(shapes).ok()) return false;
    FedPrepare prepare(node, call.inputs);
    Result<std::unique_ptr<KernelState>> state = PrepareKernel(*call.op, *row, prepare);
    return state.ok() && Call(call, *row, state->get(), outputs);
  }

  bool Call(const RandomCall& call, const KernelRow& row, const KernelState* state,
            std::vector<Tensor>* outputs) {
    std::vector<Tensor> slots = call.inputs;
    slots.resize(call.in.size() + call.out.size());
    std::vector<uint32_t> places(slots.size());
    for (uint32_t i = 0; i < places.size(); ++i) places[i] = i;
    std::vector<DType> types;
    for (const DType t : call.out) types.push_back(BaseType(t));
    Contract placed;
    const bool own = PlaceContract(*call.op, Attrs(call.attrs), &placed);
    KernelCall bound{.in = places.data(),
                     .out = places.data() + call.in.size(),
                     .out_dtypes = types.data(),
                     .state = state,
                     .n_in = static_cast<uint16_t>(call.in.size()),
                     .n_out = static_cast<uint16_t>(call.out.size()),
                     .forwardable = 0,
                     .contract = own ? &placed : &call.op->contract};
    KernelCtx c(slots.data(), nullptr, nullptr, &memory_);
    c.Bind(bound);
    if (!CallKernel(row.fn, c).ok()) return false;
    outputs->assign(slots.begin() + static_cast<ptrdiff_t>(call.in.size()), slots.end());
    return true;
  }

  const int calls_;
  const std::set<std::string> only_;
  FencedMemory memory_;
  RandomCalls random_;
  std::string text_;
  int ok_ = 0, ops_ = 0, wrong_ = 0;
};

// `wanted`: "CALLS SEED OPS".
int Sweeping(const char* wanted, int part) {
  int calls = 600;
  uint32_t seed = 1;
  std::set<std::string> only;
  std::istringstream words(wanted);
  words >> calls >> seed;
  for (std::string op; words >> op;) only.insert(op);
  if (!LimitFiles("", false).ok()) return 3;
  CatchSignals();
  auto* sweep = new Sweep(calls, seed, only);  // what a signal left behind is never destroyed
  sweep->All(part);
  std::fflush(stdout);
  return sweep->wrong() ? 1 : only.empty() && sweep->ops() < 500 / kProcesses ? 2 : 0;
}

// Sweeps in child processes, which may crash.
void Sweeps(const char* wanted) {
  std::fflush(stdout);
  pid_t children[kProcesses];
  for (int part = 0; part < kProcesses; ++part) {
    children[part] = ::fork();
    if (children[part] == 0) ::_exit(Sweeping(wanted, part));
  }
  for (const pid_t child : children) {
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_TRUE(WIFEXITED(status)) << "ended by signal " << WTERMSIG(status);
    EXPECT_NE(WEXITSTATUS(status), 2) << "too few ops were reached";
    EXPECT_EQ(WEXITSTATUS(status), 0);
  }
}

TEST(EmptyShapes, NoKernelLeavesItsTensors) {
  const char* wanted = std::getenv("TENSH_EMPTY_SHAPES");
  Sweeps(wanted ? wanted : "600 1");
}

// g++ 12 read one element of a transposed matrix of complex64 behind its end.
TEST(EmptyShapes, ProductsStayInTransposedMatrices) { Sweeps("6000 1 MatMul BatchMatMulV2"); }

}  // namespace
}  // namespace tensh::test
