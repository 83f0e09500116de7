#include "shell/python_bridge/host/host.h"

#include <cstring>
#include <memory>

#include "shell/numpy/convert.h"
#include "shell/numpy/dtype_value.h"
#include "shell/numpy/types.h"
#include "shell/python/values/bigint.h"
#include "shell/python/vm/function.h"
#include "shell/python/vm/threads.h"
#include "tensh/tensh_plugin.h"

namespace tensh::shell::bridge {
namespace {

Kind KindOf(const Value& v) {
  static const struct {
    const TypeInfo* type;
    Kind kind;
  } kinds[] = {{&StrObject::kType, Kind::kStr},         {&TupleObject::kType, Kind::kTuple},
               {&ListObject::kType, Kind::kList},       {&DictObject::kType, Kind::kDict},
               {&NdArray::kType, Kind::kArray},         {&BytesObject::kType, Kind::kBytes},
               {&SetObject::kType, Kind::kSet},         {&SetObject::kFrozenType, Kind::kFrozenSet},
               {&SliceObject::kType, Kind::kSlice},     {&RangeObject::kType, Kind::kRange},
               {&ComplexObject::kType, Kind::kComplex}, {&DTypeObject::kType, Kind::kDType},
               {&ModuleObject::kType, Kind::kModule}};
  const TypeInfo& type = TypeOf(v);
  for (const auto& row : kinds)
    if (&type == row.type) return row.kind;
  if (IsBigInt(v)) return Kind::kBigInt;
  if (AsScalar(v)) return Kind::kScalar;
  if (DerivesFrom(type, ExceptionObject::kType)) return Kind::kException;
  return As<Type>(v) ? Kind::kClass : Kind::kOther;
}

Value SetOf(const std::vector<Value>& items, bool frozen) {
  auto set = New<SetObject>(frozen ? SetObject::kFrozenType : SetObject::kType);
  for (const Value& item : items) set->Add(item);
  return set;
}

Value DictOf(const std::vector<Value>& keys, const std::vector<Value>& values) {
  auto dict = New<DictObject>();
  for (size_t i = 0; i < keys.size(); ++i) dict->dict.Set(keys[i], values[i]);
  return dict;
}

std::vector<Value> DictItems(const Value& v) {
  std::vector<Value> items;
  for (size_t i = 0; const Dict::Entry* e = As<DictObject>(v)->dict.At(&i);) {
    items.push_back(e->key);
    items.push_back(e->value);
  }
  return items;
}

Value SliceOf(const Value& start, const Value& stop, const Value& step) {
  return New<SliceObject>(start, stop, step);
}

Value MethodOf(const Value& function, const Value& self) {
  return New<BoundMethod>(function, self);
}

std::vector<std::string> DirOf(const Value& v) {
  std::vector<std::string> names;
  for (const Value& name : ToVector(Call(Interp::Current().FindBuiltin(Intern("dir")), {v})))
    names.push_back(Str(name));
  return names;
}

Value Enter(const Value& v) { return CallMethod(v, "__enter__", {}); }
void DeleteAttr(const Value& v, StrObject* name) { DelAttr(v, name); }
Value OwnAttr(const Value& v, StrObject* name) {
  Dict* attrs = v.is_object() ? v.object()->attrs() : nullptr;
  const Value* found = attrs ? attrs->Find(name) : nullptr;
  return found ? *found : Value();
}

Value Attr(const Value& v, StrObject* name) { return GetAttr(v, name); }
void SetAttribute(const Value& v, StrObject* name, const Value& value) { SetAttr(v, name, value); }
Value CallValue(const Value& f, const CallArgs& args) { return Call(f, args); }
Value Builtin(std::string_view name) { return Interp::Current().FindBuiltin(Intern(name)); }
Value ImportModule(std::string_view name) { return Interp::Current().Import(name); }

Value Allocate(const Value& cls) {
  const TypeInfo& info = static_cast<Type*>(cls.object())->info();
  if (auto make = FindSlot(info, &TypeInfo::subclass_new)) return make(info, CallArgs{});
  return New<Instance>(info);
}

Value Lookup(const Value& cls, StrObject* name) {
  return static_cast<Type*>(cls.object())->Lookup(name);
}

Value ExceptionOf(const Value& cls, const Value& args) {
  return New<ExceptionObject>(static_cast<Type*>(cls.object())->info(), args);
}

__attribute__((noreturn)) void Raise(const Value& exception) { throw PyError(exception); }

// ---- arrays ----

const char* CodeOf(int dtype) {
  return np::HasBytes(dtype) && np::FindType(dtype) ? np::FindType(dtype)->code : nullptr;
}

bool MemoryOf(const Value& v, ArrayMemory* memory, Value* keeper) {
  const np::Array& a = static_cast<NdArray*>(v.object())->array;
  memory->code = CodeOf(a.dtype);
  if (memory->code == nullptr || !a.buffer) return false;
  a.buffer->Pin();
  memory->data = a.WritableData();
  memory->dims.assign(a.dims().begin(), a.dims().end());
  memory->strides.assign(a.strides().begin(), a.strides().end());
  *keeper = MakeArray(a);
  return true;
}

int DTypeOfCode(std::string_view code) {
  std::string name(code);
  if (!name.empty() && (name[0] == '=' || name[0] == '|')) name[0] = '<';
  int dtype = np::TypeByName(name);
  if (dtype == 0 && name.size() == 3) dtype = np::TypeByName(name.substr(1));
  if (dtype == 0) dtype = np::TypeByName("|" + name.substr(name.empty() ? 0 : 1));
  return CodeOf(dtype) ? dtype : 0;
}

// Returns a view of the memory, or an array without a buffer if it must be copied.
np::Array Borrow(const ArrayMemory& memory, int dtype, void (*release)(void*), void* context) {
  np::Array a;
  const int64_t size = np::ItemSize(dtype);
  int64_t first = 0, last = 0;  // in bytes from the element 0
  a.dtype = dtype;
  a.rank = static_cast<int>(memory.dims.size());
  for (size_t i = 0; i < memory.dims.size(); ++i) {
    if (memory.dims[i] == 0 || memory.strides[i] % size != 0) return {};
    a.extents[i] = memory.dims[i];
    a.steps[i] = memory.strides[i];
    const int64_t reach = (memory.dims[i] - 1) * memory.strides[i];
    (reach < 0 ? first : last) += reach;
  }
  const int64_t count = (last - first) / size + 1;
  tsh_tensor* tensor = tsh_tensor_borrow(dtype, &count, 1, static_cast<char*>(memory.data) + first,
                                         release, context, nullptr);
  if (tensor == nullptr) return {};
  a.offset = -first;
  a.buffer = Ref<np::Buffer>(new np::Buffer(TensorHandle::Adopt(tensor), true));
  return a;
}

Value ArrayFrom(const ArrayMemory& memory, void (*release)(void*), void* context, bool* copied) {
  const int dtype = DTypeOfCode(memory.code);
  if (dtype == 0 || memory.dims.size() > np::kMaxRank) return Value();
  if (release != nullptr)
    if (np::Array shared = Borrow(memory, dtype, release, context); shared.buffer)
      return MakeArray(std::move(shared));
  *copied = true;
  const np::Array a = np::Empty(dtype, memory.dims);
  if (a.size() == 0) return MakeArray(a);
  np::Array from = a;
  for (size_t i = 0; i < memory.dims.size(); ++i) from.steps[i] = memory.strides[i];
  char* to = a.buffer->data();
  const auto* source = static_cast<const char*>(memory.data);
  const auto size = static_cast<size_t>(np::ItemSize(dtype));
  np::ForEachOffset(from, [&](int64_t at) {
    std::memcpy(to, source + at, size);
    to += size;
  });
  return MakeArray(a);
}

Value ObjectArray(std::vector<Value> items, const std::vector<int64_t>& dims) {
  if (dims.size() > np::kMaxRank) return Value();
  const np::Array a = np::Empty(kDTypeObject, dims);
  a.objects->items = std::move(items);
  return MakeArray(a);
}

Value ScalarFrom(std::string_view code, const void* element) {
  const int dtype = DTypeOfCode(code);
  return dtype == 0 ? Value() : MakeScalar(dtype, element);
}

Value ArrayOf(const Value& nested) { return MakeArray(ToArray(nested)); }
Value ListOf(const Value& array) { return CallMethod(array, "tolist", {}); }

Value DTypeFrom(std::string_view code) {
  const int dtype = code == "|O" ? kDTypeObject : DTypeOfCode(code);
  return dtype == 0 ? Value() : DTypeValue(dtype);
}

std::string DTypeCode(const Value& dtype) { return Str(GetAttr(dtype, "str")); }

const char* ScalarClass(const Value& cls) {
  const TypeInfo& info = static_cast<Type*>(cls.object())->info();
  return &info != &NpScalar::kType && DerivesFrom(info, NpScalar::kType) ? info.name : nullptr;
}

// ---- the lock ----

void* Release() { return new threads::Unlocked; }
void TakeBack(void* unlocked) { delete static_cast<threads::Unlocked*>(unlocked); }
void* TakeWithin(std::chrono::milliseconds patience) {
  auto guest = std::make_unique<threads::Guest>(patience);
  return guest->taken() ? guest.release() : nullptr;
}
void* Take() { return TakeWithin(std::chrono::milliseconds::max()); }
void GiveBack(void* guest) { delete static_cast<threads::Guest*>(guest); }

void FillValues(Host* h) {
  h->dispose = heap::Dispose;
  h->type_of = TypeOf;
  h->derives_from = DerivesFrom;
  h->kind = KindOf;
  h->exception_type = &ExceptionObject::kType;
  h->object_type = &kObjectType;
  h->function_type = &FunctionObject::kType;
  h->native_function_type = &NativeFunction::kType;
  h->intern = Intern;
  h->make_str = [](std::string text) { return MakeStr(std::move(text)); };
  h->make_bytes = MakeBytes;
  h->make_complex = MakeComplex;
  h->make_list = MakeList;
  h->make_tuple = MakeTuple;
  h->make_set = SetOf;
  h->make_dict = DictOf;
  h->make_slice = SliceOf;
  h->int_from_text = IntFromText;
  h->int_to_text = IntToText;
  h->to_vector = ToVector;
  h->dict_items = DictItems;
  h->bound_method = MethodOf;
  h->builtin = Builtin;
  h->import = ImportModule;
  h->type_value = TypeValue;
  h->allocate = Allocate;
  h->lookup = Lookup;
  h->make_exception = ExceptionOf;
  h->raise = Raise;
  h->write = [](std::string_view text) { Interp::Current().Print(text); };
  h->flush = [] { Interp::Current().Flush(); };
  h->release = Release;
  h->take_back = TakeBack;
  h->take = Take;
  h->take_within = TakeWithin;
  h->give_back = GiveBack;
  h->find_islands = heap::FindIslands;
  h->collect_soon = [] { heap::collection_due = true; };
}

void FillOperations(Host* h) {
  h->find_attr = FindAttr;
  h->own_attr = OwnAttr;
  h->get_attr = Attr;
  h->set_attr = SetAttribute;
  h->del_attr = DeleteAttr;
  h->call = CallValue;
  h->get_item = GetItem;
  h->set_item = SetItem;
  h->del_item = DelItem;
  h->contains = Contains;
  h->iter = Iter;
  h->next = Next;
  h->len = Len;
  h->truth = Truth;
  h->hash = Hash;
  h->repr = Repr;
  h->str = Str;
  h->compare = Compare;
  h->binary = TryBinary;
  h->inplace = Inplace;
  h->unary = Unary;
  h->to_double = ToDouble;
  h->to_index = ToIndex;
  h->is_callable = IsCallable;
  h->is_instance = IsInstance;
  h->is_subclass = IsSubclass;
  h->enter = Enter;
  h->dir = DirOf;
  h->array_memory = MemoryOf;
  h->array_from = ArrayFrom;
  h->object_array = ObjectArray;
  h->scalar_from = ScalarFrom;
  h->array_of = ArrayOf;
  h->array_list = ListOf;
  h->dtype_from = DTypeFrom;
  h->dtype_code = DTypeCode;
  h->scalar_class = ScalarClass;
}

}  // namespace

const Host& TheHost() {
  static const Host* const host = [] {
    auto* h = new Host{};
    h->size = sizeof(Host);
    h->version = TENSH_VERSION;
    h->hooks = &foreign_hooks;
    h->interp = &Interp::Current();
    FillValues(h);
    FillOperations(h);
    threads::Expect();
    return h;
  }();
  return *host;
}

}  // namespace tensh::shell::bridge
