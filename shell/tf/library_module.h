// A module of tf that is made of files of shell/tf/python.
#pragma once

#include "shell/lang/library.h"
#include "shell/values/native.h"

// Defines a function that answers the module tf.PATH, of the files named behind it.
#define TENSH_LIBRARY_MODULE(Function, path, ...)                                                  \
  const ModuleDef& Function() {                                                                    \
    static constexpr const char* files[] = {__VA_ARGS__};                                          \
    static const ModuleDef module = {                                                              \
        .name = "tensorflow." path,                                                                \
        .missing = [](StrObject* name) { return FromLibraries("tensorflow." path, files, name); }, \
        .short_name = "tf." path};                                                                 \
    return module;                                                                                 \
  }
