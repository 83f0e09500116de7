#include "ops/support/scatter_nd.h"

#include "ops/support/shape_util.h"

namespace tensh::ops {

Status ScatterPlaces(const Shape& shape, const Tensor& indices, std::vector<int64_t>& places,
                     int64_t& run) {
  const int depth = static_cast<int>(indices.dim(indices.rank() - 1));
  run = 1;
  for (int i = depth; i < shape.rank(); ++i) run *= shape[i];
  int64_t rows = 1;
  for (int i = 0; i + 1 < indices.rank(); ++i) rows *= indices.dim(i);
  places.resize(static_cast<size_t>(rows));
  for (int64_t r = 0; r < rows; ++r) {
    int64_t number = 0;
    for (int k = 0; k < depth; ++k) {
      const int64_t at = IndexAt(indices, r * depth + k);
      if (at < 0 || at >= shape[k]) {
        std::string text;
        for (int i = 0; i < depth; ++i)
          text += StrCat(i ? ", " : "", IndexAt(indices, r * depth + i));
        return InvalidArgument("indices[", r, "] = [", text, "] does not index into shape ", shape);
      }
      number = number * shape[k] + at;
    }
    places[static_cast<size_t>(r)] = number * run;
  }
  return {};
}

Status CheckScatterNd(const Shape& tensor, const Shape& indices, const Shape& updates) {
  if (tensor.has_rank() && tensor.rank() < 1)
    return InvalidArgument("Output must be at least 1-D, got shape: ", tensor);
  if (indices.rank() < 1)
    return InvalidArgument("Indices shape must have rank at least one. Found: ", indices);
  const int outer = indices.rank() - 1;
  const int64_t depth = indices[outer];
  if (depth < 0) return {};
  if (tensor.has_rank() && depth > tensor.rank())
    return InvalidArgument("The inner dimension of indices, ", depth,
                           ", is greater than the rank of the tensor, ", tensor.rank());
  bool fits = tensor.has_rank() ? updates.rank() == outer + tensor.rank() - static_cast<int>(depth)
                                : updates.rank() >= outer;
  auto same = [](int64_t a, int64_t b) { return a < 0 || b < 0 || a == b; };
  for (int i = 0; fits && i < outer; ++i) fits = same(indices[i], updates[i]);
  for (int i = outer; tensor.has_rank() && fits && i < updates.rank(); ++i)
    fits = same(updates[i], tensor[i - outer + static_cast<int>(depth)]);
  if (!fits)
    return InvalidArgument("Dimensions of updates ", updates, " must be those of indices ", indices,
                           " and the rest of the tensor's ", tensor);
  return {};
}

}  // namespace tensh::ops
