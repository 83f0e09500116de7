#include "shell/tensorflow/io/config_schema.h"

namespace tensh::shell::tf {
namespace {

using K = FieldKind;
using F = MessageField;
using enum FieldLabel;

constexpr const char *kConfigModule = "tensorflow.core.protobuf.config_pb2",
                     *kRewriterModule = "tensorflow.core.protobuf.rewriter_config_pb2",
                     *kClusterModule = "tensorflow.core.protobuf.cluster_pb2",
                     *kDeviceModule = "tensorflow.core.framework.device_attributes_pb2";

constexpr F Toggle(int number, const char* name) {
  return {number, name, K::kEnum, kSingular, nullptr, MessageEnum::kToggle};
}

// ---- the optimizer ----

const F kParallelFields[] = {{1, "enable", K::kBool}, {2, "num_replicas", K::kInt32}};
const MessageSchema kParallel{kParallelFields, "AutoParallelOptions", kRewriterModule};
const F kAllocatorFields[] = {{1, "enable_op", K::kString, kRepeated}};
const MessageSchema kAllocator{kAllocatorFields, "ScopedAllocatorOptions", kRewriterModule};
const F kParameterFields[] = {{1, "key", K::kString},
                              {2, "value", K::kMessage, kSingular, &AttrValueSchema()}};
const MessageSchema kParameter{kParameterFields};
const F kCustomFields[] = {{1, "name", K::kString},
                           {2, "parameter_map", K::kMessage, kMap, &kParameter}};
const MessageSchema kCustom{kCustomFields, "RewriterConfig.CustomGraphOptimizer", kRewriterModule};
const F kRewriterFields[] = {
    Toggle(1, "layout_optimizer"),
    {2, "disable_model_pruning", K::kBool},
    Toggle(3, "constant_folding"),
    {4, "memory_optimization", K::kEnum, kSingular, nullptr, MessageEnum::kMemory},
    {5, "auto_parallel", K::kMessage, kSingular, &kParallel},
    {6, "memory_optimizer_target_node_name_scope", K::kString},
    Toggle(7, "arithmetic_optimization"),
    Toggle(8, "dependency_optimization"),
    Toggle(9, "loop_optimization"),
    Toggle(10, "function_optimization"),
    Toggle(11, "debug_stripper"),
    {12, "meta_optimizer_iterations", K::kEnum, kSingular, nullptr, MessageEnum::kIterations},
    Toggle(13, "shape_optimization"),
    Toggle(14, "remapping"),
    Toggle(15, "scoped_allocator_optimization"),
    {16, "scoped_allocator_opts", K::kMessage, kSingular, &kAllocator},
    {17, "min_graph_nodes", K::kInt32},
    Toggle(18, "pin_to_host_optimization"),
    {19, "disable_meta_optimizer", K::kBool},
    {20, "meta_optimizer_timeout_ms", K::kInt64},
    {21, "fail_on_optimizer_errors", K::kBool},
    Toggle(22, "implementation_selector"),
    Toggle(23, "auto_mixed_precision"),
    Toggle(24, "common_subgraph_elimination"),
    {100, "optimizers", K::kString, kRepeated},
    {200, "custom_optimizers", K::kMessage, kRepeated, &kCustom}};
const MessageSchema kRewriter{kRewriterFields, "RewriterConfig", kRewriterModule};
const F kOptimizerFields[] = {
    {1, "do_common_subexpression_elimination", K::kBool},
    {2, "do_constant_folding", K::kBool},
    {3, "opt_level", K::kEnum, kSingular, nullptr, MessageEnum::kOptimizerLevel},
    {4, "do_function_inlining", K::kBool},
    {5, "global_jit_level", K::kEnum, kSingular, nullptr, MessageEnum::kJitLevel},
    {6, "max_folded_constant_in_bytes", K::kInt64},
    {7, "cpu_global_jit", K::kBool}};
const MessageSchema kOptimizer{kOptimizerFields, "OptimizerOptions", kConfigModule};
const F kGraphFields[] = {{2, "enable_recv_scheduling", K::kBool},
                          {3, "optimizer_options", K::kMessage, kSingular, &kOptimizer},
                          {4, "build_cost_model", K::kInt64},
                          {5, "infer_shapes", K::kBool},
                          {6, "place_pruned_graph", K::kBool},
                          {7, "enable_bfloat16_sendrecv", K::kBool},
                          {8, "timeline_step", K::kInt32},
                          {9, "build_cost_model_after", K::kInt64},
                          {10, "rewrite_options", K::kMessage, kSingular, &kRewriter}};
const MessageSchema kGraph{kGraphFields, "GraphOptions", kConfigModule};

// ---- devices and clusters ----

const F kVirtualFields[] = {{1, "memory_limit_mb", K::kFloat, kRepeated},
                            {2, "priority", K::kInt32, kRepeated}};
const MessageSchema kVirtual{kVirtualFields, "GPUOptions.Experimental.VirtualDevices",
                             kConfigModule};
const F kGpuTrialFields[] = {{1, "virtual_devices", K::kMessage, kRepeated, &kVirtual},
                             {2, "use_unified_memory", K::kBool},
                             {3, "num_dev_to_dev_copy_streams", K::kInt32},
                             {4, "collective_ring_order", K::kString},
                             {5, "timestamped_allocator", K::kBool}};
const MessageSchema kGpuTrial{kGpuTrialFields, "GPUOptions.Experimental", kConfigModule};
const F kGpuFields[] = {{1, "per_process_gpu_memory_fraction", K::kDouble},
                        {2, "allocator_type", K::kString},
                        {3, "deferred_deletion_bytes", K::kInt64},
                        {4, "allow_growth", K::kBool},
                        {5, "visible_device_list", K::kString},
                        {6, "polling_active_delay_usecs", K::kInt32},
                        {7, "polling_inactive_delay_msecs", K::kInt32},
                        {8, "force_gpu_compatible", K::kBool},
                        {9, "experimental", K::kMessage, kSingular, &kGpuTrial}};
const MessageSchema kGpu{kGpuFields, "GPUOptions", kConfigModule};
const F kTaskFields[] = {{1, "key", K::kInt32}, {2, "value", K::kString}};
const MessageSchema kTask{kTaskFields};
const F kJobFields[] = {{1, "name", K::kString}, {2, "tasks", K::kMessage, kMap, &kTask}};
const MessageSchema kJob{kJobFields, "JobDef", kClusterModule};
const F kClusterFields[] = {{1, "job", K::kMessage, kRepeated, &kJob}};
const MessageSchema kCluster{kClusterFields, "ClusterDef", kClusterModule};
const F kLocalityFields[] = {{1, "bus_id", K::kInt32}, {2, "numa_node", K::kInt32}};
const MessageSchema kLocality{kLocalityFields, "DeviceLocality", kDeviceModule};
// TensorFlow encodes the incarnation with 8 bytes, which no table here describes.
const F kDeviceFields[] = {{1, "name", K::kString},
                           {2, "device_type", K::kString},
                           {4, "memory_limit", K::kInt64},
                           {5, "locality", K::kMessage, kSingular, &kLocality},
                           {7, "physical_device_desc", K::kString}};
const MessageSchema kDevice{kDeviceFields, "DeviceAttributes", kDeviceModule};

// ---- sessions and runs ----

const F kCountFields[] = {{1, "key", K::kString}, {2, "value", K::kInt32}};
const MessageSchema kCount{kCountFields};
const F kPoolFields[] = {{1, "num_threads", K::kInt32}, {2, "global_name", K::kString}};
const MessageSchema kPool{kPoolFields, "ThreadPoolOptionProto", kConfigModule};
const F kMetadataFields[] = {{1, "name", K::kString}, {2, "version", K::kInt64}};
const MessageSchema kMetadata{kMetadataFields, "SessionMetadata", kConfigModule};
const F kTrialFields[] = {{1, "collective_group_leader", K::kString},
                          {3, "executor_type", K::kString},
                          {4, "recv_buf_max_chunk", K::kInt32},
                          {5, "use_numa_affinity", K::kBool},
                          {6, "collective_deterministic_sequential_execution", K::kBool},
                          {7, "collective_nccl", K::kBool},
                          {8, "share_session_state_in_clusterspec_propagation", K::kBool},
                          {9, "disable_thread_spinning", K::kBool},
                          {10, "share_cluster_devices_in_session", K::kBool},
                          {11, "session_metadata", K::kMessage, kSingular, &kMetadata},
                          {12, "optimize_for_static_graph", K::kBool}};
const MessageSchema kTrial{kTrialFields, "ConfigProto.Experimental", kConfigModule};
const F kConfigFields[] = {{1, "device_count", K::kMessage, kMap, &kCount},
                           {2, "intra_op_parallelism_threads", K::kInt32},
                           {3, "placement_period", K::kInt32},
                           {4, "device_filters", K::kString, kRepeated},
                           {5, "inter_op_parallelism_threads", K::kInt32},
                           {6, "gpu_options", K::kMessage, kSingular, &kGpu},
                           {7, "allow_soft_placement", K::kBool},
                           {8, "log_device_placement", K::kBool},
                           {9, "use_per_session_threads", K::kBool},
                           {10, "graph_options", K::kMessage, kSingular, &kGraph},
                           {11, "operation_timeout_in_ms", K::kInt64},
                           {12, "session_inter_op_thread_pool", K::kMessage, kRepeated, &kPool},
                           {14, "cluster_def", K::kMessage, kSingular, &kCluster},
                           {15, "isolate_session_state", K::kBool},
                           {16, "experimental", K::kMessage, kSingular, &kTrial},
                           {17, "share_cluster_devices_in_session", K::kBool}};
const MessageSchema kConfig{kConfigFields, "ConfigProto", kConfigModule};
const F kServerFields[] = {{1, "cluster", K::kMessage, kSingular, &kCluster},
                           {2, "job_name", K::kString},
                           {3, "task_index", K::kInt32},
                           {4, "default_session_config", K::kMessage, kSingular, &kConfig},
                           {5, "protocol", K::kString}};
const MessageSchema kServer{kServerFields, "ServerDef",
                            "tensorflow.core.protobuf.tensorflow_server_pb2"};
const F kRunFields[] = {{1, "trace_level", K::kEnum, kSingular, nullptr, MessageEnum::kTraceLevel},
                        {2, "timeout_in_ms", K::kInt64},
                        {3, "inter_op_thread_pool", K::kInt32},
                        {5, "output_partition_graphs", K::kBool},
                        {7, "report_tensor_allocations_upon_oom", K::kBool}};
const MessageSchema kRun{kRunFields, "RunOptions", kConfigModule};

}  // namespace

const MessageSchema& AutoParallelOptionsSchema() { return kParallel; }
const MessageSchema& ClusterDefSchema() { return kCluster; }
const MessageSchema& ConfigProtoSchema() { return kConfig; }
const MessageSchema& DeviceAttributesSchema() { return kDevice; }
const MessageSchema& DeviceLocalitySchema() { return kLocality; }
const MessageSchema& GPUOptionsSchema() { return kGpu; }
const MessageSchema& GraphOptionsSchema() { return kGraph; }
const MessageSchema& JobDefSchema() { return kJob; }
const MessageSchema& OptimizerOptionsSchema() { return kOptimizer; }
const MessageSchema& RewriterConfigSchema() { return kRewriter; }
const MessageSchema& RunOptionsSchema() { return kRun; }
const MessageSchema& ScopedAllocatorOptionsSchema() { return kAllocator; }
const MessageSchema& ServerDefSchema() { return kServer; }
const MessageSchema& SessionMetadataSchema() { return kMetadata; }
const MessageSchema& ThreadPoolOptionProtoSchema() { return kPool; }

}  // namespace tensh::shell::tf
