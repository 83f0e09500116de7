#include "runtime/session/default_stack.h"

#include <vector>

namespace tensh {
namespace {
thread_local std::vector<void*> stack;
}

void PushDefaultSession(void* session) { stack.push_back(session); }

bool PopDefaultSession(void* session) {
  if (stack.empty() || stack.back() != session) return false;
  stack.pop_back();
  return true;
}

void* DefaultSession() { return stack.empty() ? nullptr : stack.back(); }

}  // namespace tensh
