# SPDX-License-Identifier: GPL-2.0
# The front door; every target is a script in scripts/.

# Recipes take these from the environment, as they were typed: quotes and
# dollar signs reach the virtual machine's shell.
override FILES := $(value FILES)
override RUN := $(value RUN)
export BASE BASE_TARBALL SCENARIO FILES RUN ONLY PEERS CONFIG LOCALMODCONFIG LSMOD \
	TESTS ROUNDS VANILLA VERSION DRAW SEED

.PHONY: help run test timed-test soak mutants vm sim debug-test kcsan-test kernel tree series refresh check \
	check-all cross arm64-test upgrade-base count bench pictures coverage prove deb deb-test deb-source \
	doctor clean

help:
	@echo 'make run         set up, then show weighted interleaving on a virtual machine'
	@echo '                   VERBOSE=1                   all that the machine prints'
	@echo 'make test        set up, then run every test; ends "N passed, N failed, N skipped"'
	@echo '                   ONLY="name ..."             these machines and parts'
	@echo '                   TESTS="name ..."            these self tests'
	@echo '                   CONFIG=distribution         on a kernel with Debian'"'"'s own options'
	@echo 'make timed-test  only the tests whose verdict goes by time; ROUNDS=number of times'
	@echo 'make soak        what repeats, ROUNDS=10 times: all machines, runs that are to be the same'
	@echo 'make mutants     plants faults into the kernel, and says whether the tests notice'
	@echo '                   ONLY="name ..."             these faults, kinds of them, and rooms'
	@echo '                   DRAW=60 SEED=1              so many that are drawn by lot'
	@echo 'make vm          boot the kernel for a shell, or for a command of yours:'
	@echo '                   SCENARIO=name               a machine of scenarios/list'
	@echo '                   FILES="host[:guest] ..."    files to put into it'
	@echo '                   RUN="command"               says its status at the end'
	@echo 'make sim         as make vm, on a machine whose slow memory is slow, by its own clock:'
	@echo '                   SCENARIO=name               a machine of scenarios/sim, or of scenarios/list'
	@echo 'make kernel      build/bzImage, build/System.map, build/config, build/usr/include'
	@echo '                   CONFIG=distribution         build/kernel/distribution, with Debian'"'"'s own options'
	@echo 'make tree        build/tree: the patched kernel as a git tree, one commit a patch'
	@echo 'make series      build/series: the mails that git am applies to a clean base'
	@echo '                   VANILLA=yes                 and to the release it stands on, from Debian;'
	@echo '                   VANILLA=path                and to that linux-6.1.y tarball'
	@echo 'make refresh     write edits of build/tree back to patches and the overlay'
	@echo 'make check       checkpatch, sparse, W=1, kernel-doc, Sphinx, shellcheck, codespell, steps'
	@echo 'make check-all   every step and every configuration builds (hours)'
	@echo 'make cross       the series builds for the other architectures; ONLY="name ..."'
	@echo 'make arm64-test  the tests on arm64, in an emulated machine'
	@echo 'make debug-test  every test on a kernel with KASAN, lockdep and more'
	@echo 'make kcsan-test  tests that race with themselves, on a kernel that looks for data races; ROUNDS=number'
	@echo 'make coverage    which lines of our kernel files the machines execute; ONLY="checked name ..."'
	@echo 'make prove       goes through all interleavings of a model of what is shared, in tests/proofs'
	@echo 'make upgrade-base  moves to the newest of the base in the archive, when all hooks apply, and tests'
	@echo '                   VERSION=6.1.y-z             to that one'
	@echo '                   REPORT=yes                  only says what would apply'
	@echo '                   PIN=yes                     even when a hook has to be adapted'
	@echo 'make count       instructions of the policy code per page fault'
	@echo 'make bench       costs, placement, promotion beside the base: out/bench/index.html'
	@echo '                   PEERS="6.12"                further kernels of the archive'
	@echo '                   ONLY="name ..."             these parts'
	@echo 'make pictures    draws those of the documentation anew, from the machines and the figures'
	@echo 'make deb         build/deb: packages of the kernel and the tools (hours)'
	@echo '                   CONFIG=path                 a configuration of your own'
	@echo '                   LOCALMODCONFIG=1            only the modules that are in use'
	@echo '                   DEB_MB=number               begins only where there is so much room'
	@echo 'make deb-test    install these packages on a Debian system, and boot that'
	@echo 'make deb-source  build/deb-source: the source package of the tools'
	@echo 'make doctor      what this machine lacks, and how to get it'
	@echo 'make clean       remove build/'
	@echo
	@echo 'BASE=name takes another kernel of bases/ than 6.1, BASE_TARBALL=path a tarball of'
	@echo 'its version in place of the pinned one.'
	@echo
	@echo 'Names for ONLY and SCENARIO: machines, parts of make test, parts of make bench'
	@for list in scenarios/list scripts/test/list scripts/bench/list; do \
		sed '/^#/d; /^machines	-/d; s/[[:space:]].*//' $$list | tr '\n' ' ' | \
		fold -s -w 75 | sed 's/^/  /'; echo; done

run:
	@VERBOSE="$(VERBOSE)" scripts/test/show.sh

test:
	@scripts/test/test.sh $${CONFIG:+-c "$$CONFIG"}

vm:
	@scripts/kernel/kernel.sh $${SCENARIO:+-s "$$SCENARIO"}
	@scripts/kernel/tools.sh $${SCENARIO:+-s "$$SCENARIO"}
	@set --; \
	[ -z "$$SCENARIO" ] || set -- "$$@" -s "$$SCENARIO"; \
	[ -z "$$FILES" ] || set -- "$$@" -f "$$FILES"; \
	[ -z "$$RUN" ] || set -- "$$@" -r "$$RUN"; \
	status=0; \
	scripts/machine/vm.sh "$$@" || status=$$?; \
	[ -z "$$RUN" ] || echo "status of the command: $$status"; \
	exit $$status

sim:
	@set --; \
	[ -z "$$SCENARIO" ] || set -- "$$@" -s "$$SCENARIO"; \
	[ -z "$$FILES" ] || set -- "$$@" -f "$$FILES"; \
	[ -z "$$RUN" ] || set -- "$$@" -r "$$RUN"; \
	status=0; \
	scripts/machine/sim.sh "$$@" || status=$$?; \
	[ -z "$$RUN" ] || echo "status of the command: $$status"; \
	exit $$status

timed-test:
	@scripts/test/timed.sh

soak:
	@scripts/test/soak.sh

mutants:
	@scripts/test/mutants.sh

debug-test:
	@scripts/test/debug.sh

kcsan-test:
	@scripts/test/kcsan.sh

kernel:
	@scripts/kernel/kernel.sh $${CONFIG:+-c "$$CONFIG"}

tree:
	@scripts/host/setup.sh
	@scripts/queue/tree.sh

series:
	@scripts/host/setup.sh
	@scripts/queue/series.sh

refresh:
	@scripts/queue/refresh.sh

check:
	@scripts/check/check.sh

check-all:
	@scripts/check/all.sh

cross:
	@scripts/check/cross.sh

arm64-test:
	@scripts/test/test.sh -c arm64

coverage:
	@scripts/test/coverage.sh

prove:
	@scripts/check/prove.sh

upgrade-base:
	@scripts/check/upgrade-base.sh $(if $(REPORT),-n) $(if $(PIN),-f)

count:
	@scripts/bench/allocation/run.sh

pictures:
	@scripts/bench/pictures.py Documentation/pictures

bench:
	@scripts/bench/bench.sh

deb:
	@scripts/package/deb.sh

deb-test:
	@scripts/package/test.sh

deb-source:
	@scripts/package/source.sh "$(CURDIR)/build/deb-source"

doctor:
	@scripts/host/doctor.sh

clean:
	@scripts/host/clean.sh
