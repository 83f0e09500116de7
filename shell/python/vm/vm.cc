#include "shell/python/vm/vm.h"
#include "shell/python/vm/local_module.h"

#include <algorithm>
#include <new>
#include <stdexcept>

#include "shell/python/values/class.h"
#include "shell/python/values/collections/iterator.h"
#include "shell/python/values/ops.h"
#include "shell/python/values/out_of_memory.h"
#include "shell/python/vm/interp.h"

namespace tensh::shell {
namespace {

constexpr size_t kChunkBytes = 256 << 10;
constexpr size_t kMaxTrace = 1000, kMaxTraceOfLongLines = 100, kLightLine = 1000;

}  // namespace

int Vm::limit_ = 1000;

Vm::~Vm() = default;

void* Vm::Allocate(size_t bytes) {
  if (chunks_.empty())
    chunks_.push_back({std::make_unique_for_overwrite<char[]>(kChunkBytes), kChunkBytes});
  while (used_ + bytes > chunks_[chunk_].size) {
    if (++chunk_ == chunks_.size()) {
      const size_t size = std::max(kChunkBytes, bytes);
      chunks_.push_back({std::make_unique_for_overwrite<char[]>(size), size});
    } else if (chunks_[chunk_].size < bytes) {
      chunks_[chunk_] = {std::make_unique_for_overwrite<char[]>(bytes), bytes};
    }
    used_ = 0;
  }
  void* p = chunks_[chunk_].data.get() + used_;
  used_ += bytes;
  return p;
}

Frame* Vm::NewFrame(const Ref<Code>& code, const Value& function, bool heap) {
  const size_t locals = code->local_names.size(), cells = code->cell_names.size();
  const size_t slots = locals + cells + code->stack_size;
  const size_t bytes = sizeof(Frame) + slots * sizeof(Value);
  const size_t mark_chunk = chunk_, mark_used = used_;
  void* memory = heap ? ::operator new(bytes) : Allocate(bytes);
  Frame* f = new (memory) Frame;
  f->code = code;
  f->function = function;
  f->heap = heap;
  f->mark_chunk = mark_chunk;
  f->mark_used = mark_used;
  f->slots = static_cast<uint32_t>(slots);
  f->locals = reinterpret_cast<Value*>(f + 1);
  for (size_t i = 0; i < slots; ++i) new (f->locals + i) Value;
  f->cells = f->locals + locals;
  f->stack = f->cells + cells;
  f->sp = f->stack;
  return f;
}

void Vm::DropFrame(Frame* f) {
  for (uint32_t i = 0; i < f->slots; ++i) f->locals[i].~Value();
  if (f->heap) {
    f->~Frame();
    ::operator delete(f);
    return;
  }
  chunk_ = f->mark_chunk;
  used_ = f->mark_used;
  f->~Frame();
}

void Vm::FreeGeneratorFrame(Frame* f) { DropFrame(f); }

void Vm::DropFrames() {
  handled_ = Value();
  while (Frame* f = current_) {
    current_ = f->back;
    if (f->generator && f->generator->frame == f) f->generator->frame = nullptr;
    DropFrame(f);
  }
  depth_ = 0;
}

void Vm::CheckDepth() {
  if (depth_ >= limit_) throw MakeError(kRecursionError, "maximum recursion depth exceeded");
}

void Vm::FillCells(Frame* f, FunctionObject* function) {
  const Code& code = *f->code;
  for (size_t i = 0; i < code.own_cells; ++i) {
    auto cell = New<CellObject>();
    if (code.cell_from[i] >= 0) cell->value = std::move(f->locals[code.cell_from[i]]);
    f->cells[i] = cell;
  }
  for (size_t i = 0; function && i < function->closure.size(); ++i)
    f->cells[code.own_cells + i] = function->closure[i];
}

Frame* Vm::Enter(FunctionObject* function, const CallArgs& args) {
  CheckDepth();
  const bool heap = function->code->is_generator;
  Frame* f = NewFrame(function->code, Value(function), heap);
  try {
    BindArguments(function->signature(), args, {function->qualname, 0}, f->locals);
  } catch (...) {
    DropFrame(f);
    throw;
  }
  if (!f->code->cell_names.empty()) FillCells(f, function);
  return f;
}

Frame* Vm::EnterSimple(FunctionObject* function, Value* args, size_t count) {
  const Code& code = *function->code;
  if (!code.simple_call || code.signature.positional != count || code.is_generator) return nullptr;
  CheckDepth();
  Frame* f = NewFrame(function->code, Value(function), false);
  for (size_t i = 0; i < count; ++i) f->locals[i].swap(args[i]);
  if (!code.cell_names.empty()) FillCells(f, function);
  return f;
}

Value Vm::RunTop(const Ref<Code>& code, const Value& names) {
  CheckDepth();
  Frame* f = NewFrame(code, Value(), false);
  f->names = names;
  f->back = current_;
  current_ = f;
  ++depth_;
  return Run(f);
}

Value Vm::CallFunction(FunctionObject* function, const CallArgs& args) {
  Frame* f = Enter(function, args);
  if (f->code->is_generator) {
    auto g = New<GeneratorObject>(f);
    return g;
  }
  f->back = current_;
  current_ = f;
  ++depth_;
  return Run(f);
}

// If the generator waits in `yield from`, throws the error into the inner generator. Returns true
// if that one yielded. Otherwise g continues, either with the inner generator's result in *send or
// with *error.
bool Vm::ThrowInto(GeneratorObject* g, Value* send, Value* error, Value* out) {
  Frame* f = g->frame;
  if (f->code->instrs[f->pc].op != Op::kYieldFrom) return false;
  const Value held(g), inner = f->sp[-1];
  auto* delegate = As<GeneratorObject>(inner);
  if (!delegate || !delegate->frame) return false;
  g->running = true;
  try {
    if (DerivesFrom(TypeOf(*error), kGeneratorExit)) {
      CallMethod(inner, "close", {});
    } else if (Resume(delegate, Value::None(), *error, out)) {
      g->running = false;
      return true;
    } else {  // The return value of the inner generator is the value of `yield from`.
      *error = Value();
      *send = delegate->returned;
      *--f->sp = Value();
      ++f->pc;
    }
  } catch (const PyError& e) {
    *error = e.value();
  }
  g->running = false;
  return false;
}

bool Vm::Resume(GeneratorObject* g, Value send, Value error, Value* out) {
  if (g->running) throw ValueError("generator already executing");
  if (!g->frame) {
    if (!error.is_null()) throw PyError(error);
    g->returned = Value::None();
    return false;
  }
  if (!g->started && !send.is_none()) {
    throw TypeError("can't send non-None value to a just-started generator");
  }
  // The generator has not started, so it has no handler for the error.
  if (!error.is_null() && !g->started) {
    g->DropRefs();
    throw PyError(error);
  }
  if (!error.is_null() && ThrowInto(g, &send, &error, out)) return true;
  CheckDepth();
  RecursionGuard guard;
  Value held(g), handled_before = handled_;
  Frame* f = g->frame;
  f->back = current_;
  current_ = f;
  ++depth_;
  g->running = true;
  if (!g->handled.is_null()) handled_ = std::exchange(g->handled, Value());
  auto finish = [&](bool done) {
    g->running = false;
    handled_ = handled_before;
    if (done) g->frame = nullptr;
  };
  try {
    if (!error.is_null()) {
      g->started = true;
      // Acts as if the yield had raised the error.
      if (!Unwind(f, error, true)) throw PyError(error);
    } else if (g->started) {
      *f->sp++ = std::move(send);
    }
    g->started = true;
    Value v = Run(f);
    const bool yielded = g->frame != nullptr;
    finish(!yielded);
    if (yielded)
      *out = std::move(v);
    else
      g->returned = std::move(v);
    return yielded;
  } catch (PyError& e) {
    finish(true);
    if (e.Is(kStopIteration)) {
      PyError wrapped = RuntimeError("generator raised StopIteration");
      wrapped.exception().cause = wrapped.exception().context = e.value();
      throw wrapped;
    }
    throw;
  }
}

Value Vm::Run(Frame* entry) {
  for (;;) {
    Value exc;
    try {
      return Loop(entry);
    } catch (const Unwound& e) {
      throw PyError(e.exc);
    } catch (const PyError& e) {
      exc = e.value();
    } catch (const std::bad_alloc&) {
      exc = OutOfMemory();
    } catch (const std::length_error&) {
      exc = OutOfMemory();
    }
    if (!Unwind(entry, exc, true)) throw PyError(exc);
    if (DerivesFrom(TypeOf(exc), kMemoryError)) KeepReserve();
  }
}

namespace {

// Adds the frame to the trace of the error, unless there is no memory for it.
void AddTrace(const Frame& f, ExceptionObject* error) {
  const Code& code = *f.code;
  try {
    Location where = code.source->Locate(code.spans[f.pc]);
    // Each trace entry keeps a copy of its source line, so entries with very long lines are limited.
    const bool light = where.text.size() <= kLightLine;
    if (light || error->trace.size() < kMaxTraceOfLongLines)
      error->trace.push_back({std::move(where), code.name});
  } catch (const std::bad_alloc&) {
  }
}

}  // namespace

// If `fresh` is true, the exception was raised in this frame, which is then added to its trace.
bool Vm::Unwind(Frame* entry, const Value& exc, bool fresh) {
  auto& object = *static_cast<ExceptionObject*>(exc.object());
  if (!handled_.is_null() && object.context.is_null() && !handled_.Is(exc))
    object.context = handled_;
  for (;;) {
    Frame* f = current_;
    const Code& code = *f->code;
    const bool ours = IsLibrary(*code.source);  // Frames of libraries are not shown.
    if (!ours && (fresh || object.trace.empty()) && object.trace.size() < kMaxTrace)
      AddTrace(*f, &object);
    for (const Guard& guard : code.guards) {
      if (f->pc < guard.begin || f->pc >= guard.end) continue;
      for (Value* v = f->stack + guard.depth; v < f->locals + f->slots; ++v) *v = Value();
      f->stack[guard.depth] = exc;
      f->sp = f->stack + guard.depth + 1;
      f->pc = guard.handler;
      return true;
    }
    current_ = f->back;
    --depth_;
    const bool last = f == entry;
    if (f->generator && f->generator->frame == f) f->generator->frame = nullptr;
    DropFrame(f);
    if (last) return false;
    fresh = true;
  }
}

bool Vm::Guarded() const {
  const Frame* f = current_;
  while (f && IsLibrary(*f->code->source)) f = f->back;
  return f && std::any_of(f->code->guards.begin(), f->code->guards.end(), [&](const Guard& guard) {
           return f->pc >= guard.begin && f->pc < guard.end;
         });
}

Location Vm::Where() const {
  const Frame* f = current_;
  while (f && IsLibrary(*f->code->source)) f = f->back;
  return f ? f->code->source->Locate(f->code->spans[f->pc]) : Location();
}

namespace {

// The iterators of the loops of a frame are on its stack, outermost first.
Vm::LoopPosition OutermostLoopOf(const Frame& f) {
  const Value* end = f.locals + f.slots;
  for (const Value* v = f.stack; v < end; ++v) {
    const Iterator* it = AsIterator(*v);
    const Iterator::Position at = it == nullptr ? Iterator::Position() : it->position();
    if (at.total <= 0) continue;
    // Between two iterations, the loop is about to take the next item. Within one, it has taken
    // the item of an iteration that is not complete.
    const bool between =
        f.code->instrs[f.pc].op == Op::kForIter &&
        std::all_of(v + 1, end, [](const Value& above) { return above.is_null(); });
    return {it, std::max<int64_t>(0, at.taken - (between ? 0 : 1)), at.total};
  }
  return {};
}

}  // namespace

Vm::LoopPosition Vm::OutermostLoop() const {
  LoopPosition found;
  for (const Frame* f = current_; f != nullptr; f = f->back) {
    if (IsLibrary(*f->code->source)) continue;
    const LoopPosition loop = OutermostLoopOf(*f);
    if (loop.loop != nullptr) found = loop;
  }
  return found;
}

// ---- functions and generators as values ----

namespace {

FunctionObject& F(const Value& v) { return *static_cast<FunctionObject*>(v.object()); }

std::string AddressOf(const Value& v) {
  char text[32];
  std::snprintf(text, sizeof text, "%p", static_cast<void*>(v.object()));
  return text;
}
std::string FunctionRepr(const Value& v) {
  return "<function " + F(v).qualname + " at " + AddressOf(v) + ">";
}
Value CallFunctionSlot(const Value& v, const CallArgs& args) {
  return Interp::Current().vm().CallFunction(&F(v), args);
}

Value GetName(const Value& v) { return MakeStr(F(v).name); }
void SetName(const Value& v, const Value& name) { F(v).name = ToText(name, "__name__"); }
Value GetQualname(const Value& v) { return MakeStr(F(v).qualname); }
void SetQualname(const Value& v, const Value& name) {
  F(v).qualname = ToText(name, "__qualname__");
}
Value GetDoc(const Value& v) { return F(v).doc.is_null() ? Value::None() : F(v).doc; }
void SetDoc(const Value& v, const Value& doc) { F(v).doc = doc; }
Value GetModule(const Value&) { return MakeStr("__main__"); }
Value GetDefaults(const Value& v) {
  std::vector<Value> items;
  const Signature& s = F(v).signature();
  for (size_t i = 0; i < s.positional; ++i) {
    if (!s.params[i].fallback.is_null()) items.push_back(s.params[i].fallback);
  }
  return items.empty() ? Value::None() : MakeTuple(std::move(items));
}

Value GetKeywordDefaults(const Value& v) {
  Value made = MakeDict();
  const Signature& s = F(v).signature();
  for (size_t i = s.positional; i < s.params.size(); ++i) {
    if (s.params[i].fallback.is_null()) continue;
    As<DictObject>(made)->dict.Set(Value(s.params[i].name), s.params[i].fallback);
  }
  return As<DictObject>(made)->dict.size() ? made : Value::None();
}
Value GetCode(const Value& v) { return F(v).code; }

const PropertyRow kFunctionProperties[] = {
    {"__name__", GetName, SetName}, {"__qualname__", GetQualname, SetQualname},
    {"__doc__", GetDoc, SetDoc},    {"__module__", GetModule},
    {"__defaults__", GetDefaults},  {"__kwdefaults__", GetKeywordDefaults},
    {"__code__", GetCode},
};

GeneratorObject& G(const Value& v) { return *static_cast<GeneratorObject*>(v.object()); }

bool GeneratorNext(const Value& v, Value* out) {
  return Interp::Current().vm().Resume(&G(v), Value::None(), Value(), out);
}
Value GeneratorSelf(const Value& v) { return v; }
std::string GeneratorRepr(const Value& v) {
  std::string name = G(v).frame ? G(v).frame->code->qualname : "finished";
  return "<generator object " + name + " at " + AddressOf(v) + ">";
}

Value Produce(Args& a, Value send, Value error) {
  Value out;
  if (Interp::Current().vm().Resume(&G(a.self()), std::move(send), std::move(error), &out))
    return out;
  Value returned = G(a.self()).returned;
  auto exc = New<ExceptionObject>(kStopIteration,
                                  returned.is_none() ? MakeTuple() : MakeTuple({returned}));
  exc->payload = returned;
  throw PyError(exc);
}
Value Send(Args& a) { return Produce(a, a[0], Value()); }
Value Throw(Args& a) {
  Value error = a[0];
  if (As<Type>(error))
    error = a.has(1) && !a[1].is_none() ? Call(error, {a[1]}) : Call(error, CallArgs{});
  if (!As<ExceptionObject>(error)) {
    throw TypeError("exceptions must be classes or instances deriving from BaseException, not " +
                    TypeName(a[0]));
  }
  return Produce(a, Value::None(), error);
}
Value Close(Args& a) {
  GeneratorObject& g = G(a.self());
  if (!g.frame) return Value::None();
  Value out;
  try {
    if (!Interp::Current().vm().Resume(&g, Value::None(),
                                       New<ExceptionObject>(kGeneratorExit, MakeTuple()), &out)) {
      return Value::None();
    }
  } catch (const PyError& e) {
    if (e.Is(kGeneratorExit) || e.Is(kStopIteration)) return Value::None();
    throw;
  }
  throw RuntimeError("generator ignored GeneratorExit");
}

const FunctionRow kGeneratorMethods[] = {
    {"send", "value, /", Send}, {"throw", "typ, val=..., tb=..., /", Throw}, {"close", "/", Close}};

}  // namespace

const TypeInfo CellObject::kType = {.name = "cell"};
const TypeInfo FunctionObject::kType = {.name = "function",
                                        .properties = kFunctionProperties,
                                        .repr = FunctionRepr,
                                        .call = CallFunctionSlot,
                                        .descr_get = BindMethod};
const TypeInfo GeneratorObject::kType = {.name = "generator",
                                         .methods = kGeneratorMethods,
                                         .repr = GeneratorRepr,
                                         .iter = GeneratorSelf,
                                         .next = GeneratorNext};

FunctionObject::FunctionObject(Ref<Code> c)
    : TrackedObject(kType),
      code(std::move(c)),
      name(code->name),
      qualname(code->qualname),
      doc(code->doc) {}

void FunctionObject::DropRefs() {
  closure.clear();
  if (own_signature) {
    for (Parameter& p : own_signature->params) p.fallback = Value();
  }
  attrs_.Clear();
}

void FunctionObject::Visit(HeldVisitor& visit) const {
  visit(closure), visit(attrs_);
  if (own_signature == nullptr) return;
  for (const Parameter& parameter : own_signature->params) visit(parameter.fallback);
}

GeneratorObject::GeneratorObject(Frame* f) : TrackedObject(kType), frame(f) { f->generator = this; }

GeneratorObject::~GeneratorObject() { DropRefs(); }

void GeneratorObject::DropRefs() {
  handled = returned = Value();
  Frame* f = std::exchange(frame, nullptr);
  if (!f || running) return;
  for (uint32_t i = 0; i < f->slots; ++i) f->locals[i].~Value();
  f->~Frame();
  ::operator delete(f);
}

}  // namespace tensh::shell
