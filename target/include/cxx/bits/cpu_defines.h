/* libstdc++: nothing about the host is true of a core. */
