// Operations on lookup tables.
#include <algorithm>

#include "ops/data_flow/before_v2.h"
#include "ops/data_flow/lookup_table.h"
#include "ops/op_file.h"
#include "ops/support/number_text.h"
#include "ops/support/shape_util.h"
#include "runtime/core/files/files.h"

namespace tensh::ops {
namespace {

Status Find(KernelCtx& c) {
  TENSH_ASSIGN(LookupTable* const table, TableAt(c, 0));
  if (table->spec().value != c.out_dtype(0))
    return InvalidArgument("the table's values are of type ", SignatureName(table->spec().value));
  TENSH_ASSIGN(Tensor found, table->Find(c.in(1), c.in(2)));
  c.SetOutput(0, std::move(found));
  return {};
}

Status Insert(KernelCtx& c) {
  TENSH_ASSIGN(LookupTable* const table, TableAt(c, 0));
  return table->Insert(c.in(1), c.in(2));
}

Status Remove(KernelCtx& c) {
  TENSH_ASSIGN(LookupTable* const table, TableAt(c, 0));
  return table->Remove(c.in(1));
}

// A table that is filled once cannot be filled with nothing, except from an empty file.
Status CheckNotEmpty(const LookupTable& table, const Tensor& keys) {
  if (!table.spec().fixed || keys.num_elements() > 0) return {};
  return InvalidArgument("keys and values cannot be empty tensors.");
}

Status Fill(KernelCtx& c) {
  TENSH_ASSIGN(LookupTable* const table, TableAt(c, 0));
  TENSH_RETURN_IF_ERROR(CheckNotEmpty(*table, c.in(1)));
  return table->Fill(c.in(1), c.in(2));
}

Status Initialize(KernelCtx& c) {
  TENSH_ASSIGN(LookupTable* const table, TableAt(c, 0));
  if (!table->spec().fixed)
    return InvalidArgument("Table ", table->spec().name, " cannot be initialized: insert into it");
  if (c.in(1).dim(0) != c.in(2).dim(0))
    return InvalidArgument("Number of keys must be equal to number of values: ", c.in(1).dim(0),
                           " vs. ", c.in(2).dim(0));
  TENSH_RETURN_IF_ERROR(CheckNotEmpty(*table, c.in(1)));
  return table->Fill(c.in(1), c.in(2));
}

Status Size(KernelCtx& c) {
  TENSH_ASSIGN(LookupTable* const table, TableAt(c, 0));
  TENSH_OUTPUT(out, c.Output(0, Shape()));
  *out->data<int64_t>() = table->size();
  return {};
}

Status Export(KernelCtx& c) {
  TENSH_ASSIGN(LookupTable* const table, TableAt(c, 0));
  if (table->spec().key != c.out_dtype(0) || table->spec().value != c.out_dtype(1))
    return InvalidArgument("the table holds ", SignatureName(table->spec().key), "->",
                           SignatureName(table->spec().value));
  Tensor keys, values;
  TENSH_RETURN_IF_ERROR(table->Export(&keys, &values));
  c.SetOutput(0, std::move(keys));
  c.SetOutput(1, std::move(values));
  return {};
}

// ---- tables from text files ----

constexpr int64_t kLineNumber = -1, kWholeLine = -2;

struct FileState : KernelState {
  int64_t key_index, value_index, vocab_size, offset;
  char delimiter;
};

Result<std::unique_ptr<KernelState>> PrepareFile(PrepareCtx& c) {
  auto state = std::make_unique<FileState>();
  const Attrs a = c.attrs();
  state->key_index = a.Int("key_index");
  state->value_index = a.Int("value_index");
  state->vocab_size = a.Int("vocab_size");
  state->offset = a.Int("offset");
  const std::string& delimiter = a.String("delimiter");
  if (delimiter.size() != 1) return InvalidArgument("delimiter should be only 1 char: ", delimiter);
  state->delimiter = delimiter[0];
  if (state->vocab_size == 0) return InvalidArgument("vocab_size must be -1 or positive, got 0");
  return std::unique_ptr<KernelState>(std::move(state));
}

std::vector<std::string_view> SplitBy(std::string_view text, char delimiter) {
  std::vector<std::string_view> parts;
  for (size_t begin = 0;;) {
    const size_t end = std::min(text.find(delimiter, begin), text.size());
    parts.push_back(text.substr(begin, end - begin));
    if (end == text.size()) return parts;
    begin = end + 1;
  }
}

template <class T>
Status ParseInto(std::string_view field, int64_t line, const Tensor& out) {
  if (ParseNumber(field, out.data<T>() + line)) return {};
  return InvalidArgument("Field ", field, " in line ", line, " is not a valid ",
                         SignatureName(kDTypeOf<T>), ".");
}

// Returns one column of the lines as a tensor of `type`.
Result<Tensor> Column(const std::vector<std::string_view>& lines, int64_t index, DType type,
                      const FileState& state, const char* what) {
  if (index == kLineNumber && type != DType::kInt64)
    return InvalidArgument(what, " index for line number requires table ", what,
                           " dtype of int64, got ", SignatureName(type));
  const int64_t n = static_cast<int64_t>(lines.size());
  TENSH_ASSIGN(Tensor out, Tensor::Make(type, Shape({n})));
  for (int64_t i = 0; i < n; ++i) {
    std::string_view field = lines[static_cast<size_t>(i)];
    if (index == kLineNumber) {
      out.data<int64_t>()[i] =
          static_cast<int64_t>(static_cast<uint64_t>(i) + static_cast<uint64_t>(state.offset));
      continue;
    }
    if (index != kWholeLine) {
      const std::vector<std::string_view> fields = SplitBy(field, state.delimiter);
      if (index >= static_cast<int64_t>(fields.size()))
        return InvalidArgument("Invalid number of columns in line ", i, " (", field,
                               ") : expected ", index + 1, " got ", fields.size());
      field = fields[static_cast<size_t>(index)];
    }
    switch (type) {
      case DType::kString:
        out.data<std::string>()[i] = std::string(field);
        break;
      case DType::kInt64:
        TENSH_RETURN_IF_ERROR(ParseInto<int64_t>(field, i, out));
        break;
      case DType::kInt32:
        TENSH_RETURN_IF_ERROR(ParseInto<int32_t>(field, i, out));
        break;
      case DType::kFloat:
        TENSH_RETURN_IF_ERROR(ParseInto<float>(field, i, out));
        break;
      case DType::kDouble:
        TENSH_RETURN_IF_ERROR(ParseInto<double>(field, i, out));
        break;
      default:
        return InvalidArgument("Data type ", SignatureName(type), " not supported.");
    }
  }
  return out;
}

Status InitializeFromFile(KernelCtx& c) {
  TENSH_ASSIGN(LookupTable* const table, TableAt(c, 0));
  if (c.in(1).num_elements() != 1)
    return InvalidArgument("filename should be a single string, but got ", c.in(1).shape());
  const auto& state = c.state<FileState>();
  if (!table->spec().fixed)
    return InvalidArgument("Table ", table->spec().name, " cannot be initialized: insert into it");
  const std::string& path = *c.in(1).data<std::string>();
  TENSH_ASSIGN(const std::string text, ReadWholeFile(path));
  std::vector<std::string_view> lines = SplitBy(text, '\n');
  if (lines.back().empty()) lines.pop_back();
  for (std::string_view& line : lines)
    if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
  if (state.vocab_size > 0) {
    if (static_cast<int64_t>(lines.size()) < state.vocab_size)
      return InvalidArgument("Invalid vocab_size in ", path, ": expected ", state.vocab_size,
                             " but got ", lines.size());
    lines.resize(static_cast<size_t>(state.vocab_size));
  }
  const TableSpec& spec = table->spec();
  TENSH_ASSIGN(Tensor keys, Column(lines, state.key_index, spec.key, state, "Key"));
  TENSH_ASSIGN(Tensor values, Column(lines, state.value_index, spec.value, state, "Value"));
  return table->Fill(keys, values);
}

// ---- registrations ----

Status SizeShape(ShapeCtx& c) {
  c.Set(0, Shape());
  return {};
}

Status ExportShape(ShapeCtx& c) {
  c.Set(0, Shape::UnknownOfRank(1));
  return {};
}

Status InitializeShape(ShapeCtx& c) { return MergeShapes(c.in(1), c.in(2)).status(); }

// The export of a dense table is a matrix.
Status UnknownShapes(ShapeCtx&) { return {}; }

// An op on a table whose handle is its first input.
struct TableOp {
  const char* name;  // without V2
  const char *inputs = "", *outputs = "", *attrs = "", *doc;
  const char* contract = "";
  ShapeFn shape = NoOutputs;
  const char* table = "MutableHashTable";  // the kind of table in the example
  const char* types = "key_dtype=tf.int64, value_dtype=tf.float32";
  const char *arguments = ")", *result = "";  // the rest of the example
};

constexpr char kPair[] = ", keys=tf.constant([1], tf.int64), values=[2.])";

// The example of an op, with or without V2.
Example ExampleOf(const TableOp& op, const char* suffix) {
  return {StrCat("tf.raw_ops.", op.name, suffix, "(table_handle=tf.raw_ops.", op.table, suffix, "(",
                 op.types, ")", op.arguments),
          op.result};
}

// Registers the op with V2 and, if `before`, the older one, whose handle is a reference.
void Add(OpRegistry& r, const TableOp& op, KernelFn fn, PrepareFn prepare = nullptr,
         bool before = true) {
  OpSpec now = {.name = StrCat(op.name, "V2"),
                .inputs = StrCat("table_handle: resource", *op.inputs ? ", " : "", op.inputs),
                .outputs = op.outputs,
                .attrs = op.attrs,
                .doc = StrCat(op.doc, " table_handle is the handle of the table."),
                .contract = StrCat("table_handle: scalar", op.contract),
                .shape = op.shape,
                .no_gradient = true,
                .stateful = true,
                .examples = {ExampleOf(op, "V2")}};
  if (before) r.Op(BeforeV2(now, ExampleOf(op, ""))).CpuAny(fn, prepare);
  if (now.shape == ExportShape) now.shape = UnknownShapes;
  r.Op(std::move(now)).CpuAny(fn, prepare);
}

void RegisterChanges(OpRegistry& r) {
  Add(r,
      {.name = "LookupTableInsert",
       .inputs = "keys: Tin, values: Tout",
       .attrs = "Tin: type, Tout: type",
       .doc = "Inserts values into a table at keys, of the types Tout and Tin. Existing values are "
              "replaced.",
       .arguments = kPair},
      Insert);
  Add(r,
      {.name = "LookupTableImport",
       .inputs = "keys: Tin, values: Tout",
       .attrs = "Tin: type, Tout: type",
       .doc = "Replaces the contents of a table by values at keys, of the types Tout and Tin.",
       .arguments = kPair},
      Fill);
  Add(r,
      {.name = "LookupTableRemove",
       .inputs = "keys: Tin",
       .attrs = "Tin: type",
       .doc = "Removes keys, of type Tin, from a table. Keys that do not exist are ignored.",
       .arguments = ", keys=tf.constant([1], tf.int64))"},
      Remove, nullptr, false);
  Add(r,
      {.name = "InitializeTable",
       .inputs = "keys: Tkey, values: Tval",
       .attrs = "Tkey: type, Tval: type",
       .doc = "Fills an immutable table with values of type Tval at keys of type Tkey.",
       .contract = ", keys: vector, values: vector",
       .shape = InitializeShape,
       .table = "HashTable",
       .arguments = kPair},
      Initialize);
  Add(r,
      {.name = "InitializeTableFromTextFile",
       .inputs = "filename: string",
       .attrs = "key_index: int >= -2, value_index: int >= -2, vocab_size: int >= -1 = -1, "
                "delimiter: string = '\t', offset: int = 0",
       .doc = "Fills an immutable table from the lines of the file filename. key_index and "
              "value_index are the columns of keys and values, split at delimiter; -1 stands for "
              "the line number plus offset, -2 for the whole line. vocab_size: the number of lines "
              "to read; -1 means all.",
       .contract = ", filename: scalar",
       .table = "HashTable",
       .types = "key_dtype=tf.string, value_dtype=tf.int64",
       .arguments = ", filename=open('words.txt', 'w').write('a\\nb\\n') and 'words.txt', "
                    "key_index=-2, value_index=-1)"},
      InitializeFromFile, PrepareFile);
}

}  // namespace

TENSH_OPS(data_flow_lookup_ops) {
  RegisterChanges(r);
  Add(r,
      {.name = "LookupTableFind",
       .inputs = "keys: Tin, default_value: Tout",
       .outputs = "values: Tout",
       .attrs = "Tin: type, Tout: type",
       .doc = "Looks up keys, of type Tin, in a table. values, of type Tout, are default_value for "
              "keys that do not exist.",
       .arguments = ", keys=tf.constant([1], tf.int64), default_value=-1.)",
       .result = "[-1.]"},
      Find);
  Add(r,
      {.name = "LookupTableSize",
       .outputs = "size: int64",
       .doc = "The number of keys in a table: size is a scalar.",
       .shape = SizeShape,
       .result = "0"},
      Size);
  Add(r,
      {.name = "LookupTableExport",
       .outputs = "keys: Tkeys, values: Tvalues",
       .attrs = "Tkeys: type, Tvalues: type",
       .doc = "The contents of a table: keys and values, of the types Tkeys and Tvalues, with one "
              "row each. The rows of a dense table are its buckets.",
       .shape = ExportShape,
       .arguments = ", Tkeys=tf.int64, Tvalues=tf.float32)[0]",
       .result = "[]"},
      Export);
}

}  // namespace tensh::ops
