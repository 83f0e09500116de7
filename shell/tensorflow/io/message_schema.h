// The fields of TensorFlow's messages: graphs, nodes, attributes, tensors, functions, meta graphs
// and SavedModels. The text form (message_text.h) and the message objects of the language
// (shell/tensorflow/proto) read the same tables. Constant data.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace tensh::shell {
struct TypeInfo;
}

namespace tensh::shell::tf {

enum class FieldKind : uint8_t {
  kInt32,
  kInt64,
  kUint32,
  kUint64,
  kBool,
  kEnum,
  kFloat,
  kDouble,
  kString,
  kBytes,
  kMessage
};
enum class FieldLabel : uint8_t {
  kSingular,
  kOneof,  // a member of the only oneof of its message
  kRepeated,
  kMap  // the message is that of an entry, whose fields are key and value
};
enum class MessageEnum : uint8_t {
  kDataType,
  kCheckpointVersion,
  kToggle,  // on and off, of RewriterConfig
  kMemory,
  kIterations,
  kOptimizerLevel,
  kJitLevel,
  kTraceLevel,
  kSessionStatus
};
// A name of an enumeration and its number.
struct EnumConstant {
  const char* name;
  int64_t number;
};

struct MessageSchema;
struct MessageField {
  int number;
  const char* name;
  FieldKind kind;
  FieldLabel label = FieldLabel::kSingular;
  const MessageSchema* message = nullptr;
  MessageEnum values = MessageEnum::kDataType;  // of a field of kind kEnum

  bool is_message() const { return kind == FieldKind::kMessage; }
  bool is_single() const { return label <= FieldLabel::kOneof; }
  bool is_oneof() const { return label == FieldLabel::kOneof; }
  bool is_repeated() const { return label == FieldLabel::kRepeated; }
  bool is_map() const { return label == FieldLabel::kMap; }
  bool is_text() const { return kind == FieldKind::kString || kind == FieldKind::kBytes; }
  // The fields of the entries of a map.
  const MessageField& key() const;
  const MessageField& value() const;
};

struct MessageSchema {
  // The fields are sorted by number.
  std::span<const MessageField> fields;
  const char* name = "";    // "AttrValue.ListValue"; "" for the entries of maps
  const char* module = "";  // "tensorflow.core.framework.attr_value_pb2"
  const char* oneof = nullptr;
  mutable const TypeInfo* type = nullptr;  // The class, made on demand; see proto/message_class.h.

  // Return fields.size() if the schema does not have the field.
  size_t Find(std::string_view name) const;
  size_t Find(int number) const;
};

const MessageSchema& AssetFileDefSchema();
const MessageSchema& AttrValueSchema();
const MessageSchema& CollectionDefSchema();
const MessageSchema& FunctionDefLibrarySchema();
const MessageSchema& FunctionDefSchema();
const MessageSchema& GradientDefSchema();
const MessageSchema& GraphDefSchema();
const MessageSchema& MetaGraphDefSchema();
const MessageSchema& NameAttrListSchema();
const MessageSchema& NodeDefSchema();
const MessageSchema& OpDefSchema();
const MessageSchema& OpListSchema();
const MessageSchema& ResourceHandleSchema();
const MessageSchema& SavedModelSchema();
const MessageSchema& SaverDefSchema();
const MessageSchema& SignatureDefSchema();
const MessageSchema& TensorInfoSchema();
const MessageSchema& TensorProtoSchema();
const MessageSchema& TensorShapeSchema();
const MessageSchema& VariantTensorSchema();
const MessageSchema& VersionDefSchema();

// Returns the constants of an enumeration, which are attributes of the messages that have fields of
// it. Those of kDataType belong to no message, and are not listed.
std::span<const EnumConstant> EnumConstants(MessageEnum values);
// Returns "Toggle" for kToggle.
const char* EnumTypeName(MessageEnum values);
// Returns "DT_FLOAT" for 1, and "" for a number without a name.
std::string EnumName(MessageEnum values, int64_t number);
std::optional<int64_t> EnumNumber(MessageEnum values, std::string_view name);

}  // namespace tensh::shell::tf
