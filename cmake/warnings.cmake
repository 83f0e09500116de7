# Flags every target of ours shares. -ffp-contract=off: one IEEE operation a kernel, as TensorFlow's
# elementwise kernels do, so printed digits agree.
add_library(tensh_warnings INTERFACE)
target_compile_options(tensh_warnings INTERFACE -Wall -Wextra -ffp-contract=off $<$<BOOL:${TENSH_WERROR}>:-Werror>)
# g++ 12 sees overlaps in std::string that are not there (its bug 105329).
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  target_compile_options(tensh_warnings INTERFACE -Wno-restrict)
endif()
if(TENSH_SANITIZE)
  add_compile_options(-fsanitize=${TENSH_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  add_link_options(-fsanitize=${TENSH_SANITIZE})
endif()
find_program(LLD ld.lld)
if(LLD)
  add_link_options(-fuse-ld=lld)
endif()
