#include "ops/data/dataset.h"

namespace tensh::ops {

Dataset::Dataset(Inputs inputs) : inputs_(std::move(inputs)) {
  for (const auto& input : inputs_) layers_ = std::max(layers_, input->layers() + 1);
}

Result<std::shared_ptr<const Dataset>> DatasetIn(KernelCtx& c, int i) {
  const Tensor& t = c.in(i);
  if (t.rank() != 0)
    return InvalidArgument("Dataset tensor must be a scalar of dtype DT_VARIANT, but has shape ",
                           t.shape());
  auto dataset = std::dynamic_pointer_cast<const Dataset>(t.data<Variant>()->value);
  if (!dataset) return InvalidArgument("Tensor must be a Dataset object.");
  return dataset;
}

Status GiveDataset(KernelCtx& c, std::shared_ptr<Dataset> dataset) {
  if (dataset->layers() > Dataset::kMostLayers)
    return ResourceExhausted("a dataset with more than ", Dataset::kMostLayers, " layers");
  c.SetOutput(0, VariantTensor(std::move(dataset)));
  return {};
}

Result<int64_t> CountIn(KernelCtx& c, int i, const char* name) {
  if (c.in(i).rank() != 0)
    return InvalidArgument(name, " must be a scalar, but has shape ", c.in(i).shape());
  return *c.in(i).data<int64_t>();
}

Result<ElementSpec> SpecOf(PrepareCtx& c) {
  ElementSpec spec{c.attrs().Get<AttrValue::Types>("output_types"),
                   c.attrs().Get<AttrValue::Shapes>("output_shapes")};
  if (spec.types.size() != spec.shapes.size())
    return InvalidArgument("output_types and output_shapes must be same length, got:\n",
                           spec.types.size(), " and ", spec.shapes.size());
  return spec;
}

Status CheckElement(const ElementSpec& spec, std::span<const Tensor> element) {
  if (element.size() != spec.types.size())
    return InvalidArgument("Number of components does not match: expected ", spec.types.size(),
                           " types but got ", element.size(), ".");
  for (size_t i = 0; i < element.size(); ++i) {
    if (element[i].dtype() != spec.types[i])
      return InvalidArgument("Data type mismatch at component ", i, ": expected ",
                             Name(spec.types[i]), " but got ", Name(element[i].dtype()), ".");
    if (!spec.shapes[i].IsCompatibleWith(element[i].shape()))
      return InvalidArgument("Incompatible shapes at component ", i, ": expected ", spec.shapes[i],
                             " but got ", element[i].shape(), ".");
  }
  return {};
}

Status ElementFunction::Call(KernelCtx& c, std::vector<Tensor> element,
                             std::vector<Tensor>* out) const {
  element.insert(element.end(), captured.begin(), captured.end());
  out->assign(results, Tensor());
  return function->Run(c, element, *out);
}

Status DatasetShape(ShapeCtx& c) {
  c.Set(0, Shape());
  return {};
}

Status BatchRows::Next(KernelCtx& c, std::vector<std::vector<Tensor>>* rows, bool* end) {
  rows->clear();
  for (*end = over_; !*end && static_cast<int64_t>(rows->size()) < size_;) {
    if (c.cancelled()) return c.cancel()->Why();
    std::vector<Tensor> row;
    TENSH_RETURN_IF_ERROR(in_->Next(c, &row, end));
    if (!*end) rows->push_back(std::move(row));
  }
  over_ = *end;
  *end = rows->empty() || (drop_ && static_cast<int64_t>(rows->size()) < size_);
  return {};
}

Result<std::unique_ptr<DatasetIterator>> IterateResult(const Tensor& result, const char* error) {
  const bool is_variant = result.dtype() == DType::kVariant && result.rank() == 0;
  const auto dataset = is_variant
                           ? std::dynamic_pointer_cast<const Dataset>(result.data<Variant>()->value)
                           : nullptr;
  if (!dataset) return InvalidArgument(error);
  if (dataset->layers() > Dataset::kMostLayers)
    return ResourceExhausted("a dataset with more than ", Dataset::kMostLayers, " layers");
  return dataset->Iterate();
}

}  // namespace tensh::ops
