// SPDX-License-Identifier: GPL-2.0
/* A large container with weights of its own, in C++; builds with c++ alone */
#include <mempolicy2.h>
#include <cstdio>
#include <new>
#include <sys/mman.h>
#include <vector>

/* Weights of its own here, the global ones on mainline since 6.9, else even. */
static const char *spread(void *piece, size_t size, const unsigned char (&weights)[64])
{
	unsigned long nodes = 0x3;
	mpol_param param = { MPOL_WEIGHTED_INTERLEAVE, 0, 0, 64, {},
			     mpol_address(&nodes), mpol_address(weights) };

	if (!mbind2((unsigned long)piece, size, &param, sizeof(param), 0))
		return "weights of its own";
	if (!syscall(__NR_mbind, piece, size, MPOL_WEIGHTED_INTERLEAVE, &nodes, 65, 0))
		return "global weights";
	return syscall(__NR_mbind, piece, size, MPOL_INTERLEAVE, &nodes, 65, 0) ?
	       "the default policy" : "even interleaving";
}

template <typename T> struct WeightedAllocator {
	using value_type = T;
	WeightedAllocator() = default;
	template <typename U> WeightedAllocator(const WeightedAllocator<U> &) {}
	T *allocate(size_t count)
	{
		void *piece = mmap(nullptr, count * sizeof(T), PROT_READ | PROT_WRITE,
				   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		if (piece == MAP_FAILED) throw std::bad_alloc();
		std::printf("%p has %s\n", piece, spread(piece, count * sizeof(T), { 3, 1 }));
		return static_cast<T *>(piece);
	}
	void deallocate(T *piece, size_t count) { munmap(piece, count * sizeof(T)); }
	bool operator==(const WeightedAllocator &) const { return true; }
};

int main() { std::vector<double, WeightedAllocator<double>> numbers(2 << 20, 1.0); }
