# Flags every target of ours shares. -ffp-contract=off: one IEEE operation a kernel, as TensorFlow's
# elementwise kernels do, so printed digits agree.
add_library(tensh_warnings INTERFACE)
target_compile_options(tensh_warnings INTERFACE -Wall -Wextra -ffp-contract=off $<$<BOOL:${TENSH_WERROR}>:-Werror>)
if(TENSH_SANITIZE)
  add_compile_options(-fsanitize=${TENSH_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  add_link_options(-fsanitize=${TENSH_SANITIZE})
endif()
find_program(LLD ld.lld)
if(LLD)
  add_link_options(-fuse-ld=lld)
endif()
