// `with tf.device(text):` for native code, as an RAII object.
//
// Threads: the interpreter's thread only.
#pragma once

#include "shell/tensorflow/graph/graph.h"

namespace tensh::shell::tf {

class OnDevice {
 public:
  OnDevice(GraphObject& graph, std::string_view device) : graph_(graph) {
    DeviceFrame frame;
    frame.spec = DeviceSpec::Parse(std::string(device));
    graph_.devices.push_back(std::move(frame));
    graph_.RebuildDevice();
  }
  ~OnDevice() {
    graph_.devices.pop_back();
    graph_.RebuildDevice();
  }
  OnDevice(const OnDevice&) = delete;

 private:
  GraphObject& graph_;
};

}  // namespace tensh::shell::tf
