// What is done with lookup tables.
#include <algorithm>

#include "ops/op_file.h"
#include "ops/support/before_v2.h"
#include "ops/support/lookup_table.h"
#include "ops/support/number_text.h"
#include "ops/support/shape_util.h"
#include "runtime/core/files.h"

namespace tensh::ops {
namespace {

Status Find(KernelCtx& c) {
  LookupTable* table = TableAt(c, 0);
  if (!table) return NoTable();
  if (table->spec().value != c.out_dtype(0))
    return InvalidArgument("the table's values are of type ", SignatureName(table->spec().value));
  TENSH_ASSIGN(Tensor found, table->Find(c.in(1), c.in(2)));
  c.SetOutput(0, std::move(found));
  return {};
}

Status Insert(KernelCtx& c) {
  LookupTable* table = TableAt(c, 0);
  return table ? table->Insert(c.in(1), c.in(2)) : NoTable();
}

Status Remove(KernelCtx& c) {
  LookupTable* table = TableAt(c, 0);
  return table ? table->Remove(c.in(1)) : NoTable();
}

Status Fill(KernelCtx& c) {
  LookupTable* table = TableAt(c, 0);
  return table ? table->Fill(c.in(1), c.in(2)) : NoTable();
}

Status Initialize(KernelCtx& c) {
  LookupTable* table = TableAt(c, 0);
  if (!table) return NoTable();
  if (!table->spec().fixed)
    return InvalidArgument("Table ", table->spec().name, " cannot be initialized: insert into it");
  if (c.in(1).dim(0) != c.in(2).dim(0))
    return InvalidArgument("Number of keys must be equal to number of values: ", c.in(1).dim(0),
                           " vs. ", c.in(2).dim(0));
  return table->Fill(c.in(1), c.in(2));
}

Status Size(KernelCtx& c) {
  LookupTable* table = TableAt(c, 0);
  if (!table) return NoTable();
  TENSH_OUTPUT(out, c.Output(0, Shape()));
  *out->data<int64_t>() = table->size();
  return {};
}

Status Export(KernelCtx& c) {
  LookupTable* table = TableAt(c, 0);
  if (!table) return NoTable();
  if (table->spec().key != c.out_dtype(0) || table->spec().value != c.out_dtype(1))
    return InvalidArgument("the table holds ", SignatureName(table->spec().key), "->",
                           SignatureName(table->spec().value));
  Tensor keys, values;
  TENSH_RETURN_IF_ERROR(table->Export(&keys, &values));
  c.SetOutput(0, std::move(keys));
  c.SetOutput(1, std::move(values));
  return {};
}

// ---- from a file ----

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

// One column of the lines as a tensor of `type`.
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
  LookupTable* table = TableAt(c, 0);
  if (!table) return NoTable();
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

// ---- rows ----

Status SizeShape(ShapeCtx& c) {
  c.Set(0, Shape());
  return {};
}

Status ExportShape(ShapeCtx& c) {
  c.Set(0, Shape::UnknownOfRank(1));
  return {};
}

Status InitializeShape(ShapeCtx& c) { return MergeShapes(c.in(1), c.in(2)).status(); }

constexpr char kTable[] =
    "tf.raw_ops.MutableHashTableV2(key_dtype=tf.int64, value_dtype=tf.float32)";
constexpr char kKeys[] = "keys=tf.constant([1], tf.int64)";

OpSpec Spec(const char* name, const char* inputs, const char* outputs, const char* attrs,
            const char* doc, ShapeFn shape, const std::string& arguments, const char* result,
            const char* contract = "") {
  return {.name = name,
          .inputs = StrCat("table_handle: resource", *inputs ? ", " : "", inputs),
          .outputs = outputs,
          .attrs = attrs,
          .doc = StrCat(doc, " table_handle is the table's handle."),
          .contract = StrCat("table_handle: scalar", contract),
          .shape = shape,
          .no_gradient = true,
          .stateful = true,
          .examples = {{StrCat("tf.raw_ops.", name, "(table_handle=", kTable, arguments), result}}};
}

// The op as it is now, and as it was before V2.
void Add(OpRegistry& r, OpSpec now, KernelFn fn, PrepareFn prepare = nullptr) {
  const auto& [call, result] = now.examples[0];
  const std::string arguments = call.substr(call.find(kTable) + sizeof kTable - 1);
  OpSpec before = BeforeV2(now,
                           StrCat("(table_handle=tf.raw_ops.MutableHashTable(key_dtype=tf.int64, "
                                  "value_dtype=tf.float32)",
                                  arguments),
                           result == now.name ? "" : result);
  r.Op(std::move(now)).CpuAny(fn, prepare);
  r.Op(std::move(before)).CpuAny(fn, prepare);
}

void RegisterChanges(OpRegistry& r) {
  constexpr char kPair[] = "keys: Tin, values: Tout";
  constexpr char kPairTypes[] = "Tin: type, Tout: type";
  const std::string pair = StrCat(", ", kKeys, ", values=[2.]).type");
  Add(r,
      Spec("LookupTableInsertV2", kPair, "", kPairTypes,
           "Puts values into a table at keys, of the types Tout and Tin; what was there goes.",
           NoOutputs, pair, "LookupTableInsertV2"),
      Insert);
  Add(r,
      Spec("LookupTableImportV2", kPair, "", kPairTypes,
           "Makes a table hold values at keys, of the types Tout and Tin, and nothing else.",
           NoOutputs, pair, "LookupTableImportV2"),
      Fill);
  r.Op(Spec("LookupTableRemoveV2", "keys: Tin", "", "Tin: type",
            "Removes keys, of type Tin, from a table; those that are not there do not matter.",
            NoOutputs, StrCat(", ", kKeys, ").type"), "LookupTableRemoveV2"))
      .CpuAny(Remove);
  Add(r,
      Spec("InitializeTableV2", "keys: Tkey, values: Tval", "", "Tkey: type, Tval: type",
           "Fills a table that is filled once: values of type Tval at keys of type Tkey.",
           InitializeShape, pair, "InitializeTableV2", ", keys: vector, values: vector"),
      Initialize);
  Add(r,
      Spec("InitializeTableFromTextFileV2", "filename: string", "",
           "key_index: int >= -2, value_index: int >= -2, vocab_size: int >= -1 = -1, "
           "delimiter: string = '\t', offset: int = 0",
           "Fills a table that is filled once from the lines of the file filename. key_index and "
           "value_index: which of the columns, split at delimiter, are keys and values; -1 is "
           "the number of the line plus offset, -2 the whole line. vocab_size: so many lines are "
           "taken, -1: all.",
           NoOutputs, ", filename='words.txt', key_index=-2, value_index=-1).type",
           "InitializeTableFromTextFileV2", ", filename: scalar"),
      InitializeFromFile, PrepareFile);
}

}  // namespace

TENSH_OPS(data_flow_lookup_ops) {
  RegisterChanges(r);
  Add(r,
      Spec("LookupTableFindV2", "keys: Tin, default_value: Tout", "values: Tout",
           "Tin: type, Tout: type",
           "What a table has at keys, of type Tin: values, of type Tout, is default_value where "
           "it has nothing.",
           NoOutputs, StrCat(", ", kKeys, ", default_value=-1.)"), "[-1.]"),
      Find);
  Add(r,
      Spec("LookupTableSizeV2", "", "size: int64", "",
           "How many keys a table has: size is a scalar.", SizeShape, ")", "0"),
      Size);
  Add(r,
      Spec("LookupTableExportV2", "", "keys: Tkeys, values: Tvalues", "Tkeys: type, Tvalues: type",
           "All that a table has: keys and values, of the types Tkeys and Tvalues, one row each.",
           ExportShape, ", Tkeys=tf.int64, Tvalues=tf.float32)[0]", "[]"),
      Export);
}

}  // namespace tensh::ops
