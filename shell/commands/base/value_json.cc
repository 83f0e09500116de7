#include "shell/commands/base/value_json.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <vector>

#include "runtime/base/half.h"
#include "shell/commands/base/node_values.h"
#include "shell/python/values/containers.h"
#include "shell/python/values/native.h"
#include "shell/python/values/ops.h"
#include "shell/text/json.h"

namespace tensh::shell {
namespace {

constexpr size_t kTextWidth = 600;
constexpr int64_t kMostRows = 64, kMostCols = 64, kMostPixels = 160, kMostPoints = 300;
constexpr int64_t kLeastImage = 4;  // rows and columns
constexpr size_t kBins = 30;

using Reader = double (*)(const void* data, int64_t i);

template <class T>
double Read(const void* data, int64_t i) {
  T value;
  std::memcpy(&value, static_cast<const char*>(data) + static_cast<size_t>(i) * sizeof(T),
              sizeof(T));
  return static_cast<double>(value);
}

template <float (*kConvert)(uint16_t)>
double Read16(const void* data, int64_t i) {
  uint16_t bits;
  std::memcpy(&bits, static_cast<const char*>(data) + static_cast<size_t>(i) * 2, 2);
  return static_cast<double>(kConvert(bits));
}

// Returns null if the elements are not real numbers.
Reader ReaderOf(int dtype) {
  switch (dtype) {
    case TSH_FLOAT:
      return Read<float>;
    case TSH_DOUBLE:
      return Read<double>;
    case TSH_INT32:
      return Read<int32_t>;
    case TSH_UINT8:
    case TSH_BOOL:
      return Read<uint8_t>;
    case TSH_INT16:
      return Read<int16_t>;
    case TSH_INT8:
      return Read<int8_t>;
    case TSH_INT64:
      return Read<int64_t>;
    case TSH_UINT16:
      return Read<uint16_t>;
    case TSH_UINT32:
      return Read<uint32_t>;
    case TSH_UINT64:
      return Read<uint64_t>;
    case TSH_HALF:
      return Read16<HalfToFloat>;
    case TSH_BFLOAT16:
      return Read16<Bfloat16ToFloat>;
    default:
      return nullptr;
  }
}

struct Elements {
  const void* data;
  Reader read;
  int64_t count;
  double operator[](int64_t i) const { return read(data, i); }
};

struct Statistics {
  int64_t finite = 0, nan = 0, inf = 0, zeros = 0;
  double min = INFINITY, max = -INFINITY, mean = 0, sd = 0;
  std::vector<int64_t> histogram = {};
};

Statistics Measure(const Elements& of) {
  Statistics out;
  double squares = 0;
  for (int64_t i = 0; i < of.count; ++i) {
    const double x = of[i];
    if (!std::isfinite(x)) {
      ++(std::isnan(x) ? out.nan : out.inf);
      continue;
    }
    // The running mean and sum of squares of Welford, which are exact for equal elements.
    ++out.finite;
    const double apart = x - out.mean;
    out.mean += apart / static_cast<double>(out.finite);
    squares += apart * (x - out.mean);
    out.min = std::min(out.min, x), out.max = std::max(out.max, x);
    out.zeros += x == 0 ? 1 : 0;
  }
  if (out.finite > 0) out.sd = std::sqrt(squares / static_cast<double>(out.finite));
  if (out.finite < 2 || !(out.max > out.min)) return out;
  out.histogram.resize(kBins);
  const double scale = static_cast<double>(kBins) / (out.max - out.min);
  for (int64_t i = 0; i < of.count; ++i)
    if (const double x = of[i]; std::isfinite(x))
      ++out.histogram[std::min(static_cast<size_t>((x - out.min) * scale), kBins - 1)];
  return out;
}

// The elements that are shown as a grid.
struct Grid {
  int64_t rows = 1, cols = 1, channels = 1;
  int64_t slices = 1;
  bool image = false;
};

Grid GridOf(Dims dims) {
  Grid grid;
  const size_t rank = dims.size();
  if (rank == 0) return grid;
  const int64_t last = dims[rank - 1];
  size_t used = std::min<size_t>(rank, 2);
  grid.image = rank >= 3 && (last == 1 || last == 3 || last == 4) &&
               dims[rank - 2] >= kLeastImage && dims[rank - 3] >= kLeastImage;
  if (grid.image) {
    grid.channels = last, grid.cols = dims[rank - 2], grid.rows = dims[rank - 3], used = 3;
  } else {
    grid.cols = last, grid.rows = rank > 1 ? dims[rank - 2] : 1;
  }
  for (size_t i = 0; i + used < rank; ++i) grid.slices *= dims[i];
  return grid;
}

// A cell stands for these elements of a grid.
struct Block {
  int64_t row, row_end, col, col_end;
};

// Returns the mean of a block of the grid at `at`, or its first element that is not finite.
double MeanOf(const Elements& of, const Grid& grid, int64_t at, const Block& block) {
  double sum = 0;
  for (int64_t row = block.row; row < block.row_end; ++row)
    for (int64_t col = block.col; col < block.col_end; ++col) {
      const double x = of[at + (row * grid.cols + col) * grid.channels];
      if (!std::isfinite(x)) return x;
      sum += x;
    }
  const int64_t count = (block.row_end - block.row) * (block.col_end - block.col);
  return sum / static_cast<double>(std::max<int64_t>(count, 1));
}

// Returns the factor that takes an element of an image to [0, 1].
double PixelScale(const Statistics& statistics, int dtype) {
  if (dtype == TSH_UINT8 || statistics.max > 1.5) return 1.0 / 255;
  return 1;
}

std::string CellsJson(const Elements& of, const Grid& grid, size_t slice, double scale) {
  const int64_t rows = std::min(grid.rows, grid.image ? kMostPixels : kMostRows);
  const int64_t most = grid.image ? kMostPixels : grid.rows == 1 ? kMostPoints : kMostCols;
  const int64_t cols = std::min(grid.cols, most);
  const int64_t at = static_cast<int64_t>(slice) * grid.rows * grid.cols * grid.channels;
  std::string data;
  for (int64_t r = 0; r < rows; ++r)
    for (int64_t c = 0; c < cols; ++c) {
      const Block block{r * grid.rows / rows, (r + 1) * grid.rows / rows, c * grid.cols / cols,
                        (c + 1) * grid.cols / cols};
      for (int64_t channel = 0; channel < grid.channels; ++channel)
        data +=
            (data.empty() ? "" : ",") + NumberJson(scale * MeanOf(of, grid, at + channel, block));
    }
  const int64_t each = (grid.rows / rows) * (grid.cols / cols);
  return "{\"rows\":" + std::to_string(rows) + ",\"cols\":" + std::to_string(cols) +
         ",\"channels\":" + std::to_string(grid.channels) +
         ",\"height\":" + std::to_string(grid.rows) + ",\"width\":" + std::to_string(grid.cols) +
         ",\"each\":" + std::to_string(each) + ",\"data\":[" + data + "]}";
}

std::string NumbersJson(const TensorHandle& tensor, Reader read, size_t slice) {
  const Elements elements{tensor.raw(), read, tensor.elements()};
  const Statistics statistics = Measure(elements);
  std::string out = ",\"nan\":" + std::to_string(statistics.nan) +
                    ",\"inf\":" + std::to_string(statistics.inf) +
                    ",\"zeros\":" + std::to_string(statistics.zeros);
  if (statistics.finite > 0)
    out += ",\"min\":" + NumberJson(statistics.min) + ",\"max\":" + NumberJson(statistics.max) +
           ",\"mean\":" + NumberJson(statistics.mean) + ",\"sd\":" + NumberJson(statistics.sd);
  std::string bins;
  for (const int64_t count : statistics.histogram)
    bins += (bins.empty() ? "" : ",") + std::to_string(count);
  if (!bins.empty()) out += ",\"histogram\":[" + bins + "]";
  const Grid grid = GridOf(tensor.dims());
  if (elements.count < 2) return out;
  slice = std::min(slice, static_cast<size_t>(grid.slices - 1));
  return out + ",\"slices\":" + std::to_string(grid.slices) +
         ",\"slice\":" + std::to_string(slice) + (grid.image ? ",\"image\":true" : "") +
         ",\"cells\":" +
         CellsJson(elements, grid, slice, grid.image ? PixelScale(statistics, tensor.dtype()) : 1);
}

}  // namespace

std::string NumberJson(double value) {
  if (std::isnan(value)) return "\"nan\"";
  if (std::isinf(value)) return value > 0 ? "\"inf\"" : "\"-inf\"";
  char out[32];
  std::snprintf(out, sizeof(out), "%.6g", value);
  return out;
}

std::string TensorJson(const TensorHandle& tensor, int64_t times, size_t slice) {
  if (!tensor) return "{}";
  std::string out = "{\"type\":" + JsonQuote(ShapeText(tensor)) +
                    ",\"count\":" + std::to_string(tensor.elements()) +
                    ",\"times\":" + std::to_string(times) +
                    ",\"text\":" + JsonQuote(TensorText(tensor, kTextWidth));
  const Reader read = ReaderOf(tensor.dtype());
  if (read != nullptr) out += NumbersJson(tensor, read, slice);
  return out + "}";
}

std::string ValueJson(const Value& value) {
  if (value.is_null() || value.is_none()) return "null";
  if (value.is_bool()) return value.as_bool() ? "true" : "false";
  if (value.is_int()) return std::to_string(value.as_int());
  if (value.is_float())
    return std::isfinite(value.as_float()) ? Repr(value) : JsonQuote(Repr(value));
  if (IsStr(value)) return JsonQuote(StrView(value));
  if (auto* bytes = As<BytesObject>(value)) return JsonQuote(bytes->data);
  RecursionGuard guard(" while writing JSON");
  std::string out;
  if (const std::vector<Value>* items = Sequence(value)) {
    for (const Value& item : *items) out += (out.empty() ? "[" : ", ") + ValueJson(item);
    return out.empty() ? "[]" : out + "]";
  }
  if (auto* dict = As<DictObject>(value)) {
    for (size_t i = 0; const Dict::Entry* entry = dict->dict.At(&i);) {
      out +=
          (out.empty() ? "{" : ", ") + JsonQuote(Str(entry->key)) + ": " + ValueJson(entry->value);
    }
    return out.empty() ? "{}" : out + "}";
  }
  const Value tolist = FindAttr(value, Intern("tolist"));
  return tolist.is_null() ? JsonQuote(Str(value)) : ValueJson(Call(tolist, {}));
}

}  // namespace tensh::shell
