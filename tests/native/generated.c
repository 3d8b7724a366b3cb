/* Functions as generated code has them, to be launched by address. */
#include <stdint.h>

void scale(void** buffers, const int64_t* sizes) {
  const float* in = (const float*)buffers[0];
  float* out = (float*)buffers[1];
  for (int64_t i = 0; i < sizes[0]; ++i) out[i] = in[i] * (float)sizes[1];
}

/* buffers[0] (int64) = the sizes from the second on; sizes[0] is their count */
void echo_sizes(void** buffers, const int64_t* sizes) {
  for (int64_t i = 0; i < sizes[0]; ++i) ((int64_t*)buffers[0])[i] = sizes[i + 1];
}

/* buffers[n - 1] (int64) = sum of the first elements of buffers[0..n-2]; sizes[0] is n */
void gather(void** buffers, const int64_t* sizes) {
  int64_t sum = 0;
  for (int64_t i = 0; i < sizes[0] - 1; ++i) sum += *(const int64_t*)buffers[i];
  *(int64_t*)buffers[sizes[0] - 1] = sum;
}
