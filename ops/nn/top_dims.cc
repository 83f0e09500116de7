#include "ops/nn/top_dims.h"

#include "ops/support/prepare.h"
#include "ops/support/shape_util.h"

namespace tensh::ops {
namespace {

struct TopState : KernelState {
  int64_t k = -1;  // the attribute of the old ops; -1 if k is an input
  // The attribute `sorted` is ignored: results are always sorted.
  void Read(PrepareCtx& c) {
    if (c.attrs().Find("k")) k = c.attrs().Int("k");
  }
};

}  // namespace

Result<std::unique_ptr<KernelState>> PrepareTop(PrepareCtx& c) { return PrepareFrom<TopState>(c); }

Result<TopDims> TopDimsOf(KernelCtx& c) {
  const Tensor& x = c.in(0);
  int64_t k = c.state<TopState>().k;
  if (c.num_inputs() == 2) k = IndexAt(c.in(1), 0);
  if (k < 0) return InvalidArgument("Need k >= 0, got ", k);
  const int64_t n = x.dim(x.rank() - 1);
  if (n < k) return InvalidArgument("input must have at least k columns. Had ", n, ", needed ", k);
  Shape out = x.shape();
  out.set_dim(x.rank() - 1, k);
  return TopDims{n, k, out};
}

Result<int64_t> InTopCount(KernelCtx& c) {
  const Tensor &predictions = c.in(0), &targets = c.in(1);
  int64_t k = c.state<TopState>().k;
  if (c.num_inputs() == 3) k = IndexAt(c.in(2), 0);
  if (predictions.dim(0) != targets.dim(0))
    return InvalidArgument("First dimension of predictions ", predictions.dim(0),
                           " must match length of targets ", targets.dim(0));
  return k;
}

}  // namespace tensh::ops
