#include "devices/cuda/dnn.h"

#include <cuda_runtime_api.h>

#include <utility>

#include "devices/cuda/cuda_libraries.h"
#include "devices/cuda/cuda_status.h"
#include "devices/cuda/dnn_api.h"
#include "runtime/core/strcat.h"

namespace tensh::cuda {
namespace {

using namespace dnn;

constexpr size_t kMostScratch = size_t{256} << 20;  // bytes
constexpr size_t kMostPlans = 512;

// cuDNN's failures without an error of CUDA leave the convolution to our own kernels.
Status DnnStatus(StatusCode code, const char* what) {
  if (code == kSuccess) return {};
  TENSH_RETURN_IF_ERROR(ToStatus(cudaGetLastError(), what));
  return Unimplemented(what, ": error ", code, " of cuDNN");
}

int TypeOf(DType type) {
  return type == DType::kDouble     ? kDouble
         : type == DType::kHalf     ? kHalf
         : type == DType::kBfloat16 ? kBfloat16
                                    : kFloat;
}

}  // namespace

struct Dnn::Functions {
  dnn::Create* create;
  dnn::SetStream* set_stream;
  dnn::CreateDescriptor *create_tensor, *create_filter, *create_convolution;
  dnn::DestroyDescriptor *destroy_tensor, *destroy_filter, *destroy_convolution;
  dnn::SetTensor* set_tensor;
  dnn::SetFilter* set_filter;
  dnn::SetConvolution* set_convolution;
  dnn::SetInt *set_math, *set_groups;
  dnn::Choose* choose[3];  // by kind: the heuristics
  dnn::Run* run[3];        // by kind
};

struct Dnn::Handle {
  void* handle = nullptr;
  bool has_stream = false;
  Stream stream = nullptr;
};

struct Dnn::Plan {
  Plan(const Functions& the_dnn) : dnn(the_dnn) {}
  ~Plan() {
    for (void* tensor : {x, y})
      if (tensor) (void)dnn.destroy_tensor(tensor);
    if (filter) (void)dnn.destroy_filter(filter);
    if (convolution) (void)dnn.destroy_convolution(convolution);
  }
  Plan(const Plan&) = delete;
  Plan& operator=(const Plan&) = delete;

  const Functions& dnn;
  void *x = nullptr, *y = nullptr, *filter = nullptr, *convolution = nullptr;  // descriptors
  int algorithm = 0;
  size_t bytes = 0;
  std::string unsupported;  // why cuDNN does not compute it; "" if it does
};

Dnn::Dnn(std::vector<std::string> folders, bool tf32) : folders_(std::move(folders)), tf32_(tf32) {}
Dnn::~Dnn() = default;

Result<const Dnn::Functions*> Dnn::Load() {
  if (functions_) return functions_.get();
  if (!why_missing_.empty()) return Unimplemented(why_missing_);
  SharedLibrary library = LoadCudaLibrary({kCudnn9Library}, {}, folders_);
  auto f = std::make_unique<Functions>();
  library.Find("cudnnCreate", &f->create);
  library.Find("cudnnSetStream", &f->set_stream);
  library.Find("cudnnCreateTensorDescriptor", &f->create_tensor);
  library.Find("cudnnCreateFilterDescriptor", &f->create_filter);
  library.Find("cudnnCreateConvolutionDescriptor", &f->create_convolution);
  library.Find("cudnnDestroyTensorDescriptor", &f->destroy_tensor);
  library.Find("cudnnDestroyFilterDescriptor", &f->destroy_filter);
  library.Find("cudnnDestroyConvolutionDescriptor", &f->destroy_convolution);
  library.Find("cudnnSetTensor4dDescriptor", &f->set_tensor);
  library.Find("cudnnSetFilter4dDescriptor", &f->set_filter);
  library.Find("cudnnSetConvolution2dDescriptor", &f->set_convolution);
  library.Find("cudnnSetConvolutionMathType", &f->set_math);
  library.Find("cudnnSetConvolutionGroupCount", &f->set_groups);
  library.Find("cudnnGetConvolutionForwardAlgorithm_v7", &f->choose[ConvCall::kForward]);
  library.Find("cudnnGetConvolutionBackwardDataAlgorithm_v7", &f->choose[ConvCall::kInput]);
  library.Find("cudnnGetConvolutionBackwardFilterAlgorithm_v7", &f->choose[ConvCall::kFilter]);
  library.Find("cudnnConvolutionForward", &f->run[ConvCall::kForward]);
  library.Find("cudnnConvolutionBackwardData", &f->run[ConvCall::kInput]);
  library.Find("cudnnConvolutionBackwardFilter", &f->run[ConvCall::kFilter]);
  if (!library.complete()) {
    why_missing_ =
        StrCat("convolutions on GPUs are slow, because cuDNN is missing: ",
               library.loaded() ? "it lacks a function that tensh needs" : library.error(),
               ". Install it (pip install nvidia-cudnn-cu13, or libcudnn9 for CUDA 13), or add its "
               "folder to "
               "LD_LIBRARY_PATH");
    return Unimplemented(why_missing_);
  }
  functions_ = std::move(f);
  return functions_.get();
}

std::string Dnn::WhyMissing() {
  std::lock_guard lock(mu_);
  return Load().ok() ? "" : why_missing_;
}

Status Dnn::Prepare(int gpu) {
  if (!used_) return {};
  std::lock_guard lock(mu_);
  TENSH_ASSIGN(const Functions* dnn, Load());
  return HandleOf(*dnn, gpu).status();
}

Result<Dnn::Handle*> Dnn::HandleOf(const Functions& dnn, int gpu) {
  std::unique_ptr<Handle>& known = handles_[gpu];
  if (known) return known.get();
  auto made = std::make_unique<Handle>();
  TENSH_RETURN_IF_ERROR(DnnStatus(dnn.create(&made->handle), "cuDNN does not start"));
  known = std::move(made);
  return known.get();
}

Status Dnn::MakePlan(const Functions& dnn, const Handle& handle, const ConvCall& call, Plan* plan) {
  const auto at = [](int64_t n) { return static_cast<int>(n); };
  const int format = call.channels_first ? kChannelsFirst : kChannelsLast;
  const int type = TypeOf(call.type), sums = call.type == DType::kDouble ? kDouble : kFloat;
  const bool is_half = type == kHalf || type == kBfloat16;
  TENSH_RETURN_IF_ERROR(DnnStatus(dnn.create_tensor(&plan->x), "a descriptor"));
  TENSH_RETURN_IF_ERROR(DnnStatus(dnn.create_tensor(&plan->y), "a descriptor"));
  TENSH_RETURN_IF_ERROR(DnnStatus(dnn.create_filter(&plan->filter), "a descriptor"));
  TENSH_RETURN_IF_ERROR(DnnStatus(dnn.create_convolution(&plan->convolution), "a descriptor"));
  const int batch = at(call.batch), ins = at(call.in_channels), outs = at(call.out_channels);
  TENSH_RETURN_IF_ERROR(DnnStatus(
      dnn.set_tensor(plan->x, format, type, batch, ins, at(call.in[0]), at(call.in[1])), "x"));
  TENSH_RETURN_IF_ERROR(DnnStatus(
      dnn.set_tensor(plan->y, format, type, batch, outs, at(call.out[0]), at(call.out[1])), "y"));
  TENSH_RETURN_IF_ERROR(
      DnnStatus(dnn.set_filter(plan->filter, type, format, outs, ins / at(call.groups),
                               at(call.size[0]), at(call.size[1])),
                "the filter"));
  TENSH_RETURN_IF_ERROR(
      DnnStatus(dnn.set_convolution(plan->convolution, at(call.pad[0]), at(call.pad[1]),
                                    at(call.stride[0]), at(call.stride[1]), at(call.dilation[0]),
                                    at(call.dilation[1]), kCrossCorrelation, sums),
                "the windows"));
  TENSH_RETURN_IF_ERROR(DnnStatus(dnn.set_groups(plan->convolution, at(call.groups)), "groups"));
  const int math = is_half ? kTensorCores : tf32_ ? kDefaultMath : kNoTensorCores;
  TENSH_RETURN_IF_ERROR(DnnStatus(dnn.set_math(plan->convolution, math), "the precision"));
  // The order of the arguments is that of the call: what it reads, and then what it writes.
  void* const orders[3][3] = {{plan->x, plan->filter, plan->y},
                              {plan->filter, plan->y, plan->x},
                              {plan->x, plan->y, plan->filter}};
  void* const* const d = orders[call.kind];
  Performance found[8];
  int count = 0;
  TENSH_RETURN_IF_ERROR(DnnStatus(
      dnn.choose[call.kind](handle.handle, d[0], d[1], plan->convolution, d[2], 8, &count, found),
      "the choice of an algorithm"));
  for (int i = 0; i < count; ++i) {
    const bool exact = math == kNoTensorCores;
    if (found[i].status != kSuccess || found[i].determinism != kDeterministic ||
        found[i].memory > kMostScratch || (exact && found[i].math == kTensorCores))
      continue;
    plan->algorithm = found[i].algorithm;
    plan->bytes = found[i].memory;
    return exact ? Status()
                 : DnnStatus(dnn.set_math(plan->convolution, found[i].math), "the precision");
  }
  return Unimplemented("cuDNN has no algorithm for this convolution");
}

Result<Dnn::Plan*> Dnn::PlanOf(const Functions& dnn, int gpu, const ConvCall& call) {
  const Key key = {gpu,
                   call.kind,
                   static_cast<int64_t>(call.type),
                   call.channels_first,
                   call.batch,
                   call.in_channels,
                   call.out_channels,
                   call.groups,
                   call.in[0],
                   call.in[1],
                   call.out[0],
                   call.out[1],
                   call.size[0],
                   call.size[1],
                   call.stride[0],
                   call.stride[1],
                   call.dilation[0] << 32 | call.dilation[1],
                   call.pad[0],
                   call.pad[1],
                   0};
  if (plans_.size() >= kMostPlans && !plans_.count(key)) plans_.clear();
  std::unique_ptr<Plan>& known = plans_[key];
  if (!known) {
    TENSH_ASSIGN(Handle * handle, HandleOf(dnn, gpu));
    auto plan = std::make_unique<Plan>(dnn);
    const Status status = MakePlan(dnn, *handle, call, plan.get());
    if (!status.ok() && status.code() != Code::kUnimplemented) return status;
    if (!status.ok()) plan->unsupported = status.message();
    known = std::move(plan);
  }
  if (!known->unsupported.empty()) return Unimplemented(known->unsupported);
  return known.get();
}

Result<size_t> Dnn::Scratch(int gpu, const ConvCall& call) {
  for (const int64_t n :
       {call.batch, call.in_channels, call.out_channels, call.in[0], call.in[1], call.out[0],
        call.out[1], call.batch * call.in[0] * call.in[1], call.batch * call.out[0] * call.out[1]})
    if (n > INT32_MAX) return Unimplemented("a convolution of ", n, " elements by cuDNN");
  std::lock_guard lock(mu_);
  TENSH_ASSIGN(const Functions* dnn, Load());
  TENSH_ASSIGN(const Plan* plan, PlanOf(*dnn, gpu, call));
  used_ = true;
  return plan->bytes;
}

Status Dnn::Convolve(int gpu, Stream stream, const ConvCall& call, void* scratch, size_t bytes) {
  std::lock_guard lock(mu_);
  TENSH_ASSIGN(const Functions* dnn, Load());
  TENSH_ASSIGN(Handle * handle, HandleOf(*dnn, gpu));
  TENSH_ASSIGN(Plan * plan, PlanOf(*dnn, gpu, call));
  if (!handle->has_stream || handle->stream != stream) {
    handle->has_stream = false;
    TENSH_RETURN_IF_ERROR(
        DnnStatus(dnn->set_stream(handle->handle, static_cast<cudaStream_t>(stream)), "a stream"));
    handle->has_stream = true;
    handle->stream = stream;
  }
  struct Operand {
    void* descriptor;
    const void* data;
  };
  const Operand x{plan->x, call.x}, y{plan->y, call.y}, filter{plan->filter, call.filter};
  const Operand orders[3][3] = {{x, filter, y}, {filter, y, x}, {x, y, filter}};
  const Operand* const o = orders[call.kind];
  const float one = 1, zero = 0;
  const double wide_one = 1, wide_zero = 0;
  const bool wide = call.type == DType::kDouble;
  const void* const alpha = wide ? static_cast<const void*>(&wide_one) : &one;
  const void* const beta = wide ? static_cast<const void*>(&wide_zero) : &zero;
  Status status = DnnStatus(
      dnn->run[call.kind](handle->handle, alpha, o[0].descriptor, o[0].data, o[1].descriptor,
                          o[1].data, plan->convolution, plan->algorithm, scratch, bytes, beta,
                          o[2].descriptor, const_cast<void*>(o[2].data)),
      "a convolution");
  if (status.code() == Code::kUnimplemented) plan->unsupported = status.message();
  return status;
}

}  // namespace tensh::cuda
