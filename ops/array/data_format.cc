// DataFormatDimMap and DataFormatVecPermute: convert dimension numbers, and vectors with one entry
// per dimension, between image layouts.
#include <algorithm>

#include "ops/op_file.h"
#include "ops/support/prepare.h"
#include "ops/support/shape_util.h"

namespace tensh::ops {
namespace {

struct FormatState : KernelState {
  std::string from, to;
  Status Read(PrepareCtx& c) {
    from = c.attrs().String("src_format");
    to = c.attrs().String("dst_format");
    for (const std::string* format : {&from, &to}) {
      const char* name = format == &from ? "Source" : "Destination";
      if (format->size() != 4 && format->size() != 5)
        return InvalidArgument(name, " format must be of length 4 or 5, received ", name,
                               " format = ", *format);
    }
    std::string a = from, b = to;
    std::sort(a.begin(), a.end());
    std::sort(b.begin(), b.end());
    if (a != b || std::adjacent_find(a.begin(), a.end()) != a.end())
      return InvalidArgument("Destination and source format must determine a permutation, got ",
                             from, " and ", to);
    return {};
  }
};

// Returns, for each dimension of `to`, its position in `from`.
std::vector<int64_t> Permutation(const std::string& from, const std::string& to) {
  std::vector<int64_t> order;
  for (char c : to) order.push_back(static_cast<int64_t>(from.find(c)));
  return order;
}

struct DimMap {
  template <class T>
  Status operator()(KernelCtx& c) const {
    const auto& s = c.state<FormatState>();
    const std::vector<int64_t> map = Permutation(s.to, s.from);
    const int64_t rank = static_cast<int64_t>(map.size());
    const T* in = c.in(0).data<T>();
    TENSH_OUTPUT(y, c.Forward(0, 0, c.in(0).shape()));
    T* out = y->data<T>();
    for (int64_t i = 0; i < y->num_elements(); ++i) {
      const int64_t d = (static_cast<int64_t>(in[i]) % rank + rank) % rank;
      out[i] = static_cast<T>(map[static_cast<size_t>(d)]);
    }
    return {};
  }
};

struct VecPermute {
  template <class T>
  Status operator()(KernelCtx& c) const {
    const auto& s = c.state<FormatState>();
    const Tensor& x = c.in(0);
    if (x.rank() != 1 && x.rank() != 2)
      return InvalidArgument("input must be a vector or 2D tensor, but got shape ", x.shape());
    const int64_t full = static_cast<int64_t>(s.from.size()), n = x.dim(0);
    if (n != full && n != full - 2)
      return InvalidArgument(x.rank() == 1 ? "1D input must be of size "
                                           : "First dimension of 2D "
                                             "input must be of size ",
                             full - 2, " or ", full, ", but got shape ", x.shape());
    if (x.rank() == 2 && x.dim(1) != 2)
      return InvalidArgument("Second dimension of 2D input must be of size 2, but got shape ",
                             x.shape());
    std::string from = s.from, to = s.to;
    if (n != full)  // the vector has only the spatial dimensions
      for (std::string* format : {&from, &to})
        format->erase(std::remove_if(format->begin(), format->end(),
                                     [](char d) { return d == 'N' || d == 'C'; }),
                      format->end());
    const std::vector<int64_t> order = Permutation(from, to);
    if (static_cast<int64_t>(order.size()) != n)
      return InvalidArgument("Format ", s.from, " does not have ", n, " spatial dimensions");
    TENSH_OUTPUT(y, c.Output(0, x.shape()));
    const int64_t each = x.rank() == 2 ? 2 : 1;
    for (int64_t i = 0; i < n; ++i)
      std::copy_n(x.data<T>() + order[static_cast<size_t>(i)] * each, each,
                  y->data<T>() + i * each);
    return {};
  }
};

Status PermuteShape(ShapeCtx& c) {
  c.Set(0, c.in(0));
  return {};
}

constexpr char kAttrs[] =
    "T: {int32, int64} = int32, src_format: string = 'NHWC', dst_format: string = 'NCHW'";
constexpr char kDoc[] =
    " src_format, dst_format: the layouts, with one letter per dimension. T: the element type.";

}  // namespace

TENSH_OPS(array_data_format) {
  constexpr KernelOptions kOptions = {.prepare = PrepareFrom<FormatState>};
  r.Op({.name = "DataFormatDimMap",
        .inputs = "x: T",
        .outputs = "y: T",
        .attrs = kAttrs,
        .doc = StrCat(
            "Converts dimension numbers from one layout to another. x: dimensions, -4 to 3.", kDoc),
        .shape = PermuteShape,
        .no_gradient = true,
        .examples = {{"tf.raw_ops.DataFormatDimMap(x=[1, 2, 3])", "[2 3 1]"}}})
      .Cpu<int32_t, int64_t>(DimMap{}, kOptions);
  r.Op({.name = "DataFormatVecPermute",
        .inputs = "x: T",
        .outputs = "y: T",
        .attrs = kAttrs,
        .doc =
            StrCat("Permutes a vector with one entry per dimension from one layout to another. x: "
                   "the vector, or a matrix of pairs; it may have only the spatial dimensions.",
                   kDoc),
        .shape = PermuteShape,
        .no_gradient = true,
        .examples = {{"tf.raw_ops.DataFormatVecPermute(x=[10, 20, 30, 40])", "[10 40 20 30]"}}})
      .Cpu<int32_t, int64_t>(VecPermute{}, kOptions);
}

}  // namespace tensh::ops
