#include "shell/tensorflow/proto/message.h"

#include "shell/python/values/error.h"
#include "shell/python/values/ops.h"
#include "shell/tensorflow/proto/message_class.h"
#include "shell/tensorflow/proto/scalar.h"

namespace tensh::shell::tf {
namespace {

ProtoMessage& MessageIn(const Value& v) { return *static_cast<ProtoMessage*>(v.object()); }
ProtoList& ListIn(const Value& v) { return *static_cast<ProtoList*>(v.object()); }
ProtoMap& MapIn(const Value& v) { return *static_cast<ProtoMap*>(v.object()); }

bool IsPart(const MessageField& field) { return field.is_message() || !field.is_single(); }

void KeepUnknown(const WireReader& in, std::string* unknown) {
  WireWriter out;
  if (in.type() == 0) out.AlwaysInt(in.field(), in.integer());
  if (in.type() == 1) out.AlwaysDouble(in.field(), in.as_double());
  if (in.type() == 2) out.AlwaysBytes(in.field(), in.bytes());
  if (in.type() == 5) out.Fixed32(in.field(), in.fixed32());
  *unknown += out.text();
}

}  // namespace

void ReleasePart(const Value& v) {
  auto* part = v.is_object() ? dynamic_cast<ProtoPart*>(v.object()) : nullptr;
  if (part) part->SetOwner(nullptr, nullptr);
}

void ProtoPart::Change() {
  ProtoPart* part = this;
  while (part && part->NoteChange()) part = part->owner_;
}

ProtoMessage::ProtoMessage(const MessageSchema& schema, bool present)
    : ProtoPart(MessageType(schema)), schema_(schema), present_(present) {}

ProtoMessage::ProtoMessage(const MessageSchema& schema, Encoded encoded)
    : ProtoPart(MessageType(schema)),
      schema_(schema),
      encoded_(std::move(encoded)),
      present_(true) {}

ProtoMessage::~ProtoMessage() {
  if (!opened_) return;
  for (const Value& part : opened_->slots) ReleasePart(part);
}

bool ProtoMessage::NoteChange() {
  if (present_ && !clean_) return false;
  Open();
  clean_ = false;
  encoded_ = Encoded();
  BecomePresent();
  return true;
}

void ProtoMessage::BecomePresent() {
  if (present_) return;
  present_ = true;
  // Only a field of a message can be not present, so the owner is a message.
  if (owner_) static_cast<ProtoMessage*>(owner_)->ClearOthers(*place_);
}

// Clears the other members of the oneof. A member that is not present stays, because it becomes the
// one that is set if a program that holds it changes it.
void ProtoMessage::ClearOthers(const MessageField& set) {
  if (!set.is_oneof()) return;
  for (size_t i = 0; i < schema_.fields.size(); ++i) {
    const MessageField& field = schema_.fields[i];
    if (&field == &set || !field.is_oneof() || Slot(i).is_null()) continue;
    if (field.is_message() && !MessageIn(Slot(i)).present_) continue;
    ReleasePart(Slot(i));
    Slot(i) = Value();
  }
}

void ProtoMessage::Open() {
  if (opened_) return;
  opened_ = std::make_unique<Opened>();
  opened_->slots.resize(schema_.fields.size());
  Read(encoded_);
}

// Adds encoded fields to the slots.
void ProtoMessage::Read(const Encoded& more) {
  WireReader in(more.bytes);
  while (in.Next()) {
    const size_t i = schema_.Find(in.field());
    const bool known = i < schema_.fields.size();
    const bool packed =
        known && schema_.fields[i].is_repeated() && in.is_bytes() && !Fits(schema_.fields[i], in);
    if (!known || (!packed && !Fits(schema_.fields[i], in))) {
      KeepUnknown(in, &opened_->unknown);
      continue;
    }
    const MessageField& field = schema_.fields[i];
    if (field.is_map()) {
      MapIn(Part(i)).AddEncoded(more.Part(in.bytes()));
    } else if (packed) {
      ListIn(Part(i)).AddPacked(in.bytes());
    } else if (field.is_repeated() && field.is_message()) {
      ListIn(Part(i)).AddEncoded(more.Part(in.bytes()));
    } else if (field.is_repeated()) {
      ListIn(Part(i)).AddScalar(ReadScalar(field, in));
    } else if (field.is_message()) {
      ReadMessage(i, more.Part(in.bytes()));
    } else {
      Value value = ReadScalar(field, in);
      ClearOthers(field);
      Slot(i) = field.is_oneof() || !IsDefault(value) ? std::move(value) : Value();
    }
  }
}

void ProtoMessage::ReadMessage(size_t i, const Encoded& inner) {
  ClearOthers(schema_.fields[i]);
  Value& slot = Slot(i);
  if (slot.is_null()) {
    Ref<ProtoMessage> made = New<ProtoMessage>(*schema_.fields[i].message, inner);
    made->SetOwner(this, &schema_.fields[i]);
    slot = made;
    return;
  }
  ProtoMessage& held = MessageIn(slot);
  held.present_ = true;
  if (held.opened_) {
    // Only Merge reads into opened messages, and it has marked this message as changed.
    held.clean_ = false;
    held.encoded_ = Encoded();
    held.Read(inner);
  } else {
    held.encoded_ = Encoded(std::string(held.encoded_.bytes) + std::string(inner.bytes));
  }
}

// Returns a message, list or map, which is made if it does not exist.
Value ProtoMessage::Part(size_t i) {
  Value& slot = Slot(i);
  if (!slot.is_null()) return slot;
  const MessageField& field = schema_.fields[i];
  if (field.is_map())
    slot = New<ProtoMap>(field);
  else if (field.is_repeated())
    slot = New<ProtoList>(field);
  else
    slot = New<ProtoMessage>(*field.message, false);
  static_cast<ProtoPart*>(slot.object())->SetOwner(this, &field);
  return slot;
}

// Returns a scalar of a message that is not open; null if it is not set.
Value ProtoMessage::Peek(size_t i) const {
  const MessageField& field = schema_.fields[i];
  Value found;
  WireReader in(encoded_.bytes);
  while (in.Next()) {
    if (in.field() == field.number) {
      if (Fits(field, in)) found = ReadScalar(field, in);
    } else if (field.is_oneof() && !found.is_null()) {
      const size_t other = schema_.Find(in.field());
      if (other < schema_.fields.size() && schema_.fields[other].is_oneof()) found = Value();
    }
  }
  return found;
}

Value ProtoMessage::Get(size_t i) {
  const MessageField& field = schema_.fields[i];
  if (IsPart(field)) {
    Open();
    return Part(i);
  }
  const Value value = opened_ ? Slot(i) : Peek(i);
  return value.is_null() ? DefaultOf(field) : value;
}

bool ProtoMessage::Has(size_t i) {
  const MessageField& field = schema_.fields[i];
  if (!IsPart(field)) {
    const Value value = opened_ ? Slot(i) : Peek(i);
    return !value.is_null() && (field.is_oneof() || !IsDefault(value));
  }
  Open();
  const Value& slot = Slot(i);
  if (slot.is_null()) return false;
  if (field.is_map()) return MapIn(slot).size() > 0;
  return field.is_repeated() ? ListIn(slot).size() > 0 : MessageIn(slot).present_;
}

void ProtoMessage::Set(size_t i, const Value& value) {
  const MessageField& field = schema_.fields[i];
  Value converted = ConvertScalar(field, value);
  Change();
  ClearOthers(field);
  Slot(i) = field.is_oneof() || !IsDefault(converted) ? std::move(converted) : Value();
}

void ProtoMessage::Clear(size_t i) {
  Change();
  ReleasePart(Slot(i));
  Slot(i) = Value();
}

void ProtoMessage::Clear() {
  Change();
  for (const Value& part : opened_->slots) ReleasePart(part);
  opened_.reset();
  clean_ = true;
}

// Clears the fields that are set. A part that is not set stays, so that a program that holds it
// sees what the message is set to next.
void ProtoMessage::ClearSet() {
  Change();
  bool is_empty = true;
  for (size_t i = 0; i < schema_.fields.size(); ++i) {
    const bool stays = !Slot(i).is_null() && IsPart(schema_.fields[i]) && !Has(i);
    is_empty = is_empty && !stays;
    if (stays) continue;
    ReleasePart(Slot(i));
    Slot(i) = Value();
  }
  opened_->unknown.clear();
  if (!is_empty) return;
  opened_.reset();
  clean_ = true;
}

void ProtoMessage::Merge(const Encoded& more) {
  const bool is_empty = clean_ && !opened_ && encoded_.bytes.empty();
  if (!is_empty) {
    Change();
    Read(more);
    return;
  }
  // An empty message becomes a clean one; those around it change.
  if (owner_) owner_->Change();
  BecomePresent();
  encoded_ = more;
}

void ProtoMessage::CopyFrom(ProtoMessage& other) {
  if (&other == this) return;
  const Encoded bytes = other.Bytes();
  ClearSet();
  Merge(bytes);
}

void ProtoMessage::DiscardUnknown() {
  Change();
  opened_->unknown.clear();
}

void ProtoMessage::WriteField(const MessageField& field, const Value& value, ReverseWriter* out) {
  if (field.is_map()) return MapIn(value).Write(out);
  if (field.is_repeated()) return ListIn(value).Write(out);
  if (!field.is_message()) return WriteScalar(field, value, out);
  if (!MessageIn(value).present_) return;
  const size_t end = out->size();
  MessageIn(value).Write(out);
  out->Head(field.number, out->size() - end);
}

void ProtoMessage::Write(ReverseWriter* out) {
  if (clean_) return out->Raw(encoded_.bytes);
  const RecursionGuard guard(" while a message is encoded");
  out->Raw(opened_->unknown);
  for (size_t i = schema_.fields.size(); i-- > 0;)
    if (!Slot(i).is_null()) WriteField(schema_.fields[i], Slot(i), out);
}

Encoded ProtoMessage::Bytes() {
  if (clean_) return encoded_;
  ReverseWriter out;
  Write(&out);
  return Encoded(out.Take());
}

bool ProtoMessage::SlotEquals(size_t i, ProtoMessage& other) {
  const MessageField& field = schema_.fields[i];
  if (!IsPart(field)) {
    const Value &a = Slot(i), &b = other.Slot(i);
    return a.is_null() || b.is_null() ? a.is_null() == b.is_null() : Equal(a, b);
  }
  if (!Has(i) || !other.Has(i)) return Has(i) == other.Has(i);
  const Value a = Slot(i), b = other.Slot(i);
  if (field.is_map()) return MapIn(a).Equals(MapIn(b));
  return field.is_repeated() ? ListIn(a).Equals(ListIn(b)) : MessageIn(a).Equals(MessageIn(b));
}

bool ProtoMessage::Equals(ProtoMessage& other) {
  if (&schema_ != &other.schema_) return false;
  if (clean_ && other.clean_ && encoded_.bytes == other.encoded_.bytes) return true;
  const RecursionGuard guard(" while messages are compared");
  Open();
  other.Open();
  for (size_t i = 0; i < schema_.fields.size(); ++i)
    if (!SlotEquals(i, other)) return false;
  return opened_->unknown == other.opened_->unknown;
}

ProtoMessage* AsMessage(const Value& v, const MessageSchema& schema) {
  auto* message = As<ProtoMessage>(v);
  return message && &message->schema() == &schema ? message : nullptr;
}

Value MakeMessage(const MessageSchema& schema, std::string bytes) {
  return New<ProtoMessage>(schema, Encoded(std::move(bytes)));
}

}  // namespace tensh::shell::tf
