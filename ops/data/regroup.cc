// Datasets that regroup the elements of others: shards, caches, padded batches, windows and
// unbatched rows.
#include <algorithm>
#include <deque>
#include <mutex>

#include "ops/data/dataset.h"
#include "ops/op_file.h"
#include "ops/support/array_copy.h"
#include "ops/support/list_variant.h"
#include "ops/support/prepare.h"
#include "ops/support/shape_util.h"

namespace tensh::ops {
namespace {

using Element = std::vector<Tensor>;
using Elements = std::shared_ptr<const std::vector<Element>>;
using Source = std::shared_ptr<const Dataset>;

// ---- shards ----

class ShardIterator : public DatasetIterator {
 public:
  ShardIterator(const Dataset::Inputs& in, int64_t shards, int64_t index, bool all)
      : in_(in[0]->Iterate()), shards_(shards), index_(index), all_(all) {}
  Status Next(KernelCtx& c, Element* element, bool* end) override {
    do {
      TENSH_RETURN_IF_ERROR(Read(c, element, end));
      if (*end) return {};
    } while ((read_ - 1) % shards_ != index_);
    // Reads the rest of the first round to check that all shards have an element.
    for (Element unused; all_ && read_ < shards_;) {
      bool over = false;
      TENSH_RETURN_IF_ERROR(Read(c, &unused, &over));
      if (over)
        return InvalidArgument("there are only ", read_, " elements, but each of the ", shards_,
                               " shards must have one");
    }
    return {};
  }

 private:
  Status Read(KernelCtx& c, Element* element, bool* end) {
    if (c.cancelled()) return c.cancel()->Why();
    TENSH_RETURN_IF_ERROR(in_->Next(c, element, end));
    read_ += !*end;
    return {};
  }

  const std::unique_ptr<DatasetIterator> in_;
  const int64_t shards_, index_;
  int64_t read_ = 0;
  const bool all_;
};

struct ShardState : KernelState {
  bool all = false;
  void Read(PrepareCtx& c) { all = c.attrs().Bool("require_non_empty"); }
};

Status MakeShard(KernelCtx& c) {
  TENSH_ASSIGN(Source input, DatasetIn(c, 0));
  TENSH_ASSIGN(const int64_t shards, CountIn(c, 1, "num_shards"));
  TENSH_ASSIGN(const int64_t index, CountIn(c, 2, "index"));
  if (shards <= 0)
    return InvalidArgument(
        "Number of shards must be greater than zero (currently num_shards = ", shards, ").");
  if (index < 0 || index >= shards)
    return InvalidArgument("Index must be between 0 and ", shards - 1,
                           " (currently index = ", index, ").");
  return GiveDataset(
      c, std::make_shared<Made<ShardIterator, int64_t, int64_t, bool>>(
             Dataset::Inputs{std::move(input)}, shards, index, c.state<ShardState>().all));
}

// ---- caches ----

// The elements of the dataset, set once an iterator has read all of them.
struct Kept {
  std::mutex mu;
  Elements elements;  // guarded by mu
  Elements Get() {
    std::lock_guard lock(mu);
    return elements;
  }
};
using KeptPtr = std::shared_ptr<Kept>;

class CacheIterator : public DatasetIterator {
 public:
  CacheIterator(const Dataset::Inputs& in, KeptPtr kept) : kept_(std::move(kept)) {
    elements_ = kept_->Get();
    if (!elements_) in_ = in[0]->Iterate();
  }
  Status Next(KernelCtx& c, Element* element, bool* end) override {
    if (elements_) {
      *end = next_ == elements_->size();
      if (!*end) *element = (*elements_)[next_++];
      return {};
    }
    TENSH_RETURN_IF_ERROR(in_->Next(c, element, end));
    if (!*end) {
      gone_.push_back(*element);
      return {};
    }
    elements_ = std::make_shared<const std::vector<Element>>(std::move(gone_));
    next_ = elements_->size();
    std::lock_guard lock(kept_->mu);
    kept_->elements = elements_;
    return {};
  }

 private:
  const KeptPtr kept_;
  std::unique_ptr<DatasetIterator> in_;
  Elements elements_;
  std::vector<Element> gone_;
  size_t next_ = 0;
};

Status MakeCache(KernelCtx& c) {
  TENSH_ASSIGN(Source input, DatasetIn(c, 0));
  if (!c.in(1).data<std::string>()->empty())
    return Unimplemented(
        "tensh caches datasets only in memory: CacheDataset's filename must be empty, but is '",
        *c.in(1).data<std::string>(), "'");
  return GiveDataset(c, std::make_shared<Made<CacheIterator, KeptPtr>>(
                            Dataset::Inputs{std::move(input)}, std::make_shared<Kept>()));
}

// ---- padded batches ----

struct Padding {
  std::vector<std::vector<int64_t>> shapes;  // per component; -1: the largest extent in the batch
  std::vector<Tensor> values;
};
using PaddingPtr = std::shared_ptr<const Padding>;

class PaddedIterator : public DatasetIterator {
 public:
  PaddedIterator(const Dataset::Inputs& in, int64_t size, bool drop, PaddingPtr padding)
      : rows_(in[0]->Iterate(), size, drop), padding_(std::move(padding)) {}
  Status Next(KernelCtx& c, Element* element, bool* end) override {
    std::vector<Element> rows;
    TENSH_RETURN_IF_ERROR(rows_.Next(c, &rows, end));
    if (*end) return {};
    element->clear();
    for (size_t k = 0; k < padding_->shapes.size(); ++k) {
      TENSH_ASSIGN(Tensor joined, Join(c, rows, k));
      element->push_back(std::move(joined));
    }
    return {};
  }

 private:
  // Returns the padded shape of component k.
  Result<Shape> RowShape(const std::vector<Element>& rows, size_t k) const {
    std::vector<int64_t> dims = padding_->shapes[k];
    for (const Element& row : rows) {
      if (row.size() != padding_->shapes.size() || row[k].dtype() != padding_->values[k].dtype())
        return InvalidArgument("the types of an element differ from those of padding_values");
      if (row[k].rank() != static_cast<int>(dims.size()))
        return InvalidArgument(
            "All elements in a batch must have the same rank as the padded shape for component", k,
            ": expected rank ", dims.size(), " but got element with rank ", row[k].rank());
      for (size_t d = 0; d < dims.size(); ++d) {
        const int64_t extent = row[k].dim(static_cast<int>(d));
        if (padding_->shapes[k][d] < 0)
          dims[d] = std::max(dims[d], extent);
        else if (extent > dims[d])
          return DataLoss("Attempted to pad to a smaller size than the input element.");
      }
    }
    return Shape::Make(dims, true);
  }

  Result<Tensor> Join(KernelCtx& c, const std::vector<Element>& rows, size_t k) const {
    TENSH_ASSIGN(const Shape one, RowShape(rows, k));
    TENSH_ASSIGN(const Shape shape, StackedShape(static_cast<int64_t>(rows.size()), one));
    TENSH_ASSIGN(Tensor out, Tensor::Make(rows[0][k].dtype(), shape, c.allocator()));
    FillElements(out.dtype(), out.raw(), padding_->values[k].raw(), out.num_elements());
    const Strides to(one);
    for (size_t i = 0; i < rows.size(); ++i) {
      const Tensor& row = rows[i][k];
      const Strides from(row.shape());
      BoxCopy box;
      for (int d = 0; d < one.rank(); ++d) box.Add(row.dim(d), from[d], to[d]);
      if (one.rank() == 0) box.Add(1, 1, 1);
      if (row.num_elements())
        CopyBox(c, out.dtype(), At(out, static_cast<int64_t>(i) * one.num_elements()), row.raw(),
                box);
    }
    return out;
  }

  BatchRows rows_;
  const PaddingPtr padding_;
};

struct PaddedState : KernelState {
  size_t components = 0;
  Status Read(PrepareCtx& c) {
    components = c.attrs().Get<AttrValue::Types>("Toutput_types").size();
    if (c.attrs().Int("N") != static_cast<int64_t>(components))
      return InvalidArgument(
          "Number of padded shapes (", c.attrs().Int("N"),
          ") must match the number of components in the input dataset's elements (", components,
          ")");
    return {};
  }
};

Status MakePadded(KernelCtx& c) {
  TENSH_ASSIGN(Source input, DatasetIn(c, 0));
  TENSH_ASSIGN(const int64_t size, CountIn(c, 1, "batch_size"));
  if (size <= 0) return InvalidArgument("Batch size must be greater than zero.");
  const size_t n = c.state<PaddedState>().components;
  auto padding = std::make_shared<Padding>();
  for (size_t k = 0; k < n; ++k) {
    const Tensor& shape = c.in(2 + static_cast<int>(k));
    const Tensor& value = c.in(2 + static_cast<int>(n + k));
    if (shape.rank() != 1)
      return InvalidArgument("All padded shapes must be vectors, got shape ", shape.shape());
    if (shape.num_elements() >= Shape::kMaxRank)
      return InvalidArgument("a padded shape of ", shape.num_elements(), " dimensions");
    if (value.rank() != 0)
      return InvalidArgument("All padding values must be scalars; but got shape ", value.shape());
    padding->shapes.push_back(IndexValues(shape));
    for (int64_t extent : padding->shapes.back())
      if (extent < -1) return InvalidArgument("a padded shape has an extent of ", extent);
    padding->values.push_back(value);
  }
  const int last = 2 + static_cast<int>(2 * n);
  const bool drop = c.num_inputs() > last && *c.in(last).data<bool>();
  return GiveDataset(c, std::make_shared<Made<PaddedIterator, int64_t, bool, PaddingPtr>>(
                            Dataset::Inputs{std::move(input)}, size, drop, std::move(padding)));
}

// ---- windows ----

class ListIterator : public DatasetIterator {
 public:
  ListIterator(const Dataset::Inputs&, Elements elements) : elements_(std::move(elements)) {}
  Status Next(KernelCtx&, Element* element, bool* end) override {
    *end = next_ == elements_->size();
    if (!*end) *element = (*elements_)[next_++];
    return {};
  }

 private:
  const Elements elements_;
  size_t next_ = 0;
};

struct Windows {
  int64_t size = 0, shift = 0, stride = 0;
  bool drop = false;
};

class WindowIterator : public DatasetIterator {
 public:
  WindowIterator(const Dataset::Inputs& in, Windows w) : in_(in[0]->Iterate()), w_(w) {}
  Status Next(KernelCtx& c, Element* element, bool* end) override {
    const int64_t reach = (w_.size - 1) * w_.stride + 1;
    *end = false;
    while (!over_ && (skip_ > 0 || static_cast<int64_t>(ahead_.size()) < reach)) {
      if (c.cancelled()) return c.cancel()->Why();
      Element next;
      TENSH_RETURN_IF_ERROR(in_->Next(c, &next, &over_));
      if (over_) break;
      if (skip_ > 0)
        --skip_;
      else
        ahead_.push_back(std::move(next));
    }
    const int64_t have = static_cast<int64_t>(ahead_.size());
    *end = have == 0 || (w_.drop && have < reach);
    if (*end) return {};
    Give(element);
    const int64_t gone = std::min(w_.shift, have);
    ahead_.erase(ahead_.begin(), ahead_.begin() + static_cast<std::ptrdiff_t>(gone));
    skip_ = w_.shift - gone;
    return {};
  }

 private:
  // Stores a dataset for each component.
  void Give(Element* element) const {
    element->clear();
    for (size_t k = 0; k < ahead_[0].size(); ++k) {
      std::vector<Element> rows;
      for (size_t i = 0; i < ahead_.size() && static_cast<int64_t>(rows.size()) < w_.size;
           i += static_cast<size_t>(w_.stride))
        rows.push_back({ahead_[i][k]});
      element->push_back(VariantTensor(ListData(std::move(rows))));
    }
  }

  const std::unique_ptr<DatasetIterator> in_;
  const Windows w_;
  std::deque<Element> ahead_;
  int64_t skip_ = 0;
  bool over_ = false;
};

Status MakeWindow(KernelCtx& c) {
  TENSH_ASSIGN(Source input, DatasetIn(c, 0));
  Windows w;
  TENSH_ASSIGN(w.size, CountIn(c, 1, "size"));
  TENSH_ASSIGN(w.shift, CountIn(c, 2, "shift"));
  TENSH_ASSIGN(w.stride, CountIn(c, 3, "stride"));
  constexpr int64_t kMost = std::numeric_limits<int32_t>::max();
  const auto check = [](int64_t value, const char* name) -> Status {
    if (value > 0) return {};
    return InvalidArgument("Window ", name, " must be greater than zero.");
  };
  TENSH_RETURN_IF_ERROR(check(w.size, "size"));
  TENSH_RETURN_IF_ERROR(check(w.shift, "shift"));
  TENSH_RETURN_IF_ERROR(check(w.stride, "stride"));
  w.size = std::min(w.size, kMost);  // a window never holds more elements
  w.stride = std::min(w.stride, kMost);
  w.drop = *c.in(4).data<bool>();
  return GiveDataset(
      c, std::make_shared<Made<WindowIterator, Windows>>(Dataset::Inputs{std::move(input)}, w));
}

// ---- unbatching ----

class UnbatchIterator : public DatasetIterator {
 public:
  explicit UnbatchIterator(const Dataset::Inputs& in) : in_(in[0]->Iterate()) {}
  Status Next(KernelCtx& c, Element* element, bool* end) override {
    *end = false;
    while (next_ == size_) {
      if (c.cancelled()) return c.cancel()->Why();
      TENSH_RETURN_IF_ERROR(in_->Next(c, &batch_, end));
      if (*end) return {};
      next_ = size_ = 0;
      for (const Tensor& t : batch_) {
        if (t.rank() == 0)
          return InvalidArgument("Cannot unbatch an element with scalar components.");
        if (t.dim(0) != batch_[0].dim(0))
          return InvalidArgument("Components of input element must have same 0th dimension: ",
                                 batch_[0].dim(0), " and ", t.dim(0));
      }
      if (!batch_.empty()) size_ = batch_[0].dim(0);
    }
    element->clear();
    for (const Tensor& t : batch_) element->push_back(RowOf(t, next_));
    ++next_;
    return {};
  }

 private:
  const std::unique_ptr<DatasetIterator> in_;
  Element batch_;
  int64_t next_ = 0, size_ = 0;
};

Status MakeUnbatch(KernelCtx& c) {
  TENSH_ASSIGN(Source input, DatasetIn(c, 0));
  return GiveDataset(c, std::make_shared<Made<UnbatchIterator>>(Dataset::Inputs{std::move(input)}));
}

// ---- definitions ----

constexpr char kRange[] =
    "input_dataset=tf.raw_ops.RangeDataset(start=0, stop=4, step=1, output_types=[tf.int64], "
    "output_shapes=[[]])";

constexpr char kElement[] = "output_types=[tf.int64], output_shapes=[[]]";
constexpr char kVariant[] = "output_types=[tf.variant], output_shapes=[[]]";
constexpr char kOne[] =  // a dataset of one element
    "input_dataset=tf.raw_ops.RangeDataset(start=5, stop=6, step=1, output_types=[tf.int64], "
    "output_shapes=[[]])";

std::string Example(const char* op, const std::string& arguments, const char* shape,
                    const char* types = "output_types") {
  return StrCat("tf.raw_ops.DatasetToSingleElement(dataset=tf.raw_ops.", op, "(", kRange, arguments,
                types, "=[tf.int64], output_shapes=[", shape,
                "]), output_types=[tf.int64], output_shapes=[", shape, "])[0]");
}

void RegisterPadded(OpRegistry& r) {
  for (bool v2 : {false, true}) {
    const char* name = v2 ? "PaddedBatchDatasetV2" : "PaddedBatchDataset";
    std::string example =
        StrCat("tf.raw_ops.DatasetToSingleElement(dataset=tf.raw_ops.", name, "(", kRange,
               ", batch_size=4, padded_shapes=[tf.constant([], tf.int64)], "
               "padding_values=[tf.constant(0, tf.int64)], ",
               v2 ? "drop_remainder=False, " : "",
               "output_shapes=[[None]]), output_types=[tf.int64], output_shapes=[[None]])[0]");
    r.Op({.name = name,
          .inputs = StrCat("input_dataset: variant, batch_size: int64, padded_shapes: N * int64, "
                           "padding_values: Toutput_types",
                           v2 ? ", drop_remainder: bool" : ""),
          .outputs = "handle: variant",
          .attrs = StrCat(v2 ? "parallel_copy: bool = false, " : "",
                          "Toutput_types: list(type) >= 1, output_shapes: list(shape) >= 1, N: int "
                          ">= 1, metadata: string = ''"),
          .doc = StrCat(
              "A dataset of batches of batch_size elements of input_dataset, whose components are "
              "padded with padding_values to the N padded_shapes. -1 stands for the largest extent "
              "in the batch.",
              v2 ? " drop_remainder drops a smaller last batch. parallel_copy is a hint for "
                   "TensorFlow's runtime."
                 : "",
              " Elements have the types Toutput_types and the shapes output_shapes; metadata is "
              "for "
              "TensorFlow's own reports."),
          .contract = v2 ? "drop_remainder: scalar" : "",
          .shape = DatasetShape,
          .no_gradient = true,
          .examples = {{example, "[0 1 2 3]"}}})
        .CpuAny(MakePadded, PrepareFrom<PaddedState>);
  }
}

}  // namespace

std::shared_ptr<Dataset> ListData(std::vector<Element> elements) {
  return std::make_shared<Made<ListIterator, Elements>>(
      Dataset::Inputs{}, std::make_shared<const std::vector<Element>>(std::move(elements)));
}

TENSH_OPS(data_regroup) {
  const std::string attrs = TENSH_DATASET_ATTRS ", metadata: string = ''";
  const auto spec = [&](const char* name, const char* more, const std::string& doc) {
    return OpSpec{.name = name,
                  .inputs = StrCat("input_dataset: variant", more),
                  .outputs = "handle: variant",
                  .attrs = attrs,
                  .doc = doc + kDatasetDoc,
                  .shape = DatasetShape,
                  .no_gradient = true};
  };
  OpSpec shard =
      spec("ShardDataset", ", num_shards: int64, index: int64",
           "A dataset of every num_shards-th element of input_dataset, beginning with number "
           "index. require_non_empty: fail if there are fewer than num_shards elements.");
  shard.attrs = "require_non_empty: bool = false, " + attrs;
  shard.examples = {{Example("ShardDataset", ", num_shards=4, index=2, ", "[]"), "2"}};
  r.Op(std::move(shard)).CpuAny(MakeShard, PrepareFrom<ShardState>);
  OpSpec cache = spec("CacheDataset", ", filename: string",
                      "The elements of input_dataset, cached in memory during the first iteration. "
                      "filename must be empty.");
  cache.contract = "filename: scalar";
  cache.examples = {{StrCat("tf.raw_ops.DatasetToSingleElement(dataset=tf.raw_ops.CacheDataset(",
                            kOne, ", filename='', ", kElement, "), ", kElement, ")[0]"),
                     "5"}};
  r.Op(std::move(cache)).CpuAny(MakeCache);
  OpSpec cache_v2 = spec("CacheDatasetV2", ", filename: string, cache: resource",
                         "Caches the elements of input_dataset in memory during the first "
                         "iteration. filename must be empty. Each dataset has its own cache and "
                         "ignores the input cache.");
  cache_v2.stateful = true;
  cache_v2.contract = "filename: scalar";
  cache_v2.examples = {
      {StrCat("tf.raw_ops.DatasetToSingleElement(dataset=tf.raw_ops.CacheDatasetV2(", kOne,
              ", filename='', cache=tf.raw_ops.DummyMemoryCache(), ", kElement, "), ", kElement,
              ")[0]"),
       "5"}};
  r.Op(std::move(cache_v2)).CpuAny(MakeCache);
  OpSpec window =
      spec("WindowDataset", ", size: int64, shift: int64, stride: int64, drop_remainder: bool",
           "A dataset of windows over input_dataset. A window is a dataset of size elements, "
           "stride apart; the next window begins shift elements later. drop_remainder drops "
           "smaller windows at the end.");
  window.contract = "drop_remainder: scalar";
  window.examples = {
      {StrCat("tf.raw_ops.DatasetToSingleElement(dataset=tf.raw_ops.DatasetToSingleElement(dataset="
              "tf.raw_ops.WindowDataset(",
              kOne, ", size=1, shift=1, stride=1, drop_remainder=False, ", kVariant, "), ",
              kVariant, ")[0], ", kElement, ")[0]"),
       "5"}};
  r.Op(std::move(window)).CpuAny(MakeWindow);
  OpSpec rows =
      spec("UnbatchDataset", "", "A dataset of the rows of the elements of input_dataset.");
  rows.examples = {
      {"tf.raw_ops.DatasetToSingleElement(dataset=tf.raw_ops.UnbatchDataset(input_dataset="
       "tf.raw_ops.TensorDataset(components=[[5]], output_shapes=[[1]]), output_types=[tf.int32], "
       "output_shapes=[[]]), output_types=[tf.int32], output_shapes=[[]])[0]",
       "5"}};
  r.Op(std::move(rows)).CpuAny(MakeUnbatch);
  r.Alias("ExperimentalUnbatchDataset", "UnbatchDataset");
  RegisterPadded(r);
}

}  // namespace tensh::ops
