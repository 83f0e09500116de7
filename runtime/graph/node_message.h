#pragma once
// The nodes of a GraphDef that is imported, as parts of the message, which must outlive them. Pure
// functions; thread-safe.
#include <charconv>

#include "runtime/base/wire.h"
#include "runtime/core/status.h"

namespace tensh {

// Returns the error of a message that ends within a field, or whose fields have wrong types.
inline Status Unreadable(std::string_view what) {
  return InvalidArgument("not a GraphDef: ", what, " cannot be read");
}

// An input as spelled in the message: "name", "name:2" or "^name".
struct InputName {
  std::string_view node;
  uint32_t index = 0;
  bool is_control = false;
};

// Returns false if the text is not an input.
inline bool ParseInput(std::string_view text, InputName* out) {
  out->is_control = !text.empty() && text[0] == '^';
  text.remove_prefix(out->is_control ? 1 : 0);
  const size_t colon = text.rfind(':');
  out->node = text.substr(0, colon);
  out->index = 0;
  if (colon == text.npos) return !text.empty();
  const char* const end = text.data() + text.size();
  const auto [at, error] = std::from_chars(text.data() + colon + 1, end, out->index);
  return error == std::errc() && at == end && !out->node.empty() && !out->is_control &&
         out->index < (1u << 20);
}

// A node as a range of the message, with the ranges of its texts in it. Inputs and attributes are
// read again where they are needed. A graph may have a million nodes, so that each byte counts.
class NodeMessage {
 public:
  static Result<NodeMessage> Read(std::string_view message) {
    NodeMessage node;
    node.begin_ = message.data();
    node.size_ = static_cast<uint32_t>(message.size());
    WireReader in(message);
    while (in.Next()) {
      if (in.field() == 1) node.name_ = node.RangeOf(in.bytes());
      if (in.field() == 2) node.op_ = node.RangeOf(in.bytes());
      if (in.field() == 4) node.device_ = node.RangeOf(in.bytes());
      if (in.field() != 5) continue;
      WireReader entry(in.bytes());
      while (entry.Next()) {
      }
      if (!entry.ok()) return Unreadable("a node");
    }
    const bool fits = message.size() <= UINT32_MAX;
    if (!in.ok() || !fits || !node.name_.size || !node.op_.size) return Unreadable("a node");
    return node;
  }

  std::string_view message() const { return {begin_, size_}; }
  std::string_view name() const { return TextAt(name_); }
  std::string_view op() const { return TextAt(op_); }
  std::string_view device() const { return TextAt(device_); }

  uint32_t first_edge = 0;  // of its inputs, in Importer::edges_

 private:
  struct Range {
    uint32_t at = 0, size = 0;
  };
  Range RangeOf(std::string_view text) const {
    if (text.empty()) return {};
    return {static_cast<uint32_t>(text.data() - begin_), static_cast<uint32_t>(text.size())};
  }
  std::string_view TextAt(Range range) const { return {begin_ + range.at, range.size}; }

  const char* begin_ = nullptr;
  uint32_t size_ = 0;
  Range name_, op_, device_;
};

// Calls fn(name, message of the value) for each attribute.
template <class Fn>
void ForEachAttr(const NodeMessage& node, Fn fn) {
  WireReader in(node.message());
  while (in.Next()) {
    if (in.field() != 5) continue;
    std::string_view key, value;
    WireReader entry(in.bytes());
    while (entry.Next()) {
      if (entry.field() == 1) key = entry.bytes();
      if (entry.field() == 2) value = entry.bytes();
    }
    fn(key, value);
  }
}

}  // namespace tensh
