#pragma once
// Writes JSON straight into a text: for documents that may be a hundred thousand nodes long. Commas
// are its own business; what is opened must be closed.
#include <charconv>
#include <cstdint>
#include <string>
#include <string_view>

namespace tensh::api {

class JsonWriter {
 public:
  JsonWriter& Open(char bracket) {
    Comma();
    out_ += bracket;
    first_ = true;
    return *this;
  }
  JsonWriter& Close(char bracket) {
    out_ += bracket;
    first_ = false;
    return *this;
  }
  JsonWriter& Key(std::string_view name) {  // a name of ours: nothing in it needs an escape
    Comma();
    out_ += '"';
    out_ += name;
    out_ += "\":";
    after_key_ = true;
    return *this;
  }
  JsonWriter& Int(int64_t value) {
    Comma();
    char digits[24];
    out_.append(digits, std::to_chars(digits, digits + sizeof digits, value).ptr);
    return *this;
  }
  // Microseconds with three decimals, as trace viewers want them.
  JsonWriter& Micros(int64_t ns);
  JsonWriter& Null() { return Raw("null"); }
  JsonWriter& Raw(std::string_view json) {
    Comma();
    out_ += json;
    return *this;
  }
  JsonWriter& String(std::string_view text, std::string_view more = {});  // both as one
  std::string Take() { return std::move(out_); }

 private:
  void Comma() {
    if (!first_ && !after_key_) out_ += ',';
    first_ = after_key_ = false;
  }
  void Escape(std::string_view text);

  std::string out_;
  bool first_ = true, after_key_ = false;
};

}  // namespace tensh::api
