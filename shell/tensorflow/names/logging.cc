// tf.logging: messages on standard error.
#include <algorithm>

#include "shell/python/values/error.h"
#include "shell/python/values/ops.h"
#include "shell/python/vm/interp.h"
#include "shell/tensorflow/graph/rows.h"

namespace tensh::shell::tf {
namespace {

// A level of tf.logging: its number, and its name in the messages.
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
    {"set_verbosity", "v", SetVerbosity, "Sets the level from which messages are shown."},
    {"get_verbosity", "", [](Args&) { return Value::Int(log_verbosity); },
     "Returns the level from which messages are shown."},
    {"log", "level, msg, *args, **kwargs", LogAt,
     "Writes a message of this level to standard error."},
    {"flush", "", [](Args&) { return Value::None(); },
     "Does nothing, because messages are not buffered."},
    {"info", "msg, *args, **kwargs", Log, "Writes a message to standard error.", &kInfo},
    {"debug", "msg, *args, **kwargs", Log, "Writes a message to standard error.", &kDebug},
    {"warn", "msg, *args, **kwargs", Log, "Writes a message to standard error.", &kWarn},
    {"warning", "msg, *args, **kwargs", Log, "Writes a message to standard error.", &kWarn},
    {"error", "msg, *args, **kwargs", Log, "Writes a message to standard error.", &kErrorLevel},
    {"fatal", "msg, *args, **kwargs", Log, "Writes a message to standard error.", &kFatal},
};
const ConstantRow kLoggingConstants[] = {
    {"DEBUG", [] { return Value::Int(10); }, "The level of debugging output."},
    {"INFO", [] { return Value::Int(20); }, "The level of progress reports."},
    {"WARN", [] { return Value::Int(30); }, "The level of warnings."},
    {"ERROR", [] { return Value::Int(40); }, "The level of errors."},
    {"FATAL", [] { return Value::Int(50); }, "The level of errors that end a program."}};

}  // namespace

std::span<const FunctionRow> LoggingRows() { return kLoggingRows; }
std::span<const ConstantRow> LoggingConstants() { return kLoggingConstants; }

}  // namespace tensh::shell::tf
