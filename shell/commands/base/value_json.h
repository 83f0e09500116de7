// A tensor as data for shell/page/values.js: statistics, a histogram, and its elements as cells. Pure
// functions; thread-safe.
#pragma once

#include <cstdint>
#include <string>

#include "shell/client/client.h"
#include "shell/python/values/value.h"

namespace tensh::shell {

// Returns a JSON object with the type, the text, and for numbers: count, nan, inf, zeros, min, mean,
// max, sd, histogram (of the finite elements) and cells. A matrix is a grid of cells, a vector is one
// row, and an image ([h,w,c] or [n,h,w,c] with 1, 3 or 4 channels) has channels in [0, 1]. A large
// grid is reduced: a cell is the mean of its block, or "nan" or "inf" if the block contains one. Of a
// tensor with more dimensions, the cells are those of part `slice` of its leading dimensions.
std::string TensorJson(const TensorHandle& tensor, int64_t times, size_t slice);
// Returns a value as JSON: numbers, strings, lists, arrays (as nested lists) and dicts. Any other
// value becomes its str().
std::string ValueJson(const Value& value);
// Returns a number, or the text "nan", "inf" or "-inf", as JSON.
std::string NumberJson(double value);

}  // namespace tensh::shell
