# What `cmake --install` puts where. Needs all libraries to be declared.
#
# The headers keep their places below include/lockstep, which is an include directory of the
# exported targets, as they name each other from the root: "sim/process.hpp". The one that a service
# of one's own includes is <lockstep/lockstep.hpp>.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(LOCKSTEP_HEADERS ${CMAKE_INSTALL_INCLUDEDIR}/lockstep)
set(LOCKSTEP_PACKAGE ${CMAKE_INSTALL_LIBDIR}/cmake/lockstep)

target_include_directories(lockstep_options SYSTEM INTERFACE
  $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>
  $<INSTALL_INTERFACE:${LOCKSTEP_HEADERS}>)

get_property(libraries GLOBAL PROPERTY LOCKSTEP_LIBRARIES)
install(TARGETS lockstep_options ${libraries} EXPORT lockstepTargets
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(EXPORT lockstepTargets NAMESPACE lockstep:: DESTINATION ${LOCKSTEP_PACKAGE})
install(TARGETS lockstep RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(FILES script/completion/lockstep.bash RENAME lockstep
  DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)

install(DIRECTORY core sim properties scenarios harness DESTINATION ${LOCKSTEP_HEADERS}
  FILES_MATCHING PATTERN "*.hpp" PATTERN "properties/rapid" EXCLUDE
  PATTERN "catalogue" EXCLUDE)
install(FILES cli/lockstep.hpp DESTINATION ${LOCKSTEP_HEADERS})

configure_package_config_file(cmake/lockstepConfig.cmake.in lockstepConfig.cmake
  INSTALL_DESTINATION ${LOCKSTEP_PACKAGE})
# Nothing is promised between versions before 1.0.
write_basic_package_version_file(lockstepConfigVersion.cmake COMPATIBILITY ExactVersion)
install(FILES
  ${PROJECT_BINARY_DIR}/lockstepConfig.cmake
  ${PROJECT_BINARY_DIR}/lockstepConfigVersion.cmake
  cmake/Findxxhash.cmake
  DESTINATION ${LOCKSTEP_PACKAGE})
