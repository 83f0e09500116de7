// NearestNeighbors: for each point, the nearest of several centers.
#include <algorithm>
#include <numeric>

#include "ops/op_file.h"
#include "ops/support/shape_util.h"

namespace tensh::ops {
namespace {

double SquaredDistance(const float* a, const float* b, int64_t n) {
  double sum = 0;
  for (int64_t i = 0; i < n; ++i) {
    const double d = static_cast<double>(a[i]) - static_cast<double>(b[i]);
    sum += d * d;
  }
  return sum;
}

Status NearestNeighbors(KernelCtx& c) {
  const Tensor &points = c.in(0), &centers = c.in(1);
  const int64_t n = points.dim(0), m = centers.dim(0), size = points.dim(1);
  const int64_t k = std::min(*c.in(2).data<int64_t>(), m);
  if (n == 0) return InvalidArgument("Expected points.rows() > 0.");
  if (centers.dim(1) != size)
    return InvalidArgument("Number of coordinates must be same in points and centers");
  if (k <= 0) return InvalidArgument("k must be positive and there must be centers, got k ", k);
  TENSH_OUTPUT(indices, c.Output(0, Shape({n, k})));
  TENSH_OUTPUT(distances, c.Output(1, Shape({n, k})));
  const float *x = points.data<float>(), *y = centers.data<float>();
  int64_t* index_out = indices->data<int64_t>();
  float* distance_out = distances->data<float>();
  const double cost = static_cast<double>(m) * static_cast<double>(size + k);
  c.ParallelFor(n, cost, [=](int64_t begin, int64_t end) {
    std::vector<std::pair<double, int64_t>> all(static_cast<size_t>(m));
    for (int64_t p = begin; p < end; ++p) {
      for (int64_t i = 0; i < m; ++i)
        all[static_cast<size_t>(i)] = {SquaredDistance(x + p * size, y + i * size, size), i};
      std::partial_sort(all.begin(), all.begin() + k, all.end());
      for (int64_t i = 0; i < k; ++i) {
        index_out[p * k + i] = all[static_cast<size_t>(i)].second;
        distance_out[p * k + i] = static_cast<float>(all[static_cast<size_t>(i)].first);
      }
    }
  });
  return {};
}

}  // namespace

TENSH_OPS(math_nearest_neighbors) {
  r.Op({.name = "NearestNeighbors",
        .inputs = "points: float, centers: float, k: int64",
        .outputs = "nearest_center_indices: int64, nearest_center_distances: float",
        .doc = "For each row of points, the k nearest rows of centers, the nearest first: their "
               "indices, nearest_center_indices, and their squared distances, "
               "nearest_center_distances.",
        .contract = "points: matrix, centers: matrix, k: scalar",
        .shape = UnknownOutputs,
        .examples = {{"tf.raw_ops.NearestNeighbors(points=[[0., 1.]], centers=[[3., 1.], [0., "
                      "2.]], k=tf.constant(2, tf.int64))[0]",
                      "[[1 0]]"}}})
      .CpuAny(NearestNeighbors);
}

}  // namespace tensh::ops
