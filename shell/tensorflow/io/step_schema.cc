#include "shell/tensorflow/io/config_schema.h"

namespace tensh::shell::tf {
namespace {

using K = FieldKind;
using F = MessageField;
using enum FieldLabel;

constexpr const char *kStatsModule = "tensorflow.core.framework.step_stats_pb2",
                     *kCostModule = "tensorflow.core.framework.cost_graph_pb2";

const F kRecordFields[] = {{1, "alloc_micros", K::kInt64}, {2, "alloc_bytes", K::kInt64}};
const MessageSchema kRecord{kRecordFields, "AllocationRecord", kStatsModule};
const F kMemoryFields[] = {{1, "allocator_name", K::kString},
                           {2, "total_bytes", K::kInt64},
                           {3, "peak_bytes", K::kInt64},
                           {4, "live_bytes", K::kInt64},
                           {5, "allocator_bytes_in_use", K::kInt64},
                           {6, "allocation_records", K::kMessage, kRepeated, &kRecord}};
const MessageSchema kMemory{kMemoryFields, "AllocatorMemoryUsed", kStatsModule};
const F kAllocationFields[] = {
    {1, "requested_bytes", K::kInt64},     {2, "allocated_bytes", K::kInt64},
    {3, "allocator_name", K::kString},     {4, "allocation_id", K::kInt64},
    {5, "has_single_reference", K::kBool}, {6, "ptr", K::kUint64}};
const MessageSchema kAllocation{kAllocationFields, "AllocationDescription",
                                "tensorflow.core.framework.allocation_description_pb2"};
const F kTensorFields[] = {{1, "dtype", K::kEnum},
                           {2, "shape", K::kMessage, kSingular, &TensorShapeSchema()},
                           {4, "allocation_description", K::kMessage, kSingular, &kAllocation}};
const MessageSchema kTensor{kTensorFields, "TensorDescription",
                            "tensorflow.core.framework.tensor_description_pb2"};
const F kOutputFields[] = {{1, "slot", K::kInt32},
                           {3, "tensor_description", K::kMessage, kSingular, &kTensor}};
const MessageSchema kOutput{kOutputFields, "NodeOutput", kStatsModule};
const F kMemoryStatsFields[] = {{1, "temp_memory_size", K::kInt64},
                                {3, "persistent_memory_size", K::kInt64},
                                {5, "persistent_tensor_alloc_ids", K::kInt64, kRepeated}};
const MessageSchema kMemoryStats{kMemoryStatsFields, "MemoryStats", kStatsModule};
const F kNodeFields[] = {{1, "node_name", K::kString},
                         {2, "all_start_micros", K::kInt64},
                         {3, "op_start_rel_micros", K::kInt64},
                         {4, "op_end_rel_micros", K::kInt64},
                         {5, "all_end_rel_micros", K::kInt64},
                         {6, "memory", K::kMessage, kRepeated, &kMemory},
                         {7, "output", K::kMessage, kRepeated, &kOutput},
                         {8, "timeline_label", K::kString},
                         {9, "scheduled_micros", K::kInt64},
                         {10, "thread_id", K::kUint32},
                         {11, "referenced_tensor", K::kMessage, kRepeated, &kAllocation},
                         {12, "memory_stats", K::kMessage, kSingular, &kMemoryStats},
                         {13, "all_start_nanos", K::kInt64},
                         {14, "op_start_rel_nanos", K::kInt64},
                         {15, "op_end_rel_nanos", K::kInt64},
                         {16, "all_end_rel_nanos", K::kInt64},
                         {17, "scheduled_nanos", K::kInt64}};
const MessageSchema kNode{kNodeFields, "NodeExecStats", kStatsModule};
const F kThreadFields[] = {{1, "key", K::kUint32}, {2, "value", K::kString}};
const MessageSchema kThread{kThreadFields};
const F kDeviceFields[] = {{1, "device", K::kString},
                           {2, "node_stats", K::kMessage, kRepeated, &kNode},
                           {3, "thread_names", K::kMessage, kMap, &kThread}};
const MessageSchema kDevice{kDeviceFields, "DeviceStepStats", kStatsModule};
const F kStepFields[] = {{1, "dev_stats", K::kMessage, kRepeated, &kDevice}};
const MessageSchema kStep{kStepFields, "StepStats", kStatsModule};

// TensorFlow fills the costs only if a session asks for a cost model.
const F kCostNodeFields[] = {{1, "name", K::kString},
                             {2, "device", K::kString},
                             {3, "id", K::kInt32},
                             {9, "compute_cost", K::kInt64},
                             {14, "compute_time", K::kInt64},
                             {15, "memory_time", K::kInt64}};
const MessageSchema kCostNode{kCostNodeFields, "CostGraphDef.Node", kCostModule};
const F kCostFields[] = {{1, "node", K::kMessage, kRepeated, &kCostNode}};
const MessageSchema kCost{kCostFields, "CostGraphDef", kCostModule};

const F kRunFields[] = {{1, "step_stats", K::kMessage, kSingular, &kStep},
                        {2, "cost_graph", K::kMessage, kSingular, &kCost},
                        {3, "partition_graphs", K::kMessage, kRepeated, &GraphDefSchema()}};
const MessageSchema kRun{kRunFields, "RunMetadata", "tensorflow.core.protobuf.config_pb2"};

}  // namespace

const MessageSchema& RunMetadataSchema() { return kRun; }

}  // namespace tensh::shell::tf
