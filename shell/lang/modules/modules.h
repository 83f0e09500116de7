// The standard library's modules, as far as scripts use them: one table each.
#pragma once

#include "shell/values/native.h"

namespace tensh::shell {

class Interp;

extern const ModuleDef kMathModule, kTimeModule, kRandomModule, kOsModule, kOsPathModule,
    kSysModule, kCollectionsModule, kStringModule, kItertoolsModule, kFunctoolsModule,
    kFutureModule, kRegexModule, kZlibModule, kThreadModule, kHashModule;

void AddPythonModules(Interp* interp);  // those that are Python files

}  // namespace tensh::shell
