// The module `tensorflow`: its tables, submodules, constants, and what is said of names it has not.
#include "shell/lang/library.h"
#include "shell/tf/config.h"
#include "shell/tf/convert.h"
#include "shell/tf/errors.h"
#include "shell/tf/graph_def.h"
#include "shell/tf/homes.h"
#include "shell/tf/indexed_slices.h"
#include "shell/tf/initializers.h"
#include "shell/tf/more.h"
#include "shell/tf/names.h"
#include "shell/tf/rows.h"
#include "shell/tf/session.h"
#include "shell/tf/shape.h"
#include "shell/tf/state.h"
#include "shell/tf/submodules.h"
#include "shell/tf/summary.h"
#include "shell/tf/tf.h"
#include "shell/tf/train.h"
#include "shell/tf/variable.h"
#include "shell/values/error.h"
#include "shell/values/ops.h"

namespace tensh::shell::tf {
namespace {

// ---- submodules ----

Value MissingRawOp(StrObject* name) { return RawOp(name->view()); }

const ModuleDef& RawOps() {
  static const ModuleDef module = {
      .name = "tensorflow.raw_ops", .missing = MissingRawOp, .short_name = "tf.raw_ops"};
  return module;
}

// A module that holds rows of the tf module under shorter names: tf.math.add, tf.random.normal.
Value FromTable(std::span<const FunctionRow> rows, std::string_view name) {
  for (const FunctionRow& row : rows) {
    if (name == row.name) return New<NativeFunction>(row, nullptr);
  }
  return Value();
}

Value MissingRandom(StrObject* name) {
  static constexpr std::pair<std::string_view, std::string_view> kNames[] = {
      {"normal", "random_normal"},
      {"uniform", "random_uniform"},
      {"shuffle", "random_shuffle"},
      {"set_random_seed", "set_random_seed"},
      {"truncated_normal", "truncated_normal"}};
  if (name->view() == "multinomial") return FromTable(SamplingRows(), "multinomial");
  if (name->view() == "categorical") return FromTable(SamplingRows(), "random.categorical");
  for (const auto& [shorter, full] : kNames) {
    if (name->view() == shorter) return FromTable(RandomRows(), full);
  }
  Value found = FromHome("random", name);
  return found.is_null() ? FromLibrary("random_more", name) : found;
}

const ModuleDef& RandomModule() {
  static const ModuleDef module = {
      .name = "tensorflow.random", .missing = MissingRandom, .short_name = "tf.random"};
  return module;
}

const ModuleDef& MathModule() {
  static const ModuleDef module = {
      .name = "tensorflow.math",
      .functions = MathRows(),
      .missing = [](StrObject* name) -> Value {
        if (Value found = FromHome("math", name); !found.is_null()) return found;
        Value found = FromLibrary("complex", name);
        return found.is_null() ? FromLibrary("math_scan", name) : found;
      },
      .short_name = "tf.math",
      .more_functions = {ReduceRows(), NnRows(), MathMoreRows(), NormRows()}};
  return module;
}

const ModuleDef& BitwiseModule() {
  static const ModuleDef module = {
      .name = "tensorflow.bitwise", .functions = BitRows(), .short_name = "tf.bitwise"};
  return module;
}

const ModuleDef& LinalgModule() {
  static const ModuleDef module = {
      .name = "tensorflow.linalg",
      .missing = [](StrObject* name) -> Value {
        if (name->view() == "eye" || name->view() == "transpose") {
          return FromTable(ArrayRows(), name->view() == "eye" ? "eye" : "matrix_transpose");
        }
        if (name->view() == "einsum") return FromLibrary("einsum", name);
        if (Value home = FromHome("linalg", name); !home.is_null()) return home;
        Value found = FromTable(LinalgRows(), LinalgName(name->view()));
        if (found.is_null()) found = FromTable(MathRows(), name->view());
        if (found.is_null()) found = FromTable(NormRows(), name->view());
        return found.is_null() ? FromLibrary("linalg", name) : found;
      },
      .short_name = "tf.linalg"};
  return module;
}

const ModuleDef& NnModule() {
  static const ConstantRow constants[] = {
      {"rnn_cell", [] { return ModuleValue(RnnCellModule()); }}};
  static const ModuleDef module = {.name = "tensorflow.nn",
                                   .functions = NnRows(),
                                   .constants = constants,
                                   .missing = MissingFromNn,
                                   .short_name = "tf.nn",
                                   .more_functions = {ConvRows(), NnSamplingRows()}};
  return module;
}

const ModuleDef& VersionModule() {
  static const ConstantRow constants[] = {
      {"VERSION", [] { return MakeStr("1.15.0"); }},
      {"GIT_VERSION", [] { return MakeStr("tensh"); }},
      {"COMPILER_VERSION", [] { return MakeStr(__VERSION__); }}};
  static const ModuleDef module = {
      .name = "tensorflow.version", .constants = constants, .short_name = "tf.version"};
  return module;
}

const ModuleDef& TestModule() {
  static const ModuleDef module = {
      .name = "tensorflow.test",
      .functions = TestRows(),
      .missing = [](StrObject* name) { return FromLibrary("test", name); },
      .short_name = "tf.test"};
  return module;
}

// tensorflow.python.framework.ops and the like, as old scripts import them.
const ModuleDef& OpsModule() {
  static const ModuleDef module = {
      .name = "tensorflow.python.framework.ops", .functions = ScopeRows(), .missing = FromAnywhere};
  return module;
}
const ModuleDef& FrameworkModule() {
  static const ConstantRow constants[] = {
      {"ops", [] { return ModuleValue(OpsModule()); }},
      {"constant_op", [] { return ModuleValue(TensorFlowModule()); }},
      {"dtypes", [] { return ModuleValue(TensorFlowModule()); }},
      {"errors", [] { return ModuleValue(ErrorsModule()); }},
      {"graph_util", [] { return ModuleValue(GraphUtilModule()); }},
      {"random_seed", [] { return ModuleValue(TensorFlowModule()); }},
      {"tensor_shape", [] { return ModuleValue(TensorFlowModule()); }}};
  static const ModuleDef module = {.name = "tensorflow.python.framework", .constants = constants};
  return module;
}
const ModuleDef& PythonModule() {
  static const ConstantRow constants[] = {
      {"framework", [] { return ModuleValue(FrameworkModule()); }},
      {"layers", [] { return ModuleValue(PythonLayersModule()); }},
      {"ops", [] { return ModuleValue(PythonOpsModule()); }},
      {"platform", [] { return ModuleValue(PythonPlatformModule()); }},
      {"training", [] { return ModuleValue(PythonTrainingModule()); }}};
  static const ModuleDef module = {.name = "tensorflow.python", .constants = constants};
  return module;
}
const ModuleDef& CompatModule() {
  static const ConstantRow constants[] = {{"v1", [] { return ModuleValue(TensorFlowModule()); }}};
  static const FunctionRow rows[] = {
      {"as_str", "bytes_or_text, encoding='utf-8'",
       [](Args& a) -> Value {
         return As<BytesObject>(a[0]) ? MakeStr(As<BytesObject>(a[0])->data) : a[0];
       },
       "Text."},
      {"as_text", "bytes_or_text, encoding='utf-8'",
       [](Args& a) -> Value {
         return As<BytesObject>(a[0]) ? MakeStr(As<BytesObject>(a[0])->data) : a[0];
       },
       "Text."},
      {"as_str_any", "value",
       [](Args& a) -> Value {
         return MakeStr(As<BytesObject>(a[0]) ? As<BytesObject>(a[0])->data : Str(a[0]));
       },
       "Text."},
      {"as_bytes", "bytes_or_text, encoding='utf-8'",
       [](Args& a) -> Value { return IsStr(a[0]) ? MakeBytes(std::string(StrView(a[0]))) : a[0]; },
       "Bytes."}};
  static const ModuleDef module = {
      .name = "tensorflow.compat", .functions = rows, .constants = constants};
  return module;
}

// ---- constants ----

template <int kDType>
Value Dtype() {
  return DTypeValue(kDType);
}

template <const ModuleDef& (*kModule)()>
Value Sub() {
  return ModuleValue(kModule());
}

const ConstantRow kConstants[] = {
    {"float32", Dtype<TSH_FLOAT>},
    {"float64", Dtype<TSH_DOUBLE>},
    {"double", Dtype<TSH_DOUBLE>},
    {"float16", Dtype<TSH_HALF>},
    {"half", Dtype<TSH_HALF>},
    {"bfloat16", Dtype<TSH_BFLOAT16>},
    {"int8", Dtype<TSH_INT8>},
    {"int16", Dtype<TSH_INT16>},
    {"int32", Dtype<TSH_INT32>},
    {"int64", Dtype<TSH_INT64>},
    {"uint8", Dtype<TSH_UINT8>},
    {"uint16", Dtype<TSH_UINT16>},
    {"uint32", Dtype<TSH_UINT32>},
    {"uint64", Dtype<TSH_UINT64>},
    {"bool", Dtype<TSH_BOOL>},
    {"string", Dtype<TSH_STRING>},
    {"complex64", Dtype<TSH_COMPLEX64>},
    {"complex128", Dtype<TSH_COMPLEX128>},
    {"resource", Dtype<TSH_RESOURCE>},
    {"variant", Dtype<TSH_VARIANT>},
    {"Tensor", [] { return TypeValue(TensorObject::kType); }},
    {"Operation", [] { return TypeValue(OperationObject::kType); }},
    {"IndexedSlices", [] { return TypeValue(IndexedSlicesObject::kType); }},
    {"Variable", [] { return TypeValue(VariableObject::kType); }},
    {"Graph", [] { return TypeValue(GraphObject::kType); }},
    {"Session", [] { return TypeValue(SessionObject::kType); }},
    {"InteractiveSession", [] { return TypeValue(SessionObject::kInteractiveType); }},
    {"TensorShape", [] { return TypeValue(ShapeObject::kType); }},
    {"Dimension", [] { return TypeValue(DimensionObject::kType); }},
    {"DType", [] { return TypeValue(DTypeObject::kType); }},
    {"summary", Sub<SummaryModule>},
    {"GraphDef", [] { return TypeValue(GraphDefObject::kType); }},
    {"MetaGraphDef", [] { return TypeValue(MetaGraphDefObject::kType); }},
    {"VariableScope", [] { return TypeValue(VariableScopeObject::kType); }},
    {"AUTO_REUSE", AutoReuseValue},
    {"newaxis", [] { return Value::None(); }},
    {"__version__", [] { return MakeStr("1.15.0"); }},
    {"VERSION", [] { return MakeStr("1.15.0"); }},
    {"GIT_VERSION", [] { return MakeStr("tensh"); }},
    {"__git_version__", [] { return MakeStr("tensh"); }},
    {"COMPILER_VERSION", [] { return MakeStr(__VERSION__); }},
    {"version", Sub<VersionModule>},
    {"nn", Sub<NnModule>},
    {"train", Sub<TrainModule>},
    {"errors", Sub<ErrorsModule>},
    {"losses", Sub<LossesModule>},
    {"image", Sub<ImageModule>},
    {"audio", Sub<AudioModule>},
    {"signal", Sub<SignalModule>},
    {"spectral", Sub<SpectralModule>},
    {"sets", Sub<SetsModule>},
    {"saved_model", Sub<SavedModelModule>},
    {"graph_util", Sub<GraphUtilModule>},
    {"quantization", Sub<QuantizationModule>},
    {"math", Sub<MathModule>},
    {"linalg", Sub<LinalgModule>},
    {"bitwise", Sub<BitwiseModule>},
    {"random", Sub<RandomModule>},
    {"initializers", Sub<InitializersModule>},
    {"layers", Sub<LayersModule>},
    {"metrics", Sub<MetricsModule>},
    {"nest", Sub<NestModule>},
    {"flags", Sub<FlagsModule>},
    {"gfile", Sub<GfileModule>},
    {"data", Sub<DataModule>},
    {"debugging", Sub<DebuggingModule>},
    {"contrib", Sub<ContribModule>},
    {"raw_ops", Sub<RawOps>},
    {"GraphKeys", Sub<GraphKeys>},
    {"test", Sub<TestModule>},
    {"logging", Sub<LoggingModule>},
    {"app", Sub<AppModule>},
    {"compat", Sub<CompatModule>},
    {"python", Sub<PythonModule>},
};

// ---- names that are not there ----

struct Refusal {
  const char* name;
  const char* sentence;
};
const Refusal kRefusals[] = {
    {"keras", "tf.keras is not part of tensh: build layers from tf.Variable and tf.matmul."},
    {"estimator", "tf.estimator is not part of tensh: write the training loop with sess.run."},
    {"examples", "tf.examples is not part of tensh: load data with np.load."},
};

std::string WithoutUnderscores(std::string_view name) {
  std::string out(name);
  std::erase(out, '_');
  return out;
}

// "mat_mul" when there is a "matmul": a slip of the finger, not the op of that name.
bool IsSlip(std::string_view name) {
  const std::string bare = WithoutUnderscores(name);
  for (const std::string& known : TensorFlowNames()) {
    if (known != name && WithoutUnderscores(known) == bare) return true;
  }
  return false;
}

Value Missing(StrObject* name) {
  if (name->view() == kDirName) {
    std::vector<Value> names;
    for (const std::string& known : TensorFlowNames()) {
      if (known.find('.') == known.npos) names.push_back(MakeStr(known));
    }
    return MakeList(std::move(names));
  }
  if (Value found = FindMore(name); !found.is_null()) return found;
  for (const Refusal& refusal : kRefusals) {
    if (name->view() == refusal.name) throw AttributeError(refusal.sentence);
  }
  for (const ConstantRow& row : ConfigConstants()) {
    if (name->view() == row.name) return row.make();
  }
  for (auto rows : {ReduceRows(), VariableScopeRows(), InitializerRows(), RandomRows(), FlowRows(),
                    MathMoreRows(), LinalgRows(), SamplingRows()}) {
    if (Value found = FromTable(rows, name->view()); !found.is_null()) return found;
  }
  for (const char* lifted : {"sigmoid", "tanh"}) {
    if (name->view() == lifted) return FromTable(NnRows(), lifted);
  }
  if (name->view() == "logging_ops") return Value();
  if (Value found = FromLibrary("complex", name); !found.is_null()) return found;
  if (name->view().find("fft") != std::string_view::npos && name->view()[0] != 'r' &&
      name->view().substr(0, 2) != "ir") {  // those are in tf.signal alone
    if (Value found = FromLibrary("signal", name); !found.is_null()) return found;
  }
  if (name->view() == "PartitionedVariable" || name->view().ends_with("_partitioner"))
    return FromLibrary("partitioned", name);
  if (name->view() == "random_gamma" || name->view() == "random_poisson")
    return FromLibrary("random_more", name);
  const OpInfo* op = OpForPythonName(name->view());
  const bool snake = !name->view().empty() && name->view()[0] >= 'a' && name->view()[0] <= 'z';
  // An op is as good as a function, but where Python composes more than it.
  if (name->view() == "einsum") return FromLibrary("einsum", name);
  if (op && snake && !IsSlip(name->view())) return RawOp(op->name);
  for (const char* file : {"core", "debugging", "tensor_array", "einsum", "accumulators",
                           "gradient_override", "messages", "helpers"}) {
    if (Value found = FromLibrary(file, name); !found.is_null()) return found;
  }
  return Value();
}

void ForgetEarlier() {
  LayerState& state = State();
  state.shell_sessions.clear();
  state.session_stack.clear();
  state.output_types.clear();
  state.conversions.clear();
  state.graph_stack.clear();
  state.global_graph = {};
  state.source = 0;
}

}  // namespace

const ModuleDef& TensorFlowModule() {
  static const ModuleDef module = {
      .name = "tensorflow",
      .functions = MathRows(),
      .constants = kConstants,
      .missing = Missing,
      .doc = "The TensorFlow 1.x API.",
      .short_name = "tf",
      .more_functions = {ArrayRows(), StateRows(), ScopeRows(), MiscRows(), NormRows()}};
  return module;
}

std::vector<std::string> TensorFlowNames() {
  std::vector<std::string> names;
  auto add = [&names](const char* prefix, std::span<const FunctionRow> rows) {
    for (const FunctionRow& row : rows) names.push_back(std::string(prefix) + row.name);
  };
  for (auto rows : {MathRows(), NormRows(), ReduceRows(), ArrayRows(), StateRows(), ScopeRows(),
                    VariableScopeRows(), RandomRows(), InitializerRows(), MiscRows(), FlowRows(),
                    MathMoreRows(), LinalgRows(), SamplingRows()}) {
    add("", rows);
  }
  for (const ConstantRow& row : kConstants) names.push_back(row.name);
  for (const ConstantRow& row : ConfigConstants()) names.push_back(row.name);
  for (const char* file : {"core", "complex", "debugging", "tensor_array", "einsum", "accumulators",
                           "gradient_override", "messages", "helpers"}) {
    for (std::string& name : LibraryNames(file)) names.push_back(std::move(name));
  }
  AddMoreNames(&names);
  add("nn.", NnRows());
  add("nn.", ConvRows());
  add("nn.", NnSamplingRows());
  for (std::string& name : LibraryNames("losses")) names.push_back("losses." + name);
  return names;
}

void AddTensorFlow(Interp& interp) {
  ForgetEarlier();
  LimitFilesOfOps();
  interp.AddModule("tensorflow", TensorFlowModule());
  interp.AddModule("tensorflow.compat", CompatModule());
  interp.AddModule("tensorflow.compat.v1", TensorFlowModule());
  interp.AddModule("tensorflow.python", PythonModule());
  interp.AddModule("tensorflow.python.framework", FrameworkModule());
  interp.AddModule("tensorflow.python.framework.ops", OpsModule());
  interp.AddModule("tensorflow.python.layers", PythonLayersModule());
  interp.AddModule("tensorflow.python.ops", PythonOpsModule());
  interp.AddModule("tensorflow.python.platform", PythonPlatformModule());
  interp.AddModule("tensorflow.python.training", PythonTrainingModule());
  interp.AddModule("tensorflow.core.protobuf", ProtobufModule());
  interp.AddModule("tensorflow.core.protobuf.config_pb2", MessagesModule());
  interp.AddModule("tensorflow.nn", NnModule());
  interp.AddModule("tensorflow.train", TrainModule());
  interp.AddModule("tensorflow.errors", ErrorsModule());
  interp.AddModule("tensorflow.contrib", ContribModule());
  interp.AddModule("tf_slim", SlimModule());  // where slim went when contrib ended
  for (const ModuleDef* module :
       {&ExamplesModule(), &TutorialsModule(), &MnistModule(), &InputDataModule()})
    interp.AddModule(module->name, *module);
  interp.RefuseModule("tensorflow.keras", kRefusals[0].sentence);
  interp.AddBuiltinModule("tf", "tensorflow");
}

}  // namespace tensh::shell::tf
