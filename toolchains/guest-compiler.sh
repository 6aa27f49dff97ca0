#!/bin/sh
# In place of tt-metal's compiler of kernels (docs/guest-firmware.md): compiles and links kernels of BRISC, NCRISC and the
# TRISCs as guests of its firmware, and passes on everything else.
#
#   TENDRIL_GUEST_COMPILER  the compiler itself
#   TENDRIL_GUEST_LANES     address of the lanes; without it nothing is changed
#   TENDRIL_GUEST_OPTIONS   more options for kernels: -DPROFILE_NOC_EVENTS, -DPROFILE_PERF_COUNTERS=1
device=$(dirname "$(readlink -f "$0")")
case ${0##*/} in
ccache) # `tendril record --ttmetal`: tt-metal names its compiler
    real=$1
    shift
    ;;
*) real=${TENDRIL_GUEST_COMPILER:?the real compiler} ;;
esac
case " $* " in
*" -DFW_BUILD "*) ;;
*" -DCOMPILE_FOR_BRISC "* | *" -DCOMPILE_FOR_NCRISC "* | *" -DCOMPILE_FOR_TRISC="*)
    if [ -n "${TENDRIL_GUEST_LANES:-}" ]; then
        # shellcheck disable=SC2086 # several options
        exec "$real" -I"$device/include/guest" "$@" -idirafter "$device/include" -include tendril/guest.h \
            "-DTD_GUEST_LANES=$TENDRIL_GUEST_LANES" ${TENDRIL_GUEST_OPTIONS:-}
    fi
    ;;
*" -c "*) ;;
*kernel_brisc.ld* | *kernel_ncrisc.ld* | *kernel_trisc*.ld*)
    if [ -n "${TENDRIL_GUEST_LANES:-}" ]; then
        exec "$real" "$@" "$device/lib/libtendril-guest.a"
    fi
    ;;
esac
exec "$real" "$@"
