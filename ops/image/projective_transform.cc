// ImageProjectiveTransformV2 and V3: images seen through a projective transformation.
//
// A pixel (x, y) of the result is that of the input at ((a0 x + a1 y + a2) / k, (b0 x + b1 y + b2) / k)
// with k = c0 x + c1 y + 1. The transform is [a0, a1, a2, b0, b1, b2, c0, c1].
#include <algorithm>
#include <cmath>

#include "ops/op_file.h"
#include "ops/support/prepare.h"

namespace tensh::ops {
namespace {

enum class Fill : uint8_t { kConstant, kReflect, kWrap, kNearest };

struct ProjectState : KernelState {
  bool bilinear = false;
  Fill fill = Fill::kConstant;
  Status wrong;  // the error of an unknown attribute, which comes after those of the inputs
};

Result<std::unique_ptr<KernelState>> PrepareProject(PrepareCtx& c) {
  auto state = std::make_unique<ProjectState>();
  const std::string& how = c.attrs().String("interpolation");
  const std::string& mode = c.attrs().String("fill_mode");
  if (how != "NEAREST" && how != "BILINEAR")
    state->wrong =
        InvalidArgument("Invalid interpolation ", how, ". Supported types: NEAREST, BILINEAR");
  static constexpr std::pair<std::string_view, Fill> kModes[] = {{"CONSTANT", Fill::kConstant},
                                                                 {"REFLECT", Fill::kReflect},
                                                                 {"WRAP", Fill::kWrap},
                                                                 {"NEAREST", Fill::kNearest}};
  const auto found = std::find_if(std::begin(kModes), std::end(kModes),
                                  [&](const auto& row) { return row.first == mode; });
  if (found == std::end(kModes))
    state->wrong = InvalidArgument("Invalid mode ", mode,
                                   ". Supported types: REFLECT, WRAP, CONSTANT, NEAREST");
  else
    state->fill = found->second;
  state->bilinear = how == "BILINEAR";
  return {std::move(state)};
}

// Maps a coordinate outside of [0, length) to one inside, unless pixels outside have a constant
// value. Coordinates that no integer can represent stay outside.
float Inside(float at, int64_t length, Fill fill) {
  if (fill == Fill::kConstant || !(std::abs(at) < 1e9f)) return at;
  const float last = static_cast<float>(length - 1);
  if (fill != Fill::kNearest && (at < 0 || at > last)) {
    if (length <= 1) return 0;
    const int64_t size = fill == Fill::kReflect ? 2 * length : length - 1;
    const auto periods = static_cast<int64_t>(std::abs(at) / static_cast<float>(size));
    if (fill == Fill::kWrap) {
      at += static_cast<float>(at < 0 ? length * (periods + 1) : -length * periods);
    } else if (at < 0) {
      at += static_cast<float>(size * periods);
      at = at < static_cast<float>(-length) ? at + static_cast<float>(size) : -at - 1;
    } else {
      at -= static_cast<float>(size * periods);
      if (at >= static_cast<float>(length)) at = static_cast<float>(size) - at - 1;
    }
  }
  return std::clamp(at, 0.f, last);
}

// One input image.
template <class T>
struct Picture {
  const T* pixels;
  int64_t height, width, channels;
  float outside;  // the value of pixels outside

  float At(float y, float x, int64_t channel) const {
    if (!(y >= 0 && x >= 0 && y < static_cast<float>(height) && x < static_cast<float>(width)))
      return outside;
    return static_cast<float>(
        pixels[(static_cast<int64_t>(y) * width + static_cast<int64_t>(x)) * channels + channel]);
  }
  float Between(float y, float x, int64_t channel) const {
    const float y0 = std::floor(y), x0 = std::floor(x), y1 = y0 + 1, x1 = x0 + 1;
    const float above = (x1 - x) * At(y0, x0, channel) + (x - x0) * At(y0, x1, channel);
    const float below = (x1 - x) * At(y1, x0, channel) + (x - x0) * At(y1, x1, channel);
    return (y1 - y) * above + (y - y0) * below;
  }
};

// Converts as a C++ cast does, but without leaving the range of the type.
template <class T>
T Converted(float v) {
  if constexpr (std::is_integral_v<T>) {
    if (std::isnan(v)) return T(0);
    constexpr auto kMin = std::numeric_limits<T>::min();
    constexpr auto kMax = std::numeric_limits<T>::max();
    if (v <= static_cast<float>(kMin)) return kMin;
    if (v >= static_cast<float>(kMax)) return kMax;
  }
  return static_cast<T>(v);
}

// Computes the rows [begin, end) of all results, counted through the batch.
template <class T>
void ProjectRows(const ProjectState& s, Picture<T> picture, const Tensor& transforms,
                 int64_t height, int64_t width, int64_t begin, int64_t end, T* out) {
  const T* const first = picture.pixels;
  const int64_t size = picture.height * picture.width * picture.channels;
  for (int64_t row = begin; row < end; ++row) {
    const int64_t image = row / height;
    const float* t = transforms.data<float>() + (transforms.dim(0) == 1 ? 0 : 8 * image);
    const float y = static_cast<float>(row % height);
    picture.pixels = first + image * size;
    T* to = out + row * width * picture.channels;
    for (int64_t column = 0; column < width; ++column) {
      const float x = static_cast<float>(column);
      const float k = t[6] * x + t[7] * y + 1.f;
      const float from_x = Inside((t[0] * x + t[1] * y + t[2]) / k, picture.width, s.fill);
      const float from_y = Inside((t[3] * x + t[4] * y + t[5]) / k, picture.height, s.fill);
      for (int64_t channel = 0; channel < picture.channels; ++channel)
        *to++ = Converted<T>(k == 0 ? picture.outside
                             : s.bilinear
                                 ? picture.Between(from_y, from_x, channel)
                                 : picture.At(std::round(from_y), std::round(from_x), channel));
    }
  }
}

struct Project {
  template <class T>
  Status operator()(KernelCtx& c) const {
    const auto& s = c.state<ProjectState>();
    TENSH_RETURN_IF_ERROR(s.wrong);
    const Tensor &images = c.in(0), &transforms = c.in(1);
    const int64_t batch = images.dim(0);
    if (transforms.dim(1) != 8 || (transforms.dim(0) != 1 && transforms.dim(0) != batch))
      return InvalidArgument("Input transform should be num_images x 8 or 1 x 8, got ",
                             transforms.shape());
    const int32_t* size = c.in(2).data<int32_t>();
    if (size[0] <= 0 || size[1] <= 0)
      return InvalidArgument("new dimensions must be positive, got ", size[0], " and ", size[1]);
    const int64_t height = size[0], width = size[1];
    const float outside = c.num_inputs() > 3 ? *c.in(3).data<float>() : 0;
    const Picture<T> picture{images.data<T>(), images.dim(1), images.dim(2), images.dim(3),
                             outside};
    TENSH_OUTPUT(out, c.Output(0, Shape({batch, height, width, images.dim(3)})));
    T* to = out->data<T>();
    c.ParallelFor(batch * height, 10. * static_cast<double>(width * images.dim(3)),
                  [&](int64_t begin, int64_t end) {
                    ProjectRows(s, picture, transforms, height, width, begin, end, to);
                  });
    return {};
  }
};

Status ProjectShape(ShapeCtx& c) {
  Shape size = c.ConstantAsShape(2);
  const Shape& images = c.in(0);
  const bool known = size.rank() == 2;
  c.Set(0, Shape({images.rank() == 4 ? images[0] : -1, known ? size[0] : -1, known ? size[1] : -1,
                  images.rank() == 4 ? images[3] : -1}));
  return {};
}

constexpr char kAttrs[] =
    "dtype: {uint8, int32, int64, half, bfloat16, float, double}, interpolation: string, "
    "fill_mode: string = 'CONSTANT'";
constexpr char kContract[] = "images: rank 4, transforms: matrix, output_shape: vector of 2";

std::string Doc(const char* outside) {
  return StrCat(
      "Images seen through a projective transformation. images: [batch, rows, columns, channels], "
      "of type dtype. transforms has a row of eight numbers for each image, or one for all: the "
      "pixel (x, y) of the result is that of the input at ((a0 x + a1 y + a2) / k, (b0 x + b1 y + "
      "b2) / k), where k = c0 x + c1 y + 1. output_shape: the rows and columns of "
      "transformed_images. interpolation: NEAREST or BILINEAR. fill_mode: CONSTANT, REFLECT, WRAP "
      "or NEAREST, for points outside of the image; CONSTANT gives them ",
      outside, ".");
}

}  // namespace

TENSH_OPS(image_projective_transform) {
  const KernelOptions options{.prepare = PrepareProject, .type_attr = "dtype"};
  r.Op({.name = "ImageProjectiveTransformV2",
        .inputs = "images: dtype, transforms: float, output_shape: int32",
        .outputs = "transformed_images: dtype",
        .attrs = kAttrs,
        .doc = Doc("0"),
        .contract = kContract,
        .shape = ProjectShape,
        .examples = {{"tf.raw_ops.ImageProjectiveTransformV2(images=[[[[1.], [2.]], [[3.], "
                      "[4.]]]], transforms=[[1., 0., 1., 0., 1., 0., 0., 0.]], output_shape=[2, "
                      "2], interpolation='NEAREST')[0, :, :, 0]",
                      "[[2. 0.]\n [4. 0.]]"}}})
      .Cpu<uint8_t, int32_t, int64_t, float, double>(Project{}, options);
  r.Op({.name = "ImageProjectiveTransformV3",
        .inputs = "images: dtype, transforms: float, output_shape: int32, fill_value: float",
        .outputs = "transformed_images: dtype",
        .attrs = kAttrs,
        .doc = Doc("fill_value"),
        .contract = std::string(kContract) + ", fill_value: scalar",
        .shape = ProjectShape,
        .examples = {{"tf.raw_ops.ImageProjectiveTransformV3(images=[[[[1.], [2.]], [[3.], "
                      "[4.]]]], transforms=[[1., 0., 1., 0., 1., 0., 0., 0.]], output_shape=[2, "
                      "2], interpolation='NEAREST', fill_value=9.)[0, :, :, 0]",
                      "[[2. 9.]\n [4. 9.]]"}}})
      .Cpu<uint8_t, int32_t, int64_t, float, double>(Project{}, options);
}

}  // namespace tensh::ops
