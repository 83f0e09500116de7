#include "runtime/dist/tensor_codec.h"

#include <algorithm>
#include <cstring>

namespace tensh::dist {
namespace {

using tensorflow::TensorProto;

// What a few bytes of message may ask for (one value for all elements, or none).
constexpr int64_t kMaxFilledBytes = int64_t{1} << 30;
// Of a string element beside its text.
constexpr int64_t kStringBytes = 32;

int64_t ElementBytes(int dtype) {
  return dtype == TSH_STRING ? kStringBytes : static_cast<int64_t>(tsh_dtype_size(dtype));
}

// Elements of a fully known shape; -1 when they are too many to count.
int64_t CountElements(const std::vector<int64_t>& dims, int64_t element_bytes) {
  int64_t n = 1;
  for (int64_t d : dims)
    if (d == 0) return 0;
  for (int64_t d : dims) {
    if (n > (int64_t{1} << 46) / d) return -1;
    n *= d;
  }
  return n * element_bytes > (int64_t{1} << 46) ? -1 : n;
}

// The values that came, then the last one again; zeros when none came.
template <class To, class List, class Convert>
void Fill(void* data, int64_t n, const List& list, int step, Convert convert) {
  To* out = static_cast<To*>(data);
  const int64_t given = std::min<int64_t>(n, list.size() / step);
  for (int64_t i = 0; i < given; ++i) out[i] = convert(list, static_cast<int>(i) * step);
  const To last = given > 0 ? out[given - 1] : To{};
  std::fill(out + given, out + n, last);
}

template <class To, class List>
void FillCast(void* data, int64_t n, const List& list) {
  Fill<To>(data, n, list, 1, [](const List& l, int i) { return static_cast<To>(l[i]); });
}

template <class Part, class List>
void FillComplex(void* data, int64_t n, const List& list) {
  struct Pair {
    Part re, im;
  };
  Fill<Pair>(data, n, list, 2, [](const List& l, int i) { return Pair{l[i], l[i + 1]}; });
}

using Filler = void (*)(void* data, int64_t n, const TensorProto& p);
struct FillRow {
  int dtype;
  Filler fill;
};
constexpr FillRow kFillers[] = {
    {TSH_FLOAT,
     [](void* d, int64_t n, const TensorProto& p) { FillCast<float>(d, n, p.float_val()); }},
    {TSH_DOUBLE,
     [](void* d, int64_t n, const TensorProto& p) { FillCast<double>(d, n, p.double_val()); }},
    {TSH_INT32,
     [](void* d, int64_t n, const TensorProto& p) { FillCast<int32_t>(d, n, p.int_val()); }},
    {TSH_UINT8,
     [](void* d, int64_t n, const TensorProto& p) { FillCast<uint8_t>(d, n, p.int_val()); }},
    {TSH_INT8,
     [](void* d, int64_t n, const TensorProto& p) { FillCast<int8_t>(d, n, p.int_val()); }},
    {TSH_INT16,
     [](void* d, int64_t n, const TensorProto& p) { FillCast<int16_t>(d, n, p.int_val()); }},
    {TSH_UINT16,
     [](void* d, int64_t n, const TensorProto& p) { FillCast<uint16_t>(d, n, p.int_val()); }},
    {TSH_INT64,
     [](void* d, int64_t n, const TensorProto& p) { FillCast<int64_t>(d, n, p.int64_val()); }},
    {TSH_BOOL,
     [](void* d, int64_t n, const TensorProto& p) { FillCast<uint8_t>(d, n, p.bool_val()); }},
    {TSH_UINT32,
     [](void* d, int64_t n, const TensorProto& p) { FillCast<uint32_t>(d, n, p.uint32_val()); }},
    {TSH_UINT64,
     [](void* d, int64_t n, const TensorProto& p) { FillCast<uint64_t>(d, n, p.uint64_val()); }},
    {TSH_HALF,
     [](void* d, int64_t n, const TensorProto& p) { FillCast<uint16_t>(d, n, p.half_val()); }},
    {TSH_BFLOAT16,
     [](void* d, int64_t n, const TensorProto& p) { FillCast<uint16_t>(d, n, p.half_val()); }},
    {TSH_COMPLEX64,
     [](void* d, int64_t n, const TensorProto& p) { FillComplex<float>(d, n, p.scomplex_val()); }},
    {TSH_COMPLEX128,
     [](void* d, int64_t n, const TensorProto& p) { FillComplex<double>(d, n, p.dcomplex_val()); }},
};

// tensor_content of strings: the lengths as varints, then all the text.
Status DecodeStrings(const std::string& content, int64_t n, tsh_tensor* out) {
  const auto* at = reinterpret_cast<const uint8_t*>(content.data());
  const uint8_t* const end = at + content.size();
  std::vector<uint64_t> lengths;
  for (int64_t i = 0; i < n; ++i) {
    uint64_t length = 0;
    int shift = 0;
    do {
      if (at == end || shift > 63) return InvalidArgument("tensor_content of strings is cut off");
      length |= static_cast<uint64_t>(*at & 0x7f) << shift;
      shift += 7;
    } while (*at++ & 0x80);
    lengths.push_back(length);
  }
  for (int64_t i = 0; i < n; ++i) {
    const uint64_t length = lengths[static_cast<size_t>(i)];
    if (length > static_cast<uint64_t>(end - at))
      return InvalidArgument("tensor_content of strings is cut off");
    tsh_tensor_set_string(out, i, reinterpret_cast<const char*>(at), length);
    at += length;
  }
  return {};
}

Status FillStrings(const TensorProto& proto, int64_t n, tsh_tensor* out) {
  if (!proto.tensor_content().empty()) return DecodeStrings(proto.tensor_content(), n, out);
  const int given = proto.string_val_size();
  for (int64_t i = 0; i < n && given > 0; ++i) {
    const std::string& text = proto.string_val(static_cast<int>(std::min<int64_t>(i, given - 1)));
    tsh_tensor_set_string(out, i, text.data(), text.size());
  }
  return {};
}

Status FillContent(const std::string& content, int dtype, int64_t n, tsh_tensor* out) {
  if (static_cast<int64_t>(content.size()) != n * ElementBytes(dtype))
    return InvalidArgument("tensor_content has ", content.size(), " bytes; ", n, " elements of ",
                           tsh_dtype_name(dtype), " have ", n * ElementBytes(dtype));
  auto* data = static_cast<uint8_t*>(tsh_tensor_data(out));
  if (n > 0) std::memcpy(data, content.data(), content.size());
  if (dtype == TSH_BOOL)
    for (int64_t i = 0; i < n; ++i) data[i] = data[i] != 0;
  return {};
}

}  // namespace

Status DecodeShape(const tensorflow::TensorShapeProto& proto, std::vector<int64_t>* dims,
                   int* rank) {
  dims->clear();
  *rank = -1;
  if (proto.unknown_rank()) return {};
  if (proto.dim_size() > TSH_MAX_RANK)
    return Unimplemented("a shape of rank ", proto.dim_size(), "; at most ", TSH_MAX_RANK,
                         " is possible here");
  for (const auto& dim : proto.dim()) {
    if (dim.size() < -1) return InvalidArgument("a shape has the dimension ", dim.size());
    dims->push_back(dim.size());
  }
  *rank = proto.dim_size();
  return {};
}

void EncodeShape(const int64_t* dims, int rank, tensorflow::TensorShapeProto* proto) {
  if (rank < 0) proto->set_unknown_rank(true);
  for (int i = 0; i < rank; ++i) proto->add_dim()->set_size(dims[i]);
}

Result<TensorPtr> DecodeTensor(const TensorProto& proto) {
  const int dtype = proto.dtype();
  const FillRow* row = std::find_if(std::begin(kFillers), std::end(kFillers),
                                    [&](const FillRow& each) { return each.dtype == dtype; });
  if (row == std::end(kFillers) && dtype != TSH_STRING)
    return Unimplemented("a tensor of data type ", dtype, " cannot be read here");
  std::vector<int64_t> dims;
  int rank = 0;
  TENSH_RETURN_IF_ERROR(DecodeShape(proto.tensor_shape(), &dims, &rank));
  if (rank < 0 || std::any_of(dims.begin(), dims.end(), [](int64_t d) { return d < 0; }))
    return InvalidArgument("the shape of a tensor is not fully known");
  const int64_t element = ElementBytes(dtype);
  const int64_t n = CountElements(dims, element);
  const auto came = static_cast<int64_t>(proto.ByteSizeLong());
  if (n < 0 || (n * element > kMaxFilledBytes && n * element / 40 > came))
    return ResourceExhausted("a message of ", came, " bytes asks for a tensor of ", n, " elements");
  if (dtype != TSH_STRING && !proto.tensor_content().empty() &&
      static_cast<int64_t>(proto.tensor_content().size()) != n * element)
    return FillContent(proto.tensor_content(), dtype, n, nullptr);
  Said said;
  TensorPtr out(tsh_tensor_new(dtype, dims.data(), rank, said));
  if (!out) return said.Take();
  if (dtype == TSH_STRING) {
    TENSH_RETURN_IF_ERROR(FillStrings(proto, n, out.get()));
  } else if (!proto.tensor_content().empty()) {
    TENSH_RETURN_IF_ERROR(FillContent(proto.tensor_content(), dtype, n, out.get()));
  } else {
    row->fill(tsh_tensor_data(out.get()), n, proto);
  }
  return out;
}

void EncodeTensor(tsh_tensor* tensor, TensorProto* proto) {
  const int dtype = tsh_tensor_dtype(tensor);
  proto->set_dtype(dtype);
  EncodeShape(tsh_tensor_dims(tensor), tsh_tensor_rank(tensor), proto->mutable_tensor_shape());
  const int64_t n = tsh_tensor_elements(tensor);
  if (dtype != TSH_STRING) {
    proto->set_tensor_content(tsh_tensor_data(tensor),
                              static_cast<size_t>(n) * tsh_dtype_size(dtype));
    return;
  }
  for (int64_t i = 0; i < n; ++i) {
    size_t length = 0;
    const char* text = tsh_tensor_string(tensor, i, &length);
    proto->add_string_val(text, length);
  }
}

}  // namespace tensh::dist
