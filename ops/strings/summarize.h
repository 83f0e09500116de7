#pragma once
// Formats a tensor like TensorFlow's Print and Assert: "[1 2][3]...", with a limit on the elements;
// and writes what a graph prints.
#include <cstdio>
#include <string>

#include "runtime/core/tensor.h"

namespace tensh::ops {

// Formats the first `max_elements` elements (all if negative), with nested brackets for the inner
// dimensions.
std::string Summarize(const Tensor& t, int64_t max_elements);
// Formats one element: numbers with the fewest digits that read back exactly (up to 6, otherwise 9
// or 17), booleans as 0 and 1, strings with C escapes.
std::string ElementText(const Tensor& t, int64_t i);

// Writes a text to stdout or stderr with a single call, which keeps lines of different threads
// apart. If the graph may be a stranger's, because its files are limited, control characters and
// invalid UTF-8 are written as \x1b, except newlines and tabs.
void PrintFromGraph(const std::string& text, std::FILE* stream);

}  // namespace tensh::ops
