# SPDX-License-Identifier: GPL-2.0
# What bwactl adds to the Makefile

BWACTL_SOURCES := bwactl.c bwactl-machine.c bwactl-groups.c bwactl-fit.c \
	bwactl-plan.c bwactl-known.c bwactl-buffer.c bwactl-mixes.c \
	bwactl-team.c bwactl-measure.c bwactl-print.c bwactl-json.c \
	bwactl-recorded.c bwactl-search.c bwactl-tune.c common.c \
	global-weights.c weighted.c
BWACTL_HEADERS := bwactl-buffer.h bwactl-fit.h bwactl-groups.h bwactl-json.h \
	bwactl-known.h bwactl-machine.h bwactl-matrix.h bwactl-measure.h \
	bwactl-mixes.h bwactl-plan.h bwactl-print.h bwactl-recorded.h \
	bwactl-report.h bwactl-search.h bwactl-team.h bwactl-tune.h \
	common.h global-weights.h mempolicy2.h weighted.h

TARGETS += $(OUTPUT)bwactl
INSTALLS += install-bwactl
UNINSTALLS += uninstall-bwactl

$(OUTPUT)bwactl: $(BWACTL_SOURCES) $(BWACTL_HEADERS)
	$(LINK) -D_GNU_SOURCE -pthread -o $@ \
		$(BWACTL_SOURCES)

install-bwactl: $(OUTPUT)bwactl
	install -d $(DESTDIR)$(bindir) $(DESTDIR)$(mandir)/man8
	install -m 755 -p $(OUTPUT)bwactl $(DESTDIR)$(bindir)
	install -m 644 -p man/bwactl.8 $(DESTDIR)$(mandir)/man8

uninstall-bwactl:
	$(RM) $(DESTDIR)$(bindir)/bwactl $(DESTDIR)$(mandir)/man8/bwactl.8
