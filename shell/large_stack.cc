#include "shell/large_stack.h"

#include <pthread.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <ucontext.h>

#include <cstddef>
#include <cstdint>

#include "shell/python/values/ops.h"

namespace tensh::shell {
namespace {

constexpr size_t kEnough = 2 << 20, kSize = 8 << 20;
constexpr size_t kGuard = 64 << 10;  // at the low end; not accessible
constexpr size_t kKept = 1 << 20;    // for what the guard of recursion does not count

struct {
  int (*body)(int, char**);
  int argc, result;
  char** argv;
} call;

void Enter() { call.result = call.body(call.argc, call.argv); }

// A library or a kernel may start a thread with the default size, which glibc takes from the limit.
void EnlargeThreads() {
#ifdef __GLIBC__
  pthread_attr_t attributes;
  if (pthread_attr_init(&attributes) != 0) return;
  pthread_attr_setstacksize(&attributes, kSize);
  pthread_setattr_default_np(&attributes);
  pthread_attr_destroy(&attributes);
#endif
}

}  // namespace

int OnLargeStack(int (*body)(int, char**), int argc, char** argv) {
  rlimit limit{};
  if (getrlimit(RLIMIT_STACK, &limit) != 0 || limit.rlim_cur >= kEnough) return body(argc, argv);
  EnlargeThreads();
  void* stack = mmap(nullptr, kSize, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ucontext_t here, there;
  if (stack == MAP_FAILED || getcontext(&there) != 0) return body(argc, argv);
  mprotect(stack, kGuard, PROT_NONE);
  RecursionGuard::floor_ = reinterpret_cast<uintptr_t>(stack) + kGuard + kKept;
  there.uc_stack.ss_sp = stack;
  there.uc_stack.ss_size = kSize;
  there.uc_link = &here;
  call = {.body = body, .argc = argc, .result = 0, .argv = argv};
  makecontext(&there, Enter, 0);
  swapcontext(&here, &there);
  return call.result;
}

}  // namespace tensh::shell
