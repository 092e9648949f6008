// SPDX-License-Identifier: GPL-2.0
/* A container with weights of its own, in C++; builds with c++ alone */
#include <mempolicy2.h>
#include <cstdio>
#include <new>
#include <sys/mman.h>
#include <vector>

/* For large containers: each piece of memory is a mapping. */
template <typename T> struct WeightedAllocator {
	using value_type = T;
	WeightedAllocator() = default;
	template <typename U> WeightedAllocator(const WeightedAllocator<U> &) {}

	T *allocate(size_t count)
	{
		static const unsigned char weights[64] = { 3, 1 };
		unsigned long nodes = 0x3;
		mpol_param param = { MPOL_WEIGHTED_INTERLEAVE, 0, 0, 64, {},
				     mpol_address(&nodes), mpol_address(weights) };
		void *piece = mmap(nullptr, count * sizeof(T), PROT_READ | PROT_WRITE,
				   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

		if (piece == MAP_FAILED)
			throw std::bad_alloc();
		if (mbind2((unsigned long)piece, count * sizeof(T), &param, sizeof(param), 0))
			std::perror("mbind2, the default policy stays");
		return static_cast<T *>(piece);
	}
	void deallocate(T *piece, size_t count) { munmap(piece, count * sizeof(T)); }
	bool operator==(const WeightedAllocator &) const { return true; }
};

int main()
{
	std::vector<double, WeightedAllocator<double>> numbers(2 << 20, 1.0);

	std::printf("%p has %zu numbers\n", (void *)numbers.data(), numbers.size());
}
