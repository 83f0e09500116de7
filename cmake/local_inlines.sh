#!/bin/bash
# local_inlines.sh OUT ARCHIVE OBJECT...: links the objects, which are members of the archive, into one, OUT, in which
# inline functions are local.
#
# The builds with sanitizers are compiled with clang and take most ops from the release build, which g++ compiled.
# Usually the linker keeps one of the definitions of an inline function or template. The two compilers order the
# captures of a lambda differently, so a caller compiled with one would pass arguments that a body compiled
# with the other reads wrongly. Variables stay shared, because there must be one of each. So do functions that
# some member of the archive uses without defining them: templates that are explicitly instantiated in one file.
set -euo pipefail
out=$1 archive=$2
shift 2
ld -r --force-group-allocation -o "$out.whole" "$@"
comm -23 <(nm --defined-only "$out.whole" | awk '$2 == "W" { print $3 }' | sort -u) \
         <(nm --undefined-only "$archive" 2>/dev/null | awk '{ print $2 }' | sort -u) >"$out.names"
objcopy --localize-symbols="$out.names" "$out.whole" "$out"
rm -f "$out.whole" "$out.names"
