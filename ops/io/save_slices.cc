// Save, SaveSlices, Restore and RestoreSlice for V1 checkpoints, the format before SaveV2. Such a
// file is one sorted table. Its first entry describes the tensors; the others hold one slice each.
#include <algorithm>
#include <map>

#include "ops/formats/slice_key.h"
#include "ops/formats/sstable.h"
#include "ops/io/slice_spec.h"
#include "ops/op_file.h"
#include "ops/support/array_copy.h"
#include "ops/support/shape_util.h"
#include "runtime/base/wire.h"
#include "runtime/core/files/files.h"
#include "runtime/core/half.h"
#include "runtime/core/tensor_message.h"

namespace tensh::ops {
namespace {

using Parts = SliceParts;

// ---- messages ----

template <class T>
void AppendBytes(std::string& out, T v) {
  out.append(reinterpret_cast<const char*>(&v), sizeof v);
}

// Encodes only the elements, in the message field for their type.
Result<std::string> EncodeValues(const Tensor& t) {
  WireWriter out;
  std::string packed;
  int field = 0;
  const auto varints = [&](auto values, int number) {
    field = number;
    for (auto v : values) AppendVarint(packed, static_cast<uint64_t>(static_cast<int64_t>(v)));
  };
  switch (t.dtype()) {
    case DType::kFloat:
      field = 5;
      for (float v : t.flat<float>()) AppendBytes(packed, v);
      break;
    case DType::kDouble:
      field = 6;
      for (double v : t.flat<double>()) AppendBytes(packed, v);
      break;
    case DType::kComplex64:
      field = 9;
      for (std::complex<float> v : t.flat<std::complex<float>>()) AppendBytes(packed, v);
      break;
    case DType::kComplex128:
      field = 12;
      for (std::complex<double> v : t.flat<std::complex<double>>()) AppendBytes(packed, v);
      break;
    case DType::kString:
      for (const std::string& v : t.flat<std::string>()) out.AlwaysBytes(8, v);
      return out.Take();
    case DType::kInt32:
      varints(t.flat<int32_t>(), 7);
      break;
    case DType::kInt16:
      varints(t.flat<int16_t>(), 7);
      break;
    case DType::kInt8:
      varints(t.flat<int8_t>(), 7);
      break;
    case DType::kUint8:
      varints(t.flat<uint8_t>(), 7);
      break;
    case DType::kUint16:
      varints(t.flat<uint16_t>(), 7);
      break;
    case DType::kInt64:
      varints(t.flat<int64_t>(), 10);
      break;
    case DType::kBool:
      varints(t.flat<bool>(), 11);
      break;
    case DType::kHalf:
      field = 13;
      for (Half v : t.flat<Half>()) AppendVarint(packed, v.bits);
      break;
    default:
      return Unimplemented("Saving data type ", Name(t.dtype()), " not yet supported");
  }
  out.Bytes(field, packed);
  return out.Take();
}

struct Saved {
  Shape shape;
  DType dtype = DType::kInvalid;
  std::vector<Parts> slices;
};
using Contents = std::map<std::string, Saved>;

std::string EncodeContents(const Contents& contents) {
  WireWriter meta, versions, out;
  for (const auto& [name, saved] : contents) {
    WireWriter tensor;
    tensor.Bytes(1, name);
    tensor.AlwaysBytes(2, EncodeShape(saved.shape));
    tensor.Int(3, static_cast<int64_t>(saved.dtype));
    for (const Parts& parts : saved.slices) tensor.AlwaysBytes(4, EncodeSlice(parts));
    meta.AlwaysBytes(1, tensor.text());
  }
  versions.Int(1, 1);
  meta.AlwaysBytes(2, versions.text());
  out.AlwaysBytes(1, meta.text());
  return out.Take();
}

Result<Contents> DecodeContents(std::string_view text) {
  Contents contents;
  WireReader outer(text);
  while (outer.Next()) {
    if (outer.field() != 1) continue;
    WireReader meta(outer.bytes());
    while (meta.Next()) {
      if (meta.field() != 1) continue;
      std::string name;
      Saved saved;
      WireReader tensor(meta.bytes());
      while (tensor.Next()) {
        if (tensor.field() == 1) name = tensor.text();
        if (tensor.field() == 2) {
          TENSH_ASSIGN(saved.shape, DecodeShape(tensor.bytes()));
        }
        if (tensor.field() == 3) saved.dtype = static_cast<DType>(tensor.varint() & 0xff);
        if (tensor.field() == 4) saved.slices.push_back(DecodeSlice(tensor.bytes()));
      }
      contents.emplace(std::move(name), std::move(saved));
    }
  }
  if (!outer.ok()) return DataLoss("the checkpoint's first entry is damaged");
  return contents;
}

// ---- saving ----

Status SaveTensors(KernelCtx& c, int first, bool sliced) {
  const int64_t n = c.num_inputs() - first;
  for (int i = 1; i < first; ++i)
    if (c.in(i).num_elements() != n)
      return InvalidArgument("Expected ", n, i == 1 ? " names" : " shapes and slices",
                             " for the tensors to be saved, got shape ", c.in(i).shape());
  Contents contents;
  SortedTable table;
  for (int64_t i = 0; i < n; ++i) {
    const std::string& name = c.in(1).data<std::string>()[i];
    const Tensor& value = c.in(first + static_cast<int>(i));
    Saved saved{value.shape(), value.dtype(), {}};
    Parts parts(static_cast<size_t>(value.rank()), {0, -1});
    const std::string spec_text = sliced ? c.in(2).data<std::string>()[i] : "";
    if (!spec_text.empty()) {
      TENSH_ASSIGN(const SliceSpec spec, ParseSlice(spec_text));
      Shape shape;
      for (const auto& part : spec.parts) shape.Append(part.second);
      if (!(shape == value.shape()))
        return InvalidArgument(
            "Slice in shape_and_slice specification does not match the shape "
            "of the tensor to save: ",
            spec_text, ", tensor: ", value.shape());
      saved.shape = spec.full;
      for (size_t d = 0; d < parts.size(); ++d)
        if (spec.parts[d].second != spec.full[static_cast<int>(d)]) parts[d] = spec.parts[d];
    }
    TENSH_ASSIGN(const std::string values, EncodeValues(value));
    WireWriter slice, entry;
    slice.Bytes(1, name);
    slice.AlwaysBytes(2, EncodeSlice(parts));
    slice.AlwaysBytes(3, values);
    entry.AlwaysBytes(2, slice.text());
    if (!table.emplace(SliceKey(name, parts), entry.Take()).second)
      return InvalidArgument("the tensor ", name, " occurs twice in tensor_names");
    Saved& known = contents.emplace(name, saved).first->second;
    if (!(known.shape == saved.shape) || known.dtype != saved.dtype)
      return InvalidArgument("the slices of ", name, " belong to tensors that differ");
    known.slices.push_back(std::move(parts));
  }
  table.emplace("", EncodeContents(contents));
  return WriteWholeFile(*c.in(0).data<std::string>(), EncodeSortedTable(table));
}

Status Save(KernelCtx& c) { return SaveTensors(c, 2, false); }
Status SaveSlices(KernelCtx& c) { return SaveTensors(c, 3, true); }

// ---- restoring ----

// The elements of a tensor that were read so far, and a mask of those that the files had.
struct Found {
  Tensor values, present;
};

// Copies one slice of the file into `out`.
Status CopySlice(KernelCtx& c, const SortedTable& table, const std::string& name,
                 const Saved& saved, const Parts& parts, Found& out) {
  const auto damaged = [&] { return DataLoss("a slice of the tensor ", name, " is damaged"); };
  Shape size;
  std::vector<int64_t> start;
  const auto found = table.find(SliceKey(name, parts));
  if (found == table.end() || !LocateSlice(parts, saved.shape, &size, &start)) return damaged();
  WireWriter head;
  head.Int(1, static_cast<int64_t>(saved.dtype));
  head.AlwaysBytes(2, EncodeShape(size));
  std::string message = head.Take();
  WireReader entry(found->second);
  while (entry.Next()) {
    if (entry.field() != 2) continue;
    WireReader slice(entry.bytes());
    while (slice.Next())
      if (slice.field() == 3) message += slice.text();
  }
  TENSH_ASSIGN(const Tensor values, DecodeTensor(message));
  if (!(values.shape() == size) || values.dtype() != saved.dtype) return damaged();
  const Strides to(saved.shape), from(size);
  BoxCopy box;
  int64_t first = 0;
  for (int d = 0; d < size.rank(); ++d) {
    box.Add(size[d], from[d], to[d]);
    first += start[static_cast<size_t>(d)] * to[d];
  }
  if (!values.num_elements()) return {};
  CopyBox(c, values.dtype(), At(out.values, first), values.raw(), box);
  TENSH_ASSIGN(const Tensor ones, Tensor::Make(DType::kBool, size));
  std::fill_n(ones.data<bool>(), ones.num_elements(), true);
  CopyBox(c, DType::kBool, At(out.present, first), ones.raw(), box);
  return {};
}

Result<Found> ReadTensor(KernelCtx& c, const std::string& pattern, const std::string& name) {
  TENSH_ASSIGN(std::vector<std::string> files, MatchFiles(pattern, c.cancel()));
  if (files.empty())
    return NotFound(
        "Unsuccessful TensorSliceReader constructor: Failed to find any matching files for ",
        pattern);
  Found read;
  Tensor& out = read.values;
  for (const std::string& file : files) {
    TENSH_ASSIGN(const std::string bytes, ReadWholeFile(file));
    TENSH_ASSIGN(const SortedTable table, DecodeSortedTable(bytes));
    const auto first = table.find("");
    if (first == table.end()) return DataLoss(file, " is not a checkpoint");
    TENSH_ASSIGN(const Contents contents, DecodeContents(first->second));
    const auto found = contents.find(name);
    if (found == contents.end()) continue;
    const Saved& saved = found->second;
    if (!out) {
      if (!saved.shape.IsFullyKnown() || IsRef(saved.dtype) || SizeOf(saved.dtype) == 0 ||
          (!IsPod(saved.dtype) && saved.dtype != DType::kString))
        return DataLoss("the tensor ", name, " has an unknown type");
      TENSH_ASSIGN(out, Tensor::Make(saved.dtype, saved.shape));
      ZeroElements(out.dtype(), out.raw(), out.num_elements());
      TENSH_ASSIGN(read.present, Tensor::Make(DType::kBool, saved.shape));
      std::fill_n(read.present.data<bool>(), out.num_elements(), false);
    }
    if (!(saved.shape == out.shape()) || saved.dtype != out.dtype())
      return DataLoss("the files ", pattern, " disagree about the tensor ", name);
    for (const Parts& parts : saved.slices)
      TENSH_RETURN_IF_ERROR(CopySlice(c, table, name, saved, parts, read));
  }
  if (!out) return NotFound("Tensor name \"", name, "\" not found in checkpoint files ", pattern);
  return read;
}

Result<Tensor> SliceOf(KernelCtx& c, const Tensor& whole, const std::string& text) {
  TENSH_ASSIGN(const SliceSpec spec, ParseSlice(text));
  if (!(spec.full == whole.shape()))
    return InvalidArgument("Shape in shape_and_slice spec ", spec.full,
                           " does not match the shape stored in checkpoint: ", whole.shape());
  Shape size;
  for (const auto& part : spec.parts) size.Append(part.second);
  TENSH_ASSIGN(Tensor out, Tensor::Make(whole.dtype(), size));
  const Strides from(whole.shape()), to(size);
  BoxCopy box;
  int64_t first = 0;
  for (int d = 0; d < size.rank(); ++d) {
    box.Add(size[d], from[d], to[d]);
    first += spec.parts[static_cast<size_t>(d)].first * from[d];
  }
  if (out.num_elements()) CopyBox(c, whole.dtype(), out.raw(), At(whole, first), box);
  return out;
}

Status Restore(KernelCtx& c) {
  const std::string& name = *c.in(1).data<std::string>();
  TENSH_ASSIGN(Found found, ReadTensor(c, *c.in(0).data<std::string>(), name));
  Tensor& value = found.values;
  if (value.dtype() != c.out_dtype(0))
    return InvalidArgument("Expected to restore a tensor of type ", SignatureName(c.out_dtype(0)),
                           ", got a tensor of type ", SignatureName(value.dtype()),
                           " instead: tensor_name = ", name);
  if (c.num_inputs() > 2 && !c.in(2).data<std::string>()->empty()) {
    TENSH_ASSIGN(value, SliceOf(c, value, *c.in(2).data<std::string>()));
    TENSH_ASSIGN(found.present, SliceOf(c, found.present, *c.in(2).data<std::string>()));
  }
  const auto present = found.present.flat<bool>();
  if (std::find(present.begin(), present.end(), false) != present.end())
    return InvalidArgument("Error copying slice data: the files do not contain all slices of ",
                           name);
  c.SetOutput(0, std::move(value));
  return {};
}

// The shape of a slice is given by its specification.
Status RestoreSliceShape(ShapeCtx& c) {
  const Tensor* text = c.constant(2);
  if (!text || text->data<std::string>()->empty()) return {};
  TENSH_ASSIGN(const SliceSpec spec, ParseSlice(*text->data<std::string>()));
  Shape shape;
  for (const auto& part : spec.parts) shape.Append(part.second);
  c.Set(0, shape);
  return {};
}

constexpr char kNames[] =
    " filename is the file; tensor_names are the names of the tensors in data, of the types T";

// A file name that is evaluated after the file was written.
constexpr char kAfterSave[] =
    "tf.tuple([tf.constant('model')], control_inputs=[tf.raw_ops.Save(filename='model', "
    "tensor_names=['w'], data=[[1., 2.]])])[0]";

// There is one name for each tensor.
Status SaveShape(ShapeCtx& c) {
  const int64_t names = c.in(1).rank() == 1 ? c.in(1)[0] : -1, tensors = c.num_inputs() - 2;
  if (names < 0 || names == tensors) return {};
  return InvalidArgument("Dimension must be ", tensors, " but is ", names);
}

}  // namespace

TENSH_OPS(io_save_slices) {
  r.Op({.name = "Save",
        .inputs = "filename: string, tensor_names: string, data: T",
        .attrs = "T: list(type) >= 1",
        .doc =
            StrCat("Saves tensors in one file, in TensorFlow's format before SaveV2.", kNames, "."),
        .contract = "filename: scalar, tensor_names: vector",
        .shape = SaveShape,
        .no_gradient = true,
        .stateful = true,
        .examples = {{"tf.raw_ops.Save(filename='model', tensor_names=['w'], data=[1.])", ""}}})
      .CpuAny(Save);
  r.Op({.name = "SaveSlices",
        .inputs = "filename: string, tensor_names: string, shapes_and_slices: string, data: T",
        .attrs = "T: list(type) >= 1",
        .doc = StrCat("Saves tensors, or slices of larger ones, in one file, in TensorFlow's "
                      "format before SaveV2.",
                      kNames,
                      "; shapes_and_slices has, for each, an empty string or the part of the "
                      "tensor that it is, such as '10 20 0,5:-'."),
        .contract = "filename: scalar, tensor_names: vector, shapes_and_slices: vector",
        .shape = UnknownOutputs,
        .no_gradient = true,
        .stateful = true,
        .examples = {{"tf.raw_ops.SaveSlices(filename='model', tensor_names=['w'], "
                      "shapes_and_slices=[''], data=[1.])",
                      ""}}})
      .CpuAny(SaveSlices);
  r.Op({.name = "Restore",
        .inputs = "file_pattern: string, tensor_name: string",
        .outputs = "tensor: dt",
        .attrs = "dt: type, preferred_shard: int = -1",
        .doc = "Restores a tensor of type dt that Save or SaveSlices wrote. file_pattern names the "
               "file, or several; tensor_name names the tensor. preferred_shard is ignored.",
        .contract = "file_pattern: scalar, tensor_name: scalar",
        .shape = UnknownOutputs,
        .no_gradient = true,
        .stateful = true,
        .examples = {{StrCat("tf.raw_ops.Restore(file_pattern=", kAfterSave,
                             ", tensor_name='w', dt=tf.float32)"),
                      "[1. 2.]"}}})
      .CpuAny(Restore);
  r.Op({.name = "RestoreSlice",
        .inputs = "file_pattern: string, tensor_name: string, shape_and_slice: string",
        .outputs = "tensor: dt",
        .attrs = "dt: type, preferred_shard: int = -1",
        .doc = "Restores a part of a tensor of type dt that Save or SaveSlices wrote. file_pattern "
               "names the file, or several; tensor_name names the tensor; shape_and_slice is the "
               "part, such as '10 20 0,5:-', or '' for all. preferred_shard is ignored.",
        .contract = "file_pattern: scalar, tensor_name: scalar, shape_and_slice: scalar",
        .shape = RestoreSliceShape,
        .no_gradient = true,
        .stateful = true,
        .examples = {{StrCat("tf.raw_ops.RestoreSlice(file_pattern=", kAfterSave,
                             ", tensor_name='w', shape_and_slice='2 1,1', dt=tf.float32)"),
                      "[2.]"}}})
      .CpuAny(Restore);
}

}  // namespace tensh::ops
