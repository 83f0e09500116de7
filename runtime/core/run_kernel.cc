#include "runtime/core/run_kernel.h"

#include "runtime/core/bind_kernel.h"
#include "runtime/core/external_op.h"

namespace tensh {
namespace {

class TensorsPrepareCtx : public PrepareCtx {
 public:
  TensorsPrepareCtx(const OpDef& op, Attrs attrs, std::span<const Tensor> inputs,
                    std::span<const DType> outputs)
      : op_(op), attrs_(attrs), inputs_(inputs), outputs_(outputs) {}
  std::string_view node_name() const override { return op_.name; }
  Attrs attrs() const override { return attrs_; }
  int num_inputs() const override { return static_cast<int>(inputs_.size()); }
  DType input_dtype(int i) const override { return inputs_[i].dtype(); }
  int num_outputs() const override { return static_cast<int>(outputs_.size()); }
  DType output_dtype(int i) const override { return outputs_[i]; }
  Shape input_shape(int i) const override { return inputs_[i].shape(); }
  ResourceTable& resources() override { return resources_; }

 private:
  const OpDef& op_;
  Attrs attrs_;
  std::span<const Tensor> inputs_;
  std::span<const DType> outputs_;
  ResourceTable resources_;  // Unused, because the ops are stateless.
};

}  // namespace

Status RunExternal(KernelCtx& c) { return c.state<ExternalKernel>().Run(c); }

Result<std::vector<Tensor>> RunKernel(const OpDef& op, Attrs attrs, std::span<const Tensor> inputs,
                                      std::span<const DType> output_dtypes) {
  TensorsPrepareCtx prepare(op, attrs, inputs, output_dtypes);
  return RunKernel(op, prepare, inputs, output_dtypes);
}

Result<std::vector<Tensor>> RunKernel(const OpDef& op, PrepareCtx& prepare,
                                      std::span<const Tensor> inputs,
                                      std::span<const DType> output_dtypes) {
  const KernelRow* kernel = op.FindKernel("CPU", prepare.attrs());
  if (!kernel) return Unimplemented("there is no CPU kernel of ", op.name, " for these types");
  TENSH_ASSIGN(const BoundKernel bound, BindKernel(op, *kernel, prepare));
  std::vector<Tensor> slots(inputs.begin(), inputs.end());
  slots.resize(inputs.size() + output_dtypes.size());
  std::vector<uint32_t> ids(slots.size());
  for (uint32_t i = 0; i < ids.size(); ++i) ids[i] = i;
  KernelCall call{.in = ids.data(),
                  .out = ids.data() + inputs.size(),
                  .out_dtypes = output_dtypes.data(),
                  .state = bound.state.get(),
                  .n_in = static_cast<uint16_t>(inputs.size()),
                  .n_out = static_cast<uint16_t>(output_dtypes.size()),
                  .forwardable = 0};
  call.contract = bound.contract;
  KernelCtx ctx(slots.data(), nullptr, nullptr, HostAllocator());
  ctx.Bind(call);
  TENSH_RETURN_IF_ERROR(CallKernel(bound.fn, ctx));
  std::vector<Tensor> outputs(slots.begin() + static_cast<ptrdiff_t>(inputs.size()), slots.end());
  for (Tensor& t : outputs)
    if (!t) return Internal(op.name, " left an output unset");
  return outputs;
}

}  // namespace tensh
