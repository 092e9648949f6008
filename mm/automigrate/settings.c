// SPDX-License-Identifier: GPL-2.0
/*
 * What an administrator has set for automatic migration. sysfs.c writes it, all
 * others read it as it comes.
 */
#include <linux/compiler.h>
#include <linux/jump_label.h>

#include "internal.h"

DEFINE_STATIC_KEY_FALSE(automigrate_on);

unsigned int automigrate_interval = 30;
unsigned int automigrate_mapcount = 1;
bool automigrate_lazy;

/**
 * automigrate_max_sharers - how often a page may be mapped that moves
 *
 * Context: any.
 * Return: a number of mappings, at least 1.
 */
int automigrate_max_sharers(void)
{
	return READ_ONCE(automigrate_mapcount);
}
