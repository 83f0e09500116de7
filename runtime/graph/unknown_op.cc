#include "runtime/graph/unknown_op.h"

#include "runtime/base/wire.h"

namespace tensh {

std::string UnknownOpLibrary(std::string_view name) {
  WireWriter signature, function, library;
  signature.Bytes(1, name);
  for (const std::string_view types : {kTin, kTout}) {
    WireWriter arg;
    arg.Bytes(1, types == kTin ? "inputs" : "outputs");
    arg.Bytes(6, types);
    signature.AlwaysBytes(types == kTin ? 2 : 3, arg.text());
  }
  for (const std::string_view types : {kTin, kTout}) {
    WireWriter attr;
    attr.Bytes(1, types);
    attr.Bytes(2, "list(type)");
    signature.AlwaysBytes(4, attr.text());
  }
  signature.Bool(17, true);  // has effects
  function.AlwaysBytes(1, signature.text());
  library.AlwaysBytes(1, function.text());
  return library.Take();
}

}  // namespace tensh
