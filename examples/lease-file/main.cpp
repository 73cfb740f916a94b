#include "lease_file.hpp"

#include <lockstep/lockstep.hpp>

int main(int argc, char** argv) {
    lockstep::add_service("lease-file", lease_file::make, lease_file::face());
    return lockstep::cli_main(argc, argv);
}
