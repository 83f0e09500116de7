#include "shell/tensorflow/proto/message_class.h"

#include <algorithm>
#include <functional>
#include <utility>

#include "shell/python/values/class.h"
#include "shell/python/values/ops.h"
#include "shell/python/vm/library.h"
#include "shell/tensorflow/proto/message.h"
#include "shell/tensorflow/proto/scalar.h"

namespace tensh::shell::tf {
namespace {

constexpr const char* kLibrary = "protobuf_descriptor";

// "ListValue" for "AttrValue.ListValue"
std::string_view ShortName(const MessageSchema& schema) {
  const std::string_view name = schema.name;
  return name.substr(name.rfind('.') + 1);
}

// The arguments of FieldDescriptor after its owner.
Value DescribeField(const MessageField& field) {
  const bool has_class = field.message && *field.message->name != '\0';
  const bool is_enum = field.kind == FieldKind::kEnum;
  return MakeTuple(
      {MakeStr(field.name), Value::Int(field.number), Value::Int(static_cast<int>(field.kind)),
       Value::Bool(field.is_repeated() || field.is_map()), Value::Bool(field.is_oneof()),
       has_class ? MessageClass(*field.message) : Value::None(),
       is_enum ? MakeStr(EnumTypeName(field.values)) : Value::None(),
       field.is_map() ? MakeTuple({DescribeField(field.key()), DescribeField(field.value())})
                      : Value::None()});
}

Value MakeDescriptor(const MessageSchema& schema) {
  std::vector<Value> fields;
  for (const MessageField& field : schema.fields) fields.push_back(DescribeField(field));
  const Value oneof = schema.oneof ? MakeStr(schema.oneof) : Value::None();
  return Call(FromLibrary(kLibrary, Intern("Descriptor")),
              {MakeStr(ShortName(schema)), MakeStr(FullName(schema)), MakeList(std::move(fields)),
               oneof, MessageClass(schema)});
}

// An enumeration as an object: RewriterConfig.Toggle.
Value MakeEnum(MessageEnum values) {
  const Value numbers = MakeDict();
  for (const EnumConstant& constant : EnumConstants(values))
    As<DictObject>(numbers)->dict.Set(constant.name, Value::Int(constant.number));
  return Call(FromLibrary(kLibrary, Intern("EnumTypeWrapper")),
              {MakeStr(EnumTypeName(values)), numbers});
}

// An attribute of a class that is made by Python's library when it is first read.
class LazyAttribute final : public TrackedObject {
 public:
  static const TypeInfo kType;
  explicit LazyAttribute(std::function<Value()> make)
      : TrackedObject(kType), make_(std::move(make)) {}
  void DropRefs() override { made_ = Value(); }
  const Value& Get() {
    if (made_.is_null()) made_ = make_();
    return made_;
  }

 private:
  const std::function<Value()> make_;
  Value made_;
};

const TypeInfo LazyAttribute::kType = {
    .name = "LazyAttribute", .descr_get = [](const Value& self, const Value&, const Value&) {
      return static_cast<LazyAttribute*>(self.object())->Get();
    }};

Value NewMessage(Args& a) {
  if (!As<TupleObject>(a[0])->items.empty()) throw TypeError("No positional arguments allowed");
  const Value made = MakeMessage(*static_cast<const MessageSchema*>(a.row().data));
  InitMessage(made, a[1]);
  return made;
}

// Adds the classes that are defined inside `outer` and that `schema` uses.
void AddInnerClasses(const MessageSchema& outer, const MessageSchema& schema, Dict* names) {
  const std::string prefix = std::string(outer.name) + ".";
  for (const MessageField& field : schema.fields) {
    const MessageSchema* inner = field.message;
    if (inner && *inner->name == '\0') inner = field.value().message;
    if (!inner || !std::string_view(inner->name).starts_with(prefix)) continue;
    if (std::string_view(inner->name).find('.', prefix.size()) != std::string_view::npos) continue;
    const std::string_view name = ShortName(*inner);
    if (names->Find(name)) continue;
    names->Set(name, MessageClass(*inner));
    AddInnerClasses(outer, *inner, names);
  }
}

// The names of a class: the numbers of its fields, the constants of its enumeration, the classes
// that are defined inside it.
void AddClassNames(const MessageSchema& schema, Dict* names) {
  names->Set("DESCRIPTOR", New<LazyAttribute>([&schema] { return MakeDescriptor(schema); }));
  for (const MessageField& field : schema.fields) {
    std::string constant = std::string(field.name) + "_FIELD_NUMBER";
    for (char& c : constant) c = static_cast<char>(c >= 'a' && c <= 'z' ? c - 'a' + 'A' : c);
    names->Set(constant, Value::Int(field.number));
    if (const std::span<const EnumConstant> constants = EnumConstants(field.values);
        !constants.empty()) {
      for (const EnumConstant& each : constants) names->Set(each.name, Value::Int(each.number));
      names->Set(EnumTypeName(field.values),
                 New<LazyAttribute>([values = field.values] { return MakeEnum(values); }));
    }
  }
  AddInnerClasses(schema, schema, names);
}

// Types are never freed, like those of tables.
const TypeInfo& MakeType(const MessageSchema& schema) {
  const std::string_view outer =
      std::string_view(schema.name).substr(0, std::string_view(schema.name).rfind('.') + 1);
  std::string module = schema.module;
  if (!outer.empty()) module += "." + std::string(outer.substr(0, outer.size() - 1));
  auto* row = new FunctionRow{.name = ShortName(schema).data(),
                              .signature = "*args, **kwargs",
                              .fn = NewMessage,
                              .data = &schema};
  auto* type = new TypeInfo;
  type->name = row->name;
  type->base = &ProtoMessage::kType;
  type->module =
      Intern(module)->view().data();  // interned texts end with a zero and are never freed
  type->construct = row;
  return *type;
}

void InitMap(ProtoMap& map, const MessageSchema& schema, const MessageField& field,
             const Value& value) {
  if (!As<DictObject>(value) && !As<ProtoMap>(value)) {
    throw TypeError("Argument for field " + FullName(schema) + "." + field.name +
                    " is not iterable");
  }
  for (const Value& item : ToVector(CallMethod(value, "items", {}))) {
    const std::vector<Value> pair = ToVector(item);
    if (!field.value().is_message()) {
      map.Set(pair[0], pair[1]);
      continue;
    }
    const Value made = MessageFrom(*field.value().message, pair[1]);
    As<ProtoMessage>(map.GetOrMake(pair[0]))->CopyFrom(*As<ProtoMessage>(made));
  }
}

void InitList(ProtoList& list, const MessageField& field, const Value& value) {
  if (!FindSlot(TypeOf(value), &TypeInfo::iter) && !FindSlot(TypeOf(value), &TypeInfo::getitem))
    throw TypeError("must assign iterable");
  if (!field.is_message()) return list.Extend(value);
  for (const Value& item : ToVector(value))
    list.Insert(list.size(), MessageFrom(*field.message, item));
}

}  // namespace

const TypeInfo& MessageType(const MessageSchema& schema) {
  if (!schema.type) {
    schema.type = &MakeType(schema);
    AddClassNames(schema, &TypeObject(*schema.type).dict());
  }
  return *schema.type;
}

std::string FullName(const MessageSchema& schema) {
  return (std::string_view(schema.module).starts_with("google") ? "google.protobuf."
                                                                : "tensorflow.") +
         std::string(schema.name);
}

std::string MessageClassText(const MessageSchema& schema) { return Repr(MessageClass(schema)); }

Value MessageFrom(const MessageSchema& schema, const Value& value) {
  if (AsMessage(value, schema)) return value;
  if (!As<DictObject>(value)) {
    throw TypeError(
        "Parameter to initialize message field must be dict or instance of same class: expected " +
        MessageClassText(schema) + " got " + Repr(TypeValue(TypeOf(value))) + ".");
  }
  const RecursionGuard guard(" while a message is made from a dict");
  Value made = MakeMessage(schema);
  InitMessage(made, value);
  return made;
}

void InitMessage(const Value& message, const Value& fields) {
  ProtoMessage& made = *As<ProtoMessage>(message);
  const MessageSchema& schema = made.schema();
  const Dict& given = As<DictObject>(fields)->dict;
  for (size_t at = 0; const Dict::Entry* e = given.At(&at);) {
    const std::string name = ToText(e->key, "field name");
    const Value value = e->value;
    const size_t i = schema.Find(name);
    if (i == schema.fields.size())
      throw ValueError("Protocol message " + std::string(ShortName(schema)) + " has no \"" + name +
                       "\" field.");
    const MessageField& field = schema.fields[i];
    if (value.is_none()) continue;
    if (field.is_map()) {
      InitMap(*As<ProtoMap>(made.Get(i)), schema, field, value);
    } else if (field.is_repeated()) {
      InitList(*As<ProtoList>(made.Get(i)), field, value);
    } else if (field.is_message()) {
      const Value inner = MessageFrom(*field.message, value);
      As<ProtoMessage>(made.Get(i))->CopyFrom(*As<ProtoMessage>(inner));
    } else {
      made.Set(i, value);
    }
  }
}

PyError DecodeError(const MessageSchema& schema, std::string_view what) {
  const std::string text =
      "Error parsing message with type '" + FullName(schema) + "': " + std::string(what);
  return PyError(Call(FromLibrary("protobuf_message", Intern("DecodeError")), {MakeStr(text)}));
}

}  // namespace tensh::shell::tf
