# Asks this package the questions of its validation, and compares what it answers.
#
# They were made from the frozen criteria of the package's specification; all numbers stand in questions.json. A change
# of the package that breaks a test here changes results. It needs CMake 3.20 or newer and a compiler of C++20:
#
#     cmake -S tests/validation -B build/validation
#     cmake --build build/validation
#     ctest --test-dir build/validation

cmake_minimum_required(VERSION 3.20)
project(validation LANGUAGES C CXX)
enable_testing()
include(cases.cmake)

# The package beside is built anew where that is needed; where these files are alone, it is the one that is installed.
cmake_path(SET root NORMALIZE "${CMAKE_CURRENT_SOURCE_DIR}/../..")
set(own "${CMAKE_BINARY_DIR}/package")
if(EXISTS "${root}/CMakeLists.txt")
  set(configure ${CMAKE_COMMAND} -S ${root} -B ${own}/build -DCMAKE_BUILD_TYPE=Release -DBUILD_TESTING=OFF)
  set(build ${CMAKE_COMMAND} --build ${own}/build --config Release)
  set(install ${CMAKE_COMMAND} --install ${own}/build --config Release --prefix ${own}/site)
  foreach(step configure build install)
    execute_process(COMMAND ${${step}} OUTPUT_QUIET COMMAND_ERROR_IS_FATAL ANY)
  endforeach()
  add_custom_target(package ALL COMMAND ${build} COMMAND ${install})
  find_package(${package} CONFIG REQUIRED PATHS ${own}/site NO_DEFAULT_PATH)
else()
  find_package(${package} CONFIG REQUIRED)
endif()

add_executable(asking program/all.cpp)
target_compile_features(asking PRIVATE cxx_std_20)
target_link_libraries(asking PRIVATE ${package}::${package})
if(TARGET package)
  add_dependencies(asking package)
endif()

# A header of C has no namespace.
get_target_property(includes ${package}::${package} INTERFACE_INCLUDE_DIRECTORIES)
find_file(header NAMES ${package}/${package}.hpp ${package}.hpp ${package}/${package}.h ${package}.h
  PATHS ${includes} NO_DEFAULT_PATH)
if(header MATCHES "[.]h$")
  file(STRINGS "${header}" namespaces REGEX "^ *namespace ")
  if(NOT namespaces)
    target_compile_definitions(asking PRIVATE STATSCLAW_C restrict=__restrict)
  endif()
endif()

add_test(NAME asked COMMAND asking "${CMAKE_CURRENT_SOURCE_DIR}/questions.json" results)
set_tests_properties(asked PROPERTIES FIXTURES_SETUP answers)
set(number 0)
foreach(case IN LISTS cases)
  add_test(NAME ${case} COMMAND asking results --case ${number})
  set_tests_properties(${case} PROPERTIES FIXTURES_REQUIRED answers SKIP_RETURN_CODE 77)
  math(EXPR number "${number} + 1")
endforeach()
