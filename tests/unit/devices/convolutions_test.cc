// Convolutions by cuDNN, whose part the fake driver plays: filters are turned, and images are padded, so
// that the results are those of TensorFlow's description.
#include "devices/cuda/convolutions.h"

#include <gtest/gtest.h>

#include <random>

#include "tests/support/fake_gpu.h"

namespace tensh::cuda {
namespace {

struct Case {
  ConvSide rows, columns;
  int64_t channels, outs, groups;
};

ConvSide Same(int64_t in, int64_t size, int64_t stride, int64_t dilation = 1) {
  const int64_t out = (in + stride - 1) / stride;
  const int64_t pad = std::max<int64_t>((out - 1) * stride + (size - 1) * dilation + 1 - in, 0);
  return {in, out, size, stride, dilation, pad / 2};
}
ConvSide Valid(int64_t in, int64_t size, int64_t stride, int64_t dilation = 1) {
  return {in, (in - (size - 1) * dilation - 1) / stride + 1, size, stride, dilation, 0};
}

constexpr int64_t kBatch = 2;

// Computes one of x, filter and y from the other two, by the definition.
void Reference(const Case& k, bool first, ConvCall::Kind kind, float* x, float* filter, float* y) {
  const int64_t channels = k.channels / k.groups, outs = k.outs / k.groups;
  const auto at = [&](int64_t n, int64_t r, int64_t q, int64_t c, int64_t rows, int64_t columns,
                      int64_t all) {
    return first ? ((n * all + c) * rows + r) * columns + q
                 : ((n * rows + r) * columns + q) * all + c;
  };
  for (int64_t n = 0; n < kBatch; ++n)
    for (int64_t r = 0; r < k.rows.out; ++r)
      for (int64_t q = 0; q < k.columns.out; ++q)
        for (int64_t o = 0; o < k.outs; ++o)
          for (int64_t i = 0; i < k.rows.size; ++i)
            for (int64_t j = 0; j < k.columns.size; ++j)
              for (int64_t c = 0; c < channels; ++c) {
                const int64_t row = r * k.rows.stride + i * k.rows.dilation - k.rows.before;
                const int64_t column =
                    q * k.columns.stride + j * k.columns.dilation - k.columns.before;
                if (row < 0 || row >= k.rows.in || column < 0 || column >= k.columns.in) continue;
                float& a = x[at(n, row, column, o / outs * channels + c, k.rows.in, k.columns.in,
                                k.channels)];
                float& b = filter[((i * k.columns.size + j) * channels + c) * k.outs + o];
                float& d = y[at(n, r, q, o, k.rows.out, k.columns.out, k.outs)];
                if (kind == ConvCall::kForward) d += a * b;
                if (kind == ConvCall::kInput) a += d * b;
                if (kind == ConvCall::kFilter) b += a * d;
              }
}

TEST(Convolutions, AreThoseOfTensorFlow) {
  const FakeGpus fake = MakeFakeGpus(1);
  fake.driver->set_convolves(true);
  const auto devices = *DeviceMgr::Create(*fake.devices, {});
  Device& gpu = (*devices)[1];
  KernelCtx c(nullptr, gpu.runner(), nullptr, gpu.allocator());
  const KernelCall call{};
  c.Bind(call);
  std::mt19937 random(5);
  const Case cases[] = {
      {Valid(7, 3, 1), Valid(6, 2, 1), 3, 4, 1},    {Same(7, 3, 1), Same(6, 3, 1), 3, 4, 1},
      {Same(8, 3, 2), Same(7, 3, 2), 2, 3, 1},  // the end of the rows alone is padded
      {Same(8, 2, 1), Same(9, 4, 3), 2, 3, 1},      {Same(9, 3, 1, 2), Valid(9, 3, 2, 2), 4, 6, 2},
      {Valid(5, 1, 1), Valid(4, 1, 1), 6, 6, 3},    {Same(5, 1, 2), Valid(4, 1, 2), 6, 2, 1},
      {{6, 4, 4, 2, 1, 3}, Same(5, 3, 1), 2, 2, 1},  // explicit padding, more at the beginning
  };
  for (const Case& k : cases)
    for (const bool first : {false, true})
      for (const auto kind : {ConvCall::kForward, ConvCall::kInput, ConvCall::kFilter}) {
        const int64_t sizes[] = {kBatch * k.rows.in * k.columns.in * k.channels,
                                 k.rows.size * k.columns.size * k.channels / k.groups * k.outs,
                                 kBatch * k.rows.out * k.columns.out * k.outs};
        const int made = kind == ConvCall::kForward ? 2 : kind == ConvCall::kInput ? 0 : 1;
        Tensor here[3], there[3];
        for (int i = 0; i < 3; ++i) {
          here[i] = *Tensor::Make(DType::kFloat, Shape({sizes[i]}));
          for (int64_t j = 0; j < sizes[i]; ++j)
            here[i].data<float>()[j] = i == made ? 0.0f : static_cast<float>(random() % 5) - 2;
          there[i] = i == made ? *Tensor::Make(DType::kFloat, Shape({sizes[i]}), gpu.allocator())
                               : *here[i].CopyTo(gpu.allocator());
        }
        const Status status = ConvolveByLibrary(
            c, {kind, DType::kFloat, first, kBatch, k.channels, k.outs, k.groups, k.rows, k.columns,
                there[0].raw(), there[1].raw(), there[2].raw()});
        ASSERT_TRUE(status.ok()) << status.message();
        ASSERT_TRUE(gpu.Sync().ok());
        Reference(k, first, kind, here[0].data<float>(), here[1].data<float>(),
                  here[2].data<float>());
        const Tensor got = *there[made].CopyTo(HostAllocator());
        for (int64_t j = 0; j < sizes[made]; ++j)
          ASSERT_EQ(got.data<float>()[j], here[made].data<float>()[j])
              << "case " << &k - cases << ", kind " << kind << ", channels first " << first << ", "
              << j;
      }
  const auto calls = fake.driver->calls();
  EXPECT_EQ(std::count_if(calls.begin(), calls.end(),
                          [](const auto& call) { return call.starts_with("convolve"); }),
            48);
}

TEST(Convolutions, OtherTypesAreLeftToOurKernels) {
  const FakeGpus fake = MakeFakeGpus(1);
  const auto devices = *DeviceMgr::Create(*fake.devices, {});
  KernelCtx c(nullptr, (*devices)[1].runner(), nullptr, (*devices)[1].allocator());
  const Status status =
      ConvolveByLibrary(c, {ConvCall::kForward, DType::kDouble, false, 1, 1, 1, 1, Valid(3, 1, 1),
                            Valid(3, 1, 1), nullptr, nullptr, nullptr});
  EXPECT_EQ(status.code(), Code::kUnimplemented);
}

}  // namespace
}  // namespace tensh::cuda
