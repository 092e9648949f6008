// SPDX-License-Identifier: GPL-2.0
/* A buffer with weights of its own, in C; builds with cc alone */
#include <mempolicy2.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

/* Weights of its own here, the global ones on mainline since 6.9, else even. */
static const char *spread(void *buffer, size_t len, unsigned long nodes,
			  const unsigned char weights[64])
{
	struct mpol_param param = {
		.mode = MPOL_WEIGHTED_INTERLEAVE, .pol_maxnodes = 64,
		.pol_nodes = mpol_address(&nodes), .il_weights = mpol_address(weights),
	};

	if (!mbind2((unsigned long)buffer, len, &param, sizeof(param), 0))
		return "weights of its own";
	if (!syscall(__NR_mbind, buffer, len, MPOL_WEIGHTED_INTERLEAVE, &nodes, 65, 0))
		return "global weights";
	if (!syscall(__NR_mbind, buffer, len, MPOL_INTERLEAVE, &nodes, 65, 0))
		return "even interleaving";
	return NULL;
}

int main(void)
{
	const unsigned char weights[64] = { 3, 1 };
	size_t len = 16 << 20;
	char *buffer = mmap(NULL, len, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	const char *how = buffer == MAP_FAILED ? NULL : spread(buffer, len, 0x3, weights);

	if (!how)
		return perror("nodes 0 and 1"), 1;
	memset(buffer, 1, len);
	printf("%p has %s\n", (void *)buffer, how);
	return 0;
}
