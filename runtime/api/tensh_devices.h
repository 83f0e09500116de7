#ifndef TENSH_RUNTIME_API_TENSH_DEVICES_H_
#define TENSH_RUNTIME_API_TENSH_DEVICES_H_
/* Devices that are not there. */
#include "runtime/api/tensh.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Why no device of this type ("GPU") is found on this machine; "" where there may be one. For
 * tsh_free. */
TSH_EXPORT char* tsh_why_no_device(const char* type);

#ifdef __cplusplus
}
#endif
#endif
