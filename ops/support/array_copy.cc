#include "ops/support/array_copy.h"

#include <algorithm>
#include <cstring>

#include "ops/support/transpose4.h"
#include "runtime/core/device/device_moves.h"
#include "runtime/core/variant.h"

namespace tensh::ops {
namespace {

// Opaque elements of one size. They may alias any type, so that elements are copied without regard
// to their real type.
struct [[gnu::may_alias]] Bytes1 {
  uint8_t v;
};
struct [[gnu::may_alias]] Bytes2 {
  uint16_t v;
};
struct [[gnu::may_alias]] Bytes4 {
  uint32_t v;
};
struct [[gnu::may_alias]] Bytes8 {
  uint64_t v;
};
struct [[gnu::may_alias]] Bytes16 {
  uint64_t v, w;
};

// True if elements are copied by their bytes.
bool IsPlain(DType dtype) {
  return dtype != DType::kString && dtype != DType::kResource && dtype != DType::kVariant;
}

// Calls fn.operator()<E>(), where E is the element type by which `dtype` is copied.
template <class Fn>
void WithElement(DType dtype, Fn fn) {
  if (dtype == DType::kString) return fn.template operator()<std::string>();
  if (dtype == DType::kResource) return fn.template operator()<ResourceHandle>();
  if (dtype == DType::kVariant) return fn.template operator()<Variant>();
  switch (SizeOf(dtype)) {
    case 1:
      return fn.template operator()<Bytes1>();
    case 2:
      return fn.template operator()<Bytes2>();
    case 4:
      return fn.template operator()<Bytes4>();
    case 8:
      return fn.template operator()<Bytes8>();
    case 16:
      return fn.template operator()<Bytes16>();
    default:
      return;  // no other type has elements to copy
  }
}

template <class E>
void CopyRun(E* dst, const E* src, int64_t n) {
  constexpr int64_t kInlineRun = 16;  // elements; for shorter runs, a call costs more than the loop
  if constexpr (std::is_trivially_copyable_v<E>) {
    if (n > kInlineRun) {
      std::memcpy(dst, src, static_cast<size_t>(n) * sizeof(E));
      return;
    }
  }
  for (int64_t i = 0; i < n; ++i) dst[i] = src[i];
}

// Writes `times` copies of a run of n elements, one after the other.
template <class E>
void RepeatRun(E* dst, const E* src, int64_t n, int64_t times) {
  CopyRun(dst, src, n);
  if constexpr (std::is_trivially_copyable_v<E>) {
    // Each copy doubles the written part, up to a size that fits into the L1 cache.
    constexpr int64_t kMostBytes = 1 << 14;
    const int64_t most = std::max<int64_t>(n, kMostBytes / static_cast<int64_t>(sizeof(E)) / n * n);
    for (int64_t done = n, all = n * times; done < all;) {
      const int64_t more = std::min({done, most, all - done});
      std::memcpy(dst + done, dst, static_cast<size_t>(more) * sizeof(E));
      done += more;
    }
  } else {
    for (int64_t t = 1; t < times; ++t) CopyRun(dst + t * n, src, n);
  }
}

template <class E>
void CopyInner(E* dst, const E* src, int64_t n, int64_t src_stride, int64_t dst_stride) {
  if (src_stride == 1 && dst_stride == 1) {
    CopyRun(dst, src, n);
  } else if (src_stride == 0 && dst_stride == 1) {
    RepeatRun(dst, src, 1, n);
  } else if (src_stride == -1 && dst_stride == 1) {  // vectorized
    for (int64_t i = 0; i < n; ++i) dst[i] = src[-i];
  } else {
    for (int64_t i = 0; i < n; ++i) dst[i * dst_stride] = src[i * src_stride];
  }
}

// Calls fn(source offset, destination offset) for each index of the first `rank` dimensions.
template <class Fn>
void ForEachOuter(const BoxCopy& box, int rank, Fn fn) {
  int64_t index[BoxCopy::kMaxDims];
  std::fill_n(index, rank, 0);
  int64_t src = 0, dst = 0;
  while (true) {
    fn(src, dst);
    int i = rank - 1;
    for (; i >= 0; --i) {
      src += box.src[i];
      dst += box.dst[i];
      if (++index[i] < box.dims[i]) break;
      src -= box.src[i] * box.dims[i];
      dst -= box.dst[i] * box.dims[i];
      index[i] = 0;
    }
    if (i < 0) return;
  }
}

// Transposes a block of n x n elements into `block`.
template <class E, int64_t n>
void TransposeBlock(const E* src, int64_t src_row, E* block) {
  if constexpr (sizeof(E) == 4) {
    for (int64_t j = 0; j < n; j += 4)
      for (int64_t i = 0; i < n; i += 4) {
        Four rows[4];
        for (int64_t k = 0; k < 4; ++k)
          rows[k] = *reinterpret_cast<const Four*>(src + (j + k) * src_row + i);
        Transpose4(rows);
        for (int64_t k = 0; k < 4; ++k) *reinterpret_cast<Four*>(block + (i + k) * n + j) = rows[k];
      }
  } else {
    for (int64_t j = 0; j < n; ++j)
      for (int64_t i = 0; i < n; ++i) block[i * n + j] = src[j * src_row + i];
  }
}

// Copies dst[i * dst_row + j] = src[j * src_row + i] for i < rows and j < columns. A block of whole
// cache lines goes through a buffer, because rows that are a power of two apart share their place in
// the cache, where they would replace each other, and because single elements would fill the CPU's
// queue of stores. The next block is fetched meanwhile.
template <class E>
void TransposeTile(E* dst, int64_t dst_row, const E* src, int64_t src_row, int64_t rows,
                   int64_t columns) {
  constexpr int64_t kBlock = std::is_trivially_copyable_v<E> ? 64 / sizeof(E) : 0;
  if constexpr (kBlock > 0)
    if (rows == kBlock && columns == kBlock) {
      E block[kBlock * kBlock];
      for (int64_t j = 0; j < kBlock; ++j) {
        __builtin_prefetch(src + (j + kBlock) * src_row);
        __builtin_prefetch(dst + j * dst_row + kBlock);
      }
      TransposeBlock<E, kBlock>(src, src_row, block);
      for (int64_t i = 0; i < kBlock; ++i)
        std::memcpy(dst + i * dst_row, block + i * kBlock, kBlock * sizeof(E));
      return;
    }
  for (int64_t i = 0; i < rows; ++i)
    for (int64_t j = 0; j < columns; ++j) dst[i * dst_row + j] = src[j * src_row + i];
}

// Copies the last two dimensions in tiles, so that both sides use whole cache lines and few pages at
// a time. Requires that the source is contiguous in the first of them and the destination in the last.
template <class E>
void CopyTiled(E* dst, const E* src, const BoxCopy& box) {
  constexpr int64_t kTile = std::is_trivially_copyable_v<E> ? 64 / sizeof(E) : 16, kPages = 256;
  const int a = box.rank - 2, b = box.rank - 1;
  const int64_t rows = box.dims[a], columns = box.dims[b];
  for (int64_t i0 = 0; i0 < rows; i0 += kPages)
    for (int64_t j0 = 0; j0 < columns; j0 += kPages)
      for (int64_t i = i0; i < std::min(i0 + kPages, rows); i += kTile)
        for (int64_t j = j0; j < std::min(j0 + kPages, columns); j += kTile)
          TransposeTile(dst + i * box.dst[a] + j, box.dst[a], src + i + j * box.src[b], box.src[b],
                        std::min(kTile, rows - i), std::min(kTile, columns - j));
}

// Moves the dimension in which the source is contiguous to the last but one position, as CopyTiled
// requires. Returns false if tiling does not apply.
bool MakeTiled(BoxCopy& box) {
  int last = box.rank - 1;
  if (last < 1 || box.dst[last] != 1 || box.src[last] <= 1) return false;
  for (int i = 0; i < last; ++i) {
    if (box.src[i] != 1) continue;
    std::rotate(box.dims + i, box.dims + i + 1, box.dims + last);
    std::rotate(box.src + i, box.src + i + 1, box.src + last);
    std::rotate(box.dst + i, box.dst + i + 1, box.dst + last);
    return true;
  }
  return false;
}

template <class E>
void CopyPart(E* dst, const E* src, BoxCopy& box) {
  if (MakeTiled(box)) {
    ForEachOuter(box, box.rank - 2,
                 [&](int64_t s, int64_t d) { CopyTiled(dst + d, src + s, box); });
    return;
  }
  const int last = box.rank - 1;
  if (last > 0 && box.src[last - 1] == 0 && box.src[last] == 1 && box.dst[last] == 1 &&
      box.dst[last - 1] == box.dims[last]) {
    ForEachOuter(box, last - 1, [&](int64_t s, int64_t d) {
      RepeatRun(dst + d, src + s, box.dims[last], box.dims[last - 1]);
    });
    return;
  }
  ForEachOuter(box, last, [&](int64_t s, int64_t d) {
    CopyInner(dst + d, src + s, box.dims[last], box.src[last], box.dst[last]);
  });
}

}  // namespace

BoxCopy& BoxCopy::operator=(const BoxCopy& other) {
  if (this == &other) return *this;
  rank = other.rank;
  empty = other.empty;
  std::copy_n(other.dims, rank, dims);
  std::copy_n(other.src, rank, src);
  std::copy_n(other.dst, rank, dst);
  return *this;
}

void BoxCopy::Add(int64_t extent, int64_t src_stride, int64_t dst_stride) {
  empty |= extent == 0;
  if (empty || extent == 1) return;
  const int last = rank - 1;
  const bool continues =
      last >= 0 && src[last] == src_stride * extent && dst[last] == dst_stride * extent;
  TENSH_CHECK(continues || rank < kMaxDims, "a box of more elements than a tensor");
  const int at = continues ? last : rank++;
  dims[at] = continues ? dims[at] * extent : extent;
  src[at] = src_stride;
  dst[at] = dst_stride;
}

void CopyBox(KernelCtx& c, DType dtype, void* dst, const void* src, const BoxCopy& box) {
  if (box.empty) return;
  if (DeviceMoves* there = DeviceMoves::Of(c))
    return there->CopyBox(c, SizeOf(dtype), dst, src, box.rank, box.dims, box.src, box.dst);
  if (box.rank == 0) return CopyElements(dtype, dst, src, 1);
  int64_t inner = 1;
  for (int i = 1; i < box.rank; ++i) inner *= box.dims[i];
  double ns_per_row = 0.1 * static_cast<double>(inner) * static_cast<double>(SizeOf(dtype));
  WithElement(dtype, [&]<class E>() {
    c.ParallelFor(box.dims[0], ns_per_row, [&](int64_t begin, int64_t end) {
      BoxCopy part = box;
      part.dims[0] = end - begin;
      CopyPart(static_cast<E*>(dst) + begin * box.dst[0],
               static_cast<const E*>(src) + begin * box.src[0], part);
    });
  });
}

void FillElements(KernelCtx& c, DType dtype, void* dst, const void* value, int64_t n) {
  if (DeviceMoves* there = DeviceMoves::Of(c)) return there->Fill(c, SizeOf(dtype), dst, value, n);
  c.ParallelFor(n, 0.3, [&](int64_t begin, int64_t end) {
    FillElements(dtype, static_cast<char*>(dst) + begin * SizeOf(dtype), value, end - begin);
  });
}

void ZeroElements(KernelCtx& c, DType dtype, void* dst, int64_t n) {
  static constexpr char kZero[16] = {};
  if (DeviceMoves* there = DeviceMoves::Of(c)) return there->Fill(c, SizeOf(dtype), dst, kZero, n);
  // Gigabytes take seconds, in which the step may be cancelled.
  constexpr int64_t kAtOnce = 1 << 22;
  for (int64_t begin = 0; begin < n && !c.cancelled(); begin += kAtOnce)
    ZeroElements(dtype, static_cast<char*>(dst) + begin * SizeOf(dtype),
                 std::min(kAtOnce, n - begin));
}

Status CopyRuns(KernelCtx& c, DType dtype, void* dst, const int64_t* dst_run, const void* src,
                const int64_t* src_run, int64_t runs, int64_t run) {
  if (DeviceMoves* there = DeviceMoves::Of(c))
    return there->CopyRuns(c, SizeOf(dtype), dst, dst_run, src, src_run, runs, run);
  if (dst_run || !src_run) {  // two runs may have the same destination
    CopyRuns(dtype, dst, dst_run, src, src_run, runs, run);
    return {};
  }
  const int64_t bytes = run * SizeOf(dtype);
  c.ParallelFor(runs, 0.1 * static_cast<double>(bytes) + 3, [&](int64_t begin, int64_t end) {
    CopyRuns(dtype, static_cast<char*>(dst) + begin * bytes, nullptr, src, src_run + begin,
             end - begin, run);
  });
  return {};
}

void CopyElements(KernelCtx& c, DType dtype, void* dst, const void* src, int64_t n) {
  BoxCopy box;
  box.Add(n, 1, 1);
  CopyBox(c, dtype, dst, src, box);
}

void CopyRuns(DType dtype, void* dst, const int64_t* dst_run, const void* src,
              const int64_t* src_run, int64_t runs, int64_t run) {
  WithElement(dtype, [&]<class E>() {
    for (int64_t r = 0; r < runs; ++r) {
      int64_t to = dst_run ? dst_run[r] : r, from = src_run ? src_run[r] : r;
      if (to >= 0)
        CopyRun(static_cast<E*>(dst) + to * run, static_cast<const E*>(src) + from * run, run);
    }
  });
}

void CopyElements(DType dtype, void* dst, const void* src, int64_t n) {
  WithElement(dtype,
              [&]<class E>() { CopyRun(static_cast<E*>(dst), static_cast<const E*>(src), n); });
}

void FillElements(DType dtype, void* dst, const void* value, int64_t n) {
  // Bytes that are all the same, such as those of 0, are set faster by the C library.
  const char* bytes = static_cast<const char*>(value);
  const int64_t size = IsPlain(dtype) ? SizeOf(dtype) : 0;
  if (n && size && std::all_of(bytes, bytes + size, [&](char b) { return b == *bytes; })) {
    std::memset(dst, *bytes, static_cast<size_t>(n * size));
    return;
  }
  if (n == 0) return;
  WithElement(dtype, [&]<class E>() {
    RepeatRun(static_cast<E*>(dst), static_cast<const E*>(value), 1, n);
  });
}

void ZeroElements(DType dtype, void* dst, int64_t n) {
  WithElement(dtype, [&]<class E>() {
    if constexpr (std::is_trivially_copyable_v<E>) {
      if (n) std::memset(dst, 0, static_cast<size_t>(n) * sizeof(E));
    } else {
      std::fill_n(static_cast<E*>(dst), n, E());
    }
  });
}

}  // namespace tensh::ops
