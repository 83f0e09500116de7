// Decoders that `open` and ops use, called directly. The first byte chooses one.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "ops/formats/example_message.h"
#include "ops/formats/image_file.h"
#include "ops/formats/snappy.h"
#include "ops/formats/sstable.h"
#include "shell/numpy/npy.h"
#include "shell/python/values/error.h"
#include "shell/tensorflow/io/message_text.h"
#include "shell/tensorflow/proto/scalar.h"
#include "shell/text/json.h"
#include "shell/text/json_reader.h"
#include "tensh/tensh.h"

namespace {

namespace ops = tensh::ops;
namespace shell = tensh::shell;

constexpr int64_t kMostBytes = 64 << 20;

// Gives the decoder of an image its pixels.
struct Pixels {
  std::vector<char> bytes;
  tensh::Result<void*> operator()(const ops::ImageSize& size) {
    const double needed = 2. * static_cast<double>(size.frames) * static_cast<double>(size.height) *
                          static_cast<double>(size.width) * static_cast<double>(size.channels);
    if (needed < 0 || needed > kMostBytes) return tensh::ResourceExhausted("too large");
    bytes.resize(static_cast<size_t>(needed));
    return static_cast<void*>(bytes.data());
  }
};

void Image(std::string_view bytes) {
  Pixels pixels;
  const auto room = [&](const ops::ImageSize& size) { return pixels(size); };
  switch (ops::FormatOfImage(bytes)) {
    case ops::ImageFormat::kPng:
      (void)ops::DecodePng(bytes, 0, 8, room);
      (void)ops::DecodePng(bytes, 4, 16, room);
      break;
    case ops::ImageFormat::kJpeg:
      (void)ops::DecodeJpeg(bytes, {}, room);
      (void)ops::DecodeJpeg(bytes, {.channels = 3, .ratio = 4, .recover_truncated = true}, room);
      break;
    case ops::ImageFormat::kGif:
      (void)ops::DecodeGif(bytes, true, room);
      break;
    default:
      (void)ops::DecodeBmp(bytes, 0, room);
  }
}

void Graph(std::string_view bytes) {
  tsh_status* status = tsh_status_new();
  tsh_graph* graph = tsh_graph_new();
  tsh_graph_import(graph, bytes.data(), bytes.size(), nullptr, nullptr, status);
  if (tsh_status_code(status) == TSH_OK) {
    size_t size = 0;
    tsh_free(tsh_graph_export(graph, 0, TSH_NO_NODE, nullptr, nullptr, &size));
    tsh_free(tsh_graph_json(graph));
  }
  tsh_graph_unref(graph);
  tsh_status_free(status);
}

void Tensor(std::string_view bytes) {
  tsh_status* status = tsh_status_new();
  tsh_tensor_unref(tsh_tensor_decode(bytes.data(), bytes.size(), status));
  tsh_status_free(status);
}

void Json(std::string_view bytes) {
  shell::JsonReader reader(bytes);
  reader.Object();
  for (std::string key; reader.Next(&key);) {
    if (reader.AtArray()) {
      reader.Array();
      while (reader.Next()) reader.Int();
    } else {
      reader.String();
    }
  }
}

void Messages(std::string_view bytes) {
  ops::FeatureMap features;
  ops::ReadExample(bytes, &features);
  ops::SequenceMessage sequence;
  ops::ReadSequence(bytes, &sequence);
  for (const auto* schema : {&shell::tf::GraphDefSchema(), &shell::tf::SavedModelSchema()}) {
    (void)shell::tf::WhyInvalid(*schema, bytes);
    try {
      shell::tf::MessageText(*schema, bytes);
    } catch (const shell::PyError&) {
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  try {
    switch (data[0] % 9) {
      case 0:
        return Image(bytes), 0;
      case 1:
        return Graph(bytes), 0;
      case 2:
        return Tensor(bytes), 0;
      case 3:
        return Json(bytes), 0;
      case 4:
        return Messages(bytes), 0;
      case 5:
        (void)ops::DecodeSnappy(bytes);
        break;
      case 6:
        (void)ops::DecodeSortedTable(bytes);
        break;
      case 7:
        shell::np::DecodeZip(bytes);
        break;
      default:
        shell::tf::ParseMessageText(shell::tf::MetaGraphDefSchema(), bytes);
    }
  } catch (const shell::PyError&) {
  }
  return 0;
}
