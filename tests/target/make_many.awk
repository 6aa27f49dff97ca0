# 5,000 functions, each with one zone and one name.
BEGIN {
    print "#include \"tendril/tendril.h\""
    for (i = 0; i < 5000; i++)
        printf "__attribute__((noinline)) static void f%04d(void)\n{\n    ZoneScopedN(\"zone %04d\");\n}\n", i, i
    print "int main(void)\n{"
    for (i = 0; i < 5000; i++)
        printf "    f%04d();\n", i
    print "    return 0;\n}"
}
