#include "shell/python/values/signature.h"

#include <algorithm>
#include <charconv>
#include <unordered_map>
#include <unordered_set>

#include "runtime/base/text.h"
#include "shell/python/values/error.h"
#include "shell/python/values/ops.h"

namespace tensh::shell {
namespace {

// Returns the value of a literal default, or null for any other text, which means "absent".
Value LiteralDefault(std::string_view text) {
  if (text == "None") return Value::None();
  if (text == "True" || text == "False") return Value::Bool(text == "True");
  if (text.size() >= 2 && (text[0] == '\'' || text[0] == '"') && text.back() == text[0]) {
    return MakeStr(text.substr(1, text.size() - 2));
  }
  if (text.size() >= 2 && (text[0] == '(' || text[0] == '[')) {
    std::vector<Value> items;
    for (auto part : SplitTopLevel(text.substr(1, text.size() - 2)))
      items.push_back(LiteralDefault(part));
    return text[0] == '(' ? MakeTuple(std::move(items)) : MakeList(std::move(items));
  }
  int64_t i;
  const char* end = text.data() + text.size();
  if (auto r = std::from_chars(text.data(), end, i); r.ec == std::errc() && r.ptr == end)
    return Value::Int(i);
  double d;
  if (auto r = std::from_chars(text.data(), end, d); r.ec == std::errc() && r.ptr == end)
    return Value::Float(d);
  return Value();
}

std::string QuotedList(const std::vector<std::string>& names) {
  std::string out;
  for (size_t i = 0; i < names.size(); ++i) {
    if (i) out += names.size() == 2 ? " and " : i + 1 == names.size() ? ", and " : ", ";
    out += "'" + names[i] + "'";
  }
  return out;
}

std::string Plural(size_t n) { return n == 1 ? "" : "s"; }

[[noreturn]] void ThrowBuiltinCount(const Signature& s, const CallName& name, size_t given) {
  const size_t least = s.required(), most = s.positional;
  std::string short_name = name.name.substr(name.name.rfind('.') + 1);
  if (const size_t dot = name.name.rfind(".__init__"); dot != name.name.npos)
    short_name = name.name.substr(0, dot);
  const bool text = name.name.starts_with("str.") || name.name.starts_with("bytes.");
  if (text && least == 1 && most == 3 && given == 0)  // Methods such as find, count and startswith.
    throw TypeError(short_name + "() takes at least 1 argument (0 given)");
  if (most == 0)
    throw TypeError(name.name + "() takes no arguments (" + std::to_string(given) + " given)");
  if (most == 1 && least == 1) {
    throw TypeError(name.name + "() takes exactly one argument (" + std::to_string(given) +
                    " given)");
  }
  if (given > most && s.positional_only < s.positional) {  // Some parameters can be given by name.
    throw TypeError(short_name + "() takes at most " + std::to_string(most) + " argument" +
                    Plural(most) + " (" + std::to_string(given) + " given)");
  }
  std::string bound = least == most ? "" : given < least ? "at least " : "at most ";
  size_t n = given < least ? least : most;
  throw TypeError(short_name + " expected " + bound + std::to_string(n) + " argument" + Plural(n) +
                  ", got " + std::to_string(given));
}

[[noreturn]] void ThrowTooMany(const Signature& s, const CallName& name, size_t given,
                               const Value* slots) {
  if (s.builtin_texts) ThrowBuiltinCount(s, name, given);
  const size_t least = s.required() + name.hidden_self, most = s.positional + name.hidden_self;
  given += name.hidden_self;
  std::string takes = least == most
                          ? std::to_string(most)
                          : "from " + std::to_string(least) + " to " + std::to_string(most);
  size_t keyword_only = 0;
  for (size_t i = s.positional; i < s.params.size(); ++i) {
    if (static_cast<int>(i) != s.star && static_cast<int>(i) != s.star_star && !slots[i].is_null())
      ++keyword_only;
  }
  std::string were = std::to_string(given);
  if (keyword_only) {
    were += " positional argument" + Plural(given) + " (and " + std::to_string(keyword_only) +
            " keyword-only argument" + Plural(keyword_only) + ")";
  }
  throw TypeError(name.name + "() takes " + takes + " positional argument" +
                  (takes == "1" ? "" : "s") + " but " + were +
                  (given == 1 && !keyword_only ? " was given" : " were given"));
}

void CheckMissing(const Signature& s, const CallName& name, size_t given, const Value* slots) {
  std::vector<std::string> positional, keyword_only;
  for (size_t i = 0; i < s.params.size(); ++i) {
    if (!slots[i].is_null() || s.params[i].optional) continue;
    (i < s.positional ? positional : keyword_only).push_back(s.params[i].name->text());
  }
  if (positional.empty() && keyword_only.empty()) return;
  if (!positional.empty() && s.builtin_texts) ThrowBuiltinCount(s, name, given);
  const auto& names = positional.empty() ? keyword_only : positional;
  throw TypeError(name.name + "() missing " + std::to_string(names.size()) + " required " +
                  (positional.empty() ? "keyword-only" : "positional") + " argument" +
                  Plural(names.size()) + ": " + QuotedList(names));
}

// Reports positional-only parameters that were passed by keyword. Python checks these before
// unknown keywords.
void CheckPositionalOnly(const Signature& s, const CallArgs& args, const CallName& name) {
  std::string wrong;
  std::unordered_set<std::string_view> keywords;
  for (size_t k = 0; k < args.keyword_count(); ++k) keywords.insert(args.keyword(k));
  for (size_t i = 0; i < s.positional_only; ++i)
    if (keywords.count(s.params[i].name->view()))
      wrong += (wrong.empty() ? "" : ", ") + s.params[i].name->text();
  if (wrong.empty()) return;
  throw TypeError(name.name +
                  "() got some positional-only arguments passed as keyword arguments: '" + wrong +
                  "'");
}

// Finds the parameters that keywords name. A few are searched for one by one. Many are put into a
// table first: a call may have 100,000 of both.
class KeywordFinder {
 public:
  KeywordFinder(const Signature& s, size_t keywords) : s_(s) {
    constexpr size_t kFewPairs = 1 << 14;
    if (keywords <= kFewPairs / std::max<size_t>(s.params.size(), 1)) return;
    for (size_t i = s.positional_only; i < s.params.size(); ++i)
      if (MayBeNamed(i)) table_.emplace(s.params[i].name->view(), i);
  }
  // Returns params.size() if no parameter has this name.
  size_t Find(std::string_view key) const {
    if (!table_.empty()) {
      const auto found = table_.find(key);
      return found == table_.end() ? s_.params.size() : found->second;
    }
    size_t i = s_.positional_only;
    while (i < s_.params.size() && !(MayBeNamed(i) && s_.params[i].name->view() == key)) ++i;
    return i;
  }

 private:
  bool MayBeNamed(size_t i) const {
    return static_cast<int>(i) != s_.star && static_cast<int>(i) != s_.star_star;
  }
  const Signature& s_;
  std::unordered_map<std::string_view, size_t> table_;
};

void BindKeyword(const Signature& s, const CallArgs& args, size_t number, const CallName& name,
                 const KeywordFinder& finder, Value* slots, DictObject* extra) {
  const std::string_view key = args.keyword(number);
  const Value& value = args.args[args.positional() + number];
  if (const size_t i = finder.Find(key); i < s.params.size()) {
    if (!slots[i].is_null()) {
      throw TypeError(name.name + "() got multiple values for argument '" + std::string(key) + "'");
    }
    slots[i] = value;
    return;
  }
  if (extra) {
    if (extra->dict.Find(key)) {
      throw TypeError(name.name + "() got multiple values for keyword argument '" +
                      std::string(key) + "'");
    }
    extra->dict.Set(key, value);
    return;
  }
  if (s.builtin_texts && s.positional_only == s.params.size()) {
    throw TypeError(name.name + "() takes no keyword arguments");
  }
  if (s.builtin_texts) {
    throw TypeError("'" + std::string(key) + "' is an invalid keyword argument for " + name.name +
                    "()");
  }
  CheckPositionalOnly(s, args, name);
  std::vector<std::string> names;
  for (const Parameter& p : s.params) names.push_back(p.name->text());
  ErrorHint hint = DidYouMean(key, names);
  if (hint.empty() && names.size() <= 12)  // more would hide the error
    for (const std::string& each : names)
      hint.text += (hint.text.empty() ? "It takes " : ", ") + each;
  throw TypeError(name.name + "() got an unexpected keyword argument '" + std::string(key) + "'")
      .Hint(std::move(hint));
}

}  // namespace

size_t Signature::required() const {
  size_t n = 0;
  while (n < positional && !params[n].optional) ++n;
  return n;
}

Signature ParseSignature(std::string_view text) {
  Signature s;
  bool keyword_only = false;
  for (std::string_view part : SplitTopLevel(text)) {
    if (part == "/") {
      s.positional_only = s.params.size();
      s.builtin_texts = true;
      continue;
    }
    if (part == "*") {
      keyword_only = true;
      continue;
    }
    const int slot = static_cast<int>(s.params.size());
    Parameter p;
    if (part.substr(0, 2) == "**") {
      s.star_star = slot;
      p = {Intern(part.substr(2)), Value(), true};
    } else if (part[0] == '*') {
      s.star = slot;
      keyword_only = true;
      p = {Intern(part.substr(1)), Value(), true};
    } else {
      size_t equals = part.find('=');
      p.name = Intern(Trim(part.substr(0, equals)));
      if (equals != part.npos) {
        p.optional = true;
        p.fallback = LiteralDefault(Trim(part.substr(equals + 1)));
      }
      if (!keyword_only) ++s.positional;
    }
    s.params.push_back(std::move(p));
  }
  return s;
}

void BindArguments(const Signature& s, const CallArgs& args, const CallName& name, Value* slots) {
  const size_t given = args.positional();
  const size_t direct = std::min(given, s.positional);
  for (size_t i = 0; i < direct; ++i) slots[i] = args.args[i];
  DictObject* extra = nullptr;
  if (s.star_star >= 0) {
    auto dict = New<DictObject>();
    extra = dict.get();
    slots[s.star_star] = dict;
  }
  if (s.star >= 0) {
    std::vector<Value> rest;
    if (given > s.positional)
      rest.assign(args.args.begin() + static_cast<long>(s.positional),
                  args.args.begin() + static_cast<long>(given));
    slots[s.star] = MakeTuple(std::move(rest));
  }
  if (args.keyword_count() > 0) {
    const KeywordFinder finder(s, args.keyword_count());
    for (size_t i = 0; i < args.keyword_count(); ++i)
      BindKeyword(s, args, i, name, finder, slots, extra);
  }
  if (given > s.positional && s.star < 0) ThrowTooMany(s, name, given, slots);
  CheckMissing(s, name, given, slots);
  for (size_t i = 0; i < s.params.size(); ++i) {
    if (slots[i].is_null()) slots[i] = s.params[i].fallback;
  }
}

}  // namespace tensh::shell
