// Tables of the native modules of the standard library. They contain what scripts commonly use.
#pragma once

#include "shell/python/values/native.h"

namespace tensh::shell {

class Interp;

extern const ModuleDef kMathModule, kTimeModule, kRandomModule, kOsModule, kOsPathModule,
    kSysModule, kCollectionsModule, kStringModule, kItertoolsModule, kFunctoolsModule,
    kFutureModule, kRegexModule, kZlibModule, kThreadModule, kHashModule, kCodecsModule,
    kWireModule;

void AddPythonModules(Interp* interp);  // Adds the modules that are written in Python.

}  // namespace tensh::shell
