// The interpreter loop. It is one function on purpose, so that the compiler keeps the frame, the
// stack pointer and the instruction pointer in registers. Longer operations are in vm_ops.cc.
#include "shell/python/values/bigint.h"
#include "shell/python/values/class.h"
#include "shell/python/values/collections/dict_type.h"
#include "shell/python/values/collections/iterator.h"
#include "shell/python/values/collections/set.h"
#include "shell/python/values/ops.h"
#include "shell/python/vm/interp.h"
#include "shell/python/vm/vm.h"
#include "shell/python/vm/vm_quick.h"

namespace tensh::shell {

void MergeKeywords(const Value& callee, Dict* into, const Value& more);
void ExtendArguments(const Value& callee, std::vector<Value>* into, const Value& more, bool call);

#define POP() (std::move(*--sp))
#define DROP() (*--sp = Value())
#define TOP() (sp[-1])
#define PUSH(v) \
  do {          \
    *sp = (v);  \
    ++sp;       \
  } while (0)
#define NEXT() continue

// One case for each instruction. They share the stack pointer, the frame and the instruction pointer
// as local variables, which calls to functions of their own would force into memory.
// NOLINTNEXTLINE(readability-function-size, readability-function-cognitive-complexity)
Value Vm::Loop(Frame* entry) {
  Frame* f = current_;
  Value* sp = f->sp;
  const Instr* code = f->code->instrs.data();
  const Instr* ip = code + f->pc;
  Globals& globals = interp_.globals();

  auto load = [&] {
    f = current_;
    sp = f->sp;
    code = f->code->instrs.data();
    ip = code + f->pc;
  };
  auto enter = [&](Frame* callee) {
    // The caller resumes after the call instruction.
    f->sp = sp;
    callee->back = f;
    current_ = callee;
    ++depth_;
    load();
  };

  for (;;) {
    const Instr i = *ip;
    f->pc = static_cast<uint32_t>(ip - code);
    ++ip;
    switch (i.op) {
      case Op::kNop:
        NEXT();
      case Op::kLoadConst:
        PUSH(f->code->constants[static_cast<size_t>(i.a)]);
        NEXT();
      case Op::kPop:
        DROP();
        NEXT();
      case Op::kDup:
        sp[0] = sp[-1];
        ++sp;
        NEXT();
      case Op::kDup2:
        sp[0] = sp[-2];
        sp[1] = sp[-1];
        sp += 2;
        NEXT();
      case Op::kSwap:
        sp[-1].swap(sp[-2]);
        NEXT();
      case Op::kRot3:  // a b c → c a b
        sp[-1].swap(sp[-2]);
        sp[-2].swap(sp[-3]);
        NEXT();
      case Op::kRot4:
        sp[-1].swap(sp[-2]);
        sp[-2].swap(sp[-3]);
        sp[-3].swap(sp[-4]);
        NEXT();
      case Op::kLoadFast: {
        const Value& v = f->locals[i.a];
        if (v.is_null()) ThrowUnbound(f->code->local_names[static_cast<size_t>(i.a)], false);
        PUSH(v);
        NEXT();
      }
      case Op::kStoreFast:
        f->locals[i.a] = POP();
        NEXT();
      case Op::kDeleteFast:
        if (f->locals[i.a].is_null())
          ThrowUnbound(f->code->local_names[static_cast<size_t>(i.a)], false);
        f->locals[i.a] = Value();
        NEXT();
      case Op::kLoadCell: {
        const Value& v = static_cast<CellObject*>(f->cells[i.a].object())->value;
        if (v.is_null()) {
          ThrowUnbound(f->code->cell_names[static_cast<size_t>(i.a)],
                       static_cast<uint32_t>(i.a) >= f->code->own_cells);
        }
        PUSH(v);
        NEXT();
      }
      case Op::kStoreCell:
        static_cast<CellObject*>(f->cells[i.a].object())->value = POP();
        NEXT();
      case Op::kDeleteCell: {
        Value& v = static_cast<CellObject*>(f->cells[i.a].object())->value;
        if (v.is_null()) {
          ThrowUnbound(f->code->cell_names[static_cast<size_t>(i.a)],
                       static_cast<uint32_t>(i.a) >= f->code->own_cells);
        }
        v = Value();
        NEXT();
      }
      case Op::kPushCell:
        PUSH(f->cells[i.a]);
        NEXT();
      case Op::kLoadGlobal: {
        const auto index = static_cast<uint32_t>(i.a);
        const Value& v = globals.at(index);
        if (!v.is_null()) {
          PUSH(v);
        } else if (const Value& b = globals.builtin(index); !b.is_null()) {
          PUSH(b);
        } else {
          PUSH(LoadGlobalSlow(index));
        }
        NEXT();
      }
      case Op::kStoreGlobal:
        globals.at(static_cast<uint32_t>(i.a)) = POP();
        NEXT();
      case Op::kDeleteGlobal: {
        Value& v = globals.at(static_cast<uint32_t>(i.a));
        if (v.is_null()) {
          throw NameError("name '" + globals.name(static_cast<uint32_t>(i.a))->text() +
                          "' is not defined");
        }
        v = Value();
        NEXT();
      }
      case Op::kLoadName:
        PUSH(LoadNameIn(f, f->code->names[static_cast<size_t>(i.a)]));
        NEXT();
      case Op::kStoreName:
        As<DictObject>(f->names)->dict.Set(Value(f->code->names[static_cast<size_t>(i.a)]), POP());
        NEXT();
      case Op::kDeleteName:
        if (!As<DictObject>(f->names)->dict.Erase(
                Value(f->code->names[static_cast<size_t>(i.a)]))) {
          throw NameError("name '" + f->code->names[static_cast<size_t>(i.a)]->text() +
                          "' is not defined");
        }
        NEXT();
      case Op::kLoadClassCell: {
        StrObject* name = f->code->cell_names[static_cast<size_t>(i.a)];
        Value* own = As<DictObject>(f->names)->dict.Find(name);
        const Value& v = own ? *own : static_cast<CellObject*>(f->cells[i.a].object())->value;
        if (v.is_null()) ThrowUnbound(name, true);
        PUSH(v);
        NEXT();
      }
      case Op::kLoadAttr: {
        Value v = GetAttr(TOP(), f->code->names[static_cast<size_t>(i.a)]);
        TOP() = std::move(v);
        NEXT();
      }
      case Op::kStoreAttr: {
        Value object = POP(), v = POP();
        SetAttr(object, f->code->names[static_cast<size_t>(i.a)], v);
        NEXT();
      }
      case Op::kDeleteAttr: {
        Value object = POP();
        DelAttr(object, f->code->names[static_cast<size_t>(i.a)]);
        NEXT();
      }
      case Op::kLoadMethod:
        LoadMethod(sp, f->code->names[static_cast<size_t>(i.a)]);
        ++sp;
        NEXT();
      case Op::kGetItem: {
        Value key = POP();
        Value v = GetItem(TOP(), key);
        TOP() = std::move(v);
        NEXT();
      }
      case Op::kStoreItem: {
        Value key = POP(), object = POP(), v = POP();
        SetItem(object, key, v);
        NEXT();
      }
      case Op::kDeleteItem: {
        Value key = POP(), object = POP();
        DelItem(object, key);
        NEXT();
      }
      case Op::kBinary: {
        const auto op = static_cast<BinaryOp>(i.a);
        Value r;
        if (!QuickBinary(op, sp[-2], sp[-1], &r)) r = Binary(op, sp[-2], sp[-1]);
        DROP();
        TOP() = std::move(r);
        NEXT();
      }
      case Op::kInplace: {
        const auto op = static_cast<BinaryOp>(i.a);
        Value r;
        if (!QuickBinary(op, sp[-2], sp[-1], &r)) r = Inplace(op, sp[-2], sp[-1]);
        DROP();
        TOP() = std::move(r);
        NEXT();
      }
      case Op::kUnary: {
        Value r = Unary(static_cast<UnaryOp>(i.a), TOP());
        TOP() = std::move(r);
        NEXT();
      }
      case Op::kNot: {
        bool truth = QuickTruth(TOP());
        TOP() = Value::Bool(!truth);
        NEXT();
      }
      case Op::kCompare: {
        int quick = QuickCompare(i.a, sp[-2], sp[-1]);
        Value r = quick >= 0 ? Value::Bool(quick) : Compare(i.a, sp[-2], sp[-1]);
        DROP();
        TOP() = std::move(r);
        NEXT();
      }
      case Op::kCompareJump: {
        int quick = QuickCompare(i.b, sp[-2], sp[-1]);
        if (quick < 0) quick = Truth(Compare(i.b, sp[-2], sp[-1]));
        DROP();
        DROP();
        if (quick == i.c) ip = code + i.a;
        NEXT();
      }
      case Op::kIs: {
        bool same = sp[-2].Is(sp[-1]);
        DROP();
        TOP() = Value::Bool(same != (i.a != 0));
        NEXT();
      }
      case Op::kIn: {
        bool in = Contains(sp[-1], sp[-2]);
        DROP();
        TOP() = Value::Bool(in != (i.a != 0));
        NEXT();
      }
      case Op::kJump:
        if (code + i.a < ip && interp_.wants_attention()) interp_.Attend();
        ip = code + i.a;
        NEXT();
      case Op::kJumpIfFalse: {
        bool truth = QuickTruth(TOP());
        DROP();
        if (!truth) ip = code + i.a;
        NEXT();
      }
      case Op::kJumpIfTrue: {
        bool truth = QuickTruth(TOP());
        DROP();
        if (truth) ip = code + i.a;
        NEXT();
      }
      case Op::kJumpIfFalseOrPop:
        if (!QuickTruth(TOP()))
          ip = code + i.a;
        else
          DROP();
        NEXT();
      case Op::kJumpIfTrueOrPop:
        if (QuickTruth(TOP()))
          ip = code + i.a;
        else
          DROP();
        NEXT();
      case Op::kGetIter: {
        Value it = Iter(TOP());
        TOP() = std::move(it);
        NEXT();
      }
      case Op::kForIter: {
        if (interp_.wants_attention()) interp_.Attend();
        auto next = TypeOf(TOP()).next;
        if (next ? next(TOP(), sp) : Next(TOP(), sp)) {
          ++sp;
        } else {
          *sp = Value();
          DROP();
          ip = code + i.a;
        }
        NEXT();
      }
      case Op::kBuildTuple:
      case Op::kBuildList: {
        std::vector<Value> items(std::make_move_iterator(sp - i.a), std::make_move_iterator(sp));
        sp -= i.a;
        PUSH(i.op == Op::kBuildList ? MakeList(std::move(items)) : MakeTuple(std::move(items)));
        NEXT();
      }
      case Op::kBuildSet: {
        auto set = New<SetObject>();
        for (Value* v = sp - i.a; v < sp; ++v) set->Add(*v);
        for (int32_t n = 0; n < i.a; ++n) DROP();
        PUSH(Value(set));
        NEXT();
      }
      case Op::kBuildDict:
        PUSH(MakeDict());
        NEXT();
      case Op::kBuildSlice: {
        Value step = POP(), stop = POP(), start = POP();
        PUSH(Value(New<SliceObject>(std::move(start), std::move(stop), std::move(step))));
        NEXT();
      }
      case Op::kBuildString: {
        std::string text;
        for (Value* v = sp - i.a; v < sp; ++v) text += StrView(*v);
        for (int32_t n = 0; n < i.a; ++n) DROP();
        PUSH(MakeStr(std::move(text)));
        NEXT();
      }
      case Op::kListAppend: {
        Value v = POP();
        static_cast<ListObject*>(sp[-i.a].object())->items.push_back(std::move(v));
        NEXT();
      }
      case Op::kSetAdd: {
        Value v = POP();
        As<SetObject>(sp[-i.a])->Add(v);
        NEXT();
      }
      case Op::kDictAdd: {
        Value v = POP(), key = POP();
        Dict& dict = static_cast<DictObject*>(sp[-i.a].object())->dict;
        if (i.b && dict.Find(key)) {
          throw TypeError("got multiple values for keyword argument '" + Str(key) + "'");
        }
        dict.Set(key, std::move(v));
        NEXT();
      }
      case Op::kListExtend: {
        Value v = POP();
        ExtendArguments(i.b ? sp[-i.a - 1] : v, &static_cast<ListObject*>(sp[-i.a].object())->items,
                        v, i.b);
        NEXT();
      }
      case Op::kSetUpdate: {
        Value v = POP();
        for (const Value& item : ToVector(v)) As<SetObject>(sp[-i.a])->Add(item);
        NEXT();
      }
      case Op::kDictUpdate: {
        Value v = POP();
        if (!As<DictObject>(v) && FindAttr(v, Intern("keys")).is_null()) {
          throw TypeError("'" + TypeName(v) + "' object is not a mapping");
        }
        UpdateDict(&static_cast<DictObject*>(sp[-i.a].object())->dict, v);
        NEXT();
      }
      case Op::kDictMerge: {
        Value v = POP();
        MergeKeywords(sp[-i.a - 2], &static_cast<DictObject*>(sp[-i.a].object())->dict, v);
        NEXT();
      }
      case Op::kListToTuple: {
        Value list = POP();
        PUSH(MakeTuple(std::move(static_cast<ListObject*>(list.object())->items)));
        NEXT();
      }
      case Op::kUnpack:
        Unpack(sp, static_cast<size_t>(i.a));
        sp += i.a - 1;
        NEXT();
      case Op::kUnpackStar:
        UnpackStar(sp, static_cast<size_t>(i.a), i.c);
        sp += i.a + i.c;
        NEXT();
      case Op::kCall: {
        Value* callee = sp - i.a - 1;
        if (Frame* next = EnterCall(callee, callee + 1, static_cast<size_t>(i.a))) {
          while (sp > callee) DROP();
          enter(next);
          NEXT();
        }
        Value r = CallSlow(*callee, {callee + 1, static_cast<size_t>(i.a)}, nullptr);
        while (sp > callee) DROP();
        PUSH(std::move(r));
        NEXT();
      }
      case Op::kCallMethod: {
        // Stack: [function, self, args…] or [null, callee, args…].
        Value* base = sp - i.a - 2;
        const bool method = !base->is_null();
        Value* callee = method ? base : base + 1;
        const auto count = static_cast<size_t>(i.a) + (method ? 1 : 0);
        if (method && &base->object()->type() == &NativeFunction::kMethodType) {
          interp_.CheckInterrupt();
          RecursionGuard guard;
          Value r = static_cast<NativeFunction*>(base->object())
                        ->Call(base[1], CallArgs{{base + 2, static_cast<size_t>(i.a)}});
          while (sp > base) DROP();
          PUSH(std::move(r));
          NEXT();
        }
        if (Frame* next = EnterCall(callee, callee + 1, count)) {
          while (sp > base) DROP();
          enter(next);
          NEXT();
        }
        Value r = CallSlow(*callee, {callee + 1, count}, nullptr);
        while (sp > base) DROP();
        PUSH(std::move(r));
        NEXT();
      }
      case Op::kCallKeywords: {
        Value* base = sp - i.c - (i.b ? 2 : 1);
        const bool method = i.b && !base->is_null();
        Value* callee = i.b && !method ? base + 1 : base;
        const auto* names =
            static_cast<TupleObject*>(f->code->constants[static_cast<size_t>(i.a)].object());
        const CallArgs args{{callee + 1, static_cast<size_t>(sp - callee - 1)}, names};
        auto* function = As<FunctionObject>(*callee);
        if (function && !function->code->is_generator) {
          Frame* next = Enter(function, args);
          while (sp > base) DROP();
          enter(next);
          NEXT();
        }
        Value r = CallSlow(*callee, args.args, names);
        while (sp > base) DROP();
        PUSH(std::move(r));
        NEXT();
      }
      case Op::kCallSpread: {
        Value dict = i.a ? POP() : Value(), list = POP(), callee = POP();
        PUSH(CallSpread(callee, list, dict));
        NEXT();
      }
      case Op::kMakeFunction: {
        Ref<Code> inner(static_cast<Code*>(f->code->constants[static_cast<size_t>(i.a)].object()));
        Value made = MakeFunction(inner, i.b, &sp);
        PUSH(std::move(made));
        NEXT();
      }
      case Op::kBuildClass: {
        Value keywords = i.a ? POP() : Value(), bases = POP(), function = POP();
        PUSH(BuildClass(function, bases, keywords));
        NEXT();
      }
      case Op::kReturn: {
        Value v = POP();
        if (!f->instance.is_null()) {
          if (!v.is_none())
            throw TypeError("__init__() should return None, not '" + TypeName(v) + "'");
          v = std::move(f->instance);
        }
        Frame* done = f;
        current_ = f->back;
        --depth_;
        if (done->generator) done->generator->frame = nullptr;
        const bool last = done == entry;
        DropFrame(done);
        if (last) return v;
        // The calling frame resumes after its call instruction.
        load();
        ++ip;
        PUSH(std::move(v));
        NEXT();
      }
      case Op::kYield: {
        Value v = POP();
        f->sp = sp;
        f->pc = static_cast<uint32_t>(ip - code);
        f->generator->handled = handled_;
        current_ = f->back;
        f->back = nullptr;
        --depth_;
        return v;
      }
      case Op::kYieldFrom: {
        // Stack: [iterator, sent].
        Value sent = POP(), out;
        if (!YieldFromStep(TOP(), std::move(sent), &out)) {
          TOP() = std::move(out);
          NEXT();
        }
        // Resumes at this same instruction, with the sent value on top of the stack.
        f->sp = sp;
        f->generator->handled = handled_;
        current_ = f->back;
        f->back = nullptr;
        --depth_;
        return out;
      }
      case Op::kRaise: {
        Value exc;
        bool fresh = true;
        if (i.a == 0) {
          exc = handled_;
          fresh = false;
          if (exc.is_null()) throw RuntimeError("No active exception to reraise");
        } else {
          Value cause = i.a == 2 ? POP() : Value(), raised = POP();
          exc = RaiseValue(raised, i.a == 2 ? &cause : nullptr);
        }
        if (!Unwind(entry, exc, fresh)) throw Unwound{exc};
        load();
        NEXT();
      }
      case Op::kRaiseAssert: {
        auto exc = New<ExceptionObject>(kAssertionError, i.a ? MakeTuple({POP()}) : MakeTuple());
        throw PyError(exc);
      }
      case Op::kWithEnter: {
        const TypeInfo& type = TypeOf(TOP());
        auto enter_slot = FindSlot(type, &TypeInfo::enter);
        if (!enter_slot || !FindSlot(type, &TypeInfo::exit)) {
          throw TypeError("'" + TypeName(TOP()) +
                          "' object does not support the context manager protocol" +
                          (enter_slot ? " (missed __exit__ method)" : ""));
        }
        PUSH(enter_slot(TOP()));
        NEXT();
      }
      case Op::kWithExit: {
        Value manager = POP();
        FindSlot(TypeOf(manager), &TypeInfo::exit)(manager, Value::None());
        NEXT();
      }
      case Op::kWithExcept: {
        const Value& manager = sp[-3];
        bool swallow = FindSlot(TypeOf(manager), &TypeInfo::exit)(manager, sp[-1]);
        PUSH(Value::Bool(swallow));
        NEXT();
      }
      case Op::kPushExc: {
        Value exc = TOP();
        TOP() = handled_;
        handled_ = exc;
        PUSH(std::move(exc));
        NEXT();
      }
      case Op::kMatchExc: {
        Value types = POP();
        PUSH(Value::Bool(Matches(TOP(), types)));
        NEXT();
      }
      case Op::kPopExc:
        DROP();
        handled_ = POP();
        NEXT();
      case Op::kReraise: {
        Value exc = POP();
        if (i.a) DROP();
        handled_ = POP();
        if (!Unwind(entry, exc, false)) throw Unwound{exc};
        load();
        NEXT();
      }
      case Op::kImport: {
        std::string_view name = f->code->names[static_cast<size_t>(i.a)]->view();
        PUSH(Import(*f, name, i.b != 0));
        NEXT();
      }
      case Op::kImportFrom:
        PUSH(ImportFrom(TOP(), f->code->names[static_cast<size_t>(i.a)]));
        NEXT();
      case Op::kImportStar:
        ImportStar(TOP());
        NEXT();
      case Op::kFormatValue: {
        Value spec = i.b ? POP() : Value();
        Value text = FormatPiece(TOP(), i.a, i.b ? &spec : nullptr);
        TOP() = std::move(text);
        NEXT();
      }
      case Op::kVerb:
        if (Value value = RunVerb(f, f->code->verbs[static_cast<size_t>(i.a)]); !value.is_null())
          PUSH(std::move(value));
        NEXT();
    }
  }
}

}  // namespace tensh::shell
