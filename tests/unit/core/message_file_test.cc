// Messages whose large values stay in their file.
#include "runtime/core/files/message_file.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "runtime/base/wire.h"
#include "runtime/core/tensor_message.h"

namespace tensh {
namespace {

namespace fs = std::filesystem;

constexpr int64_t kElements = 20000;  // 80 kB of floats stay in the file

class File {
 public:
  File() {
    char name[] = "/tmp/tensh_message_XXXXXX";
    ::close(::mkstemp(name));
    path_ = name;
  }
  ~File() { fs::remove(path_); }
  void Write(const std::string& bytes) const { std::ofstream(path_, std::ios::binary) << bytes; }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

std::string Field(int number, const std::string& value) {
  WireWriter out;
  out.AlwaysBytes(number, value);
  return out.Take();
}

std::string Content() {
  std::string bytes;
  for (int64_t i = 0; i < kElements; ++i) {
    const auto v = static_cast<float>(i);
    bytes.append(reinterpret_cast<const char*>(&v), sizeof v);
  }
  return bytes;
}

std::string TensorText(const std::string& content) {
  WireWriter out;
  out.Int(1, static_cast<int64_t>(DType::kFloat));
  out.AlwaysBytes(2, EncodeShape(Shape({kElements})));
  out.AlwaysBytes(4, content);
  return out.Take();
}

// A GraphDef with the nodes "first", which has the tensor, and "last".
std::string GraphText(const std::string& content) {
  const std::string attr = Field(5, Field(1, "value") + Field(2, Field(8, TensorText(content))));
  return Field(1, Field(1, "first") + attr) + Field(1, Field(1, "last"));
}

// Returns the value of the field at the end of a path of fields.
std::string Inside(std::string message, std::initializer_list<int> path) {
  for (const int field : path) {
    WireReader in(message);
    std::string inner;
    while (inner.empty() && in.Next())
      if (in.field() == field) inner = in.text();
    EXPECT_TRUE(in.ok());
    message = inner;
  }
  return message;
}

// The message has the structure of the file, and a reference in place of the elements.
TEST(MessageFile, LargeValuesAreReadIntoTheTensor) {
  const File file;
  file.Write(GraphText(Content()));
  const Result<std::string> meta = ReadMessageFile(file.path(), MessageKind::kGraphDef);
  ASSERT_TRUE(meta.ok()) << meta.status().message();
  EXPECT_LT(meta->size(), 300u);
  EXPECT_EQ(Inside(*meta, {2, 1, 1}), "first");
  const std::string tensor = Inside(*meta, {2, 1, 5, 2, 8});
  const std::string reference = Inside(tensor, {kReferenceField});
  EXPECT_EQ(ReferencedSize(reference), kElements * 4);
  const Result<Tensor> read = DecodeTensor(tensor);
  ASSERT_TRUE(read.ok()) << read.status().message();
  EXPECT_EQ(read->data<float>()[kElements - 1], static_cast<float>(kElements - 1));
}

TEST(MessageFile, AFileThatChangedIsNotRead) {
  const File file;
  file.Write(GraphText(Content()));
  const Result<std::string> meta = ReadMessageFile(file.path(), MessageKind::kGraphDef);
  ASSERT_TRUE(meta.ok());
  const std::string tensor = Inside(*meta, {2, 1, 5, 2, 8});
  fs::resize_file(file.path(), 1000);
  EXPECT_EQ(DecodeTensor(tensor).status().code(), Code::kDataLoss);
  fs::remove(file.path());
  EXPECT_EQ(DecodeTensor(tensor).status().code(), Code::kNotFound);
}

// A message from elsewhere cannot name a file: the key of the process is random.
TEST(MessageFile, ForeignReferencesAreRefused) {
  const File file;
  file.Write(GraphText(Content()));
  const Result<std::string> meta = ReadMessageFile(file.path(), MessageKind::kGraphDef);
  ASSERT_TRUE(meta.ok());
  std::string reference = Inside(Inside(*meta, {2, 1, 5, 2, 8}), {kReferenceField});
  reference[0] = static_cast<char>(reference[0] ^ 1);
  EXPECT_EQ(ReferencedSize(reference), -1);
  const std::string tensor = TensorText("") + Field(kReferenceField, reference);
  EXPECT_EQ(DecodeTensor(tensor).status().code(), Code::kInvalidArgument);
  EXPECT_EQ(DecodeTensor(TensorText("") + Field(kReferenceField, "short")).status().code(),
            Code::kInvalidArgument);
}

TEST(MessageFile, EveryCutIsAnErrorOrHasNoReference) {
  const std::string whole = GraphText(Content());
  const File file;
  for (size_t size : {size_t{1}, size_t{20}, size_t{70000}, whole.size() - 1}) {
    file.Write(whole.substr(0, size));
    const Result<std::string> meta = ReadMessageFile(file.path(), MessageKind::kGraphDef);
    EXPECT_EQ(meta.ok(), size < 65536) << size;  // the reader of a small message finds the damage
  }
  EXPECT_EQ(ReadMessageFile("/tmp", MessageKind::kGraphDef).status().code(),
            Code::kFailedPrecondition);
}

TEST(MessageFile, TheSizeMustFitTheShape) {
  const File file;
  file.Write(GraphText(Content() + "more"));
  const Result<std::string> meta = ReadMessageFile(file.path(), MessageKind::kGraphDef);
  ASSERT_TRUE(meta.ok());
  EXPECT_EQ(DecodeTensor(Inside(*meta, {2, 1, 5, 2, 8})).status().code(), Code::kInvalidArgument);
}

}  // namespace
}  // namespace tensh
