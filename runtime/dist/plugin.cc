// libtensh_dist.so: the table that its host requests (dist_api.h). Exceptions of the libraries
// below do not leave this file.
#include <google/protobuf/stubs/logging.h>

#include <cstdlib>
#include <exception>

#include "runtime/dist/remote.h"
#include "runtime/dist/server.h"

using namespace tensh;
using namespace tensh::dist;

struct tensh_dist_remote {
  std::unique_ptr<Remote> remote;
};
struct tensh_dist_partial {
  std::string handle;
};
struct tensh_dist_server {
  std::unique_ptr<Server> server;
};

namespace {

template <class Body>
int Guard(tsh_status* status, Body body) {
  try {
    return Set(status, body());
  } catch (const std::bad_alloc&) {
    return Set(status, ResourceExhausted("out of memory"));
  } catch (const std::exception& e) {
    return Set(status, Internal(e.what()));
  }
}

tensh_dist_remote* Connect(tsh_graph* graph, const char* target, const tensh_dist_options* options,
                           tsh_status* status) {
  tensh_dist_remote* made = nullptr;
  Guard(status, [&]() -> Status {
    TENSH_ASSIGN(auto remote, Remote::Connect(graph, target, *options));
    made = new tensh_dist_remote{std::move(remote)};
    return {};
  });
  return made;
}

tensh_dist_partial* SetUpPartial(tensh_dist_remote* r, const tsh_run* run, tsh_status* status) {
  auto made = std::make_unique<tensh_dist_partial>();
  const int ok = Guard(status, [&] { return r->remote->SetUpPartial(*run, &made->handle); });
  return ok ? made.release() : nullptr;
}

int Devices(tensh_dist_remote* r, void (*each)(void*, const tensh_dist_device*), void* context,
            tsh_status* status) {
  return Guard(status, [&]() -> Status {
    tensorflow::ListDevicesResponse response;
    TENSH_RETURN_IF_ERROR(r->remote->ListDevices(&response));
    for (const auto* list : {&response.local_device(), &response.remote_device()})
      for (const auto& d : *list) {
        const tensh_dist_device device{d.name().c_str(), d.device_type().c_str(),
                                       d.physical_device_desc().c_str(), d.memory_limit(),
                                       d.incarnation()};
        each(context, &device);
      }
    return {};
  });
}

tensh_dist_server* Serve(const tensh_dist_serve* options, int* bound, tsh_status* status) {
  tensh_dist_server* made = nullptr;
  Guard(status, [&]() -> Status {
    TENSH_ASSIGN(auto server, Server::Start(*options, bound));
    made = new tensh_dist_server{std::move(server)};
    return {};
  });
  return made;
}

// Silences the libraries' logs, which would print a line to the terminal for each malformed message
// of a client. Errors are returned as a status anyway.
__attribute__((constructor)) void QuietLibraries() {
  (void)setenv("GRPC_VERBOSITY", "NONE", 0);
  google::protobuf::SetLogHandler(nullptr);
}

}  // namespace

extern "C" __attribute__((visibility("default"))) const tensh_dist_plugin tensh_dist_table = {
    TENSH_DIST_ABI,
    Connect,
    [](tensh_dist_remote* r, const tsh_run* run, const tensh_dist_trace* trace,
       tsh_tensor** fetched, tsh_status* status) {
      return Guard(status, [&] { return r->remote->Run(*run, trace, fetched); });
    },
    SetUpPartial,
    [](tensh_dist_remote* r, tensh_dist_partial* p, const tsh_run* run, tsh_tensor** fetched,
       tsh_status* status) {
      return Guard(status, [&] { return r->remote->Run(*run, nullptr, fetched, p->handle); });
    },
    [](tensh_dist_partial* p) { delete p; },
    Devices,
    [](tensh_dist_remote* r) { r->remote->Cancel(); },
    [](tensh_dist_remote* r, tsh_status* status) {
      return Guard(status, [&] { return r->remote->Close(); });
    },
    [](tensh_dist_remote* r) { delete r; },
    [](const char* target, const char* const* containers, size_t n,
       const tensh_dist_options* options, tsh_status* status) {
      return Guard(status, [&] {
        return Remote::Reset(target, std::vector<std::string>(containers, containers + n),
                             *options);
      });
    },
    Serve,
    [](tensh_dist_server* s) { delete s; },
};
