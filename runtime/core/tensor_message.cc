#include "runtime/core/tensor_message.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <vector>

#include "runtime/base/wire.h"
#include "runtime/core/quantized.h"
#include "runtime/core/small_types.h"
#include "runtime/core/splat_tensor.h"
#include "runtime/core/variant.h"

namespace tensh {
namespace {

// Field numbers of TensorProto.
enum Field {
  kDtype = 1,
  kShape = 2,
  kContent = 4,
  kFloatVal = 5,
  kDoubleVal = 6,
  kIntVal = 7,
  kStringVal = 8,
  kComplexVal = 9,
  kInt64Val = 10,
  kBoolVal = 11,
  kComplex128Val = 12,
  kHalfVal = 13,
  kVariantVal = 15,
  kUint32Val = 16,
  kUint64Val = 17,
  kFloat8Val = 18,
};

// Field numbers of VariantTensorDataProto.
enum VariantField { kTypeName = 1, kMetadata = 2, kTensors = 3 };

// For each type, the field that holds its values, and the number of values per element.
struct Typed {
  DType dtype;
  Field field;
  int numbers = 1;
};
constexpr Typed kTyped[] = {
    {DType::kFloat, kFloatVal},
    {DType::kDouble, kDoubleVal},
    {DType::kInt32, kIntVal},
    {DType::kUint8, kIntVal},
    {DType::kInt8, kIntVal},
    {DType::kInt16, kIntVal},
    {DType::kUint16, kIntVal},
    {kQint8, kIntVal},
    {kQuint8, kIntVal},
    {kQint16, kIntVal},
    {kQuint16, kIntVal},
    {kQint32, kIntVal},
    {DType::kInt64, kInt64Val},
    {DType::kBool, kBoolVal},
    {DType::kHalf, kHalfVal},
    {DType::kBfloat16, kHalfVal},
    {DType::kUint32, kUint32Val},
    {DType::kUint64, kUint64Val},
    {DType::kComplex64, kComplexVal, 2},
    {DType::kComplex128, kComplex128Val, 2},
    {kFloat8E5m2, kFloat8Val},
    {kFloat8E4m3fn, kFloat8Val},
    {kInt4, kIntVal},
    {kUint4, kIntVal},
};

const Typed* FindTyped(DType dtype) {
  for (const Typed& row : kTyped)
    if (row.dtype == dtype) return &row;
  return nullptr;
}

// Limits for messages in which one value, or none, stands for all elements.
constexpr int64_t kMaxFilledBytes = int64_t{1} << 30;
constexpr int64_t kMaxFilledRatio = 40;
constexpr int64_t kFilledInVariants = 1 << 20;

// Bounds a message that contains others, by way of variants.
struct Nesting {
  static constexpr int kMostLevels = 40;  // TensorFlow's messages end at about 50.
  int levels = 0;
  int64_t bytes_left;  // of memory to decode, or of text to encode
  bool Take(int64_t bytes) { return (bytes_left -= std::min(bytes, bytes_left + 1)) >= 0; }
};
constexpr int64_t kMaxMessage = int64_t{1} << 31;
// Charged for each tensor in a variant, in addition to its message: values that share others could
// otherwise keep a thread busy for long.
constexpr int64_t kPerTensor = 4096;

Status TooDeep() {
  return ResourceExhausted("variants are nested more than ", Nesting::kMostLevels, " levels deep");
}

std::atomic<const ReferenceReader*> the_reader{nullptr};

// Returns -1 if this is not a reference.
int64_t ReferencedSize(std::string_view reference) {
  const ReferenceReader* reader = the_reader.load(std::memory_order_acquire);
  return reader ? reader->size(reference) : -1;
}

Status Malformed(std::string_view what) {
  return InvalidArgument(what, " of the message cannot be read");
}

// Returns 0 for fields of varints.
size_t FixedBytes(int field) {
  if (field == kFloatVal || field == kComplexVal) return 4;
  return field == kDoubleVal || field == kComplex128Val ? 8 : 0;
}

// The numbers of one typed field as bits, packed or listed one by one.
class Numbers {
 public:
  // Returns false if a packed run is truncated.
  bool Add(const WireReader& in) {
    const size_t fixed = FixedBytes(in.field());
    if (!in.is_bytes()) {
      bits_.push_back(fixed == 4 ? in.fixed32() : fixed == 8 ? in.fixed64() : in.varint());
      return true;
    }
    std::string_view packed = in.bytes();
    if (in.field() == kFloat8Val) {  // one byte each
      for (char byte : packed) bits_.push_back(static_cast<uint8_t>(byte));
      return true;
    }
    if (fixed) return AddFixed(packed, fixed);
    for (uint64_t v; !packed.empty(); bits_.push_back(v))
      if (!TakeVarint(packed, v)) return false;
    return true;
  }

  // Returns true if at most one element of `numbers` values is given.
  bool IsOneElement(size_t numbers) const { return bits_.size() / numbers <= 1; }

  // Fills n elements of `size` bytes, each of `numbers` values. For every type, a value is stored
  // in the low bytes. The last element repeats; if there is none, the elements are zero.
  void Fill(char* to, int64_t n, size_t size, size_t numbers) const {
    const size_t part = size / numbers;
    const size_t given = std::min(static_cast<size_t>(n), bits_.size() / numbers);
    for (size_t i = 0; i < given * numbers; ++i) std::memcpy(to + i * part, &bits_[i], part);
    if (given == 0) std::memset(to, 0, static_cast<size_t>(n) * size);
    for (size_t i = given; given && i < static_cast<size_t>(n); ++i)
      std::memcpy(to + i * size, to + (given - 1) * size, size);
  }

 private:
  bool AddFixed(std::string_view packed, size_t fixed) {
    for (; packed.size() >= fixed; packed.remove_prefix(fixed))
      bits_.push_back(fixed == 4 ? LoadFixed32(packed.data()) : LoadFixed64(packed.data()));
    return packed.empty();
  }

  std::vector<uint64_t> bits_;
};

// A parsed TensorProto that is not validated yet.
struct Parts {
  DType dtype = DType::kInvalid;
  Shape shape;
  std::string_view content;
  std::string_view reference;  // to the content, in a file
  Numbers numbers;
  std::vector<std::string_view> strings, variants;
};

Result<Parts> TakeApart(std::string_view message) {
  Parts parts;
  WireReader in(message);
  // The field of a value must match the type, but the type may follow it.
  int values = 0;
  while (in.Next()) {
    if (in.field() == kDtype) {
      const uint64_t type = in.varint();
      parts.dtype = type < static_cast<uint64_t>(kRefOffset) ? static_cast<DType>(type) : DType();
      if (type != static_cast<uint64_t>(parts.dtype))
        return Unimplemented("a tensor of data type ", type, " cannot be read here");
    } else if (in.field() == kShape) {
      TENSH_ASSIGN(parts.shape, DecodeShape(in.bytes()));
    } else if (in.field() == kContent) {
      parts.content = in.bytes();
    } else if (in.field() == kReferenceField) {
      parts.reference = in.bytes();
    } else if (in.field() == kStringVal) {
      parts.strings.push_back(in.bytes());
    } else if (in.field() == kVariantVal) {
      parts.variants.push_back(in.bytes());
    } else if (std::any_of(std::begin(kTyped), std::end(kTyped),
                           [&](const Typed& row) { return row.field == in.field(); })) {
      if ((values && values != in.field()) || !parts.numbers.Add(in))
        return Malformed("the values");
      values = in.field();
    }
  }
  if (!in.ok()) return Malformed("a tensor");
  const Typed* typed = FindTyped(parts.dtype);
  if (!typed && parts.dtype != DType::kString && parts.dtype != DType::kVariant)
    return Unimplemented("a tensor of data type ", static_cast<int>(parts.dtype),
                         " cannot be read here");
  if (values && (!typed || typed->field != values)) parts.numbers = {};
  return parts;
}

Status CheckSize(const Parts& parts, size_t message_bytes) {
  if (!parts.shape.IsFullyKnown())
    return InvalidArgument("the shape of a tensor is not fully known");
  const int64_t n = parts.shape.num_elements();
  const int64_t size = SizeOf(parts.dtype);
  const auto too_large = [&] {
    return ResourceExhausted("a message of ", message_bytes, " bytes requests a tensor of ", n,
                             " elements");
  };
  if (n > (int64_t{1} << 46) / size) return too_large();
  if (!parts.reference.empty()) {
    const int64_t given = ReferencedSize(parts.reference);
    if (parts.dtype == DType::kVariant) return Unimplemented("variants are not read from files");
    if (parts.dtype == DType::kString ? given >= n : given == n * size) return {};
    return InvalidArgument("the values of a tensor in a file have ", given, " bytes; ", n,
                           " elements of ", Name(parts.dtype), " have ", n * size);
  }
  if (n * size > kMaxFilledBytes &&
      n * size / kMaxFilledRatio > static_cast<int64_t>(message_bytes))
    return too_large();
  if (FindTyped(parts.dtype) && !parts.content.empty() &&
      static_cast<int64_t>(parts.content.size()) != n * size)
    return InvalidArgument("tensor_content has ", parts.content.size(), " bytes; ", n,
                           " elements of ", Name(parts.dtype), " have ", n * size);
  return {};
}

// Splits the tensor_content of n strings or variants: the lengths as varints, followed by all texts.
Status SplitContent(std::string_view content, size_t n, std::vector<std::string_view>* to) {
  std::vector<uint64_t> lengths(n);
  for (uint64_t& length : lengths)
    if (!TakeVarint(content, length)) return Malformed("tensor_content");
  for (const uint64_t length : lengths) {
    if (length > content.size()) return Malformed("tensor_content");
    to->push_back(content.substr(0, length));
    content.remove_prefix(length);
  }
  return {};
}

Status FillFromContent(std::span<std::string> to, std::string_view content) {
  std::vector<std::string_view> texts;
  TENSH_RETURN_IF_ERROR(SplitContent(content, to.size(), &texts));
  std::copy(texts.begin(), texts.end(), to.begin());
  return {};
}

Status FillStrings(std::span<std::string> to, const Parts& parts) {
  if (!parts.reference.empty()) {
    std::string content(static_cast<size_t>(ReferencedSize(parts.reference)), '\0');
    TENSH_RETURN_IF_ERROR(the_reader.load()->read(parts.reference, content.data()));
    return FillFromContent(to, content);
  }
  if (!parts.content.empty()) return FillFromContent(to, parts.content);
  for (size_t i = 0; i < to.size() && !parts.strings.empty(); ++i)
    to[i] = parts.strings[std::min(i, parts.strings.size() - 1)];
  return {};
}

Status FillNumbers(const Tensor& t, const Parts& parts) {
  const auto bytes = static_cast<size_t>(t.bytes());
  auto* to = static_cast<char*>(t.raw());
  if (!parts.reference.empty()) {
    TENSH_RETURN_IF_ERROR(the_reader.load()->read(parts.reference, to));
  } else if (!parts.content.empty()) {
    std::memcpy(to, parts.content.data(), bytes);
  } else {
    parts.numbers.Fill(to, t.num_elements(), static_cast<size_t>(SizeOf(t.dtype())),
                       static_cast<size_t>(FindTyped(t.dtype())->numbers));
  }
  if (t.dtype() == DType::kBool)
    for (size_t i = 0; i < bytes; ++i) to[i] = to[i] != 0;
  return {};
}

Result<Tensor> Decode(std::string_view message, Nesting& nesting);

Result<std::shared_ptr<VariantValue>> DecodeVariant(std::string_view message, Nesting& nesting) {
  VariantFields fields;
  WireReader in(message);
  while (in.Next()) {
    if (in.field() == kTypeName) fields.type_name = in.text();
    if (in.field() == kMetadata) fields.metadata = in.text();
    if (in.field() != kTensors) continue;
    TENSH_ASSIGN(Tensor tensor, Decode(in.bytes(), nesting));
    fields.tensors.push_back(std::move(tensor));
  }
  if (!in.ok()) return Malformed("a variant");
  if (fields.type_name.empty() && fields.tensors.empty()) return std::shared_ptr<VariantValue>();
  return ReadVariant(std::move(fields));
}

// Elements without a value stay empty.
Status FillVariants(std::span<Variant> to, const Parts& parts, Nesting& nesting) {
  if (++nesting.levels > Nesting::kMostLevels) return TooDeep();
  std::vector<std::string_view> messages = parts.variants;
  if (!parts.content.empty())
    TENSH_RETURN_IF_ERROR(SplitContent(parts.content, to.size(), &messages));
  for (size_t i = 0; i < std::min(to.size(), messages.size()); ++i) {
    TENSH_ASSIGN(to[i].value, DecodeVariant(messages[i], nesting));
  }
  --nesting.levels;
  return {};
}

// Returns a tensor that shows its only value without memory for each element, or a null tensor if
// there are several, or few elements.
Tensor SplatOf(const Parts& parts) {
  const Typed* typed = FindTyped(parts.dtype);
  if (!typed || !parts.content.empty() || !parts.reference.empty() ||
      !parts.numbers.IsOneElement(static_cast<size_t>(typed->numbers)))
    return {};
  char value[16] = {};
  const auto size = static_cast<size_t>(SizeOf(parts.dtype));
  parts.numbers.Fill(value, 1, size, static_cast<size_t>(typed->numbers));
  if (parts.dtype == DType::kBool) value[0] = value[0] != 0;
  return MakeSplat(parts.dtype, parts.shape, value, size);
}

// Writes a single element to the field of its type. Returns false for types whose scalars are
// stored as content.
bool AddScalar(WireWriter& out, const Tensor& t) {
  switch (t.dtype()) {
    case DType::kFloat:
      return out.AlwaysFloat(kFloatVal, *t.data<float>()), true;
    case DType::kDouble:
      return out.AlwaysDouble(kDoubleVal, *t.data<double>()), true;
    case DType::kInt32:
      return out.AlwaysInt(kIntVal, *t.data<int32_t>()), true;
    case DType::kInt16:
      return out.AlwaysInt(kIntVal, *t.data<int16_t>()), true;
    case DType::kInt8:
      return out.AlwaysInt(kIntVal, *t.data<int8_t>()), true;
    case DType::kUint8:
      return out.AlwaysInt(kIntVal, *t.data<uint8_t>()), true;
    case DType::kUint16:
      return out.AlwaysInt(kIntVal, *t.data<uint16_t>()), true;
    case DType::kInt64:
      return out.AlwaysInt(kInt64Val, *t.data<int64_t>()), true;
    case DType::kBool:
      return out.AlwaysInt(kBoolVal, *t.data<bool>()), true;
    default:
      return false;
  }
}

}  // namespace

void SetReferenceReader(const ReferenceReader& reader) {
  static const ReferenceReader the_only = reader;
  the_reader.store(&the_only, std::memory_order_release);
}

std::string EncodeShape(const Shape& shape) {
  WireWriter out;
  out.Bool(3, !shape.has_rank());
  for (int64_t d : shape.dims()) {
    WireWriter dim;
    dim.Int(1, d);
    out.AlwaysBytes(2, dim.text());
  }
  return out.Take();
}

Result<Shape> DecodeShape(std::string_view message) {
  std::vector<int64_t> dims;
  bool unknown = false;
  WireReader in(message);
  while (in.Next()) {
    if (in.field() == 3) unknown = in.varint() != 0;
    if (in.field() != 2) continue;
    int64_t size = 0;
    WireReader dim(in.bytes());
    while (dim.Next())
      if (dim.field() == 1) size = dim.integer();
    if (!dim.ok()) return Malformed("a shape");
    if (size < -1) return InvalidArgument("a shape has the dimension ", size);
    dims.push_back(size);
  }
  if (!in.ok()) return Malformed("a shape");
  if (unknown) return Shape::Unknown();
  return Shape::Make(dims, false);
}

Result<std::string> ContentMessage(const Tensor& tensor) {
  if (tensor.dtype() == DType::kResource || tensor.dtype() == DType::kVariant)
    return Unimplemented("a tensor of type ", SignatureName(tensor.dtype()), " has no message");
  WireWriter out;
  out.Int(kDtype, static_cast<int64_t>(tensor.dtype()));
  out.AlwaysBytes(kShape, EncodeShape(tensor.shape()));
  if (tensor.dtype() == DType::kString) {
    std::string lengths, text;
    for (const std::string& element : tensor.flat<std::string>()) {
      AppendVarint(lengths, element.size());
      text += element;
    }
    out.Bytes(kContent, lengths + text);
  } else {
    out.Bytes(kContent,
              {static_cast<const char*>(tensor.raw()), static_cast<size_t>(tensor.bytes())});
  }
  return out.Take();
}

namespace {

Result<TensorMessage> Encode(const Tensor& t, Nesting& nesting);

Status AppendVariant(WireWriter& to, const VariantValue* value, Nesting& nesting) {
  if (!value) return to.AlwaysBytes(kVariantVal, ""), Status();
  TENSH_ASSIGN(const VariantFields fields, value->Fields());
  WireWriter out;
  out.Bytes(kTypeName, fields.type_name);
  out.Bytes(kMetadata, fields.metadata);
  for (const Tensor& each : fields.tensors) {
    TENSH_ASSIGN(const Tensor tensor, each.CopyTo(HostAllocator()));
    TENSH_ASSIGN(const TensorMessage message, Encode(tensor, nesting));
    const size_t size = message.head.size() + message.content.size();
    if (!nesting.Take(static_cast<int64_t>(size) + kPerTensor))
      return ResourceExhausted("the message of a ", value->kind(), " would exceed ", kMaxMessage,
                               " bytes");
    out.AlwaysBytes(kTensors, message.Join());
  }
  to.AlwaysBytes(kVariantVal, out.text());
  return {};
}

Result<TensorMessage> Encode(const Tensor& t, Nesting& nesting) {
  WireWriter out;
  out.Int(kDtype, static_cast<int64_t>(t.dtype()));
  out.AlwaysBytes(kShape, EncodeShape(t.shape()));
  if (t.dtype() == DType::kResource)
    return Unimplemented("a tensor of type ", Name(t.dtype()), " cannot leave its process");
  if (t.dtype() == DType::kVariant) {
    if (++nesting.levels > Nesting::kMostLevels) return TooDeep();
    for (const Variant& each : t.flat<Variant>())
      TENSH_RETURN_IF_ERROR(AppendVariant(out, each.value.get(), nesting));
    --nesting.levels;
    return TensorMessage{out.Take(), {}};
  }
  if (t.dtype() == DType::kString) {
    for (const std::string& s : t.flat<std::string>()) out.AlwaysBytes(kStringVal, s);
    return TensorMessage{out.Take(), {}};
  }
  const bool is_empty = t.num_elements() == 0;
  const bool is_one = t.num_elements() == 1 || (!is_empty && IsSplat(t));
  if (is_empty || (is_one && AddScalar(out, t))) return TensorMessage{out.Take(), {}};
  const std::string_view content(static_cast<const char*>(t.raw()), static_cast<size_t>(t.bytes()));
  out.BytesHead(kContent, content.size());
  return TensorMessage{out.Take(), content};
}

}  // namespace

Result<TensorMessage> TryEncodeTensor(const Tensor& tensor) {
  Nesting nesting{.bytes_left = kMaxMessage};
  return Encode(tensor, nesting);
}

TensorMessage EncodeTensor(const Tensor& tensor) {
  auto message = TryEncodeTensor(tensor);
  if (message.ok()) return *std::move(message);
  WireWriter out;
  out.Int(kDtype, static_cast<int64_t>(tensor.dtype()));
  out.AlwaysBytes(kShape, EncodeShape(tensor.shape()));
  return {out.Take(), {}};
}

Result<Tensor> DecodeTensor(std::string_view message) {
  Nesting nesting{.bytes_left =
                      kFilledInVariants + kMaxFilledRatio * static_cast<int64_t>(message.size())};
  return Decode(message, nesting);
}

namespace {

Result<Tensor> Decode(std::string_view message, Nesting& nesting) {
  TENSH_ASSIGN(const Parts parts, TakeApart(message));
  TENSH_RETURN_IF_ERROR(CheckSize(parts, message.size()));
  if (Tensor splat = SplatOf(parts); splat) return splat;
  if (nesting.levels > 0 && !nesting.Take(parts.shape.num_elements() * SizeOf(parts.dtype)))
    return ResourceExhausted("a message of a variant requests too many elements");
  TENSH_ASSIGN(Tensor t, Tensor::Make(parts.dtype, parts.shape));
  if (parts.dtype == DType::kVariant)
    TENSH_RETURN_IF_ERROR(FillVariants(t.flat<Variant>(), parts, nesting));
  else if (parts.dtype == DType::kString)
    TENSH_RETURN_IF_ERROR(FillStrings(t.flat<std::string>(), parts));
  else if (t.num_elements())
    TENSH_RETURN_IF_ERROR(FillNumbers(t, parts));
  return t;
}

}  // namespace

}  // namespace tensh
