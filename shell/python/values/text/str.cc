// The slots of the type str; str_methods.cc has its methods.
#include <functional>
#include <unordered_map>

#include "shell/python/values/class.h"
#include "shell/python/values/collections/iterator.h"
#include "shell/python/values/collections/sequence.h"
#include "shell/python/values/containers.h"
#include "shell/python/values/error.h"
#include "shell/python/values/format.h"
#include "shell/python/values/ops.h"
#include "shell/python/values/text/str_methods.h"

namespace tensh::shell {
namespace {

StrObject& S(const Value& v) { return *static_cast<StrObject*>(v.object()); }

std::string StrRepr(const Value& v) { return QuoteStr(S(v).view()); }
std::string StrStr(const Value& v) { return S(v).text(); }
std::string StrFormat(const Value& v, std::string_view spec) {
  return spec.empty() ? Str(v) : FormatText(S(v).view(), spec, TypeName(v));
}
uint64_t StrHash(const Value& v) { return S(v).hash(); }
int64_t StrLen(const Value& v) { return S(v).length(); }

Value StrCompare(CompareOp op, const Value& a, const Value& b) {
  auto *x = As<StrObject>(a), *y = As<StrObject>(b);
  if (!x || !y) return Value::NotImplemented();
  // The byte order of UTF-8 is the order of the code points.
  int order = x->view().compare(y->view());
  return Compare(op, Value::Int(order), Value::Int(0));
}

Value StrBinary(BinaryOp op, const Value& a, const Value& b, bool reflected) {
  if (op == BinaryOp::kMod && !reflected) return MakeStr(PercentFormat(StrView(a), b));
  if (op == BinaryOp::kAdd && !reflected) {
    auto* y = As<StrObject>(b);
    if (!y) return Value::NotImplemented();
    std::string out;
    out.reserve(S(a).view().size() + y->view().size());
    out += S(a).view();
    out += y->view();
    return MakeStr(std::move(out));
  }
  if (op == BinaryOp::kMul) {
    const Value &text = reflected ? b : a, &times = reflected ? a : b;
    if (!IsIndex(times) || TypeOf(times).len) return Value::NotImplemented();
    std::string out;
    const size_t n = RepeatCount(times, S(text).view().size());
    out.reserve(n * S(text).view().size());
    for (size_t i = 0; i < n; ++i) out += S(text).view();
    return MakeStr(std::move(out));
  }
  return Value::NotImplemented();
}

// Indices count code points. ASCII text is indexed directly; other text needs a scan for byte
// offsets.
Value StrGetItem(const Value& v, const Value& key) {
  std::string_view text = S(v).view();
  const int64_t n = S(v).length();
  if (auto* slice = As<SliceObject>(key)) {
    int64_t first, last, stride;
    const int64_t count = slice->Indices(n, &first, &last, &stride);
    if (count == 0) return MakeStr("");
    if (stride == 1) {
      const size_t begin = S(v).ascii() ? static_cast<size_t>(first)
                                        : CodePointOffset(text, static_cast<size_t>(first));
      std::string_view rest = text.substr(begin);
      return MakeStr(rest.substr(0, S(v).ascii()
                                        ? static_cast<size_t>(count)
                                        : CodePointOffset(rest, static_cast<size_t>(count))));
    }
    std::vector<size_t> offsets;
    if (!S(v).ascii()) {
      for (size_t i = 0; i < text.size(); DecodeUtf8(text, &i)) offsets.push_back(i);
      offsets.push_back(text.size());
    }
    std::string out;
    for (int64_t i = 0; i < count; ++i) {
      const auto at = static_cast<size_t>(first + i * stride);
      out += offsets.empty() ? text.substr(at, 1)
                             : text.substr(offsets[at], offsets[at + 1] - offsets[at]);
    }
    return MakeStr(std::move(out));
  }
  if (!IsIndex(key))
    throw TypeError("string indices must be integers, not '" + TypeName(key) + "'");
  const auto i = static_cast<size_t>(CheckIndex(key, n, "string"));
  if (S(v).ascii()) return MakeStr(text.substr(i, 1));
  size_t begin = CodePointOffset(text, i), end = begin;
  DecodeUtf8(text, &end);
  return MakeStr(text.substr(begin, end - begin));
}

bool StrContains(const Value& v, const Value& item) {
  auto* s = As<StrObject>(item);
  if (!s) throw TypeError("'in <string>' requires string as left operand, not " + TypeName(item));
  return S(v).view().find(s->view()) != std::string_view::npos;
}

Value DecodeBytes(const Value& bytes, Args& a);

Value Make(Args& a) {
  if (!a.has(0)) return MakeStr("");
  if (a.has(1) || a.has(2)) return DecodeBytes(a[0], a);
  if (a[0].is_object() && &a[0].object()->type() == &StrObject::kType) return a[0];
  return MakeStr(Str(a[0]));
}

Value DecodeBytes(const Value& bytes, Args& a) {
  auto* b = As<BytesObject>(bytes);
  for (size_t i : {1, 2}) {
    if (a.has(i) && !IsStr(a[i])) {
      throw TypeError(std::string("str() argument '") + (i == 1 ? "encoding" : "errors") +
                      "' must be str, not " + TypeName(a[i]));
    }
  }
  if (!b)
    throw TypeError("decoding to str: need a bytes-like object, " + TypeName(bytes) + " found");
  return Decode(b->data, a.has(1) ? ToText(a[1], "encoding") : "utf-8",
                a.has(2) ? ToText(a[2], "errors") : "strict");
}

Value SubclassNew(const TypeInfo& cls, const CallArgs& args) {
  class UserStr : public StrObject {
   public:
    UserStr(std::string text, const TypeInfo& type)
        : StrObject(std::move(text), type), class_(type.type_object) {}
    Dict* attrs() override { return &attrs_; }

   private:
    Dict attrs_;
    Value class_;
  };
  const Value text = Call(TypeValue(StrObject::kType), args);
  return New<UserStr>(std::string(StrView(text)), cls);
}

const FunctionRow kMake = {"str", "object=..., encoding=..., errors=...", Make};

}  // namespace

uint64_t StrObject::hash() {
  if (hash_ == 0) {
    hash_ = std::hash<std::string_view>()(text_);
    if (hash_ == 0) hash_ = 1;
  }
  return hash_;
}

int64_t StrObject::length() {
  if (length_ < 0) length_ = static_cast<int64_t>(CodePoints(text_));
  return length_;
}

const TypeInfo StrObject::kType = {.name = "str",
                                   .methods = kStrMethods,
                                   .statics = kStrStatics,
                                   .construct = &kMake,
                                   .subclass_new = SubclassNew,
                                   .repr = StrRepr,
                                   .str = StrStr,
                                   .format = StrFormat,
                                   .hash = StrHash,
                                   .compare = StrCompare,
                                   .binary = StrBinary,
                                   .len = StrLen,
                                   .getitem = StrGetItem,
                                   .contains = StrContains,
                                   .iter = IterString};

Value MakeStr(std::string text) { return New<StrObject>(std::move(text)); }

Value MakeStr(std::string_view text) {
  // One-character ASCII strings are shared, because iterating and indexing make thousands of them.
  static StrObject** single = [] {
    auto** table = new StrObject*[128];
    for (int c = 0; c < 128; ++c) {
      table[c] = new StrObject(std::string(1, static_cast<char>(c)));
      table[c]->Retain();
    }
    return table;
  }();
  if (text.size() == 1 && static_cast<unsigned char>(text[0]) < 128) {
    return Value(single[static_cast<unsigned char>(text[0])]);
  }
  return New<StrObject>(std::string(text));
}

StrObject* Intern(std::string_view text) {
  static auto* table = new std::unordered_map<std::string_view, StrObject*>;
  auto found = table->find(text);
  if (found != table->end()) return found->second;
  auto* s = new StrObject(std::string(text));
  s->Retain();
  s->interned_ = true;
  s->hash();
  table->emplace(s->view(), s);
  return s;
}

}  // namespace tensh::shell
