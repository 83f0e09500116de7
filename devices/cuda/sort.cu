// Sorting by CUB, whose headers come with nvcc. For the fake GPU, std::stable_sort.
#include "devices/cuda/cuda_sort.h"

#ifdef __CUDACC__
#include <cub/device/device_radix_sort.cuh>
#else
#include <numeric>
#endif

namespace tensh::cuda {

#ifdef __CUDACC__
Result<Pairs> SortPairs(KernelCtx& c, const Pairs& pairs, int bits) {
  CudaStream& s = StreamOf(c);
  TENSH_RETURN_IF_ERROR(s.driver().Use(s.gpu()));
  const int64_t n = pairs.keys.num_elements();
  TENSH_ASSIGN(const Pairs sorted, Pairs::Make(c, n));
  const auto sort = [&](void* room, size_t& bytes) {
    return cub::DeviceRadixSort::SortPairs(
        room, bytes, In<uint64_t>(pairs.keys).at, Out<uint64_t>(sorted.keys).at,
        In<int64_t>(pairs.values).at, Out<int64_t>(sorted.values).at, n, 0, bits,
        static_cast<cudaStream_t>(s.stream()));
  };
  size_t bytes = 0;
  cudaError_t error = sort(nullptr, bytes);
  if (error == cudaSuccess) {
    TENSH_ASSIGN(const Tensor room, Scratch(c, DType::kUint8, static_cast<int64_t>(bytes)));
    error = sort(room.raw(), bytes);
  }
  TENSH_RETURN_IF_ERROR(s.driver().Launched());
  if (error != cudaSuccess)
    return Internal("sorting ", n, " pairs on a GPU: ", cudaGetErrorString(error));
  return sorted;
}
#else
Result<Pairs> SortPairs(KernelCtx& c, const Pairs& pairs, int bits) {
  CudaStream& s = StreamOf(c);
  const int64_t n = pairs.keys.num_elements();
  TENSH_ASSIGN(const Pairs sorted, Pairs::Make(c, n));
  const auto key = In<uint64_t>(pairs.keys);
  const auto value = In<int64_t>(pairs.values);
  const auto key_out = Out<uint64_t>(sorted.keys);
  const auto value_out = Out<int64_t>(sorted.values);
  auto& fake = static_cast<FakeDriver&>(s.driver());
  fake.Do(s.stream(), [=, &fake] {
    const size_t bytes = static_cast<size_t>(n) * sizeof(uint64_t);
    if (FakeChecks* checks = fake.checks()) {
      checks->Read("a sort", key.at, bytes);
      checks->Read("a sort", value.at, bytes);
      checks->Wrote("a sort", key_out.at, bytes);
      checks->Wrote("a sort", value_out.at, bytes);
    }
    const uint64_t mask = bits < 64 ? (uint64_t{1} << bits) - 1 : ~uint64_t{0};
    std::vector<int64_t> order(static_cast<size_t>(n));
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(),
                     [=](int64_t a, int64_t b) { return (key[a] & mask) < (key[b] & mask); });
    for (size_t i = 0; i < order.size(); ++i) {
      key_out.at[i] = key[order[i]];
      value_out.at[i] = value[order[i]];
    }
  });
  TENSH_RETURN_IF_ERROR(s.driver().Launched());
  return sorted;
}
#endif

}  // namespace tensh::cuda
