// Arrays as text, byte for byte as numpy 1.14 to 1.26 print them: str() and repr() of any strided
// block of elements. Depends on nothing but the view it is given; the view borrows. Any thread.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "shell/print/float_text.h"

namespace tensh::shell {

// Element kinds beyond the C API's TSH_* codes (see shell/client.h). TSH_STRING itself is numpy's
// array of bytes objects, what a run gives for a string tensor.
enum : int {
  kDTypeUnicode = 40,  // '<U5'
  kDTypeBytes = 41,    // '|S5'
  kDTypeObject = 42,   // any Python values
};

// How arrays are printed: np.set_printoptions.
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

// Elements in memory. Numbers: data + Σ index·stride bytes. Text and objects: strides count
// elements and text(offset) gives an element's repr.
struct TensorView {
  int dtype = 0;
  std::span<const int64_t> dims;
  std::span<const int64_t> strides;
  const void* data = nullptr;
  std::function<std::string(int64_t offset)> text;
  std::string dtype_name;  // what repr writes after dtype=: "float32", "'<U5'", "object"
};

// str(): "[1. 2.]". A 0-d view prints its scalar: "1.0" (text and objects: their repr).
std::string TensorStr(const TensorView& v, const PrintOptions& options);
// repr(): "array([1., 2.], dtype=float32)".
std::string TensorRepr(const TensorView& v, const PrintOptions& options);
// The elements alone with any separator, continuation lines indented by `indent` more columns.
std::string TensorBody(const TensorView& v, const PrintOptions& options,
                       const std::string& separator, int64_t indent, int64_t suffix);
// str() of one number: "3.0", "True", "(1+2j)".
std::string NumberText(int dtype, const void* element);

// Code points of UTF-8 text: what Python's len() says.
int64_t CodePoints(const std::string& text);

}  // namespace tensh::shell
