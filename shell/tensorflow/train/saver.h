// tf.train.Saver and the files next to checkpoints.
//
// Threads: the interpreter's thread only.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "shell/python/values/native.h"
#include "shell/tensorflow/graph/graph.h"
#include "shell/tensorflow/graph/session.h"

namespace tensh::shell::tf {

class SaverObject : public TrackedObject {
 public:
  static const TypeInfo kType;
  SaverObject() : TrackedObject(kType) {}
  void DropRefs() override {
    var_list = Value();
    graph = {};
  }

  void Build();  // adds the nodes on the first call
  Value Save(Args& a);
  void Restore(SessionObject& session, const Value& path);
  std::string SaverDef() const;  // as a SaverDef message

  Value var_list = Value::None();
  Ref<GraphObject> graph;  // null until the Saver is built
  std::string name, filename;
  bool allow_empty = false, empty = false, reshape = false, pad_step_number = false;
  bool save_relative_paths = false, sharded = false;
  int64_t max_to_keep = 5;
  double keep_hours = 10000;
  std::string filename_tensor, save_tensor, restore_op;  // names in the graph
  std::vector<std::pair<std::string, double>> kept;      // path and time of each kept checkpoint

 private:
  friend class SaverBuilder;
  void Record(const std::string& path, const std::string& meta_suffix);
  void Forget(const std::string& path, const std::string& meta_suffix);
  std::vector<std::string> to_delete_;
  double next_kept_ = 0;
};

// Checkpoint state, latest_checkpoint, readers and similar functions.
std::span<const FunctionRow> CheckpointRows();
bool CheckpointExists(const std::string& prefix);
// Returns a path for files of this program. Throws PermissionError if --sandbox forbids it.
std::string PathText(const Value& path, std::string_view what, bool reads = false);

// ---- meta graphs: meta_graph.cc ----
std::span<const FunctionRow> MetaGraphRows();
// Returns the Saver of a SaverDef message, whose nodes are in the graph below `prefix`.
Ref<SaverObject> SaverOf(GraphObject& g, std::string_view def, const std::string& prefix);
// The same for a value of the class tf.train.SaverDef.
Ref<SaverObject> SaverFrom(GraphObject& g, const Value& def);
// Returns the graph, its collections and the Saver as TensorFlow's MetaGraphDef. Also writes it to
// `path`, unless that is None.
Value WriteMetaGraph(GraphObject& g, const SaverObject* saver, const Value& path,
                     bool as_text = false);

}  // namespace tensh::shell::tf
