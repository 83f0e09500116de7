// A streaming reader for the reports of runs, which have up to a hundred thousand nodes. It reads
// front to back and builds no tree. Other documents are read as Json (json.h). Its parser,
// nlohmann/json, can also push events to a handler, but such a handler would be a state machine,
// whereas callers of this reader are plain loops.
//
// The reader refers to the text, which must outlive it. After a syntax error, all later calls
// return empty results and failed() is true.
//
//   JsonReader json(text);
//   for (json.Object(); json.Next(&key);) {
//     if (key == "nodes") for (json.Array(); json.Next();) ReadNode(json);
//     else json.Skip();
//   }
//
// Each value must be read or skipped before the next call of Next().
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tensh::shell {

class JsonReader {
 public:
  explicit JsonReader(std::string_view text) : text_(text) {}

  // Enter an object or an array. A value of another kind is skipped and treated as empty.
  void Object() { Open('{'); }
  void Array() { Open('['); }
  // Moves to the next key or item of the innermost object or array. Returns false at its end.
  bool Next(std::string* key = nullptr);
  std::string String();               // Returns "" if the value is not a string.
  int64_t Int(int64_t fallback = 0);  // Truncates a fraction.
  bool Null();                        // Returns true and consumes the value if it is null.
  bool AtString();
  bool AtArray();
  void Skip();
  bool failed() const { return failed_; }
  bool at_end();  // Returns true if only white space remains.

 private:
  void Space();
  bool Take(char c);
  void Open(char bracket);
  void Fail() { failed_ = true, at_ = text_.size(); }
  void AppendEscape(std::string* out);

  std::string_view text_;
  size_t at_ = 0;
  enum class Item : unsigned char { kFirst, kLater, kNone };
  // State of each open object or array. kNone: the value had another kind.
  std::vector<Item> open_;
  bool failed_ = false;
};

}  // namespace tensh::shell
