#include "devices/cuda/moves.h"

#include <cstring>

#include "devices/cuda/cuda_view.h"

namespace tensh::cuda {
namespace {

constexpr int kMaxDims = 2 * Shape::kMaxRank;

struct Box {
  int rank;
  int64_t dims[kMaxDims], src[kMaxDims], dst[kMaxDims];
};

struct Pair {
  uint64_t low, high;
};

// fn(an element of that many bytes); what CopyBox and Fill are asked for is one of them.
template <class Fn>
void WithSize(int64_t size, Fn fn) {
  if (size == 1) return fn(uint8_t{});
  if (size == 2) return fn(uint16_t{});
  if (size == 4) return fn(uint32_t{});
  if (size == 8) return fn(uint64_t{});
  if (size == 16) return fn(Pair{});
}

template <class E>
void Copy(KernelCtx& c, void* to, const void* from, const Box& box, int64_t n) {
  const auto out = Elements<E>(to, n);
  const auto in = Elements<const E>(const_cast<void*>(from), n);
  (void)ForEach(c, n, [=] TENSH_DEVICE(int64_t i) {
    int64_t a = 0, b = 0;
    for (int d = box.rank - 1; d >= 0; --d) {
      const int64_t index = i % box.dims[d];
      i /= box.dims[d];
      a += index * box.src[d];
      b += index * box.dst[d];
    }
    out[b] = in[a];
  });
}

template <class E>
void FillAll(KernelCtx& c, void* to, const void* value, int64_t n) {
  E one;
  std::memcpy(&one, value, sizeof one);
  const auto out = Elements<E>(to, n);
  (void)ForEach(c, n, [=] TENSH_DEVICE(int64_t i) { out[i] = one; });
}

}  // namespace

void MoveBox(KernelCtx& c, int64_t element_size, void* dst, const void* src, int rank,
             const int64_t* dims, const int64_t* src_stride, const int64_t* dst_stride) {
  Box box{rank, {}, {}, {}};
  int64_t n = 1;
  for (int d = 0; d < rank; ++d) {
    box.dims[d] = dims[d];
    box.src[d] = src_stride[d];
    box.dst[d] = dst_stride[d];
    n *= dims[d];
  }
  WithSize(element_size, [&]<class E>(E) { Copy<E>(c, dst, src, box, n); });
}

void FillOnDevice(KernelCtx& c, int64_t element_size, void* dst, const void* value, int64_t n) {
  WithSize(element_size, [&]<class E>(E) { FillAll<E>(c, dst, value, n); });
}

}  // namespace tensh::cuda
