/* libstdc++: a core runs one thread. */
#include <bits/gthr-single.h>
