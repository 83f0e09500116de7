// tf.GraphKeys: the names of the standard collections.
#pragma once

namespace tensh::shell::tf {

constexpr const char* kGlobalVariables = "variables";
constexpr const char* kLocalVariables = "local_variables";
constexpr const char* kModelVariables = "model_variables";
constexpr const char* kTrainableVariables = "trainable_variables";
constexpr const char* kLosses = "losses";
constexpr const char* kRegularizationLosses = "regularization_losses";
constexpr const char* kTrainOp = "train_op";
constexpr const char* kUpdateOps = "update_ops";
constexpr const char* kSummaries = "summaries";
constexpr const char* kGlobalStep = "global_step";
constexpr const char* kMetricVariables = "metric_variables";
constexpr const char* kMovingAverageVariables = "moving_average_variables";
constexpr const char* kWeights = "weights";
constexpr const char* kBiases = "biases";
constexpr const char* kActivations = "activations";
constexpr const char* kTableInitializers = "table_initializer";
constexpr const char* kQueueRunners = "queue_runners";
constexpr const char* kSavers = "savers";
constexpr const char* kAssetFilepaths = "asset_filepaths";
constexpr const char* kConcatenatedVariables = "concatenated_variables";
constexpr const char* kInitOp = "init_op";
constexpr const char* kLocalInitOp = "local_init_op";
constexpr const char* kReadyOp = "ready_op";
constexpr const char* kReadyForLocalInitOp = "ready_for_local_init_op";
constexpr const char* kSummaryOp = "summary_op";
constexpr const char* kEvalStep = "eval_step";
constexpr const char* kCondContext = "cond_context";
constexpr const char* kWhileContext = "while_context";

}  // namespace tensh::shell::tf
