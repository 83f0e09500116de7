// The decompositions of real matrices.
#include "ops/linalg/eigen_instances.h"

namespace tensh::ops::dense {

TENSH_EIGEN_INSTANCES(double);

}  // namespace tensh::ops::dense
