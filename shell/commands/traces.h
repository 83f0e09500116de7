// The timelines of steps that the runtime keeps, for trace and profile.
#pragma once

#include "runtime/api/tensh_trace.h"
#include "shell/client.h"
