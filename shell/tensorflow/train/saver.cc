// tf.train.Saver: the nodes below save/, and the management of the files.
#include "shell/tensorflow/train/saver.h"

#include <unistd.h>

#include <chrono>
#include <filesystem>

#include "shell/python/values/error.h"
#include "shell/python/values/ops.h"
#include "shell/python/vm/file.h"
#include "shell/tensorflow/graph/arrays.h"
#include "shell/tensorflow/graph/build.h"
#include "shell/tensorflow/graph/names.h"
#include "shell/tensorflow/graph/state.h"
#include "shell/tensorflow/graph/types/on_device.h"
#include "shell/tensorflow/graph/variable.h"
#include "shell/tensorflow/train/checkpoint_state.h"

namespace tensh::shell::tf {
namespace {

namespace fs = std::filesystem;

double Now() {
  return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
}

PyError NotAVariable(const Value& v) {
  return TypeError("Variable to save is not a Variable: " + Str(v));
}

VariableObject& VariableToSave(const Value& v) {
  VariableObject* var = FindVariable(v);
  if (!var) throw NotAVariable(v);
  return *var;
}

// Returns the variables to save by name, sorted by name.
std::map<std::string, VariableObject*> Saveables(const Value& given) {
  std::map<std::string, VariableObject*> found;
  if (auto* dict = As<DictObject>(given)) {
    for (size_t i = 0; const Dict::Entry* e = dict->dict.At(&i);) {
      found[ToText(e->key, "names_to_saveables")] = &VariableToSave(e->value);
    }
    return found;
  }
  for (const Value& v : ToVector(given)) {
    VariableObject& var = VariableToSave(v);
    if (!found.emplace(var.OpName(), &var).second) {
      throw ValueError("At least two variables have the same name: " + var.OpName());
    }
  }
  return found;
}

Value StringList(const std::vector<std::string>& texts) {
  std::vector<Value> items;
  for (const std::string& t : texts) items.push_back(MakeStr(t));
  return MakeList(std::move(items));
}

bool FullyDefined(const ShapeInfo& shape) {
  for (int64_t d : shape.dims()) {
    if (d < 0) return false;
  }
  return shape.rank >= 0;
}

}  // namespace

// Adds the nodes of one Saver.
class SaverBuilder {
 public:
  SaverBuilder(SaverObject& saver, GraphObject& g) : saver_(saver), g_(g) {}

  void Build(const std::map<std::string, VariableObject*>& saveables) {
    for (const auto& [name, var] : saveables) {
      names_.push_back(name);
      variables_.push_back(var);
    }
    NameScope scope(g_, saver_.name.empty() ? "save" : saver_.name);
    const Value default_name = MakeStr(saver_.filename.empty() ? "model" : saver_.filename);
    filename_ = Placeholder(default_name, "filename");
    filename_ = Placeholder(filename_, "Const");
    const Out saved = AddSave();
    const Node restored = AddRestore();
    saver_.filename_tensor = g_.handle().NodeName(filename_.node) + std::string(":0");
    saver_.save_tensor = g_.handle().NodeName(saved.node) + std::string(":0");
    saver_.restore_op = g_.handle().NodeName(restored);
  }

 private:
  Out Placeholder(const Arg& input, std::string_view name) {
    OpCall call(g_, "PlaceholderWithDefault", name);
    call.In(input).attrs().Shape("shape", {});
    return call.Add();
  }

  // Adds the file name and the two lists of strings that the ops for saving and restoring take.
  static void AddNames(OpCall& call, Out file, const std::vector<std::string>& names) {
    call.In(file).In(StringList(names)).In(StringList(std::vector<std::string>(names.size())));
  }

  Node SaveTo(Out file, const std::vector<std::string>& names, std::span<const Out> tensors) {
    OpCall call(g_, "SaveV2");
    AddNames(call, file, names);
    call.InList(tensors);
    return call.AddNode();
  }

  Out NameAfter(Out file, Node saved) {
    NameScope scope(g_, "control_dependency");
    ColocateScope with(g_, file.node);
    ControlScope after(g_, {saved});
    return Op(g_, "Identity", {file}, g_.scope);
  }

  Out AddSave() {
    if (saver_.sharded) return AddShardedSave();
    std::vector<Out> tensors;
    for (VariableObject* var : variables_) tensors.push_back(var->SaveTensor());
    return NameAfter(filename_, SaveTo(filename_, names_, tensors));
  }

  // The variables of one device, and the CPU of its task, which writes their file.
  struct Shard {
    std::string cpu;
    std::vector<std::string> names;
    std::vector<Out> tensors;
  };

  // Returns the shards by device. The variables that request none have the device "".
  std::map<std::string, Shard> Shards() {
    std::map<std::string, Shard> shards;
    for (size_t i = 0; i < variables_.size(); ++i) {
      const std::string device =
          DeviceSpec::Parse(g_.handle().Device(variables_[i]->Reference().node)).ToString();
      const size_t type = device.find("/device:");
      Shard& shard = shards[device];
      shard.cpu = type == device.npos ? device : device.substr(0, type) + "/device:CPU:0";
      shard.names.push_back(names_[i]);
      shard.tensors.push_back(variables_[i]->SaveTensor());
    }
    return shards;
  }

  // Adds an op whose only input is a list.
  Out AddOver(const char* op, const std::vector<Out>& list) {
    OpCall call(g_, op);
    call.InList(std::span<const Out>(list));
    return call.Add();
  }

  // The variables of each device are written to a file of their own in a new folder.
  // MergeV2Checkpoints moves the files to their places, writes one index, and removes the folder.
  Out AddShardedSave() {
    static int made = 0;
    const std::string folder =
        "_temp_" + std::to_string(::getpid()) + "_" + std::to_string(made++) + "/part";
    const std::map<std::string, Shard> shards = Shards();
    const std::vector<Out> words{filename_, Convert(g_, MakeStr(folder), "folder")};
    const Out base = AddOver("StringJoin", words);
    std::vector<Out> parts;
    for (const auto& [device, shard] : shards) {
      OnDevice on(g_, shard.cpu);
      const Value index = Value::Int(static_cast<int64_t>(parts.size()));
      const Value count = Value::Int(static_cast<int64_t>(shards.size()));
      const Out file = Op(g_, "ShardedFilename", {base, index, count});
      parts.push_back(NameAfter(file, SaveTo(file, shard.names, shard.tensors)));
    }
    const Out prefixes = AddOver("Pack", parts);
    Node merged;
    {
      OpCall merge(g_, "MergeV2Checkpoints");
      merge.In(prefixes).In(filename_).attrs().Bool("delete_old_dirs", true);
      merged = merge.AddNode();
    }
    return NameAfter(filename_, merged);
  }

  Node AddRestore() {
    std::vector<int64_t> types;
    for (VariableObject* var : variables_) types.push_back(BaseType(var->DType()));
    Node restored;
    {
      OnDevice cpu(g_, "/device:CPU:0");
      OpCall call(g_, "RestoreV2");
      AddNames(call, filename_, names_);
      call.attrs().Types("dtypes", types);
      restored = call.AddNode();
    }
    std::vector<Node> assigned;
    for (uint32_t i = 0; i < variables_.size(); ++i) {
      assigned.push_back(Assign(*variables_[i], {restored, i}));
    }
    return Group(g_, assigned, "restore_all");
  }

  Node Assign(VariableObject& var, Out value) {
    const ShapeInfo shape = g_.handle().Shape(var.Reference());
    if (saver_.reshape) {
      std::vector<Value> dims;
      for (int64_t d : shape.dims()) dims.push_back(Value::Int(d));
      const Value list = MakeList(std::move(dims));
      value = Reshape(g_, value, list);
    }
    return var.AddRestore(value, !saver_.reshape && FullyDefined(shape));
  }

  SaverObject& saver_;
  GraphObject& g_;
  Out filename_ = kNoOut;
  std::vector<std::string> names_;
  std::vector<VariableObject*> variables_;
};

void SaverObject::Build() {
  if (graph || empty) return;
  Value list = var_list;
  if (list.is_none()) {
    std::vector<Value> all = VariablesOf(DefaultGraph(), kGlobalVariables);
    for (const Value& v : DefaultGraph().Collection("saveable_objects")) all.push_back(v);
    list = MakeList(std::move(all));
  }
  const std::map<std::string, VariableObject*> saveables = Saveables(list);
  if (saveables.empty()) {
    if (!allow_empty) throw ValueError("No variables to save");
    empty = true;
    return;
  }
  GraphObject& g = saveables.begin()->second->graph();
  for (const auto& [saved, var] : saveables) {
    if (&var->graph() != &g) throw ValueError("The variables to save belong to two graphs.");
  }
  SaverBuilder(*this, g).Build(saveables);
  graph = Ref<GraphObject>(&g);
  next_kept_ = Now() + keep_hours * 3600;
}

// ---- saving ----

namespace {

std::string StepSuffix(const Value& global_step, SessionObject& session, bool padded) {
  if (global_step.is_none()) return {};
  Value step = global_step;
  if (As<TensorObject>(step) || As<VariableObject>(step)) step = session.Run(step, Value::None());
  const int64_t n = ToIndex(CallMethod(step, "__int__", {}));
  std::string digits = std::to_string(n);
  if (padded && digits.size() < 8) digits.insert(0, 8 - digits.size(), '0');
  return "-" + digits;
}

void RemoveIfThere(const std::string& path) {
  std::error_code error;
  fs::remove(path, error);
}

}  // namespace

void SaverObject::Forget(const std::string& path, const std::string& meta_suffix) {
  RemoveIfThere(path + ".index");
  RemoveIfThere(path + "." + meta_suffix);
  const std::string data = fs::path(path).filename().string() + ".data-";
  const fs::path folder = fs::path(path).parent_path();
  std::error_code error;
  std::vector<fs::path> shards;
  for (const auto& entry : fs::directory_iterator(folder.empty() ? "." : folder, error))
    if (entry.path().filename().string().starts_with(data)) shards.push_back(entry.path());
  for (const fs::path& shard : shards) RemoveIfThere(shard.string());
}

void SaverObject::Record(const std::string& path, const std::string& meta_suffix) {
  if (max_to_keep <= 0) return;
  std::erase_if(kept, [&](const auto& entry) { return entry.first == path; });
  kept.emplace_back(path, Now());
  if (static_cast<int64_t>(kept.size()) <= max_to_keep) return;
  const auto [oldest, when] = kept.front();
  kept.erase(kept.begin());
  if (when > next_kept_) {
    next_kept_ += keep_hours * 3600;
    return;
  }
  Forget(oldest, meta_suffix);
}

// Arguments: sess, save_path, global_step, latest_filename, meta_graph_suffix, write_meta_graph,
// write_state, …
Value SaverObject::Save(Args& a) {
  Build();
  auto* session = As<SessionObject>(a[0]);
  if (!session) throw TypeError("'sess' must be a Session; " + Str(a[0]));
  const std::string path = PathText(a[1], "save_path");
  const std::string latest = a[3].is_none() ? "checkpoint" : ToText(a[3], "latest_filename");
  if (latest.find('/') != latest.npos)
    throw ValueError("'latest_filename' must not contain path components");
  const std::string suffix = ToText(a[4], "meta_graph_suffix");
  const std::string file = path + StepSuffix(a[2], *session, pad_step_number);
  if (a[2].is_none() && fs::path(path).filename() == latest) {
    throw ValueError("'latest_filename' collides with 'save_path': '" + latest + "' and '" + path +
                     "'");
  }
  const std::string directory = fs::path(path).parent_path().string();
  std::string saved = file;
  if (!empty) {
    FlatRun run;
    run.fetches = {ToElement(*graph, MakeStr(save_tensor), "fetch").out};
    run.feeds = {ToElement(*graph, MakeStr(filename_tensor), "feed").out};
    run.values = {TensorHandle::String(file)};
    try {
      saved = std::string(session->RunFlat(run)[0].string_at(0));
    } catch (const PyError&) {
      if (directory.empty() || fs::is_directory(directory)) throw;
      throw ValueError("Parent directory of " + path + " doesn't exist, can't save.");
    }
    if (Truth(a[6])) {
      Record(saved, suffix);
      std::vector<std::string> paths;
      for (const auto& [p, when] : kept) paths.push_back(p);
      WriteCheckpointState(directory, saved, paths, latest, save_relative_paths);
    }
  }
  if (Truth(a[5])) WriteMetaGraph(session->graph(), this, MakeStr(file + "." + suffix));
  return empty ? Value::None() : MakeStr(saved);
}

void SaverObject::Restore(SessionObject& session, const Value& path) {
  if (empty) return;
  if (path.is_none()) throw ValueError("Can't load save_path when it is None.");
  Build();
  const std::string prefix = PathText(path, "save_path", true);
  if (!CheckpointExists(prefix)) {
    throw ValueError("The passed save_path is not a valid checkpoint: " + prefix)
        .Hint("A checkpoint consists of files such as " + prefix +
              ".index. The newest of a folder: tf.train.latest_checkpoint(FOLDER)");
  }
  FlatRun run;
  run.targets = {ToElement(*graph, MakeStr(restore_op), "fetch").node};
  run.feeds = {ToElement(*graph, MakeStr(filename_tensor), "feed").out};
  run.values = {TensorHandle::String(prefix)};
  session.RunFlat(run);
}

// ---- the Python class ----

namespace {

SaverObject& Self(const Value& v) { return *As<SaverObject>(v); }
SaverObject& Self(Args& a) { return Self(a.self()); }

// Arguments: var_list, reshape, sharded, max_to_keep, keep_checkpoint_every_n_hours, name,
// restore_sequentially, saver_def, builder, defer_build, allow_empty, write_version,
// pad_step_number, save_relative_paths, filename.
Value NewSaver(Args& a) {
  if (!a[7].is_none()) return SaverFrom(DefaultGraph(), a[7]);
  Ref<SaverObject> made = New<SaverObject>();
  made->var_list = a[0];
  made->reshape = Truth(a[1]);
  made->sharded = Truth(a[2]);
  made->max_to_keep = a[3].is_none() ? 0 : ToIndex(a[3]);
  made->keep_hours = ToDouble(a[4]);
  made->name = NameText(a[5]);
  made->allow_empty = Truth(a[10]);
  made->pad_step_number = Truth(a[12]);
  made->save_relative_paths = Truth(a[13]);
  if (!a[14].is_none()) made->filename = ToText(a[14], "filename");
  if (Truth(a[9]) && !a[0].is_none()) {
    throw ValueError(
        "If `var_list` is provided then build cannot be deferred. Either set "
        "defer_build=False or var_list=None.");
  }
  if (!Truth(a[9])) made->Build();
  return made;
}

Value SaveFn(Args& a) { return Self(a).Save(a); }

Value RestoreFn(Args& a) {
  auto* session = As<SessionObject>(a[0]);
  if (!session) throw TypeError("'sess' must be a Session; " + Str(a[0]));
  Self(a).Restore(*session, a[1]);
  return Value::None();
}

Value LastCheckpoints(const Value& v) {
  std::vector<std::string> paths;
  for (const auto& [path, when] : Self(v).kept) paths.push_back(path);
  return StringList(paths);
}

Value SetLastCheckpoints(Args& a) {
  Self(a).kept.clear();
  for (const Value& path : ToVector(a[0])) {
    const auto* pair = Sequence(path);
    Self(a).kept.emplace_back(ToText(pair ? (*pair)[0] : path, "path"), Now());
  }
  return Value::None();
}

Value SaverDefOf(const Value& v) {
  SaverObject& saver = Self(v);
  return SaverDefRecord(saver);
}

Value ExportMetaGraph(Args& a) {
  SaverObject& saver = Self(a);
  return WriteMetaGraph(saver.graph ? *saver.graph : DefaultGraph(), &saver, a[0], Truth(a[2]));
}

const FunctionRow kMethods[] = {
    {"save",
     "sess, save_path, global_step=None, latest_filename=None, meta_graph_suffix='meta', "
     "write_meta_graph=True, write_state=True, strip_default_attrs=False, save_debug_info=False",
     SaveFn, "Saves the variables and returns the path to restore from."},
    {"restore", "sess, save_path", RestoreFn, "Restores the variables from a checkpoint."},
    {"as_saver_def", "", [](Args& a) { return SaverDefRecord(Self(a)); },
     "Returns the SaverDef message."},
    {"build", "", [](Args& a) { return Self(a).Build(), Value::None(); }, "Adds the nodes."},
    {"set_last_checkpoints", "last_checkpoints", SetLastCheckpoints,
     "Sets the list of kept checkpoints."},
    {"set_last_checkpoints_with_time", "last_checkpoints_with_time", SetLastCheckpoints,
     "Sets the list of kept checkpoints as (path, time) pairs."},
    {"export_meta_graph",
     "filename=None, collection_list=None, as_text=False, export_scope=None, clear_devices=False, "
     "clear_extraneous_savers=False, strip_default_attrs=False, save_debug_info=False",
     ExportMetaGraph, "Writes the graph to a file."},
};

const PropertyRow kProperties[] = {
    {"last_checkpoints", LastCheckpoints},
    {"saver_def", SaverDefOf},
    {"_var_list", [](const Value& v) { return Self(v).var_list; }},
    {"_max_to_keep", [](const Value& v) { return Value::Int(Self(v).max_to_keep); }},
};

const FunctionRow kNewSaver = {
    "Saver",
    "var_list=None, reshape=False, sharded=False, max_to_keep=5, "
    "keep_checkpoint_every_n_hours=10000.0, name=None, restore_sequentially=False, saver_def=None, "
    "builder=None, defer_build=False, allow_empty=False, write_version=2, pad_step_number=False, "
    "save_relative_paths=False, filename=None",
    NewSaver, "Saves and restores variables."};

}  // namespace

const TypeInfo SaverObject::kType = {.name = "Saver",
                                     .module = "tensorflow.python.training.saver",
                                     .doc = "Saves and restores variables.",
                                     .methods = kMethods,
                                     .properties = kProperties,
                                     .construct = &kNewSaver};

}  // namespace tensh::shell::tf
