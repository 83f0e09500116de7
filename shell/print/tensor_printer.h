// Formatting of arrays, byte for byte as numpy 1.14 to 1.26 print them: str() and repr() of any
// strided block of elements.
//
// The functions depend only on the view, which does not own the elements. Thread-safe.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "shell/text/float_text.h"

namespace tensh::shell {

// Element types in addition to the C API's TSH_* codes (see shell/client/client.h). TSH_STRING is numpy's
// array of bytes objects, which is the result of fetching a string tensor.
enum : int {
  kDTypeUnicode = 40,  // '<U5'
  kDTypeBytes = 41,    // '|S5'
  kDTypeObject = 42,   // any Python values
};

// The options of np.set_printoptions.
struct PrintOptions {
  enum class FloatMode : uint8_t { kFixed, kUnique, kMaxPrec, kMaxPrecEqual };
  int precision = 8;
  int64_t threshold = 1000;
  int64_t edgeitems = 3;
  int64_t linewidth = 75;
  bool suppress = false;
  std::string nanstr = "nan";
  std::string infstr = "inf";
  char sign = '-';  // '-', '+' or ' '
  FloatMode floatmode = FloatMode::kMaxPrec;
};

// A strided block of elements in memory. An element of a number type is at data + Σ index·stride
// bytes. For text and objects, strides count elements and text(offset) returns the repr of an
// element.
struct TensorView {
  int dtype = 0;
  std::span<const int64_t> dims;
  std::span<const int64_t> strides;
  const void* data = nullptr;
  std::function<std::string(int64_t offset)> text;
  std::string dtype_name;  // The name that repr writes after dtype=: "float32", "'<U5'", "object".
};

// Returns str(): "[1. 2.]". A 0-d view is printed as a scalar: "1.0" (text and objects: their
// repr).
std::string TensorStr(const TensorView& v, const PrintOptions& options);
// Returns repr(): "array([1., 2.], dtype=float32)".
std::string TensorRepr(const TensorView& v, const PrintOptions& options);
// Returns only the elements, with any separator. Continuation lines are indented by `indent` more
// columns.
std::string TensorBody(const TensorView& v, const PrintOptions& options,
                       const std::string& separator, int64_t indent, int64_t suffix);
// Returns str() of one number: "3.0", "True", "(1+2j)".
std::string NumberText(int dtype, const void* element);

// Returns the number of code points in UTF-8 text, like Python's len().
int64_t CodePoints(const std::string& text);

}  // namespace tensh::shell
