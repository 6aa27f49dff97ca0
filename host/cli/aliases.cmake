# Makes links to `tendril` in the folder TO, by the names that the program TENDRIL lists.
set(ENV{ASAN_OPTIONS} detect_leaks=0)
execute_process(COMMAND ${TENDRIL} commands --aliases OUTPUT_VARIABLE names COMMAND_ERROR_IS_FATAL ANY)
string(REGEX MATCHALL "[^\n]+" names "${names}")
file(MAKE_DIRECTORY ${TO})
foreach(name ${names})
  file(CREATE_LINK tendril ${TO}/${name} SYMBOLIC)
endforeach()
