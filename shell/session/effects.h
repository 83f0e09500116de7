// Nodes with side effects that the user may have forgotten to run. For example, the result of a
// tf.Print that nothing uses prints nothing, and no error says so.
//
// Only two kinds of nodes are reported, because most effects are meant for a later run, such as the
// initializer of a variable or the update of an optimizer: a tf.Print without consumers, and the
// result of a statement that was not kept, such as a bare `v.assign(1.)`.
//
// Threads: the interpreter's thread only.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "shell/client/client.h"

namespace tensh::shell {

// Returns true if the run may change the state of its session, such as a variable, a queue, an
// iterator or a random generator. Takes time proportional to the graph.
bool ChangesState(const GraphHandle& graph, const tsh_run& run);

class Effects {
 public:
  // Notes that a statement created the nodes from `first` on and that the value of the statement,
  // `result`, was not assigned to a name.
  void Unassigned(const GraphHandle& graph, tsh_node result, size_t first);
  // Returns the nodes with side effects that the run did not need although it computed some of
  // their inputs. Each node is returned at most once in the life of this object. Takes time
  // proportional to the graph if there is such a node, and otherwise to the number of new nodes.
  std::vector<tsh_node> NotRun(const GraphHandle& graph, const tsh_run& run);

 private:
  struct Open {
    tsh_node node;
    // the inputs of the node, and of the nodes made with it, that were made earlier
    std::vector<tsh_node> inputs;
    bool unassigned;  // the result of a statement that was not kept; otherwise a tf.Print
  };
  struct InGraph {
    size_t seen = 0;          // number of nodes examined so far
    uint32_t generation = 0;  // of the graph at that time
    std::vector<Open> open;
  };
  InGraph& Of(const GraphHandle& graph);

  std::unordered_map<uint64_t, InGraph> graphs_;  // by the number of the graph
};

}  // namespace tensh::shell
