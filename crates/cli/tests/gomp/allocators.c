// Memory of OpenMP's own allocators, and a private variable in it.
#include <omp.h>
#include <stdint.h>
#include <stdio.h>

int main(void)
{
    omp_alloctrait_t traits[] = {{omp_atk_alignment, 128}, {omp_atk_pool_size, 1 << 20}};
    omp_allocator_handle_t allocator = omp_init_allocator(omp_default_mem_space, 2, traits);
    int *memory = omp_alloc(100 * sizeof(int), allocator);
    int aligned = memory && (uintptr_t)memory % 128 == 0, sum = 0, x = 7;
#pragma omp parallel num_threads(2) allocate(allocator : x) firstprivate(x) reduction(+ : sum)
    {
        x += omp_get_thread_num();
        sum += x;
#pragma omp for
        for (int i = 0; i < 100; i++)
            memory[i] = i;
    }
    for (int i = 0; i < 100; i++)
        sum += memory[i];
    omp_free(memory, allocator);
    omp_destroy_allocator(allocator);
    printf("aligned %d, sum %d, tasks 0\n", aligned, sum);
    return aligned && sum == 4950 + 15 ? 0 : 1;
}
