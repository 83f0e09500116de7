// Repeated fields.
#include <algorithm>

#include "shell/python/values/collections/sort.h"
#include "shell/python/values/error.h"
#include "shell/python/values/ops.h"
#include "shell/tensorflow/proto/message.h"
#include "shell/tensorflow/proto/message_class.h"
#include "shell/tensorflow/proto/scalar.h"

namespace tensh::shell::tf {
namespace {

ProtoMessage& ElementIn(const Value& v) { return *static_cast<ProtoMessage*>(v.object()); }

}  // namespace

ProtoList::ProtoList(const MessageField& field)
    : ProtoPart(field.is_message() ? kMessagesType : kType), field_(field) {}

ProtoList::~ProtoList() {
  if (!field_.is_message()) return;
  for (const Value& item : items_) ReleasePart(item);
}

Value ProtoList::At(size_t i) {
  if (!IsUnread(i)) return items_[i];
  Ref<ProtoMessage> made = New<ProtoMessage>(*field_.message, Unread(i));
  made->SetOwner(this, &field_);
  items_[i] = made;
  return made;
}

std::vector<Value> ProtoList::Items() {
  for (size_t i = 0; i < items_.size(); ++i) At(i);
  return items_;
}

Encoded ProtoList::BytesAt(size_t i) {
  return IsUnread(i) ? Unread(i) : ElementIn(items_[i]).Bytes();
}

void ProtoList::AddEncoded(Encoded message) {
  items_.push_back(Value::Int(static_cast<int64_t>(unread_.size())));
  unread_.push_back(std::move(message));
}

void ProtoList::AddPacked(std::string_view numbers) {
  for (;;) {
    Value number = TakePacked(field_, &numbers);
    if (number.is_null()) return;
    items_.push_back(std::move(number));
  }
}

// Returns the value as an element: a message is copied.
Value ProtoList::Converted(const Value& value) {
  if (!field_.is_message()) return ConvertScalar(field_, value);
  auto* message = As<ProtoMessage>(value);
  if (!message) throw TypeError("Expected a message object, but got " + Repr(value) + ".");
  if (&message->schema() != field_.message) {
    throw TypeError("Parameter to MergeFrom() must be instance of same class: expected " +
                    MessageClassText(*field_.message) + " got " +
                    MessageClassText(message->schema()) + ".");
  }
  Ref<ProtoMessage> copy = New<ProtoMessage>(*field_.message, message->Bytes());
  copy->SetOwner(this, &field_);
  return copy;
}

Value ProtoList::Add() {
  Change();
  Ref<ProtoMessage> made = New<ProtoMessage>(*field_.message);
  made->SetOwner(this, &field_);
  items_.emplace_back(made);
  return made;
}

// Appends all values or, if one of them has a wrong type, none.
void ProtoList::Extend(const Value& values) {
  auto* list = As<ProtoList>(values);
  if (list && list->field_.is_message() && list->field_.message == field_.message) {
    Change();
    const size_t n = list->size();  // The list may be this one.
    for (size_t i = 0; i < n; ++i) AddEncoded(list->BytesAt(i));
    return;
  }
  std::vector<Value> converted;
  for (const Value& value : ToVector(values)) converted.push_back(Converted(value));
  Change();
  items_.insert(items_.end(), converted.begin(), converted.end());
}

void ProtoList::Insert(size_t i, const Value& value) {
  Value converted = Converted(value);
  Change();
  i = std::min(i, items_.size());
  items_.insert(items_.begin() + static_cast<std::ptrdiff_t>(i), std::move(converted));
}

void ProtoList::Set(size_t i, const Value& value) {
  Value converted = Converted(value);
  Change();
  if (i < items_.size()) items_[i] = std::move(converted);
}

// Replaces `count` elements by others.
void ProtoList::Splice(size_t first, size_t count, const Value& values) {
  std::vector<Value> converted;
  for (const Value& value : ToVector(values)) converted.push_back(Converted(value));
  Change();
  const size_t begin = std::min(first, items_.size());
  const size_t end = std::min(begin + count, items_.size());
  const auto at = items_.begin() + static_cast<std::ptrdiff_t>(begin);
  const auto after = items_.erase(at, items_.begin() + static_cast<std::ptrdiff_t>(end));
  items_.insert(after, converted.begin(), converted.end());
}

void ProtoList::Erase(const std::vector<bool>& gone) {
  Change();
  std::vector<Value> kept, dropped;
  for (size_t i = 0; i < items_.size(); ++i)
    (i < gone.size() && gone[i] ? dropped : kept).push_back(std::move(items_[i]));
  items_.swap(kept);
  for (const Value& item : dropped) ReleasePart(item);
}

void ProtoList::Clear() {
  Change();
  for (const Value& item : items_) ReleasePart(item);
  items_.clear();
  unread_.clear();
}

void ProtoList::Reverse() {
  Change();
  std::reverse(items_.begin(), items_.end());
}

void ProtoList::Sort(const Value& key, bool reverse) {
  std::vector<Value> sorted = Items();
  Change();
  const size_t n = items_.size();
  SortValues(&sorted, key, reverse);
  // The key is a function of the program, which may have changed the list.
  const auto is_here = [this](const Value& v) {
    return !field_.is_message() || ElementIn(v).IsIn(*this);
  };
  if (items_.size() != n || !std::all_of(sorted.begin(), sorted.end(), is_here))
    throw ValueError("list modified during sort");
  items_ = std::move(sorted);
}

void ProtoList::Write(ReverseWriter* out) {
  if (!field_.is_message() && !field_.is_text()) {
    std::string packed;
    for (const Value& item : items_) AppendPacked(field_, item, &packed);
    if (!packed.empty()) out->Bytes(field_.number, packed);
    return;
  }
  for (size_t i = items_.size(); i-- > 0;) {
    if (field_.is_text()) {
      WriteScalar(field_, items_[i], out);
      continue;
    }
    const size_t end = out->size();
    if (IsUnread(i))
      out->Raw(Unread(i).bytes);
    else
      ElementIn(items_[i]).Write(out);
    out->Head(field_.number, out->size() - end);
  }
}

bool ProtoList::Equals(ProtoList& other) {
  if (this == &other) return true;
  if (size() != other.size() || field_.message != other.field_.message) return false;
  for (size_t i = 0; i < size() && i < other.size(); ++i) {
    if (!field_.is_message()) {
      if (!Equal(items_[i], other.items_[i])) return false;
    } else if (!IsUnread(i) || !other.IsUnread(i) || Unread(i).bytes != other.Unread(i).bytes) {
      const Value a = At(i), b = other.At(i);
      if (!ElementIn(a).Equals(ElementIn(b))) return false;
    }
  }
  return true;
}

}  // namespace tensh::shell::tf
