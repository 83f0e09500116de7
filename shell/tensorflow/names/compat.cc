// tf.compat: conversions between text and bytes.
#include "shell/python/values/containers.h"
#include "shell/python/values/error.h"
#include "shell/python/values/ops.h"
#include "shell/tensorflow/graph/rows.h"

namespace tensh::shell::tf {
namespace {

const FunctionRow kRows[] = {
    {"as_str", "bytes_or_text, encoding='utf-8'",
     [](Args& a) -> Value {
       return As<BytesObject>(a[0]) ? MakeStr(As<BytesObject>(a[0])->data) : a[0];
     },
     "Returns a str. Bytes are decoded."},
    {"as_text", "bytes_or_text, encoding='utf-8'",
     [](Args& a) -> Value {
       return As<BytesObject>(a[0]) ? MakeStr(As<BytesObject>(a[0])->data) : a[0];
     },
     "Returns a str. Bytes are decoded."},
    {"as_str_any", "value",
     [](Args& a) -> Value {
       return MakeStr(As<BytesObject>(a[0]) ? As<BytesObject>(a[0])->data : Str(a[0]));
     },
     "Returns a str. Bytes are decoded."},
    {"as_bytes", "bytes_or_text, encoding='utf-8'",
     [](Args& a) -> Value {
       if (IsStr(a[0])) return MakeBytes(std::string(StrView(a[0])));
       if (As<BytesObject>(a[0])) return a[0];
       throw TypeError("Expected binary or unicode string, got " + Repr(a[0]));
     },
     "Returns bytes. A str is encoded."},
};

}  // namespace

std::span<const FunctionRow> TextRows() { return kRows; }

}  // namespace tensh::shell::tf
