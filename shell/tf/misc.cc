// The rest of the tf module's functions: gradients, Print, logging, app, and what TensorFlow 2
// calls to be TensorFlow 1.
#include "shell/lang/interp.h"
#include "shell/lang/library.h"
#include "shell/tf/arrays.h"
#include "shell/tf/build.h"
#include "shell/tf/control_flow.h"
#include "shell/tf/rows.h"
#include "shell/tf/session.h"
#include "shell/tf/state.h"
#include "shell/tf/train.h"
#include "shell/tf/variable.h"
#include "shell/values/error.h"
#include "shell/values/ops.h"

namespace tensh::shell::tf {
namespace {

Value Nothing(Args&) { return Value::None(); }

// input_, data, message, first_n, summarize, name
Value PrintFn(Args& a) {
  GraphObject& g = GraphOf({&a[0], &a[1]});
  OpCall call(g, "Print", NameText(a[5]));
  const std::string message = a[2].is_none() ? "" : ToText(a[2], "message");
  call.In(a[0]).In(a[1]);
  call.attrs().String("message", message);
  if (!a[3].is_none()) call.attrs().Int("first_n", ToIndex(a[3]));
  if (!a[4].is_none()) call.attrs().Int("summarize", ToIndex(a[4]));
  return call.AddValue();
}

// condition, data, summarize, name
Value AssertFn(Args& a) {
  GraphObject& g = GraphOf({&a[0], &a[1]});
  return g.Operation(AssertNode(g, a[0], a[1], a[2], a[3]));
}

Value GetDefaultSession(Args&) {
  auto& stack = State().session_stack;
  return stack.empty() ? Value::None() : Value(stack.back());
}

Value IsTensor(Args& a) {
  return Value::Bool(As<TensorObject>(a[0]) != nullptr || As<VariableObject>(a[0]) != nullptr);
}

Value AsDType(Args& a) { return DTypeValue(ToDType(a[0])); }

Value GetStaticValue(Args& a) {
  auto* t = As<TensorObject>(a[0]);
  if (!t) throw TypeError("Expected a tf.Tensor, got " + Repr(a[0]));
  TensorHandle value = t->graph().handle().Constant(t->out());
  return value ? ToValue(value) : Value::None();
}

const FunctionRow kRows[] = {
    {"gradients",
     "ys, xs, grad_ys=None, name='gradients', colocate_gradients_with_ops=False, "
     "gate_gradients=False, "
     "aggregation_method=None, stop_gradients=None, unconnected_gradients=None",
     GradientsFn, "How ys change with each of xs."},
    {"Print", "input_, data, message=None, first_n=None, summarize=None, name=None", PrintFn,
     "The same value; prints data when it runs."},
    {"Assert", "condition, data, summarize=None, name=None", AssertFn,
     "Fails when condition is false."},
    {"get_default_session", "", GetDefaultSession,
     "The session that eval() and run() use, or None."},
    {"is_tensor", "x", IsTensor, "Is it a tensor?"},
    {"contrib_is_tensor", "x", IsTensor, "Is it a tensor?"},
    {"as_dtype", "type_value", AsDType, "The element type that a value names."},
    {"get_static_value", "tensor, partial=False", GetStaticValue,
     "The value, if known before any run."},
    {"get_seed", "op_seed",
     [](Args& a) -> Value {
       const Seeds s = NextSeeds(DefaultGraph(), a[0]);
       return MakeTuple({Value::Int(s.graph), Value::Int(s.op)});
     },
     "The two seeds of the next random op."},
    {"disable_v2_behavior", "", Nothing, "Does nothing: this is TensorFlow 1."},
    {"disable_eager_execution", "", Nothing, "Does nothing: this is TensorFlow 1."},
    {"disable_v2_tensorshape", "", Nothing, "Does nothing: this is TensorFlow 1."},
    {"disable_control_flow_v2", "", Nothing, "Does nothing: this is TensorFlow 1."},
    {"executing_eagerly", "", [](Args&) { return Value::Bool(false); }, "False."},
    {"enable_eager_execution", "*args, **kwargs",
     [](Args&) -> Value {
       throw RuntimeError(
           "Eager execution is not part of tensh: it runs graphs, as TensorFlow 1 does.");
     },
     "Not available."},
};

// ---- tf.test, tf.logging, tf.app ----

const FunctionRow kTestRows[] = {
    {"is_gpu_available", "cuda_only=False, min_cuda_compute_capability=None",
     [](Args&) { return Value::Bool(false); }, "Is there a GPU?"},
    {"is_built_with_cuda", "", [](Args&) { return Value::Bool(false); }, "Built with CUDA?"},
    {"gpu_device_name", "", [](Args&) { return MakeStr(""); }, "The name of a GPU."},
};

// What tf.logging's functions are called, and what they are at.
struct LogLevel {
  int number;
  const char* name;
};
constexpr LogLevel kDebug{10, "DEBUG"}, kInfo{20, "INFO"}, kWarn{30, "WARNING"},
    kErrorLevel{40, "ERROR"}, kFatal{50, "FATAL"};
int log_verbosity = kWarn.number;

Value WriteLog(const LogLevel& level, const Value& message, const Value& args) {
  if (level.number < log_verbosity) return Value::None();
  std::string text = Str(message);
  if (!As<TupleObject>(args)->items.empty()) text = Str(Binary(BinaryOp::kMod, message, args));
  Interp::Current().WriteError(std::string(level.name) + ":tensorflow:" + text + "\n");
  return Value::None();
}
Value Log(Args& a) { return WriteLog(*static_cast<const LogLevel*>(a.row().data), a[0], a[1]); }
Value LogAt(Args& a) {
  const int64_t number = ToIndex(a[0]);
  for (const LogLevel* level : {&kDebug, &kInfo, &kWarn, &kErrorLevel, &kFatal})
    if (level->number == number) return WriteLog(*level, a[1], a[2]);
  const std::string name = "Level " + std::to_string(number);
  return WriteLog({static_cast<int>(std::clamp<int64_t>(number, 0, 100)), name.c_str()}, a[1],
                  a[2]);
}
Value SetVerbosity(Args& a) {
  log_verbosity = static_cast<int>(std::clamp<int64_t>(ToIndex(a[0]), 0, 100));
  return Value::None();
}

const FunctionRow kLoggingRows[] = {
    {"set_verbosity", "v", SetVerbosity, "The level from which messages are shown."},
    {"get_verbosity", "", [](Args&) { return Value::Int(log_verbosity); }, "The level shown."},
    {"log", "level, msg, *args, **kwargs", LogAt, "A line on standard error, at that level."},
    {"flush", "", Nothing, "Nothing waits."},
    {"info", "msg, *args, **kwargs", Log, "A line on standard error.", &kInfo},
    {"debug", "msg, *args, **kwargs", Log, "A line on standard error.", &kDebug},
    {"warn", "msg, *args, **kwargs", Log, "A line on standard error.", &kWarn},
    {"warning", "msg, *args, **kwargs", Log, "A line on standard error.", &kWarn},
    {"error", "msg, *args, **kwargs", Log, "A line on standard error.", &kErrorLevel},
    {"fatal", "msg, *args, **kwargs", Log, "A line on standard error.", &kFatal},
};
const ConstantRow kLoggingConstants[] = {{"DEBUG", [] { return Value::Int(10); }},
                                         {"INFO", [] { return Value::Int(20); }},
                                         {"WARN", [] { return Value::Int(30); }},
                                         {"ERROR", [] { return Value::Int(40); }},
                                         {"FATAL", [] { return Value::Int(50); }}};

// tf.app.run: main(argv), then the program ends.
Value AppRun(Args& a) {
  Value main = a[0];
  if (main.is_none()) main = Interp::Current().GetGlobal("main");
  if (main.is_null()) throw NameError("name 'main' is not defined");
  std::vector<Value> argv;
  for (const std::string& s : Interp::Current().options().argv) argv.push_back(MakeStr(s));
  const Value left = Call(FromLibrary("flags", Intern("_leftover")),
                          {a[1].is_none() ? MakeList(std::move(argv)) : a[1]});
  const Value code = Call(main, {left});
  throw PyError(Call(TypeValue(kSystemExit), {code}));
}
const FunctionRow kAppRows[] = {
    {"run", "main=None, argv=None", AppRun, "Calls main(argv) and ends."}};

}  // namespace

std::span<const FunctionRow> MiscRows() { return kRows; }
std::span<const FunctionRow> TestRows() { return kTestRows; }
std::span<const FunctionRow> AppRows() { return kAppRows; }

const ModuleDef& LoggingModule() {
  static const ModuleDef module = {.name = "tensorflow.logging",
                                   .functions = kLoggingRows,
                                   .constants = kLoggingConstants,
                                   .short_name = "tf.logging"};
  return module;
}

}  // namespace tensh::shell::tf
