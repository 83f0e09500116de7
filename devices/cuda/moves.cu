// The kernels of DeviceMoves: copies of boxes and runs, and fills.
#include "devices/cuda/moves.h"

#include <algorithm>
#include <cstring>

#include "devices/cuda/cuda_view.h"
#include "runtime/core/strcat.h"

namespace tensh::cuda {
namespace {

constexpr int kMaxDims = Shape::kMaxLoopRank;  // also of ops::BoxCopy

struct Box {
  int rank = 0;
  Divider dims[kMaxDims];
  int64_t src[kMaxDims], dst[kMaxDims];

  void Add(int64_t extent, int64_t from, int64_t to) {
    dims[rank] = Divider(extent);
    src[rank] = from;
    dst[rank++] = to;
  }
  // Computes the positions of element i in both arrays.
  TENSH_DEVICE void Find(int64_t i, int64_t& from, int64_t& to) const {
    from = to = 0;
    for (int d = rank - 1; d > 0; --d) {
      const int64_t index = dims[d].Take(i);
      from += index * src[d];
      to += index * dst[d];
    }
    if (rank) from += i * src[0], to += i * dst[0];
  }
};

struct Pair {
  uint64_t low, high;
};

// Calls fn with a number of the given size. The sizes are those of the types that GPUs support.
template <class Fn>
void WithSize(int64_t size, Fn fn) {
  if (size == 1) return fn(uint8_t{});
  if (size == 2) return fn(uint16_t{});
  if (size == 4) return fn(uint32_t{});
  if (size == 8) return fn(uint64_t{});
  if (size == 16) return fn(Pair{});
}

// Keeps the failure of a launch until the step waits for the GPU, because the functions below cannot
// return it.
void KeepFailure(KernelCtx& c, Status status) {
  if (!status.ok()) StreamOf(c).Fail(std::move(status));
}

template <class E>
void Copy(KernelCtx& c, void* to, const void* from, const Box& box, int64_t n) {
  const auto out = Elements<E>(to, n);
  const auto in = Elements<const E>(const_cast<void*>(from), n);
  KeepFailure(c, ForEach(c, n, [=] TENSH_DEVICE(int64_t i) {
    int64_t from, to;
    box.Find(i, from, to);
    out[to] = in[from];
  }));
}

// A transposition: `columns` are adjacent in the source, `rows` in the destination. `rest` has the
// other dimensions.
struct Tiles {
  Box rest;
  int64_t rows, row_step;        // the step between rows in the source
  int64_t columns, column_step;  // the step between columns in the destination
};

// Finds the two dimensions of a transposition. Returns false if the elements that are adjacent in
// the source stay adjacent, or if there are too few of them for tiles.
bool MakeTiles(int rank, const int64_t* dims, const int64_t* src, const int64_t* dst, Tiles& tiles) {
  constexpr int64_t kFewest = 8;
  int row = -1, column = -1;
  for (int d = 0; d < rank; ++d) {
    if (dims[d] < kFewest) continue;
    if (src[d] == 1) column = d;
    if (dst[d] == 1) row = d;
  }
  if (row < 0 || column < 0 || row == column) return false;
  tiles.rows = dims[row], tiles.row_step = src[row];
  tiles.columns = dims[column], tiles.column_step = dst[column];
  for (int d = 0; d < rank; ++d)
    if (d != row && d != column) tiles.rest.Add(dims[d], src[d], dst[d]);
  return true;
}

template <class E>
constexpr int kTile = sizeof(E) <= 4 ? 32 : 16;  // rows and columns

// Copies tiles through the memory of a block, so that it reads and writes adjacent elements.
template <class E>
void Transpose(KernelCtx& c, void* to, const void* from, const Tiles& tiles, int64_t n) {
  constexpr int kSide = kTile<E>;
  const auto out = Elements<E>(to, n);
  const auto in = Elements<const E>(const_cast<void*>(from), n);
  const int64_t down = (tiles.rows + kSide - 1) / kSide, across = (tiles.columns + kSide - 1) / kSide;
  const Divider by_down(down), by_across(across);
  const int64_t boxes = n / (tiles.rows * tiles.columns);
  KeepFailure(c, ForTeams(c, boxes * down * across, kThreads, [=] TENSH_DEVICE(Team team, int64_t box) {
    const int64_t column = by_across.Take(box) * kSide, row = by_down.Take(box) * kSide;
    int64_t a, b;
    tiles.rest.Find(box, a, b);
    E* const tile = team.Room<E, kSide * kSide>();
    // Swizzled, so that neither the rows nor the columns of a tile share a bank of the memory.
    const auto at = [](int r, int k) { return r * kTile<E> + (k ^ r); };
    for (int i = team.me(); i < kSide * kSide; i += team.size()) {
      const int r = i / kSide, k = i % kSide;
      if (row + r < tiles.rows && column + k < tiles.columns)
        tile[at(r, k)] = in[a + (row + r) * tiles.row_step + column + k];
    }
    team.Sync();
    for (int i = team.me(); i < kSide * kSide; i += team.size()) {
      const int k = i / kSide, r = i % kSide;
      if (row + r < tiles.rows && column + k < tiles.columns)
        out[b + (column + k) * tiles.column_step + row + r] = tile[at(r, k)];
    }
  }));
}

// Returns a copy of the list in device memory, or an empty tensor if there is no list.
Result<Tensor> Uploaded(KernelCtx& c, const int64_t* list, int64_t n) {
  if (!list) return Tensor();
  TENSH_ASSIGN(const Tensor here, Tensor::Make(DType::kInt64, Shape({n})));
  std::copy_n(list, n, here.data<int64_t>());
  return here.CopyTo(c.allocator());
}

template <class E>
void CopyListed(KernelCtx& c, void* to, const Tensor& to_run, const void* from,
                const Tensor& from_run, int64_t runs, int64_t n) {
  // Only the device can read the lists, so the true sizes of the tensors are unknown. Elements just
  // needs to know whether they are empty.
  const auto out = Elements<E>(to, runs * n);
  const auto in = Elements<const E>(const_cast<void*>(from), runs * n);
  const bool listed_to{to_run}, listed_from{from_run};
  const auto place = listed_to ? In<int64_t>(to_run) : Dev<const int64_t>{};
  const auto source = listed_from ? In<int64_t>(from_run) : Dev<const int64_t>{};
  KeepFailure(c, ForEach(c, runs * n, [=] TENSH_DEVICE(int64_t i) {
    const int64_t run = i / n, k = i % n;
    const int64_t b = listed_to ? place[run] : run, a = listed_from ? source[run] : run;
    if (b >= 0) out[b * n + k] = in[a * n + k];
  }));
}

template <class E>
void FillAll(KernelCtx& c, void* to, const void* value, int64_t n) {
  E one;
  std::memcpy(&one, value, sizeof one);
  const auto out = Elements<E>(to, n);
  KeepFailure(c, ForEach(c, n, [=] TENSH_DEVICE(int64_t i) { out[i] = one; }));
}

template <class T>
bool AddAll(KernelCtx& c, void* to, const void* x, const void* y, int64_t n) {
  const auto out = Elements<T>(to, n);
  const auto a = Elements<const T>(const_cast<void*>(x), n);
  const auto b = Elements<const T>(const_cast<void*>(y), n);
  KeepFailure(c, ForEach(c, n, [=] TENSH_DEVICE(int64_t i) {
    out[i] = static_cast<T>(static_cast<Computed<T>>(a[i]) + static_cast<Computed<T>>(b[i]));
  }));
  return true;
}

// Bytes that a launch takes along as a parameter, of which CUDA allows 4 KB.
template <int kBytes>
struct Parcel {
  uint8_t at[kBytes];
};

template <int kBytes>
Status Put(KernelCtx& c, void* to, const void* host, size_t bytes) {
  Parcel<kBytes> parcel;
  std::memcpy(parcel.at, host, bytes);
  const auto n = static_cast<int64_t>(bytes);
  const auto out = Elements<uint8_t>(to, n);
#ifndef __CUDACC__
  FakeDriver::Current()->Note(StrCat("put ", bytes));
#endif
  return ForEach(c, n, [=] TENSH_DEVICE(int64_t i) { out[i] = parcel.at[i]; });
}

}  // namespace

Status PutBytes(KernelCtx& c, void* to, const void* host, size_t bytes) {
  return bytes <= 64 ? Put<64>(c, to, host, bytes)
                     : Put<static_cast<int>(kPutBytes)>(c, to, host, bytes);
}

void MoveBox(KernelCtx& c, int64_t element_size, void* dst, const void* src, int rank,
             const int64_t* dims, const int64_t* src_stride, const int64_t* dst_stride) {
  Box box;
  int64_t n = 1;
  for (int d = 0; d < rank; ++d) {
    box.Add(dims[d], src_stride[d], dst_stride[d]);
    n *= dims[d];
  }
  Tiles tiles;
  const bool tiled = n && MakeTiles(rank, dims, src_stride, dst_stride, tiles);
  WithSize(element_size, [&]<class E>(E) {
    if (tiled)
      Transpose<E>(c, dst, src, tiles, n);
    else
      Copy<E>(c, dst, src, box, n);
  });
}

Status MoveRuns(KernelCtx& c, int64_t element_size, void* dst, const int64_t* dst_run,
                const void* src, const int64_t* src_run, int64_t runs, int64_t n) {
  if (!runs || !n) return {};
  TENSH_ASSIGN(const Tensor to, Uploaded(c, dst_run, runs));
  TENSH_ASSIGN(const Tensor from, Uploaded(c, src_run, runs));
  WithSize(element_size, [&]<class E>(E) { CopyListed<E>(c, dst, to, src, from, runs, n); });
  return {};
}

void FillOnDevice(KernelCtx& c, int64_t element_size, void* dst, const void* value, int64_t n) {
  WithSize(element_size, [&]<class E>(E) { FillAll<E>(c, dst, value, n); });
}

bool AddOnDevice(KernelCtx& c, DType dtype, void* dst, const void* a, const void* b, int64_t n) {
  switch (dtype) {
    case DType::kFloat:
      return AddAll<float>(c, dst, a, b, n);
    case DType::kDouble:
      return AddAll<double>(c, dst, a, b, n);
    case DType::kHalf:
      return AddAll<Half>(c, dst, a, b, n);
    case DType::kBfloat16:
      return AddAll<Bfloat16>(c, dst, a, b, n);
    case DType::kInt64:
      return AddAll<uint64_t>(c, dst, a, b, n);
    default:
      return false;
  }
}

}  // namespace tensh::cuda
