#pragma once
// The stages of runs on another server, as the data that explain prints.
//
// Before a run, they are computed here for the devices that the server lists, by the same rules as
// on TensorFlow's servers. The server's report of a traced step takes precedence from then on.
// Thread-safe.
#include <mutex>
#include <unordered_map>

#include "runtime/api/dist_api.h"
#include "runtime/session/session.h"

namespace tensh::api {

// Collects a server's report of one step.
struct RemoteRecord {
  struct Event {
    tensh_dist_kind kind;
    Output value;
    std::string device, to;
    int64_t start_ns, end_ns, bytes;
  };
  std::vector<std::pair<NodeId, std::string>> places;
  std::vector<Event> events;
  int64_t wall_ns = 0;
  tensh_dist_trace table();
};

class RemoteStages {
 public:
  RemoteStages(Graph& graph, bool soft_placement)
      : graph_(graph), soft_placement_(soft_placement) {}

  // The first call counts; later calls change nothing.
  Status SetDevices(std::span<const DeviceInfo> devices);
  bool has_devices() const;
  const DeviceMgr& devices() const;  // Empty before SetDevices.
  Result<std::shared_ptr<const Stages>> Find(const RunRequest& request);
  Result<RunTrace> Trace(const RunRequest& request, const RemoteRecord& record);
  void Forget(uint32_t first_node);  // Called when a rollback removed the nodes from here on.

 private:
  uint16_t DeviceNamed(const std::string& name) const;  // Returns UINT16_MAX if it does not exist.

  Graph& graph_;
  const bool soft_placement_;
  mutable std::mutex mu_;
  DeviceMgr devices_;
  // Maps a node to a device, as reported by the server.
  std::unordered_map<uint32_t, uint16_t> said_;
};

}  // namespace tensh::api
