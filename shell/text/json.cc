#include "shell/text/json.h"

#include <cmath>
#include <nlohmann/json.hpp>

namespace tensh::shell {
namespace {
constexpr size_t kMaxDepth = 200;
}  // namespace

// Builds a Json from the parser's events. A stack of pointers into it tracks the open arrays and
// objects.
class JsonBuilder {
 public:
  explicit JsonBuilder(Json* root) : root_(root) {}

  bool null() { return Add(Json::Kind::kNull) != nullptr; }
  bool boolean(bool v) { return Number(Json::Kind::kBool, v, v); }
  bool number_integer(int64_t v) { return Number(Json::Kind::kInt, v, static_cast<double>(v)); }
  bool number_unsigned(uint64_t v) {
    return Number(Json::Kind::kInt, static_cast<int64_t>(v), static_cast<double>(v));
  }
  bool number_float(double v, const std::string&) {
    return Number(Json::Kind::kFloat, std::abs(v) < 9e18 ? static_cast<int64_t>(v) : 0, v);
  }
  bool string(std::string& v) {
    Json* json = Add(Json::Kind::kString);
    json->string_ = std::move(v);
    return true;
  }
  bool binary(std::string&) { return false; }
  bool binary(nlohmann::json::binary_t&) { return false; }
  bool start_object(size_t) { return Open(Json::Kind::kObject); }
  bool start_array(size_t) { return Open(Json::Kind::kArray); }
  bool end_object() { return Close(); }
  bool end_array() { return Close(); }
  bool key(std::string& v) {
    open_.back()->keys_.push_back(std::move(v));
    return true;
  }
  bool parse_error(size_t, const std::string&, const nlohmann::detail::exception&) { return false; }

 private:
  Json* Add(Json::Kind kind) {
    Json* json = root_;
    if (!open_.empty()) json = &open_.back()->items_.emplace_back();
    json->kind_ = kind;
    return json;
  }
  bool Number(Json::Kind kind, int64_t i, double f) {
    Json* json = Add(kind);
    json->int_ = i;
    json->float_ = f;
    return true;
  }
  bool Open(Json::Kind kind) {
    if (open_.size() >= kMaxDepth) return false;
    open_.push_back(Add(kind));
    return true;
  }
  bool Close() {
    open_.pop_back();
    return true;
  }

  Json* root_;
  // The pointers stay valid: only the innermost container grows, and it contains no open one.
  std::vector<Json*> open_;
};

Json Json::Parse(std::string_view text, bool* ok) {
  Json root;
  JsonBuilder builder(&root);
  const bool good = nlohmann::json::sax_parse(text.begin(), text.end(), &builder);
  if (ok != nullptr) *ok = good;
  return good ? root : Json();
}

int64_t Json::as_int(int64_t fallback) const {
  return kind_ == Kind::kInt || kind_ == Kind::kFloat || kind_ == Kind::kBool ? int_ : fallback;
}

double Json::as_float(double fallback) const {
  return kind_ == Kind::kInt || kind_ == Kind::kFloat ? float_ : fallback;
}

const Json& Json::operator[](std::string_view key) const {
  static const Json null;
  for (size_t i = 0; i < keys_.size() && i < items_.size(); ++i) {
    if (keys_[i] == key) return items_[i];
  }
  return null;
}

std::string Json::Dump() const {
  std::string out;
  DumpTo(&out);
  return out;
}

void Json::DumpTo(std::string* out) const {
  switch (kind_) {
    case Kind::kNull:
      *out += "null";
      return;
    case Kind::kBool:
      *out += int_ != 0 ? "true" : "false";
      return;
    case Kind::kInt:
      *out += std::to_string(int_);
      return;
    case Kind::kFloat:
      *out += nlohmann::json(float_).dump();
      return;
    case Kind::kString:
      *out += JsonQuote(string_);
      return;
    case Kind::kArray:
    case Kind::kObject:
      break;
  }
  const bool object = kind_ == Kind::kObject;
  *out += object ? '{' : '[';
  for (size_t i = 0; i < items_.size(); ++i) {
    if (i > 0) *out += ", ";
    if (object) *out += JsonQuote(keys_[i]) + ": ";
    items_[i].DumpTo(out);
  }
  *out += object ? '}' : ']';
}

std::string JsonQuote(std::string_view text) {
  return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

}  // namespace tensh::shell
