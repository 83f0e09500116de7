#include "ops/sparse/sparse_message.h"

#include <algorithm>

#include "ops/support/array_copy.h"
#include "runtime/core/tensor_message.h"
#include "runtime/core/variant.h"

namespace tensh::ops {
namespace {

class HeldTensor : public VariantValue {
 public:
  static constexpr char kTypeName[] = "tensorflow::Tensor";
  explicit HeldTensor(const Tensor& tensor) : tensor_(1, tensor) {}
  ~HeldTensor() override { ReleaseFlat(std::move(tensor_)); }
  const char* kind() const override { return "Tensor"; }
  Result<VariantFields> Fields() const override { return VariantFields{kTypeName, "", tensor_}; }
  static Result<std::shared_ptr<VariantValue>> Read(VariantFields fields) {
    if (fields.tensors.size() != 1)
      return InvalidArgument("a variant of type ", kTypeName, " holds ", fields.tensors.size(),
                             " tensors");
    return std::shared_ptr<VariantValue>(std::make_shared<HeldTensor>(fields.tensors[0]));
  }
  const Tensor& tensor() const { return tensor_[0]; }

 private:
  std::vector<Tensor> tensor_;
};

Result<Tensor> GetPart(const Tensor& in, int64_t at) {
  if (in.dtype() == DType::kVariant) {
    const auto* held = dynamic_cast<const HeldTensor*>(in.data<Variant>()[at].value.get());
    if (!held) return InvalidArgument("serialized_sparse[", at, "] does not contain a tensor");
    return held->tensor();
  }
  auto part = DecodeTensor(in.data<std::string>()[at]);
  if (part.ok()) return part;
  return InvalidArgument("Could not parse serialized_sparse[", at / 3, ", ", at % 3,
                         "]: ", part.status().message());
}

}  // namespace

void AddReaderOfParts() { AddVariantReader(HeldTensor::kTypeName, HeldTensor::Read); }

Status PutSparse(const SparseParts& parts, Tensor& out, int64_t at) {
  for (const Tensor& part : parts) {
    if (out.dtype() == DType::kVariant) {
      out.data<Variant>()[at++].value = std::make_shared<HeldTensor>(part);
    } else {
      TENSH_ASSIGN(out.data<std::string>()[at++], ContentMessage(part));
    }
  }
  return {};
}

Result<Sparse> GetSparse(const Tensor& in, int64_t at, DType dtype) {
  TENSH_ASSIGN(const Tensor indices, GetPart(in, at));
  TENSH_ASSIGN(const Tensor values, GetPart(in, at + 1));
  TENSH_ASSIGN(const Tensor shape, GetPart(in, at + 2));
  if (indices.dtype() != DType::kInt64 || shape.dtype() != DType::kInt64)
    return InvalidArgument("the indices and the shape of a SparseTensor must be int64, got ",
                           SignatureName(indices.dtype()), " and ", SignatureName(shape.dtype()));
  if (values.dtype() != dtype)
    return InvalidArgument("Requested SparseTensor of type ", SignatureName(dtype),
                           " but SparseTensor[", at / 3,
                           "].values.dtype() == ", SignatureName(values.dtype()));
  return ReadSparse(indices, &values, shape, false);
}

Status GiveStacked(KernelCtx& c, const std::vector<Sparse>& parts, std::vector<int64_t> outer) {
  const int rank = parts[0].rank, more = static_cast<int>(outer.size());
  std::vector<int64_t> dims = outer;
  dims.insert(dims.end(), parts[0].dims.begin(), parts[0].dims.end());
  int64_t n = 0;
  for (size_t i = 0; i < parts.size(); ++i) {
    if (parts[i].rank != rank)
      return InvalidArgument("Inconsistent shape across SparseTensors: rank prior to SparseTensor[",
                             i, "] was: ", rank, " but rank of SparseTensor[", i,
                             "] is: ", parts[i].rank);
    for (int d = 0; d < rank; ++d) {
      int64_t& most = dims[static_cast<size_t>(more) + static_cast<size_t>(d)];
      most = std::max(most, parts[i].dims[static_cast<size_t>(d)]);
    }
    n += parts[i].n;
  }
  TENSH_RETURN_IF_ERROR(CheckedProduct(dims).status());
  TENSH_OUTPUT(indices, c.Output(0, Shape({n, rank + more})));
  TENSH_OUTPUT(values, c.Output(1, Shape({n})));
  int64_t* to = indices->data<int64_t>();
  int64_t at = 0;
  std::vector<int64_t> place(outer.size());
  for (const Sparse& part : parts) {
    for (int64_t i = 0; i < part.n; ++i) {
      to = std::copy(place.begin(), place.end(), to);
      to = std::copy_n(part.row(i), rank, to);
    }
    CopyElements(values->dtype(), At(*values, at), part.values.raw(), part.n);
    at += part.n;
    for (size_t d = place.size(); d-- > 0 && ++place[d] == outer[d];) place[d] = 0;
  }
  c.SetOutput(2, DimsTensor(dims));
  return {};
}

Status CheckRows(const Sparse& s) {
  if (s.rank < 2)
    return InvalidArgument("Rank of input SparseTensor should be > 1, but saw rank: ", s.rank);
  TENSH_RETURN_IF_ERROR(CheckBounds(s));
  for (int64_t i = 1; i < s.n; ++i) {
    const int order = CompareRows(s.row(i - 1), s.row(i), s.rank);
    if (order >= 0)
      return InvalidArgument("indices[", i, "] is ", order ? "out of order" : "repeated",
                             ". Many sparse ops require sorted indices. Use "
                             "`tf.sparse.reorder` to create a correctly ordered copy.");
  }
  return {};
}

}  // namespace tensh::ops
