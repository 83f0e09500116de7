// Ownership of the handles of the C API, for C++ code that calls tensh.h itself. tensh.hpp builds
// on it.
//
//   tensh::Owned<tsh_graph> graph(tsh_graph_new());
#pragma once

#include <memory>
#include <string>
#include <utility>

#include "tensh/tensh.h"

namespace tensh {
inline namespace v0 {

// Releases one reference. A header with further kinds of handles specializes it for each.
template <class T>
void ReleaseHandle(T* handle) = delete;
template <>
inline void ReleaseHandle(char* text) {
  tsh_free(text);
}
template <>
inline void ReleaseHandle(tsh_status* s) {
  tsh_status_free(s);
}
template <>
inline void ReleaseHandle(tsh_tensor* t) {
  tsh_tensor_unref(t);
}
template <>
inline void ReleaseHandle(tsh_graph* g) {
  tsh_graph_unref(g);
}
template <>
inline void ReleaseHandle(tsh_session* s) {
  tsh_session_unref(s);
}
template <>
inline void ReleaseHandle(tsh_callable* c) {
  tsh_callable_unref(c);
}
template <>
inline void ReleaseHandle(tsh_partial* p) {
  tsh_partial_unref(p);
}
template <>
inline void ReleaseHandle(tsh_checkpoint* c) {
  tsh_checkpoint_free(c);
}

struct Release {
  template <class T>
  void operator()(T* handle) const {
    ReleaseHandle(handle);
  }
};

// One reference to an object of the C API, which the destructor releases.
template <class T>
using Owned = std::unique_ptr<T, Release>;

// Returns the text that a call of the C API handed over, or "" for null.
inline std::string TakeText(char* text) {
  const Owned<char> owned(text);
  return text ? std::string(text) : std::string();
}

// Returns the calling thread's status, for calls that are too frequent to allocate one. It is
// overwritten by the next call that uses it.
inline tsh_status* ScratchStatus() {
  static thread_local const Owned<tsh_status> status(tsh_status_new());
  return status.get();
}

}  // namespace v0
}  // namespace tensh
