#include "ops/io/slice_spec.h"

#include <charconv>

namespace tensh::ops {
namespace {

Status BadSlice(const std::string& text) {
  return InvalidArgument("Need a shape and a slice specification like '10 20 0,5:-', got: ", text);
}

}  // namespace

Result<SliceSpec> ParseSlice(const std::string& text) {
  SliceSpec spec;
  size_t at = 0;
  std::vector<int64_t> dims;
  auto number = [&](int64_t& out) {
    const auto [end, error] = std::from_chars(text.data() + at, text.data() + text.size(), out);
    at = static_cast<size_t>(end - text.data());
    return error == std::errc() && out >= 0;
  };
  const size_t last = text.rfind(' ');
  if (last == text.npos) return BadSlice(text);
  while (at < last) {
    int64_t d;
    if (!number(d) || text[at] != ' ') return BadSlice(text);
    dims.push_back(d);
    ++at;
  }
  TENSH_ASSIGN(spec.full, Shape::Make(dims, true));
  for (size_t i = 0; i < dims.size(); ++i) {
    if (i && (at >= text.size() || text[at++] != ':')) return BadSlice(text);
    if (at < text.size() && text[at] == '-') {
      ++at;
      spec.parts.emplace_back(0, dims[i]);
      continue;
    }
    int64_t start, length;
    if (!number(start) || at >= text.size() || text[at++] != ',' || !number(length))
      return BadSlice(text);
    if (start > dims[i] || length > dims[i] - start)
      return Internal("Extent in dimension ", i, " out of bounds: ", text);
    spec.parts.emplace_back(start, length);
  }
  if (at != text.size()) return BadSlice(text);
  return spec;
}

}  // namespace tensh::ops
