/* Facts about the devices of this machine that are not properties of one device. */
#ifndef TENSH_TENSH_DEVICES_H_
#define TENSH_TENSH_DEVICES_H_

#include "tensh/tensh.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Returns what this machine lacks although it has devices of this type, such as "GPU": devices that were
 * left out and why, and libraries that would make kernels faster. "" if it lacks nothing. tsh_free. */
TSH_EXPORT char* tsh_what_devices_lack(const char* type);

#ifdef __cplusplus
}
#endif

#endif /* TENSH_TENSH_DEVICES_H_ */
