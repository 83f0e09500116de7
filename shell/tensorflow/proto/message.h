// Messages as values of the language, with the interface of google.protobuf: ProtoMessage is a
// message of any schema, ProtoList a repeated field, ProtoMap a map field.
//
// A message keeps its encoded form and reads scalar fields from it until a part of it is needed as
// an object; then it is opened into one slot for each field. A message that did not change is
// written back in the encoded form that it was read from. Thus a graph can be read from a file and
// imported without being taken apart, and its nodes can be listed without copying their tensors.
//
// Ownership: a message owns its parts, and a part knows its owner by a plain pointer, which the
// owner clears when it dies or drops the part. The part then lives on by itself. References point
// only from a message to its parts, so no cycle can form. Threads: the interpreter's thread only.
// Invariants:
//   1. If a message is not clean, neither are the messages around it.
//   2. A message that is not present is empty and clean. Its first change makes it present.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "shell/python/values/containers.h"
#include "shell/python/values/type.h"
#include "shell/tensorflow/io/message_schema.h"
#include "shell/tensorflow/proto/reverse_writer.h"

namespace tensh::shell::tf {

// The encoded form of a message: a part of immutable bytes.
struct Encoded {
  Encoded() = default;
  Encoded(Ref<BytesObject> buffer, std::string_view bytes)
      : buffer(std::move(buffer)), bytes(bytes) {}
  explicit Encoded(const Ref<BytesObject>& whole) : Encoded(whole, whole->data) {}
  explicit Encoded(std::string data) : Encoded(New<BytesObject>(std::move(data))) {}
  Encoded Part(std::string_view part) const { return {buffer, part}; }

  Ref<BytesObject> buffer;  // Holds the memory of `bytes`; may be null if they are empty.
  std::string_view bytes;
};

// A message, or a repeated or map field of one.
class ProtoPart : public Object {
 public:
  explicit ProtoPart(const TypeInfo& type) : Object(type) {}
  // Must be called before this part changes. The encoded forms that contain the part are dropped,
  // and the messages that contain it become present.
  void Change();
  void SetOwner(ProtoPart* owner, const MessageField* field) { owner_ = owner, place_ = field; }
  bool IsIn(const ProtoPart& owner) const { return owner_ == &owner; }

 protected:
  // Does what Change means for this part alone. Returns false if the parts around it know that it
  // has changed.
  virtual bool NoteChange() { return true; }

  ProtoPart* owner_ = nullptr;
  const MessageField* place_ = nullptr;  // The field of the owner, if that is a message.
};

class ProtoList;
class ProtoMap;

class ProtoMessage final : public ProtoPart {
 public:
  static const TypeInfo kType;  // The base of the types of all schemas.
  // Makes an empty message. If it is to become a field of another message, it is not present yet.
  explicit ProtoMessage(const MessageSchema& schema, bool present = true);
  ProtoMessage(const MessageSchema& schema, Encoded encoded);
  ~ProtoMessage() override;

  const MessageSchema& schema() const { return schema_; }
  // `i` is an index of schema().fields. Get makes a message, list or map that does not exist yet.
  Value Get(size_t i);
  // For a repeated field or a map, Has returns true if it is not empty; for a scalar without
  // presence, if it is not zero.
  bool Has(size_t i);
  void Set(size_t i, const Value& value);  // Only for scalars; converts the value.
  void Clear(size_t i);
  void Clear();
  void Merge(const Encoded& more);
  void CopyFrom(ProtoMessage& other);
  void DiscardUnknown();

  // Both throw RecursionError if messages nest too deeply.
  Encoded Bytes();
  void Write(ReverseWriter* out);
  bool Equals(ProtoMessage& other);

 protected:
  bool NoteChange() override;

 private:
  struct Opened {
    std::vector<Value> slots;  // One for each field; null if it is not set.
    std::string unknown;       // The encoded fields that the schema does not have.
  };

  void Open();
  Value Peek(size_t i) const;
  Value Part(size_t i);
  Value& Slot(size_t i) { return opened_->slots[i]; }
  void BecomePresent();
  void ClearOthers(const MessageField& set);
  void ClearSet();
  void Read(const Encoded& more);
  void ReadMessage(size_t i, const Encoded& inner);
  void WriteField(const MessageField& field, const Value& value, ReverseWriter* out);
  bool SlotEquals(size_t i, ProtoMessage& other);

  const MessageSchema& schema_;
  Encoded encoded_;  // Valid while clean_.
  std::unique_ptr<Opened> opened_;
  bool present_;
  bool clean_ = true;
};

// A repeated field. Elements that are messages become objects when they are first used.
class ProtoList final : public ProtoPart {
 public:
  static const TypeInfo kType;          // of scalars
  static const TypeInfo kMessagesType;  // of messages
  explicit ProtoList(const MessageField& field);
  ~ProtoList() override;

  const MessageField& field() const { return field_; }
  size_t size() const { return items_.size(); }
  Value At(size_t i);
  std::vector<Value> Items();
  // Append elements that are read from a message. They do not count as changes.
  void AddEncoded(Encoded message);
  void AddPacked(std::string_view numbers);
  void AddScalar(Value value) { items_.push_back(std::move(value)); }

  Value Add();  // Appends an empty message.
  void Extend(const Value& values);
  void Insert(size_t i, const Value& value);
  void Set(size_t i, const Value& value);                        // Only for scalars.
  void Splice(size_t first, size_t count, const Value& values);  // Only for scalars.
  void Erase(const std::vector<bool>& gone);
  void Clear();
  void Reverse();
  void Sort(const Value& key, bool reverse);
  void Write(ReverseWriter* out);
  bool Equals(ProtoList& other);

 private:
  bool IsUnread(size_t i) const { return field_.is_message() && items_[i].is_int(); }
  const Encoded& Unread(size_t i) const { return unread_[static_cast<size_t>(items_[i].as_int())]; }
  Encoded BytesAt(size_t i);
  Value Converted(const Value& value);

  const MessageField& field_;
  // A message that is not an object yet is represented by the index of its encoded form.
  std::vector<Value> items_;
  std::vector<Encoded> unread_;
};

// A map field. Values that are messages become objects when they are first used.
class ProtoMap final : public ProtoPart {
 public:
  static const TypeInfo kType;          // to scalars
  static const TypeInfo kMessagesType;  // to messages
  explicit ProtoMap(const MessageField& field);
  ~ProtoMap() override;

  const MessageField& field() const { return field_; }
  size_t size() const { return items_.size(); }
  uint64_t version() const { return items_.version(); }
  void AddEncoded(const Encoded& entry);  // Does not count as a change.
  Value Find(const Value& key);           // Returns null if the key is absent.
  bool Contains(const Value& key) { return items_.Find(Key(key)) != nullptr; }
  Value GetOrMake(const Value& key);
  void Set(const Value& key, const Value& value);
  bool Erase(const Value& key);
  void Clear();
  void Merge(ProtoMap& other);
  std::vector<Value> Keys() const;
  void Write(ReverseWriter* out);
  bool Equals(ProtoMap& other);

 private:
  bool IsUnread(const Value& v) const { return field_.value().is_message() && v.is_int(); }
  const Encoded& Unread(const Value& v) const { return unread_[static_cast<size_t>(v.as_int())]; }
  Encoded BytesOf(const Value& item);
  Value Key(const Value& key) const;
  void Put(const Value& key, Value value);
  void PutEncoded(const Value& key, Encoded value);

  const MessageField& field_;
  // A message that is not an object yet is represented by the index of its encoded form.
  Dict items_;
  std::vector<Encoded> unread_;
};

// Must be called for a value that leaves the message, list or map that it is in.
void ReleasePart(const Value& v);

// Returns the value as a message of the schema, or null.
ProtoMessage* AsMessage(const Value& v, const MessageSchema& schema);
Value MakeMessage(const MessageSchema& schema, std::string bytes = {});

}  // namespace tensh::shell::tf
