// DecodeCSV, DecodeRaw and DecodePaddedRaw.
#include <algorithm>
#include <cstring>

#include "ops/op_file.h"
#include "ops/support/number_text.h"
#include "ops/support/prepare.h"
#include "ops/support/shape_util.h"

namespace tensh::ops {
namespace {

struct CsvState : KernelState {
  char delimiter;
  bool quotes;
  std::string na;
  std::vector<int64_t> columns;  // selected columns; empty: all
};

Result<std::unique_ptr<KernelState>> PrepareCsv(PrepareCtx& c) {
  auto state = std::make_unique<CsvState>();
  const std::string& delimiter = c.attrs().String("field_delim");
  if (delimiter.size() != 1) return InvalidArgument("field_delim should be only 1 char");
  state->delimiter = delimiter[0];
  state->quotes = c.attrs().Bool("use_quote_delim");
  state->na = c.attrs().String("na_value");
  state->columns = c.attrs().Get<AttrValue::Ints>("select_cols");
  if (!state->columns.empty() &&
      state->columns.size() != c.attrs().Get<AttrValue::Types>("OUT_TYPE").size())
    return InvalidArgument("select_cols should match output size");
  for (size_t i = 1; i < state->columns.size(); ++i)
    if (state->columns[i - 1] >= state->columns[i])
      return InvalidArgument("select_cols should be strictly increasing indices");
  if (!state->columns.empty() && state->columns[0] < 0)
    return InvalidArgument("select_cols should be non-negative indices");
  return std::unique_ptr<KernelState>(std::move(state));
}

// Splits a line into its fields.
Status SplitCsv(const CsvState& f, const std::string& line, std::vector<std::string>* out) {
  if (line.empty()) return {};
  size_t at = 0;
  const auto end = [&](char c) { return c == '\n' || c == '\r'; };
  while (true) {
    std::string field;
    if (f.quotes && at < line.size() && line[at] == '"') {
      ++at;
      while (true) {
        if (at >= line.size())
          return InvalidArgument("Quoted field has to end with quote followed by delim or end");
        if (line[at] != '"') {
          field += line[at++];
        } else if (at + 1 < line.size() && line[at + 1] == '"') {
          field += '"';
          at += 2;
        } else {
          break;
        }
      }
      ++at;
      // A line may still have its line break, which may be CR LF.
      while (at < line.size() && end(line[at])) ++at;
      if (at < line.size() && line[at] != f.delimiter)
        return InvalidArgument("Quoted field has to end with quote followed by delim, CRLF or EOF");
    } else {
      while (at < line.size() && line[at] != f.delimiter) {
        if (f.quotes && (line[at] == '"' || end(line[at]))) {
          if (line[at] == '"')
            return InvalidArgument("Unquoted fields cannot have quotes/CRLFs inside");
          if (line.find_first_not_of("\r\n", at) != line.npos)
            return InvalidArgument("Unquoted fields cannot have quotes/CRLFs inside");
          at = line.size();
          break;
        }
        field += line[at++];
      }
    }
    out->push_back(std::move(field));
    if (at >= line.size()) return {};
    ++at;
    if (at == line.size()) {
      out->emplace_back();  // a delimiter at the end of the line is followed by an empty field
      return {};
    }
  }
}

template <class T>
Status NumberField(KernelCtx& c, const std::string& field, size_t column, int64_t record, T* out) {
  (void)c;
  if (ParseNumber(field, out)) return {};
  return InvalidArgument("Field ", column, " in record ", record, " is not a valid ",
                         SignatureName(kDTypeOf<T>), ": ", field);
}

Status SetField(KernelCtx& c, const CsvState& f, const std::string& field, int column,
                int64_t record, Tensor& out) {
  const Tensor& fallback = c.in(column + 1);
  const bool string = out.dtype() == DType::kString;
  if (field.empty() || field == f.na) {
    if (fallback.num_elements() != 1)
      return InvalidArgument("Field ", column, " is required but missing in record ", record, "!");
    if (string)
      out.data<std::string>()[record] = *fallback.data<std::string>();
    else
      std::memcpy(static_cast<char*>(out.raw()) + record * SizeOf(out.dtype()), fallback.raw(),
                  static_cast<size_t>(SizeOf(out.dtype())));
    return {};
  }
  const size_t k = static_cast<size_t>(column);
  switch (out.dtype()) {
    case DType::kString:
      out.data<std::string>()[record] = field;
      return {};
    case DType::kInt32:
      return NumberField(c, field, k, record, out.data<int32_t>() + record);
    case DType::kInt64:
      return NumberField(c, field, k, record, out.data<int64_t>() + record);
    case DType::kFloat:
      return NumberField(c, field, k, record, out.data<float>() + record);
    case DType::kDouble:
      return NumberField(c, field, k, record, out.data<double>() + record);
    default:
      return InvalidArgument("csv: data type ", SignatureName(out.dtype()), " not supported");
  }
}

Status DecodeCsv(KernelCtx& c) {
  const auto& f = c.state<CsvState>();
  const Tensor& records = c.in(0);
  for (int i = 1; i < c.num_inputs(); ++i)
    if (c.in(i).num_elements() > 1)
      return InvalidArgument("There should only be 1 default per field but field ", i - 1, " has ",
                             c.in(i).num_elements());
  std::vector<Tensor*> outs;
  for (int i = 0; i < c.num_outputs(); ++i) {
    TENSH_OUTPUT(out, c.Output(i, records.shape()));
    outs.push_back(out);
  }
  for (int64_t r = 0; r < records.num_elements(); ++r) {
    std::vector<std::string> fields;
    TENSH_RETURN_IF_ERROR(SplitCsv(f, records.data<std::string>()[r], &fields));
    if (!f.columns.empty()) {
      std::vector<std::string> chosen;
      for (int64_t column : f.columns)
        if (column < static_cast<int64_t>(fields.size()))
          chosen.push_back(fields[static_cast<size_t>(column)]);
      fields.swap(chosen);
    }
    if (fields.size() != outs.size())
      return InvalidArgument("Expect ", outs.size(), " fields but have ", fields.size(),
                             " in record ", r);
    for (int i = 0; i < c.num_outputs(); ++i)
      TENSH_RETURN_IF_ERROR(
          SetField(c, f, fields[static_cast<size_t>(i)], i, r, *outs[static_cast<size_t>(i)]));
  }
  return {};
}

Status CsvShape(ShapeCtx& c) {
  for (int i = 0; i < c.num_outputs(); ++i) c.Set(i, c.in(0));
  return {};
}

struct RawState : KernelState {
  bool swap;
  void Read(PrepareCtx& c) { swap = !c.attrs().Bool("little_endian"); }
};

Status DecodeRaw(KernelCtx& c) {
  const Tensor& input = c.in(0);
  const int64_t size = SizeOf(c.out_dtype(0));
  const int64_t bytes =
      input.num_elements() ? static_cast<int64_t>(input.data<std::string>()[0].size()) : 0;
  for (const std::string& s : input.flat<std::string>())
    if (static_cast<int64_t>(s.size()) != bytes)
      return InvalidArgument(
          "DecodeRaw requires input strings to all be the same size, but "
          "element has size ",
          s.size(), " != ", bytes);
  if (bytes % size != 0)
    return InvalidArgument("Input to DecodeRaw has length ", bytes, " that is not a multiple of ",
                           size, ", the size of ", SignatureName(c.out_dtype(0)));
  if (input.rank() >= Shape::kMaxRank) return InvalidArgument("bytes has too high a rank");
  Shape shape = input.shape();
  shape.Append(bytes / size);
  TENSH_OUTPUT(out, c.Output(0, shape));
  char* to = static_cast<char*>(out->raw());
  for (const std::string& s : input.flat<std::string>()) {
    std::memcpy(to, s.data(), s.size());
    to += bytes;
  }
  const bool is_complex = IsComplex(c.out_dtype(0));
  const int64_t part = is_complex ? size / 2 : size;
  char* first = static_cast<char*>(out->raw());
  if (c.state<RawState>().swap)
    for (char* p = first; p < to; p += part) std::reverse(p, p + part);
  if (c.out_dtype(0) == DType::kBool)
    for (char* p = first; p < to; ++p) *p = *p != 0;
  return {};
}

// Truncates strings to the fixed length, or pads them with zero bytes.
Status DecodePaddedRaw(KernelCtx& c) {
  const Tensor& input = c.in(0);
  const int64_t size = SizeOf(c.out_dtype(0)), length = IndexAt(c.in(1), 0);
  if (length <= 0) return InvalidArgument("`fixed_length` must be greater than zero, got ", length);
  if (length % size != 0)
    return InvalidArgument("`fixed_length` (", length, ") must be a multiple of ", size,
                           ", the size of ", SignatureName(c.out_dtype(0)));
  if (input.rank() >= Shape::kMaxRank) return InvalidArgument("input_bytes has too high a rank");
  Shape wanted = input.shape();
  wanted.Append(length / size);
  TENSH_ASSIGN(const Shape shape, Shape::Make(wanted.dims(), true));
  TENSH_OUTPUT(out, c.Output(0, shape));
  char* to = static_cast<char*>(out->raw());
  for (const std::string& s : input.flat<std::string>()) {
    const size_t n = std::min(s.size(), static_cast<size_t>(length));
    std::memcpy(to, s.data(), n);
    std::memset(to + n, 0, static_cast<size_t>(length) - n);
    if (c.state<RawState>().swap)
      for (char* p = to; p < to + length; p += size) std::reverse(p, p + size);
    to += length;
  }
  return {};
}

Status PaddedRawShape(ShapeCtx& c) {
  const std::optional<int64_t> length = ConstantScalar(c, 1);
  const int64_t size = SizeOf(c.attrs().Type("out_type"));
  if (length && *length <= 0)
    return InvalidArgument("`fixed_length` must be greater than zero, got ", *length);
  if (length && *length % size != 0)
    return InvalidArgument("`fixed_length` must be a multiple of ", size, ", the size of ",
                           SignatureName(c.attrs().Type("out_type")), ", got ", *length);
  if (!c.in(0).has_rank()) return {};
  if (c.in(0).rank() >= Shape::kMaxRank) return InvalidArgument("input_bytes has too high a rank");
  Shape shape = c.in(0);
  shape.Append(length ? *length / size : -1);
  c.Set(0, shape);
  return {};
}

Status RawShape(ShapeCtx& c) {
  if (!c.in(0).has_rank()) return {};
  if (c.in(0).rank() >= Shape::kMaxRank) return InvalidArgument("bytes has too high a rank");
  Shape shape = c.in(0);
  shape.Append(-1);
  c.Set(0, shape);
  return {};
}

}  // namespace

TENSH_OPS(io_decode) {
  r.Op({.name = "DecodeCSV",
        .inputs = "records: string, record_defaults: OUT_TYPE",
        .outputs = "output: OUT_TYPE",
        .attrs = "OUT_TYPE: list({float, double, int32, int64, string}) >= 1, "
                 "field_delim: string = ',', use_quote_delim: bool = true, "
                 "na_value: string = '', select_cols: list(int) = []",
        .doc = "Parses lines of comma-separated values. records are the lines. record_defaults has "
               "one value per column, of the types OUT_TYPE, for empty fields; an empty tensor "
               "makes the field required. output has one tensor per column. field_delim separates "
               "fields; use_quote_delim: fields may be quoted; na_value also stands for an empty "
               "field; select_cols: the columns to parse.",
        .contract = "record_defaults: rank 0..1",
        .shape = CsvShape,
        .no_gradient = true,
        .examples = {{"tf.decode_csv(['1,a', ',b'], [[7], ['']])",
                      "[array([1, 7], dtype=int32), array([b'a', b'b'], dtype=object)]"}}})
      .CpuAny(DecodeCsv, PrepareCsv);
  r.Op({.name = "DecodeRaw",
        .inputs = "bytes: string",
        .outputs = "output: out_type",
        .attrs = "out_type: {half, float, double, int32, uint16, uint8, int16, int8, int64, "
                 "complex64, complex128, bool, bfloat16}, little_endian: bool = true",
        .doc = "Decodes numbers from raw bytes. bytes holds strings of equal length; output, of "
               "type out_type, has their numbers along an additional dimension. little_endian: the "
               "byte order.",
        .shape = RawShape,
        .no_gradient = true,
        .examples = {{"tf.decode_raw('abc', tf.uint8)", "[97 98 99]"}}})
      .CpuAny(DecodeRaw, PrepareFrom<RawState>);
  r.Op({.name = "DecodePaddedRaw",
        .inputs = "input_bytes: string, fixed_length: int32",
        .outputs = "output: out_type",
        .attrs = "out_type: {half, float, double, int32, uint16, uint8, int16, int8, int64, "
                 "bfloat16}, little_endian: bool = true",
        .doc = "Decodes numbers from the first fixed_length raw bytes of each of the strings "
               "input_bytes; shorter strings are padded with zeros. output, of type out_type, has "
               "the numbers along an additional dimension. little_endian: the byte order.",
        .contract = "fixed_length: scalar",
        .shape = PaddedRawShape,
        .no_gradient = true,
        .examples = {{"tf.raw_ops.DecodePaddedRaw(input_bytes=['abc', 'd'], out_type=tf.uint8, "
                      "fixed_length=2)",
                      "[[ 97  98]\n [100   0]]"}}})
      .CpuAny(DecodePaddedRaw, PrepareFrom<RawState>);
}

}  // namespace tensh::ops
