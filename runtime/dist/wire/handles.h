#pragma once
// Smart pointers that own the objects of tensh.h and tensh_plugin.h.
#include "runtime/core/status.h"
#include "tensh/tensh_handles.hpp"
#include "tensh/tensh_plugin.h"

namespace tensh {

template <>
inline void ReleaseHandle(tsh_home* h) {
  tsh_home_unref(h);
}
template <>
inline void ReleaseHandle(tsh_cutter* c) {
  tsh_cutter_free(c);
}
template <>
inline void ReleaseHandle(tsh_cut* c) {
  tsh_cut_free(c);
}
template <>
inline void ReleaseHandle(tsh_cancel_watch* w) {
  tsh_cancel_watch_free(w);
}
template <>
inline void ReleaseHandle(tsh_cancel* c) {
  tsh_cancel_free(c);
}

}  // namespace tensh

namespace tensh::dist {

using TensorPtr = Owned<tsh_tensor>;
using GraphPtr = Owned<tsh_graph>;
using SessionPtr = Owned<tsh_session>;
using CallablePtr = Owned<tsh_callable>;
using PartialPtr = Owned<tsh_partial>;
using TextPtr = Owned<char>;
using HomePtr = Owned<tsh_home>;
using CutterPtr = Owned<tsh_cutter>;
using CutPtr = Owned<tsh_cut>;
using WatchPtr = Owned<tsh_cancel_watch>;
using CancelPtr = Owned<tsh_cancel>;

// A status to pass to a call of tensh.h. Take() converts it and adds the node's name in the form
// that TensorFlow's clients search for: {{node NAME}}.
class Said {
 public:
  Said() : status_(tsh_status_new()) {}
  operator tsh_status*() { return status_.get(); }  // NOLINT: implicit, to be passed on
  Status Take() const { return Read(status_.get()); }
  static Status Read(const tsh_status* said) {
    const int code = tsh_status_code(said);
    if (code == 0) return {};
    std::string message = tsh_status_message(said);
    const std::string node = tsh_status_node(said);
    if (!node.empty() && message.find("{{node") == std::string::npos)
      message += "\n\t [[{{node " + node + "}}]]";
    return Status(static_cast<Code>(code), std::move(message))
        .WithReason(static_cast<Reason>(tsh_status_reason(said)));
  }

 private:
  Owned<tsh_status> status_;
};

// Sets the status of a function of the plug-in's table. Returns 1 if it is ok, as these functions
// do.
inline int Set(tsh_status* out, const Status& status) {
  tsh_status_set(out, static_cast<int>(status.code()), std::string(status.message()).c_str(),
                 std::string(status.hint()).c_str());
  tsh_status_set_reason(out, static_cast<int>(status.reason()));
  return status.ok();
}

}  // namespace tensh::dist
