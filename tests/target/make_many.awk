# 5,000 zones with a name each, ten in a function.
BEGIN {
    print "#include \"tendril/tendril.h\""
    for (i = 0; i < 5000; i += 10) {
        printf "__attribute__((noinline)) static void f%04d(void)\n{\n", i
        for (j = i; j < i + 10; j++)
            printf "    {\n        ZoneScopedN(\"zone %04d\");\n    }\n", j
        print "}"
    }
    print "int main(void)\n{"
    for (i = 0; i < 5000; i += 10)
        printf "    f%04d();\n", i
    print "    return 0;\n}"
}
