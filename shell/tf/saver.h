// tf.train.Saver and the files beside checkpoints. Threads: the interpreter's.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "shell/tf/graph.h"
#include "shell/tf/session.h"
#include "shell/values/native.h"

namespace tensh::shell::tf {

class SaverObject : public TrackedObject {
 public:
  static const TypeInfo kType;
  SaverObject() : TrackedObject(kType) {}
  void DropRefs() override {
    var_list = Value();
    graph = {};
  }

  void Build();  // adds the nodes, once
  Value Save(Args& a);
  void Restore(SessionObject& session, const Value& path);
  std::string SaverDef() const;  // as a SaverDef message

  Value var_list = Value::None();
  Ref<GraphObject> graph;  // null: not built yet
  std::string name, filename;
  bool allow_empty = false, empty = false, reshape = false, pad_step_number = false;
  bool save_relative_paths = false;
  int64_t max_to_keep = 5;
  double keep_hours = 10000;
  std::string filename_tensor, save_tensor, restore_op;  // names in the graph
  std::vector<std::pair<std::string, double>> kept;      // path, when saved

 private:
  friend class SaverBuilder;
  void Record(const std::string& path, const std::string& meta_suffix);
  void Forget(const std::string& path, const std::string& meta_suffix);
  std::vector<std::string> to_delete_;
  double next_kept_ = 0;
};

// checkpoint state, latest_checkpoint, readers …
std::span<const FunctionRow> CheckpointRows();
bool CheckpointExists(const std::string& prefix);
// A path for files of this program: PermissionError where --allow-files would be needed.
std::string PathText(const Value& path, std::string_view what);

// ---- meta graphs: meta_graph.cc ----
std::span<const FunctionRow> MetaGraphRows();
// The graph, its collections and the saver as TensorFlow's MetaGraphDef; also to the file `path`,
// unless None.
Value WriteMetaGraph(GraphObject& g, const SaverObject* saver, const Value& path);

}  // namespace tensh::shell::tf
