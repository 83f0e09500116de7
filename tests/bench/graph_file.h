#pragma once

// Adds a graph that was recorded from TensorFlow's Python layer (graphs/*.json, record_graphs.py)
// to a tensh graph, node for node. Aborts the program with a message if a node cannot be added.

#include <map>
#include <string>

#include "tensh/tensh.h"

namespace tensh::bench {

class GraphFile {
 public:
  GraphFile(tsh_graph* graph, const std::string& name);
  tsh_node Node(const std::string& name) const;

 private:
  std::map<std::string, tsh_node> nodes_;
};

}  // namespace tensh::bench
