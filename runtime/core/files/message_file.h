#pragma once
// Messages of protocol buffers whose large values stay in their file.
//
// A model of 500 MB is a few kilobytes of structure and the elements of its constants. The function
// ReadMessageFile reads the structure and replaces each large value by a reference to a range of the
// file, in the field kReferenceField. The code that allocates the final memory of the elements
// resolves the reference, so that they are read once.
//
// The file is not mapped into memory. A mapped file would save one copy, but if another program
// truncates it, the next access raises SIGBUS, and if another program overwrites it, constants change
// between two steps. A range is only read while the file has the size and times that it had when its
// structure was read.
//
// A reference contains a random key of this process, so that a message from elsewhere cannot name
// files. Messages with references must not leave the process.
//
// Thread-safe.
#include <string>
#include <string_view>

#include "runtime/core/status.h"

namespace tensh {

enum class MessageKind : int { kGraphDef, kMetaGraphDef, kSavedModel, kOnnxModel };

// Returns the message without its large values. The message of a kGraphDef is wrapped in a
// MetaGraphDef. Returns InvalidArgument if the file is not a message.
Result<std::string> ReadMessageFile(const std::string& path, MessageKind kind);

// Returns the number of bytes of the value, or -1 if this is not a reference of this process.
int64_t ReferencedSize(std::string_view reference);
// Reads the value, whose size is ReferencedSize. Returns DataLoss if the file has changed.
Status ReadReferenced(std::string_view reference, void* to);

}  // namespace tensh
