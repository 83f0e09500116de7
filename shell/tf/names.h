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

}  // namespace tensh::shell::tf
