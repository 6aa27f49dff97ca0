#!/usr/bin/env bash
# Runs in a throw-away copy of a system, next to *.deb (see build_packages.sh).
set -euo pipefail
cd /trial
export HOME=/trial LC_ALL=C.UTF-8
before=$(find / -xdev -name '*tendril*' -not -path '/trial/*' -not -path '/proc/*' 2>/dev/null | sort)
dpkg -i ./*.deb >log 2>&1 || { tail -n 20 log; exit 1; }

tendril --version
for program in tendril-watch tendril-mpi tensix_sim td_ldgen; do
  [ -x "$(command -v $program)" ]
done
man -w tendril tendril-record >/dev/null
desktop=/usr/share/applications/tendril.desktop
grep -q '^Exec=tendril view %f$' $desktop

cp -r /usr/share/doc/tendril/examples/hello hello
cd hello
cat >Makefile <<'END'
include /usr/share/tendril/device/tendril.mk
$(eval $(call tendril_kernel,kernel,BRISC,kernel.c))
END
make -s kernel.elf
# shellcheck disable=SC2046 # flags are words
cc -std=gnu11 -DTRACY_ENABLE hello.c -o hello $(pkg-config --cflags --libs tendril-client tendril-host)
tendril record -q -b tensix_sim -o hello.tracy -- ./hello
tendril csvexport hello.tracy | grep '^hello,.*,10,'
echo 'import tracy; tracy.message("from Python")' >program.py
tendril record -q -o python.tracy -- /usr/bin/python3 program.py
tendril info --json python.tracy | grep -q '"messages": *1'
cd ..

mapfile -t names < <(for package in ./*.deb; do dpkg-deb -f "$package" Package; done)
dpkg --purge "${names[@]}" >log 2>&1 || { tail -n 20 log; exit 1; }
after=$(find / -xdev -name '*tendril*' -not -path '/trial/*' -not -path '/proc/*' 2>/dev/null | sort)
[ "$before" = "$after" ] || { diff <(echo "$before") <(echo "$after"); exit 1; }
echo "packages install, work and leave nothing"
