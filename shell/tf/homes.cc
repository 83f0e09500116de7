#include "shell/tf/homes.h"

#include "shell/lang/library.h"
#include "shell/tf/tf.h"
#include "shell/values/containers.h"
#include "shell/values/error.h"
#include "shell/values/ops.h"

namespace tensh::shell::tf {
namespace {

// A module's names, each as tf has it, or NAME=WHERE where tf's is another.
struct Home {
  std::string_view module, names;
};
constexpr Home kHomes[] = {
    {"dtypes",
     "DType as_dtype as_string bfloat16 bool cast complex complex128 complex64 double float16 "
     "float32 float64 half "
     "int16 int32 int64 int8 resource saturate_cast string uint16 uint32 uint64 uint8 variant"},
    {"queue", "FIFOQueue PaddingFIFOQueue PriorityQueue RandomShuffleQueue"},
    {"manip", "batch_to_space_nd gather_nd reshape reverse roll scatter_nd space_to_batch_nd tile"},
    {"io",
     "PaddingFIFOQueue PriorityQueue RandomShuffleQueue "
     "match_filenames_once=train.match_filenames_once "
     "write_graph=train.write_graph"},
    {"io.gfile",
     "copy=gfile.Copy exists=gfile.Exists glob=gfile.Glob isdir=gfile.IsDirectory "
     "listdir=gfile.ListDirectory "
     "makedirs=gfile.MakeDirs mkdir=gfile.MkDir remove=gfile.Remove rename=gfile.Rename "
     "rmtree=gfile.DeleteRecursively "
     "stat=gfile.Stat walk=gfile.Walk"},
    {"linalg",
     "l2_normalize=nn.l2_normalize tensor_diag=diag tensor_diag_part=diag_part tensordot "
     "matrix_transpose"},
    {"math", "confusion_matrix in_top_k=nn.in_top_k invert_permutation lbeta top_k=nn.top_k"},
    {"random",
     "all_candidate_sampler=nn.all_candidate_sampler "
     "fixed_unigram_candidate_sampler=nn.fixed_unigram_candidate_sampler "
     "learned_unigram_candidate_sampler=nn.learned_unigram_candidate_sampler "
     "log_uniform_candidate_sampler=nn.log_uniform_candidate_sampler get_seed "
     "uniform_candidate_sampler=nn.uniform_candidate_sampler"},
    {"strings", "as_string join=string_join lower=string_lower upper=string_upper"},
    {"sparse",
     "segment_mean=sparse_segment_mean segment_sqrt_n=sparse_segment_sqrt_n "
     "segment_sum=sparse_segment_sum"},
};

// Calls fn(name, where) for each name of a module until it answers true.
template <class Fn>
void ForNames(std::string_view module, Fn fn) {
  for (const Home& home : kHomes) {
    if (home.module != module) continue;
    for (size_t at = 0; at < home.names.size();) {
      const size_t end = std::min(home.names.find(' ', at), home.names.size());
      const std::string_view word = home.names.substr(at, end - at);
      const size_t equals = word.find('=');
      const bool same = equals == word.npos;
      if (fn(word.substr(0, equals), same ? word : word.substr(equals + 1))) return;
      at = end + 1;
    }
  }
}

// tf.WHERE, a path with dots.
Value AtPath(std::string_view where) {
  Value found = ModuleValue(TensorFlowModule());
  for (size_t at = 0; at <= where.size();) {
    const size_t end = std::min(where.find('.', at), where.size());
    found = GetAttr(found, Intern(where.substr(at, end - at)));
    at = end + 1;
  }
  return found;
}

template <size_t kIndex>
const ModuleDef& ModuleOf() {
  static const std::string name = "tensorflow." + std::string(kHomes[kIndex].module);
  static const std::string short_name = "tf." + std::string(kHomes[kIndex].module);
  static const ModuleDef module = {
      .name = name.c_str(),
      .missing = [](StrObject* asked) { return FromHome(kHomes[kIndex].module, asked); },
      .short_name = short_name.c_str()};
  return module;
}

// ---- tensorflow.python: what old scripts import from inside TensorFlow ----

Value FindIn(const Value& module, StrObject* name) {
  try {
    return GetAttr(module, name);
  } catch (const PyError& e) {
    if (!e.Is(kAttributeError)) throw;
    return Value();
  }
}

const ModuleDef& AnyOpsModule() {
  static const ModuleDef module = {.name = "tensorflow.python.ops.ops", .missing = FromAnywhere};
  return module;
}

bool IsOneOf(std::string_view name, std::initializer_list<std::string_view> names) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

}  // namespace

Value FromAnywhere(StrObject* name) {
  if (name->view() == "assign_moving_average")
    return FromLibrary("train", Intern("_assign_moving_average"));
  if (Value found = FindIn(ModuleValue(TensorFlowModule()), name); !found.is_null()) return found;
  for (const char* module : {"nn", "train", "nn.rnn_cell"})
    if (Value found = FindIn(AtPath(module), name); !found.is_null()) return found;
  return Value();
}

Value FromHome(std::string_view module, StrObject* name) {
  Value found;
  std::vector<Value> names;
  ForNames(module, [&](std::string_view known, std::string_view where) {
    names.push_back(MakeStr(std::string(known)));
    if (known == name->view()) found = AtPath(where);
    return !found.is_null();
  });
  return name->view() == kDirName ? MakeList(std::move(names)) : found;
}

Value HomeModule(std::string_view name) {
  if (name == "dtypes") return ModuleValue(ModuleOf<0>());
  if (name == "queue") return ModuleValue(ModuleOf<1>());
  if (name == "manip") return ModuleValue(ModuleOf<2>());
  if (name == "io.gfile") return ModuleValue(ModuleOf<4>());
  return Value();
}

const ModuleDef& PythonOpsModule() {
  static const ModuleDef module = {
      .name = "tensorflow.python.ops", .missing = [](StrObject* name) -> Value {
        const bool known = IsOneOf(name->view(), {"array_ops",
                                                  "candidate_sampling_ops",
                                                  "check_ops",
                                                  "clip_ops",
                                                  "control_flow_ops",
                                                  "data_flow_ops",
                                                  "embedding_ops",
                                                  "functional_ops",
                                                  "gradients",
                                                  "init_ops",
                                                  "io_ops",
                                                  "linalg_ops",
                                                  "logging_ops",
                                                  "math_ops",
                                                  "nn",
                                                  "nn_impl",
                                                  "nn_ops",
                                                  "parsing_ops",
                                                  "random_ops",
                                                  "resource_variable_ops",
                                                  "rnn",
                                                  "rnn_cell",
                                                  "rnn_cell_impl",
                                                  "script_ops",
                                                  "sparse_ops",
                                                  "state_ops",
                                                  "string_ops",
                                                  "tensor_array_ops",
                                                  "variable_scope",
                                                  "variables"});
        return known ? ModuleValue(AnyOpsModule()) : Value();
      }};
  return module;
}

const ModuleDef& PythonPlatformModule() {
  static const ModuleDef module = {
      .name = "tensorflow.python.platform", .missing = [](StrObject* name) -> Value {
        if (name->view() == "tf_logging") return AtPath("logging");
        const bool known = IsOneOf(name->view(), {"app", "flags", "gfile", "test"});
        return known ? AtPath(name->view()) : Value();
      }};
  return module;
}

const ModuleDef& PythonLayersModule() {
  static const ModuleDef module = {
      .name = "tensorflow.python.layers", .missing = [](StrObject* name) -> Value {
        const bool known = IsOneOf(
            name->view(), {"base", "convolutional", "core", "layers", "normalization", "pooling"});
        return known ? AtPath("layers") : Value();
      }};
  return module;
}

const ModuleDef& PythonTrainingModule() {
  static const ModuleDef module = {
      .name = "tensorflow.python.training", .missing = [](StrObject* name) -> Value {
        const bool known =
            IsOneOf(name->view(), {"adagrad", "adam", "gradient_descent", "momentum",
                                   "moving_averages", "optimizer", "rmsprop", "saver",
                                   "session_run_hook", "training", "training_util"});
        return known ? ModuleValue(AnyOpsModule()) : Value();
      }};
  return module;
}

}  // namespace tensh::shell::tf
