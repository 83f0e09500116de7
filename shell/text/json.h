// The JSON documents of the C API (op catalogue, devices, reports) as plain values. json.cc is the
// only file of the shell that includes the JSON parser.
//
// A Json owns its children. It is immutable after parsing, so any thread may read it. Looking up a
// key that does not exist returns a null Json; a missing field therefore reads as its default.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tensh::shell {

class Json {
 public:
  enum class Kind : uint8_t { kNull, kBool, kInt, kFloat, kString, kArray, kObject };

  Json() = default;
  // Returns null if the text is not valid JSON or is nested deeper than 200 levels; `ok`, if given,
  // tells the difference from a JSON null.
  static Json Parse(std::string_view text, bool* ok = nullptr);

  Kind kind() const { return kind_; }
  bool is_null() const { return kind_ == Kind::kNull; }
  bool is_array() const { return kind_ == Kind::kArray; }
  bool is_string() const { return kind_ == Kind::kString; }
  bool as_bool() const { return kind_ == Kind::kBool && int_ != 0; }
  int64_t as_int(int64_t fallback = 0) const;
  double as_float(double fallback = 0) const;
  const std::string& as_string() const { return string_; }  // Returns "" if this is not a string.
  const std::vector<Json>& items() const { return items_; }
  // The keys of an object, parallel to items().
  const std::vector<std::string>& keys() const { return keys_; }
  size_t size() const { return items_.size(); }
  const Json& operator[](std::string_view key) const;
  std::string Dump() const;  // Returns the text on one line, with ", " and ": ".

 private:
  friend class JsonBuilder;
  void DumpTo(std::string* out) const;

  Kind kind_ = Kind::kNull;
  int64_t int_ = 0;
  double float_ = 0;
  std::string string_;
  std::vector<std::string> keys_;
  std::vector<Json> items_;
};

std::string JsonQuote(std::string_view text);  // Replaces invalid UTF-8 by U+FFFD.

}  // namespace tensh::shell
