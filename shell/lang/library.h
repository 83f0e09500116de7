// Modules in Python, run by our own interpreter: small ones of the standard library
// (shell/lang/python) and the part of the TF 1.x API that TensorFlow itself composes of its own
// public functions (shell/tf/python: layers, RNN cells, metrics, …). A file is compiled into the
// program as text and loaded when a name of its is first asked for. It has globals of its own, and
// tracebacks never show it: an error is at the user's call.
//
// Threads: the interpreter's. Loaded files belong to the interpreter and go with it.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "shell/values/value.h"

namespace tensh::shell {

class StrObject;

struct PythonFile {
  const char* name;  // "layers" for python/layers.py
  const char* text;
};
std::span<const PythonFile> PythonFiles();  // generated

// What the file defines under that name; null: nothing.
Value FromLibrary(std::string_view file, StrObject* name);
std::vector<std::string> LibraryNames(std::string_view file);
void ForgetLibraries();  // when an interpreter starts

// A module's `missing` is asked for this name by dir(); it answers with LibraryDir, or as if it had
// none.
constexpr std::string_view kDirName = "__dir__";
Value LibraryDir(std::span<const char* const> files);

// As FromLibrary, over the files in order; AttributeError with the nearest name when it is in none.
Value FromLibraries(std::string_view module, std::span<const char* const> files, StrObject* name);

}  // namespace tensh::shell
