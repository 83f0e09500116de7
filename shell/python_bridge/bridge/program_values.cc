// The functions of the shell that inline code of its headers calls. In the plug-in they are those of the table.
#include "shell/python_bridge/bridge/bridge.h"

namespace tensh::shell {

void heap::Dispose(Object* object) noexcept { bridge::host.dispose(object); }
const TypeInfo& TypeOf(const Value& v) { return bridge::host.type_of(v); }
bool DerivesFrom(const TypeInfo& type, const TypeInfo& base) {
  return bridge::host.derives_from(type, base);
}
ForeignHooks foreign_hooks;  // only `type` is used
const char* PyError::what() const noexcept { return "an exception of the shell"; }

}  // namespace tensh::shell
