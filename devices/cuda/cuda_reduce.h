#pragma once
// Reductions and running sums for kernels. The order of additions depends only on the sizes.
#include "devices/cuda/cuda_kernel.h"

namespace tensh::cuda {

// One of several parts of a range [0, n), all of the same size but the last ones.
struct Part {
  int64_t begin, size;
  TENSH_DEVICE Part(int64_t n, int64_t parts, int64_t number) {
    const int64_t each = (n + parts - 1) / parts;
    begin = number * each < n ? number * each : n;
    size = n - begin < each ? n - begin : each;
  }
};

// Allocates scratch memory for n As.
template <class A>
Result<Tensor> ScratchOf(KernelCtx& c, int64_t n) {
  return Scratch(c, DType::kComplex128, (n * static_cast<int64_t>(sizeof(A)) + 15) / 16);
}
template <class A>
Dev<A> OutOf(const Tensor& scratch) {
  return {reinterpret_cast<A*>(Out<char>(scratch).at)};
}

// Calls store(o, …) with the combination of the sums of the parts of each output.
template <class A, class Combine, class Store>
Status AddParts(KernelCtx& c, int64_t outs, int64_t parts, Dev<A> sums, A init, Combine combine,
                Store store) {
  return ForRows(c, outs, parts, [=] TENSH_DEVICE(Team team, int64_t o) {
    const A sum = team.Reduce(
        parts, init, [&](int64_t p) { return sums[p * outs + o]; }, combine);
    if (team.leads()) store(o, sum);
  });
}

// Calls store(o, init ⊕ load(o, 0) ⊕ … ⊕ load(o, n-1)) for each o in [0, outs), with a team of
// threads for an output, where neighboring k read neighboring elements. `init` must not change what
// it is combined with. kLoads is that of Team::Reduce.
template <int kLoads = 1, class A, class Load, class Combine, class Store>
Status ReduceRows(KernelCtx& c, int64_t outs, int64_t n, A init, Load load, Combine combine,
                  Store store) {
  if (outs <= 0) return {};
  const int64_t parts = std::min(n / 4096, 1024 / outs);
  if (parts < 2)
    return ForRows(c, outs, n, [=] TENSH_DEVICE(Team team, int64_t o) {
      const A sum = team.Reduce<kLoads>(
          n, init, [&](int64_t k) { return load(o, k); }, combine);
      if (team.leads()) store(o, sum);
    });
  TENSH_ASSIGN(const Tensor room, ScratchOf<A>(c, outs * parts));
  const Dev<A> sums = OutOf<A>(room);
  TENSH_RETURN_IF_ERROR(ForTeams(c, outs * parts, kThreads, [=] TENSH_DEVICE(Team team, int64_t i) {
    const int64_t o = i % outs;
    const Part part(n, parts, i / outs);
    const A sum = team.Reduce<kLoads>(
        part.size, init, [&](int64_t k) { return load(o, part.begin + k); }, combine);
    if (team.leads()) sums[i] = sum;
  }));
  return AddParts(c, outs, parts, sums, init, combine, store);
}

// The same where neighboring outputs read neighboring elements, as in a reduction over an outer
// axis: a thread, or several, for an output.
template <int kLoads = 1, class A, class Load, class Combine, class Store>
Status ReduceColumns(KernelCtx& c, int64_t outs, int64_t n, A init, Load load, Combine combine,
                     Store store) {
  if (outs <= 0) return {};
  const int64_t parts = std::min(n / 32, kBusy / outs);
  if (parts < 2)
    return ForEach(c, outs, [=] TENSH_DEVICE(int64_t o) {
      store(o, Team::Alone().Reduce<kLoads>(
                   n, init, [&](int64_t k) { return load(o, k); }, combine));
    });
  TENSH_ASSIGN(const Tensor room, ScratchOf<A>(c, outs * parts));
  const Dev<A> sums = OutOf<A>(room);
  TENSH_RETURN_IF_ERROR(ForEach(c, outs * parts, [=] TENSH_DEVICE(int64_t i) {
    const int64_t o = i % outs;
    const Part part(n, parts, i / outs);
    sums[i] = Team::Alone().Reduce<kLoads>(
        part.size, init, [&](int64_t k) { return load(o, part.begin + k); }, combine);
  }));
  return AddParts(c, outs, parts, sums, init, combine, store);
}

template <int kLoads = 1, class A, class Load, class Combine, class Store>
Status Reduce(KernelCtx& c, int64_t outs, int64_t n, bool columns, A init, Load load,
              Combine combine, Store store) {
  return columns ? ReduceColumns<kLoads>(c, outs, n, init, load, combine, store)
                 : ReduceRows<kLoads>(c, outs, n, init, load, combine, store);
}

// Calls store(k, before, after) for each k in [0, n), by the threads of a team: the combinations of
// `first` with load(0) … load(k-1), and with load(0) … load(k).
template <class A, class Load, class Combine, class Store>
TENSH_DEVICE void ScanRow(Team team, int64_t n, A first, const Load& load, const Combine& combine,
                          const Store& store) {
  constexpr int kEach = 4;  // adjacent elements that a thread combines by itself
  for (int64_t at = 0; at < n; at += static_cast<int64_t>(team.size()) * kEach) {
    const int64_t mine = at + team.me() * kEach;
    A value[kEach], sum = first;
    for (int k = 0; k < kEach; ++k) {
      if (mine + k >= n) continue;
      value[k] = load(mine + k);
      sum = k ? combine(sum, value[k]) : value[k];
    }
    // A thread without elements is behind all others, so its value does not matter.
    A all, before = team.Before(first, sum, combine, all);
    for (int k = 0; k < kEach; ++k) {
      if (mine + k >= n) continue;
      const A after = combine(before, value[k]);
      store(mine + k, before, after);
      before = after;
    }
    first = all;
  }
}

// Does that for the rows [0, rows) of n elements each, with load(row, k) and store(row, k, before,
// after). `first` must not change what it is combined with. Set `columns` if neighboring rows have
// neighboring elements.
template <class A, class Load, class Combine, class Store>
Status Scan(KernelCtx& c, int64_t rows, int64_t n, bool columns, A first, Load load,
            Combine combine, Store store) {
  if (rows <= 0 || n <= 0) return {};
  if (columns && rows >= kBusy / 16)
    return ForEach(c, rows, [=] TENSH_DEVICE(int64_t row) {
      A before = first;
      for (int64_t k = 0; k < n; ++k) {
        const A after = combine(before, load(row, k));
        store(row, k, before, after);
        before = after;
      }
    });
  const int64_t parts = std::max<int64_t>(std::min(n / 4096, 1024 / rows), 1);
  TENSH_ASSIGN(const Tensor room, ScratchOf<A>(c, rows * parts));
  const Dev<A> firsts = OutOf<A>(room);
  if (parts > 1) {  // the sums of parts, then those of the parts before each
    TENSH_RETURN_IF_ERROR(
        ForTeams(c, rows * parts, kThreads, [=] TENSH_DEVICE(Team team, int64_t i) {
          const int64_t row = i / parts;
          const Part part(n, parts, i % parts);
          const A sum = team.Reduce(
              part.size, first, [&](int64_t k) { return load(row, part.begin + k); }, combine);
          if (team.leads()) firsts[i] = sum;
        }));
    TENSH_RETURN_IF_ERROR(ForTeams(c, rows, kThreads, [=] TENSH_DEVICE(Team team, int64_t row) {
      ScanRow(
          team, parts, first, [&](int64_t p) { return firsts[row * parts + p]; }, combine,
          [&](int64_t p, A before, A) { firsts[row * parts + p] = before; });
    }));
  }
  return ForTeams(
      c, rows * parts, TeamFor(rows * parts, n / parts), [=] TENSH_DEVICE(Team team, int64_t i) {
        const int64_t row = i / parts;
        const Part part(n, parts, i % parts);
        ScanRow(
            team, part.size, parts > 1 ? firsts[i] : first,
            [&](int64_t k) { return load(row, part.begin + k); }, combine,
            [&](int64_t k, A before, A after) { store(row, part.begin + k, before, after); });
      });
}

}  // namespace tensh::cuda
