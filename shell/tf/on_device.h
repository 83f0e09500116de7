// RAII for `with tf.device(text):` in native code. Threads: the interpreter's.
#pragma once

#include "shell/tf/graph.h"

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
