#include "shell/python/values/traceback.h"

#include "shell/python/values/containers.h"
#include "shell/python/values/error.h"
#include "shell/python/values/frame_text.h"
#include "shell/python/values/type.h"

namespace tensh::shell {
namespace {

class TracebackObject : public TrackedObject {
 public:
  static const TypeInfo kType;
  TracebackObject(Value exception, size_t depth)
      : TrackedObject(kType), exception(std::move(exception)), depth(depth) {}
  void DropRefs() override { exception = Value(); }
  void Visit(HeldVisitor& visit) const override { visit(exception); }
  Value exception;
  size_t depth;  // Number of outer frames that are left out.
};

const std::vector<TraceEntry>& Trace(const Value& v) {
  return static_cast<ExceptionObject*>(
             static_cast<TracebackObject*>(v.object())->exception.object())
      ->trace;
}
size_t Depth(const Value& v) { return static_cast<TracebackObject*>(v.object())->depth; }

Value Line(const Value& v) {
  const std::vector<TraceEntry>& trace = Trace(v);
  const size_t depth = Depth(v);
  return depth < trace.size() ? Value::Int(trace[trace.size() - 1 - depth].where.line)
                              : Value::None();
}

Value Next(const Value& v) {
  if (Depth(v) + 1 >= Trace(v).size()) return Value::None();
  return New<TracebackObject>(static_cast<TracebackObject*>(v.object())->exception, Depth(v) + 1);
}

Value EntryValue(const TraceEntry& e) {
  const Location& w = e.where;
  return MakeTuple({MakeStr(w.file), Value::Int(w.line), MakeStr(e.function), MakeStr(w.text),
                    Value::Int(w.column), Value::Int(w.end_line), Value::Int(w.end_column),
                    MakeStr(FrameText(e))});
}

// Returns a tuple for each frame: (file, line, function, text, column, last line, column after the
// end, the whole entry in Python's form).
Value Entries(const Value& v) {
  std::vector<Value> out;
  const std::vector<TraceEntry>& trace = Trace(v);
  for (size_t i = trace.size(); i-- > 0;)
    if (trace.size() - 1 - i >= Depth(v)) out.push_back(EntryValue(trace[i]));
  return MakeList(std::move(out));
}

const PropertyRow kProperties[] = {{"tb_lineno", Line}, {"tb_next", Next}, {"_entries", Entries}};

}  // namespace

const TypeInfo TracebackObject::kType = {.name = "traceback", .properties = kProperties};

Value TracebackOf(const Value& exception) {
  auto* exc = As<ExceptionObject>(exception);
  if (exc == nullptr || exc->trace.empty()) return Value::None();
  return New<TracebackObject>(exception, size_t{0});
}

}  // namespace tensh::shell
