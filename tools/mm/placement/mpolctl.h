/* SPDX-License-Identifier: GPL-2.0 */
/* The subcommands of mpolctl: NAME_command() is in mpolctl-NAME.c */
#ifndef MPOLCTL_H
#define MPOLCTL_H

/* Of "run", as env(1) has them */
enum {
	STATUS_RUN_FAILED = 125,
	STATUS_CANNOT_RUN = 126,
	STATUS_NOT_FOUND = 127,
};

/* @argv begins with the name of the subcommand; these return the exit status */

/* Becomes another command, else returns one of the above, or STATUS_OK */
int run_command(int argc, char **argv);

/* Gives processes that run weights of their own */
int set_command(int argc, char **argv);

/* Prints mappings: once, or until the process ends */
int show_command(int argc, char **argv);

/* Prints or changes the global weights */
int weights_command(int argc, char **argv);

/* Writes what placement is set to into a file */
int save_command(int argc, char **argv);

/* Sets what such a file has, all or nothing */
int restore_command(int argc, char **argv);

/* Says what of the machine's memory could be used better */
int doctor_command(int argc, char **argv);

#endif /* MPOLCTL_H */
