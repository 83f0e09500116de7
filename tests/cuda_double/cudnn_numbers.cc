// Compares the declarations that tensh makes of cuDNN with its header, where that is installed.
#include "devices/cuda/dnn_api.h"

#if __has_include(<cudnn.h>)
#include <cudnn.h>

namespace tensh::cuda::dnn {

static_assert(CUDNN_STATUS_SUCCESS == kSuccess && CUDNN_DATA_FLOAT == kFloat &&
              CUDNN_DATA_DOUBLE == kDouble && CUDNN_DATA_HALF == kHalf &&
              CUDNN_DATA_BFLOAT16 == kBfloat16 && CUDNN_TENSOR_NCHW == kChannelsFirst &&
              CUDNN_TENSOR_NHWC == kChannelsLast && CUDNN_CROSS_CORRELATION == kCrossCorrelation &&
              CUDNN_DEFAULT_MATH == kDefaultMath && CUDNN_TENSOR_OP_MATH == kTensorCores &&
              CUDNN_FMA_MATH == kNoTensorCores && CUDNN_DETERMINISTIC == kDeterministic);
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
template <class Theirs>
constexpr bool kIsPerformance = sizeof(Performance) == sizeof(Theirs) &&
                                offsetof(Performance, memory) == offsetof(Theirs, memory) &&
                                offsetof(Performance, math) == offsetof(Theirs, mathType);
static_assert(kIsPerformance<cudnnConvolutionFwdAlgoPerf_t> &&
              kIsPerformance<cudnnConvolutionBwdDataAlgoPerf_t> &&
              kIsPerformance<cudnnConvolutionBwdFilterAlgoPerf_t>);
// Calls with our arguments compile with cuDNN's types where ours are pointers and numbers of the same size.
static_assert(sizeof(cudnnStatus_t) == sizeof(StatusCode) &&
              sizeof(cudnnHandle_t) == sizeof(void*) &&
              sizeof(cudnnTensorFormat_t) == sizeof(int) &&
              sizeof(cudnnConvolutionFwdAlgo_t) == sizeof(int));

}  // namespace tensh::cuda::dnn
#endif
