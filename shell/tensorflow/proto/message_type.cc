// The attributes and methods of messages.
#include "shell/python/values/error.h"
#include "shell/python/values/ops.h"
#include "shell/tensorflow/io/message_text.h"
#include "shell/tensorflow/proto/message.h"
#include "shell/tensorflow/proto/message_class.h"
#include "shell/tensorflow/proto/scalar.h"

namespace tensh::shell::tf {
namespace {

ProtoMessage& Self(const Value& v) { return *static_cast<ProtoMessage*>(v.object()); }
ProtoMessage& Self(Args& a) { return Self(a.self()); }

std::string ClassName(const ProtoMessage& message) { return message.type().name; }

// ---- fields as attributes ----

Value GetField(const Value& v, StrObject* name) {
  const size_t i = Self(v).schema().Find(name->view());
  return i < Self(v).schema().fields.size() ? Self(v).Get(i) : Value();
}

bool SetField(const Value& v, StrObject* name, const Value& value) {
  const MessageSchema& schema = Self(v).schema();
  const size_t i = schema.Find(name->view());
  if (i == schema.fields.size()) {
    throw AttributeError("Protocol message " + ClassName(Self(v)) + " has no \"" + name->text() +
                         "\" field.");
  }
  if (value.is_null()) throw AttributeError("Cannot delete field attribute");
  const MessageField& field = schema.fields[i];
  if (!field.is_single() || field.is_message()) {
    throw AttributeError(std::string("Assignment not allowed to ") +
                         (field.is_single() ? "message field" : "map, or repeated field") + " \"" +
                         field.name + "\" in protocol message object.");
  }
  Self(v).Set(i, value);
  return true;
}

void ListNames(const Value& v, std::vector<std::string>* names) {
  for (const MessageField& field : Self(v).schema().fields) names->emplace_back(field.name);
}

std::string TextOfMessage(const Value& v) {
  return MessageText(Self(v).schema(), Self(v).Bytes().bytes, TextStyle::kStr);
}

Value CompareMessages(CompareOp op, const Value& a, const Value& b) {
  auto* other = As<ProtoMessage>(b);
  if (!other || (op != CompareOp::kEq && op != CompareOp::kNe)) return Value::NotImplemented();
  return Value::Bool(Self(a).Equals(*other) == (op == CompareOp::kEq));
}

// ---- methods ----

std::string FieldName(const Value& name) {
  if (!IsStr(name))
    throw ValueError("Expected a field name, but got non-string argument " + Repr(name) + ".");
  return std::string(StrView(name));
}

bool IsOneof(const MessageSchema& schema, const std::string& name) {
  return schema.oneof && name == schema.oneof;
}

size_t FieldNamed(const ProtoMessage& message, const std::string& name) {
  const size_t i = message.schema().Find(name);
  if (i < message.schema().fields.size()) return i;
  throw ValueError("Protocol message " + ClassName(message) + " has no \"" + name + "\" field.");
}

// Returns the index of the member of the oneof that is set, or the number of fields.
size_t WhichIsSet(ProtoMessage& message) {
  const auto fields = message.schema().fields;
  size_t i = 0;
  while (i < fields.size() && !(fields[i].is_oneof() && message.Has(i))) ++i;
  return i;
}

Value HasField(Args& a) {
  const std::string name = FieldName(a[0]);
  const MessageSchema& schema = Self(a).schema();
  if (IsOneof(schema, name)) return Value::Bool(WhichIsSet(Self(a)) < schema.fields.size());
  const size_t i = FieldNamed(Self(a), name);
  const MessageField& field = schema.fields[i];
  const bool has_presence = field.is_oneof() || (field.is_single() && field.is_message());
  if (!has_presence)
    throw ValueError("Field " + FullName(schema) + "." + name + " does not have presence.");
  return Value::Bool(Self(a).Has(i));
}

Value ClearField(Args& a) {
  const std::string name = FieldName(a[0]);
  if (!IsOneof(Self(a).schema(), name)) {
    Self(a).Clear(FieldNamed(Self(a), name));
  } else if (const size_t i = WhichIsSet(Self(a)); i < Self(a).schema().fields.size()) {
    Self(a).Clear(i);
  }
  return Value::None();
}

Value WhichOneof(Args& a) {
  const std::string name = FieldName(a[0]);
  if (!IsOneof(Self(a).schema(), name)) {
    throw ValueError("Protocol message " + ClassName(Self(a)) + " has no \"" + name + "\" field.");
  }
  const size_t i = WhichIsSet(Self(a));
  const auto fields = Self(a).schema().fields;
  return i < fields.size() ? MakeStr(fields[i].name) : Value::None();
}

Value ListFields(Args& a) {
  const Value descriptor = GetAttr(a.self(), "DESCRIPTOR");
  const std::vector<Value> described = ToVector(GetAttr(descriptor, "fields"));
  std::vector<Value> out;
  for (size_t i = 0; i < described.size(); ++i)
    if (Self(a).Has(i)) out.push_back(MakeTuple({described[i], Self(a).Get(i)}));
  return MakeList(std::move(out));
}

ProtoMessage& SameClass(Args& a, const char* method) {
  auto* other = AsMessage(a[0], Self(a).schema());
  if (other) return *other;
  throw TypeError(
      std::string("Parameter to ") + method + "() must be instance of same class: expected " +
      MessageClassText(Self(a).schema()) + " got " + Repr(TypeValue(TypeOf(a[0]))) + ".");
}

Value CopyFrom(Args& a) {
  Self(a).CopyFrom(SameClass(a, "CopyFrom"));
  return Value::None();
}

Value MergeFrom(Args& a) {
  const Encoded more = SameClass(a, "MergeFrom").Bytes();
  Self(a).Merge(more);
  return Value::None();
}

Value BytesValue(const Encoded& encoded) {
  const bool is_whole = encoded.buffer && encoded.bytes.size() == encoded.buffer->data.size();
  return is_whole ? Value(encoded.buffer) : MakeBytes(std::string(encoded.bytes));
}

Encoded Checked(const MessageSchema& schema, const Value& serialized) {
  auto* bytes = As<BytesObject>(serialized);
  if (!bytes) throw TypeError("expected bytes, " + TypeName(serialized) + " found");
  if (const std::string why = WhyInvalid(schema, bytes->data); !why.empty())
    throw DecodeError(schema, why);
  return Encoded(Ref<BytesObject>(bytes));
}

Value ParseFromString(Args& a) {
  if (As<BytesObject>(a[0])) Self(a).Clear();  // Bytes that are no message leave it empty.
  const Encoded encoded = Checked(Self(a).schema(), a[0]);
  Self(a).Merge(encoded);
  return Value::Int(static_cast<int64_t>(encoded.bytes.size()));
}

Value MergeFromString(Args& a) {
  const Encoded encoded = Checked(Self(a).schema(), a[0]);
  Self(a).Merge(encoded);
  return Value::Int(static_cast<int64_t>(encoded.bytes.size()));
}

Value FromString(Args& a) {
  const auto* cls = As<Type>(a.self());
  if (!cls || !cls->info().construct) throw TypeError("FromString is called on a class");
  const auto& schema = *static_cast<const MessageSchema*>(cls->info().construct->data);
  return New<ProtoMessage>(schema, Checked(schema, a[0]));
}

// text, allow_unknown: for google.protobuf.text_format
Value MergeText(Args& a) {
  const MessageSchema& schema = Self(a).schema();
  const auto unknown = Truth(a[1]) ? UnknownFields::kSkip : UnknownFields::kRefuse;
  Self(a).Merge(Encoded(ParseMessageText(schema, ToText(a[0], "text"), unknown)));
  return Value::None();
}

Value ToTextForm(Args& a) {
  const auto style = Truth(a[0]) ? TextStyle::kUtf8 : TextStyle::kAscii;
  return MakeStr(MessageText(Self(a).schema(), Self(a).Bytes().bytes, style));
}

// The state that pickle stores.
Value GetState(Args& a) { return MakeDict({{"serialized", BytesValue(Self(a).Bytes())}}); }

Value SetState(Args& a) {
  const Encoded encoded = Checked(Self(a).schema(), GetItem(a[0], MakeStr("serialized")));
  Self(a).Clear();
  Self(a).Merge(encoded);
  return Value::None();
}

Value Copy(Args& a) { return New<ProtoMessage>(Self(a).schema(), Self(a).Bytes()); }
Value Clear(Args& a) { return Self(a).Clear(), Value::None(); }
Value SetInParent(Args& a) { return Self(a).Change(), Value::None(); }
Value Serialize(Args& a) { return BytesValue(Self(a).Bytes()); }

const FunctionRow kMessageMethods[] = {
    {"ByteSize", "/",
     [](Args& a) { return Value::Int(static_cast<int64_t>(Self(a).Bytes().bytes.size())); },
     "Returns the length of the encoded message."},
    {"Clear", "/", Clear, "Clears all fields."},
    {"ClearField", "field_name, /", ClearField, "Clears a field."},
    {"CopyFrom", "other_msg, /", CopyFrom, "Makes this message a copy of another."},
    {"DiscardUnknownFields", "/", [](Args& a) { return Self(a).DiscardUnknown(), Value::None(); },
     "Removes the fields that the class does not know."},
    {"HasField", "field_name, /", HasField, "Returns true if a field is set."},
    {"IsInitialized", "errors=None, /", [](Args&) { return Value::Bool(true); },
     "Returns true: no field is required."},
    {"ListFields", "/", ListFields, "Returns the fields that are set, as (descriptor, value)."},
    {"MergeFrom", "other_msg, /", MergeFrom, "Adds the fields of another message."},
    {"MergeFromString", "serialized, /", MergeFromString, "Adds the fields of encoded bytes."},
    {"ParseFromString", "serialized, /", ParseFromString, "Parses the message from bytes."},
    {"SerializePartialToString", "deterministic=False", Serialize, "Returns the encoded bytes."},
    {"SerializeToString", "deterministic=False", Serialize, "Returns the encoded bytes."},
    {"SetInParent", "/", SetInParent, "Marks the message as set in the one that contains it."},
    {"WhichOneof", "oneof_name, /", WhichOneof, "Returns the name of the member that is set."},
    {"__copy__", "/", Copy, "Returns a copy."},
    {"__deepcopy__", "memo=None, /", Copy, "Returns a copy."},
    {"__getstate__", "/", GetState, "Returns what pickle stores."},
    {"__setstate__", "state, /", SetState, "Makes this the message that pickle has stored."},
    {"_merge_text", "text, allow_unknown=False", MergeText, "Adds the fields of a text."},
    {"_text", "utf8, /", ToTextForm, "Returns the message in the text form of files."},
};
const FunctionRow kMessageStatics[] = {
    {"FromString", "serialized, /", FromString, "Returns the message of encoded bytes."}};

}  // namespace

const TypeInfo ProtoMessage::kType = {.name = "Message",
                                      .module = "google.protobuf.message",
                                      .doc = "A message of protocol buffers.",
                                      .methods = kMessageMethods,
                                      .statics = kMessageStatics,
                                      .repr = TextOfMessage,
                                      .unhashable = true,
                                      .compare = CompareMessages,
                                      .getattr = GetField,
                                      .setattr = SetField,
                                      .dir = ListNames};

}  // namespace tensh::shell::tf
