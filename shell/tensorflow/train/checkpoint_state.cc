#include "shell/tensorflow/train/checkpoint_state.h"

#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "runtime/base/text.h"
#include "runtime/base/wire.h"
#include "shell/python/values/error.h"
#include "shell/python/values/ops.h"
#include "shell/python/vm/file.h"
#include "shell/python/vm/interp.h"
#include "shell/python/vm/library.h"
#include "shell/tensorflow/graph/arrays.h"
#include "shell/tensorflow/graph/convert.h"
#include "shell/tensorflow/graph/errors.h"
#include "shell/tensorflow/graph/exchange/records.h"
#include "shell/tensorflow/graph/shape.h"
#include "shell/tensorflow/graph/state.h"
#include "shell/tensorflow/io/message_text.h"
#include "shell/tensorflow/proto/message.h"
#include "shell/text/replace_file.h"

namespace tensh::shell::tf {
namespace {

namespace fs = std::filesystem;

// TensorFlow's CheckpointState, which is stored as text.
constexpr MessageField kStateFields[] = {
    {1, "model_checkpoint_path", FieldKind::kString},
    {2, "all_model_checkpoint_paths", FieldKind::kString, FieldLabel::kRepeated},
};
constexpr MessageSchema kStateSchema{kStateFields};

// Joins two paths like os.path.join.
std::string Join(const std::string& directory, const std::string& path) {
  if (directory.empty() || (!path.empty() && path[0] == '/')) return path;
  return directory + (directory.back() == '/' ? "" : "/") + path;
}

std::string RelativeTo(const std::string& path, const std::string& directory) {
  std::error_code error;
  const fs::path base = directory.empty() ? fs::current_path(error) : fs::path(directory);
  return fs::absolute(path, error)
      .lexically_normal()
      .lexically_relative(fs::absolute(base, error).lexically_normal())
      .string();
}

}  // namespace

std::string PathText(const Value& path, std::string_view what, bool reads) {
  const auto* bytes = As<BytesObject>(path);
  const std::string text = bytes != nullptr ? bytes->data : ToText(AsPath(path), what);
  if (text.find('\0') != text.npos) throw ValueError("embedded null byte");
  reads ? CheckPathToRead(text) : CheckPath(text);
  return text;
}

void WriteCheckpointState(const std::string& directory, const std::string& latest,
                          std::vector<std::string> all, const std::string& file_name,
                          bool relative) {
  if (all.empty() || all.back() != latest) all.push_back(latest);
  std::string first = latest;
  auto make_relative = [&](std::string& path) {
    const bool absolute = !path.empty() && path[0] == '/';
    if (!absolute || relative) path = RelativeTo(path, directory);
  };
  make_relative(first);
  for (std::string& path : all) make_relative(path);
  WireWriter state;
  state.Bytes(1, first);
  for (const std::string& path : all) state.Bytes(2, path);
  const std::string to = Join(directory, file_name);
  CheckPath(to);
  if (const int code = ReplaceFileContents(to, MessageText(kStateSchema, state.text())))
    throw MakeError(kOSError, "cannot write " + to + ": " + std::strerror(code));
}

std::optional<CheckpointState> ReadCheckpointState(const std::string& directory,
                                                   const std::string& file_name) {
  const std::string path = Join(directory, file_name);
  CheckPathToRead(path);
  std::error_code error;
  if (!fs::is_regular_file(path, error)) return std::nullopt;
  std::ifstream file(path, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  CheckpointState state;
  const std::string message = ParseMessageText(kStateSchema, text);
  for (WireReader in(message); in.Next();) {
    const std::string value = Join(directory, in.text());
    if (in.field() == 1) state.latest = value;
    if (in.field() == 2) state.all.push_back(value);
  }
  if (state.latest.empty()) {
    throw ValueError("Invalid checkpoint state loaded from " + directory);
  }
  return state;
}

bool CheckpointExists(const std::string& prefix) {
  std::error_code error;
  return fs::is_regular_file(prefix + ".index", error);
}

Value SaverDefRecord(const SaverObject& saver) {
  return MakeMessage(SaverDefSchema(), saver.SaverDef());
}

namespace {

Value StateRecord(const CheckpointState& state) {
  std::vector<Value> all;
  for (const std::string& path : state.all) all.push_back(MakeStr(path));
  return MakeRecord("CheckpointState", {{"model_checkpoint_path", MakeStr(state.latest)},
                                        {"all_model_checkpoint_paths", MakeList(std::move(all))}});
}

std::optional<CheckpointState> StateOf(const Value& directory, const Value& file_name) {
  return ReadCheckpointState(
      PathText(directory, "checkpoint_dir", true),
      file_name.is_none() ? "checkpoint" : ToText(file_name, "latest_filename"));
}

Value GetCheckpointState(Args& a) {
  const auto state = StateOf(a[0], a[1]);
  return state ? StateRecord(*state) : Value::None();
}

Value LatestCheckpoint(Args& a) {
  const auto state = StateOf(a[0], a[1]);
  if (!state) return Value::None();
  if (CheckpointExists(state->latest)) return MakeStr(state->latest);
  Interp::Current().WriteError("ERROR:tensorflow:Couldn't match files for checkpoint " +
                               state->latest + "\n");
  return Value::None();
}

Value Exists(Args& a) { return Value::Bool(CheckpointExists(PathText(a[0], "prefix", true))); }

// Arguments: save_dir, model_checkpoint_path, all_model_checkpoint_paths, latest_filename, …
Value UpdateState(Args& a) {
  std::vector<std::string> all;
  if (!a[2].is_none())
    for (const Value& path : ToVector(a[2])) all.push_back(ToText(path, "path"));
  WriteCheckpointState(PathText(a[0], "save_dir"), ToText(a[1], "model_checkpoint_path"),
                       std::move(all),
                       a[3].is_none() ? "checkpoint" : ToText(a[3], "latest_filename"), false);
  return Value::None();
}

Value RemoveCheckpoint(Args& a) {
  const std::string prefix = PathText(a[0], "checkpoint_prefix");
  std::error_code error;
  for (const std::string& end :
       {std::string(".index"), std::string(".data-00000-of-00001"), "." + ToText(a[2], "suffix")})
    fs::remove(prefix + end, error);
  return Value::None();
}

// ---- readers ----

class ReaderObject : public Object {
 public:
  static const TypeInfo kType;
  explicit ReaderObject(const std::string& prefix) : Object(kType) {
    tsh_status* status = ScratchStatus();
    handle_ = tsh_checkpoint_open(prefix.c_str(), status);
    if (!handle_) ThrowStatus(status);
  }
  ~ReaderObject() override { tsh_checkpoint_free(handle_); }

  // Calls fn(name, dtype, dims) for each tensor.
  template <class Fn>
  void ForEach(Fn fn) const {
    for (size_t i = 0; i < tsh_checkpoint_size(handle_); ++i) {
      int dtype = 0, rank = 0;
      int64_t dims[TSH_MAX_RANK];
      const char* name = tsh_checkpoint_entry(handle_, i, &dtype, &rank, dims);
      fn(std::string(name), dtype, std::vector<int64_t>(dims, dims + rank));
    }
  }
  bool Has(const std::string& wanted) const {
    bool found = false;
    ForEach([&](const std::string& name, int, const std::vector<int64_t>&) {
      found |= name == wanted;
    });
    return found;
  }
  Value Read(const std::string& name) const {
    tsh_status* status = ScratchStatus();
    tsh_tensor* t = tsh_checkpoint_tensor(handle_, name.c_str(), status);
    if (!t) ThrowStatus(status);
    return ToValue(TensorHandle::Adopt(t));
  }

 private:
  tsh_checkpoint* handle_;
};

ReaderObject& Self(Args& a) { return *As<ReaderObject>(a.self()); }

Value IntList(const std::vector<int64_t>& dims) {
  std::vector<Value> items;
  for (int64_t d : dims) items.push_back(Value::Int(d));
  return MakeList(std::move(items));
}

std::string TensorName(const Value& v) {
  std::string name = ToText(v, "tensor_str");
  if (name.size() > 2 && name.compare(name.size() - 2, 2, ":0") == 0) name.resize(name.size() - 2);
  return name;
}

Value ShapeMap(Args& a) {
  Value out = MakeDict();
  Self(a).ForEach([&](const std::string& name, int, const std::vector<int64_t>& dims) {
    SetItem(out, MakeStr(name), IntList(dims));
  });
  return out;
}

Value TypeMap(Args& a) {
  Value out = MakeDict();
  Self(a).ForEach([&](const std::string& name, int dtype, const std::vector<int64_t>&) {
    SetItem(out, MakeStr(name), DTypeValue(dtype));
  });
  return out;
}

Value DebugString(Args& a) {
  std::string text;
  Self(a).ForEach([&](const std::string& name, int dtype, const std::vector<int64_t>& dims) {
    std::string shape;
    for (int64_t d : dims) shape += (shape.empty() ? "" : ",") + std::to_string(d);
    const std::string type = dtype == TSH_FLOAT    ? "DT_FLOAT"
                             : dtype == TSH_DOUBLE ? "DT_DOUBLE"
                                                   : "DT_" + AsciiUpper(DTypeName(dtype));
    text += name + " (" + type + ") [" + shape + "]\n";
  });
  return MakeBytes(text);
}

const FunctionRow kReaderMethods[] = {
    {"get_variable_to_shape_map", "", ShapeMap, "{name: shape as a list}"},
    {"get_variable_to_dtype_map", "", TypeMap, "{name: dtype}"},
    {"has_tensor", "tensor_str",
     [](Args& a) { return Value::Bool(Self(a).Has(ToText(a[0], "tensor_str"))); },
     "Returns true if the tensor exists."},
    {"get_tensor", "tensor_str", [](Args& a) { return Self(a).Read(TensorName(a[0])); },
     "Returns the tensor as an array."},
    {"debug_string", "", DebugString, "Describes each tensor in one line."},
};

// Returns the prefix of a checkpoint. A directory stands for its latest checkpoint.
std::string PrefixOf(const Value& v) {
  const std::string path = PathText(v, "ckpt_dir_or_file", true);
  std::error_code error;
  if (!fs::is_directory(path, error)) return path;
  const auto state = ReadCheckpointState(path, "checkpoint");
  if (state && CheckpointExists(state->latest)) return state->latest;
  throw ValueError("Couldn't find 'checkpoint' file or checkpoints in given directory " + path);
}

Value NewReader(Args& a) { return New<ReaderObject>(PathText(a[0], "filepattern", true)); }
Value LoadCheckpoint(Args& a) { return New<ReaderObject>(PrefixOf(a[0])); }

Value ListVariables(Args& a) {
  std::vector<Value> pairs;
  New<ReaderObject>(PrefixOf(a[0]))
      ->ForEach([&](const std::string& name, int, const std::vector<int64_t>& dims) {
        pairs.push_back(MakeTuple({MakeStr(name), IntList(dims)}));
      });
  return MakeList(std::move(pairs));
}

Value LoadVariable(Args& a) { return New<ReaderObject>(PrefixOf(a[0]))->Read(TensorName(a[1])); }

const FunctionRow kRows[] = {
    {"latest_checkpoint", "checkpoint_dir, latest_filename=None", LatestCheckpoint,
     "Returns the path of the newest checkpoint in a directory, or None."},
    {"get_checkpoint_state", "checkpoint_dir, latest_filename=None", GetCheckpointState,
     "Reads the file `checkpoint` of a directory. Returns None if it does not exist."},
    {"checkpoint_exists", "checkpoint_prefix", Exists,
     "Returns true if a checkpoint with this path exists."},
    {"update_checkpoint_state",
     "save_dir, model_checkpoint_path, all_model_checkpoint_paths=None, latest_filename=None, "
     "all_model_checkpoint_timestamps=None, last_preserved_timestamp=None",
     UpdateState, "Writes the file `checkpoint`."},
    {"remove_checkpoint",
     "checkpoint_prefix, checkpoint_format_version=2, meta_graph_suffix='meta'", RemoveCheckpoint,
     "Removes the files of a checkpoint."},
    {"NewCheckpointReader", "filepattern", NewReader, "Reads a checkpoint without a graph."},
    {"load_checkpoint", "ckpt_dir_or_file", LoadCheckpoint, "Reads a checkpoint without a graph."},
    {"list_variables", "ckpt_dir_or_file", ListVariables,
     "Returns the (name, shape) pairs of a checkpoint."},
    {"load_variable", "ckpt_dir_or_file, name", LoadVariable, "Reads one tensor of a checkpoint."},
};

}  // namespace

const TypeInfo ReaderObject::kType = {.name = "CheckpointReader",
                                      .module = "tensorflow.python.training.py_checkpoint_reader",
                                      .doc = "Reads a checkpoint without a graph.",
                                      .methods = kReaderMethods};

std::span<const FunctionRow> CheckpointRows() { return kRows; }

}  // namespace tensh::shell::tf
