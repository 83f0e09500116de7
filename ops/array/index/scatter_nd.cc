#include "ops/array/index/scatter_nd.h"

#include "ops/support/shape_util.h"

namespace tensh::ops {

Status BadIndexState::Read(PrepareCtx& c) {
  const AttrValue* policy = c.attrs().Find("bad_indices_policy");  // absent in some ops
  const std::string name = policy ? *policy->Find<std::string>() : "";
  ignore = name == "IGNORE";
  if (ignore || name.empty() || name == "DEFAULT" || name == "ERROR") return {};
  return InvalidArgument("Unknown bad indices handling attribute: ", name);
}

Status ScatterPlaces(const Shape& shape, const Tensor& indices, bool ignore_bad,
                     std::vector<int64_t>& places, int64_t& run) {
  const int depth = static_cast<int>(indices.dim(indices.rank() - 1));
  run = 1;
  for (int i = depth; i < shape.rank(); ++i) run *= shape[i];
  int64_t rows = 1;
  for (int i = 0; i + 1 < indices.rank(); ++i) rows *= indices.dim(i);
  places.resize(static_cast<size_t>(rows));
  for (int64_t r = 0; r < rows; ++r) {
    int64_t number = 0;
    for (int k = 0; k < depth && number >= 0; ++k) {
      const int64_t at = IndexAt(indices, r * depth + k);
      const bool bad = at < 0 || at >= shape[k];
      if (bad && !ignore_bad) {
        std::string text;
        for (int i = 0; i < depth; ++i)
          text += StrCat(i ? ", " : "", IndexAt(indices, r * depth + i));
        return InvalidArgument("indices[", r, "] = [", text, "] does not index into shape ", shape);
      }
      number = bad ? -1 : number * shape[k] + at;
    }
    places[static_cast<size_t>(r)] = number < 0 ? -1 : number * run;
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

Status CheckIndexDepth(const Shape& params, const Shape& indices) {
  if (indices.rank() < 1) return InvalidArgument("indices must be at least a vector");
  if (indices[indices.rank() - 1] > params.rank())
    return InvalidArgument("index innermost dimension length must be <= params rank; saw: ",
                           indices[indices.rank() - 1], " vs. ", params.rank());
  return {};
}

Result<Shape> GatherNdShape(const Shape& params, const Shape& indices) {
  int64_t dims[2 * Shape::kMaxRank];
  size_t rank = 0;
  for (int i = 0; i + 1 < indices.rank(); ++i) dims[rank++] = indices[i];
  for (int i = static_cast<int>(indices[indices.rank() - 1]); i < params.rank(); ++i)
    dims[rank++] = params[i];
  return Shape::Make({dims, rank}, false);
}

Result<Shape> GatherNdOutput(const Shape& params, const Shape& indices) {
  if (params.rank() < 1) return InvalidArgument("params must be at least a vector");
  TENSH_RETURN_IF_ERROR(CheckIndexDepth(params, indices));
  TENSH_ASSIGN(Shape shape, GatherNdShape(params, indices));
  if (!params.num_elements() && shape.num_elements())
    return InvalidArgument("Requested more than 0 entries, but params is empty.  Params shape: ",
                           params);
  return shape;
}

Status CheckUpdatesNd(const Shape& indices, const Shape& updates, const Shape& shape) {
  if (!shape.num_elements() && (indices.num_elements() || updates.num_elements()))
    return InvalidArgument("Indices and updates specified for empty output.  indices shape: ",
                           indices);
  TENSH_RETURN_IF_ERROR(CheckIndexDepth(shape, indices));
  int outer = indices.rank() - 1, depth = static_cast<int>(indices[outer]);
  bool fits = updates.rank() >= outer;
  for (int i = 0; fits && i < outer; ++i) fits = indices[i] == updates[i];
  if (!fits)
    return InvalidArgument("Dimensions [0,", outer, ") of indices[shape=", indices,
                           "] must match dimensions [0,", outer, ") of updates[shape=", updates,
                           "]");
  fits = updates.rank() - outer == shape.rank() - depth;
  for (int i = depth; fits && i < shape.rank(); ++i) fits = shape[i] == updates[outer + i - depth];
  if (!fits)
    return InvalidArgument("Dimensions [", depth, ",", shape.rank(), ") of input[shape=", shape,
                           "] must match dimensions [", outer, ",", updates.rank(),
                           ") of updates[shape=", updates, "]");
  return {};
}

}  // namespace tensh::ops
