// The package `tensorflow`: the tables of its native names, and the catalogue made of them and of
// the names files beside this file.
#include "shell/tensorflow/names/tf.h"

#include "shell/numpy/quantized.h"
#include "shell/python/values/error.h"
#include "shell/python/vm/catalogue.h"
#include "shell/python/vm/threads.h"
#include "shell/tensorflow/data/queue.h"
#include "shell/tensorflow/graph/convert.h"
#include "shell/tensorflow/graph/errors.h"
#include "shell/tensorflow/graph/exchange/config.h"
#include "shell/tensorflow/graph/exchange/graph_def.h"
#include "shell/tensorflow/graph/exchange/onnx_message.h"
#include "shell/tensorflow/graph/exchange/tensor_proto.h"
#include "shell/tensorflow/graph/indexed_slices.h"
#include "shell/tensorflow/graph/rows.h"
#include "shell/tensorflow/graph/scatter.h"
#include "shell/tensorflow/graph/session.h"
#include "shell/tensorflow/graph/shape.h"
#include "shell/tensorflow/graph/state.h"
#include "shell/tensorflow/graph/variable.h"
#include "shell/tensorflow/io/file_limits.h"
#include "shell/tensorflow/names/absl.h"
#include "shell/tensorflow/names/messages.h"
#include "shell/tensorflow/train/saver.h"
#include "shell/tensorflow/train/server.h"
#include "shell/tensorflow/train/train.h"
#include "shell/tensorflow/train/variable_scope.h"

namespace tensh::shell {

std::span<const NamesFile> TensorFlowNamesFiles();   // generated from names/*.names
std::span<const ExamplesFile> TensorFlowExamples();  // generated from names/*.examples

namespace tf {
namespace {

template <int kDType>
Value Dtype() {
  return DTypeValue(kDType);
}

constexpr ConstantRow kDTypes[] = {
    {"float32", Dtype<TSH_FLOAT>, "32-bit floating point."},
    {"float64", Dtype<TSH_DOUBLE>, "64-bit floating point."},
    {"double", Dtype<TSH_DOUBLE>, "64-bit floating point."},
    {"float16", Dtype<TSH_HALF>, "16-bit floating point."},
    {"half", Dtype<TSH_HALF>, "16-bit floating point."},
    {"bfloat16", Dtype<TSH_BFLOAT16>, "16-bit floating point with the exponent of float32."},
    {"int8", Dtype<TSH_INT8>, "8-bit signed integer."},
    {"int16", Dtype<TSH_INT16>, "16-bit signed integer."},
    {"int32", Dtype<TSH_INT32>, "32-bit signed integer."},
    {"int64", Dtype<TSH_INT64>, "64-bit signed integer."},
    {"uint8", Dtype<TSH_UINT8>, "8-bit unsigned integer."},
    {"uint16", Dtype<TSH_UINT16>, "16-bit unsigned integer."},
    {"uint32", Dtype<TSH_UINT32>, "32-bit unsigned integer."},
    {"uint64", Dtype<TSH_UINT64>, "64-bit unsigned integer."},
    {"qint8", Dtype<np::kQint8>, "Quantized 8-bit signed integer."},
    {"quint8", Dtype<np::kQuint8>, "Quantized 8-bit unsigned integer."},
    {"qint16", Dtype<np::kQint16>, "Quantized 16-bit signed integer."},
    {"quint16", Dtype<np::kQuint16>, "Quantized 16-bit unsigned integer."},
    {"qint32", Dtype<np::kQint32>, "Quantized 32-bit signed integer."},
    {"bool", Dtype<TSH_BOOL>, "True or False."},
    {"string", Dtype<TSH_STRING>, "Strings of bytes."},
    {"complex64", Dtype<TSH_COMPLEX64>, "Complex numbers of two float32."},
    {"complex128", Dtype<TSH_COMPLEX128>, "Complex numbers of two float64."},
    {"resource", Dtype<TSH_RESOURCE>, "A handle to a variable, queue or table."},
    {"variant", Dtype<TSH_VARIANT>, "A value of any other type."},
};

constexpr ConstantRow kClasses[] = {
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
    {"VariableScope", [] { return TypeValue(VariableScopeObject::kType); },
     "The defaults that get_variable uses within a tf.variable_scope block."},
};

constexpr ConstantRow kTrainClasses[] = {{"Saver", [] { return TypeValue(SaverObject::kType); }}};

constexpr ConstantRow kConstants[] = {
    {"AUTO_REUSE", AutoReuseValue, "reuse= of a variable scope that makes or finds variables."},
    {"newaxis", [] { return Value::None(); }, "A new axis of extent 1 in an index."},
};

constexpr ConstantRow kVersion[] = {
    {"VERSION", [] { return MakeStr("1.15.0"); }, "The version of the API."},
    {"GIT_VERSION", [] { return MakeStr("tensh"); }, "The program that implements the API: tensh."},
    {"COMPILER_VERSION", [] { return MakeStr(__VERSION__); }, "The compiler of this program."},
};

// The tables of native names, each with the module that its names belong to.
constexpr NativeTable kTables[] = {
    {.module = "", .functions = ArrayRows},
    {.module = "", .functions = BehaviorRows},
    {.module = "", .functions = FileRows},
    {.module = "", .functions = FlowRows},
    {.module = "", .functions = GradientsRows},
    {.module = "", .functions = GraphDefRows},
    {.module = "", .functions = InitializerRows},
    {.module = "", .functions = LinalgRows},
    {.module = "", .functions = MathRows},
    {.module = "", .functions = NormRows},
    {.module = "", .functions = OpLibraryRows},
    {.module = "", .functions = PrintAssertRows},
    {.module = "", .functions = QueueRows},
    {.module = "", .functions = RandomRows},
    {.module = "", .functions = RearrangeRows},
    {.module = "", .functions = ReduceRows},
    {.module = "", .functions = SamplingRows},
    {.module = "", .functions = ScatterRows},
    {.module = "", .functions = ScopeRows},
    {.module = "", .functions = SegmentRows},
    {.module = "", .functions = SpecialFunctionRows},
    {.module = "", .functions = StateRows},
    {.module = "", .functions = StaticValueRows},
    {.module = "", .functions = TensorProtoRows},
    {.module = "", .functions = VariableScopeRows},
    {.module = "", .constants = [] { return std::span<const ConstantRow>(kDTypes); }},
    {.module = "", .constants = [] { return std::span<const ConstantRow>(kClasses); }},
    {.module = "", .constants = [] { return std::span<const ConstantRow>(kConstants); }},
    {.module = "", .constants = ConfigConstants},
    {.module = "", .constants = GraphMessages},
    {.module = "", .constants = RecordMessages},
    {.module = "GraphKeys", .constants = GraphKeyConstants},
    {.module = "app", .functions = AppRows},
    {.module = "bitwise", .functions = BitRows},
    {.module = "compat", .functions = TextRows},
    {.module = "core.framework.device_attributes_pb2", .constants = DeviceMessages},
    {.module = "core.framework.function_pb2", .constants = FunctionMessages},
    {.module = "core.framework.op_def_pb2", .constants = OpMessages},
    {.module = "core.framework.resource_handle_pb2", .constants = ResourceMessages},
    {.module = "core.framework.tensor_pb2", .constants = TensorMessages},
    {.module = "core.framework.tensor_shape_pb2", .constants = ShapeMessages},
    {.module = "core.framework.types_pb2", .constants = DataTypeNumbers},
    {.module = "core.framework.variable_pb2", .constants = VariableMessages},
    {.module = "core.framework.versions_pb2", .constants = VersionMessages},
    {.module = "core.protobuf.cluster_pb2", .constants = ClusterMessages},
    {.module = "core.protobuf.config_pb2", .constants = ConfigMessages},
    {.module = "core.protobuf.meta_graph_pb2", .constants = MetaGraphMessages},
    {.module = "core.protobuf.rewriter_config_pb2", .constants = RewriterMessages},
    {.module = "core.protobuf.saved_model_pb2", .constants = SavedModelMessages},
    {.module = "core.protobuf.saver_pb2", .constants = SaverMessages},
    {.module = "core.protobuf.tensorflow_server_pb2", .constants = ServerMessages},
    {.module = "errors", .constants = ErrorConstants},
    {.module = "initializers", .functions = ShortInitializerRows},
    {.module = "linalg", .functions = DeterminantRows},
    {.module = "logging", .functions = LoggingRows, .constants = LoggingConstants},
    {.module = "nn", .functions = ConvRows},
    {.module = "nn", .functions = NnRows},
    {.module = "nn", .functions = NnSamplingRows},
    {.module = "random", .functions = CategoricalRows},
    {.module = "summary", .constants = SummaryConstants},
    {.module = "test", .functions = DeviceQueryRows},
    {.module = "train", .constants = ExampleMessages},
    {.module = "train", .functions = CheckpointRows},
    {.module = "train", .functions = MetaGraphRows},
    {.module = "train", .functions = QueueRunnerRows, .constants = QueueRunnerTypes},
    {.module = "train", .functions = ServerRows},
    {.module = "train", .functions = GlobalStepRows},
    {.module = "train", .constants = OptimizerTypes},
    {.module = "train", .constants = [] { return std::span<const ConstantRow>(kTrainClasses); }},
    {.module = "version", .constants = [] { return std::span<const ConstantRow>(kVersion); }},
};

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

std::string WithoutUnderscores(std::string_view name) {
  std::string out(name);
  std::erase(out, '_');
  return out;
}

// Returns the op that a snake_case name stands for, or null if none exists. Also returns null if
// the name differs from that of a function only by underscores: "mat_mul" is a typo for matmul, not
// a request for the op MatMul.
const OpInfo* OpNamed(std::string_view name) {
  const OpInfo* op = OpForPythonName(name);
  if (!op || name[0] < 'a' || name[0] > 'z') return nullptr;
  std::vector<std::string> known;
  TensorFlowCatalogue().List(TensorFlowCatalogue().root(), &known);
  const std::string bare = WithoutUnderscores(name);
  for (const std::string& other : known)
    if (other != name && WithoutUnderscores(other) == bare) return nullptr;
  return op;
}

std::string HintForOp(std::string_view name) {
  const OpInfo* op = OpNamed(name);
  return op ? "the op: tf.raw_ops." + op->name : "";
}

}  // namespace

const Catalogue& TensorFlowCatalogue() {
  static const Package package = {.name = "tensorflow",
                                  .short_name = "tf",
                                  .doc = "The TensorFlow 1.x API.",
                                  .tables = kTables,
                                  .files = TensorFlowNamesFiles,
                                  .examples = TensorFlowExamples,
                                  .op = RawOp,
                                  .ops = OpNames,
                                  .hint = HintForOp};
  static const auto* names = new Catalogue(package);
  return *names;
}

Value FindInVerb(std::string_view name) {
  const Value module = Interp::Current().Import("tensorflow");
  if (TensorFlowCatalogue().FindRow(name)) return FindAttr(module, Intern(name));
  const OpInfo* op = OpNamed(name);
  return op ? RawOp(op->name) : Value();
}

void AddTensorFlow(Interp& interp) {
  ForgetEarlier();
  LimitFilesOfOps();
  RaiseClientErrors();
  KeepStatePerThread();
  threads::SetCancel(CancelAllSessions);
  client_hooks.run_step = [](void (*step)(void*), void* context) {
    const threads::Unlocked unlocked;
    step(context);
  };
  interp.AddModule("tensorflow", TensorFlowCatalogue().root());
  interp.AddModule("_graphs", kGraphsModule);
  interp.AddModule("_py_func", kPyFuncModule);
  interp.AddModule("_onnx", kOnnxModule);
  // The package that slim moved to when tf.contrib ended.
  interp.AddModule("tf_slim", [] { return TensorFlowCatalogue().At("contrib.slim"); });
  // The package of which tf.keras is a copy.
  interp.AddModule("keras", [] { return TensorFlowCatalogue().At("keras"); });
  AddAbsl(interp);
  interp.AddBuiltinModule("tf", "tensorflow");
}

}  // namespace tf
}  // namespace tensh::shell
