// tf.nn: convolutions, pools, normalization of images, and top-k.
#include <algorithm>

#include "shell/python/values/containers.h"
#include "shell/python/values/error.h"
#include "shell/python/values/ops.h"
#include "shell/python/vm/library.h"
#include "shell/tensorflow/graph/build.h"
#include "shell/tensorflow/graph/exchange/records.h"
#include "shell/tensorflow/graph/rows.h"
#include "shell/tensorflow/graph/shape.h"

namespace tensh::shell::tf {
namespace {

using Ints = std::vector<int64_t>;

// TensorFlow's _get_sequence. `v` is one number for all spatial dimensions, one number for each, or
// one for all dimensions. `channel` is the position of the channels.
Ints Sequence4(const Value& v, size_t spatial, bool channels_first, const char* name) {
  Ints given;
  if (v.is_none()) {
    given = {1};
  } else if (v.is_int()) {
    given = {v.as_int()};
  } else {
    for (const Value& item : ToVector(v)) given.push_back(ToIndex(item));
  }
  if (given.size() == spatial + 2) return given;
  if (given.size() == 1) given.assign(spatial, given[0]);
  if (given.size() != spatial) {
    throw ValueError(std::string(name) + " should be of length 1, " + std::to_string(spatial) +
                     " or " + std::to_string(spatial + 2) + " but was " +
                     std::to_string(given.size()));
  }
  if (channels_first) {
    given.insert(given.begin(), 2, 1);
  } else {
    given.insert(given.begin(), 1);
    given.push_back(1);
  }
  return given;
}

// The arguments of convolutions and pools that describe their windows.
struct Window {
  std::string format = "NHWC", padding;
  Ints strides, dilations, ksize, explicit_paddings;
  bool channels_first() const { return format.rfind("NC", 0) == 0; }
};

// 'SAME', 'VALID', or pairs of numbers.
void ReadPadding(const Value& v, Window& w) {
  if (v.is_none()) throw ValueError("padding must be 'SAME', 'VALID' or a list of pairs.");
  if (IsStr(v)) {
    w.padding = std::string(StrView(v));
    if (w.padding == "EXPLICIT") {
      throw ValueError(
          "\"EXPLICIT\" is not a valid value for the padding parameter. To use explicit padding, "
          "the padding parameter must be a list.");
    }
    return;
  }
  w.padding = "EXPLICIT";
  const std::vector<Value> pairs = ToVector(v);
  for (const Value& pair : pairs) {
    const std::vector<Value> two = ToVector(pair);
    if (two.size() != 2) {
      throw ValueError(
          "When padding is a list, each element of padding must be a list/tuple of "
          "size 2. Element with size " +
          std::to_string(two.size()) + " was given.");
    }
    for (const Value& n : two) w.explicit_paddings.push_back(ToIndex(n));
  }
  if (pairs.size() != 4) {
    throw ValueError("When padding is a list, it must be of size 4. Got padding of size: " +
                     std::to_string(pairs.size()));
  }
}

void ReadFormat(const Value& v, Window& w) {
  if (!v.is_none()) w.format = std::string(StrView(v));
}

Window ReadConv(const Value& strides, const Value& padding, const Value& format,
                const Value& dilations) {
  Window w;
  ReadFormat(format, w);
  ReadPadding(padding, w);
  w.strides = Sequence4(strides, 2, w.channels_first(), "strides");
  w.dilations = Sequence4(dilations, 2, w.channels_first(), "dilations");
  return w;
}

// Sets those attributes of the window that the op of `call` has.
void SetWindow(OpCall& call, const Window& w) {
  Attrs& attrs = call.attrs();
  attrs.Ints("strides", w.strides).String("padding", w.padding).String("data_format", w.format);
  if (!w.explicit_paddings.empty()) attrs.Ints("explicit_paddings", w.explicit_paddings);
  if (!w.dilations.empty()) attrs.Ints("dilations", w.dilations);
  if (!w.ksize.empty()) attrs.Ints("ksize", w.ksize);
}

const Value& Either(const Value& a, const Value& b) { return a.is_none() ? b : a; }

// Arguments: input, filter, strides, padding, use_cudnn_on_gpu, data_format, dilations, name,
// filters.
Value Conv2D(Args& a) {
  const Value& filter = Either(a[1], a[8]);
  GraphObject& g = GraphOf({&a[0], &filter});
  const Window w = ReadConv(a[2], a[3], a[5], a[6]);
  OpCall call(g, "Conv2D", NameText(a[7]));
  call.In(a[0]).In(filter);
  SetWindow(call, w);
  return call.AddValue();
}

// first, second, third, strides, padding, use_cudnn_on_gpu, data_format, dilations, name[, filters]
Value Conv2DBackprop(Args& a) {
  const bool input = a.row().data != nullptr;
  const Value& second = input ? Either(a[1], a[9]) : a[1];
  GraphObject& g = GraphOf({&a[0], &second, &a[2]});
  const Window w = ReadConv(a[3], a[4], a[6], a[7]);
  OpCall call(g, input ? "Conv2DBackpropInput" : "Conv2DBackpropFilter", NameText(a[8]));
  call.In(a[0]).In(second).In(a[2]);
  SetWindow(call, w);
  return call.AddValue();
}

// Arguments: value, filter, output_shape, strides, padding, data_format, name, input, filters,
// dilations.
Value Conv2DTranspose(Args& a) {
  const Value &value = Either(a[0], a[7]), &filter = Either(a[1], a[8]);
  GraphObject& g = GraphOf({&value, &filter, &a[2]});
  NameScope scope(g, NameOr(a[6], "conv2d_transpose"));
  const Window w = ReadConv(a[3], a[4], a[5], a[9]);
  OpCall call(g, "Conv2DBackpropInput", g.scope);
  call.In(a[2]).In(filter).In(value);
  SetWindow(call, w);
  return call.AddValue();
}

// Treats rows as images of height one, in the current scope, which names the convolution.
Value ConvolveRows(GraphObject& g, const Arg& rows, const Arg& filter, const Value& padding,
                   const Value& stride, const Value& rate, const Value& data_format) {
  const std::string format = data_format.is_none() ? "NWC" : std::string(StrView(data_format));
  const bool first = format == "NCHW" || format == "NCW";
  if (!first && format != "NHWC" && format != "NWC")
    throw ValueError("data_format must be \"NWC\" or \"NCW\".");
  Window w;
  w.format = first ? "NCHW" : "NHWC";
  ReadPadding(padding, w);
  const int64_t spatial = first ? 2 : 1;
  w.strides = Sequence4(stride, 1, first, "stride");
  w.dilations = Sequence4(rate, 1, first, "dilations");
  w.strides.insert(w.strides.begin(), 1);
  w.dilations.insert(w.dilations.begin(), 1);
  const std::string scope = g.scope;
  const Out image = Op(g, "ExpandDims", {rows, Arg(Value::Int(spatial))});
  const Out wide = Op(g, "ExpandDims", {filter, Arg(Value::Int(0))});
  OpCall call(g, "Conv2D", scope);
  call.In(image).In(wide);
  SetWindow(call, w);
  const Out made = call.Add();
  OpCall squeeze(g, "Squeeze");
  squeeze.In(made).attrs().Ints("squeeze_dims", {&spatial, 1});
  return squeeze.AddValue();
}

// Arguments: value, filters, stride, padding, use_cudnn_on_gpu, data_format, name, input,
// dilations.
Value Conv1D(Args& a) {
  const Value& value = Either(a[0], a[7]);
  GraphObject& g = GraphOf({&value, &a[1]});
  NameScope scope(g, NameOr(a[6], "conv1d"));
  return ConvolveRows(g, value, a[1], a[3], a[2], a[8], a[5]);
}

// The nodes that TF 1.x creates for a dilated filter, or None if the filter is not dilated.
Value ConvolveWithGaps(GraphObject& g, Out image, Out filter, const Window& w) {
  const Ints &rates = w.dilations, &strides = w.strides;
  auto one = [](int64_t n) { return n == 1; };
  const bool plain = std::all_of(rates.begin(), rates.end(), one);
  const bool dense = std::all_of(strides.begin(), strides.end(), one);
  if (plain || !dense || w.channels_first() || w.padding == "EXPLICIT" || rates.size() != 4)
    return Value::None();
  return Call(FromLibrary("nn_dilated", Intern("convolve")),
              {g.Tensor(image), g.Tensor(filter), MakeStr(w.padding),
               MakeList({Value::Int(rates[1]), Value::Int(rates[2])})});
}

// A convolution over one, two or three dimensions, with a dilation rate for each.
Value Convolve(GraphObject& g, Out image, Out filter, const Value& padding, const Value& strides,
               const Value& rate, const Value& format) {
  const int rank = g.handle().Shape(image).rank;
  if (rank == 3) return ConvolveRows(g, image, filter, padding, strides, rate, format);
  Window w;
  if (rank == 5) w.format = "NDHWC";
  const size_t spatial = rank == 5 ? 3 : 2;
  ReadFormat(format, w);
  ReadPadding(padding, w);
  w.strides = Sequence4(strides, spatial, w.channels_first(), "strides");
  w.dilations = Sequence4(rate, spatial, w.channels_first(), "dilations");
  if (Value made = ConvolveWithGaps(g, image, filter, w); !made.is_none()) return made;
  OpCall call(g, rank == 5 ? "Conv3D" : "Conv2D", g.scope);
  call.In(image).In(filter);
  SetWindow(call, w);
  return call.AddValue();
}

// Arguments: value, filters, rate, padding, name.
Value AtrousConv2D(Args& a) {
  GraphObject& g = GraphOf({&a[0], &a[1]});
  NameScope scope(g, NameOr(a[4], "convolution"));
  const Out image = Convert(g, a[0], "input"), filter = Convert(g, a[1], "filter");
  return Convolve(g, image, filter, a[3], Value::None(), a[2], Value::None());
}

// Arguments: input, filter, padding, strides, dilation_rate, name, data_format, filters, dilations.
Value Convolution(Args& a) {
  const Value& given = Either(a[1], a[7]);
  GraphObject& g = GraphOf({&a[0], &given});
  NameScope scope(g, NameOr(a[5], "convolution"));
  const Out image = Convert(g, a[0], "input"), filter = Convert(g, given, "filter");
  return Convolve(g, image, filter, a[2], a[3], Either(a[4], a[8]), a[6]);
}

struct Depthwise {
  const Value &strides, &padding, &rate, &format;
};

// Adds the nodes of depthwise_conv2d in the current scope. The last node is called `name`.
Out DepthwiseOut(GraphObject& g, Out image, Out filter, const Depthwise& d,
                 const std::string& name) {
  Window w;
  ReadFormat(d.format, w);
  ReadPadding(d.padding, w);
  w.strides = Sequence4(d.strides, 2, w.channels_first(), "strides");
  w.dilations = Sequence4(d.rate, 2, w.channels_first(), "rate");
  ShapeOf(g, filter);
  const Value rate = d.rate.is_none() ? MakeList({Value::Int(1), Value::Int(1)}) : d.rate;
  Convert(g, rate, "dilation_rate", {.dtype = TSH_INT32});
  OpCall call(g, "DepthwiseConv2dNative", name);
  call.In(image).In(filter);
  SetWindow(call, w);
  return call.Add();
}

// Arguments: input, filter, strides, padding, rate, name, data_format, dilations.
Value DepthwiseConv2D(Args& a) {
  GraphObject& g = GraphOf({&a[0], &a[1]});
  NameScope scope(g, NameOr(a[5], "depthwise"));
  const Out image = Convert(g, a[0], "tensor_in"), filter = Convert(g, a[1], "filter_in");
  return g.Tensor(DepthwiseOut(g, image, filter, {a[2], a[3], Either(a[4], a[7]), a[6]}, g.scope));
}

// Arguments: input, depthwise_filter, pointwise_filter, strides, padding, rate, name, data_format,
// dilations.
Value SeparableConv2D(Args& a) {
  GraphObject& g = GraphOf({&a[0], &a[1], &a[2]});
  NameScope scope(g, NameOr(a[6], "separable_conv2d"));
  const Out image = Convert(g, a[0], "tensor_in");
  const Out depth = Convert(g, a[1], "depthwise_filter");
  const Out point = Convert(g, a[2], "pointwise_filter");
  const Out middle =
      DepthwiseOut(g, image, depth, {a[3], a[4], Either(a[5], a[8]), a[7]}, "depthwise");
  const Value ones = Value::Int(1), valid = MakeStr("VALID");
  const Window w = ReadConv(ones, valid, a[7], Value::None());
  OpCall call(g, "Conv2D", g.scope);
  call.In(middle).In(point);
  SetWindow(call, w);
  return call.AddValue();
}

// Arguments: value, ksize, strides, padding, data_format, name, input.
Value Pool(Args& a) {
  const bool max = a.row().data != nullptr;
  const Value& value = Either(a[0], a[6]);
  GraphObject& g = GraphOf({&value});
  NameScope scope(g, NameOr(a[5], max ? "MaxPool" : "AvgPool"));
  Window w;
  ReadFormat(a[4], w);
  ReadPadding(a[3], w);
  w.ksize = Sequence4(a[1], 2, w.channels_first(), "ksize");
  w.strides = Sequence4(a[2], 2, w.channels_first(), "strides");
  const Out image = Convert(g, value, max ? "input" : "value");
  OpCall call(g, max ? "MaxPool" : "AvgPool", g.scope);
  call.In(image);
  SetWindow(call, w);
  return call.AddValue();
}

// Arguments: x, scale, offset, mean, variance, epsilon, data_format, is_training, name.
Value FusedBatchNorm(Args& a) {
  constexpr double kLeast = 1.001e-5;
  GraphObject& g = GraphOf({&a[0], &a[1], &a[2], &a[3], &a[4]});
  const Out x = Convert(g, a[0], "input"), scale = Convert(g, a[1], "scale"),
            offset = Convert(g, a[2], "offset");
  const bool training = Truth(a[7]);
  if (training && !(a[3].is_none() && a[4].is_none()))
    throw ValueError("Both 'mean' and 'variance' must be None if is_training is True.");
  const TensorHandle none = TensorHandle::Make(TSH_FLOAT, std::vector<int64_t>{0});
  const Out mean = a[3].is_none() ? Constant(g, none, "Const") : Convert(g, a[3], "mean");
  const Out variance = a[4].is_none() ? Constant(g, none, "Const") : Convert(g, a[4], "variance");
  OpCall call(g, "FusedBatchNormV3", NameText(a[8]));
  call.In(x).In(scale).In(offset).In(mean).In(variance);
  call.attrs()
      .Float("epsilon", std::max(ToDouble(a[5]), kLeast))
      .String("data_format", StrView(a[6]))
      .Bool("is_training", training);
  const Node node = call.AddNode();
  return MakeTuple({g.Tensor({node, 0}), g.Tensor({node, 1}), g.Tensor({node, 2})});
}

// Arguments: predictions, targets, k, name.
Value InTopK(Args& a) {
  GraphObject& g = GraphOf({&a[0], &a[1], &a[2]});
  NameScope scope(g, NameOr(a[3], "in_top_k"));
  return g.Tensor(Op(g, "InTopKV2", {a[0], a[1], a[2]}, NameText(a[3])));
}

// Rectifies both signs: relu of [x, -x].
Value Crelu(Args& a) {
  GraphObject& g = GraphOf({&a[0]});
  NameScope scope(g, NameOr(a[1], "CRelu"));
  const Out x = Convert(g, a[0], "features");
  const std::vector<Value> both = {g.Tensor(x), g.Tensor(Op(g, "Neg", {x}))};
  OpCall concat(g, "ConcatV2", g.scope);
  const Out joined = concat.InList(std::span<const Value>(both)).In(a[2]).Add();
  return g.Tensor(Op(g, "Relu", {joined}));
}

constexpr const char* kPool =
    "value=None, ksize=None, strides=None, padding=None, data_format='NHWC', name=None, input=None";
constexpr const char* kPool2d =
    "input, ksize, strides, padding, data_format='NHWC', name=None, value=None";

const FunctionRow kRows[] = {
    {"conv2d",
     "input, filter=None, strides=None, padding=None, use_cudnn_on_gpu=True, data_format='NHWC', "
     "dilations=(1, 1, 1, 1), name=None, filters=None",
     Conv2D, "The convolution of images with a filter."},
    {"conv2d_backprop_input",
     "input_sizes, filter=None, out_backprop=None, strides=None, padding=None, "
     "use_cudnn_on_gpu=True, data_format='NHWC', dilations=(1, 1, 1, 1), name=None, filters=None",
     Conv2DBackprop, "The gradient of conv2d with respect to its input.", "input"},
    {"conv2d_backprop_filter",
     "input, filter_sizes, out_backprop, strides, padding, use_cudnn_on_gpu=True, "
     "data_format='NHWC', dilations=(1, 1, 1, 1), name=None",
     Conv2DBackprop, "The gradient of conv2d with respect to its filter."},
    {"conv2d_transpose",
     "value=None, filter=None, output_shape=None, strides=None, padding='SAME', "
     "data_format='NHWC', name=None, input=None, filters=None, dilations=None",
     Conv2DTranspose, "The transpose of conv2d."},
    {"conv1d",
     "value=None, filters=None, stride=None, padding=None, use_cudnn_on_gpu=None, "
     "data_format=None, name=None, input=None, dilations=None",
     Conv1D, "The convolution of sequences with a filter."},
    {"atrous_conv2d", "value, filters, rate, padding, name=None", AtrousConv2D,
     "The convolution of images with a dilated filter."},
    {"convolution",
     "input, filter, padding, strides=None, dilation_rate=None, name=None, data_format=None, "
     "filters=None, dilations=None",
     Convolution, "A convolution in one, two or three dimensions."},
    {"depthwise_conv2d",
     "input, filter, strides, padding, rate=None, name=None, data_format=None, dilations=None",
     DepthwiseConv2D, "A convolution with separate filters for each channel."},
    {"depthwise_conv2d_native",
     "input, filter, strides, padding, data_format='NHWC', dilations=(1, 1, 1, 1), name=None",
     CallOp, "A convolution with separate filters for each channel.",
     "DepthwiseConv2dNative strides padding data_format dilations"},
    {"separable_conv2d",
     "input, depthwise_filter, pointwise_filter, strides, padding, rate=None, name=None, "
     "data_format=None, dilations=None",
     SeparableConv2D, "A depthwise convolution, followed by one over the channels."},
    {"max_pool", kPool, Pool, "The maximum of each window.", "max"},
    {"max_pool2d", kPool2d, Pool, "The maximum of each window.", "max"},
    {"avg_pool", kPool, Pool, "The mean of each window."},
    {"avg_pool2d", kPool, Pool, "The mean of each window."},
    {"lrn", "input, depth_radius=5, bias=1, alpha=1, beta=0.5, name=None", CallOp,
     "Divides channels by a norm of neighboring channels.", "LRN depth_radius bias alpha beta"},
    {"local_response_normalization", "input, depth_radius=5, bias=1, alpha=1, beta=0.5, name=None",
     CallOp, "Divides channels by a norm of neighboring channels.",
     "LRN depth_radius bias alpha beta"},
    {"fused_batch_norm",
     "x, scale, offset, mean=None, variance=None, epsilon=0.001, data_format='NHWC', "
     "is_training=True, name=None",
     FusedBatchNorm, "Normalizes channels, and returns mean and variance too."},
    {"top_k", "input, k=1, sorted=True, name=None", CallOp, "The k largest elements of each row.",
     "TopKV2 sorted"},
    {"in_top_k", "predictions, targets, k, name=None", InTopK,
     "True if the target is among the k best predictions."},
    {"crelu", "features, name=None, axis=-1", Crelu, "The concatenation of relu(x) and relu(-x)."},
};

}  // namespace

std::span<const FunctionRow> ConvRows() { return kRows; }

}  // namespace tensh::shell::tf
