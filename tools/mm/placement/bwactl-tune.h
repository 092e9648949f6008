/* SPDX-License-Identifier: GPL-2.0 */
/* bwactl tune: the weights at which a command is fastest */
#ifndef BWACTL_TUNE_H
#define BWACTL_TUNE_H

/* @argv begins with "tune"; returns the exit status */
int tune_command(int argc, char **argv);

#endif /* BWACTL_TUNE_H */
