#include "ops/nn/cross_entropy_shape.h"

#include "ops/support/broadcast.h"

namespace tensh::ops {

Result<Shape> CrossEntropyShape(const Tensor& logits, const Tensor& labels) {
  BroadcastPlan plan;
  if (!MakeBroadcastPlan(logits.shape(), labels.shape(), plan).ok())
    return InvalidArgument("logits and labels must be broadcastable: logits_size=", logits.shape(),
                           " labels_size=", labels.shape());
  return plan.out;
}

Status CheckSparseLabels(const Tensor& logits, const Tensor& labels) {
  if (labels.dim(0) != logits.dim(0))
    return InvalidArgument(
        "logits and labels must have the same first dimension, got logits shape ", logits.shape(),
        " and labels shape ", labels.shape());
  if (logits.dim(0) && !logits.dim(1))
    return InvalidArgument("Must have at least one class, but got logits shape ", logits.shape());
  return {};
}

}  // namespace tensh::ops
