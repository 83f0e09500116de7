// SaveV2, RestoreV2 and MergeV2Checkpoints for V2 checkpoints, and the names of sharded
// checkpoints.
#include <set>

#include "ops/formats/tensor_bundle.h"
#include "ops/io/slice_spec.h"
#include "ops/op_file.h"
#include "ops/support/array_copy.h"
#include "ops/support/prepare.h"
#include "ops/support/shape_util.h"

namespace tensh::ops {
namespace {

Result<Tensor> TakeSlice(KernelCtx& c, const Tensor& whole, const SliceSpec& spec) {
  Shape shape;
  for (const auto& [start, length] : spec.parts) shape.Append(length);
  TENSH_ASSIGN(Tensor out, Tensor::Make(whole.dtype(), shape));
  const Strides from(whole.shape()), to(shape);
  BoxCopy box;
  int64_t first = 0;
  for (int i = 0; i < shape.rank(); ++i) {
    first += spec.parts[static_cast<size_t>(i)].first * from[i];
    box.Add(shape[i], from[i], to[i]);
  }
  if (out.num_elements()) CopyBox(c, whole.dtype(), out.raw(), At(whole, first), box);
  return out;
}

// Checks the inputs prefix, tensor_names and shape_and_slices of saving and restoring n tensors.
Status CheckNames(KernelCtx& c, int64_t n) {
  for (int i : {1, 2}) {
    const char* what = i == 1 ? "tensor_names" : "shape_and_slices";
    if (c.in(i).num_elements() != n)
      return InvalidArgument("Expected the input ", what, " to have ", n, " elements, but got ",
                             c.in(i).num_elements());
  }
  return {};
}

// Returns the parts as they are in a key, where -1 stands for a whole dimension.
SliceParts PartsOf(const SliceSpec& spec) {
  SliceParts parts = spec.parts;
  for (size_t d = 0; d < parts.size(); ++d)
    if (parts[d].second == spec.full[static_cast<int>(d)]) parts[d] = {0, -1};
  return parts;
}

Status Save(KernelCtx& c) {
  const int64_t n = c.num_inputs() - 3;
  TENSH_RETURN_IF_ERROR(CheckNames(c, n));
  const std::string* names = c.in(1).data<std::string>();
  BundleWriter writer(*c.in(0).data<std::string>());
  std::map<std::string_view, int> sorted;
  std::multimap<std::string_view, int> slices;
  for (int i = 0; i < n; ++i) {
    const bool whole = c.in(2).data<std::string>()[i].empty();
    if (!whole) slices.emplace(names[i], i);
    if (whole && !sorted.emplace(names[i], i).second)
      return InvalidArgument("The tensor ", names[i], " occurs twice in tensor_names");
  }
  for (const auto& [name, i] : sorted)
    TENSH_RETURN_IF_ERROR(writer.Add(std::string(name), c.in(3 + i)));
  for (const auto& [name, i] : slices) {
    const std::string& text = c.in(2).data<std::string>()[i];
    TENSH_ASSIGN(const SliceSpec spec, ParseSlice(text));
    Shape shape;
    for (const auto& part : spec.parts) shape.Append(part.second);
    if (!(shape == c.in(3 + i).shape()))
      return InvalidArgument("Slice in shape_and_slice specification does not match the shape of ",
                             "the tensor to save: ", text, ", tensor: ", c.in(3 + i).shape());
    const std::string key(name);
    TENSH_RETURN_IF_ERROR(shape == spec.full
                              ? writer.Add(key, c.in(3 + i))
                              : writer.AddSlice(key, spec.full, PartsOf(spec), c.in(3 + i)));
  }
  return writer.Finish({c.runner(), c.cancel()});
}

// Returns the entry to read for a part of a tensor. A partitioned tensor usually has an entry with
// exactly this part; otherwise the part is cut from the whole tensor.
const BundleEntry& EntryOf(const Bundle& bundle, const std::string& name, const BundleEntry& whole,
                           const SliceSpec& spec) {
  Shape shape;
  for (const auto& part : spec.parts) shape.Append(part.second);
  const auto stored = bundle.entries.find(SliceKey(name, PartsOf(spec)));
  return stored != bundle.entries.end() && stored->second.shape == shape &&
                 stored->second.dtype == whole.dtype && stored->second.slices.empty()
             ? stored->second
             : whole;
}

Status Restore(KernelCtx& c) {
  TENSH_RETURN_IF_ERROR(CheckNames(c, c.num_outputs()));
  const std::string& prefix = *c.in(0).data<std::string>();
  TENSH_ASSIGN(const Bundle bundle, ReadBundle(prefix));
  std::vector<BundleRead> reads;
  std::vector<SliceSpec> specs(static_cast<size_t>(c.num_outputs()));
  for (int i = 0; i < c.num_outputs(); ++i) {
    const std::string& name = c.in(1).data<std::string>()[i];
    const std::string& slice = c.in(2).data<std::string>()[i];
    auto it = bundle.entries.find(name);
    if (it == bundle.entries.end()) return NotFound("Key ", name, " not found in checkpoint");
    const BundleEntry* entry = &it->second;
    if (entry->dtype != c.out_dtype(i))
      return InvalidArgument("tensor_name = ", name, "; expected dtype ",
                             SignatureName(c.out_dtype(i)), " does not equal original dtype ",
                             SignatureName(entry->dtype));
    if (!slice.empty()) {
      SliceSpec& spec = specs[static_cast<size_t>(i)];
      TENSH_ASSIGN(spec, ParseSlice(slice));
      if (!(spec.full == entry->shape))
        return InvalidArgument("tensor_name = ", name, "; shape in shape_and_slice spec ",
                               spec.full,
                               " does not match the shape stored in checkpoint: ", entry->shape);
      entry = &EntryOf(bundle, name, *entry, spec);
    }
    reads.push_back({name, entry});
  }
  TENSH_RETURN_IF_ERROR(ReadBundleTensors(prefix, bundle, reads, {c.runner(), c.cancel()}));
  for (int i = 0; i < c.num_outputs(); ++i) {
    Tensor& value = reads[static_cast<size_t>(i)].tensor;
    const SliceSpec& spec = specs[static_cast<size_t>(i)];
    Shape part;
    for (const auto& [start, length] : spec.parts) part.Append(length);
    if (!c.in(2).data<std::string>()[i].empty() && !(value.shape() == part)) {
      TENSH_ASSIGN(value, TakeSlice(c, value, spec));
    }
    c.SetOutput(i, std::move(value));
  }
  return {};
}

struct MergeState : KernelState {
  bool delete_old_dirs, allow_missing_files;
  void Read(PrepareCtx& c) {
    delete_old_dirs = c.attrs().Bool("delete_old_dirs");
    allow_missing_files = c.attrs().Bool("allow_missing_files");
  }
};

struct Part {
  std::string prefix;
  Bundle bundle;
};

// Renames the data files of all parts to consecutive shards of `to`, and writes one index for them.
Status MoveTogether(const std::vector<Part>& parts, const std::string& to) {
  Bundle merged;
  merged.shards = 0;
  for (const Part& part : parts) merged.shards += part.bundle.shards;
  // A checkpoint of the same name must stay readable until its index is replaced. If the new files
  // would have the names of its files, there is one more, which is empty.
  const Result<Bundle> old = ReadBundle(to);
  int64_t first = old.ok() && old->shards == merged.shards ? 1 : 0;
  merged.shards += first;
  if (first) TENSH_RETURN_IF_ERROR(WriteWholeFile(BundleDataPath(to, 0, merged.shards), ""));
  for (const Part& part : parts) {
    for (const auto& [name, entry] : part.bundle.entries) {
      BundleEntry moved = entry;
      moved.shard += first;
      const auto [known, added] = merged.entries.emplace(name, moved);
      if (added) continue;
      // Each of the checkpoints may hold some slices of a tensor.
      BundleEntry& have = known->second;
      if (have.slices.empty() || entry.slices.empty() || !(have.shape == entry.shape) ||
          have.dtype != entry.dtype)
        return InvalidArgument("the tensor ", name, " is in more than one of the checkpoints");
      have.slices.insert(have.slices.end(), entry.slices.begin(), entry.slices.end());
    }
    for (int64_t i = 0; i < part.bundle.shards; ++i)
      TENSH_RETURN_IF_ERROR(RenameFile(BundleDataPath(part.prefix, i, part.bundle.shards),
                                       BundleDataPath(to, first + i, merged.shards)));
    first += part.bundle.shards;
  }
  TENSH_RETURN_IF_ERROR(WriteBundleIndex(to, merged));
  if (old.ok() && old->shards != merged.shards)
    for (int64_t i = 0; i < old->shards; ++i) (void)RemoveFile(BundleDataPath(to, i, old->shards));
  return {};
}

Status Merge(KernelCtx& c) {
  const auto& state = c.state<MergeState>();
  const Tensor& prefixes = c.in(0);
  const std::string& to = *c.in(1).data<std::string>();
  std::vector<Part> parts;
  for (const std::string& prefix : prefixes.flat<std::string>()) {
    Result<Bundle> bundle = ReadBundle(prefix);
    if (!bundle.ok() && bundle.status().code() == Code::kNotFound && state.allow_missing_files)
      continue;
    if (!bundle.ok()) return std::move(bundle).status();
    parts.push_back({prefix, *std::move(bundle)});
  }
  TENSH_RETURN_IF_ERROR(MakeDirectories(DirectoryOf(to)));
  TENSH_RETURN_IF_ERROR(MoveTogether(parts, to));
  std::set<std::string> directories;
  for (const Part& part : parts) {
    if (part.prefix != to) (void)RemoveFile(BundleIndexPath(part.prefix));
    directories.insert(DirectoryOf(part.prefix));
  }
  if (state.delete_old_dirs)
    for (const std::string& directory : directories)
      if (!directory.empty() && directory != DirectoryOf(to)) (void)RemoveFile(directory);
  return {};
}

Status NamesShape(ShapeCtx& c) { return MergeShapes(c.in(1), c.in(2)).status(); }

Status ShardedFilename(KernelCtx& c) {
  char suffix[64];
  std::snprintf(suffix, sizeof suffix, "-%05d-of-%05d", *c.in(1).data<int32_t>(),
                *c.in(2).data<int32_t>());
  TENSH_OUTPUT(out, c.Output(0, Shape()));
  *out->data<std::string>() = *c.in(0).data<std::string>() + suffix;
  return {};
}

Status ShardedFilespec(KernelCtx& c) {
  char suffix[64];
  std::snprintf(suffix, sizeof suffix,
                "-????"
                "?-of-%05d",
                *c.in(1).data<int32_t>());
  TENSH_OUTPUT(out, c.Output(0, Shape()));
  *out->data<std::string>() = *c.in(0).data<std::string>() + suffix;
  return {};
}

Status ShardedShape(ShapeCtx& c) {
  c.Set(0, Shape());
  return {};
}

// Returns an expression for the constant `value` that is evaluated after a checkpoint was saved.
std::string AfterSave(const char* value) {
  return StrCat("tf.tuple([tf.constant(", value,
                ")], control_inputs=[tf.raw_ops.SaveV2(prefix='model', tensor_names=['w'], "
                "shape_and_slices=[''], tensors=[1.])])[0]");
}

}  // namespace

TENSH_OPS(io_save_restore) {
  r.Op({.name = "SaveV2",
        .inputs = "prefix: string, tensor_names: string, shape_and_slices: string, tensors: dtypes",
        .attrs = "dtypes: list(type) >= 1",
        .doc =
            "Saves tensors in a checkpoint: the files PREFIX.index and PREFIX.data-00000-of-00001, "
            "which TensorFlow can read. prefix is a scalar. tensor_names are the names of tensors, "
            "which have the types dtypes. shape_and_slices has, for each, an empty string or the "
            "part of the tensor that it is, such as '10 20 0,5:-'.",
        .contract = "prefix: scalar, tensor_names: vector, shape_and_slices: vector",
        .shape = NamesShape,
        .no_gradient = true,
        .stateful = true,
        .examples = {{"tf.raw_ops.SaveV2(prefix='model', tensor_names=['w'], "
                      "shape_and_slices=[''], tensors=[1.])",
                      ""}}})
      .CpuAny(Save);
  r.Op({.name = "RestoreV2",
        .inputs = "prefix: string, tensor_names: string, shape_and_slices: string",
        .outputs = "tensors: dtypes",
        .attrs = "dtypes: list(type) >= 1",
        .doc =
            "Restores tensors from a checkpoint. prefix is the path without .index. tensor_names "
            "are the names of tensors, which have the types dtypes. shape_and_slices has, for "
            "each, an empty string or the part to restore, such as '10 20 0,5:-'.",
        .contract = "prefix: scalar, tensor_names: vector, shape_and_slices: vector",
        .shape = NamesShape,
        .no_gradient = true,
        .stateful = true,
        .examples = {{StrCat("tf.raw_ops.RestoreV2(prefix=", AfterSave("'model'"),
                             ", tensor_names=['w'], shape_and_slices=[''], dtypes=[tf.float32])"),
                      "[1.0]"}}})
      .CpuAny(Restore);
  r.Op({.name = "MergeV2Checkpoints",
        .inputs = "checkpoint_prefixes: string, destination_prefix: string",
        .attrs = "delete_old_dirs: bool = true, allow_missing_files: bool = false",
        .doc =
            "Merges several checkpoints into one by moving their files. checkpoint_prefixes names "
            "them, destination_prefix the result. delete_old_dirs: delete their directories if "
            "they are empty. allow_missing_files: skip checkpoints that do not exist.",
        .contract = "checkpoint_prefixes: vector, destination_prefix: scalar",
        .shape = NoOutputs,
        .no_gradient = true,
        .stateful = true,
        .examples = {{StrCat("tf.raw_ops.MergeV2Checkpoints(checkpoint_prefixes=",
                             AfterSave("['model']"), ", destination_prefix='merged')"),
                      ""}}})
      .CpuAny(Merge, PrepareFrom<MergeState>);
  r.Op({.name = "ShardedFilename",
        .inputs = "basename: string, shard: int32, num_shards: int32",
        .outputs = "filename: string",
        .doc = "The name of one of several files. filename is basename, followed by shard and "
               "num_shards with five digits.",
        .contract = "basename: scalar, shard: scalar, num_shards: scalar",
        .shape = ShardedShape,
        .no_gradient = true,
        .examples = {{"tf.raw_ops.ShardedFilename(basename='data', shard=1, num_shards=4)",
                      "b'data-00001-of-00004'"}}})
      .CpuAny(ShardedFilename);
  r.Op({.name = "ShardedFilespec",
        .inputs = "basename: string, num_shards: int32",
        .outputs = "filename: string",
        .doc = "The pattern for the files that ShardedFilename names. filename is basename, "
               "followed by ? for the digits of the shard, and num_shards.",
        .contract = "basename: scalar, num_shards: scalar",
        .shape = ShardedShape,
        .no_gradient = true,
        .examples = {{"tf.raw_ops.ShardedFilespec(basename='data', num_shards=4)",
                      "b'data-????"
                      "?-of-00004'"}}})
      .CpuAny(ShardedFilespec);
}

}  // namespace tensh::ops
