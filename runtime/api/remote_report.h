#pragma once
// The stages of runs on another server, as the data that explain prints. Before a run they are
// worked out here, by the rules TensorFlow's servers have too, for the devices the server lists;
// what the server said of a traced step then counts more, for good. Any thread may call anything.
#include <mutex>
#include <unordered_map>

#include "runtime/dist/dist_api.h"
#include "runtime/session/session.h"

namespace tensh::api {

// What a server says of one step, taken down while it says it.
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

  // Once; what is set stays.
  Status SetDevices(std::span<const DeviceInfo> devices);
  bool has_devices() const;
  const DeviceMgr& devices() const;  // none before SetDevices
  Result<std::shared_ptr<Plan>> Find(const RunRequest& request);
  Result<RunTrace> Trace(const RunRequest& request, const RemoteRecord& record);
  void Forget(uint32_t first_node);  // a rollback took the nodes from here on

 private:
  Result<RunSignature> SignatureOf(const RunRequest& request) const;
  uint16_t DeviceNamed(const std::string& name) const;  // UINT16_MAX: none

  Graph& graph_;
  const bool soft_placement_;
  mutable std::mutex mu_;
  DeviceMgr devices_;
  std::unordered_map<uint32_t, uint16_t> said_;  // node → device
};

}  // namespace tensh::api
