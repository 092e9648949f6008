// SPDX-License-Identifier: GPL-2.0
/* mpolctl doctor: memory that is not used as it could be, and what mends it */
#include "mpolctl.h"

#include <dirent.h>
#include <err.h>
#include <getopt.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common.h"
#include "global-weights.h"

static const char doctor_help[] =
	"Usage: mpolctl doctor\n"
	"\n"
	"Says what of the machine's memory is not used as it could be, each time with the\n"
	"command that mends it: cards that nobody has set up, memory that is offline or a\n"
	"device, weights that nobody has told, nodes that should not share a tier, one\n"
	"half of memory tiering. It changes nothing.\n"
	"\n"
	"  --root DIR  read the files of the kernel under DIR, not /\n"
	"  -h, --help  this text\n"
	"\n"
	"Exit status: 0 nothing to mend; 4 something; 2 bad arguments; 3 this kernel is\n"
	"built without NUMA.\n";

enum {
	STATUS_TO_MEND = 4,
};

#define NODE_DIR	"/sys/devices/system/node"
#define TIER_WIDTH	128	/* of abstract distances; as the kernel has it */
#define SLOW_DISTANCE	2880	/* that of a node five times as slow as DRAM */

/* What is known of the machine, and how much there is to mend */
struct machine {
	const char *root;
	struct nodes memory;
	struct nodes cpus;
	struct ratio weights;	/* all 0: this kernel has none */
	unsigned int found;
};

/* A line of a file under the root; false when there is none */
static bool read_file(const struct machine *machine, const char *name,
		      char *line, size_t size)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s%s", machine->root, name);
	return read_line(path, line, size);
}

/* A file of a directory, or of one for something, such as "node1" */
static bool read_of(const struct machine *machine, const char *directory,
		    const char *of, const char *name, char *line, size_t size)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s/%s/%s", directory, of, name);
	return read_file(machine, path, line, size);
}

/* Its number, in decimal or with 0x; 0 when there is none */
static unsigned long long read_number_of(const struct machine *machine,
					 const char *directory, const char *of,
					 const char *name)
{
	char line[64];

	if (!read_of(machine, directory, of, name, line, sizeof(line)))
		return 0;
	return strtoull(line, NULL, 0);
}

static unsigned long long read_node(const struct machine *machine,
				    const char *directory, int node,
				    const char *name)
{
	char of[32];

	snprintf(of, sizeof(of), "node%d", node);
	return read_number_of(machine, directory, of, name);
}

static void print_size(unsigned long long bytes)
{
	printf("%.1f GiB", bytes / (double)(1 << 30));
}

#define CXL_DIR		"/sys/bus/cxl/devices"

/*
 * The next directory of CXL_DIR whose name begins with @prefix, in no order; NULL after
 * the last one, and at once where there is none.
 */
static const char *next_cxl(DIR *directory, const char *prefix)
{
	struct dirent *file;

	while (directory && (file = readdir(directory))) {
		if (!strncmp(file->d_name, prefix, strlen(prefix)))
			return file->d_name;
	}
	return NULL;
}

static DIR *open_cxl(const struct machine *machine)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s" CXL_DIR, machine->root);
	return opendir(path);
}

/* Of the memory behind a port, such as "endpoint3": how much has a place, in bytes */
static unsigned long long decoded_size(const struct machine *machine,
				       const char *endpoint)
{
	DIR *directory = open_cxl(machine);
	unsigned long long size = 0;
	const char *decoder;
	char prefix[32];

	snprintf(prefix, sizeof(prefix), "decoder%u.",
		 (unsigned int)strtoul(endpoint + strlen("endpoint"), NULL, 10));
	while ((decoder = next_cxl(directory, prefix)))
		size += read_number_of(machine, CXL_DIR, decoder, "size");
	if (directory)
		closedir(directory);
	return size;
}

/*
 * A decoder of the host that can have regions of @kind: the first one by name. Where there
 * are several and it is another one that leads to the card, cxl(1) refuses it.
 */
static bool find_host_decoder(const struct machine *machine, const char *kind,
			      char *name, size_t size)
{
	DIR *directory = open_cxl(machine);
	const char *decoder;
	char file[32], line[32];
	bool found = false;

	snprintf(file, sizeof(file), "create_%s_region", kind);
	while ((decoder = next_cxl(directory, "decoder"))) {
		if (!read_of(machine, CXL_DIR, decoder, file, line, sizeof(line)) ||
		    (found && strcmp(decoder, name) > 0))
			continue;
		found = true;
		snprintf(name, size, "%s", decoder);
	}
	if (directory)
		closedir(directory);
	return found;
}

/* Memory of a card that no region has, and that the kernel makes one of */
static void look_at_card(struct machine *machine, const char *card, const char *kind)
{
	char name[32], decoder[NAME_MAX + 1];
	unsigned long long size;

	snprintf(name, sizeof(name), "%s/size", kind);
	size = read_number_of(machine, CXL_DIR, card, name);
	if (!size || !find_host_decoder(machine, kind, decoder, sizeof(decoder)))
		return;
	machine->found++;
	printf("The card %s has ", card);
	print_size(size);
	puts(" that nobody has set up. What is on it is lost by:");
	printf("\tcxl create-region -m -d %s -w 1 -t %s %s\n", decoder, kind, card);
	if (!strcmp(kind, "pmem"))
		puts("\tndctl create-namespace -m devdax -M mem");
}

/* A card without a port is not decoded by the kernel: firmware may have given it a place */
static void look_at_cards(struct machine *machine)
{
	DIR *directory = open_cxl(machine);
	char path[PATH_MAX], card[PATH_MAX];
	const char *endpoint, *name;
	ssize_t len;

	while ((endpoint = next_cxl(directory, "endpoint"))) {
		snprintf(path, sizeof(path), "%s" CXL_DIR "/%s/uport", machine->root,
			 endpoint);
		len = readlink(path, card, sizeof(card) - 1);
		if (len < 0 || decoded_size(machine, endpoint))
			continue;
		card[len] = '\0';
		name = strrchr(card, '/');
		name = name ? name + 1 : card;
		look_at_card(machine, name, "ram");
		look_at_card(machine, name, "pmem");
	}
	if (directory)
		closedir(directory);
}

/* Where the kernel onlines memory by itself, daxctl(1) wants to be told that it may go on */
static const char *daxctl_force(const struct machine *machine)
{
	char policy[32];

	if (read_file(machine, "/sys/devices/system/memory/auto_online_blocks",
		      policy, sizeof(policy)) &&
	    strcmp(policy, "offline"))
		return "--force ";
	return "";
}

/* What device drivers keep for themselves, until daxctl(1) gives it to the kernel */
static void look_at_device(struct machine *machine, const char *device)
{
	static const char directory[] = "/sys/bus/dax/devices";
	char path[PATH_MAX], driver[PATH_MAX];
	char node[16] = "-1";
	const char *name;
	ssize_t len;

	snprintf(path, sizeof(path), "%s%s/%s/driver", machine->root, directory,
		 device);
	len = readlink(path, driver, sizeof(driver) - 1);
	driver[len < 0 ? 0 : len] = '\0';
	name = strrchr(driver, '/');
	if (!strcmp(name ? name + 1 : driver, "kmem"))
		return;
	read_of(machine, directory, device, "target_node", node, sizeof(node));
	machine->found++;
	printf("%s is a device and no memory of the kernel: ", device);
	print_size(read_number_of(machine, directory, device, "size"));
	printf(" that would be node %s.\n", node);
	printf("\tdaxctl reconfigure-device --mode=system-ram %s%s\n",
	       daxctl_force(machine), device);
}

static void look_at_devices(struct machine *machine)
{
	char path[PATH_MAX];
	struct dirent *file;
	DIR *files;

	snprintf(path, sizeof(path), "%s/sys/bus/dax/devices", machine->root);
	files = opendir(path);
	if (!files)
		return;
	while ((file = readdir(files))) {
		if (!strncmp(file->d_name, "dax", 3))
			look_at_device(machine, file->d_name);
	}
	closedir(files);
}

static void look_at_blocks(struct machine *machine)
{
	static const char directory[] = "/sys/devices/system/memory";
	char path[PATH_MAX], line[32];
	unsigned long long size = 0, offline = 0;
	struct dirent *file;
	DIR *files;

	snprintf(path, sizeof(path), "%s%s", machine->root, directory);
	files = opendir(path);
	if (!files)
		return;
	/* In hexadecimal without 0x */
	if (read_of(machine, directory, ".", "block_size_bytes", line,
		    sizeof(line)))
		size = strtoull(line, NULL, 16);
	while ((file = readdir(files))) {
		if (!strncmp(file->d_name, "memory", 6) &&
		    read_of(machine, directory, file->d_name, "state", line,
			    sizeof(line)) &&
		    !strcmp(line, "offline"))
			offline += size;
	}
	closedir(files);
	if (!offline)
		return;
	machine->found++;
	printf("Memory that is offline: ");
	print_size(offline);
	printf(".\n\tchmem --enable --zone Movable %lluM\n", offline >> 20);
}

/* Firmware that tells a bandwidth of a node tells that of reads */
static bool is_told(const struct machine *machine, int node)
{
	return read_node(machine, NODE_DIR, node,
			 "access0/initiators/read_bandwidth") ||
	       read_node(machine, NODE_DIR, node,
			 "access1/initiators/read_bandwidth");
}

static bool is_alone(const struct machine *machine, int node)
{
	return machine->memory.in[node] && !machine->cpus.in[node];
}

static bool are_even(const struct ratio *weights)
{
	unsigned int weight = 0;
	int i;

	for (i = 0; i < MAX_NODES; i++) {
		if (!weights->weight[i])
			continue;
		if (weight && weight != weights->weight[i])
			return false;
		weight = weights->weight[i];
	}
	return true;
}

static void look_at_weights(struct machine *machine)
{
	char path[PATH_MAX];
	bool even = are_even(&machine->weights), told = true;
	int automatic, i, node = -1;

	snprintf(path, sizeof(path), "%s" WEIGHT_DIR, machine->root);
	automatic = read_auto(path);
	/* The first one that firmware does not tell of, else the last one */
	for (i = 0; i < MAX_NODES && told; i++) {
		if (!is_alone(machine, i) || !machine->weights.weight[i])
			continue;
		told = is_told(machine, i);
		node = i;
	}
	if (node < 0 || (automatic > 0 ? told : !even))
		return;
	machine->found++;
	if (!told && automatic > 0)
		printf("Firmware tells no bandwidth of node %d: its weight is a guess.\n",
		       node);
	else
		printf("Weighted interleaving is even, though node %d has no CPUs.\n",
		       node);
	puts(told && !automatic ? "\tmpolctl weights auto" : "\tbwactl --apply");
}

static unsigned long read_distance(const struct machine *machine, int node)
{
	return read_node(machine, "/sys/kernel/mm/tiering", node,
			 "abstract_distance");
}

/* The node with CPUs that is nearest to its users; -1: not known */
static int find_fast_node(const struct machine *machine)
{
	unsigned long least = ULONG_MAX, distance;
	int i, found = -1;

	for (i = next_node(&machine->memory, -1); i >= 0;
	     i = next_node(&machine->memory, i)) {
		distance = read_distance(machine, i);
		if (!machine->cpus.in[i] || !distance || distance >= least)
			continue;
		least = distance;
		found = i;
	}
	return found;
}

static void look_at_switches(struct machine *machine)
{
	char demotion[16], balancing[16];
	unsigned long mode;
	bool demotes;

	/* A kernel without one of them has no second half to switch on */
	if (!read_of(machine, "/proc/sys", "kernel", "numa_balancing",
		     balancing, sizeof(balancing)) ||
	    !read_of(machine, "/sys/kernel/mm", "numa", "demotion_enabled",
		     demotion, sizeof(demotion)))
		return;
	mode = strtoul(balancing, NULL, 10);
	demotes = !strcmp(demotion, "true") || !strcmp(demotion, "1");
	if (!!(mode & 2) == demotes)
		return;
	machine->found++;
	if (mode & 2) {
		puts("Hot pages are promoted, but no cold ones demoted to make room.");
		puts("\techo 1 > /sys/kernel/mm/numa/demotion_enabled");
	} else {
		puts("Cold pages are demoted, but not promoted when they are hot again.");
		printf("\tsysctl kernel.numa_balancing=%lu\n", mode | 2);
	}
}

static void look_at_tiers(struct machine *machine)
{
	int i, fast = find_fast_node(machine);
	unsigned long distance, tier;
	bool slower = false;

	if (fast < 0)
		return;
	tier = read_distance(machine, fast) / TIER_WIDTH;
	for (i = next_node(&machine->memory, -1); i >= 0;
	     i = next_node(&machine->memory, i)) {
		distance = read_distance(machine, i);
		slower |= distance / TIER_WIDTH > tier;
		if (!is_alone(machine, i) || !distance ||
		    distance / TIER_WIDTH != tier || is_told(machine, i))
			continue;
		machine->found++;
		printf("Firmware does not tell how node %d differs from node %d.\n",
		       i, fast);
		printf("\techo %d > /sys/kernel/mm/tiering/node%d/abstract_distance",
		       SLOW_DISTANCE, i);
		puts("    # if slower; 256 for HBM");
	}
	if (slower)
		look_at_switches(machine);
}

static void look_at_reclaim(struct machine *machine)
{
	if (!read_number_of(machine, "/proc/sys", "vm", "zone_reclaim_mode"))
		return;
	machine->found++;
	puts("A full node is reclaimed before another one is used.");
	puts("\tsysctl vm.zone_reclaim_mode=0");
}

static bool read_machine(struct machine *machine)
{
	char line[4096];

	if (!read_file(machine, NODE_DIR "/has_memory", line, sizeof(line)) ||
	    !parse_nodes(line, &machine->memory))
		return false;
	if (read_file(machine, NODE_DIR "/has_cpu", line, sizeof(line)) && *line)
		parse_nodes(line, &machine->cpus);
	snprintf(line, sizeof(line), "%s" WEIGHT_DIR, machine->root);
	read_global_weights(line, &machine->weights);
	return true;
}

static int examine(const char *root)
{
	static struct machine machine;

	machine.root = root;
	if (!read_machine(&machine)) {
		warnx("doctor: this kernel is built without NUMA");
		return STATUS_UNAVAILABLE;
	}
	look_at_cards(&machine);
	look_at_devices(&machine);
	look_at_blocks(&machine);
	if (count_nodes(&machine.memory) > 1) {
		look_at_weights(&machine);
		look_at_tiers(&machine);
		look_at_reclaim(&machine);
	}
	if (machine.found)
		return STATUS_TO_MEND;
	if (count_nodes(&machine.memory) > 1)
		puts("Nothing to mend.");
	else
		puts("Nothing to mend: one node has all memory.");
	return STATUS_OK;
}

int doctor_command(int argc, char **argv)
{
	const char *root = "";
	int status;

	if (!parse_root(argc, argv, "mpolctl doctor", doctor_help, &root, &status))
		return status;
	if (argv[optind]) {
		warnx("doctor: no argument, not '%s'", argv[optind]);
		return STATUS_USAGE;
	}
	return examine(root);
}
