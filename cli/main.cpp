#include "cli/lockstep.hpp"

int main(int argc, char** argv) {
    return lockstep::cli_main(argc, argv);
}
