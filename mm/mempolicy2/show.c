// SPDX-License-Identifier: GPL-2.0
/*
 * A policy as text, in numa_maps and among mount options: whole, however many
 * nodes it has.
 */
#include <linux/kernel.h>
#include <linux/mempolicy2.h>
#include <linux/mm.h>
#include <linux/seq_file.h>
#include <linux/string.h>
#include <linux/weighted_interleave.h>

/* mpol_to_str() needs room for the mode and its flags, whatever the nodes are. */
#define LEAST_ROOM	64

/*
 * Writes into the buffer of @file. What does not fit makes seq_file begin the
 * record anew with twice the room, as each of its functions does.
 */
static void show(struct seq_file *file, struct mempolicy *pol, bool as_option)
{
	size_t room, len;
	char *text;

	room = seq_get_buf(file, &text);
	if (room < LEAST_ROOM) {
		seq_commit(file, -1);
		return;
	}
	mpol_to_str(text, min_t(size_t, room, INT_MAX), pol);
	if (as_option)
		weighted_interleave_mount_name(text);
	len = strlen(text);
	/* Full is cut, or may be. */
	seq_commit(file, len + 1 < room ? len : -1);
}

/**
 * mpol_show - show a policy as numa_maps has it
 * @file: goes on with the text
 * @pol:  the policy, or NULL; it stays during the call
 *
 * Context: any that @file is shown in; no lock is needed.
 */
void mpol_show(struct seq_file *file, struct mempolicy *pol)
{
	show(file, pol, false);
}

/**
 * mpol_show_option - show a policy as a mount option has it
 * @file: goes on with the text
 * @pol:  the policy; it stays during the call
 *
 * Context: as mpol_show().
 */
void mpol_show_option(struct seq_file *file, struct mempolicy *pol)
{
	show(file, pol, true);
}
