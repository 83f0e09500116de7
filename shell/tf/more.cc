#include "shell/tf/more.h"
#include "shell/lang/library.h"

#include <filesystem>

#include "shell/lang/file.h"
#include "shell/lang/interp.h"
#include "shell/tf/graph_def.h"
#include "shell/tf/homes.h"
#include "shell/tf/queue.h"
#include "shell/tf/scatter.h"
#include "shell/tf/submodules.h"
#include "shell/tf/tf.h"
#include "shell/tf/variable.h"
#include "shell/values/containers.h"
#include "shell/values/ops.h"

namespace tensh::shell::tf {
namespace {

Value Resources(Args& a) {
  ResourceByDefault() = a.row().data != nullptr;
  return Value::None();
}

const FunctionRow kSwitches[] = {
    {"enable_resource_variables", "", Resources,
     "tf.Variable makes resource variables from now on.", "on"},
    {"disable_resource_variables", "", Resources, "tf.Variable makes reference variables."},
};

using Rows = std::span<const FunctionRow>;
constexpr Rows (*kTables[])() = {GraphDefRows, FileRows, QueueRows, ScatterRows,
                                 [] { return Rows(kSwitches); }};

constexpr const char* kLibraries[] = {"readers", "strings", "sparse", "quantization",
                                      "image_patches"};

// Of example.py each module has a part.
constexpr const char* kParsers[] = {"parse_single_example",          "parse_example",
                                    "parse_single_sequence_example", "FixedLenFeature",
                                    "FixedLenSequenceFeature",       "VarLenFeature"};
constexpr const char* kIoParsers[] = {"parse_sequence_example"};
constexpr const char* kRecordFiles[] = {"TFRecordWriter", "tf_record_iterator",
                                        "TFRecordCompressionType"};
constexpr const char* kOfRoot[] = {
    "decode_raw",    "decode_csv",    "read_file",         "write_file",       "matching_files",
    "encode_base64", "decode_base64", "decode_compressed", "serialize_tensor", "parse_tensor"};
constexpr const char* kSparseMessages[] = {"serialize_sparse", "serialize_many_sparse",
                                           "deserialize_many_sparse"};
constexpr const char* kImageFiles[] = {
    "decode_and_crop_jpeg", "decode_bmp",  "decode_gif", "decode_image",       "decode_jpeg",
    "decode_png",           "encode_jpeg", "encode_png", "extract_jpeg_shape", "is_jpeg"};

Value FromExample(std::span<const char* const> names, StrObject* name) {
  for (const char* known : names)
    if (name->view() == known) return FromLibrary("example", name);
  return Value();
}

const ModuleDef& PythonIoModule() {
  static const ModuleDef module = {
      .name = "tensorflow.python_io",
      .missing = [](StrObject* name) { return FromExample(kRecordFiles, name); },
      .short_name = "tf.python_io"};
  return module;
}

const ModuleDef& IoModule() {
  static const ModuleDef module = {
      .name = "tensorflow.io",
      .missing = [](StrObject* name) -> Value {
        if (Value found = FromExample(kParsers, name); !found.is_null()) return found;
        if (Value found = FromExample(kIoParsers, name); !found.is_null()) return found;
        if (name->view() == "gfile") return HomeModule("io.gfile");
        if (Value found = FromHome("io", name); !found.is_null()) return found;
        for (const char* known : kOfRoot)
          if (name->view() == known) return GetAttr(ModuleValue(TensorFlowModule()), name);
        for (const char* known : kSparseMessages)
          if (name->view() == known) return FromLibrary("sparse", name);
        for (const char* known : kImageFiles)
          if (name->view() == known) return FromLibrary("image_files", name);
        return FromExample(kRecordFiles, name);
      },
      .short_name = "tf.io"};
  return module;
}
constexpr const char* kTableFunctions[] = {"tables_initializer", "initialize_all_tables"};

// A submodule's name under the longer name it has in tf.
Value FromLonger(const char* file, StrObject* name,
                 std::span<const std::pair<std::string_view, std::string_view>> others) {
  for (const auto& [shorter, longer] : others) {
    if (name->view() == shorter) return FromLibrary(file, Intern(longer));
  }
  if (Value found = FromHome(file, name); !found.is_null()) return found;
  const std::string prefix = file == std::string_view("strings") ? "string_" : "sparse_";
  Value found = FromLibrary(file, Intern(prefix + name->text()));
  return found.is_null() ? FromLibrary(file, name) : found;
}

const ModuleDef& SparseModule() {
  static constexpr std::pair<std::string_view, std::string_view> others[] = {
      {"to_dense", "sparse_tensor_to_dense"},
      {"matmul", "sparse_tensor_dense_matmul"},
      {"sparse_dense_matmul", "sparse_tensor_dense_matmul"}};
  static const ModuleDef module = {.name = "tensorflow.sparse",
                                   .missing = [](StrObject* name) -> Value {
                                     // tf.cross is another.
                                     if (Value found = FromLibrary("sparse_crosses", name);
                                         !found.is_null())
                                       return found;
                                     return FromLonger("sparse", name, others);
                                   },
                                   .short_name = "tf.sparse"};
  return module;
}

const ModuleDef& StringsModule() {
  static constexpr std::pair<std::string_view, std::string_view> others[] = {
      {"substr", "substr"}, {"split", "strings_split"}};
  static const ModuleDef module = {
      .name = "tensorflow.strings",
      .missing = [](StrObject* name) { return FromLonger("strings", name, others); },
      .short_name = "tf.strings"};
  return module;
}

}  // namespace

Value FindMore(StrObject* name) {
  for (Rows (*table)() : kTables) {
    for (const FunctionRow& row : table()) {
      if (name->view() == row.name) return New<NativeFunction>(row, nullptr);
    }
  }
  if (Value module = HomeModule(name->view()); !module.is_null()) return module;
  if (name->view() == "sparse") return ModuleValue(SparseModule());
  if (name->view() == "strings") return ModuleValue(StringsModule());
  if (name->view() == "lookup") return ModuleValue(LookupModule());
  if (name->view() == "python_io") return ModuleValue(PythonIoModule());
  if (name->view() == "io") return ModuleValue(IoModule());
  if (Value found = FromExample(kParsers, name); !found.is_null()) return found;
  for (const char* function : kTableFunctions)
    if (name->view() == function) return FromLibrary("lookup", name);
  for (const char* file : kLibraries) {
    if (Value found = FromLibrary(file, name); !found.is_null()) return found;
  }
  return Value();
}

void AddMoreNames(std::vector<std::string>* names) {
  for (Rows (*table)() : kTables) {
    for (const FunctionRow& row : table()) names->push_back(row.name);
  }
  for (const char* function : kTableFunctions) names->push_back(function);
  for (const char* function : kParsers) names->push_back(function);
  for (const char* module : {"python_io", "io"}) names->push_back(module);
  for (const char* file : kLibraries) {
    for (std::string& name : LibraryNames(file)) names->push_back(std::move(name));
  }
}

void LimitFilesOfOps() {
  namespace fs = std::filesystem;
  const Interp& interp = Interp::Current();
  static bool limited = false;
  if (interp.options().allow_files || limited) return;
  limited = true;
  std::error_code error;
  tsh_files_limit(fs::current_path(error).c_str(), 1);
  OnFolderAllowed([](const std::string& path) { tsh_files_limit(path.c_str(), 1); });
  const auto& argv = interp.options().argv;
  if (argv.empty() || !fs::is_regular_file(argv[0], error)) return;
  // As np.load: what lies beside the script may be read.
  tsh_files_limit(fs::canonical(argv[0], error).parent_path().c_str(), 0);
}

}  // namespace tensh::shell::tf
