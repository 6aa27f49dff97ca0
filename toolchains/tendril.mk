# Kernels for Tendril's cores, outside of its tree. GNU make; include this file, from wherever it is installed:
#
#   include /usr/local/share/tendril/device/tendril.mk          (or: $(shell pkg-config --variable=mk tendril-device))
#
# and each NAME.elf is made from NAME.c (or .cpp) for CORE. A kernel of several files, or for a core of its own, is one line:
#
#   $(eval $(call tendril_kernel,reader,BRISC,reader.c util.c))
#
# `make` without a target makes all kernels that have such a line, if the first of these lines is before other rules.
# A kernel is made again when one of its headers or one of these variables has changed. They may be set before or after
# the include:
#
# CORE       BRISC (default), or another core of the board's
# BOARD      name of the board, as `tendril boards` lists it (default tensix_sim)
# PROFILE    1 (default): markers are in; 0: they expand to nothing
# TINY       1: smaller zones
# STAMPED    1: zones go to the tile's hardware timestamper, if the board has one
# IN_L1      1: the kernel's own data and its stack are in L1, not in the core's local RAM
# TTMETAL    1: the kernel is written for tt-metal, whose build includes api/dataflow/dataflow_api.h
# ARGS       its compile-time arguments, as in 1,2,3
# BOARD_LD   folder with CORE.ld of a board that is not installed (made by td_ldgen)
# CFLAGS, CXXFLAGS, LDFLAGS are yours.

TENDRIL_DEVICE := $(patsubst %/,%,$(dir $(abspath $(lastword $(MAKEFILE_LIST)))))
TENDRIL_CROSS  ?= riscv64-unknown-elf-
CORE           ?= BRISC
PROFILE        ?= 1
TINY           ?= 0
STAMPED        ?= 0
IN_L1          ?= 0
TTMETAL        ?= 0
ARGS           ?=
BOARD          ?=
BOARD_LD       ?= $(TENDRIL_DEVICE)/ld$(if $(BOARD),/$(BOARD))

TENDRIL_GOAL := $(.DEFAULT_GOAL)
TENDRIL_ARCH  := -march=rv32im -mabi=ilp32 -ffixed-tp
TENDRIL_FLAGS = $(TENDRIL_ARCH) -O2 -g -ffunction-sections -fdata-sections -fno-asynchronous-unwind-tables \
  -I$(TENDRIL_DEVICE)/include -isystem $(TENDRIL_DEVICE)/newlib/include -include riscv/fence.h \
  $(if $(filter 1,$(PROFILE)),-DTD_PROFILE $(if $(filter 1,$(TINY)),-DTD_TINY) $(if $(filter 1,$(STAMPED)),-DTD_STAMPED))
TENDRIL_COMMA := ,
TENDRIL_CXXFLAGS = $(if $(filter 1,$(TTMETAL)),$(TENDRIL_TTMETAL_FLAGS)) -fno-exceptions -fno-rtti -fno-threadsafe-statics -fno-use-cxa-atexit \
  -isystem $(TENDRIL_DEVICE)/include/cxx $(addprefix -isystem ,$(TENDRIL_LIBSTDCXX))
# The headers of libstdc++ that need no library: those of the host's compiler of the same version (libstdc++-N-dev).
TENDRIL_LIBSTDCXX = $(wildcard $(addsuffix /c++/$(firstword $(subst ., ,$(shell $(TENDRIL_CROSS)gcc -dumpversion))),\
  /usr/include /usr/include/$(shell gcc -print-multiarch 2>/dev/null)))
# -DKERNEL_COMPILE_TIME_ARG_0=1 -DKERNEL_COMPILE_TIME_ARG_1=2 ... of the list.
tendril_numbered = $(shell n=0; for a in $(subst $(1), ,$(2)); do echo -DKERNEL_COMPILE_TIME_ARG_$$n=$$a; n=$$((n + 1)); done)
TENDRIL_TTMETAL_FLAGS = -DKERNEL_BUILD -include api/dataflow/dataflow_api.h \
  $(if $(ARGS),-DKERNEL_COMPILE_TIME_ARGS=$(ARGS) $(call tendril_numbered,$(TENDRIL_COMMA),$(ARGS)))
TENDRIL_RT = $(TENDRIL_DEVICE)/lib/$(if $(filter 1,$(PROFILE)),libtendril_rt.a,libtendril_rt_off.a)
TENDRIL_LINK = -nostdlib -nostartfiles -Wl,--gc-sections -Wl,--build-id=sha1 -Wl,--no-warn-rwx-segments \
  -L$(TENDRIL_DEVICE)/ld -L$(TENDRIL_DEVICE)/ld/$(if $(filter 1,$(IN_L1)),l1,local) \
  $(if $(filter 11,$(PROFILE)$(STAMPED)),-Wl$(TENDRIL_COMMA)--defsym$(TENDRIL_COMMA)td_stamped=1)
TENDRIL_LIBS = -Wl,--start-group $(TENDRIL_RT) $(TENDRIL_DEVICE)/newlib/lib/libc.a $(TENDRIL_DEVICE)/newlib/lib/libm.a \
  -lgcc -Wl,--end-group

# The names by which tt-metal's kernels ask for their core.
tendril_core = $(if $(filter TRISC%,$(1)),-DCOMPILE_FOR_TRISC=$(patsubst TRISC%,%,$(1)),-DCOMPILE_FOR_$(1))
# One call of the compiler for each source: $(call tendril_object,SOURCE,OBJECT,CORE,TARGET). OBJECT.d has the headers on
# which TARGET depends.
tendril_object = $(if $(filter %.cpp %.cc %.cxx,$(1)),$(TENDRIL_CROSS)g++ $(TENDRIL_CXXFLAGS) $(TENDRIL_FLAGS) $(CXXFLAGS),$(TENDRIL_CROSS)gcc $(TENDRIL_FLAGS) $(CFLAGS)) \
  $(call tendril_core,$(3)) -MMD -MP -MT $(4) -MF $(2).d -c $(1) -o $(2)
tendril_link = $(TENDRIL_DEVICE)/link-kernel.sh $(TENDRIL_CROSS)gcc $(TENDRIL_ARCH) $(TENDRIL_LINK) -T$(BOARD_LD)/$(1).ld $(TENDRIL_DEVICE)/lib/crt0.o $(2) $(LDFLAGS) \
  $(TENDRIL_LIBS) -o $(3)

# Holds the options of the last call of make: what depends on it is made again when they differ.
TENDRIL_OPTIONS = $(TENDRIL_CROSS) $(CORE) $(BOARD_LD) $(TENDRIL_FLAGS) $(CFLAGS) $(TENDRIL_CXXFLAGS) $(CXXFLAGS) $(TENDRIL_LINK) $(LDFLAGS)
.tendril-options: export TENDRIL_NOW = $(TENDRIL_OPTIONS)
.tendril-options: tendril_always
	@printf '%s\n' "$$TENDRIL_NOW" | cmp -s - $@ || printf '%s\n' "$$TENDRIL_NOW" > $@
.PHONY: tendril_always

# $(call tendril_kernel,NAME,CORE,SOURCES)
define tendril_kernel
.PHONY: tendril_kernels
tendril_kernels: $(1).elf
$(foreach s,$(3),
$(1).$(subst /,_,$(s)).o: $(s) .tendril-options
	$$(call tendril_object,$(s),$$@,$(2),$$@))
$(1).elf: $(foreach s,$(3),$(1).$(subst /,_,$(s)).o)
	$$(call tendril_link,$(2),$$^,$$@)
endef

%.elf: %.c .tendril-options
	$(call tendril_object,$<,$*.o,$(CORE),$@)
	$(call tendril_link,$(CORE),$*.o,$@)
%.elf: %.cpp .tendril-options
	$(call tendril_object,$<,$*.o,$(CORE),$@)
	$(call tendril_link,$(CORE),$*.o,$@)
# The rules of this file and of those of headers do not become the ones that `make` without a target makes.
-include $(wildcard *.o.d */*.o.d)
.DEFAULT_GOAL := $(TENDRIL_GOAL)
