// The program `tensh`.
#include "shell/program.h"

int main(int argc, char** argv) { return tensh::shell::RunTensh(argc, argv); }
