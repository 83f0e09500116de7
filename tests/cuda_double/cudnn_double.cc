// A double of libcudnn.so.9 for tests. It checks handles and descriptors, and writes the numbers of all
// descriptors into the result, as floats.
#include <algorithm>
#include <initializer_list>
#include <string>

#include "devices/cuda/dnn_api.h"
#include "tests/cuda_double/cuda_double.h"

using namespace tensh::cuda::dnn;

namespace {

using cuda_double::Misuse;

struct Descriptor {
  char kind;  // t, f or c
  int numbers[9] = {};
  int math = 0, groups = 0;
};
struct Handle {
  cudaStream_t stream = nullptr;
};
constexpr int kNotSupported = 3000, kFailed = 5000, kAlgorithm = 7;
constexpr size_t kScratch = 4096;

StatusCode Enter(const char* call) {
  return cuda_double::Enter(call) == cudaSuccess ? kSuccess : kFailed;
}

const Descriptor& Of(void* descriptor, char kind, const char* call) {
  static const Descriptor kNone{'?'};
  const auto* d = static_cast<Descriptor*>(descriptor);
  if (d && d->kind == kind) return *d;
  Misuse(std::string(call) + ": a descriptor of another kind");
  return kNone;
}

StatusCode Make(void** descriptor, char kind) {
  if (const StatusCode code = Enter("cudnnCreateDescriptor")) return code;
  *descriptor = new Descriptor{kind};
  return kSuccess;
}

StatusCode Set(void* descriptor, char kind, const char* call, std::initializer_list<int> numbers) {
  if (const StatusCode code = Enter(call)) return code;
  (void)Of(descriptor, kind, call);
  std::copy(numbers.begin(), numbers.end(), static_cast<Descriptor*>(descriptor)->numbers);
  return kSuccess;
}

// Proposes an algorithm with too much memory, one that is not deterministic, and kAlgorithm.
StatusCode Propose(const char* call, void* convolution, int wanted, int* found, Performance* list) {
  if (const StatusCode code = Enter(call)) return code;
  const Descriptor& c = Of(convolution, 'c', call);
  if (c.groups > 1) return kNotSupported;
  if (wanted < 3) Misuse("too few algorithms");
  list[0] = {1, kSuccess, 1, size_t{1} << 40, kDeterministic, c.math, {}};
  list[1] = {2, kSuccess, 1, 0, 0, c.math, {}};
  list[2] = {kAlgorithm, kSuccess, 1, kScratch, kDeterministic, c.math, {}};
  *found = 3;
  return kSuccess;
}

int Elements(const Descriptor& d) {
  return d.numbers[2] * d.numbers[3] * d.numbers[4] * d.numbers[5];
}

StatusCode Compute(const char* call, void* handle, const void* alpha, const void* beta,
                   const void* first, const Descriptor& a, const void* second, const Descriptor& b,
                   void* convolution, int algorithm, void* scratch, size_t bytes,
                   const Descriptor& r, void* result) {
  if (const StatusCode code = Enter(call)) return code;
  const Descriptor& c = Of(convolution, 'c', call);
  if (algorithm != kAlgorithm || bytes != kScratch) Misuse("another algorithm or scratch memory");
  if (*static_cast<const float*>(alpha) != 1 || *static_cast<const float*>(beta) != 0)
    Misuse("other factors");
  const auto check = [&](const void* data, const Descriptor& d) {
    cuda_double::CheckMemory(call, data, sizeof(float) * static_cast<size_t>(Elements(d)));
  };
  check(first, a), check(second, b), check(result, r);
  cuda_double::CheckMemory(call, scratch, bytes);
  cuda_double::Do(static_cast<Handle*>(handle)->stream, [=] {
    auto* out = static_cast<float*>(result);
    int n = 0;
    for (const Descriptor* d : {&a, &b, &r})
      for (const int number : d->numbers)
        if (n < Elements(r)) out[n++] = static_cast<float>(number);
    for (const int number : c.numbers)
      if (n < Elements(r)) out[n++] = static_cast<float>(number);
    if (n < Elements(r)) out[n++] = static_cast<float>(c.math);
  });
  return kSuccess;
}

}  // namespace

#define EXPORT CUDA_DOUBLE_EXPORT
extern "C" {

EXPORT StatusCode cudnnCreate(void** handle) {
  if (const StatusCode code = Enter("cudnnCreate")) return code;
  if (cuda_double::IsCapturing()) Misuse("cudnnCreate: while a stream is captured");
  *handle = new Handle;
  return kSuccess;
}
EXPORT StatusCode cudnnSetStream(void* handle, cudaStream_t stream) {
  static_cast<Handle*>(handle)->stream = stream;
  return Enter("cudnnSetStream");
}
EXPORT StatusCode cudnnCreateTensorDescriptor(void** d) { return Make(d, 't'); }
EXPORT StatusCode cudnnCreateFilterDescriptor(void** d) { return Make(d, 'f'); }
EXPORT StatusCode cudnnCreateConvolutionDescriptor(void** d) { return Make(d, 'c'); }
#define DESTROY(name, letter)                     \
  EXPORT StatusCode cudnnDestroy##name(void* d) { \
    (void)Of(d, letter, "cudnnDestroy" #name);    \
    delete static_cast<Descriptor*>(d);           \
    return kSuccess;                              \
  }
DESTROY(TensorDescriptor, 't')
DESTROY(FilterDescriptor, 'f')
DESTROY(ConvolutionDescriptor, 'c')

// numbers: format, type and the four extents; of a convolution, its nine arguments.
EXPORT StatusCode cudnnSetTensor4dDescriptor(void* tensor, int format, int type, int n, int c,
                                             int h, int w) {
  return Set(tensor, 't', "cudnnSetTensor4dDescriptor", {format, type, n, c, h, w});
}
EXPORT StatusCode cudnnSetFilter4dDescriptor(void* filter, int type, int format, int k, int c,
                                             int h, int w) {
  return Set(filter, 'f', "cudnnSetFilter4dDescriptor", {format, type, k, c, h, w});
}
EXPORT StatusCode cudnnSetConvolution2dDescriptor(void* convolution, int pad_h, int pad_w,
                                                  int stride_h, int stride_w, int dilation_h,
                                                  int dilation_w, int mode, int type) {
  return Set(convolution, 'c', "cudnnSetConvolution2dDescriptor",
             {pad_h, pad_w, stride_h, stride_w, dilation_h, dilation_w, mode, type});
}
EXPORT StatusCode cudnnSetConvolutionMathType(void* convolution, int math) {
  if (const StatusCode code = Enter("cudnnSetConvolutionMathType")) return code;
  static_cast<Descriptor*>(convolution)->math = math;
  return kSuccess;
}
EXPORT StatusCode cudnnSetConvolutionGroupCount(void* convolution, int groups) {
  if (const StatusCode code = Enter("cudnnSetConvolutionGroupCount")) return code;
  static_cast<Descriptor*>(convolution)->groups = groups;
  return kSuccess;
}

// Each function with the kinds of its three operands: what it reads, and what it makes.
#define CONVOLUTION(choose, run, a, b, r)                                                     \
  EXPORT StatusCode choose(void*, void* first, void* second, void* convolution, void* result, \
                           int wanted, int* found, Performance* list) {                       \
    (void)Of(first, a, #choose), (void)Of(second, b, #choose), (void)Of(result, r, #choose);  \
    return Propose(#choose, convolution, wanted, found, list);                                \
  }                                                                                           \
  EXPORT StatusCode run(void* handle, const void* alpha, void* first_descriptor,              \
                        const void* first, void* second_descriptor, const void* second,       \
                        void* convolution, int algorithm, void* scratch, size_t bytes,        \
                        const void* beta, void* result_descriptor, void* result) {            \
    return Compute(#run, handle, alpha, beta, first, Of(first_descriptor, a, #run), second,   \
                   Of(second_descriptor, b, #run), convolution, algorithm, scratch, bytes,    \
                   Of(result_descriptor, r, #run), result);                                   \
  }
CONVOLUTION(cudnnGetConvolutionForwardAlgorithm_v7, cudnnConvolutionForward, 't', 'f', 't')
CONVOLUTION(cudnnGetConvolutionBackwardDataAlgorithm_v7, cudnnConvolutionBackwardData, 'f', 't',
            't')
CONVOLUTION(cudnnGetConvolutionBackwardFilterAlgorithm_v7, cudnnConvolutionBackwardFilter, 't', 't',
            'f')
}
