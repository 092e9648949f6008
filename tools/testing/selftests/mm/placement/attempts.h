/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the tests of calls that are short of memory share: each allocation of a call
 * is made to fail in turn. The call answers ENOMEM, and all is as it was before, or
 * it succeeds.
 *
 * Needs a kernel with fault injection (FAILSLAB, FAIL_PAGE_ALLOC).
 */
#ifndef ATTEMPTS_H
#define ATTEMPTS_H

#include <errno.h>

#include "cases.h"
#include "placement.h"

#define MOST_ALLOCATIONS 2000

/*
 * Each allocation fails a few times: now and then the failure goes to one that
 * is not the call's own and does no harm.
 */
#define TRIES 4

/* What a test has; each has its own */
struct context;

/* One kind of call: what comes before it, itself, and what comes after it */
struct attempt {
	int (*prepare)(struct context *ctx);
	int (*call)(struct context *ctx);
	/* NULL, or what is wrong after a call that has or has not succeeded */
	const char *(*check)(struct context *ctx, int ret);
	/* How many of its allocations must refuse it when they fail, at least */
	int refused;
	/* EIO says that a page found no room, in a policy that is in force */
	bool eio;
};

/* @fail is of fault_open(). */
static inline void fail_each_of(struct __test_metadata *_metadata, int fail,
				struct context *ctx, const struct attempt *attempt)
{
	bool failed = true, was_hit, was_refused;
	int nth, try, ret = -1, refused = 0;
	const char *wrong;

	for (nth = 1; nth < MOST_ALLOCATIONS && failed; nth++) {
		was_refused = false;
		failed = false;
		for (try = 0; try < TRIES; try++) {
			ASSERT_EQ(0, attempt->prepare(ctx));
			fault_nth(fail, nth);
			ret = attempt->call(ctx);
			was_hit = fault_hit(fail);
			failed |= was_hit;
			if (ret) {
				ASSERT_TRUE(was_hit);
				was_refused = true;
			}
			if (!ret || ret == -ENOMEM || (attempt->eio && ret == -EIO))
				wrong = attempt->check(ctx, ret);
			else
				wrong = "an error that the call does not have";
			ASSERT_TRUE(!wrong)
				TH_LOG("allocation %d, result %d: %s", nth,
				       ret, wrong);
		}
		refused += was_refused;
	}
	EXPECT_FALSE(failed);
	EXPECT_EQ(0, ret);
	EXPECT_LE(attempt->refused, refused);
}

#endif /* ATTEMPTS_H */
