#include "ops/control/tensor_array_grad.h"

#include <atomic>
#include <deque>
#include <map>

namespace tensh::ops {
namespace {

// Maps keys to arrays, for handles that are strings. Holds weak references. Thread-safe.
class ArrayKeys {
 public:
  static ArrayKeys& Get() {
    static ArrayKeys* keys = new ArrayKeys;
    return *keys;
  }
  std::string Add(const std::shared_ptr<TensorArray>& array) {
    std::lock_guard lock(mu_);
    if (++made_ % 1024 == 0)
      std::erase_if(arrays_, [](const auto& entry) { return entry.second.expired(); });
    std::string key = StrCat(array->options().name, "_", made_);
    arrays_[key] = array;
    return key;
  }
  std::shared_ptr<TensorArray> Find(const std::string& key) {
    std::lock_guard lock(mu_);
    auto found = arrays_.find(key);
    return found == arrays_.end() ? nullptr : found->second.lock();
  }

 private:
  std::mutex mu_;
  int64_t made_ = 0;
  std::map<std::string, std::weak_ptr<TensorArray>> arrays_;
};

// The variable behind a reference to a handle.
class ArrayReference : public Variable {
 public:
  std::shared_ptr<TensorArray> array;
};

}  // namespace

class KeptArrays {
 public:
  void Add(std::shared_ptr<TensorArray> array) {
    constexpr size_t kMost = 256;
    std::lock_guard lock(mu_);
    arrays_.push_back(std::move(array));
    if (arrays_.size() > kMost) arrays_.pop_front();
  }

 private:
  std::mutex mu_;
  std::deque<std::shared_ptr<TensorArray>> arrays_;
};

std::shared_ptr<KeptArrays> MakeKeptArrays() { return std::make_shared<KeptArrays>(); }

Result<std::shared_ptr<TensorArray>> ArrayOf(KernelCtx& c) {
  const Tensor& handle = c.in(0);
  std::shared_ptr<TensorArray> array;
  if (handle.dtype() == DType::kResource) {
    if (handle.num_elements() != 1)
      return InvalidArgument("the handle of a TensorArray must be a scalar, but has shape ",
                             handle.shape());
    const auto& resource = handle.data<ResourceHandle>()->resource;
    array = std::dynamic_pointer_cast<TensorArray>(resource);
    if (auto* reference = dynamic_cast<ArrayReference*>(resource.get())) array = reference->array;
  } else if (handle.dtype() == DType::kString) {
    if (handle.num_elements() != 2)
      return InvalidArgument("Tensor array handle must be 2-element vector, but had shape: ",
                             handle.shape());
    array = ArrayKeys::Get().Find(handle.data<std::string>()[1]);
  }
  if (!array) return NotFound("the handle is not that of a TensorArray");
  return array;
}

Status GiveArrayHandle(KernelCtx& c, std::shared_ptr<TensorArray> array, HandleKind kind,
                       KeptArrays& kept) {
  std::string name = array->options().name;
  if (kind == HandleKind::kResource) {
    TENSH_ASSIGN(Tensor handle, Tensor::Make(DType::kResource, Shape()));
    *handle.data<ResourceHandle>() = {std::move(array), std::move(name)};
    c.SetOutput(0, std::move(handle));
    return {};
  }
  const std::string parts[] = {"_tensor_arrays", ArrayKeys::Get().Add(array)};
  Tensor text = Tensor::Vector<std::string>(parts);
  if (kind == HandleKind::kString) {
    kept.Add(std::move(array));
    c.SetOutput(0, std::move(text));
    return {};
  }
  auto reference = std::make_shared<ArrayReference>();
  reference->name = name;
  reference->dtype = DType::kString;
  reference->value = std::move(text);
  reference->array = std::move(array);
  c.SetOutput(0, Tensor::Scalar(ResourceHandle{std::move(reference), std::move(name)}));
  return {};
}

std::string OldArrayExample(const ArrayVersion& version) {
  return StrCat("(handle=tf.raw_ops.TensorArray", version.suffix, "(size=2, dtype=tf.float32)");
}

GradientArray GradientOf(GradScope& g, Out flow) {
  // TensorFlow sets the attribute `source` to the scope of the tf.gradients call. It is filled in
  // later.
  Out array = g.Op("TensorArrayGradV3", {g.x(0), flow}, {}, "TensorArrayGrad/TensorArrayGradV3");
  return {array, g.Op("Identity", {flow}, {}, "TensorArrayGrad/gradient_flow")};
}

Status CheckArrayType(KernelCtx&, const TensorArray& array, DType wanted) {
  if (array.options().dtype == wanted) return {};
  return InvalidArgument("TensorArray dtype is ", SignatureName(array.options().dtype),
                         " but Op requested dtype ", SignatureName(wanted), ".");
}

}  // namespace tensh::ops
