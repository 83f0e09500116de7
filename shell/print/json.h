// The documents of the C API (op catalogue, devices, reports) as plain values. One translation unit
// of the shell parses JSON (json.cc). A Json owns what is below it; it is immutable once parsed and
// any thread may read it. Looking up what is not there gives a null Json, so that a missing field
// reads as its default.
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
  // `ok`, when given, tells whether the text was JSON (nesting is limited to 200); null otherwise.
  static Json Parse(std::string_view text, bool* ok = nullptr);

  Kind kind() const { return kind_; }
  bool is_null() const { return kind_ == Kind::kNull; }
  bool is_array() const { return kind_ == Kind::kArray; }
  bool is_string() const { return kind_ == Kind::kString; }
  bool as_bool() const { return kind_ == Kind::kBool && int_ != 0; }
  int64_t as_int(int64_t fallback = 0) const;
  double as_float(double fallback = 0) const;
  const std::string& as_string() const { return string_; }  // "" unless a string
  const std::vector<Json>& items() const { return items_; }
  const std::vector<std::string>& keys() const { return keys_; }  // beside items(), for an object
  size_t size() const { return items_.size(); }
  const Json& operator[](std::string_view key) const;
  std::string Dump() const;  // on one line, with ", " and ": "

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

std::string JsonQuote(std::string_view text);  // invalid UTF-8 becomes U+FFFD

}  // namespace tensh::shell
