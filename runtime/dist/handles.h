#pragma once
// Owners of what tensh.h hands out.
#include <memory>

#include "runtime/api/tensh_partial.h"
#include "runtime/api/tensh_server.h"
#include "runtime/core/status.h"

namespace tensh::dist {

struct Free {
  void operator()(tsh_tensor* t) const { tsh_tensor_unref(t); }
  void operator()(tsh_graph* g) const { tsh_graph_unref(g); }
  void operator()(tsh_session* s) const { tsh_session_unref(s); }
  void operator()(tsh_callable* c) const { tsh_callable_unref(c); }
  void operator()(tsh_partial* p) const { tsh_partial_unref(p); }
  void operator()(char* text) const { tsh_free(text); }
  void operator()(tsh_status* s) const { tsh_status_free(s); }
  void operator()(tsh_home* h) const { tsh_home_unref(h); }
  void operator()(tsh_cutter* c) const { tsh_cutter_free(c); }
  void operator()(tsh_cut* c) const { tsh_cut_free(c); }
  void operator()(tsh_cancel_watch* w) const { tsh_cancel_watch_free(w); }
  void operator()(tsh_cancel* c) const { tsh_cancel_free(c); }
};
using TensorPtr = std::unique_ptr<tsh_tensor, Free>;
using GraphPtr = std::unique_ptr<tsh_graph, Free>;
using SessionPtr = std::unique_ptr<tsh_session, Free>;
using CallablePtr = std::unique_ptr<tsh_callable, Free>;
using PartialPtr = std::unique_ptr<tsh_partial, Free>;
using TextPtr = std::unique_ptr<char, Free>;
using HomePtr = std::unique_ptr<tsh_home, Free>;
using CutterPtr = std::unique_ptr<tsh_cutter, Free>;
using CutPtr = std::unique_ptr<tsh_cut, Free>;
using WatchPtr = std::unique_ptr<tsh_cancel_watch, Free>;
using CancelPtr = std::unique_ptr<tsh_cancel, Free>;

// A status to pass to a call of tensh.h, and what it then says. Take names the node as TensorFlow's
// clients look for it: {{node NAME}}.
class Said {
 public:
  Said() : status_(tsh_status_new()) {}
  operator tsh_status*() { return status_.get(); }  // NOLINT: made to be passed on
  Status Take() const { return Read(status_.get()); }
  static Status Read(const tsh_status* said) {
    const int code = tsh_status_code(said);
    if (code == 0) return {};
    std::string message = tsh_status_message(said);
    const std::string node = tsh_status_node(said);
    if (!node.empty() && message.find("{{node") == std::string::npos)
      message += "\n\t [[{{node " + node + "}}]]";
    return Status(static_cast<Code>(code), std::move(message));
  }

 private:
  std::unique_ptr<tsh_status, Free> status_;
};

// For what the plug-in's table returns: 1 when ok.
inline int Set(tsh_status* out, const Status& status) {
  tsh_status_set(out, static_cast<int>(status.code()), std::string(status.message()).c_str(),
                 std::string(status.hint()).c_str());
  return status.ok();
}

}  // namespace tensh::dist
