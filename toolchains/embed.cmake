# cmake -DINPUT=FILE -DOUTPUT=FILE.c -DNAME=array -P embed.cmake: writes a C file with the bytes of a text file and a
# NUL as `const char array[]`.
file(READ ${INPUT} hex HEX)
string(REGEX REPLACE "(................................)" "\\1\n" hex "${hex}")
string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${hex}")
file(WRITE ${OUTPUT} "extern const char ${NAME}[];\nconst char ${NAME}[] = {\n${bytes}0};\n")
