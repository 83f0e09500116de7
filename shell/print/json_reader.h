// Reads a long JSON text once, front to back, into whatever the caller fills: no tree is built.
// Views the text. A fault makes every later call give nothing and failed() true.
//
//   JsonReader json(text);
//   for (json.Object(); json.Next(&key);) {
//     if (key == "nodes") for (json.Array(); json.Next();) ReadNode(json);
//     else json.Skip();
//   }
// Each value must be read or skipped before the next Next().
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tensh::shell {

class JsonReader {
 public:
  explicit JsonReader(std::string_view text) : text_(text) {}

  // Of a value of another kind they skip it, and it has nothing in it.
  void Object() { Open('{'); }
  void Array() { Open('['); }
  // The next key or item of the innermost; false: it ended.
  bool Next(std::string* key = nullptr);
  std::string String();               // "" when it is none
  int64_t Int(int64_t fallback = 0);  // a fraction is cut off
  bool Null();                        // reads it when it is null
  bool AtString();
  bool AtArray();
  void Skip();
  bool failed() const { return failed_; }
  bool at_end();  // nothing but space is left

 private:
  void Space();
  bool Take(char c);
  void Open(char bracket);
  void Fail() { failed_ = true, at_ = text_.size(); }
  void AppendEscape(std::string* out);

  std::string_view text_;
  size_t at_ = 0;
  enum class Item : unsigned char { kFirst, kLater, kNone };
  std::vector<Item> open_;  // what comes next in each open one; kNone: it was of another kind
  bool failed_ = false;
};

}  // namespace tensh::shell
