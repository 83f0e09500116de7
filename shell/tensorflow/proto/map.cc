// Map fields.
#include "shell/python/values/error.h"
#include "shell/python/values/ops.h"
#include "shell/tensorflow/proto/message.h"
#include "shell/tensorflow/proto/scalar.h"

namespace tensh::shell::tf {
namespace {

ProtoMessage& MessageAt(const Value& v) { return *static_cast<ProtoMessage*>(v.object()); }

}  // namespace

ProtoMap::ProtoMap(const MessageField& field)
    : ProtoPart(field.value().is_message() ? kMessagesType : kType), field_(field) {}

ProtoMap::~ProtoMap() {
  for (size_t i = 0; const Dict::Entry* e = items_.At(&i);) ReleasePart(e->value);
}

Value ProtoMap::Key(const Value& key) const { return ConvertScalar(field_.key(), key); }

// Sets an entry. Does not count as a change.
void ProtoMap::Put(const Value& key, Value value) {
  if (const Value* held = items_.Find(key)) ReleasePart(*held);
  items_.Set(key, std::move(value));
}

void ProtoMap::PutEncoded(const Value& key, Encoded value) {
  Put(key, Value::Int(static_cast<int64_t>(unread_.size())));
  unread_.push_back(std::move(value));
}

void ProtoMap::AddEncoded(const Encoded& entry) {
  const MessageField &key_field = field_.key(), &value_field = field_.value();
  Value key = DefaultOf(key_field), value = DefaultOf(value_field);
  std::string_view message;
  WireReader in(entry.bytes);
  while (in.Next()) {
    if (in.field() == key_field.number && Fits(key_field, in)) key = ReadScalar(key_field, in);
    if (in.field() != value_field.number || !Fits(value_field, in)) continue;
    if (value_field.is_message())
      message = in.bytes();
    else
      value = ReadScalar(value_field, in);
  }
  if (value_field.is_message())
    PutEncoded(key, entry.Part(message));
  else
    Put(key, value);
}

Value ProtoMap::Find(const Value& key) {
  Value* held = items_.Find(Key(key));
  if (!held) return Value();
  if (!IsUnread(*held)) return *held;
  Ref<ProtoMessage> made = New<ProtoMessage>(*field_.value().message, Unread(*held));
  made->SetOwner(this, &field_);
  *held = made;
  return made;
}

Value ProtoMap::GetOrMake(const Value& key) {
  if (Value held = Find(key); !held.is_null()) return held;
  const Value own = Key(key);
  Change();
  if (!field_.value().is_message()) {
    Put(own, DefaultOf(field_.value()));
    return DefaultOf(field_.value());
  }
  Ref<ProtoMessage> made = New<ProtoMessage>(*field_.value().message);
  made->SetOwner(this, &field_);
  Put(own, made);
  return made;
}

void ProtoMap::Set(const Value& key, const Value& value) {
  if (field_.value().is_message()) throw ValueError("Message objects may not be assigned");
  const Value own = Key(key), converted = ConvertScalar(field_.value(), value);
  Change();
  Put(own, converted);
}

bool ProtoMap::Erase(const Value& key) {
  const Value own = Key(key);
  Change();
  Value old;
  if (!items_.Erase(own, &old)) return false;
  ReleasePart(old);
  return true;
}

void ProtoMap::Clear() {
  Change();
  for (size_t i = 0; const Dict::Entry* e = items_.At(&i);) ReleasePart(e->value);
  items_.Clear();
  unread_.clear();
}

Encoded ProtoMap::BytesOf(const Value& item) {
  return IsUnread(item) ? Unread(item) : MessageAt(item).Bytes();
}

// Sets the entries of another map. As in protocol buffers, the value of a key that exists is
// replaced, not merged.
void ProtoMap::Merge(ProtoMap& other) {
  Change();
  if (&other == this) return;
  for (size_t i = 0; const Dict::Entry* e = other.items_.At(&i);) {
    const Value* held = items_.Find(e->key);
    if (!field_.value().is_message()) {
      Put(e->key, e->value);
    } else if (held && held->is_object()) {
      const Encoded bytes = other.BytesOf(e->value);
      MessageAt(*held).Clear();
      MessageAt(*held).Merge(bytes);
    } else {
      PutEncoded(e->key, other.BytesOf(e->value));
    }
  }
}

std::vector<Value> ProtoMap::Keys() const {
  std::vector<Value> keys;
  for (size_t i = 0; const Dict::Entry* e = items_.At(&i);) keys.push_back(e->key);
  return keys;
}

void ProtoMap::Write(ReverseWriter* out) {
  std::vector<const Dict::Entry*> entries;
  for (size_t i = 0; const Dict::Entry* e = items_.At(&i);) entries.push_back(e);
  for (size_t i = entries.size(); i-- > 0;) {
    const Value &key = entries[i]->key, &value = entries[i]->value;
    const size_t end = out->size();
    if (!field_.value().is_message()) {
      WriteScalar(field_.value(), value, out);
    } else {
      if (IsUnread(value))
        out->Raw(Unread(value).bytes);
      else
        MessageAt(value).Write(out);
      out->Head(field_.value().number, out->size() - end);
    }
    WriteScalar(field_.key(), key, out);
    out->Head(field_.number, out->size() - end);
  }
}

bool ProtoMap::Equals(ProtoMap& other) {
  if (this == &other) return true;
  if (size() != other.size() || field_.message != other.field_.message) return false;
  for (const Value& key : Keys()) {
    const Value a = Find(key), b = other.Find(key);
    if (a.is_null() || b.is_null()) return false;
    const bool equal =
        field_.value().is_message() ? MessageAt(a).Equals(MessageAt(b)) : Equal(a, b);
    if (!equal) return false;
  }
  return true;
}

}  // namespace tensh::shell::tf
