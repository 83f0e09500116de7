#pragma once
// Writes JSON directly into a text, for the reports of runs, which have up to a hundred thousand
// nodes. It inserts commas; the caller closes what it opens. The other documents of the C API are
// built as trees of nlohmann/json (c_report.cc), which is simpler, but takes a hundred bytes and
// more for each number.
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
  JsonWriter& Key(std::string_view name) {  // `name` must not need escaping.
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
  // Writes microseconds with three decimals, as trace viewers expect.
  JsonWriter& Micros(int64_t ns);
  JsonWriter& Null() { return Raw("null"); }
  JsonWriter& Raw(std::string_view json) {
    Comma();
    out_ += json;
    return *this;
  }
  // Writes both texts as one string.
  JsonWriter& String(std::string_view text, std::string_view more = {});
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
