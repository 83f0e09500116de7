#pragma once
// The functions of cuFFT that tensh calls, and the numbers that it passes. Declared here, so that a build needs no cuFFT;
// tests/cuda_double compares them with its header where it is installed.
#include <cuda_runtime_api.h>

#include <cstddef>

namespace tensh::cuda::fft {

using Plan = int;        // cufftHandle
using StatusCode = int;  // cufftResult

constexpr int kSuccess = 0, kNoMemory = 2;
// cufftType, by the transform and whether it is of doubles.
constexpr int kComplex[2] = {0x29, 0x69}, kFromReal[2] = {0x2a, 0x6a}, kToReal[2] = {0x2c, 0x6c};
constexpr int kForward = -1, kInverse = 1;

using Create = StatusCode(Plan* plan);
using Destroy = StatusCode(Plan plan);
using SetAutoAllocation = StatusCode(Plan plan, int automatic);
using MakePlan = StatusCode(Plan plan, int rank, long long* n, long long* in_box,
                            long long in_stride, long long in_step, long long* out_box,
                            long long out_stride, long long out_step, int type, long long batch,
                            size_t* scratch_bytes);
using SetScratch = StatusCode(Plan plan, void* scratch);
using SetStream = StatusCode(Plan plan, cudaStream_t stream);
using RunComplex = StatusCode(Plan plan, void* in, void* out, int direction);
using RunReal = StatusCode(Plan plan, void* in, void* out);

}  // namespace tensh::cuda::fft
